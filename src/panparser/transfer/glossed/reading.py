"""read_glossed: interlinear glossed text of any of the formats."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, get_args

from panparser.errors import ConlluError, SpecError, TextError
from panparser.transfer.glossed.flex import read_flextext
from panparser.transfer.glossed.leipzig import read_leipzig
from panparser.transfer.glossed.sentences import GlossedSentence
from panparser.transfer.glossed.table import GlossTable, shipped_table
from panparser.transfer.glossed.toolbox import read_toolbox
from panparser.treebank.conllu import UTF16, Source, open_source, source_name

GlossedFormat = Literal["flextext", "toolbox", "leipzig"]
_MAX_BYTES = 1 << 28
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<|\xff\xfe<|\xfe\xff\x00<")
_MARKER = re.compile(rb"(?:\xef\xbb\xbf)?\s*\\[A-Za-z_]")


def read_igt(
    source: Source,
    *,
    format: GlossedFormat | Literal["auto"] = "auto",
    language: str | None = None,
    table: GlossTable | None = None,
) -> list[GlossedSentence]:
    r"""The sentences of a file of interlinear glossed text (`-` is standard input; compressed files are recognized).

    `format`: "flextext" (FLEx, ELAN, SayMore), "toolbox" (lines \tx \mb \ge \ps \ft), "leipzig" (blocks of words,
    morphemes, glosses and a 'translation'), or "auto", by how the file begins. `language`: of glosses and translations
    (default: English; if FLEx has none in it, the first). `table`: its markers are those of Toolbox's lines.

    Raises TextError, with file, line, what was expected and what was found, if the file cannot be read.
    """
    if format not in (*get_args(GlossedFormat), "auto"):
        raise SpecError(f"format must be one of {', '.join(get_args(GlossedFormat))} or auto; got {format!r}")
    path = source_name(source)
    try:
        with open_source(source) as stream:
            data = stream.read(_MAX_BYTES + 1)
    except ConlluError as error:
        raise TextError(str(error)) from None
    if len(data) > _MAX_BYTES:
        raise TextError(f"{path}: expected at most {_MAX_BYTES >> 20} MB, found more: divide the file")
    chosen = format if format != "auto" else _format(data)
    if chosen == "flextext":
        sentences = read_flextext(data, path, language)
    else:
        text = _decoded(data, path)
        markers = (table or shipped_table()).markers
        found = read_toolbox(text, markers, path) if chosen == "toolbox" else read_leipzig(text, path)
        sentences = [replace(sentence, language=language or "en") for sentence in found]
    if not sentences:
        raise TextError(f"{path}: expected glossed sentences, found none")
    return sentences


def _format(data: bytes) -> GlossedFormat:
    if _XML.match(data):
        return "flextext"
    return "toolbox" if _MARKER.match(data) else "leipzig"


def _decoded(data: bytes, path: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise TextError(f"{path}:1: {UTF16}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextError(
            f"{path}:{line}: expected UTF-8, found the byte {data[error.start]:#x} "
            "(convert the file, for example with iconv)"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise TextError(f"{path}:{line}: expected text, found a null character")
    return text.replace("\r\n", "\n").replace("\r", "\n")
