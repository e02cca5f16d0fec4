"""Training of the engine's perceptrons: members, chunks, listeners, progress; one loop for tables and sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from panparser import _engine
from panparser.base.types import LongArray
from panparser.errors import SpecError
from panparser.learning.epochs import EpochLoop
from panparser.learning.listeners import SKIP, Replacement, Update
from panparser.learning.strategies import TrainingStrategy
from panparser.learning.training import TrainingConfig

CHUNK_SENTENCES = 64  # sentences, or sequences, between two checks for progress and Ctrl-C
UPDATE_UNITS = 256  # units of an update where fractions of one are needed

Callback = Callable[[_engine.Update, bool], None]  # an update, and whether it was applied


class NativeLearner(Protocol):
    """A perceptron of the engine."""

    @property
    def progress(self) -> _engine.Progress:
        """Sentences, words, updates, ... so far."""


Learner = TypeVar("Learner", bound=NativeLearner)


def update_units(training: TrainingConfig) -> int:
    """Units of an update: more than one if a strategy has a focus, which makes fractional updates."""
    return 1 if isinstance(training.strategy, TrainingStrategy) and training.strategy.focus == 1 else UPDATE_UNITS


@dataclass
class PerceptronEnsemble(Generic[Learner]):
    """Perceptrons that learn from the same data in different orders; the model is their mean.

    `train` trains a learner on the sentences with these numbers, by the engine's strategy, with a callback for updates
    and a number of threads; `train_on_replacement` trains it on what a listener put in the place of a sentence.
    `name_of` returns the name of a step or class, for listeners.
    """

    run: EpochLoop[Any, Any]
    learners: Sequence[Learner]
    name_of: Callable[[int], str]
    train: Callable[[Learner, LongArray, _engine.Strategy, Callback | None, int], None]
    train_on_replacement: Callable[[Learner, int, Replacement, _engine.Strategy, Callback | None], None]

    def __post_init__(self) -> None:
        if self.run.training.batch_size == 1:
            return
        if self._has_fine_listeners():
            raise SpecError("train: batch must be 1 if listeners follow sentences or updates")
        if not isinstance(self.run.training.strategy, TrainingStrategy):
            raise SpecError("train: batch must be 1 if the strategy is a function of the sentence")

    def train_epoch(self, epoch: int, order: Callable[[np.random.Generator], LongArray]) -> None:
        """Train all members on the data once, each in its own order."""
        members = range(len(self.learners))
        orders = [order(np.random.default_rng([self.run.training.seed, epoch, member])) for member in members]
        if self.threads > 1:
            self._train_members_in_threads(epoch, orders)
            return
        for learner, its_order in zip(self.learners, orders, strict=True):
            self._train_member(epoch, learner, its_order)

    @property
    def threads(self) -> int:
        """Number of members that are trained in parallel: 1 if a listener could notice the others, or acts."""
        run = self.run
        acts = run.has_listener("on_progress", acting=True) or not isinstance(run.training.strategy, TrainingStrategy)
        return 1 if acts or self._has_fine_listeners() else min(run.threads, len(self.learners))

    def _has_fine_listeners(self) -> bool:
        """Return whether a listener handles sentence or update events."""
        return self.run.has_listener("before_sentence", "after_sentence", "before_update", "after_update")

    def _chunk(self) -> int:
        """Return the sentences between two checks for progress and Ctrl-C: whole batches."""
        batch = self.run.training.batch_size
        return -(-CHUNK_SENTENCES // batch) * batch

    def progress(self) -> tuple[int, int]:
        """Return the numbers of words and updates so far, of all members."""
        done = [learner.progress for learner in self.learners]
        return sum(progress.words for progress in done), sum(progress.updates for progress in done)

    def _train_member(self, epoch: int, learner: Learner, order: LongArray) -> None:
        run, training = self.run, self.run.training
        has_update_listener = run.has_listener("before_update", "after_update")
        one_by_one = self._has_fine_listeners()
        chunk = 1 if one_by_one or not isinstance(training.strategy, TrainingStrategy) else self._chunk()
        reported = 0
        for start in range(0, len(order), chunk):
            part = order[start : start + chunk]
            sentence = int(part[0])
            decision = run.sentence_decision(epoch, sentence) if one_by_one else None
            if decision is SKIP:
                continue
            strategy = training.strategy_for(epoch, sentence)
            callback = self._callback(epoch, sentence) if has_update_listener else None
            if isinstance(decision, Replacement):
                self.train_on_replacement(learner, sentence, decision, strategy.lowered(epoch), callback)
            else:
                self.train(learner, part, strategy.lowered(epoch), callback, run.available_threads())
            if one_by_one:
                run.notify("after_sentence", epoch, sentence)
            if start + chunk - reported >= CHUNK_SENTENCES:
                reported = start + chunk
                run.notify("on_progress", epoch, *self.progress())

    def _train_members_in_threads(self, epoch: int, orders: Sequence[LongArray]) -> None:
        """Train all members in threads. Listeners are notified in the calling thread, which Ctrl-C interrupts."""
        strategy = self.run.training.strategy_for(epoch, 0).lowered(epoch)
        chunk, at_once = self._chunk(), self.threads
        stop = Event()
        reports: SimpleQueue[Future[None] | tuple[int, _engine.Progress]] = SimpleQueue()

        def train(member: int) -> None:
            learner, order = self.learners[member], orders[member]
            for start in range(0, len(order), chunk):
                if stop.is_set():
                    return
                own_threads = max(1, self.run.available_threads() // at_once)
                self.train(learner, order[start : start + chunk], strategy, None, own_threads)
                reports.put((member, learner.progress))

        progress = [learner.progress for learner in self.learners]
        with ThreadPoolExecutor(at_once) as pool:
            try:
                for member in range(len(orders)):
                    pool.submit(train, member).add_done_callback(reports.put)
                for _ in orders:
                    while not isinstance(report := reports.get(), Future):
                        progress[report[0]] = report[1]
                        sums = sum(each.words for each in progress), sum(each.updates for each in progress)
                        self.run.notify("on_progress", epoch, *sums)
                    report.result()
            except BaseException:
                stop.set()
                raise

    def _callback(self, epoch: int, sentence: int) -> Callback:
        def report(event: _engine.Update, applied: bool) -> None:
            update = Update.from_engine(event, epoch, sentence, self.name_of)
            self.run.notify("after_update" if applied else "before_update", update)

        return report
