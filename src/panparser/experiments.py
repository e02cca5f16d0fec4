"""Experiments: several seeds, folds, jackknifing, learning curves. All are deterministic, whatever the threads.

Each training runs in a thread of its own (the engine does not hold Python's lock), on its own copy of the data.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from panparser._epochs import score
from panparser.errors import SpecError, TreebankError
from panparser.listeners import Listener
from panparser.parser import Parser
from panparser.spec import ParserSpec
from panparser.training import train
from panparser.treebank import Treebank

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
        own = _copy(data, treebank)
        scored = None if dev is None or other is None else _copy(other, dev)
        return _whole(train(spec, own, dev=scored, listeners=[stop], **(options | {"seed": seed})))

    return _all(work, list(seeds), threads)


def fold_numbers(sentences: int, folds: int) -> list[list[int]]:
    """The sentences of each fold: sentence i is in fold i mod `folds`."""
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        raise SpecError(f"folds must be an integer >= 2; got {folds!r}")
    if folds > sentences:
        raise TreebankError(f"expected at least {folds} sentences for {folds} folds, found {sentences}")
    return [list(range(fold, sentences, folds)) for fold in range(folds)]


def cross_validate(
    spec: ParserSpec, treebank: Treebank, folds: int = 10, *, threads: int = 1, **options: Any
) -> list[FoldScore]:
    """Scores on each fold, of a parser trained on the others; `options` are those of `Training`."""

    def judge(parser: Parser, held_out: Treebank) -> tuple[float, float | None]:
        return score(parser, held_out)

    found = _over_folds(judge, spec, treebank, folds, threads, options)
    lengths = np.diff(treebank.offsets)
    return [
        FoldScore(number, len(chosen), int(lengths[chosen].sum()), *scores)
        for number, (chosen, scores) in enumerate(zip(fold_numbers(len(treebank), folds), found, strict=True), start=1)
    ]


def jackknife(spec: ParserSpec, treebank: Treebank, folds: int = 10, *, threads: int = 1, **options: Any) -> Treebank:
    """The treebank, each sentence with the tree of a parser that did not learn from it; the order is kept."""

    def parse(parser: Parser, held_out: Treebank) -> tuple[Any, list[str]]:
        parsed = parser.parse(held_out)
        names = parsed.vocabulary("deprel")
        return np.array(parsed.heads), [names[label] for label in parsed.labels]

    found = _over_folds(parse, spec, treebank, folds, threads, options)
    predicted = _copy(treebank.to_bytes(), treebank)
    for chosen, (heads, labels) in zip(fold_numbers(len(treebank), folds), found, strict=True):
        ids = {name: predicted.id_of("deprel", name) for name in sorted(set(labels))}
        words = np.isin(predicted.sentence_of_word(), chosen)
        predicted.heads[words] = heads
        predicted.column("deprel")[words] = [ids[name] for name in labels]
    return predicted


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
        part, own_dev = treebank[:size], _copy(other, dev)
        parser = _whole(train(spec, part, dev=own_dev, listeners=[stop], **options))
        return CurvePoint(size, part.words, *score(parser, own_dev))

    return _all(work, _checked_sizes("learning_curve", sizes, treebank), threads)


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
        own_dev = None if dev is None or other is None else _copy(other, dev)
        parser = _whole(train(spec, treebank[:size], dev=own_dev, listeners=[stop], **options))
        return parser.parse(_copy(data, test))

    return _all(work, _checked_sizes("parse_sizes", sizes, treebank), threads)


def _checked_sizes(owner: str, sizes: Sequence[int], treebank: Treebank) -> list[int]:
    for size in sizes:
        if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= len(treebank):
            raise SpecError(f"sizes of {owner} must be integers from 1 to {len(treebank)}; got {size!r}")
    return list(sizes)


def _over_folds(
    use: Callable[[Parser, Treebank], T],
    spec: ParserSpec,
    treebank: Treebank,
    folds: int,
    threads: int,
    options: dict[str, Any],
) -> list[T]:
    numbers = fold_numbers(len(treebank), folds)

    def work(held_out: list[int], stop: Listener) -> T:
        left = sorted(set(range(len(treebank))) - set(held_out))
        return use(_whole(train(spec, treebank[left], listeners=[stop], **options)), treebank[held_out])

    return _all(work, numbers, threads)


class _Stop(Listener):
    """Ends training soon after the whole was interrupted."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def after_words(self, epoch: int, words: int, updates: int) -> None:
        if self.event.is_set():
            raise KeyboardInterrupt


def _whole(parser: Parser) -> Parser:
    """A parser whose training Ctrl-C did not cut short: an experiment with such ones would tell nothing."""
    if parser.training["interrupted"]:
        raise KeyboardInterrupt
    return parser


def _all(work: Callable[[Any, Listener], T], items: list[Any], threads: int) -> list[T]:
    """The work on each item, in order; the first error ends it."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise SpecError(f"threads must be an integer >= 1; got {threads!r}")
    if threads == 1:
        return [work(item, Listener()) for item in items]
    stop = _Stop()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, item, stop) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.event.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _copy(data: bytes, treebank: Treebank) -> Treebank:
    return Treebank(data, path=treebank.path, format=treebank.format)
