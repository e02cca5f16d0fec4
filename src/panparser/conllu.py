"""Reading and writing CoNLL-U and CoNLL-X: whole files, streams, compressed ones."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal

from panparser.errors import ConlluError
from panparser.treebank import Format, Treebank

Source = str | PathLike[str]
_BLOCK = 1 << 23  # bytes that `iter_conllu` reads at a time
_LOOK = 1 << 18  # bytes in which the format is looked for


def read_conllu(
    source: Source,
    *,
    format: Format | Literal["auto"] = "auto",
    lenient: bool = False,
    single_root: bool = False,
) -> Treebank:
    """The treebank of a file (`-` is standard input; gzip, xz and zstd are recognized).

    What is not well-formed raises `ConlluError` with file, line, what was expected and what was found. With `lenient`
    sentences that cannot be read are left out, and `treebank.problems` lists everything. With `single_root` a sentence
    must have exactly one word with HEAD 0. `format` is "conllu", "conllx" (CoNLL 2006) or "auto": CoNLL-X where the
    file leaves no doubt.
    """
    path = _name(source)
    with _open(source) as stream:
        text = stream.read()
    return _strict(parse_conllu(text, path=path, format=format, single_root=single_root), lenient)


def iter_conllu(
    source: Source,
    *,
    format: Format | Literal["auto"] = "auto",
    lenient: bool = False,
    single_root: bool = False,
    block: int = _BLOCK,
) -> Iterator[Treebank]:
    """A file of any size, as treebanks of about `block` bytes, in order; options as for `read_conllu`."""
    path, line = _name(source), 1
    with _open(source) as stream:
        rest = b""
        while True:
            data = stream.read(block)
            text = rest + data
            cut = len(text) if not data else _last_blank_line(text)
            if cut:
                if format == "auto":
                    format = _format(text[:_LOOK], path)
                part = Treebank(text[:cut], path=path, format=format, single_root=single_root, line=line)
                yield _strict(part, lenient)
                line += text.count(b"\n", 0, cut)
            rest = text[cut:]
            if not data:
                return


def parse_conllu(
    text: bytes | str,
    *,
    path: str = "<text>",
    format: Format | Literal["auto"] = "auto",
    single_root: bool = False,
) -> Treebank:
    """The treebank that a text spells; its `problems` are not raised."""
    data = text.encode() if isinstance(text, str) else text
    chosen = _format(data[:_LOOK], path) if format == "auto" else format
    if chosen not in ("conllu", "conllx"):
        raise ConlluError(f"format must be conllu, conllx or auto; got {format!r}")
    return Treebank(data, path=path, format=chosen, single_root=single_root)


def write_conllu(target: Source, treebank: Treebank) -> None:
    """Writes a treebank (`-` is standard output; .gz, .xz and .zst compress): what was read, with the changed cells.

    The file appears under its name only when it is complete.
    """
    data = treebank.to_bytes()
    if str(target) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_whole(Path(target), _compressed(data, Path(target).suffix))


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file beside its place, then renames it: no reader ever sees a part of it."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ConlluError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except OSError as error:
        raise ConlluError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(name):
            os.unlink(name)


def _strict(treebank: Treebank, lenient: bool) -> Treebank:
    if not lenient and (problems := treebank.problems):
        more = f" (and {len(problems) - 1} more: see panparser validate)" if len(problems) > 1 else ""
        raise ConlluError(f"{problems[0]}{more}")
    return treebank


def _last_blank_line(text: bytes) -> int:
    """Where the last complete sentence ends; 0 if none does."""
    return max(text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0, text.rfind(b"\n\r\n") + 3 if b"\n\r\n" in text else 0)


# --- Formats ---

_CONLLU_SIGNS = re.compile(
    rb"^(?:(?:\xef\xbb\xbf)?#|\d+[-.]\d+\t|\d+\t(?:[^\t\n]*\t){4}[^\t\n=]+=|\d+\t(?:[^\t\n]*\t){7}\d+(?:\.\d+)?:)", re.M
)
_PHEAD = re.compile(rb"^\d+\t(?:[^\t\n]*\t){7}\d+\t", re.M)
_PLAIN_FEATS = re.compile(rb"^\d+\t(?:[^\t\n]*\t){4}(?!_\t)[^\t\n=]+\t", re.M)


def _format(text: bytes, path: str) -> Format:
    """CoNLL-U, or CoNLL-X if column 9 holds numbers and nothing speaks for CoNLL-U; in doubt, ask."""
    conllu, phead, feats = (pattern.search(text) for pattern in (_CONLLU_SIGNS, _PHEAD, _PLAIN_FEATS))
    if phead and not conllu:
        return "conllx"
    doubt = phead or (feats if not conllu else None)
    if doubt:
        line = text.count(b"\n", 0, doubt.start()) + 1
        what = "a number in column 9 (PHEAD?)" if phead else "features without '=' in column 6"
        raise ConlluError(
            f"{path}:{line}: {what}: is this CoNLL-U or CoNLL-X? Say which: --format conllu or --format conllx "
            "(in Python: format=...)"
        )
    return "conllu"


# --- Files ---


def _name(source: Source) -> str:
    return "<stdin>" if str(source) == "-" else os.fspath(source)


@contextmanager
def _open(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed."""
    name = _name(source)
    try:
        with nullcontext(sys.stdin.buffer) if str(source) == "-" else open(source, "rb") as stream:
            yield _decompressed(stream, stream.peek(6)[:6], name)  # type: ignore[union-attr]
    except (OSError, EOFError, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConlluError(f"{name}: cannot be read: {reason}") from None


def _decompressed(stream: Any, magic: bytes, name: str) -> Any:
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if magic.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(stream)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd(name).ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return stream


def _compressed(data: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(data, mtime=0)
    if suffix == ".xz":
        return lzma.compress(data)
    if suffix == ".zst":
        return bytes(_zstd(f"*{suffix}").ZstdCompressor().compress(data))
    return data


def _zstd(name: str) -> Any:
    try:
        import zstandard
    except ImportError:
        raise ConlluError(f"{name}: zstd needs a package: pip install 'panparser[zstd]'") from None
    return zstandard
