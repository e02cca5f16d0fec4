"""What to annotate next, and which annotations are inconsistent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from panparser.annotate.completion import Completion
from panparser.annotate.document import Document
from panparser.annotate.edits import Label, Relabel
from panparser.annotate.journal import Part, part_of_cells
from panparser.annotate.sentence_draft import SentenceDraft, Word
from panparser.annotate.views import listed
from panparser.treebank.treebank import Treebank

BASE_CORRECTIONS = 2.0  # expected in every sentence, so that easy sentences do not get an unbounded score


@dataclass
class ActiveSelection:
    """Scores sentences for active learning: novelty divided by the expected number of corrections.

    `min_words`, `max_words`: limits of the sentence length. `diversity`: exponent by which features that already
    occurred lose novelty; 0 disables it. `cost_weight`: exponent of the expected corrections; 0 ignores them, which
    favors long and difficult sentences.
    """

    min_words: int = 3
    max_words: int = 60
    diversity: float = 0.5
    cost_weight: float = 1.0
    _feature_counts: Counter[str] = field(default_factory=Counter)

    def add_finished(self, words: Sequence[Word]) -> None:
        """Count the features of a finished sentence."""
        self._feature_counts.update(_novelty_features(words))

    def is_allowed(self, words: int) -> bool:
        """Return whether a sentence with this number of words may be selected."""
        return self.min_words <= words <= self.max_words

    def score(self, draft: SentenceDraft, completion: Completion) -> float:
        """Return the value of annotating a sentence; higher is better."""
        corrections = BASE_CORRECTIONS
        confidences = zip(draft.words, completion.head_confidence, completion.label_confidence, strict=True)
        for word, head_confidence, label_confidence in confidences:
            corrections += (1 - head_confidence) * (word.head is None) + (1 - label_confidence) * (word.label is None)
        features = _novelty_features(completion.words)
        novelty: float = sum((1 + self._feature_counts[feature]) ** -self.diversity for feature in features)
        return float(novelty / corrections**self.cost_weight)


def _novelty_features(words: Sequence[Word]) -> list[str]:
    """Return the tag bigrams and lowercase forms of a sentence."""
    tags = ["<", *(word.upos for word in words), ">"]
    return [f"{left} {right}" for left, right in pairwise(tags)] + [word.form.lower() for word in words]


Pair: TypeAlias = tuple[str, str, str, str]  # lemma and tag of the dependent, and of its head


def pair_of(draft: SentenceDraft, word: int) -> Pair | None:
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
    _of_sentence: dict[int, list[tuple[Pair, int]]] = field(default_factory=dict)

    @classmethod
    def from_treebank(cls, treebank: Treebank, sentences: Sequence[int]) -> Labels:
        """Return the labels of a treebank; `sentences`: the index of each of its sentences in the document."""
        found = cls()
        names = ("form", "lemma", "upos", "deprel")
        columns = [[treebank.vocabulary(name)[at] for at in treebank.column(name).tolist()] for name in names]
        forms, lemmas, tags, labels = columns
        texts = [form.lower() if lemma == "_" else lemma for form, lemma in zip(forms, lemmas, strict=True)]
        heads = treebank.heads.tolist()
        for index, (start, stop) in zip(sentences, pairwise(treebank.offsets.tolist()), strict=True):
            for at in range(start, stop):
                head = start + heads[at] - 1
                if heads[at] > 0 and labels[at] != "_":
                    found._add(index, at - start + 1, (texts[at], tags[at], texts[head], tags[head]), labels[at])
        return found

    def _add(self, index: int, word: int, pair: Pair, label: str) -> None:
        self._places.setdefault(pair, {})[index, word] = label
        self._of_sentence.setdefault(index, []).append((pair, word))

    def put(self, index: int, draft: SentenceDraft | None) -> None:
        """A sentence has changed; None: it is not done any more."""
        for pair, word in self._of_sentence.pop(index, ()):
            self._places[pair].pop((index, word), None)
        for word in range(1, len(draft.words) + 1) if draft else ():
            pair_here = pair_of(draft, word) if draft else None
            if draft and pair_here is not None:
                self._add(index, word, pair_here, draft.words[word - 1].label or "_")

    def others(self, pair: Pair, label: str) -> dict[str, list[tuple[int, int]]]:
        """Where a pair has other labels: by label, the places (sentence, word)."""
        found: dict[str, list[tuple[int, int]]] = {}
        for place, other in self._places.get(pair, {}).items():
            if other != label:
                found.setdefault(other, []).append(place)
        return found

    def differing(self, document: Document, draft: SentenceDraft, word: int) -> dict[str, Any]:
        """Where the pair of a word has other labels, as JSON: see `AnnotationSession.consistency`."""
        pair = pair_of(draft, word) if 1 <= word <= len(draft.words) else None
        if pair is None:
            return {"others": []}
        label = draft.words[word - 1].label or "_"
        others: list[dict[str, Any]] = []
        for other, places in self.others(pair, label).items():
            shown = [{"sentence": at, "word": number, **listed(document, at)} for at, number in places]
            others.append({"label": other, "places": shown})
        return {**named(pair), "label": label, "others": sorted(others, key=lambda each: -len(each["places"]))}

    def mixed(self, min_labels: int = 2) -> list[dict[str, Any]]:
        """Pairs with several labels, those with the most places first, as JSON."""
        found = []
        for pair, places in self._places.items():
            counts = Counter(places.values())
            if len(counts) > 1 and len(places) >= min_labels:
                first = list(min(places))  # sentence and word, from which `others` leads on
                labels = dict(counts.most_common())
                found.append({**named(pair), "labels": labels, "places": len(places), "first": first})
        return sorted(found, key=lambda each: (-each["places"], each["lemma"], each["head_lemma"]))


def named(pair: Pair) -> dict[str, str]:
    return dict(zip(("lemma", "upos", "head_lemma", "head_upos"), pair, strict=True))


def relabeled(document: Document, edit: Relabel) -> list[Part]:
    """What it changes to give words of several sentences one label."""
    places: dict[int, SentenceDraft] = {}
    for sentence, word in edit.places:
        draft = places.get(sentence) or document.draft(sentence)
        places[sentence] = Label(word, edit.label).apply(draft, ())
    parts = (part_of_cells(at, document.draft(at), draft) for at, draft in places.items())
    return [part for part in parts if part]
