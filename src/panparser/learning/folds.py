"""Folds: each part of the data is processed by a model trained on the others, the same for any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from panparser.base.checks import check_count
from panparser.base.threads import capped_default_threads, resolve_threads
from panparser.errors import TreebankError
from panparser.learning.listeners import Listener
from panparser.learning.training_record import Model, whole
from panparser.treebank.treebank import Treebank

T = TypeVar("T")
HEAD = "head"  # among names of columns: the heads of a treebank


@dataclass(frozen=True)
class Fold:
    """Held-out sentences, and the rest, which a model is trained on, in order."""

    held_out: list[int]
    rest: list[int]


def make_folds(sentences: int, folds: int) -> list[Fold]:
    """The folds of this many sentences: sentence i is held out in fold i mod `folds`."""
    check_count("folds", folds, minimum=2)
    if folds > sentences:
        raise TreebankError(f"expected at least {folds} sentences for {folds} folds, found {sentences}")
    numbers = range(sentences)
    return [Fold(list(numbers[fold::folds]), [n for n in numbers if n % folds != fold]) for fold in range(folds)]


def over_folds(
    treebank: Treebank,
    folds: int,
    train: Callable[[Treebank, Fold, Listener], Model],
    use: Callable[[Model, Treebank, Fold], T],
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    kept: Callable[[int, Callable[[], Model]], Model] = lambda number, learn: learn(),
) -> list[T]:
    """What `use` makes of each fold with a model trained on the others.

    `train` gets the rest of the treebank and a listener to pass on, `use` the model and the held-out sentences. Ctrl-C
    raises KeyboardInterrupt: a model whose training was cut short is never used. `threads` and `listeners` as in
    `run_all`. `kept` may know the model of a fold, by its number, already.
    """

    def work(numbered: tuple[int, Fold], stop: Listener) -> T:
        number, fold = numbered
        model = kept(number, lambda: whole(train(treebank[fold.rest], fold, stop)))
        return use(model, treebank[fold.held_out], fold)

    return run_all(work, list(enumerate(make_folds(len(treebank), folds), start=1)), threads, listeners)


def jackknife(
    treebank: Treebank,
    folds: int,
    train: Callable[[Treebank, Fold, Listener], Model],
    annotate: Callable[[Model, Treebank], Sequence[str]],
    *,
    into: Treebank | None = None,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    kept: Callable[[int, Callable[[], Model]], Model] = lambda number, learn: learn(),
) -> Treebank:
    """The treebank with each sentence's columns predicted by a model that was not trained on it; the order is kept.

    `annotate` writes into the held-out sentences, and returns the columns (or "head") that go `into` a treebank of the
    same words; None: a copy. `kept` as in `over_folds`.
    """

    def annotated(model: Model, held_out: Treebank, fold: Fold) -> tuple[Fold, Treebank, Sequence[str]]:
        return fold, held_out, annotate(model, held_out)

    result = treebank.copy() if into is None else into
    for fold, held_out, columns in over_folds(treebank, folds, train, annotated, threads, listeners, kept):
        words = np.isin(result.sentence_of_word(), fold.held_out)
        for name in columns:
            if name == HEAD:
                result.heads[words] = held_out.heads
                continue
            ids = np.array([result.id_of(name, text) for text in held_out.vocabulary(name)], dtype=np.int32)
            result.column(name)[words] = ids[held_out.column(name)]
    return result


class StopOnInterrupt(Listener):
    """Ends training soon after an interrupt."""

    is_passive = True  # what it ends is not kept

    def __init__(self) -> None:
        self.event = threading.Event()

    def on_progress(self, epoch: int, words: int, updates: int) -> None:
        if self.event.is_set():
            raise KeyboardInterrupt


def run_all(
    work: Callable[[Any, Listener], T],
    items: Sequence[Any],
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
) -> list[T]:
    """The results of `work` for each item, in order; the first error ends it. `work` passes the listener on.

    `threads` (None: one for each core) are for all of them together. If nobody chose their number, one item follows the
    other where listeners of the user do more than watch, which may not expect to be called by several threads.
    """
    acts = any(not listener.is_passive for listener in listeners)
    count = resolve_threads("threads", threads)
    at_once = 1 if threads is None and acts else min(count, len(items))
    if at_once <= 1:
        with capped_default_threads(count):
            return [work(item, Listener()) for item in items]
    stop = StopOnInterrupt()

    def share(item: Any) -> T:
        with capped_default_threads(max(1, count // at_once)):
            return work(item, stop)

    with ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(share, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.event.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
