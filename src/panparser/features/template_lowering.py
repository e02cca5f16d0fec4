"""Lowering of templates to the engine's flat program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from panparser import _engine
from panparser.errors import TemplateError
from panparser.features.atoms import CLASS, CLASSES, ITEM_ATTRIBUTES, Address, Atom
from panparser.features.templates import Templates
from panparser.treebank.treebank import COLUMNS

_OF_FORM = ("lower", "prefix", "suffix", "shape", "lower_prefix", "lower_suffix")  # transforms
_GIVEN = ("given_head", "given_label")  # transforms of no column
_OF_STATE = (  # kinds of atoms that are not attributes
    *("label", "left_valency", "right_valency", "left_labels", "right_labels"),
    *("distance", "history", "between", "given"),
)


class Column(NamedTuple):
    """Of the engine's Attribute."""

    column: int  # index in COLUMNS
    transform: _engine.Transform
    number: int = 0  # of characters
    key: str = ""


class Counter(NamedTuple):
    """Of the engine's Counter."""

    attribute: int  # index among the columns
    value: str


class StateAtom(NamedTuple):
    """Of the engine's Atom."""

    kind: _engine.AtomKind
    first: int = 0  # address
    second: int = 0
    parameter: int = 0  # a column, a counter, or how long ago


class SequenceAtom(NamedTuple):
    """Of the engine's SequenceAtom."""

    is_class: bool
    offset: int  # of a class: how long ago
    parameter: int  # number of the attribute, or of the part


class LoweredWindow(NamedTuple):
    """Templates over sequences as the engine takes them; lists hold what is distinct, in order of first use."""

    attributes: list[Column]
    columns: int  # of numbers, that are given beside a treebank
    parts: int  # of classes; the first is the whole
    atoms: list[SequenceAtom]
    templates: list[list[int]]  # indices in atoms

    def program(self) -> _engine.SequenceProgram:
        return _engine.SequenceProgram(
            attributes=[_engine.Attribute(**attribute._asdict()) for attribute in self.attributes],
            columns=self.columns,
            parts=self.parts,
            atoms=[_engine.SequenceAtom(**atom._asdict()) for atom in self.atoms],
            templates=self.templates,
        )


class LoweredTemplates(NamedTuple):
    """Templates as the engine takes them; lists hold what is distinct, in order of first use.

    Addresses are those of `lower_address`. Fields that do not apply are 0.
    """

    columns: list[Column]
    counters: list[Counter]
    atoms: list[StateAtom]
    templates: list[list[int]]  # indices in atoms; without the vector templates
    vectors: list[int]  # addresses
    actions_only: list[int]  # indices in templates

    def program(self, own_labels: Sequence[int] = ()) -> _engine.Program:
        """`own_labels`: the number that features use for each label of the states, if it differs."""
        return _engine.Program(
            attributes=[_engine.Attribute(**column._asdict()) for column in self.columns],
            counters=[_engine.Counter(**counter._asdict()) for counter in self.counters],
            atoms=[_engine.Atom(**atom._asdict()) for atom in self.atoms],
            templates=self.templates,
            vectors=self.vectors,
            actions_only=self.actions_only,
            own_labels=list(own_labels),
        )


def lower(templates: Templates, like: LoweredTemplates | None = None) -> LoweredTemplates:
    """The templates as flat numbers, with each column, counter and atom listed once.

    `like`: the columns and counters of these come first.
    """
    columns: dict[Column, int] = {column: number for number, column in enumerate(like.columns if like else ())}
    counters: dict[Counter, int] = {counter: number for number, counter in enumerate(like.counters if like else ())}

    def lowered(atom: Atom) -> StateAtom:
        first, second, *_ = [*map(lower_address, atom.addresses), 0, 0]
        kind = _engine.AtomKind[atom.name.upper()] if atom.name in _OF_STATE else _engine.AtomKind.ATTRIBUTE
        if kind == _engine.AtomKind.HISTORY:
            return StateAtom(kind, parameter=int(atom.key or 0))
        if kind not in (_engine.AtomKind.ATTRIBUTE, _engine.AtomKind.BETWEEN):
            return StateAtom(kind, first, second)
        column = _column(atom.column or atom.name, atom.key)
        number = columns.setdefault(column, len(columns))
        if kind == _engine.AtomKind.ATTRIBUTE:
            return StateAtom(kind, first, parameter=number)
        counter = Counter(number, atom.value or "")
        return StateAtom(kind, first, second, counters.setdefault(counter, len(counters)))

    plain = [template for template in templates if not template.is_vector]
    numbers = {atom: number for number, atom in enumerate(dict.fromkeys(atom for t in plain for atom in t.atoms))}
    return LoweredTemplates(
        atoms=[lowered(atom) for atom in numbers],
        columns=list(columns),
        counters=list(counters),
        templates=[[numbers[atom] for atom in template.atoms] for template in plain],
        vectors=[lower_address(template.atoms[0].addresses[0]) for template in templates if template.is_vector],
        actions_only=[number for number, template in enumerate(plain) if template.actions_only],
    )


def lower_window(templates: Templates, columns: Sequence[str], parts: Sequence[str]) -> LoweredWindow:
    """Templates over sequences as flat numbers. `columns` and `parts` are the names that atoms may have in addition to
    those of a treebank. Raises TemplateError for any other attribute, and for a template for actions alone."""
    for template in templates:
        if template.actions_only:
            raise TemplateError(f"templates over a sequence score no actions; got {template}")
    read = {column: number for number, column in enumerate(dict.fromkeys(_read_columns(templates, columns)))}

    def lowered(atom: Atom) -> SequenceAtom:
        (address,) = atom.addresses
        if address.base in CLASSES:
            if atom.name not in (CLASS, *parts):
                raise TemplateError(f"classes have no part {atom.name}, as in {atom}; {_known(parts)}")
            ago = int(address.base.removeprefix("T-"))
            return SequenceAtom(True, ago, 0 if atom.name == CLASS else 1 + parts.index(atom.name))
        offset = int(address.base.removeprefix("W"))
        if atom.name in columns:
            return SequenceAtom(False, offset, len(read) + columns.index(atom.name))
        return SequenceAtom(False, offset, read[_column(atom.name, atom.key)])

    numbers = {atom: number for number, atom in enumerate(templates.atoms)}
    return LoweredWindow(
        atoms=[lowered(atom) for atom in numbers],
        attributes=list(read),
        columns=len(columns),
        parts=1 + len(parts),
        templates=[[numbers[atom] for atom in template.atoms] for template in templates],
    )


def _read_columns(templates: Templates, columns: Sequence[str]) -> Iterator[Column]:
    """The columns read from a treebank, in order of first use."""
    for atom in templates.atoms:
        if not atom.is_of_sequence:
            raise TemplateError(
                f"{atom} is read from a parser's state; a sequence has W0, W-1, W1, ... and T-1, T-2, ..."
            )
        if atom.addresses[0].base in CLASSES or atom.name in columns:
            continue
        if atom.name not in ITEM_ATTRIBUTES:
            raise TemplateError(
                f"items have no attribute {atom.name}, as in {atom}; {_known([*columns, *ITEM_ATTRIBUTES])}"
            )
        yield _column(atom.name, atom.key)


def _known(names: Sequence[str]) -> str:
    return f"known are {', '.join(names)}" if names else "they have no parts"


def lower_address(address: Address) -> int:
    """An address as the engine's number."""
    path = address.path.upper().replace("[", "_").replace("]", "").replace(".", "_") or "HERE"  # such as left[0]
    return _engine.address(_engine.Base[address.base], _engine.Path[path])


def _column(name: str, key: str | int | None) -> Column:
    if name in _GIVEN:
        return Column(0, _engine.Transform[name.upper()])
    source = COLUMNS.index("form" if name in _OF_FORM else name)
    if isinstance(key, str):
        return Column(source, _engine.Transform.KEY, key=key)
    return Column(source, _engine.Transform[name.upper() if name in _OF_FORM else "WHOLE"], key or 0)
