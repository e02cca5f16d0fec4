"""Features by name: a template with its values filled in, and the key under which the engine has its weights."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from difflib import get_close_matches

from panparser import _engine
from panparser.errors import TemplateError
from panparser.features.atoms import Atom
from panparser.features.templates import Template
from panparser.inspection.derivations import binary_templates
from panparser.inspection.naive_features import ABSENT, ROOT
from panparser.parsing.parser import Parser

TEMPLATE_MASK: int = _engine.TEMPLATE_MASK  # the low bits of a key
_SPECIAL: dict[str, int] = {ROOT: _engine.ROOT_VALUE, ABSENT: _engine.ABSENT_VALUE}
_NONE = "<none>"
_SETS = ("left_labels", "right_labels")
_NUMBERS = ("left_valency", "right_valency", "distance", "between")


@dataclass(frozen=True)
class Feature:
    """A template and the values of its atoms; its text is such as `S0.form=ate B0.upos=NOUN`."""

    template: Template
    values: tuple[Hashable, ...]

    def __str__(self) -> str:
        pairs = zip(self.template.atoms, self.values, strict=True)
        return " ".join(f"{atom}={shown(value)}" for atom, value in pairs)

    @classmethod
    def parse(cls, text: str, parser: Parser) -> Feature:
        """The feature described by a text, for one of the parser's templates."""
        for template in binary_templates(parser):
            texts = _split(text, template)
            if texts is not None:
                values = (_read(atom, value, parser) for atom, value in zip(template.atoms, texts, strict=True))
                return cls(template, tuple(values))
        known = [" ".join(map(str, template.atoms)) for template in binary_templates(parser)]
        bare = " ".join(part.rpartition("=")[0] or part for part in text.split())
        near = get_close_matches(bare, known, n=1, cutoff=0)
        hint = f"; the nearest template is {near[0]}" if near else ""
        raise TemplateError(f"expected a feature of the parser, such as S0.upos=NOUN B0.upos=VERB; got {text!r}{hint}")

    def key(self, parser: Parser) -> int:
        """The key under which the engine looks up its weights."""
        number = list(binary_templates(parser)).index(self.template)
        pairs = zip(self.template.atoms, self.values, strict=True)
        return _engine.feature_key(number, [_hash_value(atom, value, parser) for atom, value in pairs])


def shown(value: Hashable) -> str:
    if value is None:
        return _NONE
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(value)) + "}"
    text = str(value)
    plain = text and text.isprintable() and not any(c in ' "' for c in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _split(text: str, template: Template) -> list[str] | None:
    """The values in a text, if it matches the template."""
    values = []
    rest = text.strip()
    for atom in template.atoms:
        start = f"{atom}="
        if not rest.startswith(start):
            return None
        rest = rest[len(start) :]
        if rest.startswith('"'):
            try:
                value, end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError:
                return None
        else:
            value = rest.split(" ", 1)[0]
            end = len(value)
        values.append(str(value))
        rest = rest[end:].lstrip()
    return None if rest else values


def _read(atom: Atom, text: str, parser: Parser) -> Hashable:
    if atom.name in _SETS:
        inner = text.removeprefix("{").removesuffix("}")
        return frozenset(_label(atom, name, parser) for name in inner.split(",") if name)
    if atom.name in ("label", "history") and text == _NONE:
        return None
    if atom.name == "label":
        return _label(atom, text, parser)
    if atom.name == "history":
        if text not in parser.spec.system.names:
            raise TemplateError(f"{atom}: expected one of {', '.join(parser.spec.system.names)}; got {text!r}")
        return text
    if atom.name in _NUMBERS and text != ABSENT:
        if not text.isdecimal():
            raise TemplateError(f"{atom}: expected a number; got {text!r}")
        return int(text)
    return text


def _label(atom: Atom, name: str, parser: Parser) -> str:
    if name not in parser.labels.names:
        near = get_close_matches(name, parser.labels.names, n=1, cutoff=0)
        raise TemplateError(f"{atom}: the parser has no label {name!r}; the nearest is {near[0] if near else 'none'}")
    return name


def _hash_value(atom: Atom, value: Hashable, parser: Parser) -> int:
    labels = parser.labels.names
    if atom.name == "history":
        return _engine.hash_number(0 if value is None else parser.spec.system.names.index(str(value)) + 1)
    if atom.name == "label":
        return _engine.hash_number(-1 if value is None else labels.index(str(value)))
    if isinstance(value, frozenset):
        return _engine.hash_set(sum(1 << number for number in {labels.index(label) % 64 for label in value}))
    if isinstance(value, int):
        return _engine.hash_number(value)
    if atom.name in _NUMBERS:
        return _engine.hash_number(-1)  # one of the two tokens is absent
    return _SPECIAL.get(str(value)) or _engine.hash_text(str(value))
