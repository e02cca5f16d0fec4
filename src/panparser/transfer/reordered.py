"""Sentences with their words in another order: what they keep, and which ones can have one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from panparser._arrays import BoolArray
from panparser.treebank.statistics import crossing_arcs
from panparser.treebank.treebank import Treebank, with_value

REPORTED = 256  # sentences between two reports of progress
_CELLS = ("form", "lemma", "upos", "xpos", "feats", "deprel")
_TEXT = re.compile(r"#\s*text\s*=")
_OF_THE_TEXT = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "TokenRange")  # keys of MISC that new places make wrong


class Reordered:
    """Writes sentences of a treebank with their words in another order, and without what that makes wrong."""

    def __init__(self, treebank: Treebank) -> None:
        self.treebank = treebank
        self._columns = [(treebank.column(name), treebank.vocabulary(name)) for name in _CELLS]
        self._misc = [_without_places(cell) for cell in treebank.vocabulary("misc")]

    def written(self, index: int, order: Sequence[int], comment: str) -> str:
        """A sentence of some of its words, which count from 1, in this order; the comment tells what was done."""
        sentence = self.treebank[index]
        start = int(self.treebank.offsets[index])
        here = slice(start, start + len(sentence))
        heads = sentence.heads.tolist()
        ids = {word: id for id, word in enumerate(order, start=1)} | {0: 0}
        *cells, labels = ([names[i] for i in ids_[here].tolist()] for ids_, names in self._columns)
        before = ["\t".join(each) for each in zip(*cells, strict=True)]
        if self.treebank.format == "conllx":
            lines, misc = [], ["_"] * len(heads)
        else:
            lines = [line for line in sentence.comments if not _TEXT.match(line)] + [comment]
            misc = [self._misc[i] for i in self.treebank.column("misc")[here].tolist()]
        for word in order:
            at = word - 1
            lines.append(f"{ids[word]}\t{before[at]}\t{ids[heads[at]]}\t{labels[at]}\t_\t{misc[at]}")
        return "\n".join(lines) + "\n\n"


def obstacles(treebank: Treebank) -> tuple[BoolArray, BoolArray]:
    """For each sentence, whether it has crossing arcs, and whether it has words without heads."""
    sentence = treebank.sentence_of_word()
    crossing, headless = (
        np.bincount(sentence[bad], minlength=len(treebank)) > 0
        for bad in (crossing_arcs(treebank)[0], treebank.heads < 0)
    )
    return crossing, headless


def _without_places(cell: str) -> str:
    for key in _OF_THE_TEXT:
        cell = with_value(cell, key, None)
    return cell
