"""Sentence and Token: lightweight views of a treebank; changes go to the treebank."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import getitem, index
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from panparser.base.types import IntArray
from panparser.errors import TreebankError
from panparser.trees.gold import GoldTree

if TYPE_CHECKING:
    from panparser.treebank.treebank import Treebank
    from panparser.trees.drawing import Svg


class Sentence(Sequence["Token"]):
    """A view of one sentence; changes go to the treebank."""

    __slots__ = ("treebank", "position", "_start", "_stop")

    def __init__(self, treebank: Treebank, position: int) -> None:
        self.treebank, self.position = treebank, position
        self._start, self._stop = (int(offset) for offset in treebank.offsets[position : position + 2])

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what goes to another process: the sentence, without the rest of its treebank."""
        return getitem, (self.treebank[[self.position]], 0)

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
        """A head as stored in the array. Raises TreebankError if the sentence has no such word."""
        try:
            value = -1 if head is None else index(head)  # type: ignore[arg-type]
        except TypeError:
            value = -2
        if not -1 <= value <= len(self):
            raise TreebankError(f"head of word {word} must be between 0 and {len(self)}, or None; got {head!r}")
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
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise TreebankError(f"{name} of a sentence must be a sequence; got {values!r}")
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

    def gold(self) -> GoldTree:
        """The annotation as a Gold: heads and labels, `_` unknown."""
        heads = [None if head < 0 else head for head in self.heads.tolist()]
        return GoldTree(heads, [None if label == "_" else label for label in self.labels])

    # --- Comments and other lines ---

    @property
    def comments(self) -> list[str]:
        """Comment lines, with their `#`."""
        return self.treebank._store.comments(self.position)

    @comments.setter
    def comments(self, lines: Sequence[str]) -> None:
        if self.treebank.format == "conllx":
            raise TreebankError("CoNLL-X has no comments")
        for line in lines:
            if not isinstance(line, str) or not line.startswith("#") or "\n" in line or "\r" in line:
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
        found = self.treebank.extra_lines("ranges", self.position)
        return [MultiwordToken(first, last, *_pick(line, 1, 9)) for first, last, line in found]

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """Nodes of the enhanced graph that are not words."""
        found = self.treebank.extra_lines("empty_nodes", self.position)
        return [EmptyNode(after, number, *_pick(line, 1, 2, 3, 4, 5, 8, 9)) for after, number, line in found]

    def to_conllu(self) -> str:
        """The sentence as in the file."""
        return self.treebank._write([self.position]).decode()

    def to_dict(self) -> dict[str, Any]:
        """The sentence in plain values: sent_id, text, other comments, tokens, multiword tokens; `_` is None."""
        values: dict[str, Any] = {"sent_id": self.sent_id, "text": self.text}
        if others := {name: text for name, text in self.metadata.items() if name not in values}:
            values["comments"] = others
        ranges = self.multiword_tokens
        places = {word: _place(each.misc) for each in ranges for word in range(each.first, each.last + 1)}
        values["tokens"] = [token.to_dict() | places.get(token.id, {}) for token in self]
        if ranges:
            values["multiword_tokens"] = [
                {"first": each.first, "last": each.last, "form": each.form, **_place(each.misc)} for each in ranges
            ]
        return values

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def draw(self) -> str:
        """Words, tags and labels with the arcs above, for a terminal."""
        from panparser.trees.drawing import draw_arcs

        rows = [[*self.values("upos"), ""], [*self.labels, ""]]
        below = [row for row in rows if any(cell not in ("", "_") for cell in row)]
        last = len(self)
        heads = [last if head == 0 else head - 1 if head > 0 else -1 for head in self._drawable_heads()]
        return draw_arcs([*self.forms, "ROOT"], [*heads, -1], below)

    def to_svg(self) -> str:
        """Words, tags and labels with the arcs above, as one SVG element."""
        return str(self.svg)

    @property
    def svg(self) -> Svg:
        """The drawing of `to_svg`, with its size."""
        from panparser.trees.drawing import svg_tree

        return svg_tree(self.forms, self._drawable_heads(), self.labels, self.values("upos"))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _drawable_heads(self) -> list[int]:
        heads: list[int] = self.heads.tolist()
        if not -1 <= min(heads) <= max(heads) <= len(self):
            self.treebank.check()  # its message names the place
        return heads


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


def _cell(name: str) -> property:
    def get(token: Token) -> str:
        return token.value(name)

    def put(token: Token, text: str) -> None:
        token.set(name, text)

    return property(get, put, doc=f"{name.upper()}, `_` if empty.")


class Token:
    """A view of one word; `token.head = 3` changes the treebank. `head` is None if the file has `_`."""

    __slots__ = ("sentence", "position")

    def __init__(self, sentence: Sentence, position: int) -> None:
        self.sentence, self.position = sentence, position

    def __reduce__(self) -> tuple[Any, ...]:
        return getitem, (self.sentence, self.position)

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

    @property
    def head_token(self) -> Token | None:
        """The head as a token; None if that is Root, or unknown."""
        return self.sentence[self.head - 1] if self.head else None

    @property
    def children(self) -> list[Token]:
        """The dependents of the word, from left to right."""
        return [self.sentence[child] for child in np.flatnonzero(self.sentence.heads == self.id).tolist()]

    @property
    def subtree(self) -> list[Token]:
        """The word and all words below it, from left to right."""
        found, pending = {self.position}, [self]
        while pending:
            new = [child for child in pending.pop().children if child.position not in found]
            found |= {child.position for child in new}
            pending += new
        return [self.sentence[position] for position in sorted(found)]

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
            place = f"word {self.id} of sentence {self.sentence.position + 1}"
            raise TreebankError(f"{place}: {name} has ids 0..{len(strings) - 1}; got {number}")
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

    def to_dict(self) -> dict[str, Any]:
        """The word in plain values; `_` is None, but as a form."""
        cells = {name: self.value(name) for name in ("form", "lemma", "upos", "xpos", "deprel", "deps")}
        known = {name: None if text == "_" and name != "form" else text for name, text in cells.items()}
        first = {"id": self.id, **{name: known.pop(name) for name in ("form", "lemma", "upos", "xpos")}}
        tree = {"feats": self.features, "head": self.head, **known, "misc": self.misc_values}
        return {**first, **tree, **_place(self.misc)}

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


def _place(misc: str) -> dict[str, int]:
    """Where a token starts and ends in the text, if it is annotated."""
    found = re.search(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)", misc)
    return {"start": int(found[1]), "end": int(found[2])} if found else {}
