"""A small exact solver: the cheapest choice of sets that covers every element once.

That is, exactly one of the chosen sets contains each element. Sets are bit masks over the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def smallest_cover(elements: int, sets: Sequence[int], weights: Sequence[int]) -> tuple[int, ...] | None:
    """Indices of the chosen sets: as few as possible, then the least weight, then the earliest; None if nothing covers.

    `elements` is their number; bit i of a set is set if it contains element i. Weights are not
    negative.
    """
    names = _lightest(sets, weights)
    holders = _holders(elements, [sets[index] for index in names])
    alive = (1 << len(names)) - 1
    chosen = []
    while True:  # forced: an element that only one set covers
        if not all(holders):
            return None
        forced = next((holder for holder in holders if holder.bit_count() == 1), 0)
        if not forced:
            break
        chosen.append(names[forced.bit_length() - 1])
        for holder in holders:
            if holder & forced:
                alive &= ~holder
        holders = [holder & alive for holder in holders if not holder & forced]
    for part in _parts(holders):
        members = sorted({index for holder in part for index in _bits(holder)})
        found = _Search(part, members, [weights[names[index]] for index in members]).best
        if found is None:
            return None
        chosen += [names[index] for index in found]
    return tuple(sorted(chosen))


def _lightest(sets: Sequence[int], weights: Sequence[int]) -> list[int]:
    """The lightest of equal sets, in order of weight, without empty ones."""
    kept: dict[int, int] = {}
    for index in sorted(range(len(sets)), key=lambda index: (weights[index], index)):
        if sets[index]:
            kept.setdefault(sets[index], index)
    return list(kept.values())


def _holders(elements: int, sets: list[int]) -> list[int]:
    """For each element the sets that contain it, as a mask over the sets; elements in the same sets are merged."""
    size = (elements + 7) // 8
    rows = np.frombuffer(b"".join(members.to_bytes(size, "little") for members in sets), dtype=np.uint8)
    bits = np.unpackbits(rows.reshape(len(sets), size), axis=1, count=elements, bitorder="little")
    columns = np.packbits(bits.T, axis=1, bitorder="little")
    return list(dict.fromkeys(int.from_bytes(column.tobytes(), "little") for column in columns))


def _parts(holders: list[int]) -> list[list[int]]:
    """The elements in groups that have no set in common."""
    parts: list[tuple[int, list[int]]] = []
    for holder in holders:
        sets, members = holder, [holder]
        apart = []
        for other in parts:
            if other[0] & holder:
                sets, members = sets | other[0], other[1] + members
            else:
                apart.append(other)
        parts = [*apart, (sets, members)]
    return [members for _, members in parts]


class _Search:
    """Branch and bound over one part; `best` is the solution, as a list of sets."""

    def __init__(self, holders: list[int], members: list[int], weights: list[int]) -> None:
        # Choices are ordered by one number: count, then weight, then position of the sets.
        late = 1 + sum(range(len(members)))
        one = (1 + sum(weights)) * late
        self.price = {
            index: one + weight * late + number
            for number, (index, weight) in enumerate(zip(members, weights, strict=True))
        }
        self.rivals = dict.fromkeys(members, 0)  # number of sets that share an element, including itself
        for holder in holders:
            for index in _bits(holder):
                self.rivals[index] |= holder
        self.best: list[int] | None = None
        for count in range(1, len(holders) + 1):
            self.limit = (count + 1) * one  # upper bound of a choice
            self.is_cut = False  # did the limit prune anything?
            self._cover(holders, 0, [])
            if self.best is not None or not self.is_cut:
                return

    def _cover(self, holders: list[int], spent: int, chosen: list[int]) -> None:
        """`holders`: for each open element, the sets that share no element with those chosen."""
        if not holders:
            self.best, self.limit = list(chosen), spent
            return
        holders = sorted(holders, key=int.bit_count)
        if not holders[0]:
            return
        if spent + self._at_least(holders) >= self.limit:
            self.is_cut = True
            return
        for index in _bits(holders[0]):
            out = self.rivals[index]
            chosen.append(index)
            left = [holder & ~out for holder in holders if not holder >> index & 1]
            self._cover(left, spent + self.price[index], chosen)
            chosen.pop()

    def _at_least(self, holders: list[int]) -> int:
        """A lower bound of the remaining cost: elements that share no set need one each, at least the cheapest."""
        seen = bound = 0
        for holder in holders:
            if not holder & seen:
                seen |= holder
                bound += self.price[(holder & -holder).bit_length() - 1]
        return bound


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
