"""AnnotatorAgreement of two annotators: scores, chance-corrected, and the words to adjudicate."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panparser.annotate.document import Document
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.errors import AnnotationError

_FIELDS = ("head", "label", "upos", "feats", "lemma")


@dataclass
class AnnotatorAgreement:
    """What two annotators' files have in common, of the sentences with the same key; as far as both decided.

    `kappa`: Cohen's, of labels of words to which both gave the same head. `disagreements`: sentence (in the first
    file), key, word, form, field, and what each of the two has.
    """

    sentences: int = 0
    only_first: int = 0  # sentences
    only_second: int = 0
    words: int = 0  # with heads in both
    heads: int = 0  # the same
    labeled: int = 0  # heads and labels the same
    tags: int = 0  # UPOS the same, of those that both have
    tagged: int = 0
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)  # of words with the same head
    disagreements: list[dict[str, Any]] = field(default_factory=list)

    @property
    def uas(self) -> float | None:
        return 100 * self.heads / self.words if self.words else None

    @property
    def las(self) -> float | None:
        return 100 * self.labeled / self.words if self.words else None

    @property
    def kappa(self) -> float | None:
        total = sum(self.labels.values())
        if not total:
            return None
        first, second = Counter[str](), Counter[str]()
        for (one, other), count in self.labels.items():
            first[one] += count
            second[other] += count
        agreed = sum(count for (one, other), count in self.labels.items() if one == other) / total
        chance = sum(first[label] * second[label] for label in first) / total**2
        return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)

    def to_value(self) -> dict[str, Any]:
        counts = ("sentences", "only_first", "only_second", "words", "heads", "labeled", "tagged", "tags")
        scores = {name: getattr(self, name) for name in ("uas", "las", "kappa")}
        rounded = {name: None if value is None else round(value, 4) for name, value in scores.items()}
        return {name: getattr(self, name) for name in counts} | rounded | {"disagreements": self.disagreements}


def measure_agreement(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> AnnotatorAgreement:
    """Compares two files, sentence by sentence, by sent_id and forms. Raises AnnotationError if none is in both."""
    one, other = Document.open(Path(first)), Document.open(Path(second))
    places, found = other.keys(), AnnotatorAgreement()
    matched = 0
    for key, index in one.keys().items():
        if key not in places:
            found.only_first += 1
            continue
        matched += 1
        _compare(index, key, one.draft(index), other.draft(places[key]), found)
    found.sentences, found.only_second = matched, len(places) - matched
    if not matched:
        raise AnnotationError(f"{first} and {second}: have no sentence in common, by sent_id and forms")
    return found


def _compare(index: int, key: str, one: SentenceDraft, other: SentenceDraft, found: AnnotatorAgreement) -> None:
    for number, (own, theirs) in enumerate(zip(one.words, other.words, strict=True), start=1):
        if own.head is not None and theirs.head is not None:
            found.words += 1
            if own.head == theirs.head:
                found.heads += 1
                if own.label is not None and theirs.label is not None:
                    found.labels[own.label, theirs.label] += 1
                    found.labeled += own.label == theirs.label
        if own.upos != "_" and theirs.upos != "_":
            found.tagged += 1
            found.tags += own.upos == theirs.upos
        for name in _FIELDS:
            values = getattr(own, name), getattr(theirs, name)
            if values[0] != values[1] and None not in values and "_" not in values:
                place = {"sentence": index, "key": key, "word": number, "form": own.form, "field": name}
                found.disagreements.append(place | {"first": values[0], "second": values[1]})
