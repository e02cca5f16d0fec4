"""ParseJob: the steps of `panparser parse` for sentences, in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from panparser import _engine
from panparser.base.threads import map_in_order
from panparser.corpora.sources import InputFormat, InputKind, Source
from panparser.errors import ConstraintError, PanParserError, TreebankError
from panparser.parsing.confidence import leave_out_unsure
from panparser.parsing.constraints import DroppedConstraint
from panparser.pipeline.bundled_models import DEFAULT
from panparser.pipeline.loading import load, load_parser
from panparser.pipeline.pipeline import LastStep, Pipeline, kept_constraints
from panparser.text.streaming import Report
from panparser.treebank.rendering import Rendered, join, render
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.parsing.known_tags import UnseenTags


@dataclass
class RenderedBatch:
    """What is to be written of some sentences, and what is to be told of them."""

    pieces: list[Rendered] = field(default_factory=list)
    words: int = 0
    sentences: int = 0  # that were read
    dropped: list[DroppedConstraint] = field(default_factory=list)  # constraints
    skipped: list[str] = field(default_factory=list)  # a message for each sentence that was left out
    unseen_tags: UnseenTags | None = None  # words whose tags the model does not know, if that can be told


@dataclass(frozen=True)
class ParseJobOptions:
    """What is to be done, in plain values, which other processes can be told: how to read, to parse and to write."""

    model: str = DEFAULT
    ensemble: tuple[str, ...] = ()
    beam: int | None = None
    k_best: int | None = None
    keep: tuple[str, ...] = ()
    relax: bool = False
    confidence: bool = False
    min_confidence: float | None = None
    stop_after: LastStep = "trees"
    skip_errors: bool = False
    allow_unseen_tags: bool = False
    kind: str = "auto"  # of the input
    input_format: str | None = None  # of UDPipe: it takes the place of `kind`
    format: str = "auto"  # of treebanks
    output_format: str = "conllu"  # the format of the output


class ParseJob:
    """What is done with the sentences of a treebank, by models that are loaded."""

    def __init__(self, options: ParseJobOptions) -> None:
        self.options = options
        model = load(options.model)
        self.pipeline = Pipeline.from_model(model)
        self.reads_text = self.pipeline.parser is not model  # a parser alone does not
        self.ensemble = [load_parser(other) for other in options.ensemble]
        self.keep = frozenset(options.keep)
        reads_tags = "upos" not in self.pipeline.columns and options.stop_after == "trees"
        parser = self.pipeline.parser
        self.tags = (
            parser.training_tags if parser is not None and reads_tags and not options.allow_unseen_tags else None
        )

    def source(self, path: str | None, report: Report | None = None, **given: Any) -> Source:
        """Sentences of a file (or of a text), as the options say that they are to be read. Raises SpecError, ..."""
        options = self.options
        found = Source(path, kind=InputKind(options.kind), format=options.format, **given)
        found.input_format = None if options.input_format is None else InputFormat(options.input_format)
        found.report = report if options.skip_errors else None
        found.pipeline = self.pipeline if self.reads_text else None
        return found

    def results(self, source: Source, threads: int) -> Iterator[RenderedBatch]:
        """What is to be written of the sentences. They come in order, and few are in memory at a time."""

        begins = source.part is None or source.part.start == 0  # or it is a later part

        def work(each: tuple[int, Callable[[], Treebank]]) -> RenderedBatch:
            return self._result(each[1], is_first=each[0] == 0 and begins)

        numbered = enumerate(source.treebanks())
        return map_in_order(work, numbered, threads) if threads > 1 else map(work, numbered)

    def _result(self, read: Callable[[], Treebank], *, is_first: bool) -> RenderedBatch:
        treebank = read()
        shown = self.options.output_format
        result = RenderedBatch(words=treebank.words, sentences=len(treebank))
        if self.options.skip_errors:
            result.skipped += [str(problem) for problem in treebank.parse_problems if problem.fatal]
            treebank = _without_long(treebank, result.skipped)
        if self.tags is not None:
            from panparser.parsing.known_tags import UnseenTags

            result.unseen_tags = UnseenTags.from_treebank(treebank, self.tags)
            if is_first and not self.options.skip_errors:  # later, output is there already: it is told at the end
                result.unseen_tags.check(treebank.path, self.tags)
        try:
            found, result.dropped = self._run(treebank)
            result.pieces = rendered(found, shown)
        except (TreebankError, ConstraintError):
            if not self.options.skip_errors:
                raise
            self._run_one_by_one(treebank, shown, result)
        return result

    def _run_one_by_one(self, treebank: Treebank, shown: str, result: RenderedBatch) -> None:
        for number, sentence in enumerate(treebank):
            try:
                found, dropped = self._run(treebank[number : number + 1])
                result.pieces += rendered(found, shown)
                result.dropped += dropped
            except PanParserError as error:
                place = f"{treebank.path}:{sentence.line}"
                result.skipped.append(str(error) if treebank.path in str(error) else f"{place}: {error}")

    def _run(self, treebank: Treebank) -> tuple[Treebank, list[DroppedConstraint]]:
        """The treebank to be written, and the constraints that were dropped."""
        options = self.options
        if options.k_best is not None and self.pipeline.parser is not None:
            self.pipeline.annotate_words(treebank, keep=self.keep)
            # few want more than one
            from panparser.pipeline.pipeline import k_best_trees, repeat_sentences

            parser, constraints = self.pipeline.parser, kept_constraints(treebank, self.keep)
            trees, dropped = k_best_trees(parser, treebank, options.k_best, options.beam, constraints, options.relax)
            return repeat_sentences(treebank, trees, labeled=parser.spec.labeled), dropped
        parsed = self.pipeline.annotate(
            treebank,
            keep=self.keep,
            beam=options.beam,
            relax=options.relax,
            confidence=options.confidence,
            ensemble=self.ensemble,
            stop_after=options.stop_after,
        )
        if options.min_confidence is not None:
            leave_out_unsure(treebank, options.min_confidence)
        return treebank, [] if parsed is None else list(parsed.dropped)


_OF_UDPIPE = ("horizontal", "vertical", "plaintext", "matxin")


def rendered(treebank: Treebank, shown: Any) -> list[Rendered]:
    if shown not in _OF_UDPIPE:
        return render(treebank, shown)
    from panparser.text.udpipe_output import render_text  # only here: few outputs are in formats of UDPipe

    return [text.encode("utf-8", "replace") for text in render_text(treebank, shown)]


def joined(shown: Any, pieces: Iterable[list[Rendered]]) -> Iterator[bytes]:
    """A file of rendered sentences, piece by piece."""
    if shown not in _OF_UDPIPE:
        yield from join(shown, pieces)
        return
    from panparser.text.udpipe_output import DocumentWriter

    document = DocumentWriter(shown)
    for piece in pieces:
        yield document.add([text.decode() for text in piece if isinstance(text, bytes)]).encode()
    yield document.end().encode()


def _without_long(treebank: Treebank, skipped: list[str]) -> Treebank:
    """The sentences that a parser takes; the others are reported."""
    lengths = np.diff(treebank.offsets)
    if not (lengths > _engine.MAX_WORDS).any():
        return treebank
    for number in np.flatnonzero(lengths > _engine.MAX_WORDS).tolist():
        what = f"at most {_engine.MAX_WORDS} words in a sentence, found {lengths[number]}"
        skipped.append(f"{treebank.path}:{treebank[number].line}: expected {what}")
    return treebank[np.flatnonzero(lengths <= _engine.MAX_WORDS).tolist()]
