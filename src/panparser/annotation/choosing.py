"""Active selection: the sentence to annotate next, if it need not be the next one of the document.

The score of a sentence is what is new in it, its words and tag bigrams, divided by the number of corrections that the
parser's confidence predicts. The sentences that a parser is least certain of teach it most, but need even more
corrections: measured by these, it is better to leave them for later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from panparser.annotation.completion import Completion
from panparser.annotation.drafts import SentenceDraft, Word

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
