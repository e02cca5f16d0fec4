"""Measures: the annotations of a word that can be right, judged as `evaluate` judges them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from panparser._arrays import BoolArray
from panparser.analysis.words import Words, same
from panparser.evaluation.counting import universal_features
from panparser.treebank.universal import base_label


@dataclass(frozen=True)
class Measure:
    """`right(gold, predicted)` flags the words that are right; with `arcs`, only words with a gold head count."""

    name: str
    about: str
    right: Callable[[Words, Words], BoolArray]
    arcs: bool = True


def _head(gold: Words, predicted: Words) -> BoolArray:
    right: BoolArray = (gold.heads == predicted.heads) & (gold.heads >= 0)
    return right


def _label(gold: Words, predicted: Words) -> BoolArray:
    return same(gold, predicted, "deprel", base_label)


def _lemma(gold: Words, predicted: Words) -> BoolArray:
    right: BoolArray = same(gold, predicted, "lemma") | (gold.treebank.column("lemma") == 0)  # `_` is 0: not annotated
    return right


MEASURES: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure("uas", "the head", _head),
        Measure("las", "the head and the label without its subtype", lambda g, p: _head(g, p) & _label(g, p)),
        Measure("label", "the label without its subtype, whatever the head", _label),
        Measure("full-las", "the head and the whole label", lambda g, p: _head(g, p) & same(g, p, "deprel")),
        Measure("full-label", "the whole label, whatever the head", lambda g, p: same(g, p, "deprel")),
        Measure("upos", "UPOS", lambda g, p: same(g, p, "upos"), arcs=False),
        Measure("xpos", "XPOS", lambda g, p: same(g, p, "xpos"), arcs=False),
        Measure("feats", "the universal features", lambda g, p: same(g, p, "feats", universal_features), arcs=False),
        Measure("lemma", "LEMMA", _lemma, arcs=False),
    )
}
