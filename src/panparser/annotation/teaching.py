"""Teacher: lets a parser learn, in a thread of its own, from the sentences that are done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from panparser.annotation.background import Background, described
from panparser.annotation.completion import Completer, Completion
from panparser.annotation.document import Document
from panparser.annotation.drafts import Draft
from panparser.annotation.learning import Learner, Seen
from panparser.treebank.treebank import Treebank

_MAX_LESSONS = 2000  # sentences that are learned from, the latest


class Teacher:
    """The model of a session: `completer` is the newest, and replaced as a whole.

    `lock`: held while the document is read. `tell` is called with events.
    """

    def __init__(
        self,
        start: Completer,
        seed: int,
        document: Callable[[], Document],
        lock: Any,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self.completer = start
        self._learner = Learner(start, seed=seed, tags=not start.taggers)
        self._document, self._lock, self._tell = document, lock, tell
        self._first: dict[str, Completion] = {}  # what was shown of sentences before anybody decided anything
        self._seen: list[Seen] = []
        self._lessons = 0  # sentences that are new, or changed, since the parser learned
        self._background = Background(self._learn, name="panparser-learn", failed=self._fail)

    def show(self, key: str, completion: Completion) -> None:
        """A sentence is shown so."""
        if completion.evidence is not None:
            self._first[key] = completion

    def finish(self, draft: Draft) -> None:
        """A sentence is done: how good was what was shown at first?"""
        first = self._first.pop(draft.key, None)
        if first is not None and first.evidence is not None:
            seen = Seen.of(first.evidence, first, draft)
            self._seen += [seen] if seen else []

    def ask(self) -> None:
        """There is something new to learn."""
        self._lessons += 1
        self._background.ask()

    def _learn(self) -> None:
        with self._lock:
            document = self._document()
            done = [index for index in document if document.is_done(index)]
            done = sorted(sorted(done, key=lambda at: document.places[at].version)[-_MAX_LESSONS:])
            if not self._learner.pays(self._lessons, len(done)):
                return
            data, seen, self._lessons = document.joined(done), list(self._seen), 0
        self._tell({"event": "learning", "sentences": len(done)})
        made = self._learner.learn(Treebank(data), seen)
        if made is None:
            self._tell({"event": "learning", "sentences": 0})
            return
        with self._lock:
            self.completer = replace(made, number=self.completer.number + 1)
        self._tell({"event": "model", "model": self.completer.number, "sentences": len(done)})

    def _fail(self, error: Exception) -> None:
        """The model stays as it is."""
        self._tell({"event": "learning", "sentences": 0})
        self._tell({"event": "notice", "message": f"the parser could not learn: {described(error)}"})

    def wait(self, timeout: float | None = None) -> bool:
        """Until it has learned what there is."""
        return self._background.wait(timeout)

    def close(self) -> None:
        self._background.close(wait=False)  # nobody waits for a model that nobody will use
