"""ParserSpec: what a parser is made of, as data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import Any, Literal, get_args

from panparser import _engine
from panparser.base.checks import MAX_BEAM
from panparser.base.kinds import ANYTHING, BOOLEAN, TABLE, TEXT, Kind, ListOf, Nullable, Table, check, integer, one_of
from panparser.base.options import Form, Options, option
from panparser.errors import ModelError, SpecError
from panparser.features.template_lowering import lower
from panparser.features.templates import STORED_TEMPLATES, Templates, TemplatesField, templates
from panparser.systems.python_system import PythonSteps, PythonSystem
from panparser.systems.registry import system as named_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.sentences import Sentence

ENTRY_POINTS = "panparser.systems"  # the group under which packages register their Python systems, by name
Functions = Mapping[str, Callable[[Any, Sentence], Hashable]]  # called by atoms, by name, with a state and its sentence
Nonprojective = Literal["as-is", "reduce", "pseudo", "leave-out"]
LabelSet = Literal["full", "universal"]


_PYTHON_SYSTEM = Table({"python": TEXT, "transitions": ListOf(TEXT)})


def _default_system() -> TransitionSystem:
    return named_system("arc-eager", root="last", single_root=True)


def _as_system(value: Any) -> Any:
    """Return the steps of a system in Python, and any other value as it is; what is nearly a system gets a hint."""
    if isinstance(value, PythonSystem):
        return PythonSteps(value)
    hint = f"; pp.system({value!r}) makes one" if isinstance(value, str) else ""
    if isinstance(value, type) and issubclass(value, PythonSystem):
        hint = f"; make an instance: {value.__name__}()"
    if hint:
        raise SpecError(f"ParserSpec: system must be a TransitionSystem or a PythonSystem; got {value!r}{hint}")
    return value


class ParserSpec(Options):
    """Transition system, feature templates, search; and how labels and crossing arcs are treated."""

    system: TransitionSystem | Any = option(
        Kind("a TransitionSystem or a PythonSystem", lambda value: isinstance(value, TransitionSystem | PythonSteps)),
        factory=_default_system,
        convert=_as_system,
        stored=Form(kind=TABLE, encode=lambda system: system.to_values()),
        recipe=None,
        help="A transition system, or a PythonSystem; by default arc-eager.",
    )
    templates: TemplatesField = option(
        ANYTHING,
        default=TemplatesField(),
        stored=STORED_TEMPLATES,
        recipe=None,
        help="Feature templates; by default the set easy where the focus is free, lean where arcs join only S0 and B0, "
        "rich-stack where they join words of the stack, and otherwise rich.",
    )
    beam: int = option(
        integer(1, MAX_BEAM),
        default=8,
        stored=Form(kind=integer(1)),
        recipe=Form(),
        help=f"Hypotheses kept, at most {MAX_BEAM:,}; 1 is greedy parsing.",
    )
    labeled: bool = option(BOOLEAN, default=True, help="Labels are learned.")
    labels: LabelSet = option(
        one_of(*get_args(LabelSet)),
        default="full",
        omits_default=True,
        help='Training takes labels as they are (`"full"`), or without subtypes (`"universal"`: `nmod` for '
        "`nmod:poss`), which are of one language, so that treebanks of several can be learned from.",
    )
    nonprojective: Nonprojective | None = option(
        Nullable(one_of(*get_args(Nonprojective))),
        default=None,
        usual='`"pseudo"` if it applies, else `"as-is"`',
        help="Treatment of crossing arcs in training: it takes them as they are, with actions of minimum cost "
        '(`"as-is"`), only the largest projective part (`"reduce"`), lifts arcs and marks labels so that parsing can '
        'undo it (`"pseudo"`: the default where there are labels and whole, projective trees), or leaves such '
        'sentences out (`"leave-out"`; with a system that builds crossing arcs, only those that it cannot derive).',
    )
    functions: Functions = field(default_factory=dict, compare=False)

    def check(self) -> None:
        if self.templates is None:
            object.__setattr__(self, "templates", fitting_templates(self.system))
        if not isinstance(self.templates, Templates) or not self.used_templates:
            raise SpecError(f"ParserSpec: templates must be Templates, at least one; got {self.templates!r}")
        if other := [atom for atom in self.templates.atoms if atom.is_of_sequence]:
            raise SpecError(f"ParserSpec: templates must read a parser's state; got {other[0]}, of a sequence")
        for name in self.calls:
            if not callable(self.functions.get(name)):
                raise SpecError(f"ParserSpec: functions must have {name}, which templates call; got {self.functions!r}")
        if self.labels != "full" and not self.labeled:
            raise SpecError(f"ParserSpec: labels: {self.labels} ones are asked for, and the parser has none")
        if self.nonprojective == "pseudo" and not self.labeled:
            raise SpecError("ParserSpec: nonprojective: pseudo needs labels, and the parser has none")

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

    def external_code(self) -> dict[str, Any]:
        """What a model file does not hold, by the names of `load`."""
        system = self.system.declared if isinstance(self.system, PythonSteps) else None
        return {"system": system, "functions": dict(self.functions) or None}

    @classmethod
    def from_values(
        cls, values: dict[str, Any], system: PythonSystem | None = None, functions: Functions | None = None
    ) -> ParserSpec:
        """Return the spec of a model file, with code that the file does not hold; a system may be found by its name."""
        check(values, SPEC, "spec")
        arguments = cls.arguments(values)
        return cls(**arguments | {"system": _restored_system(values["system"], system), "functions": functions or {}})


SPEC = ParserSpec.table(is_complete=True, is_closed=False)  # of a manifest


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
