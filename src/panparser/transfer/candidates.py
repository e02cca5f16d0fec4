"""Ways to a parser for a language with little data, each as a candidate that is trained and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from panparser.features.sets import template_set
from panparser.learning.folds import Fold, over_folds
from panparser.learning.listeners import Listener
from panparser.learning.record import whole
from panparser.learning.strategies import DYNAMIC_EXPLORE
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.train import train
from panparser.parsing.training.weighting import MOST_WEIGHT
from panparser.transfer.blanking import annotated_templates, blanked
from panparser.transfer.tag_trigrams import LEAST
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label

Method = Literal["joint", "all", "pool", "sample"]
METHODS: tuple[Method, ...] = get_args(Method)
OF_SAMPLE: tuple[Method, ...] = ("joint", "sample")  # they learn from the sample
_EPOCHS = 4
_POWER = 2  # of nearness
_LEAST_WEIGHT = 0.001
_PUNCTUATION = "PUNCT"


@dataclass(frozen=True, eq=False)
class Source:
    """A treebank of another language, as it is learned from, and how far its language is from the target's."""

    name: str
    treebank: Treebank
    divergence: float | None = None  # None: there was nothing to measure it by


@dataclass(frozen=True)
class Tally:
    """Words, without punctuation, whose heads, and whose heads and labels, are right; labels without subtypes."""

    words: int
    heads: int
    both: int

    @classmethod
    def of(cls, gold: Treebank, predicted: Treebank) -> Tally:
        counted = gold.heads >= 0
        counted &= _holds(gold, "upos", lambda tag: tag != _PUNCTUATION)
        right = counted & (gold.heads == predicted.heads)
        both = right & (_base_labels(gold) == _base_labels(predicted))
        return cls(int(counted.sum()), int(right.sum()), int(both.sum()))

    @property
    def uas(self) -> float:
        return 100 * self.heads / max(1, self.words)

    @property
    def las(self) -> float:
        return 100 * self.both / max(1, self.words)


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """The parsers that sources and a sample make, by method.

    "all" learns from all sources, each with the more weight the nearer it is, and "pool" from the `nearest` alone: both
    read tags only. "joint" learns from all sources, weighted likewise and without their words, together with the
    sample, which counts about as much as the nearest of them. "sample" learns from the sample alone.
    """

    sources: Sequence[Source]
    nearest: int
    sample: Treebank | None
    dev: Treebank | None
    seed: int
    threads: int

    @property
    def pooled(self) -> list[Treebank]:
        return [source.treebank for source in self.sources[: self.nearest]]

    def learn(self, method: Method, sample: Treebank | None, stop: Listener | None = None) -> Parser:
        """A parser by a method; of the sample, only these sentences are learned from.

        Raises KeyboardInterrupt if Ctrl-C ended training.
        """
        return whole(self._learned(method, sample, [] if stop is None else [stop]))

    def _learned(self, method: Method, sample: Treebank | None, listeners: list[Listener]) -> Parser:
        common: dict[str, Any] = {"seed": self.seed, "dev": self.dev, "threads": self.threads, "listeners": listeners}
        greedy: dict[str, Any] = {"strategy": DYNAMIC_EXPLORE, "epochs": _EPOCHS, "members": 1}
        if method == "pool":
            return train(_spec(1), self.pooled, **greedy, **common)
        if method == "all":
            everything = [source.treebank for source in self.sources]
            return train(_spec(1), everything, weights=self.nearness(), **greedy, **common)
        assert sample is not None
        if method == "sample":
            return train(_spec(8, sample), sample, **common)
        blank = [blanked(source.treebank) for source in self.sources]
        share = float(np.mean([len(each) for each in blank])) / len(sample)
        weights = [*self.nearness(), min(max(1.0, share), MOST_WEIGHT)]
        return train(_spec(1, sample), [*blank, sample], weights=weights, **greedy, **common)

    def nearness(self) -> list[float]:
        """The weight of each source: 1 of the nearest, a quarter of one that is twice as far; 1 if nobody knows."""
        far = [1.0 if each.divergence is None else max(each.divergence, LEAST) for each in self.sources]
        return [max((min(far) / own) ** _POWER, _LEAST_WEIGHT) for own in far]

    # --- Scores ---

    def score(self, method: Method, folds: int) -> tuple[Tally, Parser | None]:
        """How a method scores on the development set, or else on the sample; and the parser, if it is a complete one.

        A method that learns from the sample is scored in folds: each is parsed by a parser that learned from the rest.
        """
        if self.dev is not None or method not in OF_SAMPLE:
            parser = self.learn(method, self.sample)
            gold = self.dev if self.dev is not None else self.sample
            assert gold is not None
            return self.tally(parser, gold), parser
        assert self.sample is not None
        return self.jackknife(method, folds), None

    def tally(self, parser: Parser, gold: Treebank) -> Tally:
        """The score of a parser; it may meet tags that it does not know."""
        found = gold.copy()
        parser.annotate(found, threads=self.threads)
        return Tally.of(gold, found)

    def jackknife(self, method: Method, folds: int) -> Tally:
        """The score of a method on the sample, each fold parsed by a parser that learned from the others."""
        assert self.sample is not None

        def learn(rest: Treebank, fold: Fold, stop: Listener) -> Parser:
            return self.learn(method, rest, stop)

        def tally(parser: Parser, held_out: Treebank, fold: Fold) -> Tally:
            return self.tally(parser, held_out)

        found = over_folds(self.sample, folds, learn, tally, threads=self.threads)
        return Tally(*(sum(getattr(each, name) for each in found) for name in ("words", "heads", "both")))


def _spec(beam: int, sample: Treebank | None = None) -> ParserSpec:
    """A parser with universal labels, which reads words if there is a sample to learn them from."""
    templates = template_set("lean")
    chosen = templates.delexicalized() if sample is None else annotated_templates(templates, sample)
    return ParserSpec(templates=chosen, beam=beam, labels="universal")


def _holds(treebank: Treebank, column: str, test: Any) -> Any:
    return np.array([test(text) for text in treebank.vocabulary(column)], dtype=bool)[treebank.column(column)]


def _base_labels(treebank: Treebank) -> Any:
    return np.array([base_label(label) for label in treebank.vocabulary("deprel")])[treebank.column("deprel")]
