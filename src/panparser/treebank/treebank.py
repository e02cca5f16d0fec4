"""Treebank: the columns of CoNLL-U in native memory, built from sentences and sampled."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeGuard, overload

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_count
from panparser.base.types import IntArray
from panparser.errors import ConlluError, TreebankError
from panparser.treebank.sentences import Sentence, Token

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")  # the engine's order
Format = Literal["conllu", "conllx"]
_SEPARATORS = re.compile(r"[|=\t\n\r]")  # would end a key or a value in a cell
_MARK = b"\xef\xbb\xbf"  # the byte-order mark that a file may begin with
_UNWRITABLE = re.compile("[\t\n\r\ud800-\udfff]")  # would break a line, or is not UTF-8


@dataclass(frozen=True)
class Problem:
    """An error in a file."""

    path: str
    line: int
    rule: str
    expected: str
    found: str
    hint: str
    fatal: bool  # the sentence could not be read

    @property
    def harmless(self) -> bool:
        """Are the sentences what they would be without it? A byte-order mark, blank lines: `validate` reports them."""
        return not self.fatal and self.rule in ("blank-line", "encoding")

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        found = "".join(c if c.isprintable() else repr(c)[1:-1] for c in self.found)
        return f"{self.path}:{self.line}: expected {self.expected}, found {found}{hint}"


class Treebank(Sequence[Sentence]):
    """Sentences with their annotations; made by `read_conllu`.

    `heads` (HEAD, -1 is `_`) and `column(name)` (ids into `vocabulary(name)`) are arrays over all words, shared with
    the engine: `write_conllu` writes their current values. `offsets[i]` is the first word of sentence i.
    """

    def __init__(
        self,
        text: bytes,
        *,
        path: str = "<text>",
        format: Format = "conllu",
        single_root: bool = False,
        line: int = 1,
    ) -> None:
        if not isinstance(text, bytes):
            raise ConlluError(f"expected the bytes of a file; got {type(text).__name__}")
        if format not in ("conllu", "conllx"):
            raise ConlluError(f"format must be one of conllu, conllx, auto; got {format!r}")
        self._store = _engine.TreebankStore(text, format == "conllx", single_root, line)
        self.path = path
        self.format: Format = format
        self.offsets: npt.NDArray[np.int64] = self._store.offsets
        self._columns: dict[int, IntArray] = {}  # arrays shared with the engine must be compared when they are written
        self._strings: list[list[str]] = [[] for _ in COLUMNS]
        self._extras: list[dict[int, list[tuple[int, int, str]]]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what goes to another process: the text that would be written."""
        return _read_again, (self.to_bytes(), self.path, self.format)

    # --- Sequence of sentences ---

    def __len__(self) -> int:
        return self._store.sentences

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int]) -> Treebank: ...
    def __getitem__(self, index: int | slice | Sequence[int]) -> Sentence | Treebank:
        """A sentence (a view), or a new treebank with the sentences of a slice or a list of numbers (a copy)."""
        if isinstance(index, Sequence) and not isinstance(index, str):
            return Treebank(self._write([self[i].position for i in index]), path=self.path, format=self.format)
        if isinstance(index, slice):
            chosen = range(len(self))[index]
            line = self[chosen[0]].line if chosen and chosen.step == 1 else 1
            return Treebank(self._write(chosen), path=self.path, format=self.format, line=line)
        if not isinstance(index, SupportsIndex):
            raise TypeError(f"sentences are numbered 0..{len(self) - 1}; got {index!r}")
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"treebank of {len(self)} sentences has no sentence {index}")
        return Sentence(self, index % len(self))

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, index) for index in range(len(self)))

    @property
    def words(self) -> int:
        """Number of words in all sentences."""
        return self._store.words

    @property
    def parse_problems(self) -> list[Problem]:
        """Errors found by the reader, by line."""
        return [Problem(self.path, *fields) for fields in self._store.problems()]

    @property
    def skipped_sentences(self) -> int:
        """Number of sentences that could not be read, and are left out."""
        return self._store.dropped

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
        """Ids of a column of all words, as indices into `vocabulary(name)`."""
        number = _number(name)
        if number not in self._columns:
            self._columns[number] = self._store.column(number)
        return self._columns[number]

    def vocabulary(self, name: str) -> list[str]:
        """The strings of a column, by id; `_` is 0. It grows when values are set, and must not be modified."""
        number = _number(name)
        strings = self._strings[number]
        if len(strings) < self._store.vocabulary_size(number):
            strings += self._store.strings(number, len(strings))
        return strings

    def id_of(self, name: str, text: str) -> int:
        """The id of a string in a column's vocabulary, added if necessary."""
        if not is_cell(text):
            raise TreebankError(
                f"{name} must be a text without tabs, line ends and spaces around it, or _; got {text!r}"
            )
        return self._store.intern(_number(name), text)

    def ids_of(self, name: str, texts: Sequence[str]) -> IntArray:
        """The ids of many strings in a column's vocabulary, added if necessary."""
        stripped = [text.strip(" ") for text in texts]
        if _UNWRITABLE.search("".join(texts)) or "" in stripped or stripped != list(texts):
            for text in texts:
                self.id_of(name, text)  # raises
        return self._store.intern_all(_number(name), list(texts))

    def set_column(self, name: str, texts: Sequence[str], places: IntArray) -> None:
        """Gives each word the text at its place in `texts`; the vocabulary gets only those that occur."""
        used = np.flatnonzero(np.bincount(places, minlength=len(texts)))
        ids = np.zeros(len(texts), dtype=np.int32)
        ids[used] = self.ids_of(name, [texts[place] for place in used.tolist()])
        self.column(name)[:] = ids[places]

    def contains_text(self, text: str, column: str | None = None) -> bool:
        """Might a cell of a column, or a comment, contain this? False is certain; no sentence is looked into."""
        return self._store.any_comment_has(text) if column is None else self._store.any_cell_has(_number(column), text)

    def annotate(self, key: str, function: Callable[[Token], str | None]) -> None:
        """Writes `key=function(token)` into MISC of each word, for templates such as `S0.misc[key]`.

        An old value is replaced in place, other keys are kept; None leaves the word without the key. All
        values are computed before the first is written.
        """
        if self.format == "conllx":
            raise TreebankError("CoNLL-X has no MISC")
        if not _is_value(key):
            raise TreebankError(f"annotate: key must be a text without | = and tabs; got {key!r}")
        values = [function(token) for sentence in self for token in sentence]
        for word, value in enumerate(values):
            if value is not None and not _is_value(value):
                sentence = int(self.sentence_of_word()[word])
                place = f"word {word - self.offsets[sentence] + 1} of sentence {sentence + 1}"
                raise TreebankError(
                    f"{place}: {key} must be a text without | = and tabs, no space around it, or None; got {value!r}"
                )
        self.check()
        ids, cells = self.column("misc"), self.vocabulary("misc")
        changed = [with_value(cells[cell], key, value) for cell, value in zip(ids.tolist(), values, strict=True)]
        ids[:] = [self.id_of("misc", cell) for cell in changed]

    def extra_lines(self, kind: Literal["ranges", "empty_nodes"], sentence: int) -> list[tuple[int, int, str]]:
        """(first, last, line) of multiword tokens, or (word before, number, line) of empty nodes."""
        if self._extras is None:
            self._extras = [{}, {}]
            for found, lines in zip(self._extras, (self._store.ranges(), self._store.empty_nodes()), strict=True):
                for owner, first, second, line in lines:
                    found.setdefault(owner, []).append((first, second, line))
        return self._extras[kind == "empty_nodes"].get(sentence, [])

    def check(self) -> None:
        """Raises TreebankError if an array has a head outside its sentence, or an id that is not in its vocabulary."""
        words = np.diff(self.offsets)[self.sentence_of_word()]
        bad = (self.heads < -1) | (self.heads > words)
        for number in self._columns:
            column = self._columns[number]
            bad |= (column < 0) | (column >= self._store.vocabulary_size(number))
        if bad.any():
            self.to_bytes()  # its message names the place

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
            numbers: dict[str, int] = {}  # different invalid UTF-8 may decode to the same text
            codes = np.array([numbers.setdefault(text, len(numbers)) for text in self.vocabulary(name)])
            frame[name] = pd.Categorical.from_codes(codes[self.column(name)], categories=list(numbers))
            if name == "feats":
                frame["head"] = self.heads
        return frame

    def to_bytes(self) -> bytes:
        """The file as read, with changed cells; without sentences that a lenient reader could not read."""
        return self._write(range(len(self)))

    def to_conllu(self) -> str:
        """The file as text, as `write_conllu` writes it."""
        return self.to_bytes().decode()

    def to_json(self) -> str:
        """A line of JSON for each sentence (JSON lines), as in `Sentence.to_json`."""
        return "".join(f"{sentence.to_json()}\n" for sentence in self)

    def copy(self) -> Treebank:
        """A separate treebank, as if the file with the changed cells were read again."""
        return Treebank(self.to_bytes(), path=self.path, format=self.format)

    def _write(self, sentences: Sequence[int]) -> bytes:
        try:
            return self._store.write(list(sentences))
        except ValueError as error:
            raise TreebankError(f"{self.path}: {error}") from None

    def __add__(self, other: Treebank) -> Treebank:
        """A new treebank with the sentences of both."""
        return concatenated((self, other))

    def draw(self) -> str:
        """All sentences as in `Sentence.draw`, with a blank line between them."""
        return "\n\n".join(sentence.draw() for sentence in self)

    def _repr_html_(self) -> str:
        shown = [sentence.to_svg() for sentence in self[:3]]
        rest = f"<p>… and {len(self) - 3} more sentences</p>" if len(self) > 3 else ""
        return f"<p>{len(self)} sentences, {self.words} words</p>" + "".join(shown) + rest


def concatenated(treebanks: Sequence[Treebank]) -> Treebank:
    """All sentences of treebanks, in order, as one; it has the path of the first, and is the first if there is one."""
    first = treebanks[0]
    if len(treebanks) == 1:
        return first
    data = bytearray(first.to_bytes())
    for other in treebanks[1:]:
        if first.format != other.format:
            raise TreebankError(f"expected treebanks of the same format; got {first.format} and {other.format}")
        if data and not data.endswith((b"\n\n", b"\n\r\n")):
            data += b"\n" if data.endswith(b"\n") else b"\n\n"
        data += other.to_bytes().removeprefix(_MARK)
    return Treebank(bytes(data), path=first.path, format=first.format)


def is_cell(text: object) -> TypeGuard[str]:
    """Can a text stand in a cell?"""
    return isinstance(text, str) and bool(text) and text == text.strip(" ") and not _UNWRITABLE.search(text)


def _is_value(text: object) -> bool:
    return isinstance(text, str) and bool(text) and text == text.strip(" ") and not _SEPARATORS.search(text)


def with_value(cell: str, key: str, value: str | None) -> str:
    """A cell `Key=Value|Key=Value` with one value set, or without it."""
    item = [] if value is None else [f"{key}={value}"]
    items: list[str] = []
    for old in [] if cell == "_" else cell.split("|"):
        if old == key or old.startswith(f"{key}="):
            items += item
            item = []
        else:
            items.append(old)
    return "|".join(items + item) or "_"


def _number(name: str) -> int:
    if name not in COLUMNS:
        raise TreebankError(f"column must be one of {', '.join(COLUMNS)}; got {name!r}")
    return COLUMNS.index(name)


def check_treebanks(user: str, treebank: object, dev: object) -> None:
    """Raises TreebankError unless the training data and the development set, if any, are treebanks."""
    for name, value in (("treebank", treebank), ("dev", dev)):
        if not isinstance(value, Treebank) and not (value is None and name == "dev"):
            raise TreebankError(f"{user}: {name} must be a Treebank; got {value!r}")
    if isinstance(dev, Treebank) and not dev.words:
        raise TreebankError(f"{dev.path}: expected sentences for selecting the best epoch, found none")


def check_lengths(treebank: Treebank) -> None:
    """Raises TreebankError if a sentence is too long for the engine."""
    lengths = np.diff(treebank.offsets)
    if len(lengths) and lengths.max() > _engine.MAX_WORDS:
        long = int(lengths.argmax())
        raise TreebankError(
            f"{treebank.path}:{treebank[long].line}: expected at most {_engine.MAX_WORDS} words in a sentence, "
            f"found {lengths[long]}"
        )


def _read_again(text: bytes, path: str, format: Format) -> Treebank:
    return Treebank(text, path=path, format=format)


_EMPTY = "\t_" * 8


def from_tokens(sentences: Sequence[str] | Sequence[Sequence[str]]) -> Treebank:
    """A treebank without annotation, of the tokens of a sentence, or of several sentences: lists of strings."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Sequence):
        raise TreebankError(f"expected a text, a list of tokens or a list of such lists; got {sentences!r}")
    listed: Sequence[Any] = [sentences] if sentences and isinstance(sentences[0], str) else sentences
    lines: list[str] = []
    for number, tokens in enumerate(listed, start=1):
        if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not tokens:
            raise TreebankError(f"sentence {number}: expected a list of tokens, at least one; got {tokens!r}")
        for token in tokens:
            if not is_cell(token):
                raise TreebankError(
                    f"sentence {number}: a token must be a text without tabs, line ends and spaces around it; "
                    f"got {token!r}"
                )
        lines += (f"# sent_id = {number}", f"# text = {' '.join(tokens)}")
        lines += (f"{word}\t{token}{_EMPTY}" for word, token in enumerate(tokens, start=1))
        lines.append("")
    return Treebank("".join(f"{line}\n" for line in lines).encode())


def sample_sentences(treebank: Treebank, sentences: int, *, seed: int = 1) -> Treebank:
    """So many sentences of a treebank, drawn at random, in their order; all, if there are not more."""
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
    check_count("sample_sentences: sentences", sentences)
    check_count("sample_sentences: seed", seed, minimum=0)
    chosen = np.random.default_rng(seed).permutation(len(treebank))[:sentences]
    return treebank[sorted(chosen.tolist())]
