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
# Where a piece may end, best first: after a blank line, a line, white space.
_ENDS = (
    re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r(?!\n|\Z)|\n)"),
    re.compile(r"\n"),
    re.compile(r"[^\S\r]"),
)


def iter_text(source: Source, *, block: int = _BLOCK) -> Iterator[str]:
    """A file (`-` is standard input; compressed ones are recognized) in pieces, which joined give its text.

    Bytes that are no UTF-8 raise TextError with their place. A byte-order mark is left out. Pieces end after a blank
    line; only where there is none in four blocks, after a line, at white space, or anywhere.
    """
    if block < 1:
        raise TextError(f"block of iter_text must be >= 1; got {block}")
    path, offset = source_name(source), 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    pending = ""
    with open_source(source) as stream:
        while data := stream.read(block):
            piece = _decoded(decoder, data, path, offset)
            if not offset:
                piece = piece.removeprefix("\ufeff")
            offset += len(data)
            pending += piece
            cut = _cut(pending, len(pending) >= _MOST * block)
            if cut:
                yield pending[:cut]
                pending = pending[cut:]
        _decoded(decoder, b"", path, offset, final=True)
    if pending:
        yield pending


def read_text(source: Source) -> str:
    """The text of a file; options and errors as for `iter_text`."""
    return "".join(iter_text(source))


def ends_paragraph(text: str) -> bool:
    """Whether a blank line stands at the end of a text."""
    return bool(_ENDS[0].search(f"{text[len(text.rstrip(WHITE)) :]}"))


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
