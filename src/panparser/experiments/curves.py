"""Learning curves: parsers trained on the first sentences of a treebank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from panparser._checks import check_range
from panparser.learning.folds import run_all
from panparser.learning.listeners import Listener
from panparser.learning.record import whole
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.options import ParserTrainingOptions
from panparser.parsing.training.run import score
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank


@dataclass(frozen=True)
class CurvePoint:
    """Scores of a parser trained on the first `sentences` of a treebank."""

    sentences: int
    words: int
    uas: float
    las: float | None


def learning_curve(
    spec: ParserSpec,
    treebank: Treebank,
    dev: Treebank,
    sizes: Sequence[int],
    *,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[CurvePoint]:
    """Scores on `dev` of parsers trained on the first sentences; `dev` also selects the epoch."""

    def work(size: int, stop: Listener) -> CurvePoint:
        part, own_dev = treebank[:size], dev.copy()
        parser = whole(train(spec, part, dev=own_dev, listeners=[stop], **options))
        return CurvePoint(size, part.words, *score(parser, own_dev))

    return run_all(work, _checked_sizes(sizes, treebank), threads)


def parse_sizes(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    *,
    dev: Treebank | None = None,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[Treebank]:
    """`test` as parsed by parsers trained on the first sentences; `dev` selects the epoch."""

    def work(size: int, stop: Listener) -> Treebank:
        own_dev = None if dev is None else dev.copy()
        parser = whole(train(spec, treebank[:size], dev=own_dev, listeners=[stop], **options))
        found = test.copy()
        parser.annotate(found)  # few sentences have few tags: no reason to warn, as `parse` does
        return found

    return run_all(work, _checked_sizes(sizes, treebank), threads)


def _checked_sizes(sizes: Sequence[int], treebank: Treebank) -> list[int]:
    for size in sizes:
        check_range(f"a size of a part of {treebank.path}", size, 1, len(treebank))
    return list(sizes)
