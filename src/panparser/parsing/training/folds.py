"""Folds of a treebank: each parsed by a parser trained on the others."""

from __future__ import annotations

from typing import Unpack

from panparser.learning.folds import HEAD, Fold
from panparser.learning.folds import jackknife as jackknife_columns
from panparser.learning.listeners import Listener
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.options import ParserTrainingOptions
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank

TREES = (HEAD, "deprel")  # the columns that a parser writes


def jackknife(
    spec: ParserSpec,
    treebank: Treebank,
    folds: int = 10,
    *,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> Treebank:
    """The treebank with each sentence parsed by a parser that was not trained on it; the order is kept."""

    def learn(rest: Treebank, fold: Fold, stop: Listener) -> Parser:
        return train(spec, rest, listeners=[stop], **options)

    def parse(parser: Parser, held_out: Treebank) -> tuple[str, ...]:
        parser.annotate(held_out)
        return TREES

    return jackknife_columns(treebank, folds, learn, parse, threads=threads)
