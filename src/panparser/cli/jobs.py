"""What `panparser parse` does with the sentences that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from panparser import _engine
from panparser._threads import in_order
from panparser.errors import ConstraintError, PanParserError, TreebankError
from panparser.parsing.confidence import forget, leave_out_unsure
from panparser.parsing.constraints.constraints import Constraints, Dropped
from panparser.parsing.parser import Parser, ScoredTree
from panparser.pipeline.pipeline import Pipeline, Until, kept_constraints
from panparser.treebank.rendering import OutputFormat, Rendered, render
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
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

    def results(
        self, treebanks: Iterable[Callable[[], Treebank]], threads: int, shown: OutputFormat
    ) -> Iterator[Result]:
        """What is to be written of each treebank. They come in order, and few are in memory at a time."""
        numbered = enumerate(treebanks)
        return in_order(lambda each: self._result(each[1], shown, is_first=each[0] == 0), numbered, threads)

    def _result(self, read: Callable[[], Treebank], shown: OutputFormat, *, is_first: bool) -> Result:
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
            result.pieces = render(found, shown)
        except (TreebankError, ConstraintError):
            if not self.lenient:
                raise
            self._run_one_by_one(treebank, shown, result)
        return result

    def _run_one_by_one(self, treebank: Treebank, shown: OutputFormat, result: Result) -> None:
        for number, sentence in enumerate(treebank):
            try:
                found, dropped = self._run(treebank[number : number + 1])
                result.pieces += render(found, shown)
                result.dropped += dropped
            except PanParserError as error:
                place = f"{treebank.path}:{sentence.line}"
                result.skipped.append(str(error) if treebank.path in str(error) else f"{place}: {error}")

    def _run(self, treebank: Treebank) -> tuple[Treebank, list[Dropped]]:
        """The treebank to be written, and the constraints that were dropped."""
        if self.k_best is not None and self.pipeline.parser is not None:
            self.pipeline.annotate_words(treebank, keep=self.keep)
            constraints = kept_constraints(treebank, self.keep)
            return _best(self.pipeline.parser, treebank, self.k_best, self.beam, constraints, self.relax)
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


def _without_long(treebank: Treebank, skipped: list[str]) -> Treebank:
    """The sentences that a parser takes; the others are reported."""
    lengths = np.diff(treebank.offsets)
    if not (lengths > _engine.MAX_WORDS).any():
        return treebank
    for number in np.flatnonzero(lengths > _engine.MAX_WORDS).tolist():
        what = f"at most {_engine.MAX_WORDS} words in a sentence, found {lengths[number]}"
        skipped.append(f"{treebank.path}:{treebank[number].line}: expected {what}")
    return treebank[np.flatnonzero(lengths <= _engine.MAX_WORDS).tolist()]


def _best(
    parser: Parser | Cascade,
    treebank: Treebank,
    count: int,
    beam: int | None,
    constraints: Constraints | None,
    relax: bool,
) -> tuple[Treebank, list[Dropped]]:
    """A treebank with each sentence as often as it has trees, and the constraints that were dropped."""
    if treebank.format == "conllx":
        raise TreebankError(f"{treebank.path}: several trees need comments to tell them apart; CoNLL-X has none")
    trees: list[list[ScoredTree]] = []
    dropped: list[Dropped] = []
    for sentence in treebank:
        trees.append(parser.best(sentence, count, beam=beam, constraints=constraints, relax=relax))
        dropped += constraints.dropped if constraints else []
    forget(treebank)
    repeated = treebank[[number for number, found in enumerate(trees) for _ in found]]
    position = 0
    for found in trees:
        for rank, tree in enumerate(found, start=1):
            sentence = repeated[position]
            sentence.heads = tree.heads
            if parser.spec.labeled:
                sentence.labels = list(tree.labels)
            kept = [line for line in sentence.comments if rank == 1 or not line.startswith(("# newdoc", "# newpar"))]
            sentence.comments = [*kept, f"# tree = {rank}/{len(found)}", f"# score = {tree.score:.4f}"]
            position += 1
    return repeated, dropped
