"""Parser: a trained parser, which parses, saves and loads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.checks import check_beam, check_best
from panparser.base.kinds import COUNT, TABLE, TEXT, ListOf, Nullable, Table, check, integer
from panparser.base.types import FloatArray, IntArray
from panparser.batches.classifier import (
    STORED,
    Classifier,
    check_class,
    external_class,
    has_method,
    restored_classifier,
    tag_columns,
)
from panparser.errors import SpecError, TreebankError
from panparser.features.templates import Templates
from panparser.features.vectors import WordVectors
from panparser.learning.layers import LABELS, LAYER, Labels, Layer
from panparser.learning.training_record import TrainingRecord
from panparser.parsing.confidence import Calibration, ConfidenceSignals, ConfidentParses, confidence_of, evidence_of
from panparser.parsing.constraints import Constraints, DroppedConstraint
from panparser.parsing.engine_model import PerceptronModel
from panparser.parsing.lifting import PseudoProjectiveLabels
from panparser.parsing.model_protocol import Model, Search, SearchResult
from panparser.parsing.parse_options import (
    BestKeywords,
    BestTrees,
    Parsed,
    ParseOptions,
    ScoredTree,
    TreeParser,
    check_treebank,
)
from panparser.parsing.spec import SPEC, Functions, ParserSpec
from panparser.parsing.voters import VOTER, Voter
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource
from panparser.systems.python_system import PythonSystem
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank, check_lengths

if TYPE_CHECKING:
    from panparser.parsing.known_tags import Tags

FORMAT = 2  # of model files: incremented when older versions cannot read them; older formats stay readable
FORMAT_SINGLE_PARSER = 1  # the format that older versions can read
ALL_TREES = 2**31 - 1
_VECTORS = Table({"bits": COUNT})  # of a manifest


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parser(TreeParser, kind="parser", newest=FORMAT):
    """A trained parser, made by `train` or `load`.

    `pruning_margin`: how far a hypothesis may fall behind the best (in the parser's own scores) before it leaves the
    beam, so that a beam is only as wide as a sentence needs; None: it stays. The k best trees always come from the
    whole beam. `training_tags`: the UPOS of the words that it learned from, sorted; None: not read, or not known.
    `calibration`: of its confidence; made by `train` with a development set, and by `calibrate`.

    Nothing of a parser changes: `dataclasses.replace(parser, pruning_margin=None)` is another one with the same model.
    """

    declared = Table(
        {
            "spec": SPEC,
            "labels": LABELS,
            "layers": ListOf(LAYER),
            "margin": Nullable(integer(0, (1 << 62) - 1)),
            "training": TABLE,
        },
        {
            "vectors": _VECTORS,
            "voters": ListOf(VOTER),
            "tags": ListOf(TEXT, minimum=1),
            "calibration": Nullable(TABLE),
            "classifier": Nullable(STORED),
        },
    )

    model: Model
    training: TrainingRecord = field(default_factory=TrainingRecord)
    pruning_margin: int | None = None
    training_tags: Tags | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        margin = self.pruning_margin
        if margin is not None and (type(margin) is not int or not 0 <= margin < 1 << 62):
            raise SpecError(f"pruning_margin must be an integer >= 0 or None; got {margin!r}")

    @property
    def spec(self) -> ParserSpec:
        return self.model.spec

    @property
    def labels(self) -> Labels:
        return self.model.labels

    @property
    def layers(self) -> Sequence[Layer]:
        """The layers of the perceptron; empty if there is another classifier."""
        return self.model.layers

    @property
    def classifier(self) -> Classifier | None:
        return self.model.classifier

    @property
    def vectors(self) -> WordVectors | None:
        return self.model.vectors

    @property
    def voters(self) -> tuple[Voter, ...]:
        """The owners of the layers, in order, if several parsers vote."""
        return self.model.voters

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels that parsing writes."""
        return self._label_encoding.plain

    @cached_property
    def _label_encoding(self) -> PseudoProjectiveLabels:
        return PseudoProjectiveLabels(self.labels.names, self.spec.crossing == "pseudo")

    @property
    def update_size(self) -> float:
        """The size of an update in the model's scores of actions; in a vote, of a score of 1."""
        return self.model.unit

    def __repr__(self) -> str:
        labels = f", {len(self.labels.names)} labels" if self.spec.labeled else ""
        classifier = f", classifier {self.classifier.name}" if self.classifier else ""
        tags = f", predicts {' '.join(columns)}" if (columns := tag_columns(self.classifier)) else ""
        voters = f", a vote of {len(self.voters)}" if self.voters else ""
        return f"<Parser {self.spec.system.name}, beam {self.spec.beam}{labels}{classifier}{tags}{voters}>"

    # --- Parsing ---

    def search(self, treebank: Treebank, options: ParseOptions) -> Parsed:
        names, classifier = self.label_names, self.classifier
        if options.confidence:
            result = self._confidence(treebank, options)
            return Parsed(result.heads, result.labels, names, result.tags, result, classifier=classifier)
        found, dropped = self._find(treebank, options)
        constraints = options.constraints
        return Parsed(
            found.heads, found.labels, names, found.tags, None, dropped, classifier=classifier, constraints=constraints
        )

    def _find(
        self, treebank: Treebank, options: ParseOptions, *, signals: bool = False
    ) -> tuple[SearchResult, tuple[DroppedConstraint, ...]]:
        """Find trees, with lifted arcs put back, and list the constraints that they violate."""
        search = Search(
            beam=self.spec.beam if options.beam is None else options.beam,
            threads=options.threads,
            margin=self.pruning_margin,
            signals=signals,
            listeners=tuple(options.listeners),
        )
        if options.constraints is not None:
            # most parses need no solver
            from panparser.parsing.constraint_search import ConstrainedSearch, KeptTrees

            kept = KeptTrees.from_constraints(self.spec, self.labels, treebank, options.constraints, options.relax)
            return ConstrainedSearch(self.model, kept).find(treebank, search)
        found = self.model.find(treebank, search)
        heads, labels = self._label_encoding.put_back(treebank, found.heads, found.labels)
        return found._replace(heads=heads, labels=labels), ()

    def search_best(self, sentence: Sentence, k: int, **options: Unpack[BestKeywords]) -> BestTrees:
        if not isinstance(sentence, Sentence):
            raise TreebankError(f"expected a Sentence, such as treebank[0]; got {sentence!r}")
        beam, constraints = options.get("beam"), options.get("constraints")
        check_best(k, beam, "k_best: k")
        check_lengths(sentence.treebank)
        if beam != 0 or isinstance(beam, bool):
            check_beam(self.spec.beam if beam is None else beam, "k_best")
        width = max(self.spec.beam if beam is None else beam, k) if beam != 0 else 0
        sentence.treebank.check()
        # Different trees may become equal once arcs are put back: then more of them are needed.
        count = k if self.spec.crossing != "pseudo" else width or ALL_TREES
        found: Iterable[tuple[tuple[int, ...], tuple[str, ...], float]]
        dropped: tuple[DroppedConstraint, ...] = ()
        if constraints is not None:
            from panparser.parsing.constraint_search import ConstrainedSearch, KeptTrees

            relax, number = options.get("relax", False), sentence.position
            kept = KeptTrees.from_constraints(self.spec, self.labels, sentence.treebank, constraints, relax, [number])
            found, dropped = ConstrainedSearch(self.model, kept).find_best(sentence, width, count)
        else:
            raw_trees = self.model.best(sentence, width, count, None)
            found = [(*self._label_encoding.put_back_one(*tree[:2]), tree[2]) for tree in raw_trees]
        scores: dict[tuple[tuple[int, ...], tuple[str, ...]], float] = {}
        for heads, labels, score in found:
            scores.setdefault((heads, labels), score)
        return BestTrees([ScoredTree(*tree, score) for tree, score in list(scores.items())[:k]], dropped)

    def tag(self, treebank: Treebank, *, threads: int = 1) -> None:
        """Write only the columns that the parser predicts in addition to trees, without parsing where possible."""
        check_treebank(treebank)
        options = ParseOptions(threads=threads)
        if self.classifier is None or not tag_columns(self.classifier):
            raise SpecError(f"expected a parser that predicts tags; got {self!r}")
        if has_method(self.classifier, "tag"):
            tags: IntArray | None = self.classifier.tag(treebank, self.vectors, threads)
        else:
            tags = self.search(treebank, options).tags
        assert tags is not None
        self.classifier.write_tags(treebank, tags)

    # --- Confidence ---

    def confidence(
        self, treebank: Treebank, *, beam: int | None = None, threads: int = 1, ensemble: Sequence[TreeParser] = ()
    ) -> ConfidentParses:
        """Return heads and labels as in `predict`, with the probabilities that they are correct.

        `ensemble`: the other parsers, as many as the parser was calibrated with; they may have other seeds.
        """
        check_treebank(treebank)
        options = ParseOptions(beam=beam, threads=threads, confidence=True, ensemble=ensemble)
        return self._confidence(treebank, options)

    def _confidence(self, treebank: Treebank, options: ParseOptions) -> ConfidentParses:
        calibration = self.calibration_for(options.beam, len(options.ensemble))
        return confidence_of(calibration, self._evidence(treebank, options), labeled=self.spec.labeled)

    def calibration_for(self, beam: int | None, ensemble: int) -> Calibration:
        """Return the calibration. Raise SpecError if there is none for this beam and number of other parsers."""
        calibration = self.calibration
        if calibration is None:
            raise SpecError(
                "confidence requires a calibration, which this model lacks: train with a development set, "
                "or `panparser calibrate -m MODEL DEV -o OUTPUT`"
            )
        beam = self.spec.beam if beam is None else beam
        if beam != calibration.beam:
            raise SpecError(
                f"confidence was calibrated for a beam of {calibration.beam}; got {beam}: calibrate for that one"
            )
        if ensemble != calibration.ensemble:
            raise SpecError(f"confidence was calibrated with {calibration.ensemble} other parsers; got {ensemble}")
        return calibration

    def gather_evidence(
        self,
        treebank: Treebank,
        *,
        beam: int | None = None,
        threads: int = 1,
        ensemble: Sequence[TreeParser] = (),
        constraints: Constraints | None = None,
        relax: bool = False,
    ) -> ConfidenceSignals:
        """Parse, under constraints if there are any, and return all evidence of the trees' correctness."""
        check_treebank(treebank)
        options = ParseOptions(beam=beam, threads=threads, constraints=constraints, relax=relax)
        return self._evidence(treebank, options, ensemble)

    def _evidence(
        self, treebank: Treebank, options: ParseOptions, ensemble: Sequence[TreeParser] | None = None
    ) -> ConfidenceSignals:
        ensemble = options.ensemble if ensemble is None else ensemble
        if wrong := [other for other in ensemble if not isinstance(other, TreeParser)]:
            raise SpecError(f"ensemble must be parsers; got {wrong[0]!r}")
        found, dropped = self._find(treebank, options, signals=True)
        evidence = replace(evidence_of(found, treebank), dropped=dropped)
        if not ensemble:
            return evidence
        agreement = self._agreement(treebank, found, ensemble, options.threads)
        return replace(evidence, values=evidence.values | agreement)

    def _agreement(
        self, treebank: Treebank, found: SearchResult, ensemble: Sequence[TreeParser], threads: int
    ) -> dict[str, FloatArray]:
        """Return how many of the other parsers find the same heads, and the same labels."""
        same_heads, same_labels = np.zeros(treebank.words), np.zeros(treebank.words)
        for other in ensemble:
            heads, labels = other.predict(treebank, threads=threads)
            same_heads += heads == found.heads
            if self.spec.labeled and other.spec.labeled:
                index = {name: number for number, name in enumerate(self.label_names)}
                numbers = np.array([*(index.get(name, -2) for name in other.label_names), -1])
                same_labels += (heads == found.heads) & (numbers[labels] == found.labels)
        return {
            "agree": same_heads / len(ensemble),
            "unanimous": (same_heads == len(ensemble)).astype(np.float64),
            "agree_label": same_labels / len(ensemble),
        }

    # --- Other parsers with the same weights ---

    def with_training(self, training: TrainingRecord) -> Parser:
        return replace(self, training=training)

    def restricted_to(self, templates: Templates) -> Parser:
        """Return the parser that scores by the features of these templates alone: the others have no weights in it.

        It still has them, so that `train(init=...)` can learn new weights for them.
        """
        from panparser.parsing.engine_model import kept_layers

        if self.voters or self.classifier is not None:
            raise SpecError(f"restricted_to: expected a parser with a single perceptron; got {self!r}")
        layers = kept_layers(self.spec, self.layers, templates)
        record = replace(self.training, restricted=[str(template) for template in templates])
        model = PerceptronModel(self.spec, self.labels, layers, self.vectors)
        return Parser(model=model, training=record, training_tags=self.training_tags)

    # --- Files ---

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays of a model file."""
        return self.model.to_arrays() | (self.vectors.to_arrays() if self.vectors else {})

    @property
    def weight_bytes(self) -> int:
        """The size of the weights in bytes."""
        return sum(array.nbytes for array in self.model.to_arrays().values())

    @property
    def format(self) -> int:
        return FORMAT if self.voters else FORMAT_SINGLE_PARSER

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
            "margin": self.pruning_margin,
            **({"tags": list(self.training_tags)} if self.training_tags is not None else {}),
            **({"calibration": self.calibration.to_values()} if self.calibration else {}),
            "training": self.training.to_values(),
        }

    def external_code(self) -> dict[str, Any]:
        return {
            "classifier": None if self.classifier is None else external_class(self.classifier),
            **self.spec.external_code(),
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
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Parser:
        code = source.code
        rows = values["labels"]
        labels = Labels(*(tuple(row[i] for row in rows) for i in range(3)))
        layers = [Layer.from_file(arrays, f".{i}", own) for i, own in enumerate(values["layers"])]
        spec = ParserSpec.from_values(values["spec"], code.get("system"), code.get("functions"))
        has_vectors = spec.uses_vectors or "vectors" in values
        if has_vectors:
            check(values.get("vectors"), _VECTORS, "vectors")
        vectors = WordVectors.from_arrays(arrays, values["vectors"]["bits"]) if has_vectors else None
        classifier = restored_classifier(arrays, values.get("classifier"), code.get("classifier"), source.path)
        voters = tuple(Voter.from_values(own) for own in values.get("voters", ()))
        training = TrainingRecord.from_values(values["training"])
        model = (
            PerceptronModel(spec, labels, layers, vectors, voters)
            if classifier is None
            else classifier_model(spec, labels, classifier, vectors)
        )
        calibration = values.get("calibration")
        parser = cls(
            model=model,
            training=training,
            pruning_margin=values["margin"],
            training_tags=tuple(values["tags"]) if "tags" in values else None,
            calibration=None if calibration is None else Calibration.from_values(calibration),
        )
        model.check()
        return parser


def classifier_model(
    spec: ParserSpec, labels: Labels, classifier: Classifier, vectors: WordVectors | None = None
) -> Model:
    """Return a classifier as the model of a parser."""
    from panparser.parsing.classifier_model import ClassifierModel  # only here: a perceptron needs no batches

    return ClassifierModel(spec, labels, classifier, vectors)
