"""Treebanks from interlinear glossed text: formats, words, tags."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from panparser.errors import ConlluError, SpecError, TextError
from panparser.text.raw_text import escape
from panparser.transfer.glossed.flex import read_flextext
from panparser.transfer.glossed.gloss_table import (
    GlossMeaning,
    GlossTable,
    lemma_of,
    meaning,
    shipped_table,
    stems,
    tag_of,
)
from panparser.transfer.glossed.leipzig import read_leipzig
from panparser.transfer.glossed.sentences import GlossedSentence, GlossedWord
from panparser.transfer.glossed.toolbox import read_toolbox
from panparser.treebank.conllu import UTF16, Source, open_source, source_name
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.pipeline.pipeline import Pipeline

Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class GlossedTreebank:
    """The treebank of glossed sentences, and the glosses that the table does not know, with their counts."""

    treebank: Treebank
    unknown: Counter[str]

    @property
    def tagged(self) -> int:
        """How many words have UPOS."""
        return int((self.treebank.column("upos") != 0).sum())

    @property
    def headed(self) -> int:
        """How many words have a head."""
        return int((self.treebank.heads >= 0).sum())


def convert_glosses(
    sentences: Sequence[GlossedSentence],
    *,
    table: GlossTable | None = None,
    nlp: Pipeline | None = None,
    trees: bool = False,
    progress: Progress | None = None,
) -> GlossedTreebank:
    """Glossed sentences as a treebank: lemmas, tags and features by a table (default: the one that panparser ships).

    `nlp`: a model of the language of glosses and translations. It tags the words that the table leaves without a tag,
    as it tags the words of the translation that they are glossed with, or else the glosses. With `trees` it also parses
    the translations, and their heads and labels are projected through the glosses: partial trees, where words that no
    word of the translation matches have no head. Characters are normalized (NFC); MISC has Gloss, MSeg and MGloss.
    """
    if trees and nlp is None:
        raise SpecError("convert_glosses: trees need nlp, a model that parses the translations")
    chosen = table or shipped_table()
    said = [[meaning(word, chosen) for word in sentence.words] for sentence in sentences]
    unknown = Counter(gloss for words in said for word in words for gloss in word.unknown)
    lines = _lines(sentences, said, chosen)
    path = sentences[0].path if sentences else "<text>"
    treebank = Treebank("".join(f"{line}\n" for line in lines).encode(), path=path)
    if nlp is not None:
        from panparser.transfer.glossed.gloss_trees import annotate  # glosses alone need no model

        annotate(treebank, sentences, said, nlp, table=chosen, trees=trees, progress=progress)
    return GlossedTreebank(treebank, unknown)


def _lines(
    sentences: Sequence[GlossedSentence], said: Sequence[Sequence[GlossMeaning]], table: GlossTable
) -> Iterator[str]:
    ids: set[str] = set()
    for sentence, meanings in zip(sentences, said, strict=True):
        if sentence.document:
            yield f"# newdoc id = {_normal(sentence.document)}"
        yield f"# sent_id = {_unique(_identifier(sentence.id), ids)}"
        yield f"# text = {_normal(sentence.text)}"
        if sentence.translation:
            yield f"# text_{_identifier(sentence.language)} = {_normal(sentence.translation)}"
        last = len(sentence.words)
        for number, (word, what) in enumerate(zip(sentence.words, meanings, strict=True), start=1):
            misc = _misc(word, tight=not word.space_after and number < last)
            tag, given = tag_of(word, what, table), word.tag or _given(word)
            cells = (word.form, lemma_of(word), tag, "_".join(given.split()), what.feats, "", "", "", misc)
            yield "\t".join((str(number), *(_normal(cell) or "_" for cell in cells)))
        yield ""


def _given(word: GlossedWord) -> str:
    """The part of speech of the stem."""
    return next((part.tag for part in stems(word) if part.tag), "")


def _misc(word: GlossedWord, tight: bool) -> str:
    """Gloss (of the word, or else of its stem), MSeg and MGloss, in alphabetical order with SpaceAfter=No."""
    lexical = ".".join(part.gloss for part in stems(word) if part.gloss)
    pairs = {"Gloss": word.gloss or lexical, "MGloss": word.glossed, "MSeg": word.segmented}
    cells = [f"{key}={escape(_normal(value))}" for key, value in pairs.items() if value]
    return "|".join([*cells, *(["SpaceAfter=No"] if tight else [])])


def _normal(text: str) -> str:
    """In normalization form C, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _identifier(text: str) -> str:
    """A name without spaces and slashes."""
    return re.sub(r"[\s/=|#]+", "_", _normal(text)) or "_"


def _unique(name: str, seen: set[str]) -> str:
    """A name, with a number if it was there before."""
    numbered, count = name, 1
    while numbered in seen:
        count += 1
        numbered = f"{name}-{count}"
    seen.add(numbered)
    return numbered


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
