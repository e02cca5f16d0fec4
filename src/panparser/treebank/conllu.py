"""Reading and writing CoNLL-U and CoNLL-X: files, streams, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import PurePath
from typing import IO, Any, Literal, cast

from panparser.errors import ConlluError, ConlluWarning, TreebankError
from panparser.storage.locations import FileRange, opened, whole
from panparser.treebank.treebank import Format, Problem, Treebank

Source = str | PathLike[str] | IO[bytes] | FileRange
Target = str | PathLike[str]
_BLOCK_SIZE = 1 << 23  # bytes that `iter_conllu` reads at a time
UTF16 = "expected UTF-8, found UTF-16 (convert the file, for example with iconv)"
_SNIFF_BYTES = 1 << 18  # examined to detect the format


def read_conllu(
    source: Source,
    *,
    format: Format | Literal["auto"] = "auto",
    lenient: bool = False,
    single_root: bool = False,
) -> Treebank:
    """The treebank of a file, by name or open for bytes (`-` is standard input; gzip, bzip2, xz, zstd are recognized).

    Raises ConlluError, with file, line, what was expected and what was found, if it is not well-formed; a byte-order
    mark, a blank line too many and a missing one at the end only make it warn (ConlluWarning). With `lenient`
    sentences that cannot be read are left out, and `treebank.parse_problems` lists everything. With `single_root` a
    sentence must have exactly one word with HEAD 0; `validate` checks all rules of Universal Dependencies. `format` is
    "conllu", "conllx" (CoNLL 2006) or "auto": CoNLL-X only if the file leaves no doubt.
    """
    path = source_name(source)
    with open_source(source) as stream:
        text = stream.read()
    return _strict(parse_conllu(text, path=path, format=format, lenient=True, single_root=single_root), lenient)


def iter_conllu(
    source: Source,
    *,
    format: Format | Literal["auto"] = "auto",
    lenient: bool = False,
    single_root: bool = False,
    block: int = _BLOCK_SIZE,
) -> Iterator[Treebank]:
    """A file of any size, as treebanks of about `block` bytes, in order; options as for `read_conllu`."""
    for piece in iter_blocks(source, format=format, block=block):
        yield _strict(piece.read(single_root=single_root), lenient)


@dataclass(frozen=True)
class Block:
    """Some whole sentences of a file, not yet parsed: that can be done in any thread."""

    text: bytes
    path: str
    format: Format
    line: int

    def read(self, *, single_root: bool = False) -> Treebank:
        """The sentences; their `problems` are not raised."""
        return Treebank(self.text, path=self.path, format=self.format, single_root=single_root, line=self.line)


def iter_blocks(
    source: Source, *, format: Format | Literal["auto"] = "auto", block: int = _BLOCK_SIZE, line: int = 1
) -> Iterator[Block]:
    """A file of any size, or its rest from a line on, in pieces of about `block` bytes, in order."""
    path = source_name(source)
    for text in _parts(source, block):
        if format == "auto":
            format = _format(text[:_SNIFF_BYTES], path)
        yield Block(text, path, format, line)
        line += text.count(b"\n")


def _parts(source: Source, block: int) -> Iterator[bytes]:
    """A file in pieces that end after a blank line; a piece depends on nothing that stands before it."""
    if block < 1:
        raise ConlluError(f"iter_conllu: block must be an integer >= 1; got {block!r}")
    with open_source(source) as stream:
        pending: list[bytes] = []
        size = 0  # of what is pending
        while data := stream.read(block - size % block):
            seam = b"".join(pending[-2:])[-2:]  # a blank line may begin in what was read before
            cut = _last_blank_line(seam + data) - len(seam)
            if cut > 0:
                yield b"".join([*pending, data[:cut]])
                pending, size, data = [], 0, data[cut:]
            if data:
                pending.append(data)
                size += len(data)
        if pending:
            yield b"".join(pending)


def parse_conllu(
    text: bytes | str,
    *,
    path: str = "<text>",
    format: Format | Literal["auto"] = "auto",
    lenient: bool = False,
    single_root: bool = False,
) -> Treebank:
    """The treebank of a text; options and errors as for `read_conllu`, but blank lines do not matter at all."""
    data = text.encode() if isinstance(text, str) else text
    data = bytes(data) if isinstance(data, bytearray | memoryview) else data
    chosen = _format(data[:_SNIFF_BYTES], path) if format == "auto" and isinstance(data, bytes) else format
    treebank = Treebank(data, path=path, format=chosen, single_root=single_root)
    if not lenient and (bad := [problem for problem in treebank.parse_problems if not problem.harmless]):
        raise refusal(bad)
    return treebank


def write_conllu(target: Target, treebank: Treebank) -> None:
    """Writes a treebank: what was read, with the cells that changed.

    `-` is standard output; .gz, .bz2, .xz and .zst compress. The file appears under its name only when it is complete.
    """
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"write_conllu: treebank must be a Treebank; got {treebank!r}")
    with conllu_output(target) as stream:
        stream.write(treebank.to_bytes())


@contextmanager
def conllu_output(target: Target) -> Iterator[IO[bytes]]:
    """A stream to write to, as `write_conllu` does; a file appears under its name only on success."""
    if str(target) != "-":
        suffix = PurePath(target).suffix.lower()
        with whole(target) as stream, _compressing(stream, suffix) as compressing:
            yield compressing
        return
    if sys.__stdout__ is None:
        raise ConlluError("<stdout>: cannot be written: it is closed")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # the reader is gone: not an error of ours
    except OSError as error:
        raise ConlluError(f"<stdout>: cannot be written: {error.strerror}") from None


def _strict(treebank: Treebank, lenient: bool) -> Treebank:
    if not lenient:
        accept(treebank.parse_problems)
    return treebank


def accept(problems: list[Problem], *, fatal_only: bool = False) -> None:
    """Raises ConlluError for problems (or for those that leave a sentence unread), and warns of harmless ones."""
    if bad := [problem for problem in problems if problem.fatal or not (fatal_only or problem.harmless)]:
        raise refusal(bad)
    for problem in problems:
        if problem.harmless:
            warnings.warn(str(problem), ConlluWarning, stacklevel=4)


def refusal(problems: list[Problem]) -> ConlluError:
    """The error for a file with these problems: the first, and the number of others."""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ConlluError(f"{problems[0]}{more}", len(problems))


def _last_blank_line(text: bytes) -> int:
    """The end of the last complete sentence; 0 if there is none."""
    return max(text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0, text.rfind(b"\n\r\n") + 3 if b"\n\r\n" in text else 0)


# --- Formats ---

_LINES = re.compile(
    rb"^(?:(?:\xef\xbb\xbf)?#|\d+[-.]\d+\t)", re.M
)  # comments, ranges, empty nodes: only CoNLL-U has them
_CELLS = re.compile(rb"^\d+\t(?:(?:[^\t\n]*\t){4}[^\t\n=]+=|(?:[^\t\n]*\t){7}\d+(?:\.\d+)?:)", re.M)  # FEATS, DEPS
_PHEAD = re.compile(rb"^\d+\t(?:[^\t\n]*\t){7}\d+\t", re.M)
_PLAIN_FEATS = re.compile(rb"^\d+\t(?:[^\t\n]*\t){4}(?!_\t)[^\t\n=]+\t", re.M)


def _format(text: bytes, path: str) -> Format:
    """CoNLL-U, or CoNLL-X if column 9 has numbers and nothing suggests CoNLL-U. Raises ConlluError if in doubt."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConlluError(f"{path}:1: {UTF16}")
    if b"\r" in text and b"\n" not in text:
        raise ConlluError(f"{path}:1: expected lines that end with a line feed, found only carriage returns")
    if _LINES.search(text):
        return "conllu"
    conllu, phead, feats = (pattern.search(text) for pattern in (_CELLS, _PHEAD, _PLAIN_FEATS))
    if phead and not conllu:
        return "conllx"
    doubt = phead or (feats if not conllu else None)
    if doubt:
        line = text.count(b"\n", 0, doubt.start()) + 1
        what = "a number in column 9 (PHEAD?)" if phead else "features without '=' in column 6"
        raise ConlluError(
            f"{path}:{line}: {what}: is this CoNLL-U or CoNLL-X? Choose --input-format conllu or conllx "
            "(in Python: format=...)"
        )
    return "conllu"


# --- Files ---

_MAGIC = (_GZIP, _BZIP2, _XZ, _ZSTD) = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


def source_name(source: Source) -> str:
    if isinstance(source, str | PathLike):
        return "<stdin>" if str(source) == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


@contextmanager
def open_source(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed."""
    name = source_name(source)
    if str(source) == "-" and sys.stdin is None:
        raise ConlluError(f"{name}: cannot be read: it is closed")
    try:
        with _opened(source) as stream:
            if isinstance(stream, FileRange):
                yield cast("IO[bytes]", stream)  # of a file that is not compressed, whatever stands at its beginning
                return
            ahead = looked_into(stream, 6)
            yield _decompressed(ahead, ahead.peek(6)[:6], name)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConlluError(f"{name}: cannot be read: {reason}") from None


def _opened(source: Source) -> AbstractContextManager[Any]:
    if isinstance(source, str | PathLike):
        return nullcontext(sys.stdin.buffer) if str(source) == "-" else opened(source)
    if isinstance(source, io.TextIOBase) or not hasattr(source, "read"):
        raise ConlluError(f"expected the name of a file, or one that is open for bytes; got {source!r}")
    return nullcontext(source)


def looked_into(stream: Any, size: int) -> io.BufferedReader:
    """A stream whose `peek` gives at least `size` bytes, or all there are; pipes return pieces of any size."""
    if hasattr(stream, "peek") and len(stream.peek(size)) >= size:
        return stream  # type: ignore[no-any-return]
    start = b""
    while len(start) < size and (more := stream.read(size - len(start))):
        start += more
    return io.BufferedReader(_Resumed(start, stream), max(size, io.DEFAULT_BUFFER_SIZE))


class _Resumed(io.RawIOBase):
    """The bytes already read from a stream, followed by the rest of it."""

    def __init__(self, start: bytes, stream: Any) -> None:
        self._start, self._stream = start, stream
        self.name = getattr(stream, "name", None)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._start or self._stream.read(len(buffer))
        part, self._start = data[: len(buffer)], data[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def is_compressed(path: str) -> bool:
    """Does a file begin like one of those that are decompressed when they are read?"""
    with opened(path) as stream:
        return stream.read(6).startswith(_MAGIC)


def _decompressed(stream: Any, magic: bytes, name: str) -> Any:
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=stream)
    if magic.startswith(_BZIP2):
        return bz2.BZ2File(stream)
    if magic.startswith(_XZ):
        return lzma.LZMAFile(stream)
    if magic.startswith(_ZSTD):
        return _ZstdStream(stream, _zstd(name))
    return stream


class _ZstdStream:
    """A zstd file that, unlike the package's own reader, raises EOFError if it is truncated."""

    def __init__(self, stream: Any, package: Any) -> None:
        self._stream, self._package = stream, package
        self._frame = package.ZstdDecompressor().decompressobj()
        self._ready = b""

    def read(self, size: int = -1) -> bytes:
        pieces, count = [self._ready], len(self._ready)
        while (size < 0 or count < size) and (piece := self._next()):
            pieces.append(piece)
            count += len(piece)
        data = b"".join(pieces)
        size = len(data) if size < 0 else size
        self._ready = data[size:]
        return data[:size]

    def _next(self) -> bytes:
        """The next bytes, from the next frame if necessary; empty at the end."""
        while True:
            data = (self._frame.unused_data if self._frame.eof else b"") or self._stream.read(1 << 20)
            if not data:
                if not self._frame.eof:
                    raise EOFError("Compressed file ended before the end-of-stream marker was reached")
                return b""
            if self._frame.eof:
                self._frame = self._package.ZstdDecompressor().decompressobj()
            try:
                piece: bytes = self._frame.decompress(data)
            except self._package.ZstdError as error:
                raise OSError(str(error)) from None
            if piece:
                return piece


def _compressing(stream: IO[bytes], suffix: str) -> Any:
    """A compressor into a stream, chosen by the suffix of its name; closing it leaves the stream open."""
    if suffix == ".gz":
        return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(stream, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(stream, "wb")
    if suffix == ".zst":
        return _zstd(f"*{suffix}").ZstdCompressor().stream_writer(stream, closefd=False)
    return nullcontext(stream)


def _zstd(name: str) -> Any:
    try:
        import zstandard
    except ImportError:
        raise ConlluError(f"{name}: zstd needs a package: pip install 'panparser[zstd]'") from None
    return zstandard
