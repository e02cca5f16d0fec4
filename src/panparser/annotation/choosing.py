"""Choosing: the sentence that is worth annotating next, if it need not be the next of the document.

A sentence is worth what is new in it, its words and the tags that stand side by side, divided by the corrections that
it is expected to take, by the parser's confidence. The sentences that a parser is least sure of teach most, but take
even more corrections: measured by these, it is better to leave them for later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from panparser.annotation.completion import Completion
from panparser.annotation.drafts import Draft, Word

_ALWAYS = 2.0  # corrections that a sentence is taken to need besides


@dataclass
class Choice:
    """How to choose: `shortest` and `longest` sentences, in words.

    `diversity`: how fast what was seen loses its worth; 0: it does not. `thrift`: how much corrections count; 0: not at
    all, which prefers long and difficult sentences.
    """

    shortest: int = 3
    longest: int = 60
    diversity: float = 0.5
    thrift: float = 1.0
    _seen: Counter[str] = field(default_factory=Counter)

    def learn(self, words: Sequence[Word]) -> None:
        """A sentence was done."""
        self._seen.update(_kinds(words))

    def is_allowed(self, words: int) -> bool:
        return self.shortest <= words <= self.longest

    def value(self, draft: Draft, completion: Completion) -> float:
        """What a sentence is worth; the more the better."""
        expected = _ALWAYS
        for word, of_head, of_label in zip(draft.words, completion.of_heads, completion.of_labels, strict=True):
            expected += (1 - of_head) * (word.head is None) + (1 - of_label) * (word.label is None)
        new: float = sum((1 + self._seen[kind]) ** -self.diversity for kind in _kinds(completion.words))
        return float(new / expected**self.thrift)


def _kinds(words: Sequence[Word]) -> list[str]:
    """What a sentence has: tags side by side, and words."""
    tags = ["<", *(word.upos for word in words), ">"]
    return [f"{left} {right}" for left, right in pairwise(tags)] + [word.form.lower() for word in words]
