"""cross_validate and jackknife: each fold processed by a model trained on the others, for everything trainable.

Each training runs in its own thread (the engine releases Python's lock), on its own copy of the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from panparser.experiments.training import ExperimentOptions, Trainable, columns_of, scores_of, trainer
from panparser.learning.folds import Fold, make_folds, over_folds
from panparser.learning.folds import jackknife as jackknife_columns
from panparser.learning.listeners import Listener
from panparser.treebank.treebank import Treebank


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
    `train_lemmatizer` or `partial(train_cascade, stages, given="gold")`. Ctrl-C raises KeyboardInterrupt. `threads`
    (None: one for each core) train as many models at once; if there are listeners that do not only watch, it is one
    unless you say how many.
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
