"""train_seeds: one model for each seed, each trained on its own copy of the data."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Unpack

from panparser._checks import MAX_SEEDS, check_count
from panparser.errors import SpecError
from panparser.learning.folds import run_all
from panparser.learning.listeners import Listener
from panparser.learning.record import whole
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.options import SeedlessParserTrainingOptions
from panparser.parsing.training.train import train
from panparser.treebank.treebank import Treebank


def train_seeds(
    spec: ParserSpec,
    treebank: Treebank,
    seeds: Iterable[int],
    *,
    dev: Treebank | None = None,
    threads: int | None = None,
    **options: Unpack[SeedlessParserTrainingOptions],
) -> list[Parser]:
    """A parser for each seed, in order; `options` are those of `train` for one parser."""
    if "seed" in options:
        raise SpecError("train_seeds has no option seed; its seeds are an argument")

    def work(seed: int, stop: Listener) -> Parser:
        own_dev = None if dev is None else dev.copy()
        return whole(train(spec, treebank.copy(), dev=own_dev, listeners=[stop], seed=seed, **options))

    chosen = list(islice(seeds, MAX_SEEDS + 1))
    check_count("number of seeds of train_seeds", len(chosen), most=MAX_SEEDS)
    return run_all(work, chosen, threads)
