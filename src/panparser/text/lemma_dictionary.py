"""LemmaDictionary: the possible edit scripts of a word, from its training occurrences or from its ending."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, cast

import numpy as np

from panparser import _engine
from panparser.base.types import IntArray, LongArray
from panparser.storage.containers import Arrays
from panparser.tagging.sequences import OTHER_CLASS, UNKNOWN, AllowedLabels, SequenceItems
from panparser.treebank.lemma_rules import apply, made_scripts
from panparser.treebank.treebank import Treebank

Key = tuple[str, str]  # a form and its part of speech
Choice = tuple[int, ...]  # scripts by number, in order
_Row = tuple[Choice, tuple[int, ...]]  # the scripts that a word may have, and its columns
_OTHER_CASE = {"l": "k", "k": "l"}
_LOWER = "l0,0,0:"  # the script of a lemma that is the lower-cased form: the most common one
_MAX_ENDING = 4  # characters
_MIN_WORDS = 3  # different words that an ending must have been seen in
_PRODUCTIVE = 3  # words that a script must have been seen with to be possible for others
_CACHE_SIZE = 1 << 16  # words whose scripts are cached: some tens of megabytes
_HINTS = 2


class Scripts(list[str]):
    """Edit scripts by number, most frequent first, and the number of each."""

    def __init__(self, texts: Iterable[str]) -> None:
        super().__init__(texts)
        self.numbers = {text: number for number, text in enumerate(self)}

    def in_other_case(self, number: int) -> int:
        """The script that keeps the case where this one lowers it, or vice versa; the same number if there is none."""
        text = self[number]
        return self.numbers.get(_OTHER_CASE.get(text[0], text[0]) + text[1:], number)


@dataclass
class LemmaDictionary:
    """`known`: the scripts of a form with its part of speech; `ends`: those of the last characters of forms."""

    scripts: Scripts
    known: dict[Key, Choice]
    ends: dict[str, Choice]
    _rows: dict[Key, _Row] = field(default_factory=dict, repr=False, compare=False)
    _lemmas: dict[str, dict[str, str | None]] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[tuple[str, int], str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def learn(cls, treebank: Treebank) -> LemmaDictionary:
        """Learns from a treebank's forms, parts of speech and lemmas."""
        pairs = Pairs.from_treebank(treebank)
        made = made_scripts(treebank)
        scripts = Scripts(text for text, _ in Counter(text for text in made if text is not None).most_common())
        seen: dict[int, set[int]] = defaultdict(set)
        for pair, text in zip(pairs.of_word.tolist(), made, strict=True):
            if text is not None:
                seen[pair].add(scripts.numbers[text])
        known = {key: tuple(sorted(seen[pair])) for pair, key in enumerate(pairs.keys) if pair in seen}
        return cls(scripts, known, _ends(known))

    def possible(self, key: Key) -> Choice:
        """The scripts that a word may have."""
        return self.known.get(key) or self.possible_by_end(key[0])

    def possible_by_end(self, form: str) -> Choice:
        """The applicable scripts of the longest known ending of a form; the first script if none applies.

        For a form with capitals, scripts that keep its case and scripts that lower it are both included.
        """
        lower = form.lower()
        for length in range(min(len(lower), _MAX_ENDING), -1, -1):
            chosen = self.ends.get(lower[len(lower) - length :], ())
            if form != lower:
                chosen = tuple(sorted({*chosen, *map(self.scripts.in_other_case, chosen)}))
            if fitting := tuple(s for s in chosen if apply(self.scripts[s], form) is not None):
                return fitting
        return (0,)

    def items(self, treebank: Treebank, *, as_new: bool = False) -> SequenceItems:
        """A treebank's words with their possible scripts; `as_new`: as if no word were known."""
        pairs = Pairs.from_treebank(treebank)
        rows = [self._row(key, as_new=True) for key in pairs.keys] if as_new else self._known_rows(pairs.keys)
        numbers: dict[Choice, int] = {}
        sets = [numbers.setdefault(choice, len(numbers)) for choice, _ in rows]
        table = np.array([columns for _, columns in rows], dtype=np.int32).reshape(-1, 1 + _HINTS)[pairs.of_word]
        columns = dict(zip(("own", "hint", "other"), table.T, strict=True))
        return SequenceItems.from_treebank(
            treebank, columns, allowed=AllowedLabels(np.array(sets, dtype=np.int32)[pairs.of_word], list(numbers))
        )

    def _known_rows(self, keys: Sequence[Key]) -> list[_Row]:
        """What is known of words; what was found before is looked up."""
        if len(self._rows) > _CACHE_SIZE:
            self._rows.clear()
        found = [self._rows.get(key) for key in keys]
        for place in [place for place, row in enumerate(found) if row is None]:
            found[place] = self._rows[keys[place]] = self._row(keys[place])
        return cast("list[_Row]", found)

    def _row(self, key: Key, *, as_new: bool = False) -> _Row:
        """The scripts that a word may have, and its columns in addition to those of the treebank.

        `own`: a number for forms with several lemmas; other forms are seen only by their shape and affixes. `hint`,
        `other`: the first scripts whose lemma is also that of another form.
        """
        choice = self.possible(key)
        if as_new:
            choice = tuple(sorted({*choice, *self.possible_by_end(key[0])}))
        own = zlib.crc32(key[0].encode()) >> 1 if len(self.known.get(key, ())) > 1 else -1
        return choice, (own, *(self._hints(key, choice) if len(choice) > 1 else (-1,) * _HINTS))

    def lemmas(self, pairs: Sequence[tuple[str, int]]) -> list[str]:
        """The lemmas of forms by their scripts; the form where that is not a valid cell of a treebank."""
        if len(self._made) > _CACHE_SIZE:
            self._made.clear()
        found = [self._made.get(pair) for pair in pairs]
        for place in [place for place, lemma in enumerate(found) if lemma is None]:
            form, number = pairs[place]
            lemma = (apply(self.scripts[number], form) or "").strip(" ") or form
            found[place] = self._made[pairs[place]] = lemma
        return cast("list[str]", found)

    def _hints(self, key: Key, choice: Choice) -> list[int]:
        form, tag = key
        found: list[int] = []
        for number in choice:
            lemma = apply(self.scripts[number], form)
            if lemma is not None and self._lemmas_of(tag).get(lemma, form) != form:
                found.append(number)
                if len(found) == _HINTS:
                    break
        return found + [-1] * (_HINTS - len(found))

    def _lemmas_of(self, tag: str) -> dict[str, str | None]:
        """The lemmas of a part of speech: the form that has each, or None if several have it."""
        if tag in self._lemmas:
            return self._lemmas[tag]
        found: dict[str, str | None] = {}
        scripts, lower = self.scripts, self.scripts.numbers.get(_LOWER, -1)
        for form, choice in [(form, choice) for (form, other), choice in self.known.items() if other == tag]:
            for number in choice:
                lemma = form.lower() if number == lower else apply(scripts[number], form) or form
                found[lemma] = form if found.get(lemma, form) == form else None
        self._lemmas[tag] = found
        return found

    def gold_rows(self, treebank: Treebank) -> IntArray:
        """The number of each word's script; -1 if its lemma is unknown, -2 if its script is not in the list."""
        numbers, made = self.scripts.numbers, made_scripts(treebank)
        found = [UNKNOWN if text is None else numbers.get(text, OTHER_CLASS) for text in made]
        return np.array(found, dtype=np.int32)

    # --- Files ---

    def to_arrays(self) -> Arrays:
        """The known words: a text with a line for each part of speech and choice of scripts."""
        groups: dict[tuple[str, Choice], list[str]] = defaultdict(list)
        for (form, tag), choice in self.known.items():
            groups[tag, choice].append(form)
        lines = ["\t".join((tag, " ".join(map(str, choice)), *forms)) for (tag, choice), forms in groups.items()]
        return {"known": np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)}

    def to_values(self) -> dict[str, Any]:
        return {"scripts": [*self.scripts], "ends": [[end, *choice] for end, choice in self.ends.items()]}

    @classmethod
    def from_file(cls, arrays: Arrays, values: Mapping[str, Any]) -> LemmaDictionary:
        """Restores a stored dictionary. Raises ValueError, KeyError or TypeError if it is inconsistent."""
        scripts = Scripts(values["scripts"])
        ends = {str(end): tuple(choice) for end, *choice in values["ends"]}
        known: dict[Key, Choice] = {}
        used = {number for choice in ends.values() for number in choice}
        for line in arrays["known"].tobytes().decode().split("\n"):
            tag, numbers, *forms = line.split("\t")
            choice = tuple(map(int, numbers.split(" ")))
            known.update(dict.fromkeys(zip(forms, repeat(tag)), choice))
            used.update(choice)
        if not used <= set(range(len(scripts))) or not all(type(number) is int for number in used):
            raise ValueError("its dictionary refers to scripts that do not exist")
        for text in scripts:
            apply(text, "form")  # ValueError if it is not a script
        return cls(scripts, known, ends)


@dataclass(frozen=True)
class Pairs:
    """The distinct forms with their parts of speech in a treebank, and for each word the number of its pair."""

    keys: list[Key]
    of_word: LongArray

    @classmethod
    def from_treebank(cls, treebank: Treebank) -> Pairs:
        forms, tags = treebank.vocabulary("form"), treebank.vocabulary("upos")
        found, of_word = _engine.distinct(
            treebank.column("form").astype(np.int64) * len(tags) + treebank.column("upos")
        )
        return cls([(forms[code // len(tags)], tags[code % len(tags)]) for code in found.tolist()], of_word)


def _ends(known: Mapping[Key, Choice]) -> dict[str, Choice]:
    """The scripts by ending, for endings of several words; scripts seen with too few words are left out."""
    uses = Counter(number for choice in known.values() for number in choice)
    found: dict[str, set[int]] = defaultdict(set)
    count: Counter[str] = Counter()
    for (form, _), choice in known.items():
        lower = form.lower()
        for length in range(min(len(lower), _MAX_ENDING) + 1):
            end = lower[len(lower) - length :]
            found[end].update(number for number in choice if uses[number] >= _PRODUCTIVE)
            count[end] += 1
    several = {end for end in found if count[end] >= _MIN_WORDS or not end}
    return {end: tuple(sorted(found[end])) for end in sorted(several) if found[end]}
