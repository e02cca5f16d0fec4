"""Features by name: a template with its values filled in, and the key under which the engine has its weights."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from difflib import get_close_matches

from panparser.errors import TemplateError
from panparser.features.atoms import Atom
from panparser.features.reading import ABSENT, ROOT
from panparser.features.templates import Template
from panparser.parsing.inspection.derivations import binary_templates
from panparser.parsing.models.protocol import ParserLike

_BITS = 2**64
_TURN = 13
TEMPLATE_MASK = 511  # the low bits of a key
_SPECIAL = {ROOT: 0x5D1D47E3A1C9F00F, ABSENT: 0xA7B5E2C94F3D1683}
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
        return " ".join(f"{atom}={_shown(value)}" for atom, value in pairs)

    @classmethod
    def parse(cls, text: str, parser: ParserLike) -> Feature:
        """The feature that a text names, of one of the parser's templates."""
        for template in binary_templates(parser):
            texts = _split(text, template)
            if texts is not None:
                values = (_read(atom, value, parser) for atom, value in zip(template.atoms, texts, strict=True))
                return cls(template, tuple(values))
        known = [str(template) for template in binary_templates(parser)]
        bare = " ".join(part.rpartition("=")[0] or part for part in text.split())
        near = get_close_matches(bare, known, n=1, cutoff=0)
        hint = f"; the nearest template is {near[0]}" if near else ""
        raise TemplateError(f"expected a feature of the parser, such as S0.upos=NOUN B0.upos=VERB; got {text!r}{hint}")

    def key(self, parser: ParserLike) -> int:
        """Where the engine looks for its weights."""
        number = list(binary_templates(parser)).index(self.template)
        key = mix(number + 1)
        for place, (atom, value) in enumerate(zip(self.template.atoms, self.values, strict=True)):
            hashed, turn = _hash_value(atom, value, parser), _TURN * place % 64
            key += hashed << turn | hashed >> (64 - turn)
        return (key % _BITS & ~TEMPLATE_MASK | number) or TEMPLATE_MASK + 1


def _shown(value: Hashable) -> str:
    if value is None:
        return _NONE
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted(value)) + "}"
    text = str(value)
    plain = text and text.isprintable() and not any(c in ' "' for c in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _split(text: str, template: Template) -> list[str] | None:
    """The values in a text, if it is one of the template."""
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


def _read(atom: Atom, text: str, parser: ParserLike) -> Hashable:
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


def _label(atom: Atom, name: str, parser: ParserLike) -> str:
    if name not in parser.labels.names:
        near = get_close_matches(name, parser.labels.names, n=1, cutoff=0)
        raise TemplateError(f"{atom}: the parser has no label {name!r}; the nearest is {near[0] if near else 'none'}")
    return name


# --- The engine's hash, from its definition ---


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % _BITS
    x = (x ^ x >> 27) * 0x94D049BB133111EB % _BITS
    return x ^ x >> 31


def _hash_text(text: str) -> int:
    data = text.encode()
    code = len(data) * 0x9E3779B97F4A7C15 % _BITS
    for at in range(0, len(data), 8):
        code = mix(code ^ int.from_bytes(data[at : at + 8], "little"))
    return mix(code)


def _small(number: int) -> int:
    return mix((number + 3) * 0x9E3779B97F4A7C15 % _BITS)


def _hash_value(atom: Atom, value: Hashable, parser: ParserLike) -> int:
    labels = parser.labels.names
    if atom.name == "history":
        return _small(0 if value is None else parser.spec.system.names.index(str(value)) + 1)
    if atom.name == "label":
        return _small(-1 if value is None else labels.index(str(value)))
    if isinstance(value, frozenset):
        return mix(sum(1 << number for number in {labels.index(label) % 64 for label in value}))
    if isinstance(value, int):
        return _small(value)
    if atom.name in _NUMBERS:
        return _small(-1)  # one of the two tokens is absent
    return _SPECIAL.get(str(value)) or _hash_text(str(value))
