"""Cross-validation and training with several seeds, for anything that can be trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, singledispatch
from itertools import islice
from typing import Any, Unpack

import numpy as np

from panparser.base.checks import MAX_SEEDS, check_count
from panparser.batches.classifier import tag_columns
from panparser.ensembles.cascade import Cascade, CascadeStage
from panparser.ensembles.cascade_training import train_cascade
from panparser.ensembles.combination import CombinedParser
from panparser.errors import SpecError
from panparser.evaluation.metrics import evaluate
from panparser.learning.folds import Fold, make_folds, over_folds, run_all
from panparser.learning.folds import jackknife as jackknife_columns
from panparser.learning.listeners import Listener
from panparser.learning.training_record import Trained, whole
from panparser.networks.network import NetworkSpec
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.pipeline.pipeline import Pipeline
from panparser.pipeline.pipeline_training import PipelineSpec, train_pipeline
from panparser.pipeline.pipeline_training import scores as pipeline_scores
from panparser.tagging.network_tagger import NetworkTagger
from panparser.tagging.tagger import Tagger, TaggerSpec, train_tagger
from panparser.text.lemmatizer import Lemmatizer
from panparser.text.raw_text import extract_raw_text
from panparser.text.tokenizer import Tokenizer
from panparser.training.parser_run import score
from panparser.training.training_parsers import TREES, ParserTrainingOptions, train
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN


def train_seeds(
    spec: ParserSpec,
    treebank: Treebank,
    seeds: Iterable[int],
    *,
    dev: Treebank | None = None,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[Parser]:
    """A parser for each seed, in order; `options` are those of `train` for one parser."""
    if "seed" in options:
        raise SpecError("train_seeds has no option seed; its seeds are an argument")

    def work(seed: int, stop: Listener) -> Parser:
        own_dev, seeded = None if dev is None else dev.copy(), options.copy()
        seeded["seed"] = seed
        return whole(train(spec, treebank.copy(), dev=own_dev, listeners=[stop], **seeded))

    chosen = list(islice(seeds, MAX_SEEDS + 1))
    check_count("number of seeds of train_seeds", len(chosen), maximum=MAX_SEEDS)
    return run_all(work, chosen, threads)


# What is trained: a spec, the stages of a cascade, or a function such as `train_lemmatizer`.
Trainable = ParserSpec | TaggerSpec | NetworkSpec | PipelineSpec | Sequence[CascadeStage] | Callable[..., Trained]


class ExperimentOptions(ParserTrainingOptions, total=False):
    """Training options in an experiment; each kind takes those that apply to it."""

    dev: Treebank | None


def trainer(trainable: Trainable) -> Callable[..., Any]:
    """The function that trains it: a treebank, `listeners` and options to a model."""
    if isinstance(trainable, ParserSpec):
        return partial(train, trainable)
    if isinstance(trainable, TaggerSpec | NetworkSpec):
        return partial(train_tagger, trainable)
    if isinstance(trainable, PipelineSpec):
        return partial(train_pipeline, trainable)
    if callable(trainable):
        return trainable
    if isinstance(trainable, Sequence) and trainable and all(isinstance(stage, CascadeStage) for stage in trainable):
        return partial(train_cascade, trainable)
    kinds = "a ParserSpec, TaggerSpec, PipelineSpec, a Network of a tagger, a list of Stages, or a function that trains"
    raise SpecError(f"spec of an experiment must be {kinds}; got {trainable!r}")


# --- What models write ---


@singledispatch
def columns_of(model: object) -> tuple[str, ...]:
    """The columns that a model writes into a treebank."""
    raise SpecError(f"expected a model that annotates the words of a treebank; got {model!r}")


@columns_of.register
def _(model: Parser) -> tuple[str, ...]:
    return (*tag_columns(model.classifier), *TREES)


@columns_of.register(Cascade)
@columns_of.register(CombinedParser)
def _(model: Cascade | CombinedParser) -> tuple[str, ...]:
    return TREES


@columns_of.register(Tagger)
@columns_of.register(NetworkTagger)
def _(model: Tagger | NetworkTagger) -> tuple[str, ...]:
    return model.columns


@columns_of.register
def _(model: Lemmatizer) -> tuple[str, ...]:
    return ("lemma",)


@columns_of.register
def _(model: Pipeline) -> tuple[str, ...]:
    columns = (*model.columns, *(TREES if model.parser is not None else ()))
    if not columns:
        raise SpecError(f"expected a pipeline that annotates the words of a treebank; got {model!r}")
    return columns


# --- How they are scored ---


@singledispatch
def scores_of(model: object, gold: Treebank) -> Mapping[str, float]:
    """Scores of a model on a treebank by name, in percent: those used for selection on a development set, or F1."""
    raise SpecError(f"expected a model that can be scored on a treebank; got {model!r}")


@scores_of.register
def _(model: Parser, gold: Treebank) -> Mapping[str, float]:
    uas, las = score(model, gold)
    return {"UAS": uas} if las is None else {"UAS": uas, "LAS": las}


@scores_of.register(Cascade)
@scores_of.register(CombinedParser)
def _(model: Cascade | CombinedParser, gold: Treebank) -> Mapping[str, float]:
    found, known = gold.copy(), gold.heads != UNKNOWN
    model.annotate(found)
    right = (found.heads == gold.heads) & known
    names = [[model.spec.learned_label(name) for name in each.vocabulary("deprel")] for each in (found, gold)]
    texts = [np.array(names[i], dtype=object)[each.labels] for i, each in enumerate((found, gold))]
    counts = {"UAS": right, **({"LAS": right & (texts[0] == texts[1])} if model.spec.labeled else {})}
    return {name: 100 * int(counted.sum()) / max(1, int(known.sum())) for name, counted in counts.items()}


@scores_of.register(Tagger)
@scores_of.register(NetworkTagger)
def _(model: Tagger | NetworkTagger, gold: Treebank) -> Mapping[str, float]:
    return model.accuracy(gold)


@scores_of.register
def _(model: Lemmatizer, gold: Treebank) -> Mapping[str, float]:
    return {"lemma": model.accuracy(gold)}


@scores_of.register
def _(model: Tokenizer, gold: Treebank) -> Mapping[str, float]:
    found = evaluate(gold, model.tokenize(extract_raw_text(gold).text), bootstrap_samples=0)
    return {name: found[name].f1 for name in ("Tokens", "Sentences", "Words")}


@scores_of.register
def _(model: Pipeline, gold: Treebank) -> Mapping[str, float]:
    found = pipeline_scores(model, gold)
    raw = {f"raw text {name}": value for name, value in found.get("raw text", {}).items()}
    return found.get("gold tokens", {}) | raw


@dataclass(frozen=True)
class FoldScore:
    """Scores of a model on sentences that it was not trained on.

    `scores` in percent, by name: UAS and LAS of parsers and cascades, accuracy of taggers (by column) and lemmatizers,
    F1 of tokenizers and pipelines. `uas` and `las` are None if they do not apply.
    """

    fold: int
    sentences: int  # scored
    words: int
    uas: float | None
    las: float | None
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)


def cross_validate(
    spec: Trainable,
    treebank: Treebank,
    folds: int = 10,
    *,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    **options: Unpack[ExperimentOptions],
) -> list[FoldScore]:
    """Scores on each fold, of a model trained on the others; `options` are those of its training.

    `spec`: a ParserSpec, TaggerSpec or PipelineSpec, the stages of a cascade, or a function that trains, such as
    `train_lemmatizer` or `partial(train_cascade, stages, stage_constraints="gold")`. Ctrl-C raises KeyboardInterrupt.
    `threads` (None: one for each core) train as many models at once; if there are listeners that do not only watch, it
    is one unless you say how many.
    """
    train = trainer(spec)

    def learn(rest: Treebank, fold: Fold, stop: Listener) -> Any:
        return train(rest, listeners=[stop, *listeners], **options)

    def judge(model: Any, held_out: Treebank, fold: Fold) -> tuple[int, Mapping[str, float]]:
        return held_out.words, scores_of(model, held_out)

    found = over_folds(treebank, folds, learn, judge, threads, listeners)
    return [
        FoldScore(number, len(fold.held_out), words, scores.get("UAS"), scores.get("LAS"), scores)
        for number, (fold, (words, scores)) in enumerate(
            zip(make_folds(len(treebank), folds), found, strict=True), start=1
        )
    ]


def jackknife(
    spec: Trainable,
    treebank: Treebank,
    folds: int = 10,
    *,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    **options: Unpack[ExperimentOptions],
) -> Treebank:
    """The treebank with each sentence annotated by a model that was not trained on it; the order is kept.

    Trees, tags or lemmas are written, depending on `spec` (see `cross_validate`).
    """
    train = trainer(spec)

    def learn(rest: Treebank, fold: Fold, stop: Listener) -> Any:
        return train(rest, listeners=[stop, *listeners], **options)

    def annotate(model: Any, held_out: Treebank) -> tuple[str, ...]:
        columns = columns_of(model)
        model.annotate(held_out)
        return columns

    return jackknife_columns(treebank, folds, learn, annotate, threads=threads, listeners=listeners)
