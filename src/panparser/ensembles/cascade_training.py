"""Training of cascades: each stage under the predictions of the earlier ones."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Unpack, get_args

import numpy as np

from panparser.base.checks import MAX_INT, SHARE, check_choice, check_count, check_number
from panparser.base.threads import capped_default_threads, resolve_threads
from panparser.ensembles.cascade import Cascade, CascadeStage, add_predictions, check_stages, part_of, without_conflicts
from panparser.errors import SpecError
from panparser.features.templates import templates
from panparser.features.vectors import WordVectors
from panparser.learning.epochs import digest, digests
from panparser.learning.folds import Fold, over_folds
from panparser.learning.listeners import Listener, check_listeners, notice
from panparser.learning.training import TrainingOptions, check_options
from panparser.learning.training_record import CASCADE, TrainingRecord, whole
from panparser.networks.network import NetworkSpec
from panparser.parsing.constraints import Constraints
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.training.parser_run import choose_classifier, network_of
from panparser.training.training_parsers import jackknife, parser_training, train
from panparser.treebank.arc_regions import LENGTHS, SETS, ArcRegion, Arcs, in_regions
from panparser.treebank.treebank import Treebank, check_treebanks
from panparser.trees.gold import UNKNOWN
from panparser.work.store import CheckpointFolder

StageConstraints = Literal["predicted", "gold", "none"]


class CascadeOptions(TrainingOptions, total=False):
    """Options of `train` for all stages."""

    vectors: WordVectors | None
    network: NetworkSpec | None


def train_cascade(
    stages: Sequence[CascadeStage],
    treebank: Treebank | None = None,
    *,
    dev: Treebank | None = None,
    stage_constraints: StageConstraints = "predicted",
    folds: int = 5,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    on_stage_start: Callable[[int, CascadeStage], None] = lambda number, stage: None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Unpack[CascadeOptions],
) -> Cascade:
    """A cascade for a treebank; `options` are those of `TrainingConfig`, for all stages.

    Stages after the first are trained under `stage_constraints`, what earlier ones find: "predicted", the arcs found by
    parsers that did not learn from the sentence (of stages that learn from the treebank: by those trained on the other
    `folds`); "gold", all arcs of their regions; "none". Unless it is none, and unless their templates already read
    constraints, the set given is added, or an input `given_head` to a `network`. Stages with treebanks or a model of
    their own learn, or have learned, under none; where all have, no treebank is needed. The development set is
    parsed under what the earlier stages find in it. `on_stage_start` is called before each stage; `threads` (None: one
    for each core) change no byte. The folder `checkpoint` holds what is finished; with `resume` training goes on from
    there, and gives the same cascade as if it had never stopped.
    """
    check_stages(stages)
    check_choice("train_cascade: stage_constraints", stage_constraints, get_args(StageConstraints))
    if treebank is None:
        for number, stage in enumerate(stages, start=1):
            if stage.trains_on_main_data:
                raise SpecError(f"stage {number} ({stage.name}): expected a treebank to learn from, or a model")
    if treebank is not None or dev is not None:
        check_treebanks("train_cascade", dev if treebank is None else treebank, dev)
    check_listeners("train_cascade", listeners)
    check_options(
        "train_cascade", options, CascadeOptions.__annotations__, ("dev", "stage_constraints", "folds", "threads")
    )
    threads = resolve_threads("train_cascade: threads", threads)
    common = {**options, "vectors": vectors.digest if (vectors := options.get("vectors")) else None}
    data = {"dev": digest(dev) if dev is not None else None}
    data = data if treebank is None else digests(treebank, dev)
    identity = {
        "stages": [_identity(stage, common) for stage in stages],
        **{"given": stage_constraints, "folds": folds, "data": data},
    }
    checkpoints = CheckpointFolder.open(checkpoint, identity, resume=resume, on_error=partial(notice, listeners))
    run = _Run(tuple(stages), treebank, dev, stage_constraints, folds, threads, listeners, dict(options), checkpoints)
    with capped_default_threads(threads):
        for number, stage in enumerate(stages):
            on_stage_start(number, stage)
            run.add(number)
    record = TrainingRecord(
        written=CASCADE,
        given=stage_constraints if run.is_given else "none",
        folds=folds if stage_constraints == "predicted" and run.is_given else None,
        seed=run.parsers[-1].training.seed,
        sentences=0 if treebank is None else len(treebank),
        words=0 if treebank is None else treebank.words,
        data=data,
    )
    return Cascade(stages, run.parsers, record)


def within(treebank: Treebank, regions: Sequence[ArcRegion]) -> Treebank:
    """A copy of a treebank with only the arcs of the regions; other words are headless."""
    found = treebank.copy()
    outside = ~in_regions(regions, Arcs.from_treebank(found))
    found.heads[outside] = UNKNOWN
    found.column("deprel")[outside] = found.id_of("deprel", "_")
    return found


def _identity(stage: CascadeStage, options: dict[str, Any]) -> dict[str, Any]:
    """What a stage must have in common with that of a run that is resumed."""
    regions = {key: value for key, value in stage.to_values().items() if key != "name"}
    if stage.model is not None:
        return {"model": _digest_of(stage.model), **regions}
    own = options | dict(stage.options)
    vectors, network = (
        own.pop("vectors"),
        network_of(choose_classifier("train_cascade", None, own.pop("network", None))),
    )
    data = {"weights": own.pop("treebank_weights", None), "train": [digest(each) for each in stage.train or ()]}
    training = parser_training(stage.spec, own, network).to_values()
    values = {"spec": stage.spec.to_values(), **regions, **data, "training": training, "vectors": vectors}
    return values | {"network": network.to_values() if network is not None else None}


def _digest_of(parser: Parser) -> str:
    """The same for parsers that parse alike."""
    found = hashlib.sha256(json.dumps(parser.to_values(), sort_keys=True).encode())
    for name, array in sorted(parser.to_arrays().items()):
        found.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


@dataclass
class _Run:
    stages: tuple[CascadeStage, ...]
    treebank: Treebank | None
    dev: Treebank | None
    stage_constraints: StageConstraints
    folds: int
    threads: int
    listeners: Sequence[Listener]
    options: dict[str, Any]
    checkpoints: CheckpointFolder

    def __post_init__(self) -> None:
        self.parsers: list[Parser] = []
        self.known = None if self.treebank is None else Constraints.from_treebank(self.treebank, keep=())
        self.dev_known = None if self.dev is None else Constraints.from_treebank(self.dev, keep=())

    @property
    def is_given(self) -> bool:
        """Does a stage learn under what others find?"""
        return self.stage_constraints != "none" and any(stage.trains_on_main_data for stage in self.stages[1:])

    def add(self, number: int) -> None:
        """Trains one stage, or takes its model, and adds what it finds to the constraints of the next."""
        stage, is_last = self.stages[number], number == len(self.stages) - 1
        regions = [region for each in self.stages[: number + 1] for region in each.output_regions]
        parser = stage.model if stage.model is not None else self._trained(number, regions)
        self.parsers.append(parser)
        if is_last:
            return
        following = self.stages[number + 1].spec.system
        if self.dev is not None and self.dev_known is not None:
            found = add_predictions(stage, parser, self.dev, self.dev_known, None, relax=True)
            self.dev_known = without_conflicts(found, None, following)
        if self.treebank is None or not any(each.trains_on_main_data for each in self.stages[number + 1 :]):
            return
        assert self.known is not None
        if self.stage_constraints == "gold":
            gold = Constraints.from_treebank(within(self.treebank, regions), keep={"heads", "labels"})
            self.known = without_conflicts(gold, None, following)
        elif self.stage_constraints == "predicted":
            if any(each is self.treebank for each in self._data(number)):
                found = self._jackknifed(number, regions, parser.training.best_epoch)
            else:
                found = add_predictions(stage, parser, self.treebank, self.known, None, relax=True)
            self.known = without_conflicts(found, None, following)

    def _data(self, number: int) -> tuple[Treebank, ...]:
        """The treebanks that a stage learns from."""
        stage = self.stages[number]
        if stage.model is not None:
            return ()
        return stage.train or ((self.treebank,) if self.treebank is not None else ())

    def _learned(self, number: int, regions: Sequence[ArcRegion], treebank: Treebank) -> Treebank:
        """What a stage learns of a treebank: the arcs of its regions, or all."""
        return within(treebank, regions) if self.stages[number].regions else treebank

    def _is_guided(self, number: int) -> bool:
        return number > 0 and self.stage_constraints != "none" and self.stages[number].trains_on_main_data

    def _setting(self, number: int) -> tuple[ParserSpec, dict[str, Any]]:
        """What the parser of a stage is made of, and its options."""
        stage = self.stages[number]
        options = self.options | dict(stage.options)
        if not self._is_guided(number):
            return stage.spec, options
        if options.get("network") is not None:
            options["network"] = options["network"].with_given_head()
        return guided(stage.spec), options

    def _trained(self, number: int, regions: Sequence[ArcRegion]) -> Parser:
        stage, data = self.stages[number], self._data(number)
        if stage.output_regions and not any(
            in_regions(stage.output_regions, Arcs.from_treebank(each)).any() for each in data
        ):
            what = "; ".join(map(str, stage.output_regions))
            paths = ", ".join(each.path for each in data)
            raise SpecError(f"stage {number + 1} ({stage.name}): {paths} has no arc of its regions: {what}")
        treebanks = [self._learned(number, regions, each) for each in data]
        dev = None if self.dev is None else self._learned(number, regions, self.dev)
        spec, options = self._setting(number)
        under: dict[str, Any] = {}
        if self._is_guided(number):
            under = {"constraints": self.known, "dev_constraints": self.dev_known}
        keeping: dict[str, Any] = {"checkpoint": self.checkpoints.path(f"stage-{number + 1}")}
        keeping |= {"resume": self.checkpoints.resume, "listeners": self.listeners}
        learned_from = treebanks[0] if stage.train is None else treebanks
        return whole(train(spec, learned_from, dev=dev, **keeping, **under, **options))

    def _jackknifed(self, number: int, regions: Sequence[ArcRegion], epochs: int) -> Constraints:
        """What a stage finds in each sentence of the treebank, by a parser that was not trained on it."""
        stage, known, treebank = self.stages[number], self.known, self.treebank
        assert known is not None
        assert treebank is not None
        spec, options = self._setting(number)
        options |= {"epochs": epochs}
        data = [(each, self._learned(number, regions, each)) for each in self._data(number)]

        def kept(fold: int, learn: Callable[[], Parser]) -> Parser:
            return self.checkpoints.get(f"stage-{number + 1}-fold-{fold}", learn, spec.external_code())

        def learn(rest: Treebank, fold: Fold, stop: Listener) -> Parser:
            under: dict[str, Any] = {}
            if self._is_guided(number):
                under = {"constraints": part_of(known, rest, fold.rest)}
            several = [rest if own is treebank else learned for own, learned in data]
            return train(spec, rest if stage.train is None else several, listeners=[stop], **under, **options)

        def find(parser: Parser, held_out: Treebank, fold: Fold) -> tuple[list[int], Constraints]:
            own = part_of(known, held_out, fold.held_out)
            return fold.held_out, add_predictions(stage, parser, held_out, own, None, relax=True)

        heads, labels = known.heads.copy(), known.labels.copy()
        texts: dict[str, int] = {}
        learned = self._learned(number, regions, treebank)
        for held_out, found in over_folds(learned, self.folds, learn, find, self.threads, kept=kept):
            words = np.isin(known.treebank.sentence_of_word(), held_out)
            numbers = [texts.setdefault(text, len(texts)) for text in found.texts]
            heads[words] = found.heads
            labels[words] = np.array([*numbers, UNKNOWN], dtype=np.int32)[found.labels]
        return Constraints(treebank, heads, labels, tuple(texts))


def guided(spec: ParserSpec) -> ParserSpec:
    """The spec, with templates that read constraints."""
    if any(template.reads_constraints for template in spec.templates):
        return spec
    return replace(spec, templates=spec.templates + templates("given"))


RegionColumn = Literal["upos", "head_upos", "direction", "length", "label"]


def estimate_regions(
    treebank: Treebank,
    *,
    precision: float = 0.9,
    group_by: Sequence[RegionColumn] = ("upos", "direction"),
    min_count: int = 20,
    folds: int = 5,
    spec: ParserSpec | None = None,
    epochs: int = 3,
    seed: int = 1,
    threads: int | None = None,
) -> tuple[ArcRegion, ...]:
    """Classes of arcs that a quick parser gets right often enough, on sentences that it was not trained on.

    At least `min_count` of the arcs that it predicts (greedily, unless `spec` differs) are in the class, and this
    share of them is correct: heads, and labels if the class is by label.
    """
    if (
        not isinstance(group_by, Sequence)
        or not group_by
        or not all(each in get_args(RegionColumn) for each in group_by)
    ):
        raise SpecError(
            f"estimate_regions: group_by must be some of {', '.join(get_args(RegionColumn))}; got {group_by!r}"
        )
    check_count("estimate_regions: min_count", min_count, maximum=MAX_INT)
    check_number("estimate_regions: precision", precision, SHARE)
    quick = spec or ParserSpec(templates=templates("fast"), beam=1, labeled="label" in group_by)
    parsed = jackknife(quick, treebank, folds, threads=threads, epochs=epochs, seed=seed, members=1)
    arcs = Arcs.from_treebank(parsed)
    right = (parsed.heads == treebank.heads) & (treebank.heads >= 0)
    if "label" in group_by:
        right &= np.array(Arcs.from_treebank(parsed).names("label")) == np.array(
            Arcs.from_treebank(treebank).names("label")
        )
    counts: dict[tuple[str, ...], list[int]] = {}
    known = (treebank.heads >= 0).tolist()
    for names, is_right, counted in zip(
        zip(*(arcs.names(each) for each in group_by), strict=True), right.tolist(), known, strict=True
    ):
        count = counts.setdefault(names, [0, 0])
        count[0] += is_right and counted
        count[1] += counted
    chosen = [names for names, (good, total) in counts.items() if total >= min_count and good >= precision * total]
    return tuple(_region(dict(zip(group_by, names, strict=True))) for names in sorted(chosen))


def _region(values: dict[str, str]) -> ArcRegion:
    made: dict[str, Any] = {name: (value,) if name in SETS else value for name, value in values.items()}
    number = int(made.pop("length", -1))
    if number >= 0:
        made["min_length"], made["max_length"] = LENGTHS[number]
    elif "length" in values:  # arcs of Root have none
        made["direction"] = "root"
    return ArcRegion(**made)
