"""The terms that a derived table may be made of: every loss of the language, with its possible guards.

What a loss counts depends only on where the two ends of a gold arc are (or the one word that is marked), and on which
conditions hold in the state. This is a `Sight`; a loss is the set of sights that it counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from panparser.systems import terms
from panparser.systems.positions import (
    BUFFER,
    L0,
    LIST,
    PLACES,
    POSITIONS,
    ROOT,
    ROOT_TOKEN,
    STACK,
    Position,
    TokenRegion,
)
from panparser.systems.proof.reference import ReferenceState
from panparser.systems.table import TransitionSystem
from panparser.systems.terms import Loss, StateCondition
from panparser.trees.gold import NO_HEAD, Mark

MAX_GUARD = 2  # conditions in the guard of a term


@dataclass(frozen=True)
class GoldObservation:
    """What a loss depends on: one gold annotation in one state.

    A slot is twice the place of a token, plus one for Root: a bit of `TokenRegion.mask`. An annotation that is not an
    arc has no head slot. Bit i of `facts` is set if condition i holds.
    """

    dependent: int
    head: int | None
    attached: bool  # does the dependent already have a head?
    lowest: bool  # is the dependent the lowest token of the stack?
    facts: int


def slots(state: ReferenceState) -> dict[int, int]:
    """The slot of every token that is still in the state."""
    found = {}
    for depth, token in enumerate(reversed(state.stack)):
        found[token] = 2 * min(depth, 3) + (token == state.root)
    for index, token in enumerate(state.buffer):
        found[token] = 2 * (4 + min(index, 1)) + (token == state.root)
    for index, token in enumerate(state.aside):
        found[token] = 2 * (6 + min(index, 1)) + (token == state.root)
    return found


def _positions(has_list: bool) -> tuple[Position, ...]:
    return POSITIONS if has_list else tuple(position for position in POSITIONS if position != L0)


def conditions(system: TransitionSystem) -> tuple[StateCondition, ...]:
    """The conditions of guards: words of the language with small numbers, and the conditions of the table itself."""
    found: list[StateCondition] = []
    has_root = system.root != "none"
    for ask in (terms.is_word, *([terms.is_root] if has_root else []), terms.is_attached, terms.is_unattached):
        found += [ask(position) for position in _positions(system.has_list)]
    sizes = (  # each with the largest number it is compared with
        (terms.size(STACK), 3),
        (terms.size(BUFFER), 3),
        *([(terms.size(LIST), 1)] if system.has_list else []),
        (terms.size(STACK, terms.unattached), 2),
        *([(terms.size(terms.children(ROOT)), 1)] if has_root else []),
    )
    for count, largest in sizes:
        bounds = range(largest + 1)
        found += [count == bound for bound in bounds]
        found += [count >= bound for bound in bounds[1:]]
        found += [count <= bound for bound in bounds[1:]]
    for transition in system.transitions:
        for condition in transition.when:
            found += condition.conditions if isinstance(condition, terms.AnyOf) else (condition,)
    return tuple(dict.fromkeys(found))


@cache
def candidates(mark: Mark | None, has_list: bool) -> tuple[Loss, ...]:
    """The losses that count annotations of a kind, arcs (None) or a mark, without guards; the simplest first."""
    positions = _positions(has_list)
    if mark is None:
        regions = _regions(has_list)
        heads: list[Position | TokenRegion] = [*positions, ROOT, *([LIST] if has_list else [])]
        found = [terms.head(x).among(region) for x in positions for region in regions]
        for flag in (None, terms.unattached):
            found += [terms.children(x).among(region, flag) for x in heads for region in regions]
    elif mark is NO_HEAD:
        found = [terms.headless(x) for x in positions]
    else:
        found = [terms.wants(x, mark) for x in positions]
        found += [terms.wanting(STACK, mark), terms.wanting(STACK, mark, terms.above_bottom)]
    return tuple(sorted(found, key=weight))


def counts(loss: Loss, sight: GoldObservation) -> bool:
    """Does the loss, without its guard, count an annotation of its kind that looks like this?"""
    if loss.region is None:
        return _is_at(loss.position, sight.dependent)
    if loss.kind == "wanting":
        return bool(loss.region.mask >> sight.dependent & 1) and not (sight.attached or (loss.flag and sight.lowest))
    assert sight.head is not None
    if loss.kind == "head":
        return _is_at(loss.position, sight.dependent) and bool(loss.region.mask >> sight.head & 1)
    if loss.flag and sight.attached:
        return False
    return _is_at(loss.position, sight.head) and bool(loss.region.mask >> sight.dependent & 1)


def _is_at(position: Position | TokenRegion | None, slot: int) -> bool:
    if isinstance(position, TokenRegion):
        return bool(position.mask >> slot & 1)
    return slot % 2 == ROOT_TOKEN if position == ROOT else PLACES[slot // 2] == str(position)


def weight(loss: Loss) -> int:
    """Simplicity of a term, less is simpler: few words and numbers; then a wide region, which assumes the least."""
    words = len(re.findall(r"\w+", str(loss)))
    return 100 * words - (loss.region.mask.bit_count() if loss.region else 0)


def _regions(has_list: bool) -> list[TokenRegion]:
    """Every part of the stack, of the buffer and of the list, with Root, without it, and Root alone.

    None is of two of them: two terms are plainer.
    """
    words = sum(1 << 2 * place for place in range(len(PLACES)))
    found = []
    for whole in (STACK, BUFFER, *([LIST] if has_list else [])):
        lowest = whole.mask & -whole.mask
        for mask in range(lowest, whole.mask + 1, lowest):
            places, roots = mask & words, mask >> 1 & words
            if not places or not roots or places == roots:
                found.append(TokenRegion(mask))
    return [*found, ROOT | ROOT]
