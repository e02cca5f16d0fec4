"""The best tree under a matrix of scores: of all trees, or of the projective ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from panparser import _engine
from panparser._arrays import FloatArray, IntArray
from panparser.errors import DecodingError


def maximum_spanning_tree(scores: FloatArray, *, single_root: bool = True) -> IntArray:
    """Heads of the best tree, projective or not (Chu & Liu 1965, Edmonds 1967), in O(n²).

    `scores[h, d]` (n+1, n+1) is the score of the arc from h to word d; 0 is Root, whose column is not read, nor is the
    diagonal. `-inf` forbids an arc. The heads have length n+1, index 0 is -1. The same scores give the same tree, also
    if several are best. Raises DecodingError if the scores are malformed or forbid every tree.
    """
    return _decode(_engine.maximum_spanning_tree, scores, single_root)


def maximum_projective_tree(scores: FloatArray, *, single_root: bool = True) -> IntArray:
    """Heads of the best projective tree (Eisner 1996), in O(n³); arguments and errors of `maximum_spanning_tree`."""
    return _decode(_engine.projective_tree, scores, single_root)


def _decode(best_tree: Callable[[Any, bool], Any], scores: FloatArray, single_root: bool) -> IntArray:
    is_square = isinstance(scores, np.ndarray) and scores.ndim == 2 and scores.shape[0] == scores.shape[1] > 1
    if not is_square or scores.dtype != np.float64:
        found = f"{scores.dtype} {scores.shape}" if isinstance(scores, np.ndarray) else type(scores).__name__
        raise DecodingError(
            f"scores of {best_tree.__name__}: expected float64 (n+1, n+1) for n >= 1 words; got {found}"
        )
    try:
        heads: IntArray = best_tree(np.ascontiguousarray(scores), single_root)
    except ValueError as error:
        raise DecodingError(f"scores of {best_tree.__name__}: {error}") from None
    return heads
