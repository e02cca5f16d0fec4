"""score_recipe: train by a recipe, and score the model on treebanks."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from panparser.base.types import LongArray
from panparser.errors import SpecError
from panparser.evaluation.metrics import OFFICIAL, Evaluation, evaluate
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.recipes.cascade_recipe import CascadeRecipe
from panparser.recipes.recipe import Recipe
from panparser.recipes.recipe_run import run_recipe
from panparser.text.raw_text import extract_raw_text
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank
from panparser.trees.projectivity import nonprojectivity_counts
from panparser.work.keys import file_digest

COUNTED = ("UAS", "LAS", "FullLAS")  # metrics that are kept by sentence
_UNLABELED = ("UAS", "UAS-punct", "Exact-UAS")
_LABELED = ("UAS", "LAS", "CLAS", "FullLAS", "UAS-punct", "LAS-punct", "Exact-UAS", "Exact-LAS")
MAX_CACHED_WORDS = 3_000_000


@dataclass(frozen=True)
class SplitScores:
    """Scores of a model on a treebank by metric, in percent, and numbers of words by sentence."""

    scores: Mapping[str, float]
    correct: Mapping[str, LongArray]  # by metric
    gold: LongArray
    predicted: LongArray


@dataclass(frozen=True)
class ScoredRun:
    """Facts about a training run, and the scores of its model on each split."""

    facts: Mapping[str, float]
    splits: Mapping[str, SplitScores]


class TreebankCache:
    """The treebanks that were read last, by the hash of their files."""

    def __init__(self) -> None:
        self._treebanks: OrderedDict[tuple[str, str], Treebank] = OrderedDict()

    def read(self, path: str, format: Any = "auto") -> Treebank:
        """Return a copy of the treebank of a file."""
        key = (file_digest(path), format)
        if key not in self._treebanks:
            self._treebanks[key] = read_conllu(path, format=format)
            while len(self._treebanks) > 1 and self._count_words() > MAX_CACHED_WORDS:
                self._treebanks.popitem(last=False)
        self._treebanks.move_to_end(key)
        treebank = self._treebanks[key].copy()
        treebank.path = path
        return treebank

    def _count_words(self) -> int:
        return sum(treebank.words for treebank in self._treebanks.values())


_treebanks = TreebankCache()


def score_recipe(
    recipe: Recipe | CascadeRecipe,
    splits: Mapping[str, str],
    *,
    input: str = "tokens",
    model_file: str | Path | None = None,
) -> ScoredRun:
    """Train by a recipe with one thread, and score the model on the files of splits, from "tokens" or "text"."""
    start = time.process_time()
    result = run_recipe(recipe, model_file, threads=1, checkpoints=False, read=_treebanks.read)
    facts: dict[str, float] = {"training_cpu_seconds": round(time.process_time() - start, 6)}
    facts |= _training_facts(recipe, result.model)
    scored: dict[str, SplitScores] = {}
    for split, path in splits.items():
        gold = _treebanks.read(path)
        start = time.process_time()
        predicted = _predict(result.model, gold, input)
        facts[f"{split}_cpu_seconds"] = round(time.process_time() - start, 6)
        facts[f"{split}_words"] = gold.words
        scored[split] = score_split(gold, predicted, result.model)
    return ScoredRun(facts, scored)


def _training_facts(recipe: Recipe | CascadeRecipe, model: Any) -> dict[str, float]:
    record = model.training
    facts = {"model_bytes": float(model.weight_bytes)}
    for name in ("sentences", "words", "best_epoch"):
        if isinstance(value := getattr(record, name, None), int):
            facts[name] = value
    if (losses := getattr(record, "losses", None)) and losses["states"]:
        facts["approximate_percent"] = 100 * losses["approximate"] / losses["states"]
    if isinstance(recipe, Recipe) and recipe.data.train:
        facts["crossing_percent"] = crossing_percent(*(_treebanks.read(path) for path in recipe.data.train))
    return facts


def crossing_percent(*treebanks: Treebank) -> float:
    """Return the percentage of sentences that are not projective."""
    crossed = 0
    for treebank in treebanks:
        flags, _ = nonprojectivity_counts(treebank.heads, treebank.offsets)
        crossed += len(np.unique(treebank.sentence_of_word()[flags]))
    return 100 * crossed / max(1, sum(map(len, treebanks)))


def _predict(model: Any, gold: Treebank, input: str) -> Treebank:
    """Annotate the tokens of a treebank, or parse its text by a pipeline."""
    if input == "text":
        if not isinstance(model, Pipeline) or model.tokenizer is None:
            raise SpecError('[evaluation] input = "text": expected a pipeline with a tokenizer')
        return model(extract_raw_text(gold).text, threads=1)
    treebank = gold.copy()
    treebank.heads[:] = -1
    treebank.column("deprel")[:] = treebank.id_of("deprel", "_")
    model.annotate(treebank, threads=1)
    return treebank


def score_split(gold: Treebank, predicted: Treebank, model: Any = None) -> SplitScores:
    """Score what a model predicted, by the metrics that fit it; None stands for another program."""
    evaluation = evaluate(gold, predicted, bootstrap_samples=0)
    metrics = _metrics(model, evaluation)
    scores = {name: round(evaluation[name].f1, 6) for name in metrics}
    if isinstance(model, Pipeline):
        scores |= {name: round(evaluation[name].f1, 6) for name in OFFICIAL}
    elif (crosses := nonprojectivity_counts(gold.heads, gold.offsets)[0]).any():
        right = predicted.heads[crosses] == gold.heads[crosses]
        scores["Crossing"] = round(100 * float(right.mean()), 6)
    counts = {name: evaluation.counts[name] for name in COUNTED if name in metrics}
    correct = {name: table[:, 0].astype(np.int64) for name, table in counts.items()}
    words = evaluation.counts["UAS"].astype(np.int64)
    return SplitScores(scores, correct, words[:, 1], words[:, 2])


def _metrics(model: Any, evaluation: Evaluation) -> tuple[str, ...]:
    parser = model.parser if isinstance(model, Pipeline) else model
    spec = getattr(parser, "spec", None)
    is_unlabeled = isinstance(parser, Parser) and spec is not None and not spec.labeled
    return tuple(name for name in (_UNLABELED if is_unlabeled else _LABELED) if name in evaluation.scores)
