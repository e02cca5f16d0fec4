"""Edits: everything that an annotator can do to a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeVar, dataclass_transform

from panparser.annotate import retokenizing as tokens
from panparser.annotate.sentence_draft import SentenceDraft, Word
from panparser.base.kinds import BOOLEAN, COUNT, TEXT, Kind, ListOf, Nullable, Table, check, integer, one_of, text
from panparser.errors import AnnotationError
from panparser.treebank.treebank import is_cell

_LABEL = re.compile(r"[^\s|]+")


def position(draft: SentenceDraft, word: int) -> int:
    if not 1 <= word <= len(draft.words):
        raise AnnotationError(f"the sentence has words 1..{len(draft.words)}; got {word}")
    return word - 1


def with_values(draft: SentenceDraft, word: int, **values: Any) -> SentenceDraft:
    at = position(draft, word)
    return replace(draft, words=(*draft.words[:at], replace(draft.words[at], **values), *draft.words[at + 1 :]))


def with_head(draft: SentenceDraft, word: int, head: int) -> SentenceDraft:
    check_head(draft, word, head)
    now = draft.words[word - 1].under(head)
    return with_values(draft, word, head=now.head, label=now.label, forbidden=now.forbidden)


def with_shown(draft: SentenceDraft, start: int, stop: int, shown: Sequence[Word]) -> SentenceDraft:
    """With what is shown of some words; what has been decided of them stays."""
    if len(shown) != len(draft.words):
        raise AnnotationError("what was shown is of another sentence")
    words = list(draft.words)
    for at in range(start, stop):
        word, seen = words[at], shown[at]
        names = ("lemma", "upos", "xpos", "feats")
        values = {name: getattr(seen, name) for name in names if getattr(word, name) == "_"}
        head = seen.head if word.head is None else word.head
        words[at] = replace(word, head=head, label=word.label or seen.label, **values)
    return replace(draft, words=tuple(words))


def check_head(draft: SentenceDraft, word: int, head: int) -> None:
    position(draft, word)
    if not 0 <= head <= len(draft.words) or head == word:
        raise AnnotationError(f"the head of word {word} must be 0..{len(draft.words)} but {word}; got {head}")


def check_range(draft: SentenceDraft, first: int, last: int, min_words: int = 1) -> None:
    if not 1 <= first <= last <= len(draft.words) or last - first + 1 < min_words:
        raise AnnotationError(f"expected {min_words} or more of words 1..{len(draft.words)}; got {first}-{last}")


def checked_label(label: str) -> str:
    if not is_cell(label) or label == "_" or not _LABEL.fullmatch(label):
        raise AnnotationError(f"a label must be a text without spaces; got {label!r}")
    return label


def check_form(form: str) -> None:
    if not is_cell(form) or form == "_":
        raise AnnotationError(f"a form must be a text without tabs, line ends and spaces around it; got {form!r}")


COLUMNS = ("upos", "xpos", "feats", "lemma", "form", "misc")  # that `Cell` sets
_NUMBER, _WORDS = integer(1), 100_000


class Edit:
    """An edit. `shown`: the words as the page showed them, with what the parser predicted where nobody decided."""

    name: ClassVar[str]
    schema: ClassVar[Table]

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        """The sentence after it. Raises AnnotationError if it allows no such edit."""
        raise NotImplementedError

    def to_value(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"edit": self.name} | {name: value for name, value in plain.items() if value is not None}


EDIT_TYPES: dict[str, type[Edit]] = {}
_Made = TypeVar("_Made", bound=Edit)


@dataclass_transform(frozen_default=True)
def _edit_type(name: str, /, may: dict[str, Kind] | None = None, **must: Kind) -> Callable[[type[_Made]], type[_Made]]:
    """Makes a class an edit with this name: its fields, of these kinds, are its JSON."""

    def declare(cls: type[_Made]) -> type[_Made]:
        made = dataclass(frozen=True)(cls)
        made.name, made.schema = name, Table({"edit": one_of(name)} | must, may, closed=True)
        EDIT_TYPES[name] = made
        return made

    return declare


def parse_edit(value: Any) -> Edit:
    """The edit of a JSON value. Raises AnnotationError, which names what is wrong."""
    check(value, Table({"edit": one_of(*EDIT_TYPES)}), "", AnnotationError)
    kind = EDIT_TYPES[value["edit"]]
    check(value, kind.schema, value["edit"], AnnotationError)
    given = {name: tuple(each) if isinstance(each, list) else each for name, each in value.items() if name != "edit"}
    if "places" in given:
        given["places"] = tuple((sentence, word) for sentence, word in given["places"])
    return kind(**given)


# --- Heads and labels ---


@_edit_type("head", word=_NUMBER, head=COUNT)
class Head(Edit):
    """The head of a word; 0 is Root. Its label is predicted again, unless it was decided for itself, and fits."""

    word: int
    head: int

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        return with_head(draft, self.word, self.head)


@_edit_type("label", word=_NUMBER, label=TEXT)
class Label(Edit):
    """The label of a word's arc, whatever its head; `Arc` decides both."""

    word: int
    label: str

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        word = draft.words[position(draft, self.word)].labeled(checked_label(self.label))
        return with_values(draft, self.word, label=word.label, forbidden=word.forbidden)


@_edit_type("arc", word=_NUMBER, head=COUNT, label=TEXT)
class Arc(Edit):
    """Head and label at once."""

    word: int
    head: int
    label: str

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        return with_values(with_head(draft, self.word, self.head), self.word, label=checked_label(self.label))


_WHOLE = ListOf(_NUMBER, minimum=1, maximum=_WORDS)


@_edit_type("tree", words=_WHOLE, heads=ListOf(COUNT, maximum=_WORDS), labels=ListOf(TEXT, maximum=_WORDS))
class Tree(Edit):
    """Heads and labels of several words at once, such as those in which another tree differs."""

    words: tuple[int, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        if not len(self.words) == len(self.heads) == len(self.labels):
            raise AnnotationError(f"expected heads and labels of {len(self.words)} words")
        for word, head, label in zip(self.words, self.heads, self.labels, strict=True):
            draft = Arc(word, head, label).apply(draft, shown)
        return draft


@_edit_type("unset", {"what": one_of("head", "label", "both")}, word=_NUMBER)
class Unset(Edit):
    """Head, label or both are undecided again; and what was said about its heads is forgotten with the head."""

    word: int
    what: str = "both"

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        values: dict[str, Any] = {}
        if self.what != "label":
            values |= {"head": None, "forbidden": ()}
        if self.what != "head":
            values["label"] = None
        return with_values(draft, self.word, **values)


@_edit_type("forbid", word=_NUMBER, heads=ListOf(COUNT, maximum=_WORDS))
class Forbid(Edit):
    """The head of a word is none of these (only these: an empty list allows all again)."""

    word: int
    heads: tuple[int, ...]

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        for head in self.heads:
            check_head(draft, self.word, head)
        decided = draft.words[position(draft, self.word)].head
        kept = None if decided in self.heads else decided
        return with_values(draft, self.word, forbidden=tuple(sorted(set(self.heads))), head=kept)


@_edit_type("span", first=_NUMBER, last=_NUMBER)
class SpanOf(Edit):
    """Words first..last are a subtree: one of them has its head outside, and none outside has its head inside."""

    first: int
    last: int

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        check_range(draft, self.first, self.last, min_words=2)
        spans = sorted({*draft.spans, (self.first, self.last)})
        return replace(draft, spans=tuple(spans))


@_edit_type("unspan", first=_NUMBER, last=_NUMBER)
class Unspan(Edit):
    """Words first..last need not be a subtree."""

    first: int
    last: int

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        if (self.first, self.last) not in draft.spans:
            raise AnnotationError(f"words {self.first}-{self.last} were not said to be a subtree")
        return replace(draft, spans=tuple(span for span in draft.spans if span != (self.first, self.last)))


# --- What is shown is right ---


@_edit_type("confirm", {"model": COUNT}, word=_NUMBER)
class Confirm(Edit):
    """A word is right as it is shown: head, label, tags, lemma. `model`: the number in the view that was looked at."""

    word: int
    model: int | None = None

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        at = position(draft, self.word)
        return with_shown(draft, at, at + 1, shown)


@_edit_type("right", {"model": COUNT}, word=_NUMBER)
class RightSoFar(Edit):
    """All words up to this one are right as they are shown."""

    word: int
    model: int | None = None

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        return with_shown(draft, 0, position(draft, self.word) + 1, shown)


@_edit_type("done", {"done": BOOLEAN, "accept": BOOLEAN, "model": COUNT})
class Done(Edit):
    """The sentence is done (or not); with `accept`, what is shown is right, else what is undecided stays unknown."""

    done: bool = True
    accept: bool = True
    model: int | None = None

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        if self.done and self.accept:
            draft = with_shown(draft, 0, len(draft.words), shown)
        return replace(draft, done=self.done)


# --- Other columns, comments ---


@_edit_type("cell", word=_NUMBER, column=one_of(*COLUMNS), value=text(maximum=10_000))
class SetCell(Edit):
    """UPOS, XPOS, FEATS, LEMMA, FORM or MISC of a word; `_` empties all but FORM."""

    word: int
    column: str
    value: str

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        at = position(draft, self.word)
        value = self.value.strip() or "_"
        if not is_cell(value) or ("  " in value) or (" " in value and self.column not in ("form", "lemma", "misc")):
            raise AnnotationError(f"{self.column.upper()} of word {self.word} cannot be {self.value!r}")
        if self.column == "form":
            return tokens.with_form(draft, at + 1, value)
        if self.column == "feats":
            value = "|".join(sorted(value.split("|"), key=str.lower))  # as UD sorts them
        return with_values(draft, self.word, **{self.column: value})


@_edit_type("comments", comments=ListOf(text(maximum=100_000), maximum=10_000))
class Comments(Edit):
    """The lines before the sentence, each of which begins with #."""

    comments: tuple[str, ...]

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        for line in self.comments:
            if not line.startswith("#") or re.search("[\n\r\ud800-\udfff]", line):
                raise AnnotationError(f"a comment must be one line that begins with #; got {line!r}")
        return replace(draft, comments=tuple(self.comments))


@_edit_type("note", text=text(maximum=100_000))
class Note(Edit):
    """A note, in a comment `# note = ...`; empty: none."""

    text: str

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        note = " ".join(self.text.encode("utf-8", "replace").decode().split())
        return draft.with_comment("note", note or None)


# --- Tokens and sentences ---


@_edit_type("split", word=_NUMBER, forms=ListOf(text(minimum=1, maximum=10_000), minimum=2, maximum=100))
class SplitWord(Edit):
    """A word becomes some, with these forms."""

    word: int
    forms: tuple[str, ...]

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        for form in self.forms:
            check_form(form)
        return tokens.split_word(draft, position(draft, self.word) + 1, self.forms)


@_edit_type("join", {"form": Nullable(text(minimum=1, maximum=10_000))}, first=_NUMBER, last=_NUMBER)
class JoinWords(Edit):
    """Words first..last become one, written as they were, or as `form`."""

    first: int
    last: int
    form: str | None = None

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        check_range(draft, self.first, self.last, min_words=2)
        if self.form is not None:
            check_form(self.form)
        return tokens.join_words(draft, self.first, self.last, self.form)


@_edit_type("multiword", {"form": Nullable(text(minimum=1, maximum=10_000))}, first=_NUMBER, last=_NUMBER)
class MakeMultiword(Edit):
    """Words first..last are written as one token, as `form` or as their forms together."""

    first: int
    last: int
    form: str | None = None

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        check_range(draft, self.first, self.last, min_words=2)
        if self.form is not None:
            check_form(self.form)
        return tokens.make_multiword(draft, self.first, self.last, self.form)


@_edit_type("unmultiword", first=_NUMBER)
class UnmakeMultiword(Edit):
    """The words of the multiword token that begins with word `first` are tokens of their own."""

    first: int

    def apply(self, draft: SentenceDraft, shown: Sequence[Word]) -> SentenceDraft:
        return tokens.unmake_multiword(draft, self.first)


@_edit_type("split_sentence", word=_NUMBER)
class SplitSentence(Edit):
    """A new sentence begins with a word."""

    word: int


@_edit_type("join_sentence")
class JoinSentence(Edit):
    """The sentence and the next one are one."""


# --- Of several sentences ---


@_edit_type("relabel", {"reason": text(maximum=1000)}, label=TEXT, places=ListOf(ListOf(COUNT, minimum=2, maximum=2)))
class Relabel(Edit):
    """Words of several sentences get one label: `places` are (sentence, word)."""

    label: str
    places: tuple[tuple[int, int], ...]
    reason: str = field(default="", compare=False)

    def to_value(self) -> dict[str, Any]:
        return super().to_value() | {"places": [list(place) for place in self.places]}


def apply_edit(
    edit: Edit, draft: SentenceDraft, shown: Sequence[Word], following: SentenceDraft | None
) -> tuple[int, list[SentenceDraft]]:
    """How many sentences an edit takes, from this one on, and which ones it leaves in their place."""
    if isinstance(edit, SplitSentence):
        return 1, tokens.split_sentence(draft, position(draft, edit.word) + 1)
    if isinstance(edit, JoinSentence):
        if following is None:
            raise AnnotationError("no sentence follows that this one could be joined with")
        return 2, [tokens.join_sentences(draft, following)]
    after = edit.apply(draft, shown)
    pairs = zip(draft.words, after.words, strict=False)
    if after.done and any(old.label is not None and new.label is None for old, new in pairs):
        after = replace(after, done=False)  # a label went with its head: there is something to decide again
    return 1, [after]
