"""`panparser train --pipeline`, and `panparser info` of what comes of it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import typer

from panparser.cli.app import is_quiet
from panparser.cli.descriptions import show_pipeline
from panparser.cli.inputs import cores
from panparser.cli.progress import progress
from panparser.cli.stages import PartWatch, written_recipe
from panparser.errors import SpecError
from panparser.pipeline.training import PipelineSpec, train_pipeline
from panparser.recipes.recipe import Recipe


def train_parts(recipe: Recipe, path: str | None, model: Path, resume: bool) -> None:
    """Trains the pipeline of a recipe, which was read from a path, if from any."""
    single: dict[str, Any] = {"--resume": resume, "init": recipe.training.init, "seeds": recipe.training.seeds}
    single |= {"[folds]": recipe.folds.to_values(), "[constraints]": recipe.constraints.to_values()}
    if said := [name for name, value in single.items() if value]:
        raise SpecError(f"{said[0]} is for single parsers, not for a pipeline")
    written, is_same = written_recipe(model, path)
    recipe = recipe.resolved()
    if is_same and Recipe.read(written).resolved() != recipe:
        raise SpecError(f"{path}: flags change this recipe; say where the new model goes: -o MODEL")
    assert recipe.pipeline is not None
    spec = PipelineSpec(parser=recipe.parser.spec(), **recipe.pipeline.options())
    with progress() as report:
        report("reading", 0, 0)
        treebank, dev = recipe.treebanks()
        watch = PartWatch(report)
        options = recipe.training.options()
        if "parser" not in spec.parts:
            options = {"seed": options["seed"]}
        try:
            pipeline = train_pipeline(
                spec,
                treebank,
                dev=dev,
                threads=cores(),
                vectors=recipe.load_vectors(),
                listeners=[watch],
                before_part=watch.before_part,
                **options,
            )
        except KeyboardInterrupt:
            print("panparser: interrupted: a pipeline is written when all its parts are trained", file=sys.stderr)
            raise typer.Exit(130) from None
    pipeline.save(model)
    if not is_same:
        recipe.write(written)
    if not is_quiet():
        files = [("model", f"{model}, {model.stat().st_size:,} bytes"), ("recipe", str(written))]
        show_pipeline(pipeline, [*files, ("CPU", f"{time.process_time():.1f} s")])
