"""A tagger of UPOS from a few sentences and a lexicon, and what a parser scores with its tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from panparser.errors import TreebankError
from panparser.learning.folds import Fold, jackknife
from panparser.learning.listeners import Listener
from panparser.learning.record import whole
from panparser.sequences.lexicon import Lexicon
from panparser.sequences.tagger import Tagger, TaggerSpec, train_tagger
from panparser.treebank.treebank import Treebank

_TAGGED = "upos"
_OTHERS = ("lemma", "xpos", "feats")  # which it does not give


@dataclass(frozen=True, eq=False)
class SampleTagger:
    """How a tagger is learned from sentences of a sample."""

    lexicon: Lexicon | None
    dev: Treebank | None
    seed: int
    threads: int

    def learn(self, sample: Treebank, stop: Listener | None = None) -> Tagger:
        """The tagger of some sentences."""
        options: dict[str, Any] = {"seed": self.seed, "threads": self.threads, "lexicon": self.lexicon}
        listeners = [] if stop is None else [stop]
        return whole(train_tagger(TaggerSpec(columns=(_TAGGED,)), sample, dev=self.dev, listeners=listeners, **options))

    def tagged(self, sample: Treebank, folds: int) -> Treebank | None:
        """What is scored by, as tagged by taggers that did not learn from it; None if there are no two folds.

        That is the development set, or else the sample, in folds.
        """
        if self.dev is not None:
            return self.learn(sample).tag(self.dev, threads=self.threads)
        if folds < 2:
            return None

        def learn(rest: Treebank, fold: Fold, stop: Listener) -> Tagger:
            return self.learn(rest, stop)

        def annotate(tagger: Tagger, held_out: Treebank) -> Sequence[str]:
            tagger.annotate(held_out)
            return (_TAGGED,)

        return jackknife(sample, folds, learn, annotate, threads=self.threads)


def tags_alone(treebank: Treebank) -> Treebank:
    """A copy in which words have no lemmas, XPOS and FEATS: what parsers see that follow the tagger."""
    found = treebank.copy()
    for name in _OTHERS:
        found.column(name)[:] = found.id_of(name, "_")
    return found


def check_tags(treebank: Treebank) -> None:
    """Raises TreebankError if there are no tags to learn from."""
    if not (treebank.column(_TAGGED) != treebank.id_of(_TAGGED, "_")).any():
        raise TreebankError(f"{treebank.path}: expected words with tags (UPOS) for a tagger to learn from, found none")


def agreement(gold: Treebank, tagged: Treebank) -> tuple[int, int]:
    """Words that have a tag in the first treebank, and those of them that have the same in the other."""
    ids = tagged.ids_of(_TAGGED, list(gold.vocabulary(_TAGGED)))[gold.column(_TAGGED)]
    known = gold.column(_TAGGED) != gold.id_of(_TAGGED, "_")
    return int(known.sum()), int((known & (ids == tagged.column(_TAGGED))).sum())
