"""Input and output of `panparser parse`: text or treebanks, in many formats."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Any

from panparser.corpora.parts import Part
from panparser.errors import SpecError, TextError
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.locations import is_remote
from panparser.text.text_files import iter_text
from panparser.treebank.conllu import Block, accept, iter_blocks, looked_into, open_source, source_name
from panparser.treebank.treebank import Treebank

PACKED = (".gz", ".bz2", ".xz", ".zst")
BY_SUFFIX = {".txt": "text", ".text": "text", ".conllu": "conllu", ".conllx": "conllu", ".conll": "conllu"}
BLOCK_BYTES = 1 << 18  # bytes that a thread reads, parses and writes at a time
_SNIFF_BYTES = 1 << 18  # read to tell treebanks from text: long comments may stand before the first word
_CONLLU = re.compile(rb"\s*(?:\xef\xbb\xbf)?(?:#[^\n]*\n\s*)*\d+(?:-\d+|\.\d+)?\t")


class InputKind(StrEnum):
    """What the input is."""

    auto = "auto"
    conllu = "conllu"
    text = "text"
    paragraphs = "paragraphs"
    lines = "lines"
    tokens = "tokens"
    vertical = "vertical"


class OutputKind(StrEnum):
    """What is written."""

    conllu = "conllu"
    tree = "tree"
    json = "json"
    jsonl = "jsonl"
    svg = "svg"
    html = "html"
    horizontal = "horizontal"
    vertical = "vertical"
    plaintext = "plaintext"
    matxin = "matxin"


class InputFormat(StrEnum):
    """Input formats of UDPipe."""

    conllu = "conllu"
    plaintext = "plaintext"
    presegmented = "presegmented"
    generic_tokenizer = "generic_tokenizer"
    horizontal = "horizontal"
    vertical = "vertical"


class StopAfter(StrEnum):
    """The last thing that is predicted."""

    tokens = "tokens"
    tags = "tags"
    trees = "trees"


def _suffix(name: str) -> str:
    path = PurePath(name)
    path = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return path.suffix.lower()


@dataclass
class Source:
    """Where sentences come from: a file, or the text of a flag."""

    path: str | None
    text: str | None = None
    kind: InputKind = InputKind.auto
    format: Any = "auto"  # of treebanks
    part: Part | None = None  # of the file, if not all of it
    pipeline: Pipeline | None = None  # divides text; None: only treebanks can be read
    report: Callable[[str], None] | None = None  # told of what is wrong, and skipped; without it, that is an error
    input_format: InputFormat | None = None  # of UDPipe: it takes the place of `kind`
    _stream: IO[bytes] | None = None  # an input that was peeked into and cannot be opened again
    _opened: ExitStack = field(default_factory=ExitStack)

    @property
    def _name(self) -> str:
        return "-" if self.path is None else self.path

    @property
    def _input(self) -> str | IO[bytes]:
        return self._stream or self._name

    def check(self, model: str, keep: frozenset[str], stop_after: str) -> None:
        """Validates the options, and determines what the input is."""
        pipeline = self.pipeline
        if self.text is not None and self.path is not None:
            raise SpecError(f"--text cannot be used with a file; got {self.path}")
        if self.input_format is not None:
            is_conllu = self.input_format == InputFormat.conllu
            self.kind = InputKind.conllu if is_conllu else InputKind.text
        if self.is_typed:
            self._stream = BytesIO(sys.stdin.buffer.read())  # at once: each later attempt would need another Ctrl-D
        if self.kind == InputKind.auto:
            self.kind = InputKind.text if self.text is not None else self._guessed()
        if self.kind == InputKind.conllu:
            if self.text is not None:
                raise SpecError("--text cannot be used with --input-format conllu or conllx")
            if stop_after == "tokens":
                raise SpecError(f"--stop-after tokens: {self._name} has tokens (--input-format text reads it as text)")
            return
        if pipeline is None:
            raise SpecError(
                f"{model}: expected a pipeline to parse text; got a single parser (see `train --pipeline`; "
                "--input-format conllu reads a treebank)"
            )
        if keep:
            raise SpecError(f"--keep requires a treebank; got {self.kind.value}")
        divided = self.kind in (InputKind.tokens, InputKind.vertical) or self.input_format in (
            InputFormat.generic_tokenizer,
            InputFormat.horizontal,
            InputFormat.vertical,
        )
        if pipeline.tokenizer is None and not divided:
            raise TextError(f"{model}: no tokenizer; expected CoNLL-U or tokens (--input-format tokens or token-lines)")

    def _guessed(self) -> InputKind:
        pipeline = self.pipeline
        if (kind := BY_SUFFIX.get(_suffix(self._name))) is not None:
            return InputKind(kind)
        if pipeline is None or pipeline.tokenizer is None or self.format != "auto":
            return InputKind.conllu
        start = self._start()
        return InputKind.conllu if not start.strip() or _CONLLU.match(start) else InputKind.text

    @property
    def is_typed(self) -> bool:
        """Does the input come from a terminal?"""
        return self.text is None and self._name == "-" and sys.stdin is not None and sys.stdin.isatty()

    def _start(self) -> bytes:
        """The first bytes, without consuming them."""
        if isinstance(self._stream, BytesIO):
            return self._stream.getvalue()[:_SNIFF_BYTES]
        if self._name != "-" and (is_remote(self._name) or not Path(self._name).is_fifo()):
            with open_source(self._name) as stream:
                return stream.read(_SNIFF_BYTES)
        if self._name == "-" and sys.stdin is None:
            return b""  # it is closed, and reading it will fail
        pipe = sys.stdin.buffer if self._name == "-" else open(self._name, "rb")  # noqa: SIM115 - closed below
        self._opened.enter_context(nullcontext() if self._name == "-" else pipe)
        ahead = looked_into(pipe, _SNIFF_BYTES)
        self._stream = ahead
        with open_source(BytesIO(ahead.peek(_SNIFF_BYTES)[:_SNIFF_BYTES])) as packed, suppress(EOFError):
            return packed.read(_SNIFF_BYTES)
        return b""

    def treebanks(self) -> Iterator[Callable[[], Treebank]]:
        """The sentences, a few at a time: what reads them can be called in any thread."""
        with self._opened:
            if self.kind == InputKind.conllu or self.pipeline is None:
                for block in self._blocks():
                    yield partial(_read if self.report is None else _skim, block)
                return
            for treebank in self._divided(self.pipeline):
                yield partial(_given, treebank)

    def _blocks(self) -> Iterator[Block]:
        if self.part is not None:
            return self.part.blocks(self._name, BLOCK_BYTES)
        return iter_blocks(self._input, format=self.format, block=BLOCK_BYTES)

    def _pieces(self) -> Iterator[str]:
        if self.text is not None:
            return iter([self.text])
        if self.part is not None:
            return self.part.pieces(self._name, BLOCK_BYTES)
        return iter_text(self._input, block=BLOCK_BYTES, report=self.report)

    def _divided(self, pipeline: Pipeline) -> Iterator[Treebank]:
        """The sentences of a text."""
        path = "<text>" if self.text is not None else source_name(self._input)
        if self.input_format is not None:
            from panparser.pipeline.udpipe_input import iter_format  # only here: few inputs are in formats of UDPipe

            named: Any = self.input_format.value
            return iter_format(self._pieces(), named, pipeline, path=path, report=self.report)
        kind: Any = self.kind.value
        start = self.part.text_start if self.part else None
        return pipeline.tokens(self._pieces(), input_format=kind, path=path, report=self.report, start=start)


def _read(block: Block) -> Treebank:
    treebank = block.read()
    accept(treebank.parse_problems, fatal_only=True)
    return treebank


def _skim(block: Block) -> Treebank:
    """What can be read of some sentences: their problems tell the rest."""
    treebank = block.read()
    accept([problem for problem in treebank.parse_problems if problem.harmless])
    return treebank


def _given(treebank: Treebank) -> Treebank:
    return treebank
