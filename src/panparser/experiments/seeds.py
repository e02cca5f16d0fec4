"""train_seeds: one model for each seed, each trained on its own copy of the data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from panparser.learning.folds import run_all
from panparser.learning.listeners import Listener
from panparser.learning.record import whole
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank


def train_seeds(
    spec: ParserSpec,
    treebank: Treebank,
    seeds: Iterable[int],
    *,
    dev: Treebank | None = None,
    threads: int = 1,
    **options: Any,
) -> list[Parser]:
    """A parser for each seed, in order; `options` are those of `Training`."""

    def work(seed: int, stop: Listener) -> Parser:
        own_dev = None if dev is None else dev.copy()
        return whole(train(spec, treebank.copy(), dev=own_dev, listeners=[stop], **(options | {"seed": seed})))

    return run_all(work, list(seeds), threads)
