"""train_cascade: each stage is trained under what earlier ones find in sentences that they were not trained on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack, get_args

import numpy as np

from panparser._threads import at_most, chosen_threads
from panparser.ensembles.cascade import Cascade, Stage, check_stages, found_by, part_of, settled
from panparser.ensembles.regions import Arcs, Region, in_regions
from panparser.errors import SpecError
from panparser.features.sets import template_set
from panparser.features.vectors import Vectors
from panparser.learning.epochs import digests
from panparser.learning.finished import FinishedParts
from panparser.learning.folds import Fold, over_folds
from panparser.learning.listeners import Listener, check_listeners
from panparser.learning.options import TrainingOptions, check_options
from panparser.learning.record import CASCADE, TrainingRecord, whole
from panparser.networks.network import Network
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.networks import chosen_classifier, network_of
from panparser.parsing.training.strategies import parser_training
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank, check_treebanks
from panparser.trees.gold import UNKNOWN

Given = Literal["predicted", "gold", "none"]


class CascadeOptions(TrainingOptions, total=False):
    """Options of `train` for all stages."""

    vectors: Vectors | None
    network: Network | None


def train_cascade(
    stages: Sequence[Stage],
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    given: Given = "predicted",
    folds: int = 5,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    before_stage: Callable[[int, Stage], None] = lambda number, stage: None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Unpack[CascadeOptions],
) -> Cascade:
    """A cascade for a treebank; `options` are those of `Training`, for all stages.

    Stages after the first are trained under what is `given` by earlier ones: "predicted", the arcs found by parsers
    trained on the other `folds`; "gold", all arcs of their regions; "none". Unless it is none, and unless their
    templates already read constraints, `GIVEN` is added, or an input `given_head` to a `network`. The development set
    is parsed under what the earlier stages find in it. `before_stage` is called before each stage; `threads` (None: one
    for each core) change no byte. The folder `checkpoint` holds what is finished; with `resume` training goes on from
    there, and gives the same cascade as if it had never stopped.
    """
    check_stages(stages)
    if given not in get_args(Given):
        raise SpecError(f"given of train_cascade must be one of {', '.join(get_args(Given))}; got {given!r}")
    check_treebanks("train_cascade", treebank, dev)
    check_listeners("train_cascade", listeners)
    check_options("train_cascade", options, CascadeOptions.__annotations__, ("dev", "given", "folds", "threads"))
    threads = chosen_threads("threads of train_cascade", threads)
    common = {**options, "vectors": vectors.digest if (vectors := options.get("vectors")) else None}
    identity = {
        "stages": [_identity(stage, common) for stage in stages],
        **{"given": given, "folds": folds, "data": digests(treebank, dev)},
    }
    finished = FinishedParts.of(checkpoint, resume, identity, listeners)
    run = _Run(tuple(stages), treebank, dev, given, folds, threads, listeners, dict(options), finished)
    with at_most(threads):
        for number, stage in enumerate(stages):
            before_stage(number, stage)
            run.add(number)
    record = TrainingRecord(
        written=CASCADE,
        given=given,
        folds=folds if given == "predicted" else None,
        seed=run.parsers[-1].training.seed,
        sentences=len(treebank),
        words=treebank.words,
        data=digests(treebank, dev),
    )
    return Cascade(stages, run.parsers, record)


def within(treebank: Treebank, regions: Sequence[Region]) -> Treebank:
    """A copy of a treebank with only the arcs of the regions; other words are headless."""
    found = treebank.copy()
    outside = ~in_regions(regions, Arcs.of(found))
    found.heads[outside] = UNKNOWN
    found.column("deprel")[outside] = found.id_of("deprel", "_")
    return found


def _identity(stage: Stage, options: dict[str, Any]) -> dict[str, Any]:
    """What a stage must have in common with that of a run that is resumed."""
    own = options | dict(stage.options)
    vectors, network = (
        own.pop("vectors"),
        network_of(chosen_classifier("train_cascade", None, own.pop("network", None))),
    )
    training = parser_training(stage.spec, own, network).to_values()
    regions = [region.to_values() for region in stage.regions]
    values = {"spec": stage.spec.to_values(), "regions": regions, "training": training, "vectors": vectors}
    return values | {"network": network.to_values() if network is not None else None}


@dataclass
class _Run:
    stages: tuple[Stage, ...]
    treebank: Treebank
    dev: Treebank | None
    given: Given
    folds: int
    threads: int
    listeners: Sequence[Listener]
    options: dict[str, Any]
    finished: FinishedParts

    def __post_init__(self) -> None:
        self.parsers: list[Parser] = []
        self.known = Constraints.of(self.treebank, keep=())
        self.dev_known = None if self.dev is None else Constraints.of(self.dev, keep=())

    def add(self, number: int) -> None:
        """Trains one stage, and adds what it finds to the constraints of the next."""
        stage, is_last = self.stages[number], number == len(self.stages) - 1
        regions = [region for each in self.stages[: number + 1] for region in each.regions]
        if not is_last and not in_regions(stage.regions, Arcs.of(self.treebank)).any():
            what = "; ".join(map(str, stage.regions))
            raise SpecError(
                f"stage {number + 1} ({stage.name}): {self.treebank.path} has no arc of its regions: {what}"
            )
        treebank = self.treebank if is_last else within(self.treebank, regions)
        dev = self.dev if is_last or self.dev is None else within(self.dev, regions)
        is_guided = number > 0 and self.given != "none"
        spec = guided(stage.spec) if is_guided else stage.spec
        options = self.options | dict(stage.options)
        if is_guided and options.get("network") is not None:
            options["network"] = options["network"].with_given_head()
        under: dict[str, Any] = {"constraints": self.known, "dev_constraints": self.dev_known} if is_guided else {}
        keeping: dict[str, Any] = {"checkpoint": self.finished.file(f"stage-{number + 1}")}
        keeping |= {"resume": self.finished.resume, "listeners": self.listeners}
        parser = whole(train(spec, treebank, dev=dev, **keeping, **under, **options))
        self.parsers.append(parser)
        if is_last:
            return
        following = self.stages[number + 1].spec.system
        if self.dev is not None and self.dev_known is not None:
            found = found_by(stage, parser, self.dev, self.dev_known, None, relax=True)
            self.dev_known = settled(found, None, following)
        if self.given == "gold":
            self.known = settled(Constraints.of(treebank, keep={"heads", "labels"}), None, following)
        elif self.given == "predicted":
            options |= {"epochs": parser.training.best_epoch}
            self.known = settled(self._jackknifed(number, spec, treebank, is_guided, options), None, following)

    def _jackknifed(
        self, number: int, spec: ParserSpec, treebank: Treebank, is_guided: bool, options: dict[str, Any]
    ) -> Constraints:
        """What a stage finds in each sentence, by a parser that was not trained on it."""
        stage, known = self.stages[number], self.known

        def kept(fold: int, learn: Callable[[], Parser]) -> Parser:
            return self.finished.get(f"stage-{number + 1}-fold-{fold}", learn, spec.code())

        def learn(rest: Treebank, fold: Fold, stop: Listener) -> Parser:
            under: dict[str, Any] = {"constraints": part_of(known, rest, fold.rest)} if is_guided else {}
            return train(spec, rest, listeners=[stop], **under, **options)

        def find(parser: Parser, held_out: Treebank, fold: Fold) -> tuple[list[int], Constraints]:
            own = part_of(known, held_out, fold.held_out)
            return fold.held_out, found_by(stage, parser, held_out, own, None, relax=True)

        heads, labels, texts = known.heads.copy(), known.labels.copy(), {text: i for i, text in enumerate(known.texts)}
        for held_out, found in over_folds(treebank, self.folds, learn, find, self.threads, kept=kept):
            words = np.isin(known.treebank.sentence_of_word(), held_out)
            numbers = [texts.setdefault(text, len(texts)) for text in found.texts]
            heads[words] = found.heads
            labels[words] = np.array([*numbers, UNKNOWN], dtype=np.int32)[found.labels]
        return Constraints(self.treebank, heads, labels, tuple(texts))


def guided(spec: ParserSpec) -> ParserSpec:
    """The spec, with templates that read constraints."""
    if any(template.reads_constraints for template in spec.templates):
        return spec
    return replace(spec, templates=spec.templates + template_set("given"))
