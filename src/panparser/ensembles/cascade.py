"""Cascades: a series of parsers, each for the arcs it is good at, constrained by the arcs of those before it.

Aufrant & Wisniewski 2018, section 3.4. The last parser is complete: it finds the remaining arcs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Unpack, cast

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import check_range
from panparser.base.kinds import TABLE, TEXT, Kind, ListOf, Table
from panparser.base.options import Form, Options, option
from panparser.ensembles.multi_parser import MultiParserModel
from panparser.errors import SpecError
from panparser.learning.training_record import TrainingRecord
from panparser.parsing.constraints import Constraints, check_given
from panparser.parsing.parse_options import BestKeywords, BestTrees, Parsed, ParseOptions
from panparser.parsing.parser import FORMAT, Parser
from panparser.parsing.spec import ParserSpec
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, without_prefix
from panparser.systems.registry import system as named_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.arc_regions import ArcRegion, Arcs, in_regions
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

_REGIONS = Kind(
    "ArcRegions", lambda value: isinstance(value, tuple) and all(isinstance(region, ArcRegion) for region in value)
)
_STORED_REGIONS = Form(
    kind=ListOf(TABLE),
    encode=lambda regions: [region.to_values() for region in regions],
    decode=lambda tables: tuple(map(ArcRegion.from_values, tables)),
)


class CascadeStage(Options):
    """One parser of a cascade: its name, the regions whose arcs it finds, and what it is made of.

    The last stage has no regions: it finds all arcs. `spec` defaults to arc-eager-partial where there are `regions`,
    else to `ParserSpec()`. `options` are those of `train` that differ from those of the other stages.

    `train`: treebanks of its own, such as those of another language; then `options` may have `treebank_weights`.
    `model`: a parser, or its file, in place of one that is trained. Such stages do not learn under what others find.
    """

    name: str = option(TEXT, default="", help="The name of the stage.")
    regions: tuple[ArcRegion, ...] = option(
        _REGIONS,
        default=(),
        convert=tuple,
        stored=_STORED_REGIONS,
        help="The arcs that the stage learns and finds, by a system that leaves words headless.",
    )
    keep_regions: tuple[ArcRegion, ...] = option(
        _REGIONS,
        default=(),
        convert=tuple,
        stored=replace(_STORED_REGIONS, key="keep"),
        omits_default=True,
        help="Regions to keep, in place of `regions`: the stage learns all arcs, and of those that it finds only "
        "those of these regions "
        "are kept.",
    )
    spec: ParserSpec = cast(ParserSpec, None)
    train: tuple[Treebank, ...] | None = field(default=None, compare=False)
    model: Parser | None = field(default=None, compare=False)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    def check(self) -> None:
        if self.regions and self.keep_regions:
            raise SpecError("CascadeStage: expected regions, or keep_regions; got both")
        self._set_data()
        spec = self.spec
        if self.model is not None:
            spec = self.model.spec
            if self.spec not in (None, spec):
                raise SpecError("Stage: the spec is that of the model; got another beside it")
        elif spec is None:
            partial = named_system("arc-eager-partial", root="last")
            spec = ParserSpec(system=partial) if self.regions else ParserSpec()
        if not isinstance(spec, ParserSpec):
            raise SpecError(f"CascadeStage: spec must be a ParserSpec; got {spec!r}")
        object.__setattr__(self, "spec", spec)

    def _set_data(self) -> None:
        if isinstance(self.train, Treebank):
            object.__setattr__(self, "train", (self.train,))
        if self.train is not None:
            is_list = isinstance(self.train, Sequence) and all(isinstance(each, Treebank) for each in self.train)
            if not is_list or not self.train:
                raise SpecError(f"CascadeStage: train must be a Treebank, or several; got {self.train!r}")
            object.__setattr__(self, "train", tuple(self.train))
        if isinstance(self.model, str | os.PathLike):
            object.__setattr__(self, "model", Parser.load(self.model))
        if not isinstance(self.model, Parser | None):
            raise SpecError(f"CascadeStage: model must be a Parser, or the file of one; got {self.model!r}")
        if self.model is not None and (self.train is not None or self.options):
            raise SpecError("Stage: a model is trained already; got treebanks or options of training beside it")

    @property
    def output_regions(self) -> tuple[ArcRegion, ...]:
        """The regions whose arcs it passes on."""
        return self.regions or self.keep_regions

    @property
    def trains_on_main_data(self) -> bool:
        """Does it learn from the treebank of the cascade, under what the stages before it find there?"""
        return self.model is None and self.train is None


_STAGE = CascadeStage.table(is_complete=True)


def check_stages(stages: Sequence[CascadeStage]) -> None:
    """Raises SpecError unless the stages can follow each other."""
    if len(stages) < 2:
        raise SpecError(f"a cascade has at least two stages; got {len(stages)}")
    for number, stage in enumerate(stages, start=1):
        who, is_last, system = f"stage {number} ({stage.name})", number == len(stages), stage.spec.system
        if is_last and (stage.output_regions or system.partial):
            raise SpecError(f"{who}: the last stage is complete: no regions, and a system that attaches every word")
        if not is_last and not stage.keep_regions and not (stage.regions and system.partial):
            expected = (
                "expected regions and a system that leaves words headless (arc-eager-partial, arc-hybrid-partial), or "
                "regions to keep of what a complete parser finds"
            )
            raise SpecError(f"{who}: {expected}; found {len(stage.regions)} regions and {system.name}")
        if not stage.spec.labeled and any(region.label for region in stage.output_regions):
            raise SpecError(f"{who}: regions by label need a labeled parser, and this one finds no labels")
        if not system.has_dynamic_oracle and system.has_oracle:
            raise SpecError(f"{who}: {system.name} has a static oracle only, which keeps no constraints")


class Cascade(MultiParserModel, kind="cascade", newest=FORMAT):
    """Trained stages, made by `train_cascade` or `load`; parses, saves and loads like a Parser."""

    array_prefix = "stage.{}."
    declared = Table({"stages": ListOf(Table(_STAGE.must | {"parser": TABLE}, _STAGE.may)), "training": TABLE})

    def __init__(self, stages: Sequence[CascadeStage], parsers: Sequence[Parser], training: Mapping[str, Any]) -> None:
        check_stages(stages)
        if len(stages) != len(parsers):
            raise SpecError(f"Cascade: parsers must be {len(stages)}, one for each stage; got {len(parsers)}")
        self.stages = tuple(
            replace(stage, spec=parser.spec, train=None, model=None)
            for stage, parser in zip(stages, parsers, strict=True)
        )
        self.parsers = tuple(parsers)
        self.training = TrainingRecord.from_values(training)

    def __repr__(self) -> str:
        return f"<Cascade of {len(self.stages)} stages: {', '.join(stage.name for stage in self.stages)}>"

    @property
    def spec(self) -> ParserSpec:
        """The spec of the last stage, which determines the properties of trees."""
        return self.parsers[-1].spec

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels that the last stage writes; those of earlier stages may also occur in the results of `parse`."""
        return self.parsers[-1].label_names

    # --- Parsing ---

    def search(self, treebank: Treebank, options: ParseOptions) -> Parsed:
        """Parse with the last parser, constrained by what was given and what the other stages find."""
        self.check_options(options)
        constraints = self.predict_constraints(
            treebank, beam=options.beam, threads=options.threads, constraints=options.constraints
        )
        is_free = options.constraints is None
        parsed = self.parsers[-1].search(
            treebank, replace(options, constraints=constraints, relax=options.relax or is_free)
        )
        return replace(parsed, dropped=()) if is_free else parsed  # what stages found is theirs to lose

    def search_best(self, sentence: Sentence, k: int, **options: Unpack[BestKeywords]) -> BestTrees:
        """Search with the last parser, constrained by what was given and what the other stages find."""
        beam, constraints = options.get("beam"), options.get("constraints")
        if constraints is not None:
            check_given(constraints, sentence.treebank)
        numbers = [sentence.position]
        part = sentence.treebank[numbers]
        given = None if constraints is None else part_of(constraints, part, numbers)
        found = as_part_of(sentence, self.predict_constraints(part, beam=beam, constraints=given))
        relax = options.get("relax", False) or constraints is None
        best = self.parsers[-1].search_best(sentence, k, beam=beam, constraints=found, relax=relax)
        return best if constraints is not None else best._replace(dropped=())

    def predict_constraints(
        self,
        treebank: Treebank,
        stages: int | None = None,
        *,
        beam: int | None = None,
        threads: int = 1,
        constraints: Constraints | None = None,
    ) -> Constraints:
        """What the first stages (None: all but the last) find, and what was given: constraints for the next one.

        It includes all that was given: a stage keeps what its system can, and only the last one refuses or drops any.
        """
        known = Constraints.from_treebank(treebank, keep=()) if constraints is None else constraints
        before_last = len(self.stages) - 1
        if stages is not None:
            check_range("found: stages", stages, 0, before_last)
        for number in range(before_last if stages is None else stages):
            known = add_predictions(
                self.stages[number],
                self.parsers[number],
                treebank,
                known,
                constraints,
                beam=beam,
                threads=threads,
                relax=True,
            )
            known = without_conflicts(known, constraints, self.stages[number + 1].spec.system)
        return known

    # --- Files ---

    def with_training(self, training: TrainingRecord) -> Cascade:
        return Cascade(self.stages, self.parsers, training)

    def to_values(self) -> dict[str, Any]:
        """The rest of a model file, in plain values."""
        stages = [
            {**stage.to_values(), "parser": parser.manifest()}
            for stage, parser in zip(self.stages, self.parsers, strict=True)
        ]
        return {"stages": stages, "training": self.training.to_values()}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Cascade:
        """The cascade of a file; raises ModelError if the file is not a valid cascade."""
        return cls.read(path)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Cascade:
        stages, parsers = [], []
        for number, own in enumerate(values["stages"]):
            part = source.part(f"stage {number + 1}")
            parsers.append(
                Parser.from_manifest(without_prefix(cls.array_prefix.format(number), arrays), own["parser"], part)
            )
            stages.append(CascadeStage(**CascadeStage.arguments(own), spec=parsers[-1].spec))
        return cls(stages, parsers, TrainingRecord.from_values(values["training"]))


# --- What a stage finds, as constraints for the next ---


def add_predictions(
    stage: CascadeStage,
    parser: Parser,
    treebank: Treebank,
    known: Constraints,
    requested: Constraints | None,
    **options: Any,
) -> Constraints:
    """The known arcs, and those that a stage's parser finds in its regions. `given` is always kept."""
    heads, labels = parser.predict(treebank, constraints=known, **options)
    arcs = Arcs(treebank, heads, labels, parser.label_names)
    new = (known.heads == UNKNOWN) & in_regions(stage.output_regions, arcs)
    if requested is not None:
        new[words_with_constraints(requested)] = False
    texts = (*known.texts, *parser.label_names)
    new_labels = np.where(new & (known.labels == UNKNOWN) & (labels >= 0), labels + len(known.texts), known.labels)
    return Constraints(
        treebank, np.where(new, heads, known.heads), new_labels.astype(np.int32), texts, dict(known.other_constraints)
    )


def words_with_constraints(constraints: Constraints) -> npt.NDArray[np.int64]:
    """Words covered by a non-head constraint: the arcs of their sentences are left to the last stage."""
    words = [
        np.arange(constraints.word_slice(sentence).start, constraints.word_slice(sentence).stop)
        for sentence in constraints.other_constraints
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *words])


def without_conflicts(known: Constraints, requested: Constraints | None, system: TransitionSystem) -> Constraints:
    """Drops arcs of stages that exclude each other in the next stage's system; what users gave is never dropped.

    Of several children of Root, if only one is allowed, the first is kept; if conflicts remain in a sentence, none is.
    """
    own = known.heads != UNKNOWN
    if requested is not None:
        own &= requested.heads == UNKNOWN
    heads, labels = known.heads.copy(), known.labels.copy()
    sentence = known.treebank.sentence_of_word()

    def conflicts() -> npt.NDArray[np.bool_]:
        shape = (system.root == "first", system.single_root, system.max_span or 0)
        found: npt.NDArray[np.bool_] = _engine.find_conflicts(known.offsets, heads, *shape).astype(bool)
        return found[sentence]

    if len(heads) and (clash := conflicts()).any():
        roots = np.flatnonzero((heads == 0) & clash)
        roots = roots[np.lexsort((roots, own[roots], sentence[roots]))]  # what was given comes first
        _, first = np.unique(sentence[roots], return_index=True)
        later = np.delete(roots, first)
        heads[later[own[later]]] = UNKNOWN
        heads[conflicts() & own] = UNKNOWN
        dropped = heads != known.heads
        labels[dropped] = UNKNOWN if requested is None else requested.labels[dropped]
    return Constraints(known.treebank, heads, labels, known.texts, known.other_constraints)


def part_of(constraints: Constraints, part: Treebank, sentences: Sequence[int]) -> Constraints:
    """The constraints of some sentences, which form a separate treebank."""
    words = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(np.r_[constraints.word_slice(sentence)] for sentence in sentences)]
    )
    more = {
        i: constraints.other_constraints[number]
        for i, number in enumerate(sentences)
        if number in constraints.other_constraints
    }
    return Constraints(part, constraints.heads[words], constraints.labels[words], constraints.texts, more)


def as_part_of(sentence: Sentence, found: Constraints) -> Constraints:
    """Constraints of a single sentence as those of its treebank, with none on the other sentences."""
    whole = Constraints.from_treebank(sentence.treebank, keep=())
    words = whole.word_slice(sentence.position)
    labels = whole.labels.copy()
    whole.heads[words], labels[words] = found.heads, found.labels
    more = {sentence.position: found.other_constraints[0]} if 0 in found.other_constraints else {}
    return Constraints(sentence.treebank, whole.heads, labels, found.texts, more)
