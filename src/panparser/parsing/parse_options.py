"""Options and results of parsing, and TreeParser, the base class of all models that parse treebanks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict, Unpack

from panparser.base.checks import check_beam, check_threads
from panparser.base.types import IntArray
from panparser.batches.classifier import Classifier
from panparser.errors import SpecError, TreebankError
from panparser.learning.listeners import SearchListener
from panparser.learning.training_record import TrainingRecord
from panparser.parsing.confidence import ConfidentParses, clear_parse_metadata, write_confidence
from panparser.parsing.constraints import Constraints, DroppedConstraint
from panparser.parsing.spec import ParserSpec
from panparser.storage.stored import StoredModel
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank, check_lengths

if TYPE_CHECKING:
    from panparser.parsing.known_tags import Tags


class BestKeywords(TypedDict, total=False):
    """Options of `TreeParser.k_best`."""

    beam: int | None
    constraints: Constraints | None
    relax: bool


class SearchKeywords(BestKeywords, total=False):
    """Options of `TreeParser.predict`."""

    threads: int
    listeners: Sequence[SearchListener]


class ParseKeywords(SearchKeywords, total=False):
    """Options of `TreeParser.annotate`."""

    confidence: bool
    ensemble: Sequence[TreeParser]


@dataclass(frozen=True, eq=False, kw_only=True)
class ParseOptions:
    """The options of `TreeParser.annotate` as a value: checked once, and passed on."""

    beam: int | None = None
    threads: int = 1
    constraints: Constraints | None = None
    relax: bool = False
    listeners: Sequence[SearchListener] = ()
    confidence: bool = False
    ensemble: Sequence[TreeParser] = ()

    def __post_init__(self) -> None:
        if self.beam is not None:
            check_beam(self.beam, "parse")
        check_threads("parse: threads", self.threads)
        if self.ensemble and not self.confidence:
            raise SpecError("parse: ensemble requires confidence=True")
        if self.confidence and self.listeners:
            raise SpecError("parse: confidence cannot be used with listeners")
        if self.confidence and self.constraints is not None:
            raise SpecError("parse: confidence cannot be used with constraints")


@dataclass(frozen=True, eq=False)
class Parsed:
    """The result of parsing a treebank, before it is written.

    `heads`, and `labels` as indices into `label_names`, of all words; -1 is none. `tags`: (words, columns) numbers that
    `classifier` writes, if it predicts any. `dropped`: the constraints that the trees violate, by sentence.
    """

    heads: IntArray
    labels: IntArray
    label_names: tuple[str, ...]
    tags: IntArray | None = None
    confidence: ConfidentParses | None = None
    dropped: tuple[DroppedConstraint, ...] = ()
    classifier: Classifier | None = field(default=None, repr=False)
    constraints: Constraints | None = field(default=None, repr=False)

    def write(self, treebank: Treebank) -> None:
        """Write trees, tags and confidence into a treebank; words without a label get `_`.

        Labels given as constraints are written even if the parser does not have them.
        """
        clear_parse_metadata(treebank)
        if self.confidence is not None:
            write_confidence(treebank, self.confidence)
        if self.tags is not None and self.classifier is not None:
            self.classifier.write_tags(treebank, self.tags)
        treebank.heads[:] = self.heads
        treebank.set_column("deprel", ["_", *self.label_names], self.labels + 1)
        if self.constraints is not None:
            self.constraints.write_labels(treebank)


@dataclass(frozen=True)
class ScoredTree:
    """One of several trees for a sentence."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    score: float  # in updates: comparable between trees of one sentence


class BestTrees(NamedTuple):
    """Trees of one sentence, best first, and the constraints that the first of them violates."""

    trees: list[ScoredTree]
    dropped: tuple[DroppedConstraint, ...] = ()


class TreeParser(StoredModel):
    """A model that parses treebanks: a parser, or several in one."""

    @property
    @abstractmethod
    def spec(self) -> ParserSpec:
        """The spec that determines the properties of trees."""

    @property
    @abstractmethod
    def label_names(self) -> tuple[str, ...]:
        """The labels that parsing writes."""

    @property
    @abstractmethod
    def training_tags(self) -> Tags | None:
        """The UPOS of the words that it learned from; None: not known, or not read."""

    @abstractmethod
    def with_training(self, training: TrainingRecord) -> Self:
        """Return the same model with another record of its training."""

    @abstractmethod
    def search(self, treebank: Treebank, options: ParseOptions) -> Parsed:
        """Return the trees of a valid treebank, which stays as it is."""

    @abstractmethod
    def search_best(self, sentence: Sentence, k: int, **options: Unpack[BestKeywords]) -> BestTrees:
        """Return the trees of `k_best`, and the constraints that the first of them violates."""

    def parse(
        self, treebank: Treebank, *, allow_unseen_tags: bool = False, **options: Unpack[ParseKeywords]
    ) -> Treebank:
        """Return a copy of the treebank with the parser's heads and labels; options as in `annotate`.

        Unless `allow_unseen_tags`, warn (TagWarning) of words whose UPOS is none of `training_tags`, and raise
        TreebankError if most words have such a tag.
        """
        check_treebank(treebank)
        if not allow_unseen_tags and self.training_tags is not None:
            from panparser.parsing.known_tags import check_tags

            check_tags(treebank, self.training_tags)
        copy = treebank.copy()
        self.search(copy, ParseOptions(**options)).write(copy)
        return copy

    def annotate(self, treebank: Treebank, **options: Unpack[ParseKeywords]) -> Parsed:
        """Write heads and labels into a treebank, and return what was written, with the dropped constraints.

        `confidence`: also write the probability that they are correct to MISC; `ensemble`: the other parsers, as many
        as the parser was calibrated with. The other options are those of `predict`. Labels given as constraints are
        written even if the parser does not have them.
        """
        check_treebank(treebank)
        parsed = self.search(treebank, ParseOptions(**options))
        parsed.write(treebank)
        return parsed

    def predict(self, treebank: Treebank, **options: Unpack[SearchKeywords]) -> tuple[IntArray, IntArray]:
        """Return heads, and labels as indices into `label_names`, of all words; -1 is none.

        `beam`: its width (default: that of the spec); `threads`: their number. All `constraints` are kept. If no tree
        of the system does, raise ConstraintError, which names the smallest set of them that excludes every tree; with
        `relax`, keep as many as possible: `annotate` returns the dropped ones. `listeners` follow every step of the
        search and may change the scores of actions; the search then runs in Python, with the same result if they change
        nothing, and without the pruning margin.
        """
        check_treebank(treebank)
        parsed = self.search(treebank, ParseOptions(**options))
        return parsed.heads, parsed.labels

    def k_best(self, sentence: Sentence, k: int, **options: Unpack[BestKeywords]) -> list[ScoredTree]:
        """Return at most `k` different trees, best first; the beam is at least as wide. `beam=0`: exhaustive search.

        `constraints`, of the whole treebank, and `relax` as in `predict`.
        """
        return self.search_best(sentence, k, **options).trees


def check_treebank(treebank: object) -> None:
    """Raise TreebankError unless it is a treebank that can be parsed."""
    if not isinstance(treebank, Treebank):
        hint = "; a Pipeline parses text" if isinstance(treebank, str) else ""
        raise TreebankError(f"expected a Treebank to parse; got {treebank!r}{hint}")
    check_lengths(treebank)
    treebank.check()
