"""Parts of a file: ranges of bytes that can be parsed separately.

A file is read in pieces, and a piece depends on nothing that stands before it. So from where a piece begins, the same
pieces, sentences and trees follow, whichever process reads them. Only the numbers of sentences depend on what stands
before: they are put right when parts are put together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from panparser.errors import PanParserError
from panparser.storage.locations import FileRange
from panparser.text.characters import WHITE
from panparser.text.streaming import TextStart, sentence_ends
from panparser.text.text_files import PieceBoundary, iter_rest, iter_text
from panparser.treebank.conllu import Block, iter_blocks

CONTINUED_SENTENCE_ID = 2  # the number that parts but the first give to their first sentence
_MARK = "\ufeff"  # of the order of bytes
_NUMBER = re.compile(rb"^(# sent_id = )(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A range of a file's bytes, and what has to be known of what stands before it."""

    start: int
    stop: int
    line: int  # of the file: the first line of the part
    digest: str  # of its bytes
    format: Any = "auto"  # of treebanks
    characters: int = 0  # of texts: in it
    offset: int = 0  # and before it
    gap: str = ""  # and the white space there

    def blocks(self, path: str, block: int) -> Iterator[Block]:
        """The pieces of a part of a treebank. Raises PanParserError, at last, if its bytes are not as planned."""
        left, digest = self.stop - self.start, hashlib.sha256()
        with FileRange(path, self.start) as stream:
            for piece in iter_blocks(stream, format=self.format, block=block, line=self.line) if left else ():
                yield piece
                digest.update(piece.text)
                left -= len(piece.text)
                if left <= 0:
                    break
        self._check(path, digest.hexdigest())

    def pieces(self, path: str, block: int) -> Iterator[str]:
        """The pieces of a part of a text, likewise."""
        left, digest = self.characters, hashlib.sha256(b"" if self.start else _mark(path))
        with FileRange(path, self.start) as stream:
            for piece in iter_rest(stream, block=block, line=self.line, start=self.start) if left else ():
                yield piece
                digest.update(piece.encode())
                left -= len(piece)
                if left <= 0:
                    break
        self._check(path, digest.hexdigest())

    def _check(self, path: str, digest: str) -> None:
        if digest != self.digest:
            raise changed(path)

    @property
    def text_start(self) -> TextStart | None:
        """Where the text begins; None at the beginning of the file."""
        return TextStart(self.line, CONTINUED_SENTENCE_ID, self.offset, self.gap) if self.start else None


def changed(path: str) -> PanParserError:
    return PanParserError(f"{path}: was changed while it was read: parse it again")


def conllu_parts(path: str, format: Any, block: int, size: int, whole: Any) -> Iterator[Part]:
    """The parts of a treebank, of about `size` bytes; `whole`, a hash, is told of all bytes."""
    start = stop = 0
    first = line = 1
    digest = hashlib.sha256()
    for piece in iter_blocks(path, format=format, block=block):
        format = piece.format
        for each in (digest, whole):
            each.update(piece.text)
        stop += len(piece.text)
        line += piece.text.count(b"\n")
        if stop - start >= size:
            yield Part(start, stop, first, digest.hexdigest(), format)
            start, first, digest = stop, line, hashlib.sha256()
    if stop > start:
        yield Part(start, stop, first, digest.hexdigest(), format)


def text_parts(path: str, kind: str, block: int, size: int, whole: Any) -> Iterator[Part]:
    """The same of a text of this kind, as `iter_text` reads it. Raises TextError if it is no UTF-8."""
    ends, seam = sentence_ends(kind), PieceBoundary()
    begin = _mark(path)
    whole.update(begin)
    digest = hashlib.sha256(begin)
    start, stop, first, line, before, offset, gap = 0, len(begin), 1, 1, 0, 0, ""
    for piece in iter_text(path, block=block):
        data = piece.encode()
        for each in (digest, whole):
            each.update(data)
        stop += len(data)
        line += data.count(b"\n")
        offset += len(piece)
        seam.before(piece)
        seam.after(piece)
        if stop - start >= size and ends(piece[len(piece.rstrip(WHITE)) :]):
            yield Part(start, stop, first, digest.hexdigest(), "auto", offset - before, before, gap)
            start, first, before, gap, digest = stop, line, offset, seam.gap, hashlib.sha256()
    if stop > start:
        yield Part(start, stop, first, digest.hexdigest(), "auto", offset - before, before, gap)


def _mark(path: str) -> bytes:
    """The byte-order mark of a text, which is no part of it, or nothing."""
    with FileRange(path, 0) as stream:
        begin = stream.read(len(_MARK.encode()))
    return begin if begin == _MARK.encode() else b""


def renumber(part: IO[bytes], added: int, write: Callable[[bytes], Any], block: int = 1 << 20) -> None:
    """Copies CoNLL-U that was made of text, with a number added to those of its sentences."""

    def number(found: re.Match[bytes]) -> bytes:
        return found[1] + b"%d" % (int(found[2]) + added)

    rest = b""
    while data := part.read(block):
        data = rest + data
        cut = data.rfind(b"\n") + 1
        write(_NUMBER.sub(number, data[:cut]) if added else data[:cut])
        rest = data[cut:]
    write(rest)
