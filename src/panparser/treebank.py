"""Treebank, Sentence, Token: columns of numbers in native memory, with light views on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import ConlluError, TreebankError
from panparser.gold import Gold

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")  # the engine's order
Format = Literal["conllu", "conllx"]
IntArray = npt.NDArray[np.int32]
_UNWRITABLE = re.compile("[\t\n\r\ud800-\udfff]")  # what would break a line, or is no UTF-8


@dataclass(frozen=True)
class Problem:
    """Something in a file that is not as it should be."""

    path: str
    line: int
    rule: str
    expected: str
    found: str
    hint: str
    fatal: bool  # the sentence could not be read

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.path}:{self.line}: expected {self.expected}, found {self.found}{hint}"


class Treebank(Sequence["Sentence"]):
    """Sentences with their annotations; `read_conllu` makes one.

    `heads` (HEAD, -1 is `_`) and `column(name)` (ids into `vocabulary(name)`) are arrays over all words, shared with
    the engine: what is written into them is what `write_conllu` writes. `offsets[i]` is the first word of sentence i.
    """

    def __init__(
        self,
        text: bytes,
        *,
        path: str = "<text>",
        format: Format = "conllu",
        single_root: bool = False,
        thorough: bool = False,
        line: int = 1,
    ) -> None:
        if format not in ("conllu", "conllx"):
            raise ConlluError(f"format must be conllu, conllx or auto; got {format!r}")
        self._store = _engine.TreebankStore(text, format == "conllx", single_root, thorough, line)
        self.path = path
        self.format: Format = format
        self.offsets: npt.NDArray[np.int64] = self._store.offsets
        self._columns: dict[int, IntArray] = {}  # what the engine shares must be compared when it is written
        self._strings: list[list[str]] = [[] for _ in COLUMNS]
        self._extras: list[dict[int, list[tuple[int, int, str]]]] | None = None

    # --- As a sequence of sentences ---

    def __len__(self) -> int:
        return self._store.sentences

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Treebank: ...
    def __getitem__(self, index: int | slice) -> Sentence | Treebank:
        """A sentence (a view), or a treebank of its own with the sentences of a slice (a copy)."""
        if isinstance(index, slice):
            chosen = range(len(self))[index]
            line = self[chosen[0]].line if chosen and chosen.step == 1 else 1
            return Treebank(self._write(chosen), path=self.path, format=self.format, line=line)
        if not -len(self) <= index < len(self):
            raise IndexError(f"treebank of {len(self)} sentences has no sentence {index}")
        return Sentence(self, index % len(self))

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, index) for index in range(len(self)))

    @property
    def words(self) -> int:
        """How many words all sentences have."""
        return self._store.words

    @property
    def problems(self) -> list[Problem]:
        """What the reader found wrong, by line."""
        return [Problem(self.path, *fields) for fields in self._store.problems()]

    def __repr__(self) -> str:
        return f"<Treebank {self.path}: {len(self)} sentences, {self.words} words>"

    # --- Columns ---

    @cached_property
    def heads(self) -> IntArray:
        """Heads of all words; -1 is `_`."""
        return self._store.heads

    @property
    def labels(self) -> IntArray:
        """Ids of the labels (DEPREL) of all words."""
        return self.column("deprel")

    def column(self, name: str) -> IntArray:
        """Ids of a column of all words; `vocabulary(name)` says what they stand for."""
        number = _number(name)
        if number not in self._columns:
            self._columns[number] = self._store.column(number)
        return self._columns[number]

    def vocabulary(self, name: str) -> list[str]:
        """The strings of a column, by id; `_` is 0. It grows when values are set, and is not to be changed."""
        number = _number(name)
        strings = self._strings[number]
        if len(strings) < self._store.vocabulary_size(number):
            strings += self._store.strings(number, len(strings))
        return strings

    def id_of(self, name: str, text: str) -> int:
        """The id of a string in a column's vocabulary, new if need be."""
        if not isinstance(text, str) or not text or text != text.strip(" ") or _UNWRITABLE.search(text):
            raise TreebankError(
                f"{name} must be a text without tabs, line ends and spaces around it, or _; got {text!r}"
            )
        return self._store.intern(_number(name), text)

    def extras(self, kind: Literal["ranges", "empty_nodes"], sentence: int) -> list[tuple[int, int, str]]:
        """(first, last, line) of multiword tokens, or (word before, number, line) of empty nodes."""
        if self._extras is None:
            self._extras = [{}, {}]
            for found, lines in zip(self._extras, (self._store.ranges(), self._store.empty_nodes()), strict=True):
                for owner, first, second, line in lines:
                    found.setdefault(owner, []).append((first, second, line))
        return self._extras[kind == "empty_nodes"].get(sentence, [])

    def sentence_of_word(self) -> npt.NDArray[np.int64]:
        """For each word, its sentence."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def to_pandas(self) -> pd.DataFrame:
        """One row for each word: sentence, id, head and the columns of CoNLL-U, strings as categories."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'panparser[analysis]'") from None
        sentence = self.sentence_of_word()
        ids = np.arange(self.words) - self.offsets[sentence] + 1 if self.words else np.empty(0, np.int64)
        frame = pd.DataFrame({"sentence": sentence, "id": ids})
        for name in COLUMNS:
            numbers: dict[str, int] = {}  # bytes that are no UTF-8 may read alike
            codes = np.array([numbers.setdefault(text, len(numbers)) for text in self.vocabulary(name)])
            frame[name] = pd.Categorical.from_codes(codes[self.column(name)], categories=list(numbers))
            if name == "feats":
                frame["head"] = self.heads
        return frame

    def to_bytes(self) -> bytes:
        """The file: what was read, with the cells that changed; without what a lenient reader could not read."""
        return self._write(range(len(self)))

    def _write(self, sentences: Sequence[int]) -> bytes:
        try:
            return self._store.write(list(sentences))
        except ValueError as error:
            raise TreebankError(f"{self.path}: {error}") from None

    def __add__(self, other: Treebank) -> Treebank:
        """A treebank of its own with the sentences of both."""
        if self.format != other.format:
            raise TreebankError(f"only treebanks of one format can be joined; got {self.format} and {other.format}")
        first = self.to_bytes()
        if first and not first.endswith((b"\n\n", b"\n\r\n")):
            first += b"\n" if first.endswith(b"\n") else b"\n\n"
        return Treebank(first + other.to_bytes(), path=self.path, format=self.format)

    def _repr_html_(self) -> str:
        from panparser.drawing import svg_tree

        shown = [svg_tree(s.forms, s.heads.tolist(), s.labels, s.values("upos")) for s in self[:3]]
        rest = f"<p>… and {len(self) - 3} more sentences</p>" if len(self) > 3 else ""
        return f"<p>{len(self)} sentences, {self.words} words</p>" + "".join(shown) + rest


class Sentence(Sequence["Token"]):
    """A view of one sentence; changes go to the treebank."""

    __slots__ = ("treebank", "position", "_start", "_stop")

    def __init__(self, treebank: Treebank, position: int) -> None:
        self.treebank, self.position = treebank, position
        self._start, self._stop = (int(offset) for offset in treebank.offsets[position : position + 2])

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        """Tokens count from 0 here, as in any sequence; `token.id` counts from 1, as in the file."""
        if isinstance(index, slice):
            return [Token(self, i) for i in range(len(self))[index]]
        if not -len(self) <= index < len(self):
            raise IndexError(f"sentence of {len(self)} words has no token {index}")
        return Token(self, index % len(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and (self.treebank, self.position) == (other.treebank, other.position)

    def __hash__(self) -> int:
        return hash((id(self.treebank), self.position))

    def __repr__(self) -> str:
        return f"<Sentence {self.position + 1}: {' '.join(self.forms)}>"

    # --- Columns ---

    @property
    def heads(self) -> IntArray:
        """Heads of the words (0 is Root, -1 is `_`): a view, to be read and written."""
        return self.treebank.heads[self._start : self._stop]

    @heads.setter
    def heads(self, heads: Sequence[int | None]) -> None:
        self._check_length("heads", heads)
        self.heads[:] = [self.checked_head(word, head) for word, head in enumerate(heads, start=1)]

    def checked_head(self, word: int, head: object) -> int:
        """A head as the array has it; TreebankError if the sentence has no such word."""
        try:
            value = -1 if head is None else index(head)  # type: ignore[arg-type]
        except TypeError:
            value = -2
        if not -1 <= value <= len(self):
            raise TreebankError(f"head of word {word} must be 0..{len(self)} or None; got {head!r}")
        return value

    def values(self, name: str) -> list[str]:
        """A column as strings."""
        strings = self.treebank.vocabulary(name)
        ids = self.treebank.column(name)[self._start : self._stop].tolist()
        if ids and not 0 <= min(ids) <= max(ids) < len(strings):
            raise TreebankError(f"sentence {self.position + 1}: {name} has ids 0..{len(strings) - 1}; got {ids}")
        return [strings[i] for i in ids]

    def set_values(self, name: str, values: Sequence[str]) -> None:
        """Sets a column."""
        self._check_length(name, values)
        ids = [self.treebank.id_of(name, value) for value in values]
        self.treebank.column(name)[self._start : self._stop] = ids

    def _check_length(self, name: str, values: Sequence[Any]) -> None:
        if len(values) != len(self):
            raise TreebankError(
                f"{name} of a sentence of {len(self)} words must be {len(self)} values; got {len(values)}"
            )

    @property
    def forms(self) -> list[str]:
        return self.values("form")

    @property
    def labels(self) -> list[str]:
        return self.values("deprel")

    @labels.setter
    def labels(self, labels: Sequence[str]) -> None:
        self.set_values("deprel", labels)

    def gold(self) -> Gold:
        """The annotation as a Gold: heads and labels, `_` unknown."""
        heads = [None if head < 0 else head for head in self.heads.tolist()]
        return Gold(heads, [None if label == "_" else label for label in self.labels])

    # --- What stands around the words ---

    @property
    def comments(self) -> list[str]:
        """Comment lines, with their `#`."""
        return self.treebank._store.comments(self.position)

    @comments.setter
    def comments(self, lines: Sequence[str]) -> None:
        if self.treebank.format == "conllx":
            raise TreebankError("CoNLL-X has no comments")
        for line in lines:
            if not line.startswith("#") or "\n" in line or "\r" in line:
                raise TreebankError(f"a comment must be one line that starts with #; got {line!r}")
        self.treebank._store.set_comments(self.position, list(lines))

    @property
    def metadata(self) -> dict[str, str]:
        """Comments of the form `# key = value`."""
        pairs = (line[1:].partition("=") for line in self.comments)
        return {key.strip(): value.strip() for key, sign, value in pairs if sign}

    @property
    def sent_id(self) -> str | None:
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str | None:
        return self.metadata.get("text")

    @property
    def line(self) -> int:
        """The line of the file where the sentence starts."""
        return self.treebank._store.line(self.position)

    @property
    def multiword_tokens(self) -> list[MultiwordToken]:
        """Ranges of words that are written as one."""
        found = self.treebank.extras("ranges", self.position)
        return [MultiwordToken(first, last, *_pick(line, 1, 9)) for first, last, line in found]

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """Nodes of the enhanced graph that are no words."""
        found = self.treebank.extras("empty_nodes", self.position)
        return [EmptyNode(after, number, *_pick(line, 1, 2, 3, 4, 5, 8, 9)) for after, number, line in found]

    def to_conllu(self) -> str:
        """The sentence as it is written."""
        return self.treebank._write([self.position]).decode()

    def draw(self) -> str:
        """Words, tags and labels with the arcs above, for a terminal."""
        from panparser.drawing import draw_arcs

        rows = [[*self.values("upos"), ""], [*self.labels, ""]]
        below = [row for row in rows if any(cell not in ("", "_") for cell in row)]
        last = len(self)
        heads = [last if head == 0 else head - 1 if head > 0 else -1 for head in self.heads.tolist()]
        return draw_arcs([*self.forms, "ROOT"], [*heads, -1], below)

    def _repr_html_(self) -> str:
        from panparser.drawing import svg_tree

        return svg_tree(self.forms, self.heads.tolist(), self.labels, self.values("upos"))


@dataclass(frozen=True)
class MultiwordToken:
    """Words first..last, written as one form."""

    first: int
    last: int
    form: str
    misc: str


@dataclass(frozen=True)
class EmptyNode:
    """The number-th empty node after a word."""

    after: int
    number: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deps: str
    misc: str


def _pick(line: str, *cells: int) -> list[str]:
    columns = line.split("\t")
    return [columns[cell] for cell in cells]


def _number(name: str) -> int:
    if name not in COLUMNS:
        raise TreebankError(f"a treebank has the columns {', '.join(COLUMNS)}; got {name!r}")
    return COLUMNS.index(name)


def _cell(name: str) -> property:
    def get(token: Token) -> str:
        return token.value(name)

    def put(token: Token, text: str) -> None:
        token.set(name, text)

    return property(get, put, doc=f"{name.upper()}, `_` if there is none.")


class Token:
    """A view of one word; `token.head = 3` changes the treebank. `head` is None where the file has `_`."""

    __slots__ = ("sentence", "position")

    def __init__(self, sentence: Sentence, position: int) -> None:
        self.sentence, self.position = sentence, position

    @property
    def id(self) -> int:
        return self.position + 1

    @property
    def head(self) -> int | None:
        head = int(self.sentence.heads[self.position])
        return None if head < 0 else head

    @head.setter
    def head(self, head: int | None) -> None:
        self.sentence.heads[self.position] = self.sentence.checked_head(self.id, head)

    form = _cell("form")
    lemma = _cell("lemma")
    upos = _cell("upos")
    xpos = _cell("xpos")
    feats = _cell("feats")
    label = _cell("deprel")
    deps = _cell("deps")
    misc = _cell("misc")

    def value(self, name: str) -> str:
        """A cell as text."""
        treebank, word = self.sentence.treebank, self.sentence._start + self.position
        strings, number = treebank.vocabulary(name), int(treebank.column(name)[word])
        if not 0 <= number < len(strings):
            raise TreebankError(
                f"word {self.id} of sentence {self.sentence.position + 1}: {name} has ids 0..{len(strings) - 1}; got {number}"
            )
        return strings[number]

    def set(self, name: str, text: str) -> None:
        """Sets a cell."""
        treebank = self.sentence.treebank
        treebank.column(name)[self.sentence._start + self.position] = treebank.id_of(name, text)

    @property
    def features(self) -> dict[str, str]:
        """FEATS as a dict."""
        return _pairs(self.value("feats"))

    @property
    def misc_values(self) -> dict[str, str]:
        """MISC as a dict; an item without `=` has the value ''."""
        return _pairs(self.value("misc"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and (self.sentence, self.position) == (other.sentence, other.position)

    def __hash__(self) -> int:
        return hash((self.sentence, self.position))

    def __repr__(self) -> str:
        return f"<Token {self.id} {self.value('form')}>"


def _pairs(text: str) -> dict[str, str]:
    if text == "_":
        return {}
    return {key: value for key, _, value in (item.partition("=") for item in text.split("|"))}
