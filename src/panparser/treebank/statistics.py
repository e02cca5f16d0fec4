"""Statistics of treebanks: sizes, tags, labels, shapes of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.types import IntArray
from panparser.errors import GoldError, TreebankError
from panparser.treebank.treebank import Treebank
from panparser.trees.projectivity import nonprojectivity_counts


def treebank_statistics(treebank: Treebank) -> dict[str, Any]:
    """Plain values: counts, means, shares (in percent) and distributions. Words without head count as not annotated."""
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
    treebank.check()
    heads = treebank.heads.astype(np.int64)
    sentence = treebank.sentence_of_word()
    words = np.diff(treebank.offsets)
    ids = np.arange(treebank.words) - treebank.offsets[sentence] + 1
    arcs = heads > 0
    length = np.abs(ids - heads)[arcs]
    crossing, gaps = crossing_arcs(treebank)
    depth, _ = climb(heads, treebank.offsets[sentence], int(words.max(initial=0)))
    crossed = np.bincount(sentence[crossing], minlength=len(treebank)) > 0
    forms = treebank.vocabulary("form")
    used = np.unique(treebank.column("form"))
    return {
        "sentences": len(treebank),
        "words": treebank.words,
        "types": len({forms[i].lower() for i in used.tolist()}),
        "multiword tokens": len(treebank._store.ranges()),
        "empty nodes": len(treebank._store.empty_nodes()),
        "annotated": _share(heads >= 0),
        "length": _spread(words),
        "depth": _spread(depth[depth >= 0]),
        "dependency length": _spread(length),
        "head to the right": _share((heads > ids)[arcs]),
        "non-projective sentences": _share(crossed),
        "non-projective arcs": _share(crossing[heads >= 0]),
        "gap degree": int(gaps.max(initial=0)),
        "roots": _spread(np.bincount(sentence[heads == 0], minlength=len(treebank))),
        "upos": _counts(treebank, "upos"),
        "labels": _counts(treebank, "deprel"),
    }


def _share(chosen: npt.NDArray[np.bool_]) -> float:
    return 100 * float(chosen.mean()) if chosen.size else 0.0


def _spread(values: npt.NDArray[Any]) -> dict[str, float]:
    if not values.size:
        return {"mean": 0.0, "median": 0.0, "max": 0}
    return {"mean": float(values.mean()), "median": float(np.median(values)), "max": int(values.max())}


def _counts(treebank: Treebank, column: str) -> dict[str, int]:
    strings = treebank.vocabulary(column)
    counts = np.bincount(treebank.column(column), minlength=len(strings))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda i: (-counts[i], strings[i]))
    return {strings[i]: int(counts[i]) for i in order}


def climb(
    heads: npt.NDArray[np.int64], first: npt.NDArray[np.int64], longest: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number of arcs from each word up to Root, -1 if Root is not reached; and the last word on the way.

    `first` is, for each word, the first word of its sentence; `longest` the length of the longest sentence.
    """
    depth = np.zeros(len(heads), dtype=np.int64)
    at = np.arange(len(heads))
    climbing = np.arange(len(heads))  # the words that have not reached Root
    for _ in range(longest):
        step = heads[at[climbing]]
        depth[climbing] += 1
        depth[climbing[step < 0]] = -1
        on = step > 0
        climbing = climbing[on]
        at[climbing] = first[climbing] + step[on] - 1
    depth[climbing] = -1
    return depth, at


def crossing_arcs(treebank: Treebank) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """`nonprojectivity` of all sentences; raises TreebankError, with the line, if one of them is not a tree."""
    try:
        return nonprojectivity_counts(treebank.heads, treebank.offsets)
    except GoldError:
        for sentence in treebank:
            try:
                sentence.gold()
            except GoldError as error:
                raise TreebankError(f"{treebank.path}:{sentence.line}: {error}") from None
        raise
