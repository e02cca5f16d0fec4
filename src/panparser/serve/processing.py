"""Processing of the text of a request: reading, annotating, writing; called in worker threads."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from io import BytesIO
from typing import Any

import numpy as np

from panparser import __version__, _engine
from panparser.errors import ConlluError, ConstraintError, TextError, TreebankError
from panparser.parsing.known_tags import UnseenTags
from panparser.pipeline.pipeline import WORD_COLUMNS, k_best_trees, kept_constraints, repeat_sentences
from panparser.pipeline.udpipe_input import iter_format
from panparser.serve.limits import Limits, RequestError
from panparser.serve.process_request import ProcessRequest
from panparser.serve.served_models import ServedModel
from panparser.text.text_files import iter_text
from panparser.text.udpipe_output import DocumentWriter, render_text
from panparser.treebank.conllu import iter_blocks, refusal
from panparser.treebank.treebank import Treebank, check_lengths

_CONLLU_BLOCK, _TEXT_BLOCK = 1 << 18, 1 << 14  # bytes that are processed at a time
_MISC = re.compile(rb"^(\d[^\n]*\t)([^\t\n]*)$", re.M)
_SPACES = (b"SpacesAfter=", b"SpacesBefore=", b"SpacesInToken=")
_BLANK = re.compile("\n\n+")
_PATH = "line"  # before the numbers of lines, in messages


class RequestProcessor:
    """A request and its model: reads, annotates, writes."""

    def __init__(self, model: ServedModel, request: ProcessRequest, limits: Limits) -> None:
        self.model, self.request = model, request
        self._limits = limits
        self._pipeline = model.pipeline
        self.words = self.characters = 0  # that were read
        self._check()

    def _check(self) -> None:
        """Raises RequestError for what the model cannot do."""
        asked = self.request
        wanted = {"tokenizer": asked.tokenize, "tagger": asked.tag, "parser": asked.parse}
        for name in (name for name, is_asked in wanted.items() if is_asked and name not in self.model.steps):
            raise RequestError(f"The required model does not contain a {name}!")
        if asked.confidence and not self.model.is_calibrated:
            raise RequestError("The required model is not calibrated; 'confidence' requires calibration.")

    # --- Reading ---

    def read(self) -> Iterator[Treebank]:
        """The sentences, some at a time. Raises RequestError if they cannot be read, or are too many."""
        asked = self.request
        blocks = self._conllu() if asked.input == "conllu" else self._text()
        while (treebank := self._next(blocks)) is not None:
            if asked.normalized_spaces:
                treebank = _without_spaces(treebank)
            self.words += treebank.words
            if self.words > self._limits.max_words:
                raise RequestError(f"The input has more than {self._limits.max_words} words.")
            lengths = np.char.str_len(np.array(treebank.vocabulary("form")))
            self.characters += int(lengths[treebank.column("form")].sum()) if treebank.words else 0
            self._check_kept(treebank)
            yield treebank

    def _next(self, blocks: Iterator[Treebank]) -> Treebank | None:
        asked = self.request
        try:
            treebank = next(blocks, None)
            if treebank is not None:
                check_lengths(treebank)
        except (ConlluError, TextError, TreebankError) as error:
            if f"at most {_engine.MAX_WORDS} words" in str(error):
                raise RequestError(self._too_long()) from None
            if asked.tokenize:
                raise RequestError(f"An error occured during tokenization of the input.\n{_told(error)}") from None
            raise RequestError(f"Cannot parse the input in '{asked.input_name}' format.\n{_told(error)}") from None
        return treebank

    def _too_long(self) -> str:
        most = f"{_engine.MAX_WORDS} words"
        if self.request.tokenize:
            return (
                f"During tokenization, sentence longer than {most} was found, aborting.\n"
                "That should only happen with presegmented input.\n"
                "Please make sure you do not generate such long sentences.\n"
            )
        return (
            f"Sentence longer than {most} was found on input, aborting.\n"
            f"Please make sure the input sentences have at most {most}.\n"
        )

    def _conllu(self) -> Iterator[Treebank]:
        data = BytesIO(self.request.data.replace("\r\n", "\n").encode())
        for block in iter_blocks(data, format="conllu", block=_CONLLU_BLOCK):
            treebank = Treebank(block.text, path=_PATH, line=block.line)
            if bad := [problem for problem in treebank.parse_problems if problem.fatal]:
                raise refusal(bad)
            yield treebank

    def _text(self) -> Iterator[Treebank]:
        pieces = iter_text(BytesIO(self.request.data.encode()), block=_TEXT_BLOCK)
        kind: Any = self.request.input
        return iter_format(pieces, kind, self._pipeline, ranges=self.request.ranges, path=_PATH)

    def _check_kept(self, treebank: Treebank) -> None:
        """A search for trees that keep what is given takes longer the longer a sentence is."""
        most = self._limits.max_constrained_words
        if self.request.keep and len(treebank) and np.diff(treebank.offsets).max() > most:
            raise RequestError(f"With 'keep', sentences must have at most {most} words.")

    # --- Annotating and writing ---

    @property
    def shared_key(self) -> Hashable | None:
        """Requests with the same key are annotated in the same way; None: alone, since what is given decides."""
        asked = self.request
        given = asked.keep or asked.k_best is not None or "upos" not in self._pipeline.columns
        if given or not (asked.tag or asked.parse):
            return None
        return self.model.id, asked.tag, asked.parse, asked.beam, asked.confidence

    def write(self, treebank: Treebank) -> list[str]:
        """The annotated sentences as text, to be joined. Raises RequestError if no tree is as asked for."""
        try:
            found = self.annotate(treebank)
        except (ConstraintError, TreebankError) as error:
            raise RequestError(f"Cannot parse the input as requested.\n{_told(error)}") from None
        return self.render(found, 0, len(found))

    def render(self, treebank: Treebank, first: int, end: int, lines: list[str] | None = None) -> list[str]:
        """Some sentences as text; `lines` are those of all of them, if they are known."""
        if self.request.output == "conllu" and lines is not None:
            return [joined_sentences(lines[first:end])]
        some = treebank if end - first == len(treebank) else treebank[first:end]
        if self.request.output == "conllu":
            return [joined_sentences(sentence_lines(some))]
        output: Any = self.request.output
        return render_text(some, output, self.request.output_option)

    def assemble(self, parts: list[str]) -> str:
        """The whole result, if these are all of its sentences."""
        output: Any = self.request.output
        if output == "conllu":
            return self.header() + "".join(parts)
        document = DocumentWriter(output)
        return document.add(parts) + document.end()

    def annotate(self, treebank: Treebank) -> Treebank:
        """The annotated treebank: the same one, unless there are several trees for each sentence."""
        asked, pipeline = self.request, self._pipeline
        if not asked.parse:
            if asked.tag:
                pipeline.annotate_words(treebank)
            return treebank
        tags = None if pipeline.parser is None else pipeline.parser.training_tags
        if "upos" not in pipeline.columns and tags is not None:
            UnseenTags.from_treebank(treebank, tags).check(_PATH, tags)
        # Without a tagger, tags are those of the input; missing ones are predicted for the parser, and not written.
        given = {} if asked.tag or "tags" in asked.keep else _columns(treebank)
        keep = asked.keep | (frozenset() if asked.tag else {"tags", "lemmas"})
        if asked.k_best is None:
            pipeline.annotate(treebank, keep=keep, beam=asked.beam, relax=asked.relax, confidence=asked.confidence)
            _restore(treebank, given)
            return treebank
        assert pipeline.parser is not None
        pipeline.annotate_words(treebank, keep=keep)
        constraints = kept_constraints(treebank, keep)
        trees, _ = k_best_trees(pipeline.parser, treebank, asked.k_best, asked.beam, constraints, asked.relax)
        _restore(treebank, given)
        return repeat_sentences(treebank, trees, labeled=pipeline.parser.spec.labeled)

    # --- Around the sentences ---

    def header(self) -> str:
        """The comments that CoNLL-U begins with."""
        if not self.request.has_header:
            return ""
        return (
            f"# generator = panparser {__version__}\n"
            f"# udpipe_model = {self.model.id}\n"
            f"# udpipe_model_licence = {self.model.licence}\n"
        )


def sentence_lines(treebank: Treebank) -> list[str]:
    """The lines of each sentence, without the blank ones around it, however many the input had."""
    text = treebank.to_conllu().strip("\n")
    return _BLANK.split(text) if text else []


def joined_sentences(sentences: list[str]) -> str:
    return "".join(f"{lines}\n\n" for lines in sentences)


def _told(error: Exception) -> str:
    """A message of ours, which names a line of the request, not of a file."""
    return re.sub(rf"\b{_PATH}:(\d+)", rf"{_PATH} \1", str(error))


def _columns(treebank: Treebank) -> dict[str, Any]:
    return {name: treebank.column(name).copy() for name in WORD_COLUMNS}


def _restore(treebank: Treebank, columns: dict[str, Any]) -> None:
    for name, column in columns.items():
        treebank.column(name)[:] = column


def _without_spaces(treebank: Treebank) -> Treebank:
    """A treebank whose MISC says where spaces are, but not which."""

    def mended(line: re.Match[bytes]) -> bytes:
        items = [item for item in line[2].split(b"|") if not item.startswith(_SPACES)]
        return line[1] + (b"|".join(items) or b"_")

    return Treebank(_MISC.sub(mended, treebank.to_bytes()), path=treebank.path)
