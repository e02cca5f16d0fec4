"""Starting points of annotation: a tokenized text, or a parser transferred from other languages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from panparser.errors import AnnotationError
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.pipeline.udpipe_input import iter_format
from panparser.storage.atomic import write_whole
from panparser.text.text_files import iter_text
from panparser.transfer.source_files import find_sources
from panparser.transfer.transferring import train_transfer
from panparser.treebank.conllu import read_conllu

Report = Callable[[str, int, int], None]
MAX_SOURCE_SENTENCES = 1000  # of each source


def tokenize_to_conllu(
    text: str | os.PathLike[str], file: str | os.PathLike[str], model: Pipeline | Parser | None = None
) -> int:
    """Divides a text into sentences and words, and writes a new file to annotate; returns the number of sentences.

    By the model's tokenizer, or if it has none by rules that know no language. Nothing but the words is written: tags
    and trees that nobody decided are predicted when they are shown. Raises AnnotationError if the file exists.
    """
    target = Path(file)
    if target.exists():
        raise AnnotationError(f"{target}: exists already; leave out --text to go on annotating it")
    pipeline = model if isinstance(model, Pipeline) and model.tokenizer is not None else None
    pieces = iter_text(text)
    if pipeline is not None:
        treebanks = pipeline.tokens(pieces, path=os.fspath(text))
    else:
        treebanks = iter_format(pieces, "generic_tokenizer", None, path=os.fspath(text))  # type: ignore[arg-type]
    found, sentences = [], 0
    for treebank in treebanks:
        found.append(treebank.to_bytes())
        sentences += len(treebank)
    if not sentences:
        raise AnnotationError(f"{os.fspath(text)}: expected a text, found no words")
    write_whole(target, b"".join(found), AnnotationError)
    return sentences


def train_initial_parser(
    file: str | os.PathLike[str],
    sources: Iterable[str | os.PathLike[str]],
    *,
    seed: int = 1,
    progress: Report | None = None,
) -> Parser:
    """A parser that learned from tags and trees of other languages, those with similar tags above all.

    Raises AnnotationError if the file to annotate has no tags (UPOS), which are all that such a parser reads.
    """
    raw = read_conllu(file, lenient=True)
    if not (raw.column("upos") != raw.id_of("upos", "_")).any():
        raise AnnotationError(f"{os.fspath(file)}: has no tags (UPOS), and a transferred parser reads nothing else")
    found = train_transfer(
        find_sources(sources, exclude=[os.fspath(file)]),
        tagged_text=raw,
        method="all",
        max_source_sentences=MAX_SOURCE_SENTENCES,
        seed=seed,
        threads=1,
        progress=progress,
    )
    assert isinstance(found.parser, Parser)
    return found.parser
