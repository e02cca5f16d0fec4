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
from panparser.annotation.drafts import Draft
from panparser.errors import PanParserError
from panparser.parsing.confidence import Calibration, Evidence, fitted_to
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.train import train
from panparser.sequences.tagger import Tagger, TaggerSpec, train_tagger
from panparser.transfer.blanking import annotated_templates
from panparser.treebank.treebank import Treebank

BEAM, EPOCHS = 4, 5
_LEAST_WORDS, _LEAST_WRONG = 200, 20  # to calibrate confidence on: words with known trees, wrong heads or labels
_REMEMBERED = 150  # sentences that confidence is calibrated on, the latest
_LEAST_SENTENCES = 2  # to learn anything from


@dataclass
class Seen:
    """What was predicted for a sentence before anybody decided anything, and whether it was right."""

    values: dict[str, FloatArray]
    heads: FloatArray  # bool
    labels: FloatArray  # bool

    @classmethod
    def of(cls, evidence: Evidence, shown: Completion, draft: Draft) -> Seen | None:
        """None if the sentence was not annotated completely."""
        if len(shown.words) != len(draft.words) or any(w.head is None or w.label is None for w in draft.words):
            return None
        pairs = list(zip(shown.words, draft.words, strict=True))
        heads = np.array([found.head == gold.head for found, gold in pairs])
        labels = np.array([found.label == gold.label for found, gold in pairs])
        return cls(evidence.values, heads, labels)


def calibration_of(seen: Sequence[Seen], beam: int) -> Calibration | None:
    """Confidence that fits what was seen; None if that is too little, or nearly all of it right, or wrong."""
    latest = list(seen)[-_REMEMBERED:]
    if sum(len(each.heads) for each in latest) < _LEAST_WORDS:
        return None
    values = {name: np.concatenate([each.values[name] for each in latest]) for name in latest[0].values}
    right, same = (np.concatenate([getattr(each, name) for each in latest]) for name in ("heads", "labels"))
    counts = [np.count_nonzero(each) for each in (right, ~right, same[right], ~same[right])]
    if min(counts) < _LEAST_WRONG:
        return None
    return fitted_to(values, right, same, beam=beam)


@dataclass
class Learner:
    """Makes completers of the sentences that are done: each learns all of them, on top of the `start`, if there is one.

    `every`, `share`: learning pays when there are so many new sentences, or this share of all. `tags`: does it learn
    tags, too, if there are some to learn from?
    """

    start: Completer = field(default_factory=Completer)
    seed: int = 1
    beam: int = BEAM
    epochs: int = EPOCHS
    every: int = 1
    share: float = 0.01
    tags: bool = False

    def pays(self, new: int, sentences: int) -> bool:
        """Is it worth while to learn, if so many of the sentences that are done are new, or changed?"""
        return sentences >= _LEAST_SENTENCES and new >= max(self.every, self.share * sentences)

    def learn(self, treebank: Treebank, seen: Sequence[Seen] = ()) -> Completer | None:
        """A completer for sentences that are done; None if they teach nothing, as those that are no trees do."""
        treebank = _trees_of(treebank)
        if len(treebank) < _LEAST_SENTENCES:
            return None
        init = self.start.parser if self.start.parser is not None and not self.start.parser.voters else None
        options = {"epochs": self.epochs, "seed": self.seed, "threads": 1}
        try:
            parser = train(self._spec(treebank, init), treebank, init=init, **options)  # type: ignore[arg-type]
        except PanParserError:  # not a label, for example
            return None
        taggers = self._taggers(treebank) if self.tags else self.start.taggers
        calibration = calibration_of(seen, self.beam) or self.start.calibration
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


def treebank_of(drafts: Sequence[Draft]) -> Treebank:
    """Drafts as one treebank; what nobody decided is unknown."""
    plain = (replace(draft, comments=(), before="", after="\n\n", newline="\n", empty=()) for draft in drafts)
    return Treebank(b"".join(draft.to_bytes() for draft in plain))
