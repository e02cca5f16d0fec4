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

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import ROOT_HELP, FileFormat, FormatOption, LabelKind, RootPlace, TagsBy
from panparser.cli.inputs import parse_numbers
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.errors import SpecError
from panparser.learning.listeners import EpochReport
from panparser.recipes.listeners import RunListener, Step
from panparser.recipes.pipeline import PipelinePart
from panparser.recipes.reading import read_recipe
from panparser.recipes.recipe import Recipe

if TYPE_CHECKING:
    from panparser.recipes.results import RecipeResult


@app.command()
def train(
    files: Annotated[list[str] | None, typer.Argument(metavar="[TRAIN...]", help="More of -t.", hidden=True)] = None,
    treebanks: Annotated[
        list[str] | None, typer.Option("--train", "-t", metavar="TRAIN...", help="Treebanks to learn from.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="1,25,...", help="How often to learn from the sentences of each treebank.  [default: once]"
        ),
    ] = None,
    dev: Annotated[
        str | None, typer.Option("--dev", "-d", metavar="DEV", help="Treebank that the best epoch is chosen by.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file.")] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="bilstm|feed-forward|stack-lstm",
            help="Learn with a network (needs torch; parsing does not).  [default: a perceptron]",
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            help="A built-in system, or a .json or .toml file.  [default: arc-eager; of a network, arc-hybrid]"
        ),
    ] = None,
    root: Annotated[RootPlace | None, typer.Option(help=ROOT_HELP)] = None,
    single_root: Annotated[
        bool | None,
        typer.Option("--single-root/--multi-root", help="One child of Root, or any number.  [default: single-root]"),
    ] = None,
    beam: Annotated[
        int | None, typer.Option(help="Hypotheses kept; 1 is greedy.  [default: 8; of a network, 1]")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="When to update.  [default: max-violation; of a greedy network, dynamic]")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="Passes over the treebank, at most (of a pipeline: its parser).  [default: 8, or the network's]"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same model.  [default: 1]")] = None,
    batch: Annotated[
        int | None, typer.Option(help="Sentences that threads search by the same weights.  [default: 1]")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="They change no byte of the model, unless it is a network.  [default: all cores]"
        ),
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="rich|rich-stack|lean|easy|zn11|fast|FILE",
            help="Feature templates.  [default: what fits the system]",
        ),
    ] = None,
    vectors: Annotated[
        str | None, typer.Option(metavar="FILE", help="Embeddings of words, for templates such as S0.vector.")
    ] = None,
    unlabeled: Annotated[bool, typer.Option("--unlabeled", help="Learn heads only.")] = False,
    delexicalized: Annotated[
        bool,
        typer.Option("--delexicalized", help="Of the annotation, read UPOS alone: for parsing other languages."),
    ] = False,
    delexicalized_feats: Annotated[
        bool, typer.Option("--delexicalized-feats", help="The same, but read universal features as well.")
    ] = False,
    labels: Annotated[
        LabelKind | None, typer.Option(help="With their subtypes, or without (universal).  [default: full]")
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Continue from this model, with its system, templates and beam."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was stopped.")] = False,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints/--no-checkpoints", help="Keep what --resume needs, until training is over.")
    ] = True,
    recipe: Annotated[str | None, typer.Option(metavar="FILE.toml", help="A recipe; flags override it.")] = None,
    pipeline: Annotated[
        bool,
        typer.Option("--pipeline", help="Train tokenizer, tagger and lemmatizer as well: a model for raw text."),
    ] = False,
    tags: Annotated[
        TagsBy | None,
        typer.Option(
            help="Tags of a pipeline: by taggers before the parser; or by the parser's network, and lemmas, which is "
            "faster.  [default: jointly]"
        ),
    ] = None,
    lexicon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS.tsv", help="Words and their tags (UPOS), for the tagger of a pipeline; may be repeated."
        ),
    ] = None,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Train a parser, or with --pipeline everything that makes trees from raw text.

    The model goes to MODEL, and its complete recipe to MODEL.toml: training with that recipe gives the same bytes.
    Ctrl-C keeps the best parser so far, and --resume continues after that, or after a crash; a pipeline or cascade is
    written when all its parts are trained. Everything that has no flag is in the recipe: docs/guides/training.md shows
    one.

    Examples:

      panparser train -t train.conllu -d dev.conllu -o en.panparser

      panparser train --pipeline -t train.conllu -d dev.conllu -o en.panparser

      panparser train -t train.conllu -o en.panparser --system arc-hybrid --beam 1 --strategy dynamic

      panparser train --network bilstm -t train.conllu -d dev.conllu -o en.panparser

      panparser train --pipeline --network bilstm -t train.conllu -d dev.conllu -o en.panparser

      panparser train -t web.conllu news.conllu --weights 1,10 -o news.panparser

      panparser train --pipeline -t sample.conllu --lexicon words.tsv -o br.panparser

      panparser train --recipe en.panparser.toml --seed 2 -o en2.panparser

      panparser train --recipe cascade.toml -o en.panparser
    """
    given = read_recipe(recipe) if recipe is not None else Recipe()
    data = _without_none({"train": (*(treebanks or ()), *(files or ())) or None, "dev": dev})
    data |= {} if weights is None else {"weights": tuple(parse_numbers(weights))}
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
            given = replace(given, pipeline=PipelinePart())
        if tags is not None:
            if given.pipeline is None:
                raise SpecError("--tags is for a pipeline: --pipeline, or a recipe with [pipeline]")
            given = replace(given, pipeline=replace(given.pipeline, tags=tags.value))
        if lexicon:
            if given.pipeline is None:
                raise SpecError("--lexicon is for the tagger of a pipeline: --pipeline, or a recipe with [pipeline]")
            given = replace(given, pipeline=replace(given.pipeline, lexicon=tuple(lexicon)))
        trained_on, needs_data = given.data.train, not given.sources
    else:
        flags = of_parser | training | ({} if weights is None else {"weights": weights})
        _check_cascade_flags(str(recipe), flags, pipeline=pipeline, tags=tags is not None, lexicon=bool(lexicon))
        given = given.with_flags(data, training)
        trained_on, needs_data = given.base.data.train, given.needs_data
    model = _place(output, recipe)
    if not trained_on and needs_data:
        raise SpecError("expected treebanks to learn from: -t TRAIN.conllu, or a recipe that names some")
    _warn_of_dev(trained_on or (), (given if isinstance(given, Recipe) else given.base).data.dev)
    from panparser.recipes.running import run_recipe  # the learners, once the flags are checked

    with progress() as report:
        try:
            options: dict[str, Any] = {"resume": resume, "checkpoints": checkpoints, "threads": threads}
            options |= {"listeners": [_Watch(report)]}
            result = run_recipe(given, model, source=recipe, **options)
        except KeyboardInterrupt:
            more = "; --resume continues" if checkpoints and Path(f"{model}.checkpoint").exists() else ""
            _notice(f"interrupted before a model was complete: there is none{more}")
            raise typer.Exit(130) from None
    if result.interrupted:
        _notice(f"interrupted: {model} is the best model so far (--resume continues)")
    if not is_quiet():
        _print_result(result, model)
    if result.interrupted:
        raise typer.Exit(130)


def _warn_of_dev(files: Sequence[str], dev: str | None) -> None:
    """Says so if the development set is learned from: its scores are then no estimate of anything."""
    same = (
        dev is not None and os.path.isfile(dev) and any(os.path.isfile(f) and os.path.samefile(f, dev) for f in files)
    )
    if same and not is_quiet():
        _notice(f"warning: {dev} is learned from as well: its scores tell nothing about other sentences")


def _without_none(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}


def _check_cascade_flags(path: str, flags: Mapping[str, Any], **switches: bool) -> None:
    """Raises SpecError for a flag that is for a single parser, or that belongs to a stage."""
    names = {"labeled": "unlabeled", "single_root": "single-root"}
    for name in (*flags, *(switch for switch, is_on in switches.items() if is_on)):
        if name in ("init", "vectors", "weights"):
            raise SpecError(f"{path}: has stages, and --{name} is for a single parser")
        if name not in ("strategy", "epochs", "seed"):
            raise SpecError(f"{path}: has stages, so that --{names.get(name, name)} belongs into the recipe")


def _place(output: str | None, recipe: str | None) -> Path:
    if output == "-":
        raise SpecError("a model is a file, not standard output: -o MODEL")
    if output is not None:
        return Path(output)
    if recipe is None:
        raise SpecError("expected a file for the model: -o MODEL")
    if Path(recipe).suffix.lower() != ".toml":
        raise SpecError(f"expected a file for the model: -o MODEL ({recipe} does not end in .toml)")
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
    from panparser.cli.descriptions import show_model  # which knows pipelines and cascades, and takes time to import

    show_model(result.model, files)


def _notice(message: str) -> None:
    print(f"panparser: {message}", file=sys.stderr)


class _Watch(RunListener):
    """Reports progress on standard error: a bar on a terminal, and a line for each epoch."""

    only_watches = True

    def __init__(self, report: Callable[[str, int, int], None]) -> None:
        self._report = report
        self.before_step(Step(""))

    def before_step(self, step: Step) -> None:
        self._step, self._words = step, 0
        self._start = self._last = time.perf_counter()
        self._best: tuple[float, int] | None = None
        self._report(step.name, 0, 0)

    def notice(self, message: str) -> None:
        if not is_quiet():
            _notice(message)

    def before_epoch(self, epoch: int) -> None:
        self._start = time.perf_counter()
        self._report(self._title(epoch), self._words, self._step.epochs * self._step.words)

    def after_words(self, epoch: int, words: int, updates: int) -> None:
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
