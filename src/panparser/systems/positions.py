"""Positions and regions: where the tokens of a state are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from panparser import _engine
from panparser.errors import DeclarationError

PLACES = tuple(place.name if place.name[1:].isdigit() else place.name.lower() for place in _engine.Place)
# Where a token can be: S0, S1, S2, deeper, B0, behind, L0, on_list. A region has two bits for each:
WORD, ROOT_TOKEN = 0, 1  # bit 2 * place for a word there, 2 * place + 1 for Root
_STACK_PLACES, _BUFFER_PLACES, _LIST_PLACES = PLACES[:4], PLACES[4:6], PLACES[6:]
_WHOLES = (("STACK", _STACK_PLACES), ("BUFFER", _BUFFER_PLACES), ("LIST", _LIST_PLACES))  # the last is all the rest


def _mask(places: tuple[str, ...], *kinds: int) -> int:
    return sum(1 << (2 * PLACES.index(place) + kind) for place in places for kind in kinds)


@dataclass(frozen=True)
class TokenRegion:
    """A set of tokens, by where they are and whether they are Root. Regions combine by `|`, `&`, `-`."""

    mask: int

    def __or__(self, other: RegionLike) -> TokenRegion:
        return TokenRegion(self.mask | as_region(other, "|").mask)

    def __and__(self, other: RegionLike) -> TokenRegion:
        return TokenRegion(self.mask & as_region(other, "&").mask)

    def __sub__(self, other: RegionLike) -> TokenRegion:
        return TokenRegion(self.mask & ~as_region(other, "-").mask)

    def _places(self, kind: int) -> tuple[str, ...]:
        return tuple(place for place in PLACES if self.mask & _mask((place,), kind))

    def __str__(self) -> str:
        words, roots = self._places(WORD), self._places(ROOT_TOKEN)
        if words == roots:
            return _name(words)
        parts = []
        if words:
            parts.append(" | ".join(f"{part} - ROOT" for part in _name(words).split(" | ")))
        if roots == PLACES:
            parts.append("ROOT")
        elif roots:
            name = _name(roots)
            parts.append(f"({name}) & ROOT" if " " in name else f"{name} & ROOT")
        return " | ".join(parts)

    __repr__ = __str__


def _name(places: tuple[str, ...]) -> str:
    if not places:
        return "NOWHERE"
    parts = []
    for whole, group in _WHOLES:
        inside = [place for place in group if place in places]
        if group[-1] in inside:
            parts.append(" - ".join([whole, *(place for place in group if place not in places)]))
        else:
            parts.extend(inside)
    return " | ".join(parts)


@dataclass(frozen=True)
class Position:
    """One token of the state; also the region that holds just this token."""

    name: str

    def __or__(self, other: RegionLike) -> TokenRegion:
        return as_region(self, "|") | other

    def __and__(self, other: RegionLike) -> TokenRegion:
        return as_region(self, "&") & other

    def __sub__(self, other: RegionLike) -> TokenRegion:
        return as_region(self, "-") - other

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


RegionLike: TypeAlias = TokenRegion | Position

S0, S1, S2, B0, L0 = POSITIONS = tuple(Position(name) for name in ("S0", "S1", "S2", "B0", "L0"))
ROOT = Position("ROOT")
STACK = TokenRegion(_mask(_STACK_PLACES, WORD, ROOT_TOKEN))
BUFFER = TokenRegion(_mask(_BUFFER_PLACES, WORD, ROOT_TOKEN))
LIST = TokenRegion(_mask(_LIST_PLACES, WORD, ROOT_TOKEN))


def as_region(value: object, owner: str) -> TokenRegion:
    if isinstance(value, TokenRegion):
        if not value.mask and owner.endswith("among"):
            raise DeclarationError(f"{owner} expects a region; this one is empty")
        return value
    if value == ROOT:
        return TokenRegion(_mask(PLACES, ROOT_TOKEN))
    if isinstance(value, Position):
        return TokenRegion(_mask((value.name,), WORD, ROOT_TOKEN))
    raise DeclarationError(
        f"{owner} expects a region (STACK, BUFFER, LIST, ROOT, S0, ... or STACK - S0); got {value!r}"
    )


def as_position(value: object, owner: str, allowed: tuple[Position, ...] = POSITIONS) -> Position:
    if isinstance(value, Position) and value in allowed:
        return value
    names = ", ".join(map(str, allowed))
    raise DeclarationError(f"{owner} expects a position ({names}); got {value!r}")
