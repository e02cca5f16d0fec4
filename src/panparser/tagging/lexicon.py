"""Lexicon: words and their possible tags, from word lists, glosses or projected tags."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from panparser.base.caching import cached_property
from panparser.base.checks import MAX_INT, Interval, check_count, check_number
from panparser.base.types import IntArray
from panparser.errors import SpecError, TreebankError
from panparser.features.templates import Templates
from panparser.storage.atomic import write_whole
from panparser.tagging.tag_dictionary import LEXICON_COLUMNS
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import UPOS

TEMPLATES = """
W0.lexicon
W-1.lexicon
W1.lexicon
W-1.lexicon W0.lexicon
W0.lexicon W1.lexicon
T-1 W0.lexicon
W0.ending
W-1.ending
W1.ending
T-1 W0.ending
"""
_TREEBANKS = (".conllu", ".conllx", ".conll")
_MAX_ENDING_LETTERS = 5  # letters of an ending
_MIN_ENDING_WORDS = 2  # other words that an ending must have to tell anything
_MIN_TAG_SHARE = 0.8  # share of them with the same tag, that is next to all
_TAGS = tuple(sorted(UPOS))
_MAX_LISTED_CHARS = 40  # characters of a line in a message


@dataclass(frozen=True)
class Lexicon:
    """Words, and the tags (UPOS) that each may have.

    A tagger that learns with a lexicon gives these words no other tag, and knows of all words which tags other words of
    the lexicon with the same ending have. A word that is not in it is looked up in lower case.
    `first | second` has the words of both, with the tags of both.
    """

    tags: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        if not isinstance(self.tags, Mapping):
            raise SpecError(f"Lexicon: tags must be tags by word; got {self.tags!r}")
        found = {}
        for word, tags in self.tags.items():
            given = (tags,) if isinstance(tags, str) else tuple(tags)
            if not isinstance(word, str) or not word or not given or not set(given) <= UPOS:
                raise SpecError(f"Lexicon: tags must be universal tags by word, such as NOUN; got {word!r}: {tags!r}")
            found[word] = tuple(sorted(set(given)))
        object.__setattr__(self, "tags", dict(sorted(found.items())))

    def __len__(self) -> int:
        return len(self.tags)

    def __or__(self, other: Lexicon) -> Lexicon:
        if not isinstance(other, Lexicon):
            return NotImplemented
        both = {word: (*self.tags.get(word, ()), *other.tags.get(word, ())) for word in {**self.tags, **other.tags}}
        return Lexicon(both)

    def __repr__(self) -> str:
        return f"<Lexicon of {len(self):,} words>"

    def find_entry(self, form: str) -> str | None:
        """The word that a form is found under: itself, or in lower case."""
        return form if form in self.tags else lower if (lower := form.lower()) in self.tags else None

    def get(self, form: str) -> tuple[str, ...]:
        """The tags that a form may have; none if it is not there."""
        entry = self.find_entry(form)
        return () if entry is None else self.tags[entry]

    @property
    def all_tags(self) -> set[str]:
        """The tags that any word may have."""
        return {tag for tags in self._sets for tag in tags}

    # --- Sources ---

    @classmethod
    def read(cls, *paths: str | os.PathLike[str]) -> Lexicon:
        """The words of files: a line for each, with a tab between word and tag, or tags with commas between them.

        A word may have several lines; those that begin with `#` and have no tab are comments. Of a treebank (.conllu),
        the words and tags are taken, as `Lexicon.from_treebank` does. Raises SpecError with file, line, what was
        expected and what was found.
        """
        found = cls({})
        for path in paths:
            is_treebank = Path(path).suffix.lower() in _TREEBANKS
            found |= cls.from_treebank(read_conllu(path)) if is_treebank else cls._read_lines(path)
        return found

    @classmethod
    def _read_lines(cls, path: str | os.PathLike[str]) -> Lexicon:
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise SpecError(f"{os.fspath(path)}: expected a word list in UTF-8") from None
        except OSError as error:
            raise SpecError(f"{os.fspath(path)}: cannot be read: {error.strerror or error}") from None
        found: dict[str, tuple[str, ...]] = {}
        for number, line in enumerate(text.split("\n"), start=1):
            plain = line.rstrip("\r")
            if not plain.strip() or ("\t" not in plain and plain.startswith("#")):
                continue
            word, _, rest = (cell.strip() for cell in plain.partition("\t"))
            tags = tuple(tag.strip() for tag in rest.split("\t")[0].split(","))
            if not word or not set(tags) <= UPOS:
                expected = "a word, a tab and its universal tags, such as `house<tab>NOUN,VERB`"
                raise SpecError(f"{os.fspath(path)}:{number}: expected {expected}, found {plain[:_MAX_LISTED_CHARS]!r}")
            found[word] = (*found.get(word, ()), *tags)
        if not found:
            raise SpecError(f"{os.fspath(path)}: expected a word list, found no words")
        return cls(found)

    @classmethod
    def from_treebank(cls, treebank: Treebank, *, min_count: int = 1, min_share: float = 0.1) -> Lexicon:
        """The words of a treebank that occur with tags at least `min_count` times, and their tags.

        Tags that less than the share `min_share` of a word's occurrences have are errors, more often than not, if they
        were projected, or come from glosses: they are left out.
        """
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"Lexicon.from_treebank: treebank must be a Treebank; got {treebank!r}")
        check_count("Lexicon.from_treebank: min_count", min_count, maximum=MAX_INT)
        check_number("Lexicon.from_treebank: min_share", min_share, Interval(0, 0.5, "[)"))
        counts: dict[str, Counter[str]] = {}
        for word, tag in _tagged(treebank):
            counts.setdefault(word, Counter())[tag] += 1
        kept = {word: own for word, own in counts.items() if own.total() >= min_count}
        return cls(
            {word: tuple(tag for tag in own if own[tag] >= min_share * own.total()) for word, own in kept.items()}
        )

    def with_tags_from(self, treebank: Treebank) -> Lexicon:
        """The same words, with the tags as well that they have in a treebank."""
        more: dict[str, tuple[str, ...]] = {}
        for form, tag in dict.fromkeys(_tagged(treebank)):
            if (entry := self.find_entry(form)) is not None:
                more[entry] = (*more.get(entry, ()), tag)
        return self | Lexicon(more)

    # --- Features ---

    def columns(self, treebank: Treebank) -> dict[str, IntArray]:
        """For each word of a treebank, a number for the tags that it may have, and one for what its ending tells."""
        forms, words = treebank.vocabulary("form"), treebank.column("form")
        sets = [self._sets.get(self.get(form), 0) for form in forms]
        endings = [self.predict_from_ending(form) for form in forms]
        numbers = [0 if found is None else 1 + 2 * _TAGS.index(found[0]) + found[1] for found in endings]
        return {
            name: np.array(values, dtype=np.int32)[words]
            for name, values in zip(LEXICON_COLUMNS, (sets, numbers), strict=True)
        }

    @cached_property
    def _sets(self) -> dict[tuple[str, ...], int]:
        """Numbers of the sets of tags that words have, from 1 on."""
        return {tags: number for number, tags in enumerate(sorted(set(self.tags.values())), start=1)}

    @cached_property
    def _endings(self) -> dict[str, Counter[str]]:
        counts: dict[str, Counter[str]] = {}
        for word, tags in self.tags.items():
            for ending in _endings(word):
                counts.setdefault(ending, Counter()).update(tags)
        return counts

    def predict_from_ending(self, form: str) -> tuple[str, bool] | None:
        """The tag of most other words with the same ending, the longest that two of them have, and if next to all do.

        None if there are no such words.
        """
        entry = self.find_entry(form)
        own = () if entry is None else self.tags[entry]
        for ending in _endings(form):
            known = self._endings.get(ending)
            if known is None:
                continue
            others = {tag: count - (tag in own) for tag, count in known.items()}
            total = sum(others.values())
            if total >= _MIN_ENDING_WORDS:
                best = min(others, key=lambda tag: (-others[tag], tag))
                return best, others[best] >= _MIN_TAG_SHARE * total
        return None

    # --- Files ---

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the list, as `read` reads it."""
        lines = "".join(f"{word}\t{','.join(tags)}\n" for word, tags in self.tags.items())
        write_whole(Path(path), lines.encode(), SpecError)

    def to_values(self) -> list[list[Any]]:
        """Plain values: what a model file holds."""
        words: dict[tuple[str, ...], list[str]] = {}
        for word, tags in self.tags.items():
            words.setdefault(tags, []).append(word)
        return [[list(tags), found] for tags, found in sorted(words.items())]

    @classmethod
    def from_values(cls, values: Iterable[list[Any]]) -> Lexicon:
        return cls({word: tuple(tags) for tags, words in values for word in words})


def lexicon_templates(templates: Templates, first: str) -> Templates:
    """The templates, and those that read a lexicon, unless some do; `first` is the tag before, or its first part."""
    if any(atom.name in LEXICON_COLUMNS for atom in templates.atoms):
        return templates
    return templates + Templates.parse(TEMPLATES.replace("T-1", first))


def _tagged(treebank: Treebank) -> Iterator[tuple[str, str]]:
    """The form and the tag of each word that has a universal one."""
    forms, tags = treebank.vocabulary("form"), treebank.vocabulary("upos")
    pairs = zip(treebank.column("form").tolist(), treebank.column("upos").tolist(), strict=True)
    return ((forms[form], tags[tag]) for form, tag in pairs if tags[tag] in UPOS)


def _endings(word: str) -> list[str]:
    """The endings of a word, longest first, each at least a letter shorter than the word."""
    lower = word.lower()
    return [lower[-length:] for length in range(min(_MAX_ENDING_LETTERS, len(lower) - 1), 0, -1)]
