"""Folds of a treebank: each parsed by a parser that learned from the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from panparser.learning.folds import fold_numbers, run_all
from panparser.learning.listeners import Listener
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank

T = TypeVar("T")


def jackknife(spec: ParserSpec, treebank: Treebank, folds: int = 10, *, threads: int = 1, **options: Any) -> Treebank:
    """The treebank, each sentence with the tree of a parser that did not learn from it; the order is kept."""

    def parse(parser: Parser, held_out: Treebank) -> tuple[Any, list[str]]:
        parsed = parser.parse(held_out)
        names = parsed.vocabulary("deprel")
        return np.array(parsed.heads), [names[label] for label in parsed.labels]

    found = over_folds(parse, spec, treebank, folds, threads, options)
    predicted = copy_of(treebank.to_bytes(), treebank)
    for chosen, (heads, labels) in zip(fold_numbers(len(treebank), folds), found, strict=True):
        ids = {name: predicted.id_of("deprel", name) for name in sorted(set(labels))}
        words = np.isin(predicted.sentence_of_word(), chosen)
        predicted.heads[words] = heads
        predicted.column("deprel")[words] = [ids[name] for name in labels]
    return predicted


def over_folds(
    use: Callable[[Parser, Treebank], T],
    spec: ParserSpec,
    treebank: Treebank,
    folds: int,
    threads: int,
    options: dict[str, Any],
) -> list[T]:
    numbers = fold_numbers(len(treebank), folds)

    def work(held_out: list[int], stop: Listener) -> T:
        left = sorted(set(range(len(treebank))) - set(held_out))
        return use(whole(train(spec, treebank[left], listeners=[stop], **options)), treebank[held_out])

    return run_all(work, numbers, threads)


def whole(parser: Parser) -> Parser:
    """A parser whose training Ctrl-C did not cut short: an experiment with such ones would tell nothing."""
    if parser.training["interrupted"]:
        raise KeyboardInterrupt
    return parser


def copy_of(data: bytes, treebank: Treebank) -> Treebank:
    return Treebank(data, path=treebank.path, format=treebank.format)
