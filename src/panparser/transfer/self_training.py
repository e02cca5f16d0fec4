"""Self-training on confident heads of tagged text without trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from panparser.base.checks import MAX_INT, POSITIVE, SHARE, check_count, check_number
from panparser.base.threads import capped_default_threads, resolve_threads
from panparser.base.types import IntArray
from panparser.errors import TreebankError
from panparser.learning.folds import Fold, make_folds, run_all
from panparser.learning.listeners import Listener
from panparser.learning.training import TrainingOptions
from panparser.learning.training_record import whole
from panparser.parsing.calibrating import calibration_from_evidence
from panparser.parsing.confidence import Calibration, ConfidenceSignals
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.training.training_parsers import train
from panparser.transfer.candidates import AttachmentCounts
from panparser.treebank.treebank import Treebank, check_treebanks, concatenated
from panparser.trees.gold import UNKNOWN

MIN_CONFIDENCE = 0.9  # the confidence of heads that are learned from
FOLDS = 5
Learn = Callable[[Treebank, Treebank | None, Listener], Parser]  # from trees, and from text with heads that are sure
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SelfTrainingRound:
    """A round of self-training: words of the text that were learned from, and the score of the parser."""

    words: int  # 0: without the text
    counts: AttachmentCounts


@dataclass(frozen=True)
class SelfTrainingResult:
    """A parser, the rounds that it was chosen from (the first is without the text), and which one it is of.

    The score of a round is that on the development set or, if there is none, on the trees, in folds.
    """

    parser: Parser
    rounds: tuple[SelfTrainingRound, ...]
    selected_round: int
    min_confidence: float
    words: int  # words of the text

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a training record holds them."""
        rounds = [{"words": each.words, "uas": each.counts.uas, "las": each.counts.las} for each in self.rounds]
        return {"chosen": self.selected_round, "least": self.min_confidence, "text": self.words, "rounds": rounds}


def self_train(
    spec: ParserSpec,
    treebank: Treebank,
    tagged_text: Treebank,
    *,
    dev: Treebank | None = None,
    min_confidence: float = MIN_CONFIDENCE,
    rounds: int = 1,
    weight: float | None = None,
    folds: int = FOLDS,
    threads: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[TrainingOptions],
) -> SelfTrainingResult:
    """A parser for a treebank that learns from tagged text as well; `options` are those of `train`.

    A parser of the treebank parses `tagged_text`; heads whose confidence is at least `min_confidence`, with their
    labels, make partial trees; the next parser learns from the treebank and from these, and so on, in so many `rounds`.
    Each sentence of the treebank has this `weight`, beside 1 for those of the text; None: both count the same.
    Confidence is calibrated, and parsers are compared, on the development set or, if there is none, on the treebank, by
    parsers that learned from the other `folds`. Of all rounds the best is kept, and the parser without the text if it
    is better.
    """
    check_treebanks("self_train", treebank, dev)
    if weight is not None:
        check_number("self_train: weight", weight, POSITIVE)

    def learn(trees: Treebank, text: Treebank | None, stop: Listener) -> Parser:
        if text is None:
            return whole(train(spec, trees, dev=dev, listeners=[stop], **options))
        trees_weight = max(1.0, len(text) / len(trees)) if weight is None else weight
        return whole(
            train(spec, [trees, text], treebank_weights=[trees_weight, 1.0], dev=dev, listeners=[stop], **options)
        )

    return run_self_training(
        learn,
        treebank,
        tagged_text,
        dev=dev,
        min_confidence=min_confidence,
        rounds=rounds,
        folds=folds,
        threads=threads,
        progress=progress,
    )


def select_confident_trees(
    parser: Parser, text: Treebank, *, min_confidence: float = MIN_CONFIDENCE, threads: int = 1
) -> Treebank:
    """A copy of a text with the parser's heads, and their labels, whose confidence is at least that; others have none.

    The parser must be calibrated (`calibrate`, or training with a development set).
    """
    check_number("select_confident_trees: min_confidence", min_confidence, SHARE)
    found = parser.confidence(text, threads=threads)
    sure = found.head_confidence >= min_confidence
    partial = text.copy()
    partial.heads[:] = np.where(sure, found.heads, UNKNOWN)
    ids = [partial.id_of("deprel", label) for label in parser.label_names]
    labels = np.array([*ids, partial.id_of("deprel", "_")], dtype=np.int32)
    partial.column("deprel")[:] = labels[np.where(sure, found.labels, -1)]
    return partial


def run_self_training(
    learn: Learn,
    treebank: Treebank,
    tagged_text: Treebank,
    *,
    dev: Treebank | None = None,
    min_confidence: float = MIN_CONFIDENCE,
    rounds: int = 1,
    folds: int = FOLDS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SelfTrainingResult:
    """Self-training by any way to learn from trees, and from a text; parameters as in `self_train`.

    `learn` makes a parser, calibrated if there is a development set.
    """
    check_number("self_train: min_confidence", min_confidence, SHARE)
    check_count("self_train: rounds", rounds, maximum=MAX_INT)
    check_count("self_train: folds", folds, minimum=2)
    if not isinstance(tagged_text, Treebank):
        raise TreebankError(f"self_train: tagged_text must be a Treebank; got {tagged_text!r}")
    if not tagged_text.words:
        raise TreebankError(f"{tagged_text.path}: expected sentences, found none")
    threads = resolve_threads("self_train: threads", threads)
    with capped_default_threads(threads):
        chain = FoldParsers(learn, treebank, dev, tagged_text, min_confidence, min(folds, len(treebank)), threads)
        found: list[tuple[SelfTrainingRound, Parser]] = []
        for number in range(rounds + 1):
            if progress is not None:
                progress(f"self-training: round {number}" if number else "self-training", number, rounds + 1)
            found.append(chain.step())
    best = max(
        range(rounds + 1), key=lambda number: (found[number][0].counts.heads, found[number][0].counts.labeled, number)
    )
    made = SelfTrainingResult(found[best][1], tuple(each for each, _ in found), best, min_confidence, tagged_text.words)
    parser = made.parser
    record = replace(parser.training, self_training=made.to_values())
    return replace(made, parser=replace(parser, training=record))


@dataclass(frozen=True, eq=False)
class HeldOutTrees:
    """Sentences with their trees, and how a parser that did not learn from them parses them."""

    gold: Treebank
    evidence: ConfidenceSignals
    labels: tuple[str, ...]


class FoldParsers:
    """Parsers of all trees, and of all but one fold, each of which parses the text for its successor."""

    def __init__(
        self,
        learn: Learn,
        treebank: Treebank,
        dev: Treebank | None,
        tagged_text: Treebank,
        min_confidence: float,
        folds: int,
        threads: int,
    ) -> None:
        self.learn, self.treebank, self.dev, self.tagged_text, self.min_confidence = (
            learn,
            treebank,
            dev,
            tagged_text,
            min_confidence,
        )
        self.threads = threads
        if dev is None and folds < 2:
            raise TreebankError(
                f"{treebank.path}: expected at least two sentences, or a development set, to tell how sure a parser is "
                f"of its heads; found {len(treebank)}"
            )
        self.folds: list[Fold] = make_folds(len(treebank), folds) if dev is None else []
        self.parsers: list[Parser] = []  # of the last round; the last of them is that of all trees
        self.texts: list[Treebank | None] = [None] * (len(self.folds) + 1)

    def step(self) -> tuple[SelfTrainingRound, Parser]:
        """The next round, and the parser of all trees."""
        if self.parsers:
            self.texts = [self._text(each) for each in self.parsers]
        self.parsers = parsers = run_all(self._learned, range(len(self.texts)), self.threads)
        parser, text = parsers[-1], self.texts[-1]
        words = 0 if text is None else int((text.heads >= 0).sum())
        if self.dev is not None:
            found = self.dev.copy()
            parser.annotate(found, threads=self.threads)
            tally = AttachmentCounts.from_treebanks(self.dev, found)
        else:
            held_out = [self._held_out(each, fold) for each, fold in zip(parsers[:-1], self.folds, strict=True)]
            tally = AttachmentCounts.sum(AttachmentCounts.from_treebanks(each.gold, _parsed(each)) for each in held_out)
            for number, parser in enumerate(parsers):
                others = [one for other, one in enumerate(held_out) if other != number]
                parsers[number] = replace(parser, calibration=_calibration(parser, others))
        return SelfTrainingRound(words, tally), parsers[-1]

    def _learned(self, number: int, stop: Listener) -> Parser:
        trees = self.treebank[self.folds[number].rest] if number < len(self.folds) else self.treebank
        return self.learn(trees, self.texts[number], stop)

    def _held_out(self, parser: Parser, fold: Fold) -> HeldOutTrees:
        gold = self.treebank[fold.held_out]
        return HeldOutTrees(gold, parser.gather_evidence(gold, threads=self.threads), parser.label_names)

    def _text(self, parser: Parser) -> Treebank | None:
        """The text, as far as the parser is sure of it; None if it is sure of nothing."""
        found = select_confident_trees(
            parser, self.tagged_text, min_confidence=self.min_confidence, threads=self.threads
        )
        return found if (found.heads >= 0).any() else None


def _calibration(parser: Parser, held_out: Sequence[HeldOutTrees]) -> Calibration | None:
    """That of a parser, by what others like it found in sentences that they did not learn from."""
    index = {name: number for number, name in enumerate(parser.label_names)}
    strange = len(index)  # a label of another parser: right it cannot be
    labels = []
    for each in held_out:
        numbers = np.array([*(index.get(name, strange) for name in each.labels), -1], dtype=np.int32)
        labels.append(numbers[each.evidence.labels])
    evidence = [each.evidence for each in held_out]
    values = {name: np.concatenate([each.values[name] for each in evidence]) for name in evidence[0].values}
    together = ConfidenceSignals(np.concatenate([each.heads for each in evidence]), np.concatenate(labels), values)
    return calibration_from_evidence(parser, together, concatenated([each.gold for each in held_out]))


def _parsed(held_out: HeldOutTrees) -> Treebank:
    found = held_out.gold.copy()
    found.heads[:] = held_out.evidence.heads
    ids = [found.id_of("deprel", label) for label in held_out.labels]
    numbers: IntArray = np.array([*ids, found.id_of("deprel", "_")], dtype=np.int32)
    found.column("deprel")[:] = numbers[held_out.evidence.labels]
    return found
