"""Tag heads: tags and lemmas predicted from the encoder's word vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from panparser import _engine
from panparser.base.kinds import TEXT, ListOf, TableOf, check
from panparser.base.types import IntArray
from panparser.errors import ModelError, TreebankError
from panparser.networks.encoding import Arrays, Floats, activated, taken
from panparser.networks.network import NetworkSpec
from panparser.treebank.lemma_rules import apply, made_scripts
from panparser.treebank.treebank import Treebank

UNKNOWN, OTHER = -1, -2  # right classes: of words that have none, of values that were not learned
CLASSES = TableOf(ListOf(TEXT, minimum=1))  # of a manifest
_LEAST_SCRIPTS = 2  # words that an edit script must have been seen with
_NOTHING = "_"


class TagClasses:
    """The classes of each column, in the order of their numbers: values of cells, or edit scripts that make lemmas."""

    def __init__(self, texts: Mapping[str, Sequence[str]]) -> None:
        self.texts = {column: tuple(own) for column, own in texts.items()}
        self.numbers = {column: {text: n for n, text in enumerate(own)} for column, own in self.texts.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.texts)

    @classmethod
    def of(cls, network: NetworkSpec, treebank: Treebank, known: TagClasses | None = None) -> TagClasses:
        """Those of a treebank; classes that are known already keep their numbers."""
        found = {}
        for column in network.tags:
            counts = Counter(text for text in _cells(column, treebank) if text is not None)
            least = _LEAST_SCRIPTS if column == "lemma" and max(counts.values(), default=0) >= _LEAST_SCRIPTS else 1
            before = known.texts.get(column, ()) if known else ()
            more = sorted(text for text, count in counts.items() if count >= least and text not in set(before))
            if not (*before, *more):
                raise TreebankError(f"{treebank.path}: expected words with {column.upper()} to learn from, found none")
            found[column] = (*before, *more)
        return cls(found)

    def right(self, treebank: Treebank) -> IntArray:
        """(words, columns) The class of each word: -1 if its cell is empty, -2 if its value is not a class."""
        found = np.empty((treebank.words, len(self.columns)), dtype=np.int32)
        for place, column in enumerate(self.columns):
            numbers = self.numbers[column]
            cells = _cells(column, treebank)
            found[:, place] = [UNKNOWN if text is None else numbers.get(text, OTHER) for text in cells]
        return found

    def write(self, treebank: Treebank, chosen: IntArray) -> None:
        """Writes classes, (words, columns), into the columns of a treebank."""
        for place, column in enumerate(self.columns):
            own = chosen[:, place]
            if column == "lemma":
                treebank.column(column)[:] = self._lemmas(treebank, own)
            else:
                treebank.column(column)[:] = treebank.ids_of(column, self.texts[column])[own]

    def _lemmas(self, treebank: Treebank, chosen: IntArray) -> IntArray:
        """A lemma for each different pair of a form and a script; the form where a script does not apply."""
        scripts, forms = self.texts["lemma"], treebank.vocabulary("form")
        pairs, of_word = _engine.distinct(treebank.column("form").astype(np.int64) * len(scripts) + chosen)
        lemmas = []
        for pair in pairs.tolist():
            form = forms[pair // len(scripts)]
            lemmas.append((apply(scripts[pair % len(scripts)], form) or "").strip(" ") or form)
        found: IntArray = treebank.ids_of("lemma", lemmas)[of_word]
        return found

    def to_values(self) -> dict[str, list[str]]:
        return {column: list(texts) for column, texts in self.texts.items()}


def checked_classes(network: NetworkSpec, values: Any) -> TagClasses:
    """The classes of a manifest. Raises ModelError unless they are those of the network's columns."""
    check(values, CLASSES, "classes")
    if set(values) != set(network.tags):
        expected = ", ".join(network.tags) or "none"
        raise ModelError(f"classes: expected {expected}, found {', '.join(values) or 'none'}")
    for column, texts in values.items():
        if len(set(texts)) < len(texts):
            raise ModelError(f"classes of {column}: expected different ones")
    try:
        for text in values.get("lemma", ()):
            apply(text, "form")
    except ValueError as error:
        raise ModelError(f"classes of lemma: {error}") from None
    return TagClasses({column: values[column] for column in network.tags})


def _cells(column: str, treebank: Treebank) -> list[str | None]:
    """What is to be learned of each word; None where it is unknown. Words without features are known to have none."""
    if column == "lemma":
        return made_scripts(treebank)
    is_known = column == "feats" and bool(treebank.column(column).any())
    texts = [cell if is_known or cell != _NOTHING else None for cell in treebank.vocabulary(column)]
    return [texts[number] for number in treebank.column(column).tolist()]


class TagHeads:
    """Weights that score the classes of words: a hidden layer for each column, and what is read from it."""

    def __init__(self, network: NetworkSpec, arrays: Arrays, classes: TagClasses) -> None:
        size, width = network.tag_hidden, network.width
        layers = [
            (
                taken(arrays, f"tag_hidden.{column}.weight", size, width),
                taken(arrays, f"tag_hidden.{column}.bias", size),
            )
            for column in classes.columns
        ]
        self.size = size
        self.hidden = np.ascontiguousarray(np.concatenate([weights for weights, _ in layers]).T)
        self.bias = np.concatenate([bias for _, bias in layers])
        self.out = [
            (
                np.ascontiguousarray(taken(arrays, f"tags.{column}.weight", len(texts), size).T),
                taken(arrays, f"tags.{column}.bias", len(texts)),
            )
            for column, texts in classes.texts.items()
        ]

    def scores(self, words: Floats) -> list[Floats]:
        """(words, classes) for each column."""
        hidden = words @ self.hidden
        hidden += self.bias
        hidden = activated(hidden)
        found = []
        for place, (weights, bias) in enumerate(self.out):
            own = hidden[:, place * self.size : (place + 1) * self.size] @ weights
            own += bias
            found.append(own)
        return found

    def best(self, words: Floats) -> IntArray:
        """(words, columns) The best class of each column."""
        return np.stack([own.argmax(axis=1) for own in self.scores(words)], axis=1).astype(np.int32)
