"""Session: a file that a person annotates, with a parser that completes and learns; safe for any number of threads."""

from __future__ import annotations

import getpass
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from panparser.annotation import history
from panparser.annotation.completion import Completer, Completion
from panparser.annotation.document import Document
from panparser.annotation.drafts import Draft
from panparser.annotation.journal import Journal
from panparser.annotation.lock import Lock
from panparser.annotation.operations import Operation, Relabel, operation, outcome
from panparser.annotation.validation import problems_of
from panparser.errors import AnnotationError, JournalError, StaleError
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.files import write_whole

View = dict[str, Any]  # a sentence as JSON: see `Session.view`
Event = dict[str, Any]  # {"event": name, ...}
_MAX_FOUND = 500  # sentences that a search lists


class Session:
    """A file that is being annotated.

    `file`: CoNLL-U; parts of trees are decisions. `model`: a Parser or a Pipeline to start with, if there is one.
    `user`: who annotates, for the journal. `address`: where the session is served, for those who try to open the file
    again. Every method may be called from any thread. Errors: AnnotationError (with its message for the person),
    StaleError (the sentence has changed: show `view` again), JournalError.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        model: Parser | Pipeline | None = None,
        user: str | None = None,
        address: str = "",
        seed: int = 1,
        active: bool = False,
        learn: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = Path(file)
        self._lock, self._clock = threading.RLock(), clock
        self._listeners: list[Callable[[Event], None]] = []
        self._read_only: str | None = None
        self._completions: dict[int, tuple[int, Completion]] = {}  # by sentence: version, and what was shown
        self._completer = Completer.of(model)
        self.notices: list[str] = []  # what should be said at the start
        self._file_lock = Lock(self.path)
        self._document = Document.open(self.path)
        self._file_lock.take(address)
        try:
            self._journal = Journal(self.path.with_name(f"{self.path.name}.journal"), user or _user())
            self._history = self._replayed()
        except BaseException:
            self._file_lock.release()
            raise

    def _replayed(self) -> history.History:
        """Opens the journal, and applies what the file lacks."""
        records = list(self._journal.records())
        found = history.replay(self._journal, self._document, records) if records else history.Replay(history.History())
        self._journal.begin(self._document.sha256, self._clock())
        if self._journal.dropped:
            self.notices.append(self._journal.dropped)
        if found.is_merged:
            self._journal.append(
                {"base": self._document.sha256, "parts": found.merged, "moved": [list(pair) for pair in found.moved]},
                self._clock(),
            )
            self.notices.append(f"{self.path}: was changed outside; what the journal has and it lacked was added")
            self.notices += found.conflicts
        return found.history

    # --- What there is ---

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self._document)

    def summary(self) -> dict[str, Any]:
        """The session as JSON: file, user, sentences, done, words, words_done, can_undo, can_redo, read_only, model,
        unsaved (gestures that are in the journal alone), notices."""
        with self._lock:
            document = self._document
            done = [document.is_done(index) for index in document]
            words = [document.words_of(index) for index in document]
            return {
                "file": self.path.name,
                "user": self._journal.user,
                "sentences": len(document),
                "done": sum(done),
                "words": sum(words),
                "words_done": sum(count for count, finished in zip(words, done, strict=True) if finished),
                "can_undo": bool(self._history.done),
                "can_redo": bool(self._history.undone),
                "read_only": self._read_only,
                "model": self._completer.number,
                "has_parser": self._completer.parser is not None,
                "notices": list(self.notices),
            }

    def view(self, index: int) -> View:
        """A sentence as JSON.

        {"index", "key", "version", "model", "done", "sent_id", "text", "comments", "note",
        "words": [{"id", "form", "lemma", "upos", "xpos", "feats", "misc", "head", "label", "confidence",
        "label_confidence", "forbidden", "decided": {"head", "label", "upos", "xpos", "feats", "lemma"}}],
        "multiword": [{"first", "last", "form", "misc"}], "empty": [{"id", "form"}], "spans": [[first, last]],
        "least_certain": word or null, "right_to": the last word up to which all are decided,
        "problems": [{"rule", "message", "word" or null, "level"}],
        "conflict": null or {"words", "message", "decisions"}, "alternatives": null, "can_undo", "can_redo",
        "read_only": null or why, "unreadable": null or why the sentence can only be looked at}.
        """
        with self._lock:
            try:
                draft = self._document.draft(index)
            except AnnotationError as error:
                self._document.check_index(index)
                return self._unreadable(index, str(error))
            return self._view(index, draft, self._completion(index))

    def _unreadable(self, index: int, why: str) -> View:
        text = self._document.text(index)
        empty: View = {name: [] for name in ("words", "multiword", "empty", "spans", "problems", "comments")}
        nothing = dict.fromkeys(("sent_id", "least_certain", "conflict", "alternatives"))
        around = {"index": index, "key": "", "version": 0, "model": 0, "done": False, "text": text, "note": ""}
        return {**around, **empty, **nothing, "right_to": 0, **self._common(), "unreadable": why}

    def _common(self) -> View:
        undo, redo = bool(self._history.done), bool(self._history.undone)
        return {"can_undo": undo, "can_redo": redo, "read_only": self._read_only, "unreadable": None}

    def _completion(self, index: int) -> Completion:
        version = self._document.places[index].version
        known = self._completions.get(index)
        if known is None or known[0] != version or known[1].model != self._completer.number:
            known = version, self._completer.complete(self._document.draft(index))
            self._completions[index] = known
        return known[1]

    def _view(self, index: int, draft: Draft, completion: Completion) -> View:
        undecided = [word.head is None or word.label is None for word in draft.words]
        return {
            "index": index,
            "key": draft.key,
            "version": self._document.places[index].version,
            "model": completion.model,
            "done": draft.done,
            "sent_id": draft.comment("sent_id"),
            "text": draft.comment("text") or "",
            "comments": list(draft.comments),
            "note": draft.comment("note") or "",
            "words": [_word_view(number, draft, completion) for number in range(1, len(draft.words) + 1)],
            "multiword": [
                {"first": each.first, "last": each.last, "form": each.cells[0], "misc": each.cells[8]}
                for each in draft.multiword
            ],
            "empty": [{"id": f"{each.first}.{each.last}", "form": each.cells[0]} for each in draft.empty],
            "spans": [list(span) for span in draft.spans],
            "least_certain": completion.least_certain(draft),
            "right_to": undecided.index(True) if True in undecided else len(draft.words),
            "problems": problems_of(draft, completion.words),
            "conflict": None if completion.conflict is None else completion.conflict.to_value(draft),
            "alternatives": None,
            **self._common(),
        }

    # --- Gestures ---

    def edit(self, index: int, version: int, gesture: dict[str, Any] | Operation) -> View:
        """Does a gesture (see `operations`), and returns the new view; it is in the journal before that.

        `version`: of the view that the person saw; raises StaleError if the sentence has another one. Gestures that
        confirm what is shown may have the view's `model`: StaleError if another model has completed it since.
        """
        chosen = gesture if isinstance(gesture, Operation) else operation(gesture)
        with self._lock:
            self._check_writable()
            draft = self._document.draft(index)
            if version != self._document.places[index].version:
                raise StaleError(f"sentence {index + 1} has changed since it was shown: look at it again")
            parts = self._parts(index, draft, chosen)
            if not parts:
                return self.view(index)
            self._note({"user": self._journal.user, "op": chosen.to_value(), "parts": parts})
        return self.view(index)

    def _parts(self, index: int, draft: Draft, gesture: Operation) -> list[history.Part]:
        if isinstance(gesture, Relabel):
            return self._relabeled(gesture)
        shown: Sequence[Any] = ()
        if gesture.op in ("confirm", "right", "done"):
            completion = self._completion(index)
            model = getattr(gesture, "model", None)
            if model is not None and model != completion.model:
                raise StaleError(f"sentence {index + 1} was completed by a newer model: look at it again")
            shown = completion.words
        following = self._document.draft(index + 1) if index + 1 < len(self._document) else None
        taken, drafts = outcome(gesture, draft, shown, following)
        if taken == len(drafts) == 1:
            part = history.part_of_cells(index, draft, drafts[0])
            return [part] if part else []
        old = [draft, following][:taken]
        values = [each.to_value() for each in old if each is not None]
        return [{"index": index, "old": values, "new": [each.to_value() for each in drafts]}]

    def _relabeled(self, gesture: Relabel) -> list[history.Part]:
        from panparser.annotation.operations import Label

        places: dict[int, Draft] = {}
        for sentence, word in gesture.places:
            draft = places.get(sentence) or self._document.draft(sentence)
            places[sentence] = Label(word, gesture.label).applied(draft, ())
        parts = (history.part_of_cells(at, self._document.draft(at), draft) for at, draft in places.items())
        return [part for part in parts if part]

    def _check_writable(self) -> None:
        if self._read_only is not None:
            raise AnnotationError(f"{self.path}: is read-only now: {self._read_only}")

    def _note(self, record: dict[str, Any]) -> None:
        """Writes a record to the journal, then applies it."""
        now = self._clock()
        try:
            number = self._journal.append(record, now)
        except JournalError as error:
            self._read_only = str(error)
            self._tell({"event": "read-only", "why": self._read_only})
            raise
        whole = {"n": number, "at": now, **record}
        self._history.take(whole)
        history.take(self._document, whole, self._journal.record)

    def undo(self) -> View | None:
        """Takes the last gesture back, in whatever sentence; the view of that one, or None if there is nothing left."""
        return self._again("undo")

    def redo(self) -> View | None:
        """Does again what was last undone."""
        return self._again("redo")

    def _again(self, kind: str) -> View | None:
        with self._lock:
            self._check_writable()
            numbers = self._history.done if kind == "undo" else self._history.undone
            if not numbers:
                return None
            parts = self._journal.record(numbers[-1])["parts"]
            self._note({kind: numbers[-1]})
            return self.view(min(parts[0]["index"], len(self) - 1))

    # --- Looking around ---

    def alternatives(self, index: int, count: int = 5) -> list[dict[str, Any]]:
        """Trees that keep what was decided, best first: [{"heads", "labels", "score"}]."""
        with self._lock:
            draft, completer = self._document.draft(index), self._completer
        return completer.alternatives(draft, count)

    def labels(self, index: int, word: int, head: int | None = None) -> list[dict[str, Any]]:
        """Labels for a word (with a head, if another than the one shown), best first: [{"label", "score"}]."""
        with self._lock:
            draft, completer = self._document.draft(index), self._completer
        if not 1 <= word <= len(draft.words):
            raise AnnotationError(f"the sentence has words 1..{len(draft.words)}; got {word}")
        return [{"label": name, "score": score} for name, score in completer.ranked_labels(draft, word, head)]

    def next_sentence(self, index: int) -> int | None:
        """The next sentence that is not done, in document order, from the start after the last; None: all are done."""
        with self._lock:
            order = [*range(index + 1, len(self)), *range(min(index + 1, len(self)))]
            return next((at for at in order if not self._document.is_done(at)), None)

    def search(self, text: str, limit: int = _MAX_FOUND) -> list[dict[str, Any]]:
        """Sentences with a text in them, whatever its case: [{"index", "sent_id", "text"}]; a number finds that sentence."""
        with self._lock:
            wanted, found = text.casefold(), []
            for index in self._document:
                if len(found) >= limit:
                    break
                if wanted in self._document.text(index).casefold():
                    found.append(self._listed(index))
            return found

    def _listed(self, index: int) -> dict[str, Any]:
        draft = self._document.draft(index)
        text = draft.comment("text") or " ".join(word.form for word in draft.words)
        return {"index": index, "sent_id": draft.comment("sent_id"), "text": text, "done": draft.done}

    # --- Events and files ---

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Calls a function with every event: {"event": "model" | "saved" | "merged" | "read-only" | "learning", ...}.

        It is called from other threads, and must return at once.
        """
        self._listeners.append(listener)

    def _tell(self, event: Event) -> None:
        for listener in list(self._listeners):
            listener(event)

    def set_address(self, address: str) -> None:
        """Says where the session is served, for those who open the file a second time."""
        self._file_lock.tell(address)

    def save(self) -> None:
        """Brings the file up to date. The journal stays."""
        with self._lock:
            data = self._document.to_bytes()
            write_whole(self.path, data, AnnotationError)

    def close(self) -> None:
        """Saves, and lets others open the file."""
        try:
            self.save()
        finally:
            self._journal.close()
            self._file_lock.release()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _word_view(number: int, draft: Draft, completion: Completion) -> View:
    word, shown = draft.words[number - 1], completion.words[number - 1]
    tags = ("upos", "xpos", "feats", "lemma")
    return {
        "id": number,
        **{name: getattr(shown, name) for name in ("form", "lemma", "upos", "xpos", "feats", "misc", "head", "label")},
        "decided": {
            "head": word.head is not None,
            "label": word.label is not None,
            **{name: getattr(word, name) != "_" for name in tags},
        },
        "confidence": completion.of_heads[number - 1],
        "label_confidence": completion.of_labels[number - 1],
        "forbidden": list(word.forbidden),
    }
