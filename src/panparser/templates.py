"""Template and Templates: the feature model as a value, and the built-in sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import overload

from panparser._template_syntax import pointed, read_line
from panparser.atoms import FUNCTIONS, Address, Atom, check_attribute
from panparser.errors import TemplateError

__all__ = ["Address", "Atom", "Template", "Templates", "ZN11"]

MOST_TEMPLATES = 512
MOST_ATOMS = 8
LEXICAL = ("form", "lower", "lemma", "prefix", "suffix", "vector")
LABELED = ("label", "left_labels", "right_labels")


@dataclass(frozen=True, repr=False)
class Template:
    """Atoms whose values together are one feature; a `vector` stands alone, since its values are real numbers."""

    atoms: tuple[Atom, ...]

    def __post_init__(self) -> None:
        if isinstance(self.atoms, str) or not isinstance(self.atoms, Sequence):
            raise TemplateError(f"atoms of Template must be a tuple of Atom; got {self.atoms!r}")
        object.__setattr__(self, "atoms", tuple(self.atoms))
        for atom in self.atoms:
            if not isinstance(atom, Atom):
                raise TemplateError(f"atoms of Template must be a tuple of Atom; got {atom!r} in it")
            if self.atoms.count(atom) > 1:
                raise TemplateError(f"{atom} appears twice in one template")
            if atom.name == "vector" and len(self.atoms) > 1:
                raise TemplateError(f"{atom} must be the only atom of its template")
        if not 1 <= len(self.atoms) <= MOST_ATOMS:
            raise TemplateError(f"a template has 1 to {MOST_ATOMS} atoms; got {len(self.atoms)}")

    @classmethod
    def parse(cls, text: str) -> Template:
        """The template that the text spells, on one line."""
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

    def __str__(self) -> str:
        return " ".join(map(str, self.atoms))

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Templates(Sequence[Template]):
    """A feature model: templates in order, each once, whatever the order of its atoms.

    It prints as its text, one template a line, and `Templates.parse` reads that back.
    """

    templates: tuple[Template, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.templates, str) or not isinstance(self.templates, Sequence):
            raise TemplateError(f"expected a tuple of Template (Templates.parse reads text); got {self.templates!r}")
        object.__setattr__(self, "templates", tuple(self.templates))
        for template in self.templates:
            if not isinstance(template, Template):
                raise TemplateError(
                    f"expected a tuple of Template (Templates.parse reads text); got {template!r} in it"
                )
        for index, earlier in _repeated(self.templates):
            raise TemplateError(f"template {index + 1} is the same as template {earlier + 1}: {self.templates[index]}")
        if len(self.templates) > MOST_TEMPLATES:
            raise TemplateError(f"at most {MOST_TEMPLATES} templates; got {len(self.templates)}")

    # --- As text and JSON ---

    @classmethod
    def parse(cls, text: str) -> Templates:
        """The templates of a text: one a line, `#` starts a comment, empty lines are skipped."""
        if not isinstance(text, str):
            raise TemplateError(f"expected templates as text; got {text!r}")
        return cls._from_lines(text.splitlines(), "line ")

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Templates:
        """The templates of a text file."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or no name of a file
            raise TemplateError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        found = cls._from_lines(text.splitlines(), f"{path}:")
        if not found:
            raise TemplateError(f"{path}: expected templates, one a line; found none")
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
        kept: list[tuple[str, str]] = []  # where and how they are written
        for number, line in enumerate(lines, start=1):
            atoms, text = read_line(line, f"{place}{number}")
            if atoms:
                kept.append((text, f"{place}{number}"))
                try:
                    found.append(Template(atoms))
                except TemplateError as error:
                    raise TemplateError(pointed(*kept[-1], str(error))) from None
        for index, earlier in _repeated(found):
            raise TemplateError(pointed(*kept[index], f"the same template as {kept[earlier][1]}, {found[earlier]}"))
        return cls(tuple(found))

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Templates: {len(self)} templates>"

    # --- As a sequence ---

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
        """The templates of both; what both have comes once."""
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
                check_attribute(name)
        return Templates(tuple(template for template in self if not template.uses(*names)))

    def delexicalized(self) -> Templates:
        """The templates that do not look at words: no form, lower, lemma, prefix, suffix or vector."""
        return self.without(*LEXICAL)

    def unlabeled(self) -> Templates:
        """The templates that do not look at labels."""
        return self.without(*LABELED)

    def atomic(self) -> Templates:
        """Each distinct atom as a template of its own."""
        return Templates(tuple(Template((atom,)) for atom in self.atoms))


def _repeated(templates: Iterable[Template]) -> Iterator[tuple[int, int]]:
    """The index of each template that came before, in whatever order of atoms, and where it came first."""
    first: dict[frozenset[Atom], int] = {}
    for index, template in enumerate(templates):
        earlier = first.setdefault(frozenset(template.atoms), index)
        if earlier != index:
            yield index, earlier


# Zhang & Nivre 2011, "Transition-based Dependency Parsing with Rich Non-local Features", Tables 1 and 2: 72 templates.
# Their N0 is our B0, w is form, p upos, d distance(S0,B0), v valency, s the set of labels; sub-scripts l and l2 are
# left[0] and left[1], r and r2 right[0] and right[1], h and h2 head and head.head.
_ZN11 = """
    # single words
    S0.form S0.upos
    S0.form
    S0.upos
    B0.form B0.upos
    B0.form
    B0.upos
    B1.form B1.upos
    B1.form
    B1.upos
    B2.form B2.upos
    B2.form
    B2.upos

    # pairs of words
    S0.form S0.upos B0.form B0.upos
    S0.form S0.upos B0.form
    S0.form B0.form B0.upos
    S0.form S0.upos B0.upos
    S0.upos B0.form B0.upos
    S0.form B0.form
    S0.upos B0.upos
    B0.upos B1.upos

    # three words
    B0.upos B1.upos B2.upos
    S0.upos B0.upos B1.upos
    S0.head.upos S0.upos B0.upos
    S0.upos S0.left[0].upos B0.upos
    S0.upos S0.right[0].upos B0.upos
    S0.upos B0.upos B0.left[0].upos

    # distance
    S0.form distance(S0,B0)
    S0.upos distance(S0,B0)
    B0.form distance(S0,B0)
    B0.upos distance(S0,B0)
    S0.form B0.form distance(S0,B0)
    S0.upos B0.upos distance(S0,B0)

    # valency
    S0.form S0.right_valency
    S0.upos S0.right_valency
    S0.form S0.left_valency
    S0.upos S0.left_valency
    B0.form B0.left_valency
    B0.upos B0.left_valency

    # unigrams
    S0.head.form
    S0.head.upos
    S0.label
    S0.left[0].form
    S0.left[0].upos
    S0.left[0].label
    S0.right[0].form
    S0.right[0].upos
    S0.right[0].label
    B0.left[0].form
    B0.left[0].upos
    B0.left[0].label

    # third order
    S0.head.head.form
    S0.head.head.upos
    S0.head.label
    S0.left[1].form
    S0.left[1].upos
    S0.left[1].label
    S0.right[1].form
    S0.right[1].upos
    S0.right[1].label
    B0.left[1].form
    B0.left[1].upos
    B0.left[1].label
    S0.upos S0.left[0].upos S0.left[1].upos
    S0.upos S0.right[0].upos S0.right[1].upos
    S0.upos S0.head.upos S0.head.head.upos
    B0.upos B0.left[0].upos B0.left[1].upos

    # label sets
    S0.form S0.right_labels
    S0.upos S0.right_labels
    S0.form S0.left_labels
    S0.upos S0.left_labels
    B0.form B0.left_labels
    B0.upos B0.left_labels
"""
# Not in the paper's tables: what was done last. ZN11.without("history") is the paper's set.
_HISTORY = """
    history[0]
    history[0] history[1]
    history[0] history[1] history[2]
"""
ZN11 = Templates.parse(_ZN11 + _HISTORY)

# Chosen on the development sets of seven treebanks of Universal Dependencies: what ZN11 lacks is morphology, lemmas and
# the words around S0 and B0; what was left out (valency, heads, second children, longer histories) did not help.
_RICH = """
    # single words: form, lemma, tags, morphology, suffix
    S0.form
    S0.upos
    S0.xpos
    S0.lemma
    S0.upos S0.feats
    S0.suffix[3]
    B0.form
    B0.upos
    B0.xpos
    B0.lemma
    B0.upos B0.feats
    B0.suffix[3]
    B1.form
    B1.upos
    B1.xpos
    B1.lemma
    B1.feats
    B2.form
    B2.upos
    B2.xpos
    B3.upos
    S1.form
    S1.upos
    S1.lemma
    S1.feats
    S2.upos

    # S0-B0 pairs: lexical, tags, suffixes
    S0.form B0.form
    S0.form B0.upos
    S0.upos B0.form
    S0.upos B0.upos
    S0.xpos B0.xpos
    S0.lemma B0.lemma
    S0.lemma B0.upos
    S0.upos B0.lemma
    S0.suffix[3] B0.upos
    S0.upos B0.suffix[3]
    S0.suffix[2] B0.suffix[2]
    S0.xpos B0.form
    S0.form B0.xpos
    S0.upos S0.xpos B0.upos B0.xpos

    # S0-B0 morphology: agreement, government (case, verb form)
    S0.feats B0.feats
    S0.upos S0.feats B0.upos B0.feats
    S0.upos B0.upos B0.feats
    S0.upos S0.feats B0.upos
    S0.lemma B0.feats
    S0.feats B0.lemma
    S0.upos S0.feats[Case] B0.upos B0.feats[Case]
    S0.upos S0.feats[VerbForm] B0.upos B0.feats[VerbForm]
    S0.lemma B0.upos B0.feats[Case]
    B0.lemma S0.upos S0.feats[Case]

    # lookahead: B1, B2 with B0 and S0
    B0.form B1.form
    B0.lemma B1.lemma
    B0.upos B1.lemma
    B0.lemma B1.upos
    B0.upos B1.upos
    B0.upos B1.upos B2.upos
    S0.upos B1.upos
    S0.upos B0.upos B1.upos
    S0.upos B0.upos B1.upos B2.upos
    S0.lemma B0.upos B1.upos
    S0.upos B0.lemma B1.upos
    S0.upos B0.upos B1.lemma
    S0.lemma B1.lemma
    B0.xpos B1.xpos
    S0.xpos B0.xpos B1.xpos

    # deeper stack: S1, S2 tags
    S1.upos S0.upos
    S1.upos B0.upos
    S1.upos S0.upos B0.upos
    S1.xpos S0.xpos B0.xpos
    S2.upos S1.upos S0.upos
    S1.xpos S0.xpos
    S1.xpos B0.xpos

    # distance and what lies between S0 and B0
    distance(S0,B0) S0.upos B0.upos
    distance(S0,B0) S0.lemma B0.upos
    distance(S0,B0) S0.upos B0.lemma
    between(S0,B0,upos=VERB) S0.upos B0.upos
    between(S0,B0,upos=PUNCT) S0.upos B0.upos
    between(S0,B0,upos=CCONJ) S0.upos B0.upos

    # children of S0, S1 and B0: words and tags
    S0.upos B0.upos S0.left[0].upos
    S0.upos B0.upos S0.right[0].upos
    S0.upos B0.upos B0.left[0].upos
    S0.upos B0.upos S0.left[0].lemma
    S0.upos B0.upos S0.right[0].lemma
    S0.upos B0.upos B0.left[0].lemma
    S0.left[0].form
    S0.right[0].form
    B0.left[0].form
    S0.upos S0.right[0].lemma B0.lemma
    S0.lemma B0.left[0].lemma B0.upos
    S1.upos S1.right[0].upos S0.upos
    S0.xpos S0.right[0].xpos B0.xpos
    S0.xpos B0.xpos B0.left[0].xpos

    # labels built so far: of the words, of their children (sets)
    S0.label
    S1.label
    S0.label S0.upos B0.upos
    S0.label B0.form
    S0.lemma S0.label B0.upos
    S0.upos S0.left_labels
    S0.upos S0.right_labels
    B0.upos B0.left_labels
    S0.form S0.left_labels
    S0.form S0.right_labels
    B0.form B0.left_labels
    S0.upos B0.upos S0.left_labels
    S0.upos B0.upos S0.right_labels
    S0.upos B0.upos B0.left_labels
    S0.left_labels S0.right_labels S0.upos B0.upos
    S0.label S0.upos B0.upos B0.feats
    S0.label S0.right_labels B0.upos
    S0.right_labels S0.upos B0.lemma
    B0.left_labels B0.upos S0.lemma
    S1.label S0.label B0.upos
    B0.left_labels S0.right_labels S0.upos B0.upos
    S0.right[0].label S0.upos B0.upos
    B0.left[0].label S0.upos B0.upos

    # the last transition
    history[0] S0.upos B0.upos
    history[0] S0.label B0.lemma
"""
RICH = Templates.parse(_RICH)

# Half of RICH, for corpora so large that speed counts: about a point less accurate, more than twice as fast.
_FAST = """
    S0.form
    S0.lemma
    S0.upos S0.feats
    S0.xpos
    B0.form
    B0.lemma
    B0.upos B0.feats
    B0.xpos
    B1.lemma
    B1.upos
    B1.xpos
    B2.upos
    S1.upos
    S0.form B0.form
    S0.form B0.upos
    S0.upos B0.form
    S0.upos B0.upos
    S0.xpos B0.xpos
    S0.lemma B0.lemma
    S0.lemma B0.upos B1.upos
    S0.upos B0.lemma B1.upos
    S0.upos B0.upos B1.lemma
    S0.upos S0.feats B0.upos B0.feats
    S0.lemma B0.feats
    S0.feats B0.lemma
    S0.suffix[3] B0.upos
    S0.upos B0.suffix[3]
    B0.upos B1.upos B2.upos
    B0.lemma B1.lemma
    S0.upos B0.upos B1.upos B2.upos
    S0.xpos B0.xpos B1.xpos
    S1.upos S0.upos B0.upos
    S1.xpos S0.xpos B0.xpos
    distance(S0,B0) S0.upos B0.upos
    distance(S0,B0) S0.lemma B0.upos
    between(S0,B0,upos=VERB) between(S0,B0,upos=PUNCT) S0.upos B0.upos
    S0.upos B0.upos S0.right[0].upos
    S0.upos B0.upos B0.left[0].upos
    S0.upos B0.upos S0.left[0].lemma
    S0.upos B0.upos S0.right[0].lemma
    S0.upos B0.upos B0.left[0].lemma
    S0.label S0.upos B0.upos
    S0.label B0.form
    S0.lemma S0.label B0.upos
    S0.form S0.right_labels
    S0.upos B0.upos S0.left_labels
    S0.upos B0.upos S0.right_labels
    S0.upos B0.upos B0.left_labels
    history[0] S0.upos B0.upos
"""
FAST = Templates.parse(_FAST)
