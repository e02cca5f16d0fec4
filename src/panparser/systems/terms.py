"""The table language: positions, numbers, conditions, regions, effects and losses of transitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from panparser import _engine
from panparser.errors import DeclarationError
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, Mark

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


# LEFT and RIGHT are panparser.HEAD_LEFT and .RIGHT: defined here, they would hide transitions of that name.
__all__ = [
    "B0",
    "BUFFER",
    "L0",
    "LIST",
    "ROOT",
    "S0",
    "S1",
    "S2",
    "STACK",
    "above_bottom",
    "any_of",
    "arc",
    "aside",
    "back",
    "children",
    "clear",
    "does_not_dominate",
    "dominates",
    "head",
    "headless",
    "is_attached",
    "is_root",
    "is_unattached",
    "is_word",
    "pop",
    "precedes",
    "propose",
    "restore",
    "shift",
    "size",
    "span",
    "tree",
    "unattached",
    "wanting",
    "wants",
]

# --- Conditions ---

UNBOUNDED = 1 << 20  # beyond any count or distance


@dataclass(frozen=True)
class StateCondition:
    """A fact of the state within bounds: `low <= fact <= high`. Made by the words below."""

    text: str
    fact: str
    low: int
    high: int

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise DeclarationError(
            f"a condition has no truth value of its own: write any_of(...) or a tuple; got {self.text}"
        )


@dataclass(frozen=True)
class AnyOf:
    """At least one of the conditions holds."""

    conditions: tuple[StateCondition, ...]

    def __str__(self) -> str:
        return f"any_of({', '.join(map(str, self.conditions))})"

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class Count:
    """A number to compare: `size(STACK) >= 2`."""

    text: str
    fact: str
    symmetric: bool = False

    __hash__ = None  # type: ignore[assignment]

    def _compare(self, sign: str, bound: object, low: int, high: int) -> StateCondition:
        if not isinstance(bound, int) or isinstance(bound, bool) or not 0 <= bound < UNBOUNDED:
            raise DeclarationError(f"{self.text} {sign} expects a number >= 0; got {bound!r}")
        return StateCondition(f"{self.text} {sign} {bound}", self.fact, low, high)

    def __ge__(self, bound: int) -> StateCondition:
        if self.symmetric:
            raise DeclarationError(f"{self.text} can only be bounded from above (<=)")
        return self._compare(">=", bound, bound, UNBOUNDED)

    def __le__(self, bound: int) -> StateCondition:
        return self._compare("<=", bound, -bound if self.symmetric else 0, bound)

    def __eq__(self, bound: int) -> StateCondition:  # type: ignore[override]
        if self.symmetric:
            raise DeclarationError(f"{self.text} can only be bounded from above (<=)")
        return self._compare("==", bound, bound, bound)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class _Flag:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


unattached = _Flag("unattached")
above_bottom = _Flag("above_bottom")


def _flag(flag: object, owner: str, known: _Flag) -> str:
    if flag is not None and flag is not known:
        raise DeclarationError(f"{owner}(..., flag) knows the flag {known}; got {flag!r}")
    return known.name if flag is known else ""


@dataclass(frozen=True)
class tree:  # noqa: N801 - a word of the language
    """`size(STACK, tree(x))`: words that arcs made so far join to x, x included, whichever way."""

    of: Position

    def __post_init__(self) -> None:
        as_position(self.of, "tree")

    def __str__(self) -> str:
        return f"tree({self.of})"

    __repr__ = __str__


def size(what: object, *only: object) -> Count:
    """Number of tokens: `size(STACK)` (or BUFFER, LIST), `size(children(ROOT))`.

    Of words alone: `size(STACK, unattached)` (or LIST), `size(STACK, tree(S0))`, `size(STACK, tree(S0), unattached)`.
    """
    trees = [each for each in only if isinstance(each, tree)]
    flags = [each for each in only if not isinstance(each, tree)]
    open_ones = _flag(flags[0], "size", unattached) if flags else ""
    text = f"size({', '.join(map(str, (what, *trees, *flags)))})"
    fact = None
    if isinstance(what, children) and what.of == ROOT and not only:
        text, fact = "size(children(ROOT))", "root_children"
    elif len(trees) <= 1 and len(flags) <= 1:
        kind = ("tree" if trees else "") + open_ones
        fact = _COUNTS.get((str(what), kind)) if isinstance(what, TokenRegion) else None
    if fact is None:
        got = ", ".join(map(repr, (what, *only)))
        raise DeclarationError(
            "size expects STACK, BUFFER, LIST, (STACK, unattached), (LIST, unattached), (STACK, tree(x)), "
            f"(STACK, tree(x), unattached) or children(ROOT); got {got}"
        )
    return Count(text, f"{fact}.{trees[0].of}" if trees else fact)


_COUNTS = {
    ("STACK", ""): "stack_size",
    ("STACK", "unattached"): "open_words",
    ("STACK", "tree"): "tree_words",
    ("STACK", "treeunattached"): "tree_open",
    ("BUFFER", ""): "buffer_size",
    ("LIST", ""): "list_size",
    ("LIST", "unattached"): "open_aside",
}


def is_word(position: Position) -> StateCondition:
    """The token is there and is not Root."""
    return StateCondition(f"is_word({position})", f"is_word.{as_position(position, 'is_word')}", 1, 1)


def is_root(position: Position) -> StateCondition:
    """The token is Root."""
    return StateCondition(f"is_root({position})", f"is_word.{as_position(position, 'is_root')}", 0, 0)


def is_attached(position: Position) -> StateCondition:
    """The token is a word that has a head."""
    return StateCondition(f"is_attached({position})", f"is_attached.{as_position(position, 'is_attached')}", 1, 1)


def is_unattached(position: Position) -> StateCondition:
    """The token is a word that has no head yet."""
    return StateCondition(f"is_unattached({position})", f"is_attached.{as_position(position, 'is_unattached')}", 0, 0)


_DISTANCES = {("S0", "B0"): "S0.B0", ("S1", "S0"): "S1.S0", ("S2", "S0"): "S2.S0"}


def _distance(owner: str, first: object, second: object) -> str:
    pair = (as_position(first, owner).name, as_position(second, owner).name)
    if pair not in _DISTANCES:
        known = ", ".join(f"({a}, {b})" for a, b in _DISTANCES)
        raise DeclarationError(f"{owner} knows the pairs {known}; got ({first}, {second})")
    return f"distance.{_DISTANCES[pair]}"


def span(first: Position, second: Position) -> Count:
    """Distance between two tokens: `span(S0, B0) <= 3`."""
    return Count(f"span({first}, {second})", _distance("span", first, second), symmetric=True)


def precedes(first: Position, second: Position) -> StateCondition:
    """The first token precedes the second in the sentence."""
    return StateCondition(f"precedes({first}, {second})", _distance("precedes", first, second), 1, UNBOUNDED)


def dominates(above: Position, below: Position) -> StateCondition:
    """The first token is above the second in the arcs made so far: an arc from the second to it would close a cycle."""
    return StateCondition(f"dominates({above}, {below})", _dominance("dominates", above, below), 1, 1)


def does_not_dominate(above: Position, below: Position) -> StateCondition:
    """Both tokens are there, and the first is not above the second: an arc from the second to it closes no cycle."""
    name = "does_not_dominate"
    return StateCondition(f"{name}({above}, {below})", _dominance(name, above, below), 0, 0)


_DOMINANCES = (("S0", "B0"), ("B0", "S0"), ("S1", "S0"), ("S0", "S1"))


def _dominance(owner: str, above: object, below: object) -> str:
    pair = (as_position(above, owner).name, as_position(below, owner).name)
    if pair not in _DOMINANCES:
        known = ", ".join(f"({a}, {b})" for a, b in _DOMINANCES)
        raise DeclarationError(f"{owner} knows the pairs {known}; got ({above}, {below})")
    return f"dominates.{'.'.join(pair)}"


def any_of(*conditions: StateCondition) -> AnyOf:
    """At least one of the conditions holds."""
    for condition in conditions:
        if not isinstance(condition, StateCondition):
            raise DeclarationError(f"any_of expects conditions; got {condition!r}")
    if len(conditions) < 2:
        raise DeclarationError(f"any_of: expected two or more conditions; got {len(conditions)}")
    return AnyOf(conditions)


# --- Effects ---


@dataclass(frozen=True)
class Effect:
    """What a transition does to the state."""

    kind: str
    positions: tuple[Position, ...] = ()

    def __str__(self) -> str:
        if self.kind in ("arc", "propose"):
            return f"{self.kind}(head={self.positions[0]}, dependent={self.positions[1]})"
        return self.kind if self.positions in ((), (S0,)) else f"{self.kind}({self.positions[0]})"

    __repr__ = __str__

    def __call__(self, position: Position) -> Effect:
        if self != pop:
            raise DeclarationError(f"{self} takes no position")
        return Effect("pop", (as_position(position, "pop", POSITIONS[:4]),))


shift = Effect("shift")  # moves the front of the buffer onto the stack
pop = Effect("pop", (S0,))  # removes the top of the stack; pop(S1) the token below it, pop(B0) that of the buffer
back = Effect("back")  # moves S1 back to the front of the buffer
aside = Effect("aside")  # moves the top of the stack to the front of the list
restore = Effect("restore")  # moves the whole list back onto the stack, its front first
clear = Effect("clear")  # removes all of the list


def arc(*, head: Position, dependent: Position) -> Effect:
    """The dependent gets its head."""
    return _arc("arc", head, dependent)


def propose(*, head: Position, dependent: Position) -> Effect:
    """The dependent gets a provisional head: features see it, the tree does not."""
    return _arc("propose", head, dependent)


def _arc(kind: str, head: Position, dependent: Position) -> Effect:
    positions = (as_position(head, f"{kind}(head)"), as_position(dependent, f"{kind}(dependent)"))
    if head == dependent:
        raise DeclarationError(f"{kind} expects two different positions; got {head} twice")
    return Effect(kind, positions)


# --- Losses ---


@dataclass(frozen=True)
class Loss:
    """A number of words that a transition cuts from their gold head; counted when the guard holds."""

    kind: str
    position: Position | TokenRegion | None = None  # a region: all tokens there
    region: TokenRegion | None = None
    flag: str = ""
    direction: Mark | None = None
    guard: tuple[StateCondition, ...] = ()

    IS_DIRECTED: ClassVar[tuple[str, ...]] = ("wants", "wanting")

    def when(self, *guard: StateCondition) -> Loss:
        """The same loss, counted only if all the conditions hold."""
        for condition in guard:
            if not isinstance(condition, StateCondition):
                raise DeclarationError(f"when of {self} expects conditions; got {condition!r}")
        return Loss(self.kind, self.position, self.region, self.flag, self.direction, (*self.guard, *guard))

    def __str__(self) -> str:
        flag = f", {self.flag}" if self.flag else ""
        if self.kind in ("head", "children"):
            text = f"{self.kind}({self.position}).among({self.region}{flag})"
        elif self.kind == "headless":
            text = f"headless({self.position})"
        else:
            text = f"{self.kind}({self.position or self.region}, {self.direction!r}{flag})"
        return f"{text}.when({', '.join(map(str, self.guard))})" if self.guard else text

    __repr__ = __str__


@dataclass(frozen=True)
class head:  # noqa: N801 - a word of the language
    """`head(x).among(region)`: 1 if the gold head of x is in the region."""

    of: Position

    def __post_init__(self) -> None:
        as_position(self.of, "head")

    def among(self, region: RegionLike) -> Loss:
        return Loss("head", self.of, as_region(region, f"head({self.of}).among"))


@dataclass(frozen=True)
class children:  # noqa: N801 - a word of the language
    """`children(x).among(region)`: number of words in the region with gold head x; `unattached`: and no head yet.

    `children(LIST)`: those of all tokens on the list.
    """

    of: Position | TokenRegion

    def __post_init__(self) -> None:
        if self.of != LIST:
            as_position(self.of, "children", (*POSITIONS, ROOT))

    def among(self, region: RegionLike, flag: object = None) -> Loss:
        owner = f"children({self.of}).among"
        return Loss("children", self.of, as_region(region, owner), _flag(flag, owner, unattached))


def headless(position: Position) -> Loss:
    """1 if the word is annotated as headless."""
    return Loss("headless", as_position(position, "headless"))


def _direction(value: object, owner: str) -> Mark:
    if value is HEAD_LEFT or value is HEAD_RIGHT:
        return value
    raise DeclarationError(f"{owner} expects LEFT or RIGHT; got {value!r}")


def wants(position: Position, direction: Mark) -> Loss:
    """1 if only the direction of the word's head is known, and it is this one."""
    return Loss("wants", as_position(position, "wants"), direction=_direction(direction, "wants"))


def wanting(region: RegionLike, direction: Mark, flag: object = None) -> Loss:
    """`wanting(STACK, RIGHT)`: words on the stack without a head, of which only the direction, right, is known.

    With `above_bottom` the lowest token of the stack does not count.
    """
    if as_region(region, "wanting") != STACK:
        raise DeclarationError(f"wanting expects STACK; got {region}")
    flag = _flag(flag, "wanting", above_bottom)
    return Loss("wanting", None, STACK, flag, _direction(direction, "wanting"))


TermLike: TypeAlias = StateCondition | AnyOf | Effect | Loss
