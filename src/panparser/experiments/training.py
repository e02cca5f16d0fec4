"""Everything that can be trained in an experiment: how it is trained, what it writes, how it is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from typing import Any

import numpy as np

from panparser.ensembles.cascade import Cascade, CascadeStage
from panparser.ensembles.cascade_training import train_cascade
from panparser.ensembles.combination import CombinedParser
from panparser.errors import SpecError
from panparser.evaluation.metrics import evaluate
from panparser.learning.classifiers import tag_columns
from panparser.learning.record import Trained
from panparser.networks.network import NetworkSpec
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.folds import TREES
from panparser.parsing.training.options import ParserTrainingOptions
from panparser.parsing.training.run import score
from panparser.parsing.training.train import train
from panparser.pipeline.pipeline import Pipeline
from panparser.pipeline.training import PipelineSpec, train_pipeline
from panparser.pipeline.training import scores as pipeline_scores
from panparser.sequences.networks import NetworkTagger
from panparser.sequences.tagger import Tagger, TaggerSpec, train_tagger
from panparser.text.lemmatizer.lemmatizer import Lemmatizer
from panparser.text.raw import extract_raw_text
from panparser.text.tokenizer.tokenizer import Tokenizer
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

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
    found = evaluate(gold, model.tokenize(extract_raw_text(gold).text), samples=0)
    return {name: found[name].f1 for name in ("Tokens", "Sentences", "Words")}


@scores_of.register
def _(model: Pipeline, gold: Treebank) -> Mapping[str, float]:
    found = pipeline_scores(model, gold)
    raw = {f"raw text {name}": value for name, value in found.get("raw text", {}).items()}
    return found.get("gold tokens", {}) | raw
