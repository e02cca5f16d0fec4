"""`panparser train` with a recipe of several stages, and `panparser info` of what comes of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from panparser.cli.app import is_quiet
from panparser.cli.descriptions import show_cascade
from panparser.cli.inputs import cores, refuse_inputs
from panparser.cli.progress import progress
from panparser.ensembles.cascade_training import train_cascade
from panparser.errors import ModelError, SpecError
from panparser.learning.listeners import EpochReport, Listener
from panparser.recipes.cascade import CascadeRecipe
from panparser.recipes.recipe import WRITTEN
from panparser.storage.files import check_writable


def train_stages(
    path: str, model: Path, data: dict[str, Any], training: dict[str, Any], single: dict[str, Any]
) -> None:
    """Trains the cascade of a recipe; `single` are flags that make sense for one parser only."""
    for name in (name for name, value in single.items() if value is not None):
        if name in ("init", "resume", "vectors"):
            raise SpecError(f"{path}: has stages, and --{name} is for a single parser")
        raise SpecError(f"{path}: has stages, so that --{name} belongs into the recipe")
    recipe = CascadeRecipe.read(path).with_flags(
        *({k: v for k, v in d.items() if v is not None} for d in (data, training))
    )
    refuse_inputs(str(model), *(recipe.base.data.train or ()), recipe.base.data.dev, path)
    written, is_same = written_recipe(model, path)
    with progress() as report:
        report("reading", 0, 0)
        treebank, dev = recipe.base.treebanks()
        report("regions", 0, 0)
        stages = recipe.build(treebank)
        watch = PartWatch(report)
        try:
            cascade = train_cascade(
                stages,
                treebank,
                dev=dev,
                threads=cores(),
                listeners=[watch],
                before_stage=lambda number, stage: watch.before_part(
                    f"stage {number + 1} of {len(stages)} ({stage.name})"
                ),
                **recipe.options(),
            )
        except KeyboardInterrupt:
            print("panparser: interrupted: a cascade is written when all its stages are trained", file=sys.stderr)
            raise typer.Exit(130) from None
    cascade.save(model)
    if not is_same:
        recipe.described(stages).write(written)
    if not is_quiet():
        files = [("model", f"{model}, {model.stat().st_size:,} bytes"), ("recipe", str(written))]
        show_cascade(cascade, [*files, ("CPU", f"{time.process_time():.1f} s")])


def written_recipe(model: Path, path: str | None) -> tuple[Path, bool]:
    """Where the recipe of a model is written, and whether it is the one that was read; checks both files."""
    check_writable(model, ModelError)
    written = model.with_name(model.name + ".toml")
    is_same = path is not None and written.exists() and written.resolve() == Path(path).resolve()
    if written.exists() and not is_same and not written.read_bytes().startswith(WRITTEN.encode()):
        raise SpecError(f"{written}: the recipe of the model would replace this file; choose another -o")
    return written, is_same


class PartWatch(Listener):
    """Tells of the training of several parts on standard error: a bar on a terminal, and a line for each epoch."""

    def __init__(self, report: Callable[[str, int, int], None]) -> None:
        self._report, self._name = report, ""

    def before_part(self, name: str) -> None:
        self._name = name
        self._report(name, 0, 0)

    def after_words(self, epoch: int, words: int, updates: int) -> None:
        self._report(f"{self._name}, epoch {epoch}", words, 0)

    def after_epoch(self, report: EpochReport) -> None:
        if is_quiet():
            return
        named = {"UAS": report.uas, "LAS": report.las, "accuracy": getattr(report, "accuracy", None)}
        scores = "".join(f"  {name} {value:.2f}" for name, value in named.items() if value is not None)
        print(f"{self._name}, epoch {report.epoch}: {report.updates:,} updates{scores}", file=sys.stderr)
