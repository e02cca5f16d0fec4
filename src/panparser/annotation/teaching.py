"""Background trainer: lets a parser learn, in a thread of its own, from the sentences that are done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from panparser.annotation.background import BackgroundWorker, describe_error
from panparser.annotation.completion import Completer, Completion
from panparser.annotation.document import Document
from panparser.annotation.drafts import SentenceDraft
from panparser.annotation.learning import CompleterTrainer, InitialPrediction
from panparser.treebank.treebank import Treebank

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
