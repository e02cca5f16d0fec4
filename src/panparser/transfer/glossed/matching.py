"""Which words of a translation the words of a sentence are glossed with: by identical forms and lemmas."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from panparser.transfer.glossed.meaning import GlossMeaning
from panparser.transfer.glossed.table import GlossTable

Link = tuple[int, int]  # a word of the sentence and one of the translation, both from 0


@dataclass(frozen=True)
class TranslationWords:
    """The words of a translation, in lower case, and how deep in its tree each is (0: the root)."""

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    depths: tuple[int, ...]


def match(
    words: Sequence[GlossMeaning], lemmas: Mapping[str, str], translation: TranslationWords, table: GlossTable
) -> list[Link]:
    """Links of words and words of the translation, at most one for each, in the order of the words.

    Surest first: the same form, the form that is the other's lemma, the same lemma (`lemmas`: of glosses in lower
    case), a word of a gloss of several, and what the table gives for glosses. Where a word is there
    several times, the first is linked with the first, and so on; of more on one side, those in similar places.
    """
    found = GlossMatcher(len(words), len(translation.forms))
    single = {at: word.english[0].lower() for at, word in enumerate(words) if len(word.english) == 1}
    by_lemma = {at: lemmas.get(gloss, gloss) for at, gloss in single.items()}
    kinds = ((single, translation.forms), (single, translation.lemmas), (by_lemma, translation.lemmas))
    for once in (True, False):
        for own, others in kinds:
            found.link(own, others, once=once)
    several = {at: [gloss.lower() for gloss in word.english] for at, word in enumerate(words) if len(word.english) > 1}
    for at, glosses in several.items():
        either = {*glosses, *(lemmas.get(gloss, gloss) for gloss in glosses)}
        found.choose(at, partial(_has, translation, either), translation.depths)
    for at, word in enumerate(words):
        keys = table_words([gloss.lower() for gloss in word.english] or word.glosses, table)
        if at not in found.links and keys:
            found.choose(at, partial(_has, translation, keys), [0] * len(translation.forms))
    return sorted(found.links.items())


def _has(translation: TranslationWords, keys: Collection[str], there: int) -> bool:
    return translation.forms[there] in keys or translation.lemmas[there] in keys


def table_words(glosses: Sequence[str], table: GlossTable) -> tuple[str, ...]:
    """English words for glosses: those of the entry that holds most of them."""
    held = [(key.split("."), words) for key, words in table.translations.items()]
    fitting = [(len(key), words) for key, words in held if set(key) <= set(glosses)]
    return max(fitting, key=lambda entry: entry[0], default=(0, ()))[1]


class GlossMatcher:
    """Links that are found one kind after the other."""

    def __init__(self, words: int, others: int) -> None:
        self.links: dict[int, int] = {}
        self._taken: set[int] = set()
        self._words, self._others = max(words, 1), max(others, 1)

    def link(self, keys: Mapping[int, str], others: Sequence[str], *, once: bool) -> None:
        """Links words with others of the same key, in order; with `once` only keys that each side has once."""
        here: defaultdict[str, list[int]] = defaultdict(list)
        there: defaultdict[str, list[int]] = defaultdict(list)
        for at, key in keys.items():
            if at not in self.links:
                here[key].append(at)
        for at, key in enumerate(others):
            if at not in self._taken and key in here:
                there[key].append(at)
        for key, places in there.items():
            if not once or len(here[key]) == len(places) == 1:
                for pair in in_order(here[key], places, self._distance):
                    self._add(*pair)

    def choose(self, word: int, fits: Callable[[int], bool], depths: Sequence[int]) -> None:
        """Links a word with the highest of those that fit, or else the nearest."""
        open_ones = [at for at in range(len(depths)) if at not in self._taken and fits(at)]
        if open_ones:
            self._add(word, min(open_ones, key=lambda at: (depths[at], self._distance(word, at), at)))

    def _add(self, word: int, other: int) -> None:
        self.links[word] = other
        self._taken.add(other)

    def _distance(self, word: int, other: int) -> float:
        """How far a word would be from where the links of the nearest words before and after it lead to."""
        near = [at for at in (self._next(word, -1), self._next(word, 1)) if at is not None]
        if near:
            return min(abs(self.links[at] + word - at - other) for at in near)
        return abs((word + 0.5) / self._words * self._others - other - 0.5)

    def _next(self, word: int, step: int) -> int | None:
        """The nearest linked word in a direction."""
        at = word + step
        while 0 <= at < self._words:
            if at in self.links:
                return at
            at += step
        return None


def in_order(first: Sequence[int], second: Sequence[int], distance: Callable[[int, int], float]) -> list[Link]:
    """As many pairs as the shorter list has, none crossing another, with the least sum of distances."""
    if len(first) > len(second):
        return [(a, b) for b, a in in_order(second, first, lambda b, a: distance(a, b))]
    best: list[tuple[float, tuple[Link, ...]]] = [(0.0, ())] * (len(second) + 1)  # by how many of `second` are passed
    for count, a in enumerate(first, start=1):
        before, best = best, [(float("inf"), ())] * count
        for passed in range(count, len(second) - len(first) + count + 1):
            b = second[passed - 1]
            cost, pairs = before[passed - 1]
            taken = (cost + distance(a, b), (*pairs, (a, b)))
            best.append(min(best[-1], taken, key=lambda entry: entry[0]))
        best += [best[-1]] * (len(second) + 1 - len(best))
    return list(best[-1][1])
