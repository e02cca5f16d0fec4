"""Sentences that are forests, in what is learned from or carried over."""

from __future__ import annotations

import warnings

import numpy as np

from panparser.errors import ConlluWarning
from panparser.treebank.treebank import Treebank


def tell_forests(treebank: Treebank) -> None:
    """Warns of sentences with several roots, which are seldom meant, and of which parsers find one."""
    roots = np.bincount(treebank.sentence_of_word()[treebank.heads == 0], minlength=len(treebank))
    if found := int((roots > 1).sum()):
        what = f"{found:,} of {len(treebank):,} sentences have several roots, and parsers find one"
        warnings.warn(f"{treebank.path}: {what}; `panparser validate` lists them", ConlluWarning, stacklevel=3)
