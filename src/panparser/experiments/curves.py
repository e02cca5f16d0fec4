"""Learning curves: parsers trained on parts of a treebank, its first sentences or random samples."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

from panparser._checks import MAX_SEEDS, check_count, check_range
from panparser.learning.folds import run_all
from panparser.learning.listeners import Listener
from panparser.learning.options import TrainingConfig
from panparser.learning.record import whole
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.options import ParserTrainingOptions
from panparser.parsing.training.run import score
from panparser.parsing.training.train import train
from panparser.treebank.sampling import sample_sentences
from panparser.treebank.treebank import Treebank


@dataclass(frozen=True)
class LearningCurvePoint:
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
) -> list[LearningCurvePoint]:
    """Scores on `dev` of parsers trained on the first sentences; `dev` also selects the epoch."""

    def work(size: int, stop: Listener) -> LearningCurvePoint:
        part, own_dev = treebank[:size], dev.copy()
        parser = whole(train(spec, part, dev=own_dev, listeners=[stop], **options))
        return LearningCurvePoint(size, part.words, *score(parser, own_dev))

    return run_all(work, _checked_sizes(sizes, treebank), threads)


def parse_sizes(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    *,
    samples: int | None = None,
    dev: Treebank | None = None,
    threads: int | None = None,
    report: Callable[[int, int], None] | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[list[Treebank]]:
    """For each size, `test` as parsed by parsers trained on so many sentences; `dev` selects the epoch.

    They are the first ones, or with `samples` so many samples, those of `sample` with the seed of training and the next
    ones, each of which contains the smaller ones of its seed. The whole treebank is learned from once. `report` is
    called with the numbers of parsers done and in all.
    """
    if samples is not None:
        check_count("samples of learning curves", samples, most=MAX_SEEDS)
    first = options.get("seed", TrainingConfig().seed)
    seeds = [None] if samples is None else [first + number for number in range(samples)]
    wanted = _checked_sizes(sizes, treebank)
    parts = [(size, seed) for size in wanted for seed in (seeds if size < len(treebank) else seeds[:1])]
    done, lock = 0, threading.Lock()

    def work(part: tuple[int, int | None], stop: Listener) -> Treebank:
        nonlocal done
        size, seed = part
        own_dev = None if dev is None else dev.copy()
        learned = treebank[:size] if seed is None else sample_sentences(treebank, size, seed=seed)
        parser = whole(train(spec, learned, dev=own_dev, listeners=[stop], **options))
        found = test.copy()
        parser.annotate(found)  # few sentences have few tags: no reason to warn, as `parse` does
        with lock:
            done += 1
            if report is not None:
                report(done, len(parts))
        return found

    found = dict(zip(parts, run_all(work, parts, threads), strict=True))
    return [[found[size, seed if size < len(treebank) else seeds[0]] for seed in seeds] for size in wanted]


def _checked_sizes(sizes: Sequence[int], treebank: Treebank) -> list[int]:
    for size in sizes:
        check_range(f"a size of a part of {treebank.path}", size, 1, len(treebank))
    return list(sizes)
