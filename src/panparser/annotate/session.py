"""Annotation session: a file that a person annotates, with a parser that completes and learns; thread-safe."""

from __future__ import annotations

import getpass
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from panparser.annotate import journal as history
from panparser.annotate.completion import Completer, Completion
from panparser.annotate.document import Document
from panparser.annotate.edits import Edit, Relabel, apply_edit, parse_edit
from panparser.annotate.effort import Progress
from panparser.annotate.live_learning import BackgroundTrainer, BackgroundWorker, describe_error
from panparser.annotate.next_sentence import ActiveSelection, Labels, relabeled
from panparser.annotate.saving import AnnotationStore
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.annotate.views import View, listed, relocate_sentence, unreadable_view, view_of
from panparser.errors import AnnotationError, JournalError, StaleEditError
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.treebank.treebank import Treebank

Event = dict[str, Any]  # {"event": name, ...}
AUTOSAVE_IDLE_SECONDS = 20.0  # seconds without an edit after which the file is saved
MAX_SEARCH_RESULTS, MAX_CANDIDATES = 500, 100  # sentences: that are listed; of which one is chosen
_CONFIRMING = ("confirm", "right", "done")  # edits about what is shown


class AnnotationSession:
    """A file that is being annotated.

    `file`: CoNLL-U; the parts of trees that it has are decisions. `model`: a Parser or a Pipeline to start with, if
    there is one. `user`: who annotates, for the journal. `address`: where the session is served, for those who open the
    file a second time. `active`: how to choose the next sentence; None: document order. `learn`: whether the parser
    does. Every method may be called from any thread.

    Errors: StaleEditError (the sentence has changed: look at `view` again); AnnotationError, of which it is one, and
    JournalError, whose messages are for the person.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        model: Parser | Pipeline | None = None,
        annotator: str | None = None,
        address: str = "",
        seed: int = 1,
        active_learning: ActiveSelection | bool | None = None,
        train: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = Path(file)
        self._lock = threading.RLock()
        self._listeners: list[Callable[[Event], None]] = []
        self._store = AnnotationStore(self.path, annotator or _user(), address, clock)
        self._completions: dict[
            int, tuple[SentenceDraft, Completion]
        ] = {}  # by sentence: what it is, and how it is shown
        self._labels: tuple[int, Labels] | None = None  # with the layout version
        self._selection = ActiveSelection() if active_learning is True else active_learning or None
        self._progress = Progress()
        self._trains = train
        self._saver = BackgroundWorker(
            self._save_quietly, idle=AUTOSAVE_IDLE_SECONDS, name="panparser-save", failed=self._fail_to_save
        )
        self._trainer = BackgroundTrainer(
            Completer.from_model(model), seed, lambda: self._document, self._lock, self._publish
        )
        for record in self._store.take_replayed():
            self._progress.take(record)
            self._count_done(record)
        if train and any(self._document.is_done(index) for index in self._document):
            self._trainer.request()

    @property
    def _document(self) -> Document:
        return self._store.document

    # --- What there is ---

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self._document)

    def summary(self) -> dict[str, Any]:
        """The session as JSON.

        {"file", "user", "sentences", "done", "words", "words_done", "can_undo", "can_redo", "read_only": null or why,
        "model": its number, "has_parser", "notices": [what happened at the start],
        "progress": {"corrections", "seconds", "per_100_words", "series", "words_per_hour", "hours_left"}}.
        """
        with self._lock:
            totals = self._document.totals()
            return {
                "file": self.path.name,
                "user": self._store.journal.user,
                **totals,
                **self._common(),
                "model": self._trainer.completer.number,
                "has_parser": self._trainer.completer.parser is not None,
                "notices": list(self._store.notices),
                "progress": self._progress.to_value(totals["words"] - totals["words_done"]),
            }

    def _common(self) -> View:
        known = self._store.history
        can = {"can_undo": bool(known.done), "can_redo": bool(known.undone)}
        return {"layout_version": self._store.layout_version, **can, "read_only": self._store.read_only}

    def view(self, index: int, key: str | None = None, layout_version: int | None = None) -> View:
        """A sentence as JSON; with the `key` and `layout_version` of an earlier view, where that sentence is now.

        {"index", "key", "layout_version", "version", "model", "done", "sent_id", "text", "comments", "note",
        "words": [{"id", "form", "lemma", "upos", "xpos", "feats", "misc", "head", "label", "confidence",
        "label_confidence", "forbidden", "decided": {"head", "label", "upos", "xpos", "feats", "lemma"}}],
        "multiword": [{"first", "last", "form", "misc"}], "empty": [{"id", "form", "deps"}],
        "spans": [[first, last]], "least_certain": word or null, "right_to": the last word up to which all are decided,
        "problems": [{"rule", "message", "word": number or null, "level", "warning"}],
        "conflict": null or {"words", "message", "decisions": [texts]}, "alternatives": null, "can_undo", "can_redo",
        "read_only": null or why, "unreadable": null or why the sentence can only be looked at}.
        """
        with self._lock:
            if key is not None and layout_version != self._store.layout_version:
                index = relocate_sentence(self._document, index, key)
            self._document.check_index(index)
            try:
                self._document.draft(index)
            except AnnotationError as error:
                return unreadable_view(self._document, index, str(error)) | self._common()
            return view_of(self._document, index, self._completion(index)) | self._common()

    def _completion(self, index: int) -> Completion:
        """What is shown of a sentence, by the newest model."""
        draft = self._document.draft(index)
        known = self._completions.get(index)
        if known is None or known[0] is not draft or known[1].model != self._trainer.completer.number:
            if len(self._completions) > MAX_SEARCH_RESULTS:
                self._completions.clear()
            known = self._completions[index] = draft, self._trainer.completer.complete(draft)
            self._trainer.add_completion(draft.key, known[1])
        return known[1]

    # --- Edits ---

    def edit(self, index: int, version: int, edit: dict[str, Any] | Edit, *, layout_version: int | None = None) -> View:
        """Does an edit (a value of `operations.EDIT_TYPES`, or its JSON); returns the view afterwards.

        It is in the journal before that. `version`, `layout_version`: of the view that the person saw;
        raises StaleEditError if the sentence has another version, or may be at another position. Edits that confirm
        what is shown (confirm, right, done) may have the view's `model`: StaleEditError if a newer model has completed
        the sentence.
        """
        chosen = edit if isinstance(edit, Edit) else parse_edit(edit)
        with self._lock:
            self._store.check_writable()
            if layout_version not in (None, self._store.layout_version):
                raise StaleEditError(f"sentence {index + 1} may be another one now: look at it again")
            draft = self._document.draft(index)
            if version != self._document.entries[index].version:
                raise StaleEditError(f"sentence {index + 1} has changed since it was shown: look at it again")
            if parts := self._parts(index, draft, chosen):
                self._note({"user": self._store.journal.user, "edit": chosen.to_value(), "parts": parts})
            return self.view(index)

    def _parts(self, index: int, draft: SentenceDraft, edit: Edit) -> list[history.Part]:
        """What an edit changes."""
        if isinstance(edit, Relabel):
            return relabeled(self._document, edit)
        shown: Sequence[Any] = ()
        if edit.name in _CONFIRMING:
            completion = self._completion(index)
            if getattr(edit, "model", None) not in (None, completion.model):
                raise StaleEditError(f"sentence {index + 1} was completed by a newer model: look at it again")
            shown = completion.words
        following = self._document.draft(index + 1) if edit.name == "join_sentence" and index + 1 < len(self) else None
        taken, drafts = apply_edit(edit, draft, shown, following)
        if taken == len(drafts) == 1:
            part = history.part_of_cells(index, draft, drafts[0])
            return [part] if part else []
        old = [each.to_value() for each in (draft, following)[:taken] if each is not None]
        return [{"index": index, "old": old, "new": [each.to_value() for each in drafts]}]

    def _note(self, record: dict[str, Any]) -> list[int]:
        """Writes a record, applies it, and follows what it changes; the sentences that it changed."""
        before = self._store.read_only
        try:
            changed = self._store.note(record) if "edit" in record else self._store.move_in_history(next(iter(record)))
        except JournalError:
            if self._store.read_only != before:
                self._publish({"event": "read-only", "why": self._store.read_only})
            raise
        whole = self._store.journal.record(self._store.journal.last)
        self._progress.take(whole)
        self._count_done(whole)
        self._follow_labels(changed)
        self._schedule_training(changed, whole)
        return changed

    def _follow_labels(self, changed: list[int]) -> None:
        if self._labels is None or self._labels[0] != self._store.layout_version:
            self._labels = None
            return
        for index in changed:
            draft = self._document.draft(index)
            self._labels[1].put(index, draft if draft.done else None)

    def _count_done(self, record: dict[str, Any]) -> None:
        if record.get("edit", {}).get("edit") == "done" and record["edit"].get("done", True):
            index = record["parts"][0]["index"]
            if index < len(self._document):
                self._progress.done(self._document.words_of(index))

    def _schedule_training(self, changed: list[int], record: dict[str, Any]) -> None:
        """After an edit: lets the parser learn, and the file be saved, if sentences are done."""
        done = [index for index in changed if index < len(self) and self._document.is_done(index)]
        is_finished = bool(done) and "edit" in record and record["edit"]["edit"] == "done"
        for index in done if is_finished else ():
            self._trainer.add_finished(self._document.draft(index))
            if self._selection is not None:
                self._selection.add_finished(self._document.draft(index).words)
        if done and self._trains:
            self._trainer.request()
        self._saver.request(urgent=is_finished)

    def undo(self) -> View | None:
        """Takes the last edit back, in whatever sentence; its view, or None if there is nothing to take back."""
        return self._move_in_history("undo")

    def redo(self) -> View | None:
        """Does again what was last taken back."""
        return self._move_in_history("redo")

    def _move_in_history(self, kind: str) -> View | None:
        with self._lock:
            changed = self._note({kind: 0}) if self._common()[f"can_{kind}"] else []
            return self.view(min(changed[0], len(self) - 1)) if changed else None

    # --- Looking around ---

    def alternatives(self, index: int, count: int = 5) -> list[dict[str, Any]]:
        """Trees that keep what was decided, best first: [{"heads", "labels", "score"}]; the score of the best is 0."""
        with self._lock:
            draft, completer = self._document.draft(index), self._trainer.completer
        return completer.alternatives(draft, max(1, min(count, 64)))

    def labels(self, index: int, word: int, head: int | None = None) -> list[dict[str, Any]]:
        """Labels for a word (with this head, if it is given), best first: [{"label", "score"}]."""
        with self._lock:
            draft, completer = self._document.draft(index), self._trainer.completer
        words = len(draft.words)
        if not 1 <= word <= words or (head is not None and (not 0 <= head <= words or head == word)):
            raise AnnotationError(
                f"the sentence has words 1..{words}; got {word}" + ("" if head is None else f", {head}")
            )
        return [{"label": name, "score": score} for name, score in completer.ranked_labels(draft, word, head)]

    def next_sentence(self, index: int) -> int | None:
        """The sentence to annotate next, None if all are done: in document order, or the one that teaches most."""
        with self._lock:
            order = (*range(index + 1, len(self)), *range(min(index + 1, len(self))))
            waiting = (at for at in order if not self._document.is_done(at) and self._is_readable(at))
            if self._selection is None or self._trainer.completer.parser is None:
                return next(waiting, None)
            candidates = [at for at in waiting if self._selection.is_allowed(self._document.words_of(at))]
            step = max(1, len(candidates) // MAX_CANDIDATES)
            values: dict[int, float] = {
                at: self._selection.score(self._document.draft(at), self._completion(at)) for at in candidates[::step]
            }
            if not values:
                return next((at for at in order if not self._document.is_done(at) and self._is_readable(at)), None)
            return max(values, key=lambda at: (values[at], -at))

    def _is_readable(self, index: int) -> bool:
        try:
            self._document.draft(index)
        except AnnotationError:
            return False
        return True

    def search(self, text: str, limit: int = MAX_SEARCH_RESULTS) -> list[dict[str, Any]]:
        """Sentences with a text in any of their lines, whatever its case: [{"index", "sent_id", "text", "done"}]."""
        wanted, found = text.casefold(), []
        with self._lock:
            for index in self._document:
                if wanted in self._document.text(index).casefold() and self._is_readable(index):
                    found.append(listed(self._document, index))
                    if len(found) >= limit:
                        break
        return found

    def consistency(self, index: int | None = None, word: int | None = None) -> dict[str, Any]:
        """Pairs of lemmas and tags that are labeled in several ways, in sentences that are done.

        Of a word: {"lemma", "upos", "head_lemma", "head_upos", "label", "others": [{"label", "places": [{"sentence",
        "word", "text", "sent_id"}]}], "layout_version"}; all of them, with nothing asked for: {"mixed": [{"lemma", ...,
        "labels": {label: count}, "places", "first": [sentence, word]}]}. The edit `relabel` changes all at once.
        """
        while True:
            known, labels = self._all_labels()
            with self._lock:
                if known == self._now():  # else somebody changed something meanwhile
                    self._labels = known[0], labels
                    if index is None or word is None:
                        return {"mixed": labels.mixed()}
                    draft = replace(self._document.draft(index), words=self._completion(index).words)
                    return labels.differing(self._document, draft, word) | {"layout_version": known[0]}

    def _now(self) -> tuple[int, int]:
        return self._store.layout_version, self._store.journal.last

    def _all_labels(self) -> tuple[tuple[int, int], Labels]:
        """Labels of all sentences that are done, and when that was; others work meanwhile."""
        with self._lock:
            now = self._now()
            if self._labels is not None and self._labels[0] == now[0]:
                return now, self._labels[1]
            done = [at for at in self._document if self._document.is_done(at)]
            data = self._document.joined(done)
        treebank = Treebank(data)
        if len(treebank) == len(done):
            return now, Labels.from_treebank(treebank, done)
        with self._lock:  # some are no trees
            found, now = Labels(), self._now()
            for at in filter(self._is_readable, filter(self._document.is_done, self._document)):
                found.put(at, self._document.draft(at))
            return now, found

    # --- Events and files ---

    def wait(self, timeout: float | None = None) -> None:
        """Until the parser has learned and the file is saved: for tests and scripts."""
        self._trainer.wait(timeout)
        self._saver.wait(timeout)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Calls a function with every event: {"event": name, ...}; from other threads, and it must return at once.

        "learning" (sentences; 0: no longer), "model" (model, sentences), "saved" (time), "merged"
        (notices: the file was changed outside, look at everything again), "read-only" (why), "notice" (message).
        """
        self._listeners.append(listener)

    def _publish(self, event: Event) -> None:
        for listener in list(self._listeners):
            listener(event)

    def set_address(self, address: str) -> None:
        """Says where the session is served, for those who open the file a second time."""
        self._store.write_address(address)

    def save(self) -> None:
        """Brings the file up to date. The journal stays: edits can still be undone."""
        known = len(self._store.notices)
        written, merged = self._store.save(self._lock)
        if merged:
            with self._lock:
                self._completions.clear()
            self._publish({"event": "merged", "notices": self._store.notices[known:]})
        if written:
            self._publish({"event": "saved", "time": time.time()})

    def _save_quietly(self) -> None:
        if self._store.read_only is None:
            self.save()

    def _fail_to_save(self, error: Exception) -> None:
        """The journal has everything: the file is saved after the next edit, or at the end."""
        event, why = "read-only" if self._store.read_only is not None else "notice", describe_error(error)
        self._publish({"event": event, "why": why, "message": f"the file could not be saved: {why}"})

    def close(self) -> None:
        """Saves, and lets others open the file."""
        self._trainer.close()
        self._saver.close()
        try:
            if self._store.read_only is None:
                self.save()
        finally:
            self._store.close()

    def __enter__(self) -> AnnotationSession:
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
