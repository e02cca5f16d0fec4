"""Word vectors, and the files that hold them."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import MAX_INT, check_count
from panparser.base.types import IntArray
from panparser.errors import VectorError
from panparser.treebank.treebank import Treebank

MAX_DIMENSIONS = 2048
_SNIFF_BYTES = 1 << 16  # examined to detect the format
_MAX_WORD_BYTES = 1 << 12
_DIGITS = 18  # of the numbers in the first line
_LARGEST = float(np.finfo(np.float32).max)
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Format:
    """The format detected at the beginning of a file. `count` is None if the file does not give it."""

    count: int | None
    dimensions: int
    binary: bool


def read_file(path: str | os.PathLike[str], limit: int | None) -> tuple[list[str], Floats]:
    """Words in order, without duplicates (the first is kept), and their vectors."""
    name = os.fspath(path)
    with _open(name) as stream:
        form = _recognize(stream.read(_SNIFF_BYTES), name)
    words: dict[str, int] = {}
    values = array("f")
    with _open(name) as stream:
        if form.count is not None:
            stream.readline()
        entries = _binary(stream, form, name, limit) if form.binary else _text(stream, form, name, limit)
        for word, numbers in entries:
            if words.setdefault(word, len(words)) * form.dimensions == len(values):
                values.extend(numbers)
    return list(words), np.frombuffer(values, dtype=np.float32).reshape(len(words), form.dimensions)


@contextmanager
def _open(name: str) -> Iterator[IO[bytes]]:
    try:
        with open(name, "rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20) if packed else raw
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise VectorError(f"{name}: cannot be read: {reason}") from None


def _recognize(head: bytes, name: str) -> _Format:
    first, _, rest = head.partition(b"\n")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        form = _Format(None, len(fields) - 1, False)
    elif max(map(len, fields)) > _DIGITS:
        form = _Format(None, 0, False)
    else:
        count, dimensions = int(fields[0]), int(fields[1])
        form = _Format(count, dimensions, _is_binary(rest, dimensions))
    if not 1 <= form.dimensions <= MAX_DIMENSIONS:
        raise VectorError(
            f"{name}:1: expected the numbers of vectors and dimensions, or a word and its 1 to {MAX_DIMENSIONS} "
            f"numbers, found {_shown(first)}"
        )
    return form


def _is_binary(rest: bytes, dimensions: int) -> bool:
    """Are the bytes after the first word not text?"""
    _, _, numbers = rest.partition(b" ")
    if _floats(numbers.partition(b"\n")[0].split()) is not None:
        return False
    numbers = numbers[: 4 * dimensions]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(numbers)
    except UnicodeDecodeError:
        return True
    return not _CONTROLS.isdisjoint(numbers)


def _text(stream: IO[bytes], form: _Format, name: str, limit: int | None) -> Iterator[tuple[str, Sequence[float]]]:
    found, first = 0, 1 if form.count is None else 2
    for number, line in enumerate(stream, start=first):
        if not line.strip():
            continue
        if found == limit:
            return
        found += 1
        if form.count is not None and found > form.count:
            raise VectorError(f"{name}:{number}: expected {form.count} vectors, as line 1 says, found more")
        word, *fields = line.rsplit(None, form.dimensions)
        numbers = _floats(fields)
        # Words may contain spaces; if a number is missing, the word is taken for one.
        if numbers is None or len(numbers) != form.dimensions or not word.strip():
            raise VectorError(f"{name}:{number}: expected a word and {form.dimensions} numbers, found {_shown(line)}")
        yield word.decode("utf-8", "replace"), numbers
    if form.count is not None and found < form.count:
        raise VectorError(f"{name}: expected {form.count} vectors, as line 1 says, found {found}")


def _binary(stream: IO[bytes], form: _Format, name: str, limit: int | None) -> Iterator[tuple[str, Floats]]:
    count = form.count or 0
    for number in range(1, (count if limit is None else min(count, limit)) + 1):
        word = _binary_word(stream)
        data = stream.read(4 * form.dimensions)
        if word is None or len(data) < 4 * form.dimensions:
            found = "no word" if word is None else f"{len(data)} bytes"
            raise VectorError(
                f"{name}: vector {number} of {count}: expected a word and {4 * form.dimensions} bytes, found {found}"
            )
        numbers = np.frombuffer(data, dtype="<f4")
        if not np.isfinite(numbers).all():
            raise VectorError(f"{name}: vector {number} of {count}: expected finite numbers, found {numbers.tolist()}")
        yield word.decode("utf-8", "replace"), numbers
    if (limit is None or limit > count) and stream.read(2) not in (b"", b"\n"):
        raise VectorError(f"{name}: expected {count} vectors, as line 1 says, found more")


def _binary_word(stream: IO[bytes]) -> bytes | None:
    word = bytearray()
    while (letter := stream.read(1)) != b" ":
        if not letter or len(word) > _MAX_WORD_BYTES:
            return None
        word += letter
    return bytes(word).lstrip(b"\n") or None  # the original program ends each vector with a line feed


def _floats(fields: Sequence[bytes]) -> list[float] | None:
    """The numbers, if all are valid and finite."""
    try:
        numbers = list(map(float, fields))
    except ValueError:
        return None
    return numbers if numbers and math.isfinite(sum(numbers)) and max(map(abs, numbers)) <= _LARGEST else None


def _shown(line: bytes) -> str:
    text = line.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 60 else text[:57] + "...")


UNKNOWN = ("<UNK>", "<unk>")  # their vector is used for unknown words
_MIN_BITS, _MAX_BITS = 2, 12  # of the engine
_MAX_VALUE = 127
_MAX_CLIPPED_RATIO = 1000  # numbers for each one that may be too large for a byte
_BLOCK = 1 << 12  # rows processed at a time


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words and their vectors; made by `read_vectors` or `WordVectors.from_dict`.

    All vectors are scaled by one factor, so that their mean norm is 1, and kept as bytes: `matrix` / 2**`bits`. Row 0
    is the vector of unknown words, row i + 1 that of `words[i]`. At most one number in a thousand is too large for a
    byte, and clipped.
    """

    words: tuple[str, ...]
    matrix: npt.NDArray[np.int8]  # (words + 1, dimensions)
    bits: int

    def __post_init__(self) -> None:
        if not isinstance(self.matrix, np.ndarray) or self.matrix.dtype != np.int8 or self.matrix.ndim != 2:
            raise VectorError(f"WordVectors: matrix must be an array of int8 with two axes; got {self.matrix!r}")
        shape = self.matrix.shape
        if shape[0] != len(self.words) + 1 or not 1 <= shape[1] <= MAX_DIMENSIONS:
            raise VectorError(
                f"WordVectors: matrix must have {len(self.words) + 1} rows (one more than there are words) and 1 to "
                f"{MAX_DIMENSIONS} columns; got {shape[0]} and {shape[1]}"
            )
        if not isinstance(self.bits, int) or not _MIN_BITS <= self.bits <= _MAX_BITS:
            raise VectorError(
                f"WordVectors: bits must be an integer between {_MIN_BITS} and {_MAX_BITS}; got {self.bits!r}"
            )
        if not self.words or len(self._rows) != len(self.words):
            raise VectorError("WordVectors: words must be one or more different texts")

    @classmethod
    def from_dict(cls, vectors: Mapping[str, Sequence[float]]) -> WordVectors:
        """Vectors by word; that of unknown words is under `<UNK>`, else all zero."""
        if not isinstance(vectors, Mapping) or not vectors:
            raise VectorError(f"expected a dict with the vectors of one or more words; got {vectors!r}")
        rows: list[Floats] = []
        for word, values in vectors.items():
            try:
                with np.errstate(over="ignore"):
                    row = np.array(values, dtype=np.float32)
                good = bool(word.encode()) and row.ndim == 1 and bool(np.isfinite(row).all())
            except (AttributeError, TypeError, ValueError, OverflowError):
                good = False
            if not good:
                raise VectorError(f"expected a word and a list of finite numbers; got {word!r}: {values!r}")
            if rows and len(row) != len(rows[0]):
                raise VectorError(f"vector of {word!r}: expected {len(rows[0])} numbers as before; got {len(row)}")
            rows.append(row)
        return cls._scaled(list(vectors), np.stack(rows))

    @classmethod
    def _scaled(cls, words: list[str], floats: Floats) -> WordVectors:
        names = [word for word in UNKNOWN if word in words]
        unknown = words.index(names[0]) if names else None
        kept = [i for i in range(len(words)) if i != unknown]
        rows = np.zeros((len(kept) + 1, floats.shape[1]), dtype=np.float32)
        rows[1:] = floats[kept]
        if unknown is not None:
            rows[0] = floats[unknown]
        matrix, bits = _quantized(rows)
        return cls(tuple(words[i] for i in kept), matrix, bits)

    def rounded(self, bits: int) -> WordVectors:
        """The same with fewer bits for each number, which take less room in a file that is compressed."""
        if not isinstance(bits, int) or not _MIN_BITS <= bits <= self.bits:
            raise VectorError(
                f"WordVectors.rounded: bits must be an integer between {_MIN_BITS} and {self.bits}; got {bits!r}"
            )
        matrix = np.rint(self.matrix / np.float64(2 ** (self.bits - bits))).astype(np.int8)
        return WordVectors(self.words, matrix, bits)

    # --- Values ---

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def unknown(self) -> npt.NDArray[np.int8]:
        """The vector of unknown words."""
        row: npt.NDArray[np.int8] = self.matrix[0]
        return row

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word: str) -> npt.NDArray[np.float64]:
        """The vector of a word, as the parser sees it: of the form, else of its lower case, else of unknown words."""
        row: npt.NDArray[np.float64] = self.matrix[self.row(word)] / np.float64(2**self.bits)
        return row

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row(word) != 0

    def __repr__(self) -> str:
        return f"<Vectors: {len(self)} words, {self.dimensions} dimensions>"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of words and numbers."""
        import hashlib

        text, starts = self._packed()
        found = hashlib.sha256(f"{self.bits} {self.matrix.shape}".encode())
        for part in (text, starts, self.matrix):
            found.update(np.ascontiguousarray(part).tobytes())
        return found.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordVectors) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    # --- Rows ---

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words, start=1) if isinstance(word, str)}

    def row(self, form: str) -> int:
        """The row of a form, else of its lower-cased form, else 0."""
        return self._rows.get(form) or self._rows.get(form.lower(), 0)

    def rows(self, treebank: Treebank, sentence: int | None = None) -> IntArray:
        """The row of each form in a treebank's vocabulary; 0 for those outside `sentence`, if it is given."""
        forms = treebank.vocabulary("form")
        if sentence is None:
            return np.fromiter(map(self.row, forms), dtype=np.int32, count=len(forms))
        rows = np.zeros(len(forms), dtype=np.int32)
        for form in treebank.column("form")[treebank.offsets[sentence] : treebank.offsets[sentence + 1]].tolist():
            rows[form] = self.row(forms[form])
        return rows

    @cached_property
    def engine(self) -> _engine.Vectors:
        return _engine.Vectors(self.matrix, self.bits)

    # --- Arrays in a model file ---

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        text, starts = self._packed()
        return {"vectors.matrix": self.matrix, "vectors.text": text, "vectors.starts": starts}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], bits: int) -> WordVectors:
        """Restores the result of `to_arrays`. Raises VectorsError or ValueError if it is inconsistent."""
        text, starts = bytes(arrays["vectors.text"]), arrays["vectors.starts"].astype(np.int64).tolist()
        if starts[:1] != [0] or starts[-1] != len(text) or starts != sorted(starts):
            raise VectorError("the words of the vectors do not fit their text")
        words = tuple(text[a:b].decode() for a, b in pairwise(starts))
        return cls(words, arrays["vectors.matrix"], bits)

    def _packed(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        words = [word.encode() for word in self.words]
        starts = np.cumsum([0, *map(len, words)], dtype=np.int64)
        return np.frombuffer(b"".join(words), dtype=np.uint8), starts


def read_vectors(path: str | os.PathLike[str], *, limit: int | None = None) -> WordVectors:
    """The vectors of a file: word2vec (text or binary), fastText .vec, GloVe; gzip too. The format is recognized.

    `limit`: read only this many, from the start, where most files have the most frequent words. The vector of `<UNK>`
    or `<unk>`, if the file has one, is used for unknown words; else theirs is all zero.
    """
    if limit is not None:
        check_count("read_vectors: limit", limit, maximum=MAX_INT, error=VectorError)
    words, floats = read_file(path, limit)
    if not set(words) - set(UNKNOWN):
        raise VectorError(f"{os.fspath(path)}: expected vectors, found none")
    return WordVectors._scaled(words, floats)


def _quantized(rows: Floats) -> tuple[npt.NDArray[np.int8], int]:
    """The rows as bytes, scaled to a mean norm of 1 (without row 0 and zeros) and times 2**bits; bits."""
    norms = [norm for norm in _norms(rows[1:]) if norm > 0]
    factor = len(norms) / math.fsum(norms) if norms else 1.0
    allowed = rows.size // _MAX_CLIPPED_RATIO
    bits = _MAX_BITS
    while bits > _MIN_BITS and _count_above(rows, (_MAX_VALUE + 0.5) / (factor * 2**bits)) > allowed:
        bits -= 1
    matrix = np.empty(rows.shape, dtype=np.int8)
    for start in range(0, len(rows), _BLOCK):
        scaled = np.rint(rows[start : start + _BLOCK].astype(np.float64) * (factor * 2**bits))
        matrix[start : start + _BLOCK] = np.clip(scaled, -_MAX_VALUE, _MAX_VALUE)
    return matrix, bits


def _norms(rows: Floats) -> Iterable[float]:
    """Euclidean norms. Sums go column by column: the order of numpy's own sums depends on the machine."""
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.float64)
        squares = np.zeros(len(block))
        for column in block.T:
            squares += column * column
        yield from np.sqrt(squares).tolist()


def _count_above(rows: Floats, bound: float) -> int:
    return sum(int((np.abs(rows[i : i + _BLOCK]) > bound).sum()) for i in range(0, len(rows), _BLOCK))
