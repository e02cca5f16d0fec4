"""Candidate parsers of a transfer, one for each method, and how they are compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal, cast, get_args

import numpy as np

from panparser.ensembles.cascade import Cascade, CascadeStage
from panparser.ensembles.cascade_training import train_cascade
from panparser.ensembles.combination import CombinedParser
from panparser.ensembles.voting import MAX_VOTERS, make_voting_parser
from panparser.errors import SpecError, TreebankError
from panparser.features.templates import templates
from panparser.learning.folds import Fold, jackknife, make_folds, run_all
from panparser.learning.listeners import Listener
from panparser.learning.strategies import DYNAMIC_EXPLORE
from panparser.learning.training_record import whole
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.training.corpus import MAX_TREEBANK_WEIGHT
from panparser.training.training_parsers import TREES, train
from panparser.transfer.competence import CompetenceRegions, competent_regions, similar_regions
from panparser.transfer.similarity import MIN_PROBABILITY, TagTrigramCounts
from panparser.transfer.source_files import annotated_templates, blanked
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label

_PUNCTUATION = "PUNCT"
_DIFFERENT = 0.15  # of the words, which one of two methods gets right: 5 to 20 % on six development sets


@dataclass(frozen=True)
class AttachmentCounts:
    """Words, without punctuation, whose heads, and whose heads and labels, are right; labels without subtypes.

    `tagged`: the same with the tags of a tagger instead of those of the treebank, if there is one.
    """

    words: int
    heads: int
    labeled: int
    tagged: AttachmentCounts | None = None

    @classmethod
    def from_treebanks(
        cls, gold: Treebank, predicted: Treebank, with_tagger: Treebank | None = None
    ) -> AttachmentCounts:
        """That of a parsed treebank, and of the same, tagged by a tagger and parsed."""
        counted = gold.heads >= 0
        counted &= _holds(gold, "upos", lambda tag: tag != _PUNCTUATION)
        right = counted & (gold.heads == predicted.heads)
        both = right & (_base_labels(gold) == _base_labels(predicted))
        tagged = None if with_tagger is None else cls.from_treebanks(gold, with_tagger)
        return cls(int(counted.sum()), int(right.sum()), int(both.sum()), tagged)

    @classmethod
    def sum(cls, counts: Iterable[AttachmentCounts]) -> AttachmentCounts:
        """That of all words together."""
        found = list(counts)
        tagged = [each.tagged for each in found if each.tagged is not None]
        words, heads, labeled = (sum(getattr(each, name) for each in found) for name in ("words", "heads", "labeled"))
        return cls(words, heads, labeled, cls.sum(tagged) if tagged else None)

    @property
    def sort_key(self) -> tuple[int, int]:
        """Of two, the one with the larger rank is better: with the tags of the tagger, if there is one."""
        counted = self if self.tagged is None else self.tagged
        return counted.heads, counted.labeled

    def is_significantly_better(self, other: AttachmentCounts) -> bool:
        """Does it have more heads right, by more than one standard error of the difference?"""
        (own, _), (less, _) = self.sort_key, other.sort_key
        return own - less > math.sqrt(_DIFFERENT * self.words)

    @property
    def uas(self) -> float:
        return 100 * self.heads / max(1, self.words)

    @property
    def las(self) -> float:
        return 100 * self.labeled / max(1, self.words)


def _holds(treebank: Treebank, column: str, test: Any) -> Any:
    return np.array([test(text) for text in treebank.vocabulary(column)], dtype=bool)[treebank.column(column)]


def _base_labels(treebank: Treebank) -> Any:
    return np.array([base_label(label) for label in treebank.vocabulary("deprel")])[treebank.column("deprel")]


Method = Literal["combined-joint", "combined", "joint", "all", "pool", "vote", "sample"]
METHODS: tuple[Method, ...] = get_args(Method)
SAMPLE_METHODS: tuple[Method, ...] = ("joint", "sample", "combined-joint")  # they learn from the sample
COMBINED: tuple[Method, ...] = ("combined", "combined-joint")  # several parsers, whose trees are combined
Plan = Literal["target-first", "transfer-first", "region-wise"]
PLANS: tuple[Plan, ...] = get_args(Plan)
Model = Parser | Cascade | CombinedParser
Progress = Callable[[int], None]
_Split = tuple[Treebank, Treebank, Treebank | None]
FOLDS = 5
_EPOCHS = 4
DEFAULT_EXPONENT = 2  # of nearness
_BEAM = 4  # of the parser that is combined with greedy ones
_SHARE = 0.4  # of several sources together, beside each source alone, without a sample
MIN_WEIGHT = 0.001


@dataclass(frozen=True, eq=False)
class SourceTreebank:
    """A treebank of another language, as it is learned from, and how far its language is from the target's."""

    name: str
    treebank: Treebank
    divergence: float | None = None  # None: there was nothing to measure it by


@dataclass(frozen=True, eq=False)
class TrialRun:
    """A parser to train, by a way, from sentences of the sample, and what it is scored on, if on anything.

    `tagged`: the same sentences with the tags of a tagger.
    """

    method: Method | Plan
    sample: Treebank | None
    gold: Treebank | None = None
    tagged: Treebank | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MethodRunner:
    """The parsers that sources and a sample make, by method.

    "all" learns from all sources, each with the more weight the nearer it is, and "pool" from the `max_sources` nearest
    alone: both read tags only, as does "vote", in which the parsers of single sources vote on each action, with the
    same weights as in "all". "joint" learns from all sources, weighted likewise and without their words, together with
    the sample, which counts about as much as the nearest of them. "sample" learns from the sample alone.

    Two of them combine the trees of several parsers. In "combined" they are those of single sources, a source that is
    twice as far with half of the weight, and those of "all", of "pool", and of "all" with a beam, which together count
    less. In "combined-joint" they are those of single sources, of "joint", of the nearest sources and the sample with a
    beam, and of "sample"; each of the last three counts as much as all single sources together.

    Plans make cascades of such parsers: in each class of arcs, those are kept that the parser finds which is the best
    there (`competent_regions`), and the last parser finds the rest under these. In "target-first" the parser of the
    sample comes first, and that of all sources is the last; in "transfer-first" it is the other way round. In
    "region-wise" there is one for each of the nearest sources, and one of the sample, the most precise first, and the
    joint parser is the last; without a sample, similarity of tags tells where a source is the best
    (`similar_regions`), and the parser of all sources is the last. If one parser is the best everywhere, it is that.
    """

    sources: Sequence[SourceTreebank]
    max_sources: int
    sample: Treebank | None
    dev: Treebank | None
    seed: int
    threads: int
    text: TagTrigramCounts | None = None  # what the language is known by
    tagged: Treebank | None = None  # what is scored on, with the tags of a tagger that did not learn from it
    _made: dict[tuple[str, int], tuple[object, Parser]] = field(
        default_factory=dict, repr=False
    )  # with what they are of
    _split: dict[int, list[_Split]] = field(default_factory=dict, repr=False)  # the sample, by folds

    def learn(
        self, method: Method, sample: Treebank | None, stop: Listener | None = None, text: Treebank | None = None
    ) -> Parser:
        """One parser by a method; of the sample, only these sentences are learned from.

        With a `text` of the language, in which some words have heads, its words are learned from as well, beside the
        sources without theirs. Raises KeyboardInterrupt if Ctrl-C ended training.
        """
        if method in COMBINED:
            raise SpecError(f"{method} is several parsers; expected a method that makes one")
        own = sample if method in SAMPLE_METHODS else None
        if text is not None:
            return self._learned(method, own, stop, text)
        return self._kept(method, own, lambda: self._learned(method, own, stop, None))

    def _kept(self, name: str, treebank: Treebank | None, learn: Callable[[], Parser]) -> Parser:
        """The parser of a name and a treebank, which is trained once."""
        key = (name, id(treebank))  # paths may be the same
        if key not in self._made:
            self._made[key] = (treebank, learn())
        return self._made[key][1]

    def _learned(self, method: Method, own: Treebank | None, stop: Listener | None, text: Treebank | None) -> Parser:
        if method == "sample":
            return whole(_of_sample(own, text, self._options(stop)))
        if method == "vote":
            return self._vote(text, stop)
        chosen = list(self.sources[: self.max_sources] if method == "pool" else self.sources)
        weights = [1.0] * len(chosen) if method == "pool" else self.source_weights()
        return self._of_treebanks([source.treebank for source in chosen], weights, own, stop, text=text)

    def _of_treebanks(
        self,
        treebanks: Sequence[Treebank],
        weights: Sequence[float],
        own: Treebank | None,
        stop: Listener | None,
        *,
        text: Treebank | None = None,
        beam: int = 1,
    ) -> Parser:
        """A parser of sources by their tags, and of the words of sample and text, if there are any."""
        options = {"epochs": _EPOCHS, "members": 1, **self._options(stop)}
        options |= {"strategy": DYNAMIC_EXPLORE} if beam == 1 else {}
        if own is None and text is None:
            return whole(train(_spec(beam), treebanks, treebank_weights=weights, **options))
        mean = float(np.mean([len(each) for each in treebanks]))
        added = [each for each in (own, text) if each is not None]
        # Each counts as much as a source, a sentence of the sample at least once.
        more = [min(max(1.0 if each is own else 0.0, mean / len(each)), MAX_TREEBANK_WEIGHT) for each in added]
        spec, every = _spec(beam, added[0]), [*map(blanked, treebanks), *added]
        return whole(train(spec, every, treebank_weights=[*weights, *more], **options))

    def _options(self, stop: Listener | None) -> dict[str, Any]:
        listeners = [] if stop is None else [stop]
        return {"seed": self.seed, "dev": self.dev, "threads": self.threads, "listeners": listeners}

    def _vote(self, text: Treebank | None, stop: Listener | None) -> Parser:
        """The parsers of the nearest sources, each of which learns from the text as well, as one."""

        def learn(source: SourceTreebank, inner: Listener) -> Parser:
            return self._of_sources(source, inner if stop is None else stop, text)

        near = list(self.sources[:MAX_VOTERS])
        parsers = run_all(learn, near, self.threads)
        return make_voting_parser(parsers, weights=self.source_weights()[: len(near)])

    # --- Several parsers ---

    def make(self, method: Method | Plan, sample: Treebank | None, stop: Listener | None = None) -> Model:
        """What a method or a plan makes of the sources and these sentences of the sample."""
        if method in COMBINED:
            return self._combined(sample if method in SAMPLE_METHODS else None, stop)
        if method not in PLANS:
            return self.learn(cast(Method, method), sample, stop)
        if sample is None:
            return self._by_similarity(stop)
        target = self.learn("sample", sample, stop)
        jackknifed = self._jackknifed("sample", sample, stop)
        if method == "region-wise":
            return self._by_region(target, jackknifed, sample, stop)
        sources = self._of_sources(None, stop)
        far = min((each.divergence or 0.0 for each in self.sources), default=0.0)
        own, others = competent_regions(sample, [jackknifed, self._parsed(sources, sample)], divergences=[None, far])
        if method == "target-first":
            return _cascade([("sample", own, target)], ("sources", sources))
        return _cascade([("sources", others, sources)], ("sample", target))

    def _combined(self, sample: Treebank | None, stop: Listener | None) -> CombinedParser:
        """The parsers of single sources, and others of several of them, and of the sample if there is one."""
        near = list(self.sources[:MAX_VOTERS])
        parsers = [self._of_sources(each, stop) for each in near]
        weights = self.source_weights(1)[: len(near)]
        total = sum(weights)
        share = 1.0
        if sample is None:
            treebanks = [source.treebank for source in self.sources]
            with_beam = self._of_treebanks(treebanks, self.source_weights(), None, stop, beam=_BEAM)
            others = {"all": self.learn("all", None, stop), "pool": self.learn("pool", None, stop)}
            others["all, with a beam"] = with_beam
            share = _SHARE / len(others)
        else:
            treebanks = [source.treebank for source in self.sources[: self.max_sources]]
            with_beam = self._of_treebanks(treebanks, [1.0] * len(treebanks), sample, stop, beam=_BEAM)
            others = {"joint": self.learn("joint", sample, stop), "sample": self.learn("sample", sample, stop)}
            others["pool and sample, with a beam"] = with_beam
        every = [*[share] * len(others), *(weight / total for weight in weights)]
        return CombinedParser([*others.values(), *parsers], every, [*others, *(each.name for each in near)])

    def _by_region(
        self, target: Parser, jackknifed: Treebank, sample: Treebank, stop: Listener | None
    ) -> Parser | Cascade:
        last = self.learn("joint", sample, stop)
        near = list(self.sources[: self.max_sources])
        parsers = [self._of_sources(each, stop) for each in near]
        found = [
            jackknifed,
            *(self._parsed(parser, sample) for parser in parsers),
            self._jackknifed("joint", sample, stop),
        ]
        divergences = [None, *(each.divergence or 0.0 for each in near), -1.0]  # what nobody knows is left to the last
        *known, _ = competent_regions(sample, found, divergences=divergences)
        rows = zip(("sample", *(each.name for each in near)), known, (target, *parsers), strict=True)
        ordered = sorted(rows, key=lambda row: -(row[1].precision or 0.0))
        return _cascade(ordered, ("joint", last))

    def _by_similarity(self, stop: Listener | None) -> Parser | Cascade:
        if self.text is None:
            raise SpecError("region-wise: expected a sample, or tagged text, to tell which source is the best for what")
        near = list(self.sources[: self.max_sources])
        known = similar_regions(self.text, [each.treebank for each in near])
        rows = [(each.name, own, self._of_sources(each, stop)) for each, own in zip(near, known, strict=True)]
        ordered = sorted(rows, key=lambda row: row[1].divergence or 0.0)
        return _cascade(ordered, ("sources", self._of_sources(None, stop)))

    def _of_sources(self, source: SourceTreebank | None, stop: Listener | None, text: Treebank | None = None) -> Parser:
        """The parser of one source by its tags alone; None: of all. With a text, words of that are read, too."""
        if source is not None and text is not None:
            return replace(self, sources=[source], max_sources=1, _made={}).learn("all", None, stop, text)
        if source is None:
            return self.learn("all", None, stop)
        alone = replace(self, sources=[source], max_sources=1, _made={})
        return self._kept("source", source.treebank, lambda: alone.learn("all", None, stop))

    def _parsed(self, parser: Model, treebank: Treebank) -> Treebank:
        found = treebank.copy()
        parser.annotate(found, threads=self.threads)
        return found

    def _jackknifed(self, method: Method, sample: Treebank, stop: Listener | None) -> Treebank:
        """The sample, each fold parsed by a parser that learned from the others."""

        def learn(rest: Treebank, fold: Fold, inner: Listener) -> Parser:
            return self.learn(method, rest, inner if stop is None else stop)

        def annotate(parser: Parser, held_out: Treebank) -> Sequence[str]:
            parser.annotate(held_out)
            return TREES

        if len(sample) < 2:
            raise TreebankError(f"{sample.path}: expected at least two sentences to tell what a parser is good at")
        return jackknife(sample, min(FOLDS, len(sample)), learn, annotate, threads=self.threads)

    def source_weights(self, exponent: int = DEFAULT_EXPONENT) -> list[float]:
        """The weight of each source: 1 of the nearest, a quarter of one that is twice as far; 1 if nobody knows.

        With an `exponent` of 1, it is half of one that is twice as far.
        """
        far = [1.0 if each.divergence is None else max(each.divergence, MIN_PROBABILITY) for each in self.sources]
        return [max((min(far) / own) ** exponent, MIN_WEIGHT) for own in far]

    # --- Scores ---

    def trials(self, method: Method | Plan, folds: int) -> list[TrialRun]:
        """What scores a way: on the development set, or else on the sample.

        A way that learns from the sample is scored in folds: each is parsed by a parser that learned from the rest.
        """
        if self.dev is not None or method not in (*SAMPLE_METHODS, *PLANS):
            return [TrialRun(method, self.sample, self.dev if self.dev is not None else self.sample, self.tagged)]
        return [TrialRun(method, *split) for split in self._splits(folds)]

    def _splits(self, folds: int) -> list[_Split]:
        """The sample without each fold, the fold, and the same with the tags of the tagger."""
        assert self.sample is not None
        if folds not in self._split:
            self._split[folds] = [
                (
                    self.sample[fold.rest],
                    self.sample[fold.held_out],
                    None if self.tagged is None else self.tagged[fold.held_out],
                )
                for fold in make_folds(len(self.sample), folds)
            ]
        return self._split[folds]

    def run(
        self, trials: Sequence[TrialRun], progress: Progress | None = None
    ) -> list[tuple[Model, AttachmentCounts | None]]:
        """The parser of each trial, and its score; threads share the trials, and change nothing.

        `progress` is called with the number of trials that are finished.
        """
        lock, done = Lock(), 0

        def work(trial: TrialRun, stop: Listener) -> tuple[Model, AttachmentCounts | None]:
            nonlocal done
            parser = self.make(trial.method, trial.sample, stop)
            tally = None if trial.gold is None else self.count_attachments(parser, trial.gold, trial.tagged)
            with lock:
                done += 1
                if progress is not None:
                    progress(done)
            return parser, tally

        return run_all(work, trials, self.threads)

    def compare(
        self, methods: Sequence[Method | Plan], folds: int, progress: Progress | None = None
    ) -> list[tuple[AttachmentCounts, Model | None]]:
        """How each way scores, and its parser, if it is a complete one."""
        trials = [self.trials(way, folds) for way in methods]
        results = iter(self.run([each for own in trials for each in own], progress))
        found: list[tuple[AttachmentCounts, Model | None]] = []
        for own in trials:
            pairs = [next(results) for _ in own]
            tally = AttachmentCounts.sum(each for _, each in pairs if each is not None)
            found.append((tally, pairs[0][0] if own[0].sample is self.sample else None))
        return found

    def count_attachments(self, parser: Model, gold: Treebank, tagged: Treebank | None = None) -> AttachmentCounts:
        """The score of a parser; it may meet tags that it does not know."""
        with_tagger = None if tagged is None else self._parsed(parser, tagged)
        return AttachmentCounts.from_treebanks(gold, self._parsed(parser, gold), with_tagger)


def _cascade(stages: Iterable[tuple[str, CompetenceRegions, Parser]], last: tuple[str, Parser]) -> Parser | Cascade:
    """A cascade of trained parsers, without those that are the best nowhere."""
    chosen = [
        CascadeStage(name=name, keep_regions=own.regions, model=parser) for name, own, parser in stages if own.regions
    ]
    if not chosen:
        return last[1]
    return train_cascade([*chosen, CascadeStage(name=last[0], model=last[1])])


def _of_sample(sample: Treebank | None, text: Treebank | None, options: dict[str, Any]) -> Parser:
    """A parser of the sample alone, or of sample and text, which count the same."""
    assert sample is not None
    if text is None:
        return train(_spec(8, sample), sample, **options)
    return train(_spec(8, sample), [sample, text], treebank_weights=[max(1.0, len(text) / len(sample)), 1.0], **options)


def _spec(beam: int, sample: Treebank | None = None) -> ParserSpec:
    """A parser with universal labels, which reads words if there is a sample to learn them from."""
    lean = templates("lean")
    chosen = lean.delexicalized() if sample is None else annotated_templates(lean, sample)
    return ParserSpec(templates=chosen, beam=beam, labels="universal")
