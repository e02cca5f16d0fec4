"""Multiword tokens: rules, learned from a treebank, for the words of a token.

A known form is split as it most often was. Others follow the longest affix with a rule: *dimelo* ends like *damelo*.
The rule of an affix was counted over the distinct forms that have it, including those that are not split.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, cast

from panparser.base.caching import cached_property
from panparser.base.kinds import COUNT, TEXT, ListOf, Nullable, Row, Table, check, one_of
from panparser.errors import ModelError
from panparser.text.characters import is_trimmed
from panparser.treebank.treebank import Treebank

Words = tuple[str, ...]
_Analysis = tuple[Words | None, Words | None]  # what a form is split into, and what it may be split into
_AFFIXES = ListOf(Row(one_of("suffix", "prefix"), TEXT, Nullable(Row(COUNT, TEXT, ListOf(TEXT, minimum=1)))))
_SEVERAL = ListOf(TEXT, minimum=2)
RULES = Table(
    {
        "forms": ListOf(Row(TEXT, Nullable(_SEVERAL))),
        "affixes": _AFFIXES,
        "ambiguous": ListOf(Row(TEXT, _SEVERAL)),
        "doubtful": _AFFIXES,
    }
)  # of a manifest
_FOLDS = 5
_CACHE_SIZE = 1 << 18  # forms whose words are cached
_MAX_AFFIX = 24  # characters
_CONTEXT = 4  # characters of the stem that a rule may see
_SURE = (2, 0.75)  # distinct forms that an affix must have been seen in, share of them that one rule must split
_DOUBTFUL = (1, 0.3)  # the same, for affixes that a classifier is asked about


@dataclass(frozen=True)
class Rule:
    """Removes `taken` characters from one end of a form, and puts the rest, with `added`, beside the words `others`.

    At the end ("suffix"), the stem is the first word; at the start ("prefix"), the last one.
    """

    end: str
    taken: int
    added: str
    others: Words

    def apply(self, form: str) -> Words | None:
        """The words of a form; None if its stem would be empty or have white space at an edge."""
        if len(form) <= self.taken:
            return None
        is_suffix = self.end == "suffix"
        stem = form[: len(form) - self.taken] + self.added if is_suffix else self.added + form[self.taken :]
        if not is_trimmed(stem):
            return None
        return (stem, *self.others) if is_suffix else (*self.others, stem)


class Affixes(dict[tuple[str, str], Rule | None]):
    """Rules by the end of a form and the characters there; None where forms are one word."""

    @cached_property
    def longest(self) -> int:
        return max((len(affix) for _, affix in self), default=0)


def rules_of(form: str, words: Words) -> list[Rule]:
    """The rules that split a form this way: one at its end, one at its start, if the stem is part of the form."""
    found = []
    common = _common(form, words[0])
    if 0 < common < len(form):
        found.append(Rule("suffix", len(form) - common, words[0][common:], words[1:]))
    common = _common(form[::-1], words[-1][::-1])
    if 0 < common < len(form):
        found.append(Rule("prefix", len(form) - common, words[-1][: len(words[-1]) - common], words[:-1]))
    return found


def _common(first: str, second: str) -> int:
    length = 0
    while length < min(len(first), len(second)) and first[length] == second[length]:
        length += 1
    return length


@dataclass
class MultiwordRules:
    """Which tokens are several words, and which words they are; made by `MultiwordRules.learn`.

    `forms` maps forms in lower case to their words, or to None if they mostly are one word; `affixes` maps an end and
    the characters there to a rule. `ambiguous` are the forms that were seen both ways; `doubtful` are less reliable
    affixes, used only by a classifier that sees the neighboring tokens (`alternative`).
    """

    forms: dict[str, Words | None] = field(default_factory=dict)
    affixes: Affixes = field(default_factory=Affixes)
    ambiguous: dict[str, Words] = field(default_factory=dict)
    doubtful: Affixes = field(default_factory=Affixes)
    _known: dict[str, _Analysis] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def learn(cls, treebank: Treebank) -> MultiwordRules:
        """Rules from a treebank's ranges."""
        seen = _seen(surface_words(treebank))
        split = {form: counts for form, counts in seen.items() if any(words is not None for words in counts)}
        if not split:
            return cls()
        rules = cls(affixes=_affix_rules(seen, *_SURE), doubtful=_affix_rules(seen, *_DOUBTFUL))
        for form, counts in split.items():
            rules.forms[form] = counts.most_common(1)[0][0]
            best = next(words for words, _ in counts.most_common() if words is not None)
            if None in counts:
                rules.ambiguous[form] = best
        # A form that was seen unsplit needs an entry only if an affix would split it.
        for form in seen:
            if form not in split and any(_by_affix(form, table) for table in (rules.affixes, rules.doubtful)):
                rules.forms[form] = None
        return rules

    def split(self, form: str) -> Words | None:
        """The words that a token stands for, in the token's case; None if it is one word."""
        return self.analyses([form])[0][0]

    def splits(self, forms: Sequence[str]) -> list[Words | None]:
        """The words of many tokens."""
        return [split for split, _ in self.analyses(forms)]

    def _split(self, form: str) -> Words | None:
        lower = form.lower()
        words = self.forms[lower] if lower in self.forms else _by_affix(lower, self.affixes)
        return None if words is None else cased(form, words)

    def alternative(self, form: str) -> Words | None:
        """The words of a form that may be one word or several, in its case; None if there is no doubt.

        Such a form was seen both ways, or is unknown and has a doubtful affix.
        """
        return self.analyses([form])[0][1]

    def analyses(self, forms: Sequence[str]) -> list[_Analysis]:
        """`split` and `alternative` of many forms; what was found before is looked up."""
        if not self.forms:
            return [(None, None)] * len(forms)
        if len(self._known) > _CACHE_SIZE:
            self._known.clear()
        found = [self._known.get(form) for form in forms]
        for place in [place for place, analysis in enumerate(found) if analysis is None]:
            form = forms[place]
            found[place] = self._known[form] = (self._split(form), self._alternative(form))
        return cast("list[_Analysis]", found)

    def _alternative(self, form: str) -> Words | None:
        lower = form.lower()
        words = self.ambiguous.get(lower)
        if words is None and lower not in self.forms:
            words = _by_affix(lower, self.doubtful)
        return None if words is None else cased(form, words)

    # --- Plain values ---

    def to_values(self) -> dict[str, Any]:
        forms = [[form, None if words is None else list(words)] for form, words in self.forms.items()]
        return {
            "forms": forms,
            "affixes": _affix_values(self.affixes),
            "ambiguous": [[form, list(words)] for form, words in self.ambiguous.items()],
            "doubtful": _affix_values(self.doubtful),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> MultiwordRules:
        """The rules of a model file. Raises ModelError if they are invalid."""
        check(values, RULES, "multiword")
        return cls(
            {form: None if words is None else _words(words) for form, words in values["forms"]},
            _affixes(values["affixes"]),
            {form: _words(words) for form, words in values["ambiguous"]},
            _affixes(values["doubtful"]),
        )


def _seen(tokens: Iterable[tuple[str, Words | None]]) -> dict[str, Counter[Words | None]]:
    """For each form in lower case, how often it was one word (None) or several."""
    seen: dict[str, Counter[Words | None]] = defaultdict(Counter)
    for form, words in tokens:
        seen[form.lower()][None if words is None else _lowered(form, words)] += 1
    return seen


def alternatives_if_new(tokens: Iterable[tuple[str, Words | None]]) -> dict[str, Words]:
    """For lower-cased forms, the words that the other forms suggest for each: to learn from."""
    seen = _seen(tokens)
    fold = {form: zlib.crc32(form.encode()) % _FOLDS for form in seen}
    found = {}
    for number in range(_FOLDS):
        others = _affix_rules({form: ways for form, ways in seen.items() if fold[form] != number}, *_DOUBTFUL)
        for form in seen:
            if fold[form] == number and (words := _by_affix(form, others)) is not None:
                found[form] = words
    return found


def _by_affix(lower: str, affixes: Affixes) -> Words | None:
    """The words of a form, by the longest affix with a rule at its end, or else at its start."""
    for end in ("suffix", "prefix"):
        for length in range(min(len(lower) - 1, affixes.longest), 0, -1):
            affix = lower[-length:] if end == "suffix" else lower[:length]
            if (end, affix) in affixes:
                rule = affixes[end, affix]
                words = None if rule is None else rule.apply(lower)
                if words is not None:
                    return words
                break
    return None


def _affix_values(affixes: Affixes) -> list[Any]:
    return [
        [end, affix, None if rule is None else [rule.taken, rule.added, list(rule.others)]]
        for (end, affix), rule in affixes.items()
    ]


def _affixes(values: Sequence[Any]) -> Affixes:
    return Affixes(
        ((end, affix), None if rule is None else Rule(end, rule[0], rule[1], _words(rule[2])))
        for end, affix, rule in values
    )


def _words(values: Sequence[str]) -> Words:
    words = tuple(values)
    if not all(map(is_trimmed, words)):
        raise ModelError(f"multiword: expected words, found {words!r}")
    return words


def surface_words(treebank: Treebank) -> Iterable[tuple[str, Words | None]]:
    """Each token as written, with its words if it has several."""
    forms, ids = treebank.vocabulary("form"), treebank.column("form").tolist()
    for index, start in enumerate(treebank.offsets[:-1].tolist()):
        stop, at = int(treebank.offsets[index + 1]), start
        for first, last, line in treebank.extra_lines("ranges", index):
            yield from ((forms[ids[i]], None) for i in range(at, start + first - 1))
            at = start + last
            yield line.split("\t", 2)[1], tuple(forms[ids[i]] for i in range(start + first - 1, at))
        yield from ((forms[ids[i]], None) for i in range(at, stop))


def _affix_rules(seen: Mapping[str, Counter[Words | None]], least: int, share: float) -> Affixes:
    """The rule that most forms with an affix follow, or None; only affixes that differ from the next shorter one."""
    counts: dict[tuple[str, str], Counter[Rule | None]] = defaultdict(Counter)
    for form, ways in seen.items():
        words = ways.most_common(1)[0][0]
        for rule in [] if words is None else rules_of(form, words):
            for length in range(max(rule.taken, 1), min(rule.taken + _CONTEXT, len(form) - 1, _MAX_AFFIX) + 1):
                affix = (rule.end, form[-length:] if rule.end == "suffix" else form[:length])
                counts[affix][rule] += 1
    for form, ways in seen.items():
        if ways.most_common(1)[0][0] is None:
            for length in range(1, min(len(form) - 1, _MAX_AFFIX) + 1):
                for affix in (("suffix", form[-length:]), ("prefix", form[:length])):
                    if affix in counts:
                        counts[affix][None] += 1
    found = Affixes()
    for affix in sorted(counts, key=lambda affix: len(affix[1])):
        best, count = counts[affix].most_common(1)[0]
        total = counts[affix].total()
        if total < least:
            continue
        decided = best if count >= share * total else None
        if _inherited(found, affix) != decided:
            found[affix] = decided
    return found


def _inherited(found: Affixes, affix: tuple[str, str]) -> Rule | None:
    """The rule of the next shorter affix."""
    end, text = affix
    for length in range(len(text) - 1, 0, -1):
        shorter = (end, text[-length:] if end == "suffix" else text[:length])
        if shorter in found:
            return found[shorter]
    return None


# --- Case ---


def _lowered(form: str, words: Words) -> Words:
    """Words as for the lower-cased form; names keep their case if it does not come from the form."""
    return words if form == form.lower() else tuple(word.lower() for word in words)


def cased(form: str, words: Words) -> Words:
    """Lower-case words of a form, in the case of the form."""
    if form == form.lower():
        return words
    whole = "".join(words)
    if len(whole) == len(form) and whole.lower() == form.lower():  # the words are the form's own characters
        ends = list(accumulate(map(len, words)))
        return tuple(form[end - len(word) : end] for word, end in zip(words, ends, strict=True))
    if len(form) > 1 and form == form.upper():
        return tuple(word.upper() for word in words)
    start = _common(form.lower(), words[0].lower())
    if len(form.lower()) == len(form) and start:
        return (form[:start] + words[0][start:], *words[1:])
    return (words[0][:1].upper() + words[0][1:], *words[1:]) if form[:1] != form[:1].lower() else words
