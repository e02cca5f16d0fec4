"""`panparser train`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    LabelKind,
    RootOption,
    TagsBy,
    is_quiet,
    parse_numbers,
    print_notice,
    print_table,
    progress,
)
from panparser.errors import SpecError
from panparser.learning.listeners import EpochReport, RunListener, RunStep
from panparser.recipes.recipe import Recipe
from panparser.recipes.recipe_files import read_recipe
from panparser.recipes.sections import PipelineSection

if TYPE_CHECKING:
    from panparser.recipes.recipe_run import RecipeResult


def train(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TRAIN...]", help="Training treebanks; same as --train.", hidden=True),
    ] = None,
    treebanks: Annotated[
        list[str] | None, typer.Option("--train", "-t", metavar="TRAIN...", help="Training treebanks.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--treebank-weights",
            metavar="1,25,...",
            help="Weight of each treebank: passes over its sentences per epoch.  [default: 1 each]",
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option("--dev", "-d", metavar="DEV", help="Development treebank, used to select the best epoch."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="MODEL", help="Output model file.")] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="bilstm|feed-forward|stack-lstm",
            help="Train a neural network instead of a perceptron (needs torch; parsing does not).",
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            help="Transition system: built-in name, or .json/.toml file.  [default: arc-eager; arc-hybrid for networks]"
        ),
    ] = None,
    root: RootOption = None,
    single_root: Annotated[
        bool | None,
        typer.Option(
            "--single-root/--multi-root",
            help="Allow exactly one root word per sentence, or any number.  [default: single-root]",
        ),
    ] = None,
    beam: Annotated[
        int | None, typer.Option(help="Beam size; 1 is greedy search.  [default: 8; 1 for networks]")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="Training strategy.  [default: max-violation; dynamic for greedy networks]")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of epochs (in a pipeline: of the parser).  [default: 8, or as set by the network]"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.  [default: 1]")] = None,
    batch: Annotated[
        int | None,
        typer.Option("--batch-size", help="Sentences parsed with the same weights before an update.  [default: 1]"),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            help="Number of threads; does not affect the model, except for networks.  [default: all cores]",
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="rich|rich-stack|lean|easy|zn11|fast|FILE",
            help="Feature templates: a built-in set or a file.  [default: depends on the system]",
        ),
    ] = None,
    vectors: Annotated[
        str | None, typer.Option(metavar="FILE", help="Word embeddings, read by templates such as S0.vector.")
    ] = None,
    unlabeled: Annotated[bool, typer.Option("--unlabeled", help="Train an unlabeled parser.")] = False,
    delexicalized: Annotated[
        bool, typer.Option("--delexicalized", help="Use only UPOS as input, for cross-lingual transfer.")
    ] = False,
    delexicalized_feats: Annotated[
        bool, typer.Option("--delexicalized-feats", help="Use only UPOS and universal features as input.")
    ] = False,
    labels: Annotated[
        LabelKind | None,
        typer.Option(help="Keep (full) or strip (universal) relation subtypes.  [default: full]"),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Initialize from this model (its system, templates and beam)."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted run.")] = False,
    checkpoints: Annotated[
        bool,
        typer.Option("--checkpoints/--no-checkpoints", help="Write checkpoints for --resume while training."),
    ] = True,
    recipe: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Recipe file; command-line options override it.")
    ] = None,
    pipeline: Annotated[
        bool,
        typer.Option(
            "--pipeline", help="Train a full pipeline for raw text: tokenizer, tagger, lemmatizer and parser."
        ),
    ] = False,
    tags: Annotated[
        TagsBy | None,
        typer.Option(
            "--tagging",
            help="Tagging in a pipeline: jointly or one-by-one by column, or by-parser (network).  [default: jointly]",
        ),
    ] = None,
    lexicon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS.tsv", help="Word list with UPOS tags for the tagger (with --pipeline); repeatable."
        ),
    ] = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Train a parser, or a complete pipeline.

    Writes the model to MODEL and the complete recipe to MODEL.toml; training with that recipe reproduces the model
    exactly. Ctrl-C stops training and keeps the best parser so far; --resume continues an interrupted run. Pipelines
    and cascades are written only when all parts are trained. Settings without an option can be set in a recipe (see
    the guide "Training").
    """
    given = read_recipe(recipe) if recipe is not None else Recipe()
    data = _without_none({"train": (*(treebanks or ()), *(files or ())) or None, "dev": dev})
    data |= {} if weights is None else {"weights": tuple(parse_numbers("--treebank-weights", weights))}
    data |= {} if format == FileFormat.auto else {"format": format.value}
    of_parser = _without_none(
        {
            "system": system,
            "root": root.value if root else None,
            "single_root": single_root,
            "beam": beam,
            "templates": templates,
            "vectors": vectors,
            "network": network,
            "labeled": False if unlabeled else None,
            "delexicalized": "feats" if delexicalized_feats else delexicalized or None,
            "labels": labels.value if labels else None,
        }
    )
    training = _without_none({"strategy": strategy, "epochs": epochs, "seed": seed, "batch": batch, "init": init})
    if isinstance(given, Recipe):
        given = given.with_flags(data, of_parser, training)
        if pipeline and given.pipeline is None:
            given = replace(given, pipeline=PipelineSection())
        if tags is not None:
            if given.pipeline is None:
                raise SpecError("--tagging requires a pipeline: --pipeline, or a recipe with [pipeline]")
            given = replace(given, pipeline=replace(given.pipeline, tags=tags.value))
        if lexicon:
            if given.pipeline is None:
                raise SpecError("--lexicon requires a pipeline: --pipeline, or a recipe with [pipeline]")
            given = replace(given, pipeline=replace(given.pipeline, lexicon=tuple(lexicon)))
        trained_on, needs_data = given.data.train, not given.sources
    else:
        flags = of_parser | training | ({} if weights is None else {"weights": weights})
        _check_cascade_flags(str(recipe), flags, pipeline=pipeline, tags=tags is not None, lexicon=bool(lexicon))
        given = given.with_flags(data, training)
        trained_on, needs_data = given.base.data.train, given.needs_data
    model = _place(output, recipe)
    if not trained_on and needs_data:
        raise SpecError("expected training treebanks: -t TRAIN.conllu, or a recipe that names them")
    _warn_if_dev_is_training_data(trained_on or (), (given if isinstance(given, Recipe) else given.base).data.dev)
    from panparser.recipes.recipe_run import run_recipe  # the learners, once the flags are checked

    with progress() as report:
        try:
            options: dict[str, Any] = {"resume": resume, "checkpoints": checkpoints, "threads": threads}
            options |= {"listeners": [TrainingProgress(report)]}
            result = run_recipe(given, model, source=recipe, **options)
        except KeyboardInterrupt:
            more = "; --resume continues" if checkpoints and Path(f"{model}.checkpoint").exists() else ""
            print_notice(f"interrupted before a model was complete; nothing was written{more}")
            raise typer.Exit(130) from None
    if result.interrupted:
        print_notice(f"interrupted: {model} is the best model so far (--resume continues)")
    if not is_quiet():
        _print_result(result, model)
    if result.interrupted:
        raise typer.Exit(130)


def _warn_if_dev_is_training_data(train_files: Sequence[str], dev_file: str | None) -> None:
    if dev_file is None or is_quiet() or not os.path.isfile(dev_file):
        return
    if any(os.path.isfile(file) and os.path.samefile(file, dev_file) for file in train_files):
        print_notice(f"warning: {dev_file} is also training data: its scores do not measure generalization")


def _without_none(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}


def _check_cascade_flags(path: str, flags: Mapping[str, Any], **switches: bool) -> None:
    """Raise SpecError for a flag that a cascade does not support, or that its recipe sets for each stage."""
    flags_of = {
        "labeled": "unlabeled",
        "single_root": "single-root",
        "weights": "treebank-weights",
        "tags": "tagging",
        "batch": "batch-size",
    }
    for name in (*flags, *(switch for switch, is_on in switches.items() if is_on)):
        flag = flags_of.get(name, name)
        if name in ("init", "vectors", "weights"):
            raise SpecError(f"{path}: --{flag} is not supported for cascades")
        if name not in ("strategy", "epochs", "seed"):
            raise SpecError(f"{path}: --{flag} cannot be used with a cascade; set it in the recipe")


def _place(output: str | None, recipe: str | None) -> Path:
    if output == "-":
        raise SpecError("expected an output file, not standard output: -o MODEL")
    if output is not None:
        return Path(output)
    if recipe is None:
        raise SpecError("expected an output file: -o MODEL")
    if Path(recipe).suffix.lower() != ".toml":
        raise SpecError(f"expected an output file: -o MODEL ({recipe} does not end in .toml)")
    return Path(recipe).with_suffix("")


def _print_result(result: RecipeResult, model: Path) -> None:
    is_file = model.is_file()
    files = [("model", f"{model}, {model.stat().st_size:,} bytes" if is_file else str(model))]
    if is_file:
        files.append(("recipe", f"{model}.toml"))
    files.append(("CPU", f"{time.process_time():.1f} s"))
    from panparser.parsing.parser import Parser

    if isinstance(result.model, Parser):
        print_table((), [*result.summary(), *files], "ll")
        return
    from panparser.cli.descriptions import show_parts  # takes time to import

    show_parts(result.model, files)


class TrainingProgress(RunListener):
    """Reports progress on standard error: a bar on a terminal, and a line for each epoch."""

    is_passive = True

    def __init__(self, report: Callable[[str, int, int], None]) -> None:
        self._report = report
        self.before_step(RunStep(""))

    def before_step(self, step: RunStep) -> None:
        self._step, self._words = step, 0
        self._start = self._last = time.perf_counter()
        self._best: tuple[float, int] | None = None
        self._report(step.name, 0, 0)

    def on_notice(self, message: str) -> None:
        if not is_quiet():
            print_notice(message)

    def before_epoch(self, epoch: int) -> None:
        self._start = time.perf_counter()
        self._report(self._title(epoch), self._words, self._step.epochs * self._step.words)

    def on_progress(self, epoch: int, words: int, updates: int) -> None:
        rate = (words - self._words) / max(1e-9, time.perf_counter() - self._start)
        best = f"  best {self._best[0]:.2f} (epoch {self._best[1]})" if self._best else ""
        text = f"{self._title(epoch)}  {rate:,.0f} words/s  {updates:,} updates{best}"
        self._report(text, words, self._step.epochs * self._step.words)

    def after_epoch(self, report: EpochReport) -> None:
        self._words = report.words
        if report.score is not None and (self._best is None or report.score > self._best[0]):
            self._best = (report.score, report.epoch)
        if is_quiet():
            return
        named = {"UAS": report.uas, "LAS": report.las, "accuracy": getattr(report, "accuracy", None)}
        scores = "".join(f"  {name} {value:.2f}" for name, value in named.items() if value is not None)
        now = time.perf_counter()
        seconds, self._last = now - self._last, now  # from report to report: the next epoch has begun
        prefix = f"{self._step.name}, " if self._step.name else ""
        line = f"{prefix}epoch {report.epoch}  {report.updates:,} updates{scores}  {seconds:.1f} s"
        print(line, file=sys.stderr, flush=True)

    def _title(self, epoch: int) -> str:
        prefix = f"{self._step.name}, " if self._step.name else ""
        return f"{prefix}epoch {epoch}" + (f"/{self._step.epochs}" if self._step.epochs else "")
