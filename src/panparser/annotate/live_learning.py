"""Training in the background on the sentences that are finished."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from panparser.annotate.completion import Completer, Completion
from panparser.annotate.decisions import may_be_tree
from panparser.annotate.document import Document
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.base.types import FloatArray
from panparser.errors import PanParserError
from panparser.parsing.confidence import Calibration, ConfidenceSignals, calibration_from_signals
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.tagging.tagger import Tagger, TaggerSpec, train_tagger
from panparser.training.training_parsers import train
from panparser.transfer.source_files import annotated_templates
from panparser.treebank.treebank import Treebank

BEAM, EPOCHS = 4, 5
MIN_CALIBRATION_WORDS, MIN_CALIBRATION_ERRORS = (
    200,
    20,
)  # to calibrate confidence on: words with known trees, wrong heads or labels
MAX_CALIBRATION_SENTENCES = 150  # sentences that confidence is calibrated on, the latest
MIN_TRAINING_SENTENCES = 2  # to learn anything from


@dataclass
class InitialPrediction:
    """The prediction for a sentence before any manual annotation, and which of its heads and labels were correct."""

    values: dict[str, FloatArray]
    heads: FloatArray  # bool
    labels: FloatArray  # bool

    @classmethod
    def from_completion(
        cls, evidence: ConfidenceSignals, completion: Completion, draft: SentenceDraft
    ) -> InitialPrediction | None:
        """Compare a completion with the finished sentence; return None if that is not annotated completely."""
        if len(completion.words) != len(draft.words) or any(w.head is None or w.label is None for w in draft.words):
            return None
        pairs = list(zip(completion.words, draft.words, strict=True))
        heads = np.array([found.head == gold.head for found, gold in pairs])
        labels = np.array([found.label == gold.label for found, gold in pairs])
        return cls(evidence.values, heads, labels)


def fit_calibration(predictions: Sequence[InitialPrediction], beam: int) -> Calibration | None:
    """Return a calibration on the latest predictions; None if they are too few, or nearly all correct or incorrect."""
    latest = list(predictions)[-MAX_CALIBRATION_SENTENCES:]
    if sum(len(each.heads) for each in latest) < MIN_CALIBRATION_WORDS:
        return None
    values = {name: np.concatenate([each.values[name] for each in latest]) for name in latest[0].values}
    right, same = (np.concatenate([getattr(each, name) for each in latest]) for name in ("heads", "labels"))
    counts = [np.count_nonzero(each) for each in (right, ~right, same[right], ~same[right])]
    if min(counts) < MIN_CALIBRATION_ERRORS:
        return None
    return calibration_from_signals(values, right, same, beam=beam)


@dataclass
class CompleterTrainer:
    """Trains completers on the finished sentences: each on all of them, starting from `start`, if it has a parser.

    `every`, `share`: number of new sentences, or share of all, from which it trains again. `tags`: whether it
    also trains taggers, if there are tags.
    """

    start: Completer = field(default_factory=Completer)
    seed: int = 1
    beam: int = BEAM
    epochs: int = EPOCHS
    every: int = 1
    share: float = 0.01
    tags: bool = False

    def should_retrain(self, new: int, sentences: int) -> bool:
        """Return whether enough finished sentences are new or changed to train again."""
        return sentences >= MIN_TRAINING_SENTENCES and new >= max(self.every, self.share * sentences)

    def train(self, treebank: Treebank, predictions: Sequence[InitialPrediction] = ()) -> Completer | None:
        """Return a completer trained on finished sentences; None if too few of them are trees."""
        treebank = _trees_of(treebank)
        if len(treebank) < MIN_TRAINING_SENTENCES:
            return None
        init = self.start.parser if self.start.parser is not None and not self.start.parser.voters else None
        options = {"epochs": self.epochs, "seed": self.seed, "threads": 1}
        try:
            parser = train(self._spec(treebank, init), treebank, init=init, **options)  # type: ignore[arg-type]
        except PanParserError:  # not a label, for example
            return None
        taggers = self._taggers(treebank) if self.tags else self.start.taggers
        calibration = fit_calibration(predictions, self.beam) or self.start.calibration
        return replace(self.start, parser=parser, taggers=taggers, calibration=calibration)

    def _spec(self, treebank: Treebank, init: Parser | None) -> ParserSpec:
        """Templates read what is annotated; those of the start come first."""
        own = annotated_templates(ParserSpec().templates, treebank)
        if init is None:
            return ParserSpec(beam=self.beam, templates=own)
        more = own if init.spec.system == ParserSpec().system else init.spec.templates
        return replace(init.spec, beam=self.beam, labels="full", templates=init.spec.templates + more)

    def _taggers(self, treebank: Treebank) -> tuple[Tagger, ...]:
        """Taggers of what is annotated in the treebank."""
        found: list[Tagger] = []
        for column in ("upos", "feats"):
            if (treebank.column(column) != treebank.id_of(column, "_")).any():
                found.append(train_tagger(TaggerSpec(columns=(column,)), treebank, seed=self.seed, threads=1))
        return tuple(found) or self.start.taggers


def _trees_of(treebank: Treebank) -> Treebank:
    """Without sentences whose heads, as far as they are known, are of no tree with one root."""
    heads, offsets = treebank.heads.tolist(), treebank.offsets.tolist()
    kept = [at for at in range(len(treebank)) if may_be_tree(heads[offsets[at] : offsets[at + 1]])]
    return treebank if len(kept) == len(treebank) else treebank[kept]


def treebank_of(drafts: Sequence[SentenceDraft]) -> Treebank:
    """Drafts as one treebank; what nobody decided is unknown."""
    plain = (replace(draft, comments=(), before="", after="\n\n", newline="\n", empty=()) for draft in drafts)
    return Treebank(b"".join(draft.to_bytes() for draft in plain))


_log = logging.getLogger("panparser.annotate")


def describe_error(error: Exception) -> str:
    """Return the message of an error; that of an unexpected one begins with its class."""
    if isinstance(error, PanParserError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class BackgroundWorker:
    """A thread that calls a function after `request`; what is asked for while it works is done once, afterwards.

    `idle`: seconds after `request` when it begins, counted anew with every call; 0: at once.
    `failed`: called with what the function raises; the thread goes on, whatever that is.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        idle: float = 0.0,
        name: str = "panparser",
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        self._work, self._idle, self._failed = work, idle, failed
        self._condition = threading.Condition()
        self._requested = self._processed = 0  # calls of `request`, and those that have been answered
        self._is_urgent = self._is_closed = False
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    def request(self, *, urgent: bool = True) -> None:
        """Request the work: immediately if urgent, otherwise once there was no request for `idle` seconds."""
        with self._condition:
            self._requested += 1
            self._is_urgent |= urgent
            self._condition.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Return True if all requests were processed before the timeout."""
        with self._condition:
            self._is_urgent = True
            self._condition.notify_all()
            return self._condition.wait_for(lambda: self._processed >= self._requested or self._is_closed, timeout)

    def close(self, *, wait: bool = True) -> None:
        """Ends when the work that is being done is; what was only asked for is not done."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._requested > self._processed or self._is_closed)
                while not (self._is_urgent or self._is_closed):
                    before = self._requested
                    if not self._condition.wait(self._idle) and before == self._requested:
                        break
                if self._is_closed:
                    return
                requested, self._is_urgent = self._requested, False
            self._do()
            with self._condition:
                self._processed = requested
                self._condition.notify_all()

    def _do(self) -> None:
        try:
            self._work()
        except Exception as error:
            if not isinstance(error, PanParserError):
                _log.exception("%s", threading.current_thread().name)
            if self._failed is not None:
                with suppress(Exception):  # that it cannot be told is no reason to end
                    self._failed(error)


MAX_TRAINING_SENTENCES = 2000  # the latest


class BackgroundTrainer:
    """The model of a session: `completer` is the newest, and replaced as a whole.

    `lock`: held while the document is read. `publish` is called with events.
    """

    def __init__(
        self,
        start: Completer,
        seed: int,
        document: Callable[[], Document],
        lock: Any,
        publish: Callable[[dict[str, Any]], None],
    ) -> None:
        self.completer = start
        self._trainer = CompleterTrainer(start, seed=seed, tags=not start.taggers)
        self._document, self._lock, self._publish = document, lock, publish
        self._first_completions: dict[
            str, Completion
        ] = {}  # what was shown of sentences before anybody decided anything
        self._predictions: list[InitialPrediction] = []
        self._changed_count = 0  # changes of finished sentences since the last training
        self._background = BackgroundWorker(self._learn, name="panparser-learn", failed=self._fail)

    def add_completion(self, key: str, completion: Completion) -> None:
        """Keep the completion of a sentence, if nothing in it was annotated yet."""
        if completion.evidence is not None:
            self._first_completions[key] = completion

    def add_finished(self, draft: SentenceDraft) -> None:
        """Compare a finished sentence with its first completion."""
        first = self._first_completions.pop(draft.key, None)
        if first is not None and first.evidence is not None:
            prediction = InitialPrediction.from_completion(first.evidence, first, draft)
            self._predictions += [prediction] if prediction else []

    def request(self) -> None:
        """Request training after a change of the finished sentences."""
        self._changed_count += 1
        self._background.request()

    def _learn(self) -> None:
        with self._lock:
            document = self._document()
            done = [index for index in document if document.is_done(index)]
            done = sorted(sorted(done, key=lambda at: document.entries[at].version)[-MAX_TRAINING_SENTENCES:])
            if not self._trainer.should_retrain(self._changed_count, len(done)):
                return
            data, predictions, self._changed_count = document.joined(done), list(self._predictions), 0
        self._publish({"event": "learning", "sentences": len(done)})
        made = self._trainer.train(Treebank(data), predictions)
        if made is None:
            self._publish({"event": "learning", "sentences": 0})
            return
        with self._lock:
            self.completer = replace(made, number=self.completer.number + 1)
        self._publish({"event": "model", "model": self.completer.number, "sentences": len(done)})

    def _fail(self, error: Exception) -> None:
        """The model stays as it is."""
        self._publish({"event": "learning", "sentences": 0})
        self._publish({"event": "notice", "message": f"the parser could not learn: {describe_error(error)}"})

    def wait(self, timeout: float | None = None) -> bool:
        """Until it has learned what there is."""
        return self._background.wait(timeout)

    def close(self) -> None:
        self._background.close(wait=False)  # its model would be discarded
