"""ParserSpec: what a parser is made of, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from panparser import _engine
from panparser._checks import check_beam
from panparser.errors import SpecError
from panparser.features.lowering import lower
from panparser.features.sets import RICH, RICH_STACK
from panparser.features.templates import Templates
from panparser.systems.registry import system as named_system
from panparser.systems.table import TransitionSystem

_MOST = 1 << 20  # of hypotheses, trees, threads
Nonprojective = Literal["as-is", "reduce", "pseudo", "leave-out"]


@dataclass(frozen=True, kw_only=True)
class ParserSpec:
    """Transition system, feature templates, search; and what is done about arcs that cross.

    `nonprojective`: training takes crossing arcs as they are, with actions of minimum cost ("as-is"), only the largest
    projective part ("reduce"), lifts arcs and marks labels so that parsing can undo it ("pseudo"), or leaves such
    sentences out ("leave-out"; with a system that builds crossing arcs, only those that it cannot derive). None:
    "pseudo" where there are labels and whole, projective trees; else "as-is". `templates`: RICH, or RICH_STACK for
    systems whose arcs join words of the stack, if nothing is said.
    """

    system: TransitionSystem = field(default_factory=lambda: named_system("arc-eager", root="last", single_root=True))
    templates: Templates = None  # type: ignore[assignment]  # becomes those that fit the system
    beam: int = 8
    labeled: bool = True
    nonprojective: Nonprojective | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.system, TransitionSystem):
            raise SpecError(f"system of ParserSpec must be a TransitionSystem; got {self.system!r}")
        if self.templates is None:
            object.__setattr__(self, "templates", fitting_templates(self.system))
        if not isinstance(self.templates, Templates) or not self.used_templates:
            raise SpecError(f"templates of ParserSpec must be Templates, at least one; got {self.templates!r}")
        if other := [atom for atom in self.templates.atoms if atom.is_of_sequence]:
            raise SpecError(f"templates of ParserSpec must read a parser's state; got {other[0]}, of a sequence")
        check_beam(self.beam, "ParserSpec")
        if self.nonprojective not in (None, *get_args(Nonprojective)):
            known = ", ".join(get_args(Nonprojective))
            raise SpecError(f"nonprojective of ParserSpec must be one of {known}; got {self.nonprojective!r}")
        if self.nonprojective == "pseudo" and not self.labeled:
            raise SpecError("nonprojective of ParserSpec: pseudo needs labels, and the parser has none")

    @property
    def used_templates(self) -> Templates:
        """The templates, without those for labels if there are none."""
        return self.templates if self.labeled else self.templates.unlabeled()

    @property
    def uses_vectors(self) -> bool:
        """Do templates read vectors of words?"""
        return any(template.is_vector for template in self.used_templates)

    @property
    def crossing(self) -> Nonprojective:
        """What is done about crossing arcs."""
        lifts = self.labeled and not self.system.partial and not self.system.crosses
        return self.nonprojective or ("pseudo" if lifts else "as-is")

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        return {
            "system": self.system.to_values(),
            "templates": [str(template) for template in self.templates],
            "beam": self.beam,
            "labeled": self.labeled,
            "nonprojective": self.nonprojective,
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> ParserSpec:
        return cls(
            system=TransitionSystem.from_values(values["system"]),
            templates=Templates.parse("\n".join(values["templates"])),
            beam=values["beam"],
            labeled=values["labeled"],
            nonprojective=values["nonprojective"],
        )


def fitting_templates(system: TransitionSystem) -> Templates:
    """The templates for a system where nothing is said of them."""
    return RICH_STACK if system.joins_stack else RICH


def program(spec: ParserSpec) -> _engine.Program:
    lowered = lower(spec.used_templates)
    return _engine.Program(*lowered)
