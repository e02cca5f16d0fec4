"""GlossTable: what glosses and parts of speech mean in Universal Dependencies, as data that users extend."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from panparser._caching import cached_property
from panparser.errors import SpecError
from panparser.storage.values import Kind, ListOf, Table, TableOf, check, one_of, read_values, text
from panparser.treebank.universal import UPOS

_SHIPPED = Path(__file__).with_name("glosses.toml")
_MAX_JOINED = 12  # letters of a gloss that is divided into parts
_FEATURE = r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*"
_FEATURES = re.compile(rf"(?:{_FEATURE}(?:\|{_FEATURE})*)?")
_TAG = re.compile(r"[^\W\d_]+")

_features = Kind(
    "features such as Person=3|Number=Sing, or an empty text",
    lambda value: isinstance(value, str) and len(value) < 1000 and _FEATURES.fullmatch(value) is not None,
)
_texts = ListOf(text("a text that is not empty", least=1, most=100), least=1)
_tag = one_of(*sorted(UPOS), "")
_lines: dict[str, Kind] = dict.fromkeys(  # that a file of Toolbox may have
    ("document", "sentence", "words", "morphemes", "glosses", "tags", "translation"), _texts
)
_VALUES = Table(
    {},
    {
        "features": TableOf(_features),
        "joined": Table({"parts": _texts}, closed=True),
        "layers": TableOf(Kind("a layer such as psor", lambda value: isinstance(value, str) and _is_layer(value))),
        **dict.fromkeys(("words", "derivations", "kinds", "tags", "english"), TableOf(_tag)),
        "translations": TableOf(_texts),
        "markers": Table({}, _lines, closed=True),
    },
    closed=True,
)


def _is_layer(value: str) -> bool:
    return re.fullmatch("[a-z0-9]{0,20}", value) is not None


@dataclass(frozen=True, kw_only=True)
class GlossTable:
    """What glosses mean; `GlossTable.read(path)` extends or overrules what panparser ships. An entry "" says nothing.

    `features` of glosses; `joined`, glosses that are written together (3SG); `layers`, glosses that say whose person
    and number stand with them; tags (UPOS) by gloss for `words` without a stem, for `derivations`, by feature of an
    affix (`kinds`), by part of speech (`tags`) and by `english` word; `translations`, English words for words without
    a stem; `markers` of the lines of Toolbox.
    """

    features: Mapping[str, str]
    joined: tuple[str, ...]
    layers: Mapping[str, str]
    words: Mapping[str, str]
    derivations: Mapping[str, str]
    kinds: Mapping[str, str]
    tags: Mapping[str, str]
    english: Mapping[str, str]
    translations: Mapping[str, tuple[str, ...]]
    markers: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> GlossTable:
        """The shipped table with the entries of a TOML file. Raises SpecError if the file is not valid."""
        values = read_values(path, "TOML", SpecError)
        try:
            return shipped_table().extended(values)
        except SpecError as error:
            raise SpecError(f"{os.fspath(path)}: {error}") from None

    def extended(self, values: Mapping[str, Any]) -> GlossTable:
        """A table with other entries, as in a file, before its own."""
        check(values, _VALUES, "", SpecError)
        parts = values.get("joined", {}).get("parts", ())
        new: dict[str, Any] = {"joined": (*parts, *(part for part in self.joined if part not in parts))}
        for each in fields(self):
            if each.name not in new:
                own = values.get(each.name, {})
                rest = {key: value for key, value in getattr(self, each.name).items() if key not in own}
                new[each.name] = {key: _frozen(value) for key, value in (own | rest).items()}
        return GlossTable(**new)

    def known(self, gloss: str) -> tuple[str, ...] | None:
        """The entries that a gloss consists of: itself, or those that are written together in it; None if unknown."""
        if gloss in self.features:
            return (gloss,)
        if len(gloss) > _MAX_JOINED or not self._joined.fullmatch(gloss):
            return None
        parts = tuple(self._part.findall(gloss))
        return parts if all(part in self.features for part in parts) else None

    def tag(self, part_of_speech: str) -> str:
        """UPOS of a part of speech; empty if unknown."""
        if part_of_speech in UPOS:
            return part_of_speech
        lower = part_of_speech.lower().strip(" .")
        if lower in self.tags:
            return self.tags[lower]
        start = _TAG.match(lower)
        return self.tags.get(start[0], "") if start else ""

    @cached_property
    def _part(self) -> re.Pattern[str]:
        return re.compile("|".join(re.escape(part) for part in sorted(self.joined, key=len, reverse=True)) or "(?!)")

    @cached_property
    def _joined(self) -> re.Pattern[str]:
        return re.compile(f"(?:{self._part.pattern})+")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@cache
def shipped_table() -> GlossTable:
    """The table that panparser ships."""
    empty: dict[str, Any] = {each.name: {} for each in fields(GlossTable)}
    return GlossTable(**{**empty, "joined": ()}).extended(read_values(_SHIPPED, "TOML", SpecError))
