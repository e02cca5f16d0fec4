"""Text files: UTF-8, in pieces of bounded size that end where a paragraph does."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator

from panparser.conllu import Source, open_source, source_name
from panparser.errors import TextError
from panparser.text.characters import WHITE

_BLOCK = 1 << 20  # bytes read at a time
_MOST = 4  # blocks that are kept while no paragraph ends
# Where a piece may end, best first: after a blank line (or a paragraph separator), a line, white space.
_ENDS = (
    re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r(?!\n|\Z)|\n)|\u2029"),
    re.compile(r"\n"),
    re.compile(r"[^\S\r]"),
)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_OTHER_WHITE = re.compile(r"[^\S\r\n]+")


def iter_text(source: Source, *, block: int = _BLOCK) -> Iterator[str]:
    """A file (`-` is standard input; compressed ones are recognized) in pieces, which joined give its text.

    Bytes that are no UTF-8 raise TextError with their place. A byte-order mark is left out. Pieces end after a blank
    line; only where there is none in four blocks, after a line, at white space, or anywhere.
    """
    if block < 1:
        raise TextError(f"block of iter_text must be >= 1; got {block}")
    path, offset = source_name(source), 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    pending, begun = "", False
    with open_source(source) as stream:
        while data := stream.read(block):
            piece = _decoded(decoder, data, path, offset)
            offset += len(data)
            pending += piece if begun else piece.removeprefix("\ufeff")
            begun = begun or bool(piece)
            cut = _cut(pending, len(pending) >= _MOST * block)
            if cut:
                yield pending[:cut]
                pending = pending[cut:]
        _decoded(decoder, b"", path, offset, final=True)
    if pending:
        yield pending


def read_text(source: Source) -> str:
    """The text of a file; errors as for `iter_text`."""
    return "".join(iter_text(source))


class Seam:
    """The white space between two pieces of a text, as far as it tells whether a paragraph ends there."""

    def __init__(self) -> None:
        self._gap = ""

    def before(self, piece: str) -> bool:
        """Goes on to the first token of the next piece, and says whether a blank line stands before it."""
        self._gap += piece[: len(piece) - len(piece.lstrip(WHITE))]
        return _has_blank_line(self._gap)

    def after(self, piece: str) -> None:
        """Goes on to the end of the piece."""
        end = piece.rstrip(WHITE)
        gap = piece[len(end) :] if end else self._gap
        self._gap = "\n\n" if _has_blank_line(gap) else _OTHER_WHITE.sub(" ", gap)


def _has_blank_line(gap: str) -> bool:
    return len(_LINE_ENDS.findall(gap)) > 1 or "\u2029" in gap


def _decoded(decoder: codecs.IncrementalDecoder, data: bytes, path: str, offset: int, *, final: bool = False) -> str:
    held = len(decoder.getstate()[0])  # bytes of a character that was cut
    try:
        return decoder.decode(data, final)
    except UnicodeDecodeError as error:
        found = error.object[error.start]
        place = offset - held + error.start
        raise TextError(
            f"{path}: expected UTF-8, found the byte 0x{found:02x} at byte {place} ({error.reason})"
        ) from None


def _cut(text: str, full: bool) -> int:
    """Where the last piece ends that can be given away; 0 if none can yet."""
    for ends in _ENDS if full else _ENDS[:1]:
        last = deque(ends.finditer(text), maxlen=1)
        if last:
            return last[0].end()
    return len(text) if full else 0
