"""Consistency: pairs of words that are labeled in one way here, and in another there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from panparser.annotation.drafts import Draft

Pair: TypeAlias = tuple[str, str, str, str]  # lemma and tag of the dependent, and of its head


def pair_of(draft: Draft, word: int) -> Pair | None:
    """What a decided arc joins; None if it is not decided, or of Root."""
    found = draft.words[word - 1]
    if found.head is None or found.label is None or not found.head:
        return None
    head = draft.words[found.head - 1]
    own, other = (each.form.lower() if each.lemma == "_" else each.lemma for each in (found, head))
    return own, found.upos, other, head.upos


@dataclass
class Labels:
    """The labels of all decided arcs, by pair; kept up to date as sentences change."""

    _places: dict[Pair, dict[tuple[int, int], str]] = field(default_factory=dict)

    @classmethod
    def of(cls, drafts: Iterable[tuple[int, Draft]]) -> Labels:
        found = cls()
        for index, draft in drafts:
            for word in range(1, len(draft.words) + 1):
                pair = pair_of(draft, word)
                if pair is not None:
                    found._places.setdefault(pair, {})[index, word] = draft.words[word - 1].label or "_"
        return found

    def others(self, pair: Pair, label: str) -> dict[str, list[tuple[int, int]]]:
        """Where a pair has other labels: by label, the places (sentence, word)."""
        found: dict[str, list[tuple[int, int]]] = {}
        for place, other in self._places.get(pair, {}).items():
            if other != label:
                found.setdefault(other, []).append(place)
        return found

    def mixed(self, least: int = 2) -> list[dict[str, Any]]:
        """Pairs with several labels, those with the most places first, as JSON."""
        found = []
        for pair, places in self._places.items():
            counts = Counter(places.values())
            if len(counts) > 1 and len(places) >= least:
                found.append({**named(pair), "labels": dict(counts.most_common()), "places": len(places)})
        return sorted(found, key=lambda each: (-each["places"], each["lemma"], each["head_lemma"]))


def named(pair: Pair) -> dict[str, str]:
    return dict(zip(("lemma", "upos", "head_lemma", "head_upos"), pair, strict=True))
