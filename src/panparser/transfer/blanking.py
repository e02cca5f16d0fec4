"""Blanking: treebanks of other languages, of which only tags and trees are to be learned from."""

from __future__ import annotations

from panparser.features.templates import Templates
from panparser.treebank.treebank import Treebank

BLANKED = ("form", "lemma", "xpos", "feats", "misc")
_OF_TARGETS = ("lemma", "xpos", "feats")  # columns that a sample may leave out


def blanked(treebank: Treebank) -> Treebank:
    """A copy in which no word has anything that belongs to its language: all but UPOS, heads and labels is `_`.

    Features of words, such as `S0.form=ate`, then only come from other treebanks that are learned from beside it.
    """
    found = treebank.copy()
    for name in BLANKED:
        found.column(name)[:] = found.id_of(name, "_")
    return found


def annotated_templates(templates: Templates, treebank: Treebank) -> Templates:
    """The templates, without those that read a column which the treebank leaves out."""
    missing = [name for name in _OF_TARGETS if not (treebank.column(name) != treebank.id_of(name, "_")).any()]
    return templates.without(*missing) if missing else templates
