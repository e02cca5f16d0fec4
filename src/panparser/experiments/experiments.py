"""Experiments: several seeds, folds, jackknifing, learning curves. All are deterministic, whatever the threads.

Each training runs in a thread of its own (the engine does not hold Python's lock), on its own copy of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from panparser.errors import SpecError
from panparser.learning.folds import fold_numbers, run_all
from panparser.learning.listeners import Listener
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.folds import copy_of, over_folds, whole
from panparser.parsing.training.run import score
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank

T = TypeVar("T")


@dataclass(frozen=True)
class FoldScore:
    """How a parser does on sentences that it did not learn from."""

    fold: int
    sentences: int  # scored
    words: int
    uas: float
    las: float | None


@dataclass(frozen=True)
class CurvePoint:
    """How good a parser is that learned from the first `sentences` of a treebank."""

    sentences: int
    words: int
    uas: float
    las: float | None


def train_seeds(
    spec: ParserSpec,
    treebank: Treebank,
    seeds: Iterable[int],
    *,
    dev: Treebank | None = None,
    threads: int = 1,
    **options: Any,
) -> list[Parser]:
    """A parser for each seed, in order; `options` are those of `Training`."""
    data, other = treebank.to_bytes(), None if dev is None else dev.to_bytes()

    def work(seed: int, stop: Listener) -> Parser:
        own = copy_of(data, treebank)
        scored = None if dev is None or other is None else copy_of(other, dev)
        return whole(train(spec, own, dev=scored, listeners=[stop], **(options | {"seed": seed})))

    return run_all(work, list(seeds), threads)


def cross_validate(
    spec: ParserSpec, treebank: Treebank, folds: int = 10, *, threads: int = 1, **options: Any
) -> list[FoldScore]:
    """Scores on each fold, of a parser trained on the others; `options` are those of `Training`."""

    def judge(parser: Parser, held_out: Treebank) -> tuple[float, float | None]:
        return score(parser, held_out)

    found = over_folds(judge, spec, treebank, folds, threads, options)
    lengths = np.diff(treebank.offsets)
    return [
        FoldScore(number, len(chosen), int(lengths[chosen].sum()), *scores)
        for number, (chosen, scores) in enumerate(zip(fold_numbers(len(treebank), folds), found, strict=True), start=1)
    ]


def learning_curve(
    spec: ParserSpec,
    treebank: Treebank,
    dev: Treebank,
    sizes: Sequence[int],
    *,
    threads: int = 1,
    **options: Any,
) -> list[CurvePoint]:
    """Scores on `dev` of parsers that learned from the first so many sentences; `dev` also selects the epoch."""
    other = dev.to_bytes()

    def work(size: int, stop: Listener) -> CurvePoint:
        part, own_dev = treebank[:size], copy_of(other, dev)
        parser = whole(train(spec, part, dev=own_dev, listeners=[stop], **options))
        return CurvePoint(size, part.words, *score(parser, own_dev))

    return run_all(work, _checked_sizes("learning_curve", sizes, treebank), threads)


def parse_sizes(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    *,
    dev: Treebank | None = None,
    threads: int = 1,
    **options: Any,
) -> list[Treebank]:
    """`test` as parsers parse it that learned from the first so many sentences; `dev` selects the epoch."""
    data, other = test.to_bytes(), None if dev is None else dev.to_bytes()

    def work(size: int, stop: Listener) -> Treebank:
        own_dev = None if dev is None or other is None else copy_of(other, dev)
        parser = whole(train(spec, treebank[:size], dev=own_dev, listeners=[stop], **options))
        return parser.parse(copy_of(data, test))

    return run_all(work, _checked_sizes("parse_sizes", sizes, treebank), threads)


def _checked_sizes(owner: str, sizes: Sequence[int], treebank: Treebank) -> list[int]:
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= len(treebank):
            raise SpecError(f"sizes of {owner} must be integers from 1 to {len(treebank)}; got {size!r}")
    return list(sizes)
