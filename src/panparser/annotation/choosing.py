"""Choosing: the sentence that is worth annotating next, if it need not be the next of the document.

A sentence is worth what its annotation is expected to teach: corrections that a parser needs there, by its confidence,
for each word that a person has to read. Words of kinds that were seen less often count more, so that sentences are not
all alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from panparser.annotation.completion import Completion
from panparser.annotation.drafts import Draft, Word


@dataclass
class Choice:
    """How to choose: `shortest` and `longest` sentences, in words; `diversity`: 0 is by uncertainty alone.

    `power`: of the length by which expected corrections are divided; 0 prefers long sentences, 1 does not care.
    """

    shortest: int = 3
    longest: int = 60
    diversity: float = 0.5
    power: float = 0.7
    _seen: Counter[str] = field(default_factory=Counter)

    def learn(self, words: Sequence[Word]) -> None:
        """A sentence was done."""
        self._seen.update(_kinds(words))

    def is_allowed(self, words: int) -> bool:
        return self.shortest <= words <= self.longest

    def value(self, draft: Draft, completion: Completion) -> float:
        """What a sentence is worth; the more the better."""
        pairs = zip(draft.words, completion.of_heads, completion.of_labels, strict=True)
        expected = sum(
            (1 - head) * (word.head is None) + (1 - label) * (word.label is None) for word, head, label in pairs
        )
        kinds = _kinds(completion.words)
        new = sum(1 / (1 + self._seen[kind]) for kind in kinds) / max(1, len(kinds))
        worth: float = expected / len(draft.words) ** self.power
        return worth * (1 - self.diversity + self.diversity * new)


def _kinds(words: Sequence[Word]) -> list[str]:
    """What a sentence has of: tags of neighbors, and words."""
    tags = ["<", *(word.upos for word in words), ">"]
    pairs = [f"{left} {right}" for left, right in pairwise(tags)]
    return pairs + [word.form.lower() for word in words]
