"""Text files: UTF-8 in pieces of bounded size that end with a paragraph."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator

from panparser.errors import ConlluError, TextError
from panparser.text.characters import WHITE
from panparser.treebank.conllu import UTF16, Source, open_source, source_name

_BLOCK_SIZE = 1 << 20  # bytes read at a time
_NULLS = 1 << 14  # characters of a block that is no text if most of them are null
_MAX_BLOCKS = 4  # buffered while no paragraph ends
_LINE_END = r"(?>\r\n|\r|\n)"
_WITHIN = f"[{WHITE.replace(chr(10), '').replace(chr(13), '')}]"  # white space that does not end a line
_BLANK_LINE = f"{_LINE_END}{_WITHIN}*{_LINE_END}|\u2029"  # or a paragraph separator
# Where a piece may end, best first: after a blank line, a line, white space; always before a character that is not
# white space, so that no piece is only white space.
_ENDS = tuple(re.compile(f"(?:{end})[{WHITE}]*") for end in (_BLANK_LINE, _LINE_END, f"[{WHITE}]"))


def iter_text(
    source: Source, *, block: int = _BLOCK_SIZE, report: Callable[[str], None] | None = None
) -> Iterator[str]:
    """A file (`-` is standard input; compressed files are recognized) in pieces that, joined, give its text.

    Raises TextError if the file cannot be read or is not UTF-8. A byte-order mark is removed. A file that fits in a
    block (of characters) is one piece. Otherwise pieces end after a blank line or, if there is none in four blocks,
    after a line, at white space, or anywhere. No piece is only white space. With `report`, bytes that are not UTF-8 are
    read as U+FFFD, and `report` is called with a message for the first of each block.
    """
    if block < 1:
        raise TextError(f"iter_text: block must be an integer >= 1; got {block!r}")
    return _pieces(source, _Decoder(source_name(source), report), block)


def iter_rest(source: Source, *, block: int, line: int, start: int) -> Iterator[str]:
    """Like `iter_text`, but from a byte and line of a file on where one of its pieces begins; the pieces are the same.

    A piece depends on nothing that stands before it.
    """
    return _pieces(source, _Decoder(source_name(source), None, line, start), block)


def _pieces(source: Source, decoder: _Decoder, block: int) -> Iterator[str]:
    pending, window = "", block  # characters that are there, and those that are looked at
    try:
        with open_source(source) as stream:
            while True:
                while len(pending) <= window and (data := stream.read(block)):
                    pending += decoder.decode(data)
                if len(pending) <= window:
                    break
                cut = _cut(pending[:window], window >= _MAX_BLOCKS * block)
                if cut:
                    yield pending[:cut]
                    pending = pending[cut:]
                window = block if cut else window + block
        pending += decoder.decode(b"", is_last=True)
    except ConlluError as error:
        raise TextError(str(error)) from None
    if pending:
        yield pending


def read_text(source: Source) -> str:
    """The text of a file; errors as for `iter_text`."""
    return "".join(iter_text(source))


class PieceBoundary:
    """Tracks the white space between two pieces of a text, to find whether a paragraph ends there."""

    def __init__(self, gap: str = "") -> None:
        self._gap = gap

    @property
    def gap(self) -> str:
        """The white space before the next piece, as far as it matters."""
        return self._gap

    def before(self, piece: str) -> bool:
        """Moves to the first token of the next piece; is there a blank line before it?"""
        self._gap += piece[: len(piece) - len(piece.lstrip(WHITE))]
        return has_blank_line(self._gap)

    @property
    def line_ended(self) -> bool:
        """Is there a line end before the next token?"""
        return re.search(_LINE_END, self._gap) is not None

    def after(self, piece: str) -> None:
        """Moves to the end of the piece."""
        end = piece.rstrip(WHITE)
        gap = piece[len(end) :] if end else self._gap
        self._gap = "\n\n" if has_blank_line(gap) else re.sub(f"{_WITHIN}+", " ", gap)


def has_blank_line(gap: str) -> bool:
    """Does a paragraph end in this white space?"""
    return re.search(_BLANK_LINE, gap) is not None


class _Decoder:
    """Decodes UTF-8 in blocks, and keeps track of its position in the file."""

    def __init__(self, path: str, report: Callable[[str], None] | None, line: int = 1, offset: int = 0) -> None:
        self._report = report
        self._path, self._line, self._offset, self._begun = path, line, offset, offset > 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def decode(self, data: bytes, is_last: bool = False) -> str:
        """The next piece of text, without a byte-order mark."""
        held = len(self._decoder.getstate()[0])  # bytes of a character that was cut
        try:
            text = self._decoder.decode(data, is_last)
        except UnicodeDecodeError as error:
            refusal = self._refusal(error, self._offset - held + error.start)
            if self._report is None or UTF16 in str(refusal):
                raise refusal from None
            self._report(f"{refusal}; read as U+FFFD")
            self._decoder.errors = "replace"
            text = self._decoder.decode(data, is_last)
            self._decoder.errors = "strict"
        if len(text) >= _NULLS and text.count("\0") > len(text) // 2:
            raise TextError(f"{self._path}:{self._line}: expected text, found null characters: is this a device?")
        self._line += data.count(b"\n")
        self._offset += len(data)
        mark, self._begun = "" if self._begun else "\ufeff", self._begun or bool(text)
        return text.removeprefix(mark)

    def _refusal(self, error: UnicodeDecodeError, place: int) -> TextError:
        line = self._line + error.object.count(b"\n", 0, error.start)
        if place == 0 and error.object.startswith((b"\xff\xfe", b"\xfe\xff")):
            return TextError(f"{self._path}:1: {UTF16}")
        found = f"the byte 0x{error.object[error.start]:02x}, byte {place} of the file"
        return TextError(f"{self._path}:{line}: expected UTF-8, found {found} ({error.reason})")


def _cut(text: str, full: bool) -> int:
    """The end of the last complete piece; 0 if there is none yet."""
    first, last = len(text) - len(text.lstrip(WHITE)), len(text.rstrip(WHITE))  # white space at the end may continue
    for ends in _ENDS if full else _ENDS[:1]:
        if found := deque(ends.finditer(text, first, last), maxlen=1):
            return found[0].end()
    return last - 1 if full and last - 1 > first else 0
