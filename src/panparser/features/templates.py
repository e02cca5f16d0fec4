"""Feature templates, and the named sets of templates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import overload

from panparser.base.checks import check_choice
from panparser.base.kinds import TEXT, ListOf
from panparser.base.options import Form
from panparser.errors import TemplateError
from panparser.features.atoms import CALL, FUNCTIONS, ITEM_ATTRIBUTES, ITEMS, Address, Atom, check_attribute
from panparser.features.template_syntax import ACTIONS, pointed, read_line

__all__ = ["Address", "Atom", "Template", "Templates"]

MAX_TEMPLATES = 512
MAX_ATOMS_PER_TEMPLATE = 8
LEXICAL = ("form", "lower", "lemma", "prefix", "suffix", "vector", "shape", "lower_prefix", "lower_suffix")
OF_ONE_LANGUAGE = (*LEXICAL, "xpos", "deps", "misc", CALL)  # what a function reads is not known
LABELED = ("label", "left_labels", "right_labels", "given_label")
GIVEN = ("given_head", "given_label", "given")  # they read constraints


@dataclass(frozen=True, repr=False)
class Template:
    """Atoms whose values together are one feature; a `vector` stands alone, since its values are real numbers.

    `actions_only`: it scores actions, but not the labels of their arcs; its text starts with `actions:`.
    """

    atoms: tuple[Atom, ...]
    actions_only: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.atoms, str) or not isinstance(self.atoms, Sequence):
            raise TemplateError(f"FeatureTemplate: atoms must be a tuple of Atoms; got {self.atoms!r}")
        object.__setattr__(self, "atoms", tuple(self.atoms))
        for atom in self.atoms:
            if not isinstance(atom, Atom):
                raise TemplateError(f"FeatureTemplate: atoms must be a tuple of Atoms; got {atom!r} in it")
            if self.atoms.count(atom) > 1:
                raise TemplateError(f"{atom} appears twice in one template")
            if atom.name == "vector" and len(self.atoms) > 1:
                raise TemplateError(f"{atom} must be the only atom of its template")
            if atom.name == "vector" and self.actions_only:
                raise TemplateError(f"{atom} cannot be for actions alone")
        if not 1 <= len(self.atoms) <= MAX_ATOMS_PER_TEMPLATE:
            raise TemplateError(f"FeatureTemplate: expected 1 to {MAX_ATOMS_PER_TEMPLATE} atoms; got {len(self.atoms)}")

    @classmethod
    def parse(cls, text: str) -> Template:
        """The template described by a line of text."""
        found = Templates.parse(text)
        if len(found) != 1:
            raise TemplateError(f"expected one template; got {len(found)}")
        return found[0]

    @property
    def is_vector(self) -> bool:
        """Is it real-valued?"""
        return self.atoms[0].name == "vector"

    def uses(self, *names: str) -> bool:
        """Does one of its atoms read one of these attributes, or call one of these functions?"""
        return any(name in names for atom in self.atoms for name in atom.names)

    @property
    def reads_universal_features(self) -> bool:
        """Is all that it reads of FEATS, if anything, a feature that Universal Dependencies has in all languages?"""
        from panparser.treebank.universal import FEATURES

        return all(atom.key in FEATURES for atom in self.atoms if "feats" in atom.names)

    @property
    def calls(self) -> tuple[str, ...]:
        """The functions that it calls, by name."""
        return tuple(str(atom.key) for atom in self.atoms if atom.name == CALL)

    @property
    def reads_constraints(self) -> bool:
        """Does it read constraints?"""
        return self.uses(*GIVEN)

    def __str__(self) -> str:
        return " ".join([ACTIONS] * self.actions_only + [str(atom) for atom in self.atoms])

    __repr__ = __str__


def _read(line: str, place: str) -> tuple[Template | None, str]:
    """The template of a line, if it has one, and the line without its comment; errors start with the place."""
    try:
        return _known(line)
    except TemplateError:
        atoms, text = read_line(line, place)  # again, for the place of the error
        try:
            return Template(atoms, text.startswith(ACTIONS)), text
        except TemplateError as error:
            raise TemplateError(pointed(text, place, str(error))) from None


@lru_cache(maxsize=4096)  # loaded models share most templates with each other and with built-in sets
def _known(line: str) -> tuple[Template | None, str]:
    atoms, text = read_line(line, "")
    return Template(atoms, text.startswith(ACTIONS)) if atoms else None, text


@dataclass(frozen=True, repr=False)
class Templates(Sequence[Template]):
    """A feature model: templates in order, without duplicates (neither the order of atoms nor `actions:` matters).

    It prints as its text, one template per line, which `Templates.parse` reads.
    """

    templates: tuple[Template, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.templates, str) or not isinstance(self.templates, Sequence):
            raise TemplateError(
                f"FeatureTemplates: templates must be a tuple of FeatureTemplate values; got {self.templates!r}"
            )
        object.__setattr__(self, "templates", tuple(self.templates))
        for template in self.templates:
            if not isinstance(template, Template):
                raise TemplateError(
                    f"FeatureTemplates: templates must be a tuple of FeatureTemplate values; got {template!r} in it"
                )
        for index, earlier in _repeated(self.templates):
            raise TemplateError(f"template {index + 1} is the same as template {earlier + 1}: {self.templates[index]}")
        if len(self.templates) > MAX_TEMPLATES:
            raise TemplateError(f"expected at most {MAX_TEMPLATES} templates; got {len(self.templates)}")

    # --- Text and JSON ---

    @classmethod
    def parse(cls, text: str) -> Templates:
        """The templates of a text: one per line, `#` starts a comment, empty lines are skipped."""
        if not isinstance(text, str):
            raise TemplateError(f"expected templates as text; got {text!r}")
        return cls._from_lines(text.splitlines(), "line ")

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Templates:
        """The templates of a text file."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not a valid file name
            raise TemplateError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        found = cls._from_lines(text.splitlines(), f"{path}:")
        if not found:
            raise TemplateError(f"{path}: expected templates, one per line; found none")
        return found

    def to_json(self) -> str:
        """The templates as a JSON list of lines."""
        return json.dumps([str(template) for template in self], indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Templates:
        """The templates that `to_json` wrote, or a list written by hand."""
        try:
            lines = json.loads(text)
        except json.JSONDecodeError as error:
            raise TemplateError(f"expected JSON; line {error.lineno}, column {error.colno}: {error.msg}") from None
        except RecursionError:
            raise TemplateError("expected a JSON list of templates; this is nested too deeply") from None
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise TemplateError("expected a JSON list of templates, each a text such as 'S0.form S0.upos'")
        for number, line in enumerate(lines, start=1):
            if len(line.splitlines()) > 1:
                raise TemplateError(f"template {number}: expected one line; got {line!r}")
        return cls._from_lines(lines, "template ")

    @classmethod
    def _from_lines(cls, lines: list[str], place: str) -> Templates:
        """Reads lines; errors name the place and the number of the line there, as in `line 3` or `mine.txt:3`."""
        found: list[Template] = []
        kept: list[tuple[str, str]] = []  # their text and place
        for number, line in enumerate(lines, start=1):
            template, text = _read(line, f"{place}{number}")
            if template is not None:
                kept.append((text, f"{place}{number}"))
                found.append(template)
        for index, earlier in _repeated(found):
            raise TemplateError(pointed(*kept[index], f"the same template as {kept[earlier][1]}, {found[earlier]}"))
        return cls(tuple(found))

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Templates: {len(self)} templates>"

    # --- Sequence of templates ---

    def __len__(self) -> int:
        return len(self.templates)

    def __iter__(self) -> Iterator[Template]:
        return iter(self.templates)

    @overload
    def __getitem__(self, index: int) -> Template: ...

    @overload
    def __getitem__(self, index: slice) -> Templates: ...

    def __getitem__(self, index: int | slice) -> Template | Templates:
        if isinstance(index, slice):
            return Templates(self.templates[index])
        return self.templates[index]

    def __add__(self, other: Templates) -> Templates:
        """The templates of both, without duplicates."""
        if not isinstance(other, Templates):
            return NotImplemented
        return Templates((*self, *(other - self)))

    def __sub__(self, other: Templates) -> Templates:
        """The templates that the other does not have."""
        if not isinstance(other, Templates):
            return NotImplemented
        known = {frozenset(template.atoms) for template in other}
        return Templates(tuple(template for template in self if frozenset(template.atoms) not in known))

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The distinct atoms, in order of first use."""
        return tuple(dict.fromkeys(atom for template in self for atom in template.atoms))

    # --- Filters ---

    def without(self, *names: str) -> Templates:
        """The templates that read none of these attributes, and call none of these functions."""
        for name in names:
            if name not in FUNCTIONS:
                check_attribute(name, ITEMS[0] if name in ITEM_ATTRIBUTES else "")
        return Templates(tuple(template for template in self if not template.uses(*names)))

    def delexicalized(self, *, feats: bool = False) -> Templates:
        """The templates that read nothing of one language alone: tags, that is UPOS, and what the parser did so far.

        No form, lower, lemma, prefix, suffix, vector, xpos, feats, deps, misc, and no function of Python. With `feats`
        also the universal features one by one, such as `S0.feats[Case]`; never the cell as a whole.
        """
        kept = self.without(*OF_ONE_LANGUAGE, *(() if feats else ("feats",)))
        return Templates(tuple(template for template in kept if template.reads_universal_features))

    @property
    def is_delexicalized(self) -> bool:
        """Do they read nothing of words but UPOS?"""
        return not any(template.uses(*OF_ONE_LANGUAGE, "feats") for template in self)

    def unlabeled(self) -> Templates:
        """The templates that do not read labels."""
        return self.without(*LABELED)

    def atomic(self) -> Templates:
        """Each distinct atom as a separate template."""
        return Templates(tuple(Template((atom,)) for atom in self.atoms))


def _repeated(templates: Iterable[Template]) -> Iterator[tuple[int, int]]:
    """The index of each repeated template (in any order of atoms), and that of its first occurrence."""
    first: dict[frozenset[Atom], int] = {}
    for index, template in enumerate(templates):
        earlier = first.setdefault(frozenset(template.atoms), index)
        if earlier != index:
            yield index, earlier


class TemplatesField:
    """A dataclass field that accepts None, for templates that `__post_init__` then chooses."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> None: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Templates: ...
    def __get__(self, owner: object | None, kind: type) -> Templates | None:
        return None if owner is None else vars(owner)[self._name]

    def __set__(self, owner: object, value: Templates | None) -> None:
        vars(owner)[self._name] = None if isinstance(value, TemplatesField) else value

    def __repr__(self) -> str:
        return "None"  # in signatures: the default


STORED_TEMPLATES = Form(
    kind=ListOf(TEXT),
    encode=lambda templates: [str(template) for template in templates],
    decode=lambda lines: Templates.parse("\n".join(lines)),
)  # of options


_FOLDER = Path(__file__).with_name("sets")


@lru_cache
def templates(name: str) -> Templates:
    """Return a built-in set of feature templates.

    rich: words, tags, morphology and lemmas of S0 and B0; the default of systems whose arcs also join S1 and S0.
    rich-stack: `rich` shifted one place to the left; the default of systems whose arcs join words of the stack.
    lean: `rich` without what adds nothing to arc-eager; the default of systems whose arcs join S0 and B0.
    easy: `lean` for a free focus: as much of the left of the focus as of its right; the default of easy-first.
    zn11: all templates of the two tables of Zhang & Nivre (2011), and three for the transition history.
    fast: two fifths of `rich`, for large corpora.
    given, aside: templates that read constraints, or the list of systems that have one; to be added to another set.
    tokenizer, splitter, lemmatizer: the defaults of these models. `tagging_templates` has those of taggers.
    """
    path = _FOLDER / f"{name}.txt"
    check_choice("templates: name", name, _names(), TemplateError)
    return Templates.parse(path.read_text(encoding="utf-8"))


@lru_cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.txt") if path.stem != "tagging"))


@lru_cache
def _tagging(part: str) -> Templates:
    text = (_FOLDER / "tagging.txt").read_text(encoding="utf-8")
    return Templates.parse(text.replace("{T1}", f"T-1{part}").replace("{T2}", f"T-2{part}"))


def tagging_templates(columns: Sequence[str] = ("upos",)) -> Templates:
    """Return the templates for tags of these columns: if there are several, most templates read the first of them."""
    return _tagging(f".{columns[0]}" if len(columns) > 1 else "")
