"""Learning while a person annotates: after each sentence all sentences are learned, on top of the model at the start.

That takes a second for 200 sentences, and is better than a few updates of the new sentence alone, which were found to
make a parser of so little data worse. Words whose heads nobody decided teach nothing. The same sentences and seed give
the same parsers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from panparser._arrays import FloatArray
from panparser.annotation.completion import Completer, Completion
from panparser.annotation.decisions import may_be_tree
from panparser.annotation.drafts import SentenceDraft
from panparser.errors import PanParserError
from panparser.parsing.confidence import Calibration, ConfidenceSignals, fitted_to
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.train import train
from panparser.sequences.tagger import Tagger, TaggerSpec, train_tagger
from panparser.transfer.blanking import annotated_templates
from panparser.treebank.treebank import Treebank

BEAM, EPOCHS = 4, 5
MIN_CALIBRATION_WORDS, MIN_CALIBRATION_ERRORS = (
    200,
    20,
)  # to calibrate confidence on: words with known trees, wrong heads or labels
MAX_CALIBRATION_SENTENCES = 150  # sentences that confidence is calibrated on, the latest
MIN_TRAINING_SENTENCES = 2  # to learn anything from


@dataclass
class InitialPrediction:
    """The prediction for a sentence before any manual annotation, and which of its heads and labels were correct."""

    values: dict[str, FloatArray]
    heads: FloatArray  # bool
    labels: FloatArray  # bool

    @classmethod
    def from_completion(
        cls, evidence: ConfidenceSignals, completion: Completion, draft: SentenceDraft
    ) -> InitialPrediction | None:
        """Compare a completion with the finished sentence; return None if that is not annotated completely."""
        if len(completion.words) != len(draft.words) or any(w.head is None or w.label is None for w in draft.words):
            return None
        pairs = list(zip(completion.words, draft.words, strict=True))
        heads = np.array([found.head == gold.head for found, gold in pairs])
        labels = np.array([found.label == gold.label for found, gold in pairs])
        return cls(evidence.values, heads, labels)


def fit_calibration(predictions: Sequence[InitialPrediction], beam: int) -> Calibration | None:
    """Return a calibration on the latest predictions; None if they are too few, or nearly all correct or incorrect."""
    latest = list(predictions)[-MAX_CALIBRATION_SENTENCES:]
    if sum(len(each.heads) for each in latest) < MIN_CALIBRATION_WORDS:
        return None
    values = {name: np.concatenate([each.values[name] for each in latest]) for name in latest[0].values}
    right, same = (np.concatenate([getattr(each, name) for each in latest]) for name in ("heads", "labels"))
    counts = [np.count_nonzero(each) for each in (right, ~right, same[right], ~same[right])]
    if min(counts) < MIN_CALIBRATION_ERRORS:
        return None
    return fitted_to(values, right, same, beam=beam)


@dataclass
class CompleterTrainer:
    """Trains completers on the finished sentences: each on all of them, starting from `start`, if it has a parser.

    `every`, `share`: number of new sentences, or share of all, from which it trains again. `tags`: whether it
    also trains taggers, if there are tags.
    """

    start: Completer = field(default_factory=Completer)
    seed: int = 1
    beam: int = BEAM
    epochs: int = EPOCHS
    every: int = 1
    share: float = 0.01
    tags: bool = False

    def should_retrain(self, new: int, sentences: int) -> bool:
        """Return whether enough finished sentences are new or changed to train again."""
        return sentences >= MIN_TRAINING_SENTENCES and new >= max(self.every, self.share * sentences)

    def train(self, treebank: Treebank, predictions: Sequence[InitialPrediction] = ()) -> Completer | None:
        """Return a completer trained on finished sentences; None if too few of them are trees."""
        treebank = _trees_of(treebank)
        if len(treebank) < MIN_TRAINING_SENTENCES:
            return None
        init = self.start.parser if self.start.parser is not None and not self.start.parser.voters else None
        options = {"epochs": self.epochs, "seed": self.seed, "threads": 1}
        try:
            parser = train(self._spec(treebank, init), treebank, init=init, **options)  # type: ignore[arg-type]
        except PanParserError:  # not a label, for example
            return None
        taggers = self._taggers(treebank) if self.tags else self.start.taggers
        calibration = fit_calibration(predictions, self.beam) or self.start.calibration
        return replace(self.start, parser=parser, taggers=taggers, calibration=calibration)

    def _spec(self, treebank: Treebank, init: Parser | None) -> ParserSpec:
        """Templates read what is annotated; those of the start come first."""
        own = annotated_templates(ParserSpec().templates, treebank)
        if init is None:
            return ParserSpec(beam=self.beam, templates=own)
        more = own if init.spec.system == ParserSpec().system else init.spec.templates
        return replace(init.spec, beam=self.beam, labels="full", templates=init.spec.templates + more)

    def _taggers(self, treebank: Treebank) -> tuple[Tagger, ...]:
        """Taggers of what is annotated in the treebank."""
        found: list[Tagger] = []
        for column in ("upos", "feats"):
            if (treebank.column(column) != treebank.id_of(column, "_")).any():
                found.append(train_tagger(TaggerSpec(columns=(column,)), treebank, seed=self.seed, threads=1))
        return tuple(found) or self.start.taggers


def _trees_of(treebank: Treebank) -> Treebank:
    """Without sentences whose heads, as far as they are known, are of no tree with one root."""
    heads, offsets = treebank.heads.tolist(), treebank.offsets.tolist()
    kept = [at for at in range(len(treebank)) if may_be_tree(heads[offsets[at] : offsets[at + 1]])]
    return treebank if len(kept) == len(treebank) else treebank[kept]


def treebank_of(drafts: Sequence[SentenceDraft]) -> Treebank:
    """Drafts as one treebank; what nobody decided is unknown."""
    plain = (replace(draft, comments=(), before="", after="\n\n", newline="\n", empty=()) for draft in drafts)
    return Treebank(b"".join(draft.to_bytes() for draft in plain))
