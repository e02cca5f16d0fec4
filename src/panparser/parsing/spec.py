"""ParserSpec: what a parser is made of, as data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from panparser import _engine
from panparser.base.checks import check_beam, check_choice
from panparser.base.kinds import BOOLEAN, TABLE, TEXT, ListOf, Nullable, Table, check, integer, one_of
from panparser.errors import ModelError, SpecError
from panparser.features.template_lowering import lower
from panparser.features.templates import Templates, TemplatesField, templates
from panparser.systems.python_system import PythonSteps, PythonSystem
from panparser.systems.registry import system as named_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.sentences import Sentence

ENTRY_POINTS = "panparser.systems"  # the group under which packages register their Python systems, by name
Functions = Mapping[str, Callable[[Any, Sentence], Hashable]]  # called by atoms, by name, with a state and its sentence
Nonprojective = Literal["as-is", "reduce", "pseudo", "leave-out"]
LabelSet = Literal["full", "universal"]


_PYTHON_SYSTEM = Table({"python": TEXT, "transitions": ListOf(TEXT)})
SPEC = Table(
    {
        "system": TABLE,
        "templates": ListOf(TEXT),
        "beam": integer(1),
        "labeled": BOOLEAN,
        "nonprojective": Nullable(one_of(*get_args(Nonprojective))),
    },
    {"labels": one_of(*get_args(LabelSet))},
)  # of a manifest


def _default_system() -> TransitionSystem:
    return named_system("arc-eager", root="last", single_root=True)


@dataclass(frozen=True, kw_only=True)
class ParserSpec:
    """Transition system, feature templates, search; and how labels and crossing arcs are treated.

    `labels`: training takes them as they are ("full"), or without subtypes ("universal": `nmod` for `nmod:poss`), which
    are of one language, so that treebanks of several can be learned from.

    `nonprojective`: training takes crossing arcs as they are, with actions of minimum cost ("as-is"), only the largest
    projective part ("reduce"), lifts arcs and marks labels so that parsing can undo it ("pseudo"), or leaves such
    sentences out ("leave-out"; with a system that builds crossing arcs, only those that it cannot derive). None:
    "pseudo" where there are labels and whole, projective trees; else "as-is". `templates` default
    to the set easy where the focus is free, lean where arcs join only S0 and B0, rich-stack where they join words of
    the stack, and otherwise rich.
    """

    system: TransitionSystem | Any = field(default_factory=_default_system)  # or a PythonSystem
    templates: TemplatesField = TemplatesField()  # noqa: RUF009 - a descriptor. None: those that fit the system
    beam: int = 8
    labeled: bool = True
    labels: LabelSet = "full"
    nonprojective: Nonprojective | None = None
    functions: Functions = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.system, PythonSystem):
            object.__setattr__(self, "system", PythonSteps(self.system))
        if not isinstance(self.system, TransitionSystem | PythonSteps):
            hint = f"; pp.system({self.system!r}) makes one" if isinstance(self.system, str) else ""
            if isinstance(self.system, type) and issubclass(self.system, PythonSystem):
                hint = f"; make an instance: {self.system.__name__}()"
            raise SpecError(
                f"ParserSpec: system must be a TransitionSystem or a PythonSystem; got {self.system!r}{hint}"
            )
        if self.templates is None:
            object.__setattr__(self, "templates", fitting_templates(self.system))
        if not isinstance(self.templates, Templates) or not self.used_templates:
            raise SpecError(f"ParserSpec: templates must be Templates, at least one; got {self.templates!r}")
        if other := [atom for atom in self.templates.atoms if atom.is_of_sequence]:
            raise SpecError(f"ParserSpec: templates must read a parser's state; got {other[0]}, of a sequence")
        for name in self.calls:
            if not callable(self.functions.get(name)):
                raise SpecError(f"ParserSpec: functions must have {name}, which templates call; got {self.functions!r}")
        check_beam(self.beam, "ParserSpec")
        if self.labels not in get_args(LabelSet):
            raise SpecError(f"ParserSpec: labels must be full or universal; got {self.labels!r}")
        if self.labels != "full" and not self.labeled:
            raise SpecError(f"labels of ParserSpec: {self.labels} ones are asked for, and the parser has none")
        if self.nonprojective is not None:
            check_choice("ParserSpec: nonprojective", self.nonprojective, get_args(Nonprojective))
        if self.nonprojective == "pseudo" and not self.labeled:
            raise SpecError("nonprojective of ParserSpec: pseudo needs labels, and the parser has none")

    @property
    def used_templates(self) -> Templates:
        """The templates, without those for labels if there are none."""
        return self.templates if self.labeled else self.templates.unlabeled()

    @property
    def key_templates(self) -> Templates:
        """The templates whose features have keys: all but those of vectors."""
        return Templates(tuple(template for template in self.used_templates if not template.is_vector))

    @property
    def is_native(self) -> bool:
        """Can the engine run it without Python code?"""
        return isinstance(self.system, TransitionSystem) and not self.calls

    @property
    def calls(self) -> tuple[str, ...]:
        """The functions that templates call, by name."""
        return tuple(dict.fromkeys(name for template in self.used_templates for name in template.calls))

    @property
    def uses_vectors(self) -> bool:
        """Do templates read vectors of words?"""
        return any(template.is_vector for template in self.used_templates)

    def learned_label(self, label: str) -> str:
        """What training makes of a label."""
        if self.labels == "full":
            return label
        from panparser.treebank.universal import base_label

        return base_label(label)

    @property
    def crossing(self) -> Nonprojective:
        """How crossing arcs are treated."""
        lifts = self.labeled and not self.system.partial and not self.system.crosses
        return self.nonprojective or ("pseudo" if lifts else "as-is")

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        return {
            "system": self.system.to_values(),
            "templates": [str(template) for template in self.templates],
            "beam": self.beam,
            "labeled": self.labeled,
            **({} if self.labels == "full" else {"labels": self.labels}),
            "nonprojective": self.nonprojective,
        }

    def external_code(self) -> dict[str, Any]:
        """What a model file does not hold, by the names of `load`."""
        system = self.system.declared if isinstance(self.system, PythonSteps) else None
        return {"system": system, "functions": dict(self.functions) or None}

    @classmethod
    def from_values(
        cls, values: dict[str, Any], system: PythonSystem | None = None, functions: Functions | None = None
    ) -> ParserSpec:
        """The spec of a model file; code is given, or found by the name in the file."""
        check(values, SPEC, "spec")
        return cls(
            system=_restored_system(values["system"], system),
            templates=Templates.parse("\n".join(values["templates"])),
            functions=functions or {},
            beam=values["beam"],
            labeled=values["labeled"],
            labels=values.get("labels", "full"),
            nonprojective=values["nonprojective"],
        )


def _restored_system(values: dict[str, Any], given: PythonSystem | None) -> TransitionSystem | PythonSteps:
    if "python" not in values:
        if given is not None:
            raise ModelError(f"expected a model of the system {given.name}, found one of {values.get('name')}")
        return TransitionSystem.from_values(values)
    check(values, _PYTHON_SYSTEM, "spec.system")
    name = values["python"]
    if given is None:
        from importlib.metadata import entry_points  # slow to import, and few models need it

        points = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
        if not points:
            raise ModelError(
                f"needs the Python system {name!r}, which no installed package registers (entry points "
                f"{ENTRY_POINTS!r}); in Python, pp.load(MODEL, system={name}())"
            )
        try:
            given = points[0].load()()
        except (ImportError, AttributeError) as error:
            raise ModelError(f"the system {name!r}, {points[0].value}, cannot be imported: {error}") from None
    steps = PythonSteps(given)
    if steps.name != name or list(steps.names) != values["transitions"]:
        raise ModelError(f"expected the system {name} with {', '.join(values['transitions'])}, got {steps!r}")
    return steps


def fitting_templates(system: TransitionSystem | PythonSteps) -> Templates:
    """The default templates for a system."""
    if isinstance(system, TransitionSystem) and system.focus == "free":
        return templates("easy")
    if system.joins_stack:
        return templates("rich-stack")
    if system.has_list and system.crosses:
        return templates("rich") + templates("aside")
    return templates("lean" if system.joins_front else "rich")


def program(spec: ParserSpec) -> _engine.Program:
    return lower(spec.used_templates).program()
