"""What a run of a recipe gives: the model, its recipe, and scores."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from panparser.parsing.parser import Parser

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.pipeline.pipeline import Pipeline
    from panparser.recipes.cascade import CascadeRecipe
    from panparser.recipes.recipe import Recipe

_FULL = " (labels with subtypes: FullLAS of `evaluate`)"
_UNIVERSAL = " (labels without subtypes: LAS of `evaluate`)"


@dataclass(frozen=True)
class SeedScore:
    """The development score (LAS, or UAS of an unlabeled parser) of one seed; None without a development set."""

    seed: int
    score: float | None


@dataclass(frozen=True)
class CrossValidationScores:
    """Scores of the training data, each fold parsed by a parser that learned from the others."""

    count: int
    uas: float
    las: float | None


@dataclass(frozen=True, kw_only=True)
class RecipeResult:
    """The trained model, the complete recipe that makes it again, and how it scored.

    `interrupted`: Ctrl-C ended training, and the model is the best so far. `seeds`: those that were trained; the model
    is that of the best.
    """

    model: Parser | Pipeline | Cascade
    recipe: Recipe | CascadeRecipe
    interrupted: bool = False
    seeds: tuple[SeedScore, ...] = ()
    folds: CrossValidationScores | None = None

    def summary(self) -> list[tuple[str, str]]:
        """Rows of name and value: how training of a parser ended, scores of folds and seeds."""
        rows = parser_rows(self.model) if isinstance(self.model, Parser) else []
        if self.folds is not None:
            scores = _scores(vars(self.folds))
            rows.append(
                ("folds", f"{self.folds.count}, each parsed by a parser that learned from the others: {scores}")
            )
        if len(self.seeds) > 1 and not self.interrupted:
            known = [each.score for each in self.seeds if each.score is not None]
            spread = f"{statistics.mean(known):.2f} ± {statistics.stdev(known):.2f}"
            kept = self.model.training.seed
            rows.append(("seeds", f"{len(self.seeds)}, dev score {spread}; seed {kept} is kept"))
        return rows


def parser_rows(parser: Parser) -> list[tuple[str, str]]:
    """Rows of name and value: the epoch that was kept, its scores, what rounding and pruning cost."""
    record = parser.training
    best = record.best
    if best is None:
        return []
    kept = "best" if best.uas is not None else "last"
    rows = [(f"{kept} epoch", f"{best.epoch} of {len(record.history)}")]
    if best.uas is not None:
        counted = "" if best.las is None else _FULL if parser.spec.labels == "full" else _UNIVERSAL
        rows.append(("dev", _scores(vars(best)) + counted))
    if (rounding := record.rounding) is not None:
        what = f"(last epoch, first {rounding['sentences']} sentences; {_scores(rounding['after'])} after)"
        rows.append(("dev, not yet bytes", f"{_scores(rounding['before'])}  {what}"))
    if (losses := record.losses) is not None:
        share = 100 * losses["approximate"] / losses["states"]
        rows.append(
            ("costs", f"approximate in {losses['approximate']:,} of {losses['states']:,} states ({share:.2g} %)")
        )
    if (cost := best.pruning) is not None:
        rows.append(
            ("pruned", f"weights below {cost['least']:.3g} updates: {cost['whole_size']:,} -> {cost['size']:,} bytes")
        )
        if cost["uas"] is not None:
            rows.append(("dev, pruned", _scores(cost)))
    return rows


def dev_score(parser: Parser) -> float | None:
    """The score by which epochs and seeds are selected."""
    best = parser.training.best
    return None if best is None else best.score


def _scores(values: dict[str, Any]) -> str:
    return f"UAS {values['uas']:.2f}" + ("" if values["las"] is None else f"  LAS {values['las']:.2f}")
