"""Regions estimated from the accuracy of a quick parser: the arcs that a partial parser handles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from panparser._checks import MAX_INT, check_count, check_share
from panparser.errors import SpecError
from panparser.features.sets import templates
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.folds import jackknife
from panparser.treebank.regions import LENGTHS, SETS, ArcRegion, Arcs
from panparser.treebank.treebank import Treebank

By = Literal["upos", "head_upos", "direction", "length", "label"]


def estimate_regions(
    treebank: Treebank,
    *,
    precision: float = 0.9,
    by: Sequence[By] = ("upos", "direction"),
    least: int = 20,
    folds: int = 5,
    spec: ParserSpec | None = None,
    epochs: int = 3,
    seed: int = 1,
    threads: int | None = None,
) -> tuple[ArcRegion, ...]:
    """Classes of arcs that a quick parser gets right often enough, on sentences that it was not trained on.

    At least `least` of the arcs that it predicts (greedily, unless `spec` differs) are in the class, and this
    share of them is correct: heads, and labels if the class is by label.
    """
    if not isinstance(by, Sequence) or not by or not all(each in get_args(By) for each in by):
        raise SpecError(f"estimate_regions: by must be some of {', '.join(get_args(By))}; got {by!r}")
    check_count("estimate_regions: least", least, most=MAX_INT)
    check_share("estimate_regions: precision", precision)
    quick = spec or ParserSpec(templates=templates("fast"), beam=1, labeled="label" in by)
    parsed = jackknife(quick, treebank, folds, threads=threads, epochs=epochs, seed=seed, members=1)
    arcs = Arcs.of(parsed)
    right = (parsed.heads == treebank.heads) & (treebank.heads >= 0)
    if "label" in by:
        right &= np.array(Arcs.of(parsed).names("label")) == np.array(Arcs.of(treebank).names("label"))
    counts: dict[tuple[str, ...], list[int]] = {}
    known = (treebank.heads >= 0).tolist()
    for names, is_right, counted in zip(
        zip(*(arcs.names(each) for each in by), strict=True), right.tolist(), known, strict=True
    ):
        count = counts.setdefault(names, [0, 0])
        count[0] += is_right and counted
        count[1] += counted
    chosen = [names for names, (good, total) in counts.items() if total >= least and good >= precision * total]
    return tuple(_region(dict(zip(by, names, strict=True))) for names in sorted(chosen))


def _region(values: dict[str, str]) -> ArcRegion:
    made: dict[str, Any] = {name: (value,) if name in SETS else value for name, value in values.items()}
    number = int(made.pop("length", -1))
    if number >= 0:
        made["min_length"], made["max_length"] = LENGTHS[number]
    elif "length" in values:  # arcs of Root have none
        made["direction"] = "root"
    return ArcRegion(**made)
