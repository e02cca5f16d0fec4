"""`train_transfer`: a parser for a language with few trees or none, from treebanks of other languages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from panparser.base.checks import SHARE, check_choice, check_count, check_number
from panparser.base.threads import resolve_threads
from panparser.errors import SpecError, TreebankError
from panparser.learning.folds import Fold, jackknife
from panparser.learning.listeners import Listener
from panparser.learning.training_record import whole
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.tagging.lexicon import Lexicon
from panparser.tagging.tagger import Tagger, TaggerSpec, train_tagger
from panparser.transfer.candidates import (
    COMBINED,
    FOLDS,
    METHODS,
    PLANS,
    SAMPLE_METHODS,
    AttachmentCounts,
    Method,
    MethodRunner,
    Model,
    Plan,
    SourceTreebank,
    TrialRun,
)
from panparser.transfer.projection.projecting import warn_of_forests
from panparser.transfer.rewriting import RewritingReport, rewrite_word_order
from panparser.transfer.self_training import MIN_CONFIDENCE, SelfTrainingResult, run_self_training
from panparser.transfer.similarity import TagTrigramCounts, rank_sources
from panparser.transfer.source_files import SourceFile, source_name
from panparser.transfer.transfer_report import (
    GAIN_SENTENCES,
    ProjectedGain,
    SourceReport,
    TagReport,
    TransferReport,
    rule_reports,
)
from panparser.transfer.typology import Typology
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated
from panparser.treebank.treebank import sample_sentences as drawn

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
        return whole(
            train_tagger(
                TaggerSpec(columns=(_TAGGED,)),
                sample,
                dev=self.dev,
                listeners=[] if stop is None else [stop],
                lexicon=self.lexicon,
                seed=self.seed,
                threads=self.threads,
            )
        )

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


MAX_SOURCES, MAX_SOURCE_SENTENCES = 4, 1000
Progress = Callable[[str, int, int], None]
MIN_PLAN_SENTENCES = 3  # folds of folds
_PLANS_OF_SAMPLE = ("target-first", "transfer-first")


@dataclass(frozen=True)
class TransferResult:
    """A parser, how it was made, and the tagger that goes before it, if there is one."""

    parser: Model
    report: TransferReport
    tagger: Tagger | None = None

    @property
    def model(self) -> Model | Pipeline:
        """The parser, or the pipeline of tagger and parser."""
        return self.parser if self.tagger is None else Pipeline(taggers=[self.tagger], parser=self.parser)


def train_transfer(
    sources: Sequence[Treebank | SourceFile],
    sample: Treebank | None = None,
    *,
    typology: Typology | None = None,
    tagged_text: Treebank | None = None,
    dev: Treebank | None = None,
    language: str | None = None,
    method: Method | Plan | None = None,
    max_sources: int = MAX_SOURCES,
    max_source_sentences: int = MAX_SOURCE_SENTENCES,
    self_training: int = 0,
    min_confidence: float = MIN_CONFIDENCE,
    tagger: bool = False,
    lexicon: Lexicon | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> TransferResult:
    """A parser for the language of a `sample`, from that and from treebanks of other languages.

    The sources are ranked by similarity to the tags (UPOS) of sample and `tagged_text`, cut to `max_source_sentences`
    each, drawn by the seed, and rewritten to the word order that the `typology` tells. Then several parsers are made of
    them: by one `method`, if it is given, or by all, which are scored on the development set or, if there is none, on
    the sample, where each sentence is parsed by a parser that did not learn from it. Kept is the one that scores best,
    if that is more than chance, or else "combined-joint", which was the best for other languages ("joint" if it must be
    one parser, for self-training). `MethodRunner` describes the methods; without a sample they are those that read tags
    alone, and with nothing to score by, "combined" is made. A method can also be a plan, which makes a cascade, and is
    only taken if it is given. With `self_training`, so many rounds of it follow, with heads of the tagged text whose
    confidence is at least `min_confidence`, and are kept unless the scores are worse. With `tagger`, or with a
    `lexicon`, there is also a tagger of UPOS, which learns from the sample and the lexicon; parsers are then compared
    with its tags, and read no lemmas, XPOS and FEATS, which nobody would give to new sentences. Labels have no
    subtypes. The record of the parser tells all that was done, as does the report; the same seed gives the same bytes.
    `progress` is called with a step, and the numbers of steps done and in all.
    """
    _check(sources, sample, tagged_text, dev, method)
    _check_self_training(self_training, min_confidence, sample, tagged_text, dev, method)
    check_count("train_transfer: max_sources", max_sources)
    check_count("train_transfer: max_source_sentences", max_source_sentences)
    check_count("train_transfer: seed", seed, minimum=0)
    threads = resolve_threads("train_transfer: threads", threads)
    tell = progress or (lambda step, done, total: None)
    tagging = None
    if tagger or lexicon is not None:
        sample, dev = _before_tagging(sample, dev, lexicon)
        tagging = SampleTagger(lexicon, dev, seed, threads)
    text = _joined([each for each in (sample, tagged_text) if each is not None])
    ranked = _ranked(sources, text, tell)
    prepared, done = _rewritten(ranked, typology, max_source_sentences, seed, method, max_sources, tell)
    candidates = MethodRunner(
        sources=prepared,
        max_sources=max_sources if ranked[0].divergence is not None else len(prepared),
        sample=sample,
        dev=dev,
        seed=seed,
        threads=threads,
        text=text,
    )
    tags, learned = None, None
    if tagging is not None and sample is not None:
        tell("tagging", 0, 0)
        candidates = replace(candidates, tagged=tagging.tagged(sample, _folds(candidates)), _split={})
        learned = tagging.learn(sample)
        tags = _tag_report(candidates, lexicon)
    chosen, scores, parser = _compared(candidates, method, tell, single=self_training > 0)
    trained = None
    if self_training and tagged_text is not None:
        trained = _self_trained(candidates, cast(Method, chosen), tagged_text, self_training, min_confidence, tell)
        parser = trained.parser
    gain, parser = _finished(candidates, chosen, scores, parser, tell)
    made = TransferReport(
        method=chosen,
        language=language,
        sentences=0 if sample is None else len(sample),
        scored_on=_scored_on(candidates),
        scores=tuple(scores),
        sources=_source_reports(ranked, candidates),
        rules=rule_reports(done, typology),
        skipped_sentences=sum(each.nonprojective + each.missing_heads for each in done),
        projected_gain=gain,
        tags=tags,
        seed=seed,
        self_training=None if trained is None else trained.to_values(),
    )
    parser = parser.with_training(replace(parser.training, transfer=made.record()))
    return TransferResult(parser, made, learned)


def _before_tagging(
    sample: Treebank | None, dev: Treebank | None, lexicon: Lexicon | None
) -> tuple[Treebank, Treebank | None]:
    """What parsers learn from that see nothing but tags of a tagger."""
    if lexicon is not None and not isinstance(lexicon, Lexicon):
        raise SpecError(f"train_transfer: lexicon must be a Lexicon; got {lexicon!r}")
    if sample is None:
        raise SpecError("train_transfer: tagger requires a sample")
    check_tags(sample)
    return tags_alone(sample), None if dev is None else tags_alone(dev)


def _tag_report(candidates: MethodRunner, lexicon: Lexicon | None) -> TagReport:
    gold = candidates.dev if candidates.dev is not None else candidates.sample
    known = 0 if lexicon is None else len(lexicon)
    if candidates.tagged is None or gold is None:
        return TagReport(known, 0, 0)
    return TagReport(known, *agreement(gold, candidates.tagged))


def _check(sources: object, sample: object, tagged_text: object, dev: object, method: object) -> None:
    if isinstance(sources, Treebank | str) or not isinstance(sources, Sequence) or not sources:
        raise SpecError(f"train_transfer: sources must be a list of treebanks, at least one; got {sources!r}")
    for name, treebank in (("sample", sample), ("tagged_text", tagged_text), ("dev", dev)):
        if treebank is None:
            continue
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"train_transfer: {name} must be a Treebank; got {treebank!r}")
        if not treebank.words:
            raise TreebankError(f"{treebank.path}: expected sentences, found none")
        if name != "tagged_text" and not (treebank.heads >= 0).any():
            raise TreebankError(
                f"{treebank.path}: expected sentences with trees, found none with heads; tagged text without trees "
                "determines the nearest sources (tagged_text)"
            )
        if name != "tagged_text":
            warn_of_forests(treebank)
    if method is not None:
        check_choice("train_transfer: method", method, (*METHODS, *PLANS))
    if method in (*SAMPLE_METHODS, *_PLANS_OF_SAMPLE) and sample is None:
        raise SpecError(f"train_transfer: method={method!r} requires a sample")
    if method in PLANS and isinstance(sample, Treebank) and len(sample) < MIN_PLAN_SENTENCES:
        required = f"a sample of at least {MIN_PLAN_SENTENCES} sentences"
        raise SpecError(f"train_transfer: method={method!r} requires {required}; got {len(sample)}")
    if method == "region-wise" and sample is None and tagged_text is None:
        raise SpecError(
            "train_transfer: method='region-wise' requires a sample or tagged text (tagged_text); got neither"
        )


def _check_self_training(
    rounds: int,
    min_confidence: float,
    sample: Treebank | None,
    tagged_text: Treebank | None,
    dev: Treebank | None,
    method: str | None,
) -> None:
    check_count("train_transfer: self_training", rounds, minimum=0)
    check_number("train_transfer: min_confidence", min_confidence, SHARE)
    if not rounds:
        return
    if tagged_text is None:
        raise SpecError("train_transfer: self_training requires tagged text (tagged_text)")
    if method in (*COMBINED, *PLANS):
        raise SpecError(
            f"train_transfer: self_training cannot be combined with method={method!r}, which makes several parsers"
        )
    if dev is None and (sample is None or len(sample) < 2):
        raise SpecError(
            "train_transfer: self_training requires at least two sentences with trees, or a development set, to "
            "calibrate confidence"
        )


def _self_trained(
    candidates: MethodRunner, method: Method, tagged_text: Treebank, rounds: int, min_confidence: float, tell: Progress
) -> SelfTrainingResult:
    """The method, and rounds of self-training that follow; scores as for the method."""
    sample, dev = candidates.sample, candidates.dev
    trees = sample if sample is not None else dev
    assert trees is not None

    def learn(own: Treebank, text: Treebank | None, stop: Listener) -> Parser:
        return candidates.learn(method, None if sample is None else own, stop, text)

    return run_self_training(
        learn,
        trees,
        tagged_text,
        dev=dev,
        min_confidence=min_confidence,
        rounds=rounds,
        folds=FOLDS,
        threads=candidates.threads,
        progress=tell,
    )


# --- Sources ---


@dataclass(frozen=True, eq=False)
class RankedSource:
    """A source in its place."""

    file: SourceFile
    treebank: Treebank
    divergence: float | None


def _ranked(
    sources: Sequence[Treebank | SourceFile], text: TagTrigramCounts | None, tell: Progress
) -> list[RankedSource]:
    """The sources, nearest first; as they are given, if there is no text to rank them by."""
    found, counted = [], []
    for number, source in enumerate(sources):
        file = SourceFile(source_name(Path(source.path)), source.path) if isinstance(source, Treebank) else source
        tell(f"reading {file.name}", number, len(sources))
        treebank = source if isinstance(source, Treebank) else read_conllu(source.path, format=source.format)
        if not (treebank.heads >= 0).any():
            raise TreebankError(f"{treebank.path}: expected a treebank with heads to learn from, found none")
        warn_of_forests(treebank)
        counted.append(TagTrigramCounts.from_treebank(treebank))
        found.append(RankedSource(file, treebank, None))
    if text is None:
        return found
    ranks = rank_sources(text, counted)
    return [replace(found[rank.index], divergence=rank.divergence) for rank in ranks]


def _joined(texts: Sequence[Treebank]) -> TagTrigramCounts | None:
    return TagTrigramCounts.from_treebank(concatenated(texts)) if texts else None


def _rewritten(
    ranked: Sequence[RankedSource],
    typology: Typology | None,
    max_sentences: int,
    seed: int,
    method: Method | Plan | None,
    max_sources: int,
    tell: Progress,
) -> tuple[list[SourceTreebank], list[RewritingReport]]:
    """The sources that are needed, cut, and in the word order of the target."""
    needed = ranked[:max_sources] if method == "pool" and ranked[0].divergence is not None else ranked
    sources, done = [], []
    for number, each in enumerate(needed):
        tell(f"rewriting {each.file.name}", number, len(needed))
        treebank = drawn(each.treebank, max_sentences, seed=seed)
        if typology is not None and len(typology):
            treebank, changes = rewrite_word_order(treebank, typology, seed=seed)
            done.append(changes)
        sources.append(SourceTreebank(each.file.name, treebank, each.divergence))
    return sources, done


# --- Candidates ---


def _compared(
    candidates: MethodRunner, method: Method | Plan | None, tell: Progress, *, single: bool
) -> tuple[Method | Plan, list[tuple[Method | Plan, AttachmentCounts]], Model | None]:
    """The method to take, scores of all that were compared, best first, and the parser, if it is trained already.

    `single`: the method must make one parser.
    """
    known = [each for each in METHODS if not (single and each in COMBINED)]
    fitting = [each for each in known if candidates.sample is not None or each not in SAMPLE_METHODS]
    methods: list[Method | Plan] = [*fitting] if method is None else [method]
    folds = _folds(candidates)
    if candidates.dev is None and folds < 2:  # nothing to compare by
        return methods[0], [], None
    scores: list[tuple[Method | Plan, AttachmentCounts]] = []
    parsers: dict[str, Model | None] = {}
    total = sum(len(candidates.trials(each, folds)) for each in methods)
    step = f"comparing: {', '.join(methods)}"
    tell(step, 0, total)
    found = candidates.compare(methods, folds, lambda done: tell(step, done, total))
    for each, (tally, parser) in zip(methods, found, strict=True):
        parsers[each] = parser
        scores.append((each, tally))
    first = scores[0]  # the one that was the best for other languages
    scores.sort(key=lambda pair: pair[1].sort_key, reverse=True)
    chosen, _ = scores[0] if scores[0][1].is_significantly_better(first[1]) else first
    return chosen, scores, parsers[chosen]


def _folds(candidates: MethodRunner) -> int:
    return 0 if candidates.sample is None else min(FOLDS, len(candidates.sample))


def _scored_on(candidates: MethodRunner) -> str:
    if candidates.dev is not None:
        return f"the development set ({len(candidates.dev):,} sentences)"
    if _folds(candidates) < 2:
        return "nothing"
    return f"the sample, in {_folds(candidates)} folds"


def _finished(
    candidates: MethodRunner,
    chosen: Method | Plan,
    scores: Sequence[tuple[Method | Plan, AttachmentCounts]],
    parser: Model | None,
    tell: Progress,
) -> tuple[ProjectedGain | None, Model]:
    """What more sentences would bring, and the parser, which is trained beside that if there is none yet.

    The first is of the best method that learns from the sample, if scores rise with the logarithm of its sentences.
    """
    sample = candidates.sample
    best = next(((method, tally) for method, tally in scores if method in SAMPLE_METHODS), None)
    trials, more, half = [], 0, 0
    if best is not None and sample is not None and len(sample) >= 2 * FOLDS:
        half = len(sample) // 2
        more = len(sample) if candidates.dev is not None else len(sample) - len(sample) // FOLDS
        trials = _halves(candidates, best[0], half)
    last = [TrialRun(chosen, sample)] if parser is None else []
    if trials or last:
        tell(f"training: {chosen}" if last else "estimating", 0, 0)
    results = candidates.run([*last, *trials])
    made = results[0][0] if parser is None else parser
    if best is None or not trials:
        return None, made
    method, tally = best
    fewer = AttachmentCounts.sum(each for _, each in results if each is not None)
    slope = (tally.uas - fewer.uas) / math.log(more / half)
    points = slope * math.log((len(cast(Treebank, sample)) + GAIN_SENTENCES) / len(cast(Treebank, sample)))
    return ProjectedGain(method, half, fewer.uas, more, tally.uas, max(0.0, points)), made


def _halves(candidates: MethodRunner, method: Method | Plan, half: int) -> list[TrialRun]:
    """Trials with half of the sample."""
    assert candidates.sample is not None
    if candidates.dev is None:
        return candidates.trials(method, 2)
    return [TrialRun(method, drawn(candidates.sample, half, seed=candidates.seed), candidates.dev)]


# --- The report ---


def _source_reports(ranked: Sequence[RankedSource], candidates: MethodRunner) -> tuple[SourceReport, ...]:
    rows = zip(
        ranked, candidates.sources, candidates.source_weights(), strict=False
    )  # without those that are not needed
    return tuple(
        SourceReport(
            name=each.file.name,
            path=each.file.path,
            license=each.file.license,
            divergence=each.divergence,
            sentences=len(each.treebank),
            used=len(source.treebank),
            weight=weight,
            is_near=number < candidates.max_sources,
        )
        for number, (each, source, weight) in enumerate(rows)
    )
