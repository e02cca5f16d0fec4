"""Voter: one of the parsers of a vote; how the engine scores with several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from panparser import _engine
from panparser.base.checks import POSITIVE, Interval, check_count, check_number
from panparser.base.kinds import TABLE, TEXT, ListOf, Table, integer, number
from panparser.errors import SpecError
from panparser.features.template_lowering import lower
from panparser.features.templates import Templates
from panparser.learning.layers import Layer
from panparser.learning.training_record import TrainingRecord
from panparser.systems.transition_system import TransitionSystem

_MAX_FACTOR = 1024  # fine enough for weights, and small enough for sums of 32 bits
_SET_BITS = 64  # of sets of labels in the engine's features


VOTER = Table(
    {
        "templates": ListOf(TEXT),
        "labels": ListOf(TEXT),
        "layers": integer(1),
        "weight": number(POSITIVE),
        "training": TABLE,
    }
)  # of a manifest


@dataclass(frozen=True)
class Voter:
    """A parser that votes: its templates and labels, the number of its layers, its weight, how it was trained.

    Scores are compared in updates, and multiplied by the weight.
    """

    templates: Templates
    labels: tuple[str, ...]
    layers: int
    weight: float
    training: TrainingRecord

    def __post_init__(self) -> None:
        check_number("Voter: weight", self.weight, Interval(0, 1e30, "()"))
        check_count("Voter: layers", self.layers)

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        return {
            "templates": [str(template) for template in self.templates],
            "labels": list(self.labels),
            "layers": self.layers,
            "weight": self.weight,
            "training": self.training.to_values(),
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Voter:
        return cls(
            templates=Templates.parse("\n".join(values["templates"])),
            labels=tuple(values["labels"]),
            layers=values["layers"],
            weight=values["weight"],
            training=TrainingRecord.from_values(values["training"]),
        )


class LoweredVote(NamedTuple):
    """What the engine's Model takes; `further` are the other programs of a vote."""

    program: _engine.Program
    layers: list[_engine.ScaledLayer]
    further: Sequence[_engine.Program] = ()


def owners(voters: Sequence[Voter], layers: Sequence[Layer]) -> list[Voter]:
    """The voter of each layer."""
    count = sum(voter.layers for voter in voters)
    if count != len(layers):
        raise SpecError(f"the voters must have {len(layers)} layers together; they have {count}")
    return [voter for voter in voters for _ in range(voter.layers)]


def units(voters: Sequence[Voter], layers: Sequence[Layer]) -> tuple[float, float]:
    """The size of a score of 1 in the sums of the engine, for actions and for labels."""
    pairs = list(zip(owners(voters, layers), layers, strict=True))
    actions = max(voter.weight / layer.action_scale for voter, layer in pairs)
    labels = max(voter.weight / layer.label_scale for voter, layer in pairs)
    return _MAX_FACTOR / actions, _MAX_FACTOR / labels


def lower_voters(
    voters: Sequence[Voter],
    layers: Sequence[Layer],
    templates: Templates,
    labels: Sequence[str],
    system: TransitionSystem,
) -> LoweredVote:
    """Voters and their layers for the engine; `templates` and `labels` are those of all of them."""
    of_actions, of_labels = units(voters, layers)
    like = lower(templates)
    numbers = {name: number for number, name in enumerate(labels)}
    programs: dict[tuple[Templates, tuple[int, ...]], int] = {}  # voters with the same templates and labels share one
    scaled = []
    for voter, layer in zip(owners(voters, layers), layers, strict=True):
        common = [numbers[name] for name in voter.labels]
        is_same = common == list(range(len(common)))
        sight = (voter.templates, () if is_same else _own_labels(common, len(labels)))
        scaled.append(
            _engine.ScaledLayer(
                layer=layer.engine(system),
                actions=max(1, round(of_actions * voter.weight / layer.action_scale)),
                labels=max(1, round(of_labels * voter.weight / layer.label_scale)),
                program=programs.setdefault(sight, len(programs)),
                common_labels=[] if is_same else common[: layer.labels],
            )
        )
    first, *further = (lower(seen, like).program(own) for seen, own in programs)
    return LoweredVote(first, scaled, further)


def _own_labels(common: list[int], labels: int) -> tuple[int, ...]:
    """For each label of the vote the voter's own number; an unseen one if the voter does not know it."""
    own = [len(common)] * max(labels, _SET_BITS)
    for place, label in enumerate(common):
        own[label] = place
    return tuple(own)
