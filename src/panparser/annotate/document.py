"""Document: the annotated file as positions of its sentences, each read on demand."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from panparser.annotate.sentence_draft import LineError, SentenceDraft, key_of
from panparser.base.caching import cached_property
from panparser.errors import AnnotationError, ConlluError
from panparser.treebank.conllu import parse_conllu
from panparser.treebank.treebank import Treebank

_BLANK = re.compile(rb"\n(?:\r?\n)+")
_ROW = re.compile(rb"^[0-9]", re.M)
_LATE_COMMENT = re.compile(rb"^[0-9][^\n]*\n#", re.M)
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class JournalState:
    """What the journal knows of a sentence, and its lines do not hold."""

    done: bool | None = None
    spans: tuple[tuple[int, int], ...] = ()
    forbidden: dict[int, tuple[int, ...]] = field(default_factory=dict)
    version: int = 0

    def on(self, draft: SentenceDraft) -> SentenceDraft:
        """A draft with them."""
        words = list(draft.words)
        for number, heads in self.forbidden.items():
            if number <= len(words):
                words[number - 1] = replace(words[number - 1], forbidden=heads)
        done = draft.done if self.done is None else self.done
        return replace(draft, words=tuple(words), spans=self.spans, done=done)


@dataclass(slots=True)
class SentenceEntry:
    """A sentence of the document: where its bytes are, and the draft once it was read; `version` as in a view."""

    start: int
    stop: int
    draft: SentenceDraft | None = None
    is_changed: bool = False  # is the draft other than the bytes?
    version: int = 0
    marks: JournalState | None = None  # not yet in the draft


class Document:
    """Sentences in the order of the file. What is not changed is written as it was read, byte for byte."""

    def __init__(self, data: bytes, path: str = "<text>") -> None:
        if data.startswith(_COMPRESSED):
            raise AnnotationError(f"{path}: is compressed; decompress it to annotate it")
        if data.startswith(_UTF16):
            raise AnnotationError(f"{path}: expected UTF-8, found UTF-16")
        self.path, self.data = path, data
        self.sha256 = hashlib.sha256(data).hexdigest()  # of what was read, or last saved
        self.entries = [SentenceEntry(start, stop) for start, stop in _pieces(data)]
        self._totals: npt.NDArray[np.int64] | None = None
        self._tail = self.entries[-1].stop if self.entries else 0  # where bytes begin that belong to no sentence

    @classmethod
    def open(cls, path: Path) -> Document:
        """The document of a file. Raises AnnotationError if it cannot be read, or is no CoNLL-U."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise AnnotationError(f"{path}: cannot be read: {error.strerror or error}") from None
        document = cls(data, str(path))
        if document.entries:
            document._check_format()
        elif data.strip():
            raise AnnotationError(f"{path}: expected CoNLL-U, found no sentence (raw text? `--text` divides it)")
        return document

    def _check_format(self) -> None:
        try:
            found = parse_conllu(self.data[: self.entries[min(9, len(self.entries) - 1)].stop], lenient=True)
        except ConlluError as error:
            raise AnnotationError(f"{self.path}: {error}") from None
        if found.format != "conllu":
            raise AnnotationError(f"{self.path}: expected CoNLL-U, found CoNLL-X; convert it to annotate it")

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    # --- Sentences ---

    def check_index(self, index: int) -> None:
        if type(index) is not int or not 0 <= index < len(self):
            raise AnnotationError(f"{self.path}: has sentences 0..{len(self) - 1}; got {index!r}")

    def draft(self, index: int) -> SentenceDraft:
        """A sentence. Raises AnnotationError if its lines cannot be read."""
        self.check_index(index)
        entry = self.entries[index]
        if entry.draft is None:
            try:
                draft = SentenceDraft.read(self.text(index))
                entry.draft = draft if entry.marks is None else entry.marks.on(draft)
            except LineError as error:
                line = self.data.count(b"\n", 0, entry.start) + 1 + error.line
                raise AnnotationError(f"{self.path}:{line}: this sentence cannot be annotated: {error}") from None
        return entry.draft

    def broken(self) -> list[str]:
        """Why sentences cannot be annotated, as far as that shows without reading all of them."""
        found, read = [], self._at_first
        for index, entry in enumerate(self.entries):
            if not entry.is_changed and entry.start not in read:
                try:
                    self.draft(index)
                except AnnotationError as error:
                    found.append(str(error))
        return found

    def text(self, index: int) -> str:
        """The lines of a sentence as they are now."""
        return self.bytes_of(index).decode("utf-8", "surrogateescape")

    def bytes_of(self, index: int) -> bytes:
        entry = self.entries[index]
        if entry.is_changed and entry.draft is not None:
            return entry.draft.to_bytes()
        return self.data[entry.start : entry.stop]

    def put(self, index: int, taken: int, drafts: list[SentenceDraft], version: int) -> None:
        """Replaces some sentences by others."""
        if self._totals is not None:
            self._totals += self._sums(range(index, index + taken), -1)
        if taken == len(drafts) == 1:
            entry = self.entries[index]
            entry.draft, entry.is_changed, entry.version = drafts[0], True, version
        else:
            self.entries[index : index + taken] = [SentenceEntry(0, 0, draft, True, version) for draft in drafts]
        if self._totals is not None:
            self._totals += self._sums(range(index, index + len(drafts)), 1)

    def mark(self, index: int, marks: JournalState) -> None:
        """Says what the journal knows of a sentence that was just read."""
        entry = self.entries[index]
        entry.draft, entry.marks, entry.version = None, marks, marks.version

    def totals(self) -> dict[str, int]:
        """Numbers of sentences, of those that are done, of words, and of words in sentences that are done."""
        if self._totals is None:
            self._totals = self._sums(range(len(self)), 1)
        done, words, words_done = self._totals.tolist()
        return {"sentences": len(self), "done": done, "words": words, "words_done": words_done}

    def _sums(self, indices: range, sign: int) -> npt.NDArray[np.int64]:
        done = words = words_done = 0
        for index in indices:
            count = self.words_of(index)
            words += count
            if self.is_done(index):
                done, words_done = done + 1, words_done + count
        return sign * np.array([done, words, words_done], dtype=np.int64)

    def is_done(self, index: int) -> bool:
        """Is a sentence done? One that nobody looked at is, if it has all heads and labels."""
        entry = self.entries[index]
        if entry.draft is not None:
            return entry.draft.done
        if entry.marks is not None and entry.marks.done is not None:
            return entry.marks.done
        return self._at_first.get(entry.start, (0, False))[1]

    def words_of(self, index: int) -> int:
        """Number of words of a sentence."""
        entry = self.entries[index]
        return len(entry.draft.words) if entry.draft is not None else self._at_first.get(entry.start, (0, False))[0]

    @cached_property
    def _at_first(self) -> dict[int, tuple[int, bool]]:
        """By place: the words of a sentence as it was read, and whether all have heads and labels.

        Sentences that cannot be read are not there.
        """
        treebank = Treebank(self.data, path=self.path)
        nothing = treebank.id_of("deprel", "_")
        open_words = np.concatenate([[0], np.cumsum((treebank.heads < 0) | (treebank.labels == nothing))])
        is_done = (open_words[treebank.offsets[1:]] == open_words[treebank.offsets[:-1]]).tolist()
        sizes = np.diff(treebank.offsets)
        places = starts = [start for start, _ in _pieces(self.data)]
        if len(treebank) != len(starts):
            lines = np.cumsum([1, *(self.data.count(b"\n", start, stop) for start, stop in _pieces(self.data))])
            numbers = np.searchsorted(lines, [sentence.line for sentence in treebank], side="right") - 1
            places = [starts[number] for number in numbers]
        found = dict(zip(places, zip(sizes.tolist(), is_done, strict=True), strict=True))
        loops = treebank.heads == np.arange(1, treebank.words + 1) - np.repeat(treebank.offsets[:-1], sizes)
        for at in np.unique(treebank.sentence_of_word()[loops]).tolist():
            del found[places[at]]
        for late in _LATE_COMMENT.finditer(self.data):
            found.pop(starts[bisect_right(starts, late.start()) - 1], None)
        return found

    def keys(self) -> dict[str, int]:
        """Where each sentence is, by its key; of several with one key, the first."""
        found: dict[str, int] = {}
        for index in range(len(self)):
            try:
                found.setdefault(self.draft(index).key, index)
            except AnnotationError:
                continue
        return found

    def all_keys(self) -> list[str]:
        """The key of each sentence, of those, too, that cannot be read; much faster than reading them."""
        return [key_of(self.bytes_of(index)) for index in range(len(self))]

    def joined(self, indices: Iterable[int]) -> bytes:
        """Some sentences as a file of their own."""
        return b"".join(_ended(self.bytes_of(index)) for index in indices)

    # --- The file ---

    def to_bytes(self) -> bytes:
        """The file as it would be saved now."""
        if not any(entry.is_changed for entry in self.entries):
            return self.data
        pieces: list[bytes] = []
        start = stop = 0  # of neighbors that are not changed
        for entry in self.entries:
            if entry.is_changed and entry.draft is not None:
                pieces += (self.data[start:stop], _ended(entry.draft.to_bytes()))
                start = stop = 0
            elif entry.start == stop and stop:
                stop = entry.stop
            else:
                pieces.append(self.data[start:stop])
                start, stop = entry.start, entry.stop
        return b"".join((*pieces, self.data[start:stop], self.data[self._tail :]))


def _ended(sentence: bytes) -> bytes:
    """A sentence that a blank line follows."""
    if sentence.endswith((b"\n\n", b"\n\r\n")):
        return sentence
    newline = b"\r\n" if b"\r\n" in sentence else b"\n"
    return sentence + (newline if sentence.endswith(b"\n") else newline * 2)


def _pieces(data: bytes) -> Iterator[tuple[int, int]]:
    """Where sentences are, each with the blank line after it, and with what before it is none."""
    start, at = 0, len(_BOM) if data.startswith(_BOM) else 0
    while at < len(data):
        found = _BLANK.search(data, at)
        stop = found.end() if found else len(data)
        if data[at : at + 1].isdigit() or _ROW.search(data, at, stop):
            yield start, stop
            start = stop
        at = stop
