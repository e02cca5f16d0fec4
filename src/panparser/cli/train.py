"""`panparser train`."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import RootPlace
from panparser.cli.inputs import cores, refuse_inputs
from panparser.cli.parts import train_parts
from panparser.cli.progress import progress
from panparser.cli.stages import train_stages
from panparser.cli.tables import print_table
from panparser.errors import ModelError, SpecError
from panparser.evaluation.metrics import evaluate
from panparser.features.vectors import Vectors
from panparser.learning.listeners import EpochReport, Listener
from panparser.learning.options import Training
from panparser.parsing.parser import Parser
from panparser.parsing.training.folds import jackknife
from panparser.parsing.training.train import train as learn
from panparser.recipes.cascade import CascadeRecipe
from panparser.recipes.pipeline import PipelinePart
from panparser.recipes.recipe import WRITTEN, Recipe
from panparser.storage.files import check_writable, remove
from panparser.treebank.conllu import write_conllu
from panparser.treebank.treebank import Treebank

Report = Callable[[str, int, int], None]


@app.command()
def train(
    files: Annotated[list[str] | None, typer.Argument(metavar="[TRAIN...]", help="More of -t.", hidden=True)] = None,
    treebanks: Annotated[
        list[str] | None, typer.Option("--train", "-t", metavar="TRAIN...", help="Treebanks to learn from.")
    ] = None,
    dev: Annotated[
        str | None, typer.Option("--dev", "-d", metavar="DEV", help="Treebank that the best epoch is chosen by.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file.")] = None,
    system: Annotated[
        str | None,
        typer.Option(help="A built-in transition system, or a .json or .toml file.  [default: arc-eager]"),
    ] = None,
    root: Annotated[RootPlace | None, typer.Option(help="Where Root stands.  [default: last]")] = None,
    single_root: Annotated[
        bool | None,
        typer.Option("--single-root/--multi-root", help="One child of Root, or any number.  [default: single-root]"),
    ] = None,
    beam: Annotated[int | None, typer.Option(help="Hypotheses kept; 1 is greedy.  [default: 8]")] = None,
    strategy: Annotated[str | None, typer.Option(help="When to update.  [default: max-violation]")] = None,
    epochs: Annotated[
        int | None,
        typer.Option(help="Passes over the treebank, at most; of a pipeline, those of its parser.  [default: 8]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same model.  [default: 1]")] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="rich|rich-stack|zn11|fast|FILE", help="Feature templates.  [default: what fits the system]"
        ),
    ] = None,
    vectors: Annotated[
        str | None, typer.Option(metavar="FILE", help="Embeddings of words, for templates such as S0.vector.")
    ] = None,
    unlabeled: Annotated[bool, typer.Option("--unlabeled", help="Learn heads only.")] = False,
    delexicalized: Annotated[bool, typer.Option("--delexicalized", help="No word forms and lemmas.")] = False,
    init: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Go on from this model; its system, templates and beam are taken."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run that was stopped left off.")] = False,
    recipe: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="A recipe; what flags say goes before it.")
    ] = None,
    pipeline: Annotated[
        bool,
        typer.Option("--pipeline", help="Train tokenizer, tagger and lemmatizer as well: a model for raw text."),
    ] = False,
) -> None:
    """Train a parser, or with --pipeline everything that makes trees from raw text.

    The model goes to MODEL, and MODEL.toml says how it was made: training with that recipe gives the same bytes.
    Ctrl-C keeps the best parser so far, and --resume goes on after that, or after a crash; a pipeline is written when
    all its parts are trained. Everything that has no flag is in the recipe: docs/guides/training.md shows one.

    Examples:

      panparser train -t train.conllu -d dev.conllu -o en.panparser

      panparser train --pipeline -t train.conllu -d dev.conllu -o en.panparser

      panparser train -t train.conllu -o en.panparser --system arc-hybrid --beam 1 --strategy dynamic

      panparser train --recipe en.panparser.toml --seed 2 -o en2.panparser

      panparser train --recipe cascade.toml -o en.panparser      # a recipe with [[stages]]: docs/guides/cascades.md
    """
    if recipe is not None and CascadeRecipe.is_one(recipe):
        files_said = {"train": (*(treebanks or ()), *(files or ())) or None, "dev": dev}
        single = {"system": system, "root": root, "single-root": single_root, "beam": beam, "templates": templates}
        single |= {"vectors": vectors, "unlabeled": unlabeled or None, "delexicalized": delexicalized or None}
        single |= {"init": init, "resume": resume or None, "pipeline": pipeline or None}
        train_stages(recipe, _place(output, recipe), files_said, _said(strategy, epochs, seed), single)
        return
    given = Recipe.read(recipe) if recipe is not None else Recipe()
    said = _with_flags(
        given,
        {"train": (*(treebanks or ()), *(files or ())) or None, "dev": dev},
        {
            "system": system,
            "root": root.value if root else None,
            "single_root": single_root,
            "beam": beam,
            "templates": templates,
            "vectors": vectors,
            "labeled": False if unlabeled else None,
            "delexicalized": delexicalized or None,
        },
        _said(strategy, epochs, seed) | {"init": init},
    )
    model = _place(output, recipe)
    refuse_inputs(str(model), *(said.data.train or ()), said.data.dev, recipe, vectors)
    if not said.data.train:
        raise SpecError("expected treebanks to learn from: -t TRAIN.conllu, or a recipe that names some")
    if pipeline or said.pipeline is not None:
        train_parts(replace(said, pipeline=said.pipeline or PipelinePart()), recipe, model, resume)
        return
    job = _Job(said.resolved(), model, resume)
    job.check(recipe)
    with progress() as report:
        job.run(report)
    job.finish()


def _said(strategy: str | None, epochs: int | None, seed: int | None) -> dict[str, Any]:
    return {"strategy": strategy, "epochs": epochs, "seed": seed}


def _with_flags(recipe: Recipe, data: dict[str, Any], parser: dict[str, Any], training: dict[str, Any]) -> Recipe:
    """The recipe, with what the flags say in the place of what it says."""
    data, parser, training = (
        {key: value for key, value in flags.items() if value is not None} for flags in (data, parser, training)
    )
    table = dict(recipe.parser.to_values())
    if "system" in parser:  # a flag that names another system leaves nothing of the old one
        table = {key: value for key, value in table.items() if key not in ("root", "single_root")}
    part = replace(recipe.parser, **(dict.fromkeys(recipe.parser.to_values()) | table | parser))
    said = replace(recipe.training, **training)
    if "seed" in training:
        said = replace(said, seeds=None)
    return replace(recipe, data=replace(recipe.data, **data), parser=part, training=said)


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


@dataclass
class _Job:
    """One run of the command: recipe in, model out."""

    recipe: Recipe
    model: Path
    resume: bool
    parser: Parser | None = None
    interrupted: bool = False
    vectors: Vectors | None = None

    def __post_init__(self) -> None:
        self.seeds = self.recipe.training.seeds or (self.recipe.training.options()["seed"],)
        self.is_file = not self.model.exists() or self.model.is_file()  # not a pipe or a device
        self.writes_recipe = self.is_file
        self.rows: list[tuple[str, ...]] = []  # of the summary

    @property
    def written(self) -> Path:
        return self.model.with_name(self.model.name + ".toml")

    def check(self, source: str | None) -> None:
        """Refuses what cannot be written, before the work."""
        check_writable(self.model, ModelError)
        if self.recipe.folds.predictions not in (None, "-"):
            check_writable(Path(str(self.recipe.folds.predictions)), SpecError)
        if len(self.seeds) > 1 and self.recipe.data.dev is None:
            raise SpecError("several seeds need a development set, by which the best is chosen: -d DEV.conllu")
        if not self.is_file or not self.written.exists():
            return
        if source is not None and self.written.resolve() == Path(source).resolve():
            if Recipe.read(source).resolved() != self.recipe:
                raise SpecError(f"{source}: flags change this recipe; say where the new model goes: -o MODEL")
            self.writes_recipe = False
        elif not self.written.read_bytes().startswith(WRITTEN.encode()):
            raise SpecError(f"{self.written}: the recipe of the model would replace this file; choose another -o")

    def run(self, report: Report) -> None:
        report("reading", 0, 0)
        treebank, dev = self.recipe.treebanks()
        self.vectors = self.recipe.load_vectors()
        if self.recipe.folds.count is not None:
            self._fold(treebank, report)
        scores = []
        for seed in self.seeds:
            parser = self._train(seed, treebank, dev, report)
            scores.append(_score(parser))
            if self.parser is None or (scores[-1] or 0) > (_score(self.parser) or 0):
                self.parser = parser
            if self.interrupted:
                return
        if len(self.seeds) > 1:
            known = [value for value in scores if value is not None]
            spread = f"{statistics.mean(known):.2f} ± {statistics.stdev(known):.2f}"
            self.rows.append(("seeds", f"{len(scores)}, dev score {spread}; seed {self._seed()} is kept"))

    def _seed(self) -> int:
        return int(self.parser.training["seed"]) if self.parser else 0

    def _train(self, seed: int, treebank: Treebank, dev: Treebank | None, report: Report) -> Parser:
        options = self.recipe.training.options() | {"seed": seed}
        checkpoint = self._checkpoint(seed)
        if checkpoint is not None and not is_quiet():
            if self.resume and not checkpoint.exists():
                _say(f"{checkpoint}: there is none; training begins anew")
            elif not self.resume and checkpoint.exists():
                _say(f"{checkpoint}: left by another run, will be overwritten (--resume would go on from it)")
        name = f"seed {seed}, " if len(self.seeds) > 1 else ""
        init = self.recipe.load_init()
        spec = self.recipe.parser.spec()
        members = 1 if spec.uses_vectors else Training(**options).members_for(treebank.words)
        listeners = [_Watch(report, name, options["epochs"], members * treebank.words)]
        try:
            parser = learn(
                spec,
                treebank,
                dev=dev,
                vectors=self.vectors,
                init=init,
                listeners=listeners,
                checkpoint=checkpoint,
                resume=self.resume,
                **self.recipe.training_constraints(treebank, dev),
                **options,
            )
        except KeyboardInterrupt:
            if self.parser is None:
                _say("interrupted before an epoch was complete: there is no model")
                raise typer.Exit(130) from None
            self.interrupted = True
            return self.parser
        self.interrupted = bool(parser.training["interrupted"])
        return parser

    def _checkpoint(self, seed: int) -> Path | None:
        if not self.is_file:
            return None
        middle = f".seed-{seed}" if len(self.seeds) > 1 else ""
        return self.model.with_name(f"{self.model.name}{middle}.checkpoint")

    def _fold(self, treebank: Treebank, report: Report) -> None:
        folds = self.recipe.folds
        count = folds.count or 0
        report(f"{count} folds", 0, 0)
        spec, options = self.recipe.parser.spec(), self.recipe.training.options()
        if self.recipe.constraints.train:
            raise SpecError("[folds]: expected no constraints from files, whose sentences would not be split")
        options |= self.recipe.training_constraints(treebank, None)
        predicted = jackknife(spec, treebank, count, threads=min(count, cores()), vectors=self.vectors, **options)
        if folds.predictions is not None:
            write_conllu(folds.predictions, predicted)
        scores = evaluate(treebank, predicted, samples=0)
        labeled = f"  LAS {scores.las:.2f}" if spec.labeled else ""
        self.rows.append(
            ("folds", f"{count}, each parsed by a parser that learned from the others: UAS {scores.uas:.2f}{labeled}")
        )

    def finish(self) -> None:
        """Saves the model and the recipe, and says what became of it all."""
        parser = self.parser
        if parser is None:
            raise RuntimeError("nothing was trained")
        parser.save(self.model)
        if self.writes_recipe:
            self.recipe.write(self.written)
        if self.interrupted:
            _say(f"interrupted: {self.model} is the best model so far (--resume goes on)")
        else:
            for seed in self.seeds:
                if (checkpoint := self._checkpoint(seed)) is not None:
                    remove(checkpoint)
        if not is_quiet():
            print_table((), [*_summary(parser), *self.rows, *self._files()], "ll")
        if self.interrupted:
            raise typer.Exit(130)

    def _files(self) -> list[tuple[str, str]]:
        rows = [("model", f"{self.model}, {self.model.stat().st_size:,} bytes" if self.is_file else str(self.model))]
        if self.is_file:
            rows.append(("recipe", str(self.written)))
        return [*rows, ("CPU", f"{time.process_time():.1f} s")]


def _score(parser: Parser) -> float | None:
    """On the development set, as selection counts it."""
    best = _best(parser)
    score: float | None = best["uas"] if best["las"] is None else best["las"]
    return score


def _best(parser: Parser) -> dict[str, Any]:
    training = parser.training
    return next(report for report in training["history"] if report["epoch"] == training["best_epoch"])


def _summary(parser: Parser) -> list[tuple[str, str]]:
    history, best = parser.training["history"], _best(parser)
    way = "best" if best["uas"] is not None else "last"
    rows = [(f"{way} epoch", f"{best['epoch']} of {len(history)}")]
    if best["uas"] is not None:
        rows.append(("dev", _scores(best)))
    if (rounding := parser.training["rounding"]) is not None:
        what = f"(last epoch, first {rounding['sentences']} sentences; {_scores(rounding['after'])} after)"
        rows.append(("dev, not yet bytes", f"{_scores(rounding['before'])}  {what}"))
    if (losses := parser.training["losses"]) is not None:
        share = 100 * losses["approximate"] / losses["states"]
        rows.append(
            ("costs", f"approximate in {losses['approximate']:,} of {losses['states']:,} states ({share:.2g} %)")
        )
    if (cost := best["pruning"]) is not None:
        rows.append(
            ("pruned", f"weights below {cost['least']:.3g} updates: {cost['whole_size']:,} -> {cost['size']:,} bytes")
        )
        if cost["uas"] is not None:
            rows.append(("dev, pruned", _scores(cost)))
    return rows


def _scores(values: dict[str, Any]) -> str:
    return f"UAS {values['uas']:.2f}" + ("" if values["las"] is None else f"  LAS {values['las']:.2f}")


def _say(message: str) -> None:
    print(f"panparser: {message}", file=sys.stderr)


class _Watch(Listener):
    """Tells of training on standard error: a bar on a terminal, and a line for each epoch."""

    def __init__(self, report: Report, name: str, epochs: int, words: int) -> None:
        self._report, self._name, self._epochs, self._words = report, name, epochs, words
        self._seen = 0
        self._best: tuple[float, int] | None = None
        self._start = time.perf_counter()

    def before_epoch(self, epoch: int) -> None:
        self._start = time.perf_counter()
        self._report(f"{self._name}epoch {epoch}/{self._epochs}", self._seen, self._epochs * self._words)

    def after_words(self, epoch: int, words: int, updates: int) -> None:
        rate = (words - self._seen) / max(1e-9, time.perf_counter() - self._start)
        best = f"  best {self._best[0]:.2f} (epoch {self._best[1]})" if self._best else ""
        text = f"{self._name}epoch {epoch}/{self._epochs}  {rate:,.0f} words/s  {updates:,} updates{best}"
        self._report(text, words, self._epochs * self._words)

    def after_epoch(self, report: EpochReport) -> None:
        self._seen = report.words
        if report.score is not None and (self._best is None or report.score > self._best[0]):
            self._best = (report.score, report.epoch)
        if not is_quiet():
            scores = "" if report.uas is None else "  " + _scores(vars(report))
            seconds = time.perf_counter() - self._start
            line = f"{self._name}epoch {report.epoch}  {report.updates:,} updates{scores}  {seconds:.1f} s"
            print(line, file=sys.stderr, flush=True)
