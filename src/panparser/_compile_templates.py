"""Lowers templates to the flat numbers from which the engine computes features. The codes are those of engine/*.hpp."""

from __future__ import annotations

from typing import NamedTuple

from panparser.atoms import BASES, PATHS, Address, Atom
from panparser.templates import Templates
from panparser.treebank import COLUMNS

Column = tuple[int, int, int, str]

_WHOLE, _LOWER, _PREFIX, _SUFFIX, _KEY, _GIVEN_HEAD, _GIVEN_LABEL = range(7)
_TRANSFORMS = {"lower": _LOWER, "prefix": _PREFIX, "suffix": _SUFFIX}  # of the form
_GIVEN = {"given_head": _GIVEN_HEAD, "given_label": _GIVEN_LABEL}  # of no column
_COLUMN = 0
_KINDS = {
    name: kind
    for kind, name in enumerate(
        "label left_valency right_valency left_labels right_labels distance history between given".split(), start=1
    )
}


class LoweredTemplates(NamedTuple):
    """Templates as the engine takes them; lists hold what is distinct, in order of first use.

    An address is base * 8 + path, both as their index in `BASES` and `PATHS`. Fields that do not apply are 0.
    """

    columns: list[Column]  # (index in COLUMNS, transform, number of characters, key)
    counters: list[tuple[int, str]]  # (index in columns, value)
    atoms: list[tuple[int, int, int, int]]  # (kind, first address, second address, parameter)
    templates: list[list[int]]  # indices in atoms; without the vector templates
    vectors: list[int]  # addresses


def lower(templates: Templates, like: LoweredTemplates | None = None) -> LoweredTemplates:
    """The templates as flat numbers, each column, counter and atom once however often it is used.

    `like`: the columns and counters of these come first.
    """
    columns: dict[Column, int] = {column: number for number, column in enumerate(like.columns if like else ())}
    counters: dict[tuple[int, str], int] = {pair: number for number, pair in enumerate(like.counters if like else ())}

    def lowered(atom: Atom) -> tuple[int, int, int, int]:
        first, second, *_ = [*map(lower_address, atom.addresses), 0, 0]
        if atom.name == "history":
            return _KINDS["history"], 0, 0, int(atom.key or 0)
        if atom.name in _KINDS and atom.name != "between":
            return _KINDS[atom.name], first, second, 0
        column = _column(atom.column or atom.name, atom.key)
        number = columns.setdefault(column, len(columns))
        if atom.name != "between":
            return _COLUMN, first, 0, number
        counter = (number, atom.value or "")
        return _KINDS["between"], first, second, counters.setdefault(counter, len(counters))

    plain = [template for template in templates if not template.is_vector]
    numbers = {atom: number for number, atom in enumerate(dict.fromkeys(atom for t in plain for atom in t.atoms))}
    return LoweredTemplates(
        atoms=[lowered(atom) for atom in numbers],
        columns=list(columns),
        counters=list(counters),
        templates=[[numbers[atom] for atom in template.atoms] for template in plain],
        vectors=[lower_address(template.atoms[0].addresses[0]) for template in templates if template.is_vector],
    )


def lower_address(address: Address) -> int:
    """An address as the engine has it."""
    return BASES.index(address.base) * 8 + PATHS.index(address.path)


def _column(name: str, key: str | int | None) -> Column:
    if name in _GIVEN:
        return 0, _GIVEN[name], 0, ""
    source = COLUMNS.index("form" if name in _TRANSFORMS else name)
    if isinstance(key, str):
        return source, _KEY, 0, key
    return source, _TRANSFORMS.get(name, _WHOLE), key or 0, ""
