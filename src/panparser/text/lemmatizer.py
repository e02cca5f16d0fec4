"""Lemmatizer: each word gets an edit script, chosen by a classifier from its form, its tags and its neighbours.

A word that was seen with its part of speech gets one of the scripts that it had. For others, the ends of the words that
scripts were seen with say which ones are possible.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.errors import TextError
from panparser.listeners import Listener
from panparser.sequence_training import train_sequences
from panparser.sequences import Allowed, Items, SequenceModel, Window
from panparser.templates import Templates
from panparser.text.edit_scripts import apply, script
from panparser.treebank import Treebank

Ints = npt.NDArray[np.int64]
Key = tuple[str, str]  # a form and its part of speech
_OTHER_CASE = {"l": "k", "k": "l"}
_LONGEST = 4  # characters of an end that says which scripts are possible
_ENOUGH = 3  # different words that an end must have been seen in
_PRODUCTIVE = 3  # words that a script must have been seen with, to be possible for others
_TEMPLATES = """
upos | xpos | feats | own upos | own xpos | own feats | shape upos | shape xpos | shape
lower_suffix[1] xpos | lower_suffix[2] xpos | lower_suffix[3] xpos | lower_suffix[4] xpos | lower_suffix[5] xpos
lower_suffix[1] feats | lower_suffix[2] feats | lower_suffix[3] feats | lower_suffix[4] feats | lower_suffix[5] feats
lower_suffix[2] upos | lower_suffix[3] upos | lower_suffix[4] upos | lower_suffix[5] upos | lower_suffix[6] upos
lower_suffix[3] | lower_suffix[4] | lower_prefix[2] upos | lower_prefix[3] upos | lower_prefix[4] upos
lower_prefix[2] lower_suffix[3] upos | shape lower_suffix[2] upos | shape lower_suffix[1] feats
hint | hint upos | hint other upos | hint feats | hint lower_suffix[2] upos | hint lower_suffix[3] upos | hint other shape
"""
_CONTEXT = "W-1.upos W0.upos\nW0.upos W1.upos\nW-1.lower W0.own\nW0.own W1.lower\nW-1.upos W0.own W1.upos\nW-1.upos W0.lower_suffix[3] W0.upos"


def _window() -> Window:
    lines = [template.split() for line in _TEMPLATES.strip().splitlines() for template in line.split("|")]
    words = [" ".join(f"W0.{word}" for word in template) for template in lines]
    return Window(templates=Templates.parse("\n".join([*words, _CONTEXT])), columns=("own", "hint", "other"))


@dataclass
class Lemmatizer:
    """Writes lemmas; `train_lemmatizer` makes one.

    `scripts` are the classes. `known` gives the scripts of a form with its part of speech, `ends` those of the last
    characters of a form in lower case.
    """

    model: SequenceModel
    scripts: Scripts
    known: dict[Key, tuple[int, ...]]
    ends: dict[str, tuple[int, ...]]
    _lemmas: dict[Key, str | None] = field(init=False, repr=False, compare=False)
    _sets: dict[Key, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._lemmas = _lemmas(self.known, self.scripts)

    def annotate(self, treebank: Treebank, *, threads: int = 1) -> None:
        """Writes the lemma of every word, by its form and tags."""
        treebank.column("lemma")[:] = self.predict(treebank, threads=threads)

    def predict(self, treebank: Treebank, *, threads: int = 1) -> npt.NDArray[np.int32]:
        """The lemma of every word, as ids of the treebank's vocabulary."""
        if not treebank.words:
            return np.empty(0, dtype=np.int32)
        pair, forms, tags = _pairs(treebank)
        sets = [self.possible(form, tag) for form, tag in zip(forms, tags, strict=True)]
        columns = _columns(forms, tags, sets, self.known, self._lemmas, self.scripts)
        items = Items.of(treebank, {name: column[pair] for name, column in columns.items()}, allowed=_allowed(sets, pair))
        chosen = self.model.predict(items, threads=threads)
        # A lemma for each different pair of a form and a script.
        found, where = np.unique(pair * len(self.scripts) + chosen, return_inverse=True)
        numbers = zip((found // len(self.scripts)).tolist(), (found % len(self.scripts)).tolist(), strict=True)
        ids = [treebank.id_of("lemma", self._lemma(forms[p], self.scripts[s])) for p, s in numbers]
        return np.array(ids, dtype=np.int32)[where]

    def possible(self, form: str, tag: str) -> tuple[int, ...]:
        """The scripts that a word may have."""
        key = (form, tag)
        if key not in self._sets:
            if len(self._sets) > 1 << 18:
                self._sets.clear()
            self._sets[key] = self.known.get(key) or self._by_end(form)
        return self._sets[key]

    def _by_end(self, form: str) -> tuple[int, ...]:
        return possible_by_end(form, self.ends, self.scripts)

    def _lemma(self, form: str, script: str) -> str:
        lemma = apply(script, form)
        return form if lemma is None or not lemma.strip(" ") else lemma.strip(" ")


class Scripts(list[str]):
    """Edit scripts by number, most frequent first, and the number of each."""

    def __init__(self, texts: Iterable[str]) -> None:
        super().__init__(texts)
        self.numbers = {text: number for number, text in enumerate(self)}

    def in_other_case(self, number: int) -> int:
        """The script that keeps the case where this one lowers it, and the other way round; itself if there is none."""
        text = self[number]
        return self.numbers.get(_OTHER_CASE.get(text[0], text[0]) + text[1:], number)


def possible_by_end(form: str, ends: Mapping[str, tuple[int, ...]], scripts: Scripts) -> tuple[int, ...]:
    """The scripts of the longest end of a form that is known, of those that apply; the first one if none does.

    Of a form with capitals they may keep its case or lower it, however words with that end did.
    """
    lower = form.lower()
    for length in range(min(len(lower), _LONGEST), -1, -1):
        chosen = ends.get(lower[len(lower) - length :], ())
        if form != lower:
            chosen = tuple(sorted({*chosen, *map(scripts.in_other_case, chosen)}))
        if fitting := tuple(s for s in chosen if apply(scripts[s], form) is not None):
            return fitting
    return (0,)


def _pairs(treebank: Treebank) -> tuple[Ints, list[str], list[str]]:
    """For each word the number of its form and part of speech; the forms and the tags of these numbers."""
    forms, tags = treebank.vocabulary("form"), treebank.vocabulary("upos")
    codes = treebank.column("form").astype(np.int64) * len(tags) + treebank.column("upos")
    found, pair = np.unique(codes, return_inverse=True)
    own = [forms[c] for c in (found // len(tags)).tolist()]
    return pair, own, [tags[c] for c in (found % len(tags)).tolist()]


def _allowed(sets: Sequence[tuple[int, ...]], pair: Ints) -> Allowed:
    numbers: dict[tuple[int, ...], int] = {}
    of_pair = np.array([numbers.setdefault(chosen, len(numbers)) for chosen in sets], dtype=np.int32)
    return Allowed(of_pair[pair], list(numbers))


def _lemmas(known: Mapping[Key, tuple[int, ...]], scripts: Sequence[str]) -> dict[Key, str | None]:
    """Lemmas with their part of speech: the form that has it, or None if several have it."""
    found: dict[Key, str | None] = {}
    for (form, tag), of in known.items():
        for s in of:
            key = (apply(scripts[s], form) or form, tag)
            found[key] = form if found.get(key, form) == form else None
    return found


def _columns(
    forms: Sequence[str],
    tags: Sequence[str],
    sets: Sequence[tuple[int, ...]],
    known: Mapping[Key, tuple[int, ...]],
    lemmas: Mapping[Key, str | None],
    scripts: Sequence[str],
) -> dict[str, npt.NDArray[np.int32]]:
    """What is seen of a form with its part of speech beside the treebank's own columns.

    `own`: a number for forms that have several lemmas; others are to be known by what they look like. `hint`, `other`: the
    first scripts that give a lemma which another form has.
    """
    found: dict[str, list[int]] = {"own": [], "hint": [], "other": []}
    for form, tag, chosen in zip(forms, tags, sets, strict=True):
        several = len(known.get((form, tag), ())) > 1
        found["own"].append(zlib.crc32(form.encode()) >> 1 if several else -1)
        hints = []
        for s in chosen if len(chosen) > 1 else ():
            lemma = apply(scripts[s], form)
            if lemma is not None and lemmas.get((lemma, tag), form) != form:
                hints.append(s)
                if len(hints) == 2:
                    break
        hints += [-1] * (2 - len(hints))
        found["hint"].append(hints[0])
        found["other"].append(hints[1])
    return {name: np.array(numbers, dtype=np.int32) for name, numbers in found.items()}


def train_lemmatizer(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    epochs: int = 8,
    seed: int = 1,
    listeners: Sequence[Listener] = (),
) -> Lemmatizer:
    """A lemmatizer from a treebank's forms, tags and lemmas; with `dev`, of all epochs the one that does best there.

    Where the treebank has predicted tags, the lemmatizer learns to live with them.
    """
    if not treebank.words:
        raise TextError(f"{treebank.path}: expected sentences to learn from, found none")
    pair, forms, tags = _pairs(treebank)
    texts, counts = _scripts(treebank)
    scripts = Scripts(text for text, _ in counts.most_common())
    right = np.array([scripts.numbers[text] for text in texts], dtype=np.int32)
    seen: dict[int, Counter[int]] = defaultdict(Counter)
    for p, s in zip(pair.tolist(), right.tolist(), strict=True):
        seen[p][s] += 1
    known = {(forms[p], tags[p]): tuple(sorted(of)) for p, of in seen.items()}
    ends = _ends([(forms[p], of) for p, of in seen.items()])
    # Words are learned as if they were new: by their ends, and not by what they were seen with.
    sets = [possible_by_end(form, ends, scripts) for form in forms]
    sets = [tuple(sorted({*chosen, *seen[p]})) for p, chosen in enumerate(sets)]
    options: dict[str, Any] = {"epochs": epochs, "seed": seed, "listeners": listeners}
    columns = _columns(forms, tags, sets, known, _lemmas(known, scripts), scripts)
    items = Items.of(treebank, {name: column[pair] for name, column in columns.items()}, allowed=_allowed(sets, pair))
    model = train_sequences(_window(), items, right, len(scripts), **options)
    return Lemmatizer(model, scripts, known, ends)


def _scripts(treebank: Treebank) -> tuple[list[str], Counter[str]]:
    """The script of each word, and how often each script is."""
    forms, lemmas = treebank.vocabulary("form"), treebank.vocabulary("lemma")
    made: dict[tuple[int, int], str] = {}
    texts = []
    for form, lemma in zip(treebank.column("form").tolist(), treebank.column("lemma").tolist(), strict=True):
        if (form, lemma) not in made:
            made[form, lemma] = script(forms[form], lemmas[lemma])
        texts.append(made[form, lemma])
    return texts, Counter(texts)


def _ends(words: Sequence[tuple[str, Counter[int]]]) -> dict[str, tuple[int, ...]]:
    """The scripts that words with an end were seen with, for ends of several words; scripts of several words alone."""
    uses = Counter(s for _, of in words for s in of)
    found: dict[str, set[int]] = defaultdict(set)
    count: Counter[str] = Counter()
    for form, scripts in words:
        lower = form.lower()
        for length in range(min(len(lower), _LONGEST) + 1):
            end = lower[len(lower) - length :]
            found[end] |= {s for s in scripts if uses[s] >= _PRODUCTIVE}
            count[end] += 1
    return {end: tuple(sorted(scripts)) for end, scripts in found.items() if scripts and (count[end] >= _ENOUGH or not end)}
