"""The data of a report's script: sentences with their trees, as JSON that is safe inside HTML."""

from __future__ import annotations

import numpy as np

from panparser._arrays import LongArray
from panparser.analysis.frame import Frame
from panparser.pages.page import data_text
from panparser.treebank.treebank import Treebank


def page_data(frame: Frame, most: int) -> tuple[str, int]:
    """The `most` sentences with most errors, in their order, as JSON; and their number.

    A sentence is [number from 1, its id, forms, tags, heads, labels, places of words that do not count, predictions], a
    prediction [heads, labels]; tags and labels are indices into lists.
    """
    gold = frame.gold.treebank
    chosen = _chosen(frame, most)
    treebanks = [side.treebank for side in frame.sides.values()]
    labels, label_ids = _shared(treebanks, "deprel")
    tags, (tag_ids,) = _shared([gold], "upos")
    forms = np.array(gold.vocabulary("form"), dtype=object)[gold.column("form")]
    counts = np.zeros(gold.words, dtype=bool)
    counts[frame.rows] = True
    sentences = []
    for sentence in chosen.tolist():
        words = slice(int(gold.offsets[sentence]), int(gold.offsets[sentence + 1]))
        trees = [[t.heads[words].tolist(), ids[words].tolist()] for t, ids in zip(treebanks, label_ids, strict=True)]
        sentences.append(
            [
                sentence + 1,
                gold[sentence].sent_id or "",
                forms[words].tolist(),
                tag_ids[words].tolist(),
                *trees[0],
                np.flatnonzero(~counts[words]).tolist(),
                trees[1:],
            ]
        )
    values = {"names": list(frame.names), "labels": labels, "tags": tags, "sentences": sentences}
    return data_text(values), len(sentences)


def _chosen(frame: Frame, most: int) -> LongArray:
    gold = frame.gold.treebank
    every = np.flatnonzero(np.diff(gold.offsets) > 0)
    if len(every) <= most:
        return every
    errors = np.zeros(len(gold), dtype=np.int64)
    counted = frame.counted("las")
    for name in frame.names:
        wrong = frame.rows[counted & ~frame.right("las", name)]
        errors += np.bincount(gold.sentence_of_word()[wrong], minlength=len(gold))
    return np.sort(every[np.argsort(-errors[every], kind="stable")[:most]])


def _shared(treebanks: list[Treebank], column: str) -> tuple[list[str], list[LongArray]]:
    """The distinct texts of a column, and the index of each word's text, in each treebank."""
    numbers: dict[str, int] = {}
    ids = []
    for treebank in treebanks:
        table = [numbers.setdefault(text, len(numbers)) for text in treebank.vocabulary(column)]
        ids.append(np.array(table, dtype=np.int64)[treebank.column(column)])
    return list(numbers), ids
