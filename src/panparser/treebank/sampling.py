"""Samples of treebanks."""

from __future__ import annotations

import numpy as np

from panparser._checks import check_count
from panparser.errors import TreebankError
from panparser.treebank.treebank import Treebank


def sample_sentences(treebank: Treebank, sentences: int, *, seed: int = 1) -> Treebank:
    """So many sentences of a treebank, drawn at random, in their order; all, if there are not more."""
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
    check_count("sample_sentences: sentences", sentences)
    check_count("sample_sentences: seed", seed, least=0)
    chosen = np.random.default_rng(seed).permutation(len(treebank))[:sentences]
    return treebank[sorted(chosen.tolist())]
