"""SentenceDraft: a sentence as far as it is annotated, and changes of its cells."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, TypeAlias, cast

from panparser.errors import AnnotationError, ConlluError
from panparser.treebank.sentence_lines import NodeId, SentenceLines
from panparser.treebank.universal import RELATIONS
from panparser.validation.rules import RULES

Cell: TypeAlias = tuple[int, str, Any, Any]  # word (0: the sentence), field, old value, new value
WORD_FIELDS = ("form", "lemma", "upos", "xpos", "feats", "head", "label", "deps", "misc", "forbidden")
SENTENCE_FIELDS = ("comments", "spans", "done")
_MAX_HEAD_DIGITS = 9
_FORMS = re.compile(rb"^[1-9][0-9]*\t([^\t\n]*)\t", re.M)
_SENT_ID = re.compile(rb"^#[^\S\n]*sent_id[^\S\n]*=(.*)", re.M)
ROOT = "root"  # the label of whose head is Root, and of nobody else, in UD


class LineError(ConlluError):
    """Lines that are no sentence. `line`: of the text, from 0, where that shows."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line

    def __reduce__(self) -> tuple[type[LineError], tuple[str, int]]:
        return type(self), (str(self), self.line)


def is_root(label: str) -> bool:
    """Is a label `root`, or a subtype of it?"""
    return label.partition(":")[0] == ROOT


@dataclass(frozen=True, slots=True)
class Word:
    """The cells of a word. `head` and `label` are None where nobody decided; `forbidden` are heads that it cannot have.

    Only the file's columns are in the file; `forbidden` is kept by the journal.
    """

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int | None = None
    label: str | None = None
    deps: str = "_"
    misc: str = "_"
    forbidden: tuple[int, ...] = ()

    def under(self, head: int) -> Word:
        """With a head. A label that came with another head, or does not fit this one, is undecided; of Root, `root`."""
        fits = self.label is not None and self.head is None and is_root(self.label) == (head == 0)
        label = self.label if fits or (self.label is not None and self.head == head) else None if head else ROOT
        return replace(self, head=head, label=label, forbidden=tuple(each for each in self.forbidden if each != head))

    def labeled(self, label: str) -> Word:
        """With a label. If its head is open and the label one of UD's but `root`, the head is not Root."""
        forbidden = set(self.forbidden)
        if is_root(label):
            forbidden.discard(0)
        elif self.head is None and label.partition(":")[0] in RELATIONS:
            forbidden.add(0)
        return replace(self, label=label, forbidden=tuple(sorted(forbidden)))

    def row(self, number: int) -> str:
        """The line of the file."""
        head, label = "_" if self.head is None else self.head, self.label or "_"
        cells = (self.form, self.lemma, self.upos, self.xpos, self.feats, head, label, self.deps, self.misc)
        return f"{number}\t" + "\t".join(map(str, cells))


@dataclass(frozen=True, slots=True)
class NonWordLine:
    """A line that is no word: a multiword token of words first..last, or an empty node first.last."""

    first: int
    last: int
    cells: tuple[str, ...]  # all but the ID


@dataclass(frozen=True, slots=True)
class SentenceDraft:
    """A sentence as far as it is annotated; `before` and `after` are blank lines and the like, which are kept."""

    words: tuple[Word, ...]
    comments: tuple[str, ...] = ()
    multiword: tuple[NonWordLine, ...] = ()
    empty: tuple[NonWordLine, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    done: bool = False
    newline: str = "\n"
    before: str = ""
    after: str = "\n\n"

    # --- As text ---

    @classmethod
    def read(cls, text: str) -> SentenceDraft:
        """The sentence of some lines of CoNLL-U. Raises LineError if they could not be written back as they are."""
        lines = SentenceLines.read_surrounded(text, 0, _raise_if_fatal)
        draft = _from_lines(cast("SentenceLines", lines))  # None only after a fatal problem
        if (again := draft.to_text()) != text:
            pairs = zip_longest(text.split("\n"), again.split("\n"))
            line = next(number for number, (found, usual) in enumerate(pairs) if found != usual)
            raise LineError("this line is not in its usual place or form", line)
        return replace(draft, done=draft.is_complete)

    def to_text(self) -> str:
        """The lines of the file, with what stands around them."""
        ranges = {each.first: each for each in self.multiword}
        nodes: dict[int, list[NonWordLine]] = {}
        for node in self.empty:
            nodes.setdefault(node.first, []).append(node)
        lines = [*self.comments, *map(_node_row, nodes.get(0, ()))]
        for number, word in enumerate(self.words, start=1):
            if number in ranges:
                lines.append("\t".join((f"{number}-{ranges[number].last}", *ranges[number].cells)))
            lines.append(word.row(number))
            lines += map(_node_row, nodes.get(number, ()))
        return self.before + self.newline.join(lines) + self.after

    def to_bytes(self) -> bytes:
        return self.to_text().encode("utf-8", "surrogateescape")

    def to_value(self) -> dict[str, Any]:
        """The sentence as JSON: its lines, and what they do not hold."""
        value: dict[str, Any] = {"text": self.to_text(), "done": self.done}
        if self.spans:
            value["spans"] = [list(span) for span in self.spans]
        if forbidden := {str(at): list(word.forbidden) for at, word in enumerate(self.words, 1) if word.forbidden}:
            value["forbidden"] = forbidden
        return value

    @classmethod
    def from_value(cls, value: dict[str, Any]) -> SentenceDraft:
        draft = cls.read(value["text"])
        words = list(draft.words)
        for at, heads in value.get("forbidden", {}).items():
            if not 1 <= int(at) <= len(words):
                raise ConlluError(f"there is no word {at}")
            words[int(at) - 1] = replace(words[int(at) - 1], forbidden=tuple(heads))
        spans = tuple((first, last) for first, last in value.get("spans", ()))
        return replace(draft, words=tuple(words), spans=spans, done=value["done"])

    # --- What comments say ---

    def comment(self, name: str) -> str | None:
        """The value of a comment `# name = value`."""
        for line in self.comments:
            key, sign, value = line[1:].partition("=")
            if sign and key.strip() == name:
                return value.strip()
        return None

    def with_comment(self, name: str, value: str | None) -> SentenceDraft:
        """With a comment `# name = value` in its place, or without it."""
        line = [] if value is None else [f"# {name} = {value}"]
        lines: list[str] = []
        for old in self.comments:
            if old[1:].partition("=")[0].strip() == name and "=" in old:
                lines += line
                line = []
            else:
                lines.append(old)
        return replace(self, comments=(*lines, *line))

    @property
    def key(self) -> str:
        """What the sentence is known by: its sent_id, and a hash of its forms."""
        forms = (word.form.encode("utf-8", "surrogateescape") for word in self.words)
        return _key(self.comment("sent_id") or "", forms)

    @property
    def is_complete(self) -> bool:
        """Have all words heads and labels?"""
        return all(word.head is not None and word.label is not None for word in self.words)

    def has_lines_of(self, other: SentenceDraft) -> bool:
        """Are their lines the same, whatever stands around them?"""
        return replace(self, before="", after="").to_text() == replace(other, before="", after="").to_text()

    def tokens(self) -> list[tuple[int, int, str, str]]:
        """(first word, last word, form, MISC) of what is written in the text: multiword tokens, and other words."""
        ranges = {each.first: each for each in self.multiword}
        found, at = [], 1
        while at <= len(self.words):
            if at in ranges:
                found.append((at, ranges[at].last, ranges[at].cells[0], ranges[at].cells[8]))
                at = ranges[at].last + 1
            else:
                found.append((at, at, self.words[at - 1].form, self.words[at - 1].misc))
                at += 1
        return found

    # --- Changes ---

    def value(self, word: int, field: str) -> Any:
        """A value as JSON has it."""
        value = getattr(self.words[word - 1] if word else self, field)
        return _plain(value)

    def changes_to(self, other: SentenceDraft) -> list[Cell] | None:
        """The cells in which another draft differs; None if words, tokens or nodes do."""
        same = (self.multiword, self.empty, self.before, self.after, self.newline)
        if len(self.words) != len(other.words) or same != (
            other.multiword, other.empty, other.before, other.after, other.newline,
        ):  # fmt: skip
            return None
        cells: list[Cell] = []
        for field in SENTENCE_FIELDS:
            if getattr(self, field) != getattr(other, field):
                cells.append((0, field, self.value(0, field), other.value(0, field)))
        for number, (old, new) in enumerate(zip(self.words, other.words, strict=True), start=1):
            if old != new:
                for field in WORD_FIELDS:
                    if getattr(old, field) != getattr(new, field):
                        cells.append((number, field, self.value(number, field), other.value(number, field)))
        return cells

    def changed(self, cells: Iterable[Sequence[Any]], *, backwards: bool = False) -> SentenceDraft:
        """With the cells changed, or changed back. Raises AnnotationError if a cell does not have its old value."""
        of_words: dict[int, dict[str, Any]] = {}
        of_self: dict[str, Any] = {}
        for number, field, old, new in cells:
            if backwards:
                old, new = new, old
            if not 0 <= number <= len(self.words):
                raise AnnotationError(f"word {number}: the sentence has {len(self.words)} words")
            before = of_words.get(number, {}) if number else of_self
            found = _plain(before[field]) if field in before else self.value(number, field)
            if found != old:
                where = f"{field} of word {number}" if number else field
                raise AnnotationError(f"{where} was {_said(old)}, and is {_said(found)} now")
            if number:
                of_words.setdefault(number, {})[field] = tuple(new) if field == "forbidden" else new
            else:
                of_self[field] = _frozen(field, new)
        words = list(self.words)
        for number, values in of_words.items():
            words[number - 1] = replace(words[number - 1], **values)
        if of_self:
            return replace(self, words=tuple(words), **of_self)
        same = (self.comments, self.multiword, self.empty, self.spans, self.done)
        return SentenceDraft(tuple(words), *same, self.newline, self.before, self.after)  # much faster than `replace`


def key_of(lines: bytes) -> str:
    """The key of a sentence, as `SentenceDraft` has it, without reading all of its cells."""
    lines = lines.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n")
    lines = lines[max(lines.rfind(b"\n\n"), lines.rfind(b"\n\r\n")) + 1 :].lstrip(b"\r\n")
    found = _SENT_ID.search(lines)
    return _key(found[1].decode("utf-8", "surrogateescape").strip() if found else "", _FORMS.findall(lines))


def _key(sent_id: str, forms: Iterable[bytes]) -> str:
    digest = hashlib.sha256(b"\x1f".join(forms)).hexdigest()[:12]
    return f"{sent_id}#{digest}"


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _frozen(field: str, value: Any) -> Any:
    if field == "spans":
        return tuple((first, last) for first, last in value)
    return tuple(value) if field == "comments" else value


def _said(value: Any) -> str:
    return "undecided" if value is None else repr(value) if isinstance(value, str) else str(value)


def _node_row(node: NonWordLine) -> str:
    return "\t".join((f"{node.first}.{node.last}", *node.cells))


# --- Reading ---


def _raise_if_fatal(rule: str, line: int, found: str) -> None:
    if RULES[rule].fatal:
        raise LineError(f"expected {RULES[rule].expected}, found {found}", line)


def _from_lines(lines: SentenceLines) -> SentenceDraft:
    """Return the draft of a sentence; raise LineError if a HEAD is not a word of it."""
    words: list[Word] = []
    rows: list[int] = []  # of words
    multiword: list[NonWordLine] = []
    empty: list[NonWordLine] = []
    for i, row in enumerate(lines.rows):
        node = cast("NodeId", NodeId.parse(row[0]))  # IDs were checked
        if node.kind == "word":
            words.append(_read_word(row, lines.line(i)))
            rows.append(i)
        else:
            (multiword if node.kind == "range" else empty).append(NonWordLine(node.first, node.last, tuple(row[1:])))
    if not words:
        raise LineError("expected words, found none", lines.first_line)
    for number, (word, i) in enumerate(zip(words, rows, strict=True), start=1):
        if word.head is not None and (word.head > len(words) or word.head == number):
            message = f"word {number}: expected the number of another word in HEAD, found {word.head}"
            raise LineError(message, lines.line(i))
    comments, surroundings = tuple(lines.comments), (lines.newline, lines.before, lines.after)
    return SentenceDraft(tuple(words), comments, tuple(multiword), tuple(empty), (), False, *surroundings)


def _read_word(row: Sequence[str], line: int) -> Word:
    id, form, lemma, upos, xpos, feats, head, label, deps, misc = row
    if head != "_" and not (head.isascii() and head.isdigit() and len(head) <= _MAX_HEAD_DIGITS):
        raise LineError(f"word {id}: expected a number in HEAD, found {head!r}", line)
    arc = (None if head == "_" else int(head), None if label == "_" else label)
    return Word(form, lemma, upos, xpos, feats, *arc, deps, misc)
