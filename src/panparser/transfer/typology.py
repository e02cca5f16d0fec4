"""Typology: where a language puts its dependents, and whether it has articles; with the source of each statement."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.checks import check_count, is_number
from panparser.base.kinds import check, read_values, short_repr, text
from panparser.errors import SpecError, TreebankError
from panparser.storage.toml_text import to_toml
from panparser.transfer.dependents import (
    ABSENT,
    AFTER,
    BEFORE,
    BOTH,
    CLASSES,
    NAMES,
    PRESENT,
    Dependents,
    Value,
    classes_of,
)
from panparser.transfer.wals import find_language, majority
from panparser.treebank.treebank import Treebank

_WORDS = {"before": BEFORE, "after": AFTER, "both": BOTH}
_NOUNS = 5  # times `min_count`: so many nouns tell whether there are articles
_FEW = 0.01  # of nouns that have an article: fewer are errors


@dataclass(frozen=True)
class TypologicalFeature:
    """What is said of one class of dependents: `value` is the share before their heads, "present" or "absent"."""

    name: str
    value: Value
    source: str  # where that comes from

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            near = get_close_matches(str(self.name), NAMES, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(NAMES)}"
            raise SpecError(f"{self.name}: is unknown; {hint}")
        object.__setattr__(self, "value", _value(CLASSES[NAMES.index(self.name)], self.value))

    @property
    def in_words(self) -> str:
        """The value: before, after, both, 70 % before, present, absent."""
        if isinstance(self.value, str):
            return self.value
        return next((word for word, share in _WORDS.items() if share == self.value), f"{100 * self.value:.0f} % before")


@dataclass(frozen=True)
class Typology:
    """What is known of the word order and the articles of a language, from WALS, by hand, or measured.

    `first | second` has the traits of both; where both say something, the second is right.
    """

    traits: tuple[TypologicalFeature, ...] = ()

    def __post_init__(self) -> None:
        names = [trait.name for trait in self.traits]
        if twice := [name for name in NAMES if names.count(name) > 1]:
            raise SpecError(f"Typology: traits must contain each class once; got {twice[0]} twice")
        object.__setattr__(self, "traits", tuple(sorted(self.traits, key=lambda trait: NAMES.index(trait.name))))

    def __or__(self, other: Typology) -> Typology:
        if not isinstance(other, Typology):
            return NotImplemented
        return Typology(tuple({trait.name: trait for trait in (*self.traits, *other.traits)}.values()))

    def __iter__(self) -> Iterator[TypologicalFeature]:
        return iter(self.traits)

    def __len__(self) -> int:
        return len(self.traits)

    def get(self, name: str) -> Value | None:
        """The value of a class; None if nothing is known of it."""
        return next((trait.value for trait in self.traits if trait.name == name), None)

    def __str__(self) -> str:
        return "\n".join(f"{trait.name}: {trait.in_words} ({trait.source})" for trait in self.traits)

    # --- Sources ---

    @classmethod
    def from_language(cls, language: str, *, related_language: str | None = None) -> Typology:
        """What WALS says of a language, by code (Universal Dependencies, WALS, ISO 639-3, Glottolog) or name.

        Where it says nothing, what it says of the `related_language`; then what three of four languages of the genus
        have, if it knows four or more. Raises SpecError, with near matches, for an unknown language.
        """
        own = find_language(language)
        relatives = find_language(related_language) if related_language is not None else ()
        traits = []
        for each in CLASSES:
            known = [(value, one) for one in (*own, *relatives) if (value := one.value(each)) is not None]
            if known:
                value, one = known[0]
                relative = "" if one in own else ", a relative"
                traits.append(TypologicalFeature(each.name, value, f"WALS {each.feature} of {one}{relative}"))
            elif found := majority(own[0].genus, each):
                value, agree, total = found
                traits.append(
                    TypologicalFeature(
                        each.name, value, f"WALS {each.feature} of {agree} of {total} {own[0].genus} languages"
                    )
                )
        return cls(tuple(traits))

    @classmethod
    def from_treebank(cls, treebank: Treebank, *, min_count: int = 20) -> Typology:
        """What the sentences of a treebank have, for classes of which they have at least `min_count` dependents.

        An article is present if more than one of a hundred nouns have one; it is absent if they have not, and the
        features that tell articles (Definite, PronType) are annotated. That takes five times as many nouns.
        """
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"Typology.of: treebank must be a Treebank; got {treebank!r}")
        check_count("Typology.from_treebank: min_count", min_count)
        treebank.check()
        classes, before = classes_of(treebank), stands_before_head(treebank)
        counts = np.bincount(classes + 1, minlength=len(CLASSES) + 1)[1:]
        sums = np.bincount(classes + 1, weights=before, minlength=len(CLASSES) + 1)[1:]
        nouns = int(_tagged(treebank, "NOUN").sum())
        traits = []
        for each, count, sum in zip(CLASSES, counts.tolist(), sums.tolist(), strict=True):
            if not each.is_article and count >= min_count:
                traits.append(TypologicalFeature(each.name, sum / count, f"{count:,} in {treebank.path}"))
            elif each.is_article and nouns >= _NOUNS * min_count and _has_articles_annotated(treebank):
                value = PRESENT if count > _FEW * nouns else ABSENT
                traits.append(TypologicalFeature(each.name, value, f"{count:,} of {nouns:,} nouns in {treebank.path}"))
        return cls(tuple(traits))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], source: str = "by hand") -> Typology:
        """What is said by hand: "before", "after", "both" or a share for an order; True or False for articles.

        False is also for demonstratives and subordinators that are no words of their own, but affixes.
        """
        return cls(tuple(TypologicalFeature(name, value, source) for name, value in values.items()))

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, language: str | None = None, related_language: str | None = None
    ) -> Typology:
        """A TOML file: values as in `from_values`, and above them `language = "br"` and `like = "cy"`, both optional.

        The values overrule what `from_language` knows of these languages; arguments stand in for those of the file.
        Raises SpecError with file, line, key, what was expected and what was found.
        """
        values = read_values(path, "TOML", SpecError)
        languages = {"language": language, "like": related_language}
        traits, source = [], Path(path).name
        for key, value in values.items():
            try:
                if key in languages:
                    name = check(value, text("a language", minimum=1), key, SpecError)
                    languages[key] = languages[key] or name
                    find_language(name)
                else:
                    traits.append(TypologicalFeature(key, value, source))
            except SpecError as error:
                raise SpecError(f"{os.fspath(path)}{_line(path, key)}: {error}") from None
        return cls.combine_sources(languages["language"], languages["like"]) | cls(tuple(traits))

    @classmethod
    def combine_sources(cls, language: str | None = None, related_language: str | None = None) -> Typology:
        """As `from_language`; of the relative alone, or nothing, if no language is named."""
        if language is None:
            return cls() if related_language is None else cls.from_language(related_language)
        return cls.from_language(language, related_language=related_language)

    def to_values(self, digits: int | None = None) -> dict[str, Any]:
        """Plain values, as `from_values` takes them; shares with so many digits, or all of them."""
        words: dict[Any, Any] = {PRESENT: True, ABSENT: False} | {share: word for word, share in _WORDS.items()}
        found = {}
        for each in self:
            value = round(each.value, digits) if isinstance(each.value, float) and digits is not None else each.value
            found[each.name] = words.get(value, value)
        return found

    def to_toml(self) -> str:
        """The values, as `read` reads them; shares with four digits."""
        return to_toml(self.to_values(4))


def _value(of: Dependents, value: object) -> Value:
    """A valid value of a class. Raises SpecError otherwise."""
    if isinstance(value, bool):
        value = PRESENT if value else ABSENT
    if value in (PRESENT, ABSENT) and (of.is_article or (value == ABSENT and of.may_be_absent)):
        return value
    if not of.is_article:
        if isinstance(value, str) and value in _WORDS:
            return _WORDS[value]
        if is_number(value) and 0 <= value <= 1:
            return float(value)
    expected = "true or false" if of.is_article else '"before", "after", "both" or a share in [0, 1]'
    more = ", or false" if of.may_be_absent and not of.is_article else ""
    raise SpecError(f"{of.name}: expected {expected}{more}, found {short_repr(value)}")


def _line(path: str | os.PathLike[str], key: str) -> str:
    """`:3`, if a key begins the third line of a file."""
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    begins = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]|\s*\[+\s*{re.escape(key)}\b""")
    return next((f":{number}" for number, line in enumerate(lines, start=1) if begins.match(line)), "")


def _tagged(treebank: Treebank, tag: str) -> npt.NDArray[np.bool_]:
    return np.array([each == tag for each in treebank.vocabulary("upos")])[treebank.column("upos")]


def _has_articles_annotated(treebank: Treebank) -> bool:
    """Have most determiners the features that tell articles from others? If there are none, they have."""
    cells = np.array(["Definite=" in cell or "PronType=" in cell for cell in treebank.vocabulary("feats")])
    determiners = treebank.column("feats")[_tagged(treebank, "DET")]
    return bool(cells[determiners].sum() * 2 >= len(determiners))


def stands_before_head(treebank: Treebank) -> npt.NDArray[np.bool_]:
    """For each word, does its head come after it?"""
    ids = np.arange(treebank.words) - treebank.offsets[treebank.sentence_of_word()] + 1
    return np.asarray(treebank.heads > ids)
