"""What `panparser parse` does with the sentences that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from panparser import _engine
from panparser._threads import in_order
from panparser.errors import ConstraintError, PanParserError, TreebankError
from panparser.parsing.confidence import leave_out_unsure
from panparser.parsing.constraints.constraints import Dropped
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline, Until, kept_constraints
from panparser.treebank.rendering import Rendered, join, render
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.parsing.tags import UnknownTags


@dataclass
class Result:
    """What is to be written of some sentences, and what is to be told of them."""

    pieces: list[Rendered] = field(default_factory=list)
    words: int = 0
    dropped: list[Dropped] = field(default_factory=list)  # constraints
    skipped: list[str] = field(default_factory=list)  # a message for each sentence that was left out
    unknown: UnknownTags | None = None  # words whose tags the model does not know, if that can be told


@dataclass
class Job:
    """What is done with the sentences of a treebank."""

    pipeline: Pipeline
    beam: int | None
    k_best: int | None
    keep: frozenset[str]
    relax: bool
    confidence: bool
    ensemble: list[Parser]
    until: Until
    lenient: bool
    any_tags: bool = False
    least_confidence: float | None = None

    def __post_init__(self) -> None:
        reads_tags = "upos" not in self.pipeline.columns and self.until == "trees"
        self.tags = getattr(self.pipeline.parser, "tags", None) if reads_tags and not self.any_tags else None

    def results(self, treebanks: Iterable[Callable[[], Treebank]], threads: int, shown: str) -> Iterator[Result]:
        """What is to be written of each treebank. They come in order, and few are in memory at a time."""
        numbered = enumerate(treebanks)
        return in_order(lambda each: self._result(each[1], shown, is_first=each[0] == 0), numbered, threads)

    def _result(self, read: Callable[[], Treebank], shown: str, *, is_first: bool) -> Result:
        treebank = read()
        result = Result(words=treebank.words)
        if self.lenient:
            result.skipped += [str(problem) for problem in treebank.problems if problem.fatal]
            treebank = _without_long(treebank, result.skipped)
        if self.tags is not None:
            from panparser.parsing.tags import UnknownTags

            result.unknown = UnknownTags.of(treebank, self.tags)
            if is_first and not self.lenient:  # later, output is there already: it is told at the end
                result.unknown.check(treebank.path, self.tags)
        try:
            found, result.dropped = self._run(treebank)
            result.pieces = _rendered(found, shown)
        except (TreebankError, ConstraintError):
            if not self.lenient:
                raise
            self._run_one_by_one(treebank, shown, result)
        return result

    def _run_one_by_one(self, treebank: Treebank, shown: str, result: Result) -> None:
        for number, sentence in enumerate(treebank):
            try:
                found, dropped = self._run(treebank[number : number + 1])
                result.pieces += _rendered(found, shown)
                result.dropped += dropped
            except PanParserError as error:
                place = f"{treebank.path}:{sentence.line}"
                result.skipped.append(str(error) if treebank.path in str(error) else f"{place}: {error}")

    def _run(self, treebank: Treebank) -> tuple[Treebank, list[Dropped]]:
        """The treebank to be written, and the constraints that were dropped."""
        if self.k_best is not None and self.pipeline.parser is not None:
            self.pipeline.annotate_words(treebank, keep=self.keep)
            from panparser.pipeline.several import repeated, several_trees  # few want more than one

            parser, constraints = self.pipeline.parser, kept_constraints(treebank, self.keep)
            trees, dropped = several_trees(parser, treebank, self.k_best, self.beam, constraints, self.relax)
            return repeated(treebank, trees, labeled=parser.spec.labeled), dropped
        dropped = self.pipeline.annotate(
            treebank,
            keep=self.keep,
            beam=self.beam,
            relax=self.relax,
            confidence=self.confidence,
            ensemble=self.ensemble,
            until=self.until,
        )
        if self.least_confidence is not None:
            leave_out_unsure(treebank, self.least_confidence)
        return treebank, dropped


_OF_UDPIPE = ("horizontal", "vertical", "plaintext", "matxin")


def _rendered(treebank: Treebank, shown: Any) -> list[Rendered]:
    if shown not in _OF_UDPIPE:
        return render(treebank, shown)
    from panparser.formats.outputs import render_text  # only here: few outputs are in formats of UDPipe

    return [text.encode("utf-8", "replace") for text in render_text(treebank, shown)]


def joined(shown: Any, pieces: Iterable[list[Rendered]]) -> Iterator[bytes]:
    """A file of rendered sentences, piece by piece."""
    if shown not in _OF_UDPIPE:
        yield from join(shown, pieces)
        return
    from panparser.formats.outputs import Joined

    document = Joined(shown)
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
