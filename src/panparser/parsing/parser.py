"""Parser: a trained parser, which parses, saves and loads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy.typing as npt

from panparser._arrays import IntArray
from panparser._caching import cached_property
from panparser._checks import check_beam, check_best, check_threads
from panparser.errors import SpecError, TreebankError
from panparser.features.templates import Templates
from panparser.features.vectors import Vectors
from panparser.learning.classifiers import STORED, Classifier, check_class, own_class, restored_classifier, tag_columns
from panparser.learning.labels import LABELS, Labels
from panparser.learning.layers import LAYER, Layer
from panparser.learning.listeners import SearchListener
from panparser.learning.record import TrainingRecord
from panparser.parsing.confidence import Calibration, Confidence, confident_trees, forget, write_confidence
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.lifting import LiftedLabels
from panparser.parsing.models.perceptron import PerceptronModel
from panparser.parsing.models.protocol import Model, ParserLike, Search
from panparser.parsing.models.vote import VOTER, Voter
from panparser.parsing.options import ParseOptions
from panparser.parsing.spec import SPEC, Functions, ParserSpec
from panparser.storage.arrays import Arrays
from panparser.storage.models import Source, StoredModel
from panparser.storage.values import COUNT, TABLE, TEXT, ListOf, Maybe, Table, check, integer
from panparser.systems.python import PythonSystem
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank, check_lengths

if TYPE_CHECKING:
    from panparser.parsing.tags import Tags

FORMAT = 2  # of model files: incremented when older versions cannot read them; older formats stay readable
_WITHOUT_VOTERS = 1  # the format that older versions can read
_EVERY = 2**31 - 1
_VECTORS = Table({"bits": COUNT})  # of a manifest


@dataclass(frozen=True)
class ScoredTree:
    """One of several trees for a sentence."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    score: float  # in updates: comparable between trees of one sentence


class Parser(StoredModel, kind="parser", newest=FORMAT):
    """A trained parser, made by `train` or `load`.

    `margin`: how far a hypothesis may fall behind the best (in the parser's own scores) before it leaves the beam, so
    that a beam is only as wide as a sentence needs; None: it stays. The k best trees always come from the whole beam.
    `tags`: the UPOS of the words that it learned from, sorted, or None: it does not read them, or they are not known.
    """

    declared = Table(
        {
            "spec": SPEC,
            "labels": LABELS,
            "layers": ListOf(LAYER),
            "margin": Maybe(integer(0, (1 << 62) - 1)),
            "training": TABLE,
        },
        {
            "vectors": _VECTORS,
            "voters": ListOf(VOTER),
            "tags": ListOf(TEXT, least=1),
            "calibration": Maybe(TABLE),
            "classifier": Maybe(STORED),
        },
    )

    def __init__(
        self,
        spec: ParserSpec,
        labels: Labels,
        layers: list[Layer],
        training: Mapping[str, Any],
        vectors: Vectors | None = None,
        classifier: Classifier | None = None,
        voters: tuple[Voter, ...] = (),
    ) -> None:
        self.spec = spec
        self.labels = labels
        self.layers = layers  # of the perceptron; none if there is another classifier
        self.classifier = classifier
        self.training = TrainingRecord.from_values(training)
        self.vectors = vectors
        self.voters = voters  # the owners of the layers, in order, if several parsers vote
        self.margin = None
        self.tags: Tags | None = None
        self.calibration: Calibration | None = (
            None  # of its confidence; made by `train` with a dev set, and by `calibrate`
        )

    @cached_property
    def model(self) -> Model:
        """The scoring model; the rest of a parser is the same for all models."""
        if self.classifier is not None:
            return self._scored_by(self.classifier)
        return PerceptronModel(self.spec, self.labels, self.layers, self.vectors, self.voters)

    def _scored_by(self, classifier: Classifier) -> Model:
        from panparser.parsing.models.classifier import ClassifierModel  # only here: a perceptron needs no batches

        return ClassifierModel(self.spec, self.labels, classifier, self.vectors)

    def __repr__(self) -> str:
        labels = f", {len(self.labels.names)} labels" if self.spec.labeled else ""
        classifier = f", classifier {self.classifier.name}" if self.classifier else ""
        tags = f", predicts {' '.join(columns)}" if (columns := tag_columns(self.classifier)) else ""
        voters = f", a vote of {len(self.voters)}" if self.voters else ""
        return f"<Parser {self.spec.system.name}, beam {self.spec.beam}{labels}{classifier}{tags}{voters}>"

    @property
    def margin(self) -> int | None:
        return self._margin

    @margin.setter
    def margin(self, value: int | None) -> None:
        if value is not None and (type(value) is not int or not 0 <= value < 1 << 62):
            raise SpecError(f"margin must be an integer >= 0 or None; got {value!r}")
        self._margin = value

    def parse(self, treebank: Treebank, **options: Unpack[ParseOptions]) -> Treebank:
        """A copy of the treebank with the parser's heads and labels; options as in `annotate`.

        Warns (TagWarning) of words whose UPOS is none of `tags`; raises TreebankError if most have such a tag.
        """
        check_parsed(treebank)
        if self.tags is not None:
            from panparser.parsing.tags import check_tags

            check_tags(treebank, self.tags)
        parsed = treebank.copy()
        self.annotate(parsed, **options)
        return parsed

    def annotate(
        self,
        treebank: Treebank,
        *,
        beam: int | None = None,
        threads: int = 1,
        confidence: bool = False,
        ensemble: Sequence[ParserLike] = (),
        constraints: Constraints | None = None,
        relax: bool = False,
        listeners: Sequence[SearchListener] = (),
    ) -> None:
        """Writes heads and labels into a treebank; words without a label (all, of an unlabeled parser) get `_`.

        `confidence`: writes the probability that they are correct to MISC; `ensemble` as in `confidence`. Constraints
        as in `predict`; given labels are written even if the parser does not know them. `listeners` as in `predict`.
        """
        check_parsed(treebank)
        if ensemble and not confidence:
            raise SpecError("ensemble of parse is for confidence: it needs confidence=True")
        found = None
        if confidence:
            if listeners:
                raise SpecError("confidence is calibrated for parsing without listeners; got both")
            if constraints is not None:
                raise SpecError("confidence is calibrated for parsing without constraints; got both")
            found = self.confidence(treebank, beam=beam, threads=threads, ensemble=ensemble)
            heads, labels, tags = found.heads, found.labels, found.tags
        else:
            options: dict[str, Any] = {"beam": beam, "threads": threads, "constraints": constraints, "relax": relax}
            heads, labels, tags = self.found(treebank, listeners=listeners, **options)
        forget(treebank)
        if found is not None:
            write_confidence(treebank, found)
        if tags is not None and self.classifier is not None:
            self.classifier.write_tags(treebank, tags)
        treebank.heads[:] = heads
        treebank.fill("deprel", ["_", *self.plain_labels], labels + 1)
        if constraints is not None:
            constraints.write_labels(treebank)

    def confidence(
        self, treebank: Treebank, *, beam: int | None = None, threads: int = 1, ensemble: Sequence[ParserLike] = ()
    ) -> Confidence:
        """Heads and labels as in `predict`, with the probabilities that they are correct.

        `ensemble`: the other parsers, as many as the parser was calibrated with; they may have other seeds.
        """
        return confident_trees(self, treebank, beam=beam, threads=threads, ensemble=ensemble)

    def predict(
        self,
        treebank: Treebank,
        *,
        beam: int | None = None,
        threads: int = 1,
        constraints: Constraints | None = None,
        relax: bool = False,
        listeners: Sequence[SearchListener] = (),
    ) -> tuple[IntArray, IntArray]:
        """Heads, and labels as indices into `plain_labels`, of all words; -1 is none.

        All `constraints` are kept. If no tree of the system does, raises ConstraintError, which names the smallest set
        of them that excludes every tree; with `relax`, keeps as many as possible; `constraints.dropped` lists the rest.
        `listeners` follow every step of the search and may change the scores of actions; the search then runs in
        Python, with the same result if they change nothing, and without the margin.
        """
        options: dict[str, Any] = {"beam": beam, "threads": threads, "constraints": constraints, "relax": relax}
        return self.found(treebank, listeners=listeners, **options)[:2]

    def found(
        self,
        treebank: Treebank,
        *,
        beam: int | None = None,
        threads: int = 1,
        constraints: Constraints | None = None,
        relax: bool = False,
        listeners: Sequence[SearchListener] = (),
    ) -> tuple[IntArray, IntArray, IntArray | None]:
        """Heads and labels as in `predict`; and tags, if a classifier predicts them, too, as numbers of its own."""
        beam = self.checked_beam(treebank, beam, threads)
        search = Search(beam=beam, threads=threads, margin=self.margin, listeners=tuple(listeners))
        if constraints is not None:
            from panparser.parsing.constraints.search import Constrained  # only here: most parses need no solver

            return Constrained.of(self, treebank, constraints, relax).predict(treebank, search)
        found = self.scoring(search).find(treebank, search)
        return *self.lowered(treebank, found.heads, found.labels), found.tags

    def scoring(self, search: Search) -> Model:
        """The model for a search: with listeners, the model as a classifier, called step by step."""
        if not search.listeners or self.classifier is not None:
            return self.model
        return self._scored_by(self.as_classifier())

    def as_classifier(self) -> Classifier:
        """The model as a classifier that is called step by step."""
        if self.classifier is not None:
            return self.classifier
        return PerceptronModel(self.spec, self.labels, self.layers, self.vectors, self.voters).as_classifier()

    def checked_beam(self, treebank: Treebank, beam: int | None, threads: int) -> int:
        """The beam to parse with. Raises an error if the arguments are invalid."""
        check_parsed(treebank)
        beam = self.spec.beam if beam is None else beam
        check_beam(beam, "parse")
        check_threads("threads of parse", threads)
        check_lengths(treebank)
        treebank.check()
        return beam

    def lowered(self, treebank: Treebank, heads: IntArray, labels: IntArray) -> tuple[IntArray, IntArray]:
        """What the engine found, with lifted arcs put back where they belong; labels as in `predict`."""
        return self.lifted.put_back(treebank, heads, labels)

    @property
    def plain_labels(self) -> tuple[str, ...]:
        """The labels that parsing writes."""
        return self.lifted.plain

    @cached_property
    def lifted(self) -> LiftedLabels:
        return LiftedLabels(self.labels.names, self.spec.crossing == "pseudo")

    def best(
        self,
        sentence: Sentence,
        count: int,
        *,
        beam: int | None = None,
        constraints: Constraints | None = None,
        relax: bool = False,
    ) -> list[ScoredTree]:
        """At most `count` different trees, best first; the beam is at least as wide. `beam=0`: exhaustive search.

        Constraints, of the whole treebank, as in `predict`.
        """
        if not isinstance(sentence, Sentence):
            raise TreebankError(f"expected a Sentence, such as treebank[0]; got {sentence!r}")
        check_best(count, beam)
        check_lengths(sentence.treebank)
        if beam != 0 or isinstance(beam, bool):
            check_beam(self.spec.beam if beam is None else beam, "best")
        width = max(self.spec.beam if beam is None else beam, count) if beam != 0 else 0
        sentence.treebank.check()
        # Different trees may become equal once arcs are put back: then more of them are needed.
        wanted = count if self.spec.crossing != "pseudo" else width or _EVERY
        trees: dict[tuple[tuple[int, ...], tuple[str, ...]], float] = {}
        if constraints is not None:
            from panparser.parsing.constraints.search import Constrained

            restricted = Constrained.of(self, sentence.treebank, constraints, relax, [sentence.position])
            found = restricted.best(sentence, width, wanted)
        else:
            trees_found = self.model.best(sentence, width, wanted, None)
            found = [(*self.lifted.put_back_one(*tree[:2]), tree[2]) for tree in trees_found]
        for heads, labels, score in found:
            trees.setdefault((heads, labels), score)
        return [ScoredTree(*tree, score) for tree, score in list(trees.items())[:count]]

    def restricted(self, templates: Templates) -> Parser:
        """The parser that scores by the features of these templates alone, as the others have no weights in it.

        It goes on having them: so `train(init=...)` can learn new weights for them.
        """
        from panparser.parsing.models.restriction import kept_layers

        if self.voters or self.classifier is not None:
            raise SpecError(f"only the weights of one perceptron can be restricted to templates; got {self!r}")
        layers = kept_layers(self.spec, self.layers, templates)
        record = replace(self.training, restricted=[str(template) for template in templates])
        parser = Parser(self.spec, self.labels, layers, record, self.vectors)
        parser.tags = self.tags
        return parser

    @property
    def unit(self) -> float:
        """The size of an update in the model's scores of actions; in a vote, of a score of 1."""
        return self.model.unit

    # --- Files ---

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays of a model file."""
        return self.model.to_arrays() | (self.vectors.to_arrays() if self.vectors else {})

    @property
    def size(self) -> int:
        """Size of the weights, in bytes."""
        return sum(array.nbytes for array in self.model.to_arrays().values())

    @property
    def format(self) -> int:
        return FORMAT if self.voters else _WITHOUT_VOTERS

    def to_values(self) -> dict[str, Any]:
        """The rest of a model file, in plain values."""
        return {
            "spec": self.spec.to_values(),
            "labels": [
                [*row] for row in zip(self.labels.names, self.labels.of_root, self.labels.of_words, strict=True)
            ],
            "layers": [layer.to_values() for layer in self.layers],
            **({"vectors": {"bits": self.vectors.bits}} if self.vectors else {}),
            **self.model.to_values(),
            "margin": self.margin,
            **({"tags": list(self.tags)} if self.tags is not None else {}),
            **({"calibration": self.calibration.to_values()} if self.calibration else {}),
            "training": self.training.to_values(),
        }

    def code(self) -> dict[str, Any]:
        return {
            "classifier": None if self.classifier is None else own_class(self.classifier),
            **self.spec.code(),
        }

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        classifier: type[Classifier] | None = None,
        system: PythonSystem | None = None,
        functions: Functions | None = None,
    ) -> Parser:
        """The parser of a file; raises `ModelError` if the file is not a valid model.

        A file holds no code. Classifiers and Python systems are found by their names (entry points
        `panparser.classifiers` and `panparser.systems`) unless the class, or the system, is given; functions that
        templates call must be given.
        """
        if classifier is not None:
            check_class(classifier)
        return cls.read(path, classifier=classifier, system=system, functions=functions)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: Source) -> Parser:
        code = source.code
        rows = values["labels"]
        labels = Labels(*(tuple(row[i] for row in rows) for i in range(3)))
        layers = [Layer.from_file(arrays, f".{i}", own) for i, own in enumerate(values["layers"])]
        spec = ParserSpec.from_values(values["spec"], code.get("system"), code.get("functions"))
        has_vectors = spec.uses_vectors or "vectors" in values
        if has_vectors:
            check(values.get("vectors"), _VECTORS, "vectors")
        vectors = Vectors.from_arrays(arrays, values["vectors"]["bits"]) if has_vectors else None
        classifier = restored_classifier(arrays, values.get("classifier"), code.get("classifier"), source.path)
        voters = tuple(Voter.from_values(own) for own in values.get("voters", ()))
        training = TrainingRecord.from_values(values["training"])
        parser = cls(spec, labels, layers, training, vectors, classifier, voters)
        parser.margin = values["margin"]
        parser.tags = tuple(values["tags"]) if "tags" in values else None
        if values.get("calibration") is not None:
            parser.calibration = Calibration.from_values(values["calibration"])
        parser.model.check()
        return parser


def check_parsed(treebank: object) -> None:
    """Raises TreebankError unless it is a treebank."""
    if not isinstance(treebank, Treebank):
        hint = "; a Pipeline parses text" if isinstance(treebank, str) else ""
        raise TreebankError(f"expected a Treebank to parse; got {treebank!r}{hint}")
