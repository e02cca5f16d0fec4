"""What the command line shows of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from panparser.cli.terminal import print_table
from panparser.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.ensembles.combination import CombinedParser


def show_parts(model: Pipeline | Cascade | CombinedParser, rows: list[tuple[str, str]]) -> None:
    """Prints the rows, then the parts of a pipeline, the stages of a cascade or the parsers of a combination."""
    if isinstance(model, Pipeline):
        _show_pipeline(model, rows)
    elif model.kind == "combination":
        _show_combination(cast("CombinedParser", model), rows)
    else:
        _show_cascade(cast("Cascade", model), rows)


def _show_pipeline(pipeline: Pipeline, rows: list[tuple[str, str]]) -> None:
    """What a pipeline is made of, what was left out and why, and its scores."""
    left_out = pipeline.training.left_out
    parts = [(name, repr(part).strip("<>")) for name, part in pipeline.parts.items()]
    print_table((), [*rows, *parts, *((name, f"left out: {why}") for name, why in left_out.items())], "ll")
    if found := pipeline.training.dev:
        print()
        names = list(dict.fromkeys(name for values in reversed(found.values()) for name in values))
        print_table(("dev, F1", *names), [(way, *_figures(values, names)) for way, values in found.items()])


def _figures(values: dict[str, Any], names: list[str]) -> list[str]:
    return [f"{values[name]:.2f}" if name in values else "" for name in names]


def _show_combination(model: CombinedParser, rows: list[tuple[str, str]]) -> None:
    """Whose trees are combined, with which weights."""
    print_table((), rows, "ll")
    print()
    members = zip(model.names, model.weights, model.parsers, strict=True)
    table = [
        (name, f"{weight:.3f}", parser.spec.system.name, str(parser.spec.beam), str(len(parser.spec.used_templates)))
        for name, weight, parser in members
    ]
    print_table(("parser", "weight", "system", "beam", "templates"), table, "lrlrr")


def _show_cascade(cascade: Cascade, rows: list[tuple[str, str]]) -> None:
    """What a cascade is made of, as tables."""
    print_table((), rows, "ll")
    print()
    table = []
    for number, (stage, parser) in enumerate(zip(cascade.stages, cascade.parsers, strict=True), start=1):
        best = parser.training.best  # a vote has none
        scores = ("" if score is None else f"{score:.2f}" for score in ((best.uas, best.las) if best else (None, None)))
        regions = "; ".join(map(str, stage.output_regions)) or "every arc"
        table.append((str(number), stage.name, parser.spec.system.name, str(parser.spec.beam), *scores, regions))
    print_table(("", "stage", "system", "beam", "UAS", "LAS", "region"), table, "lllrrrl")
