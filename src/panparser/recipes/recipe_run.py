"""`run_recipe`: trains what a recipe describes, and reports scores."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panparser.base.kinds import short_repr
from panparser.base.threads import resolve_threads
from panparser.errors import ModelError, SpecError
from panparser.learning.listeners import Listener, RunListener, RunStep, check_listeners, notify
from panparser.learning.training import TrainingConfig
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import bundled
from panparser.recipes.recipe import HEADER, Recipe
from panparser.recipes.recipe_files import read_recipe
from panparser.storage.atomic import check_writable
from panparser.training.corpus import pooled
from panparser.training.training_parsers import train
from panparser.treebank.conllu import read_conllu, write_conllu
from panparser.treebank.treebank import Treebank
from panparser.work.store import remove_checkpoint

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade, CascadeStage
    from panparser.pipeline.pipeline import Pipeline
    from panparser.recipes.cascade_recipe import CascadeRecipe
    from panparser.recipes.recipe import Recipe


@dataclass(frozen=True)
class Target:
    """A model file, with its recipe and its checkpoints beside it; without a file, nothing is written.

    `source` is the file that the recipe was read from, if any. If the model's recipe has the same name, it stays as it
    is.
    """

    model: Path | None
    source: Path | None = None

    @property
    def is_file(self) -> bool:
        """Whether the model goes to an ordinary file, not to a pipe or a device."""
        return self.model is not None and (not self.model.exists() or self.model.is_file())

    @property
    def recipe(self) -> Path | None:
        """Where the recipe is written: MODEL.toml."""
        return self.model.with_name(f"{self.model.name}.toml") if self.model is not None and self.is_file else None

    @property
    def keeps_source(self) -> bool:
        """Whether the model's recipe is the file that was read."""
        if self.recipe is None or self.source is None:
            return False
        return self.recipe.exists() and self.recipe.resolve() == self.source.resolve()

    def checkpoint(self, name: str = "") -> Path | None:
        """MODEL.checkpoint, or MODEL.name.checkpoint."""
        if self.model is None or not self.is_file:
            return None
        return self.model.with_name(".".join(filter(None, (self.model.name, name, "checkpoint"))))

    def check(self, *inputs: str | None) -> None:
        """Raises an error if the model or its recipe cannot be written, or would replace one of the `inputs`."""
        if self.model is None:
            return
        check_writable(self.model, ModelError, *inputs, self.source)
        recipe = self.recipe
        if recipe is None or not recipe.exists() or self.keeps_source:
            return
        if not recipe.read_bytes().startswith(HEADER.encode()):
            raise SpecError(
                f"{recipe}: the recipe of the model would replace this file; choose another file for the model"
            )


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


_USUAL_BEAM, _USUAL_MEMBERS = 8, 4
_NOTICED_FROM = 16  # times the cost of the usual ones


def run_recipe(
    recipe: Recipe | CascadeRecipe | str | os.PathLike[str],
    model: str | os.PathLike[str] | None = None,
    *,
    source: str | os.PathLike[str] | None = None,
    resume: bool = False,
    checkpoints: bool = True,
    threads: int | None = None,
    listeners: Sequence[Listener] = (),
    read: Callable[..., Treebank] = read_conllu,
) -> RecipeResult:
    """Trains what a recipe, or the file of one, describes: a parser, a pipeline or a cascade.

    With `model`, the model is written there, and the complete recipe to MODEL.toml; a file that a run must not replace
    raises SpecError before any work. `source` is the file that a changed recipe was read from. Until training is
    complete there are `checkpoints` beside the model: a file, or for pipelines and cascades a folder; with `resume` it
    continues from there. Ctrl-C ends training of a parser with the best so far; raises KeyboardInterrupt if there is
    none yet, and for pipelines and cascades.
    `threads` (None: one for each core) change no byte. A `RunListener` among the listeners is notified of each step.
    `read` reads the files of [data] of parsers and pipelines as `read_conllu` does; each treebank must be a new one.
    """
    if isinstance(recipe, str | os.PathLike):
        source, recipe = recipe, read_recipe(recipe)
    _check_recipe(recipe)
    check_listeners("run_recipe", listeners)
    threads = resolve_threads("run_recipe: threads", threads)
    target = Target(None if model is None else Path(model), None if source is None else Path(source))
    if resume and not checkpoints:
        raise SpecError("run_recipe: resume needs checkpoints")
    run = _Run(target, resume, checkpoints, threads, listeners, read)
    if not isinstance(recipe, Recipe):
        result = run.cascade(recipe)
    elif recipe.pipeline is not None:
        result = run.pipeline(recipe)
    else:
        result = run.parser(recipe)
    if target.model is not None:
        result.model.save(target.model)
        if str(target.model) in bundled():
            run._notice(f"{target.model} is also the name of a bundled model: load this one as ./{target.model}")
    if target.recipe is not None and not target.keeps_source:
        result.recipe.write(target.recipe)
    if not result.interrupted:
        for checkpoint in run.written:
            remove_checkpoint(checkpoint)
    return result


def _check_recipe(recipe: object) -> None:
    if isinstance(recipe, Recipe):
        return
    from panparser.recipes.cascade_recipe import CascadeRecipe  # only here: a parser needs no stages

    if not isinstance(recipe, CascadeRecipe):
        hint = "; Recipe.from_values makes one of plain values" if isinstance(recipe, Mapping) else ""
        raise SpecError(f"run_recipe: recipe must be a Recipe, or the file of one; got {short_repr(recipe)}{hint}")


class _Run:
    """One call of `run_recipe`."""

    def __init__(
        self,
        target: Target,
        resume: bool,
        checkpoints: bool,
        threads: int,
        listeners: Sequence[Listener],
        read: Callable[..., Treebank],
    ) -> None:
        self.target, self.resume, self.checkpoints = target, resume, checkpoints
        self.threads, self.listeners, self.read = threads, listeners, read
        self.written: list[Path] = []  # checkpoints

    def parser(self, recipe: Recipe) -> RecipeResult:
        """Trains a parser for each seed and keeps the best, after cross-validation if the recipe asks for it."""
        recipe = self._complete(recipe)
        seeds = recipe.seeds
        if recipe.cross_validation.output not in (None, "-"):
            others = [*recipe.inputs(), self.target.model, self.target.source]
            check_writable(Path(str(recipe.cross_validation.output)), SpecError, *others)
        if len(seeds) > 1 and recipe.data.dev is None:
            raise SpecError("several seeds need a development set to choose the best by: [data] dev; found none")
        self._before(RunStep("reading"))
        files, dev = recipe.files(self.read)
        files = [*recipe.read_sources(), *files]
        treebank, weights = pooled(files, recipe.all_weights())
        data: dict[str, Any] = {"dev": dev, "vectors": recipe.load_vectors()}
        data |= recipe.training_constraints(treebank, dev)
        folds = self._fold(recipe, treebank, data["vectors"]) if recipe.cross_validation.count is not None else None
        words = treebank.words if weights is None else weights.words(treebank)
        if weights is not None:
            data["treebank_weights"] = recipe.all_weights()
        best: Parser | None = None
        scores: list[SeedScore] = []
        interrupted = False
        for seed in seeds:
            try:
                parser = self._train(recipe, seed, len(seeds) > 1, words, files if weights else treebank, **data)
            except KeyboardInterrupt:
                if best is None:
                    raise
                interrupted = True
                break
            scores.append(SeedScore(seed, dev_score(parser)))
            if best is None or (scores[-1].score or 0) > (dev_score(best) or 0):
                best = parser
            if interrupted := parser.training.interrupted:
                break
        assert best is not None
        return RecipeResult(model=best, recipe=recipe, interrupted=interrupted, seeds=tuple(scores), folds=folds)

    def _train(
        self,
        recipe: Recipe,
        seed: int,
        is_one_of_several: bool,
        words: int,
        treebank: Treebank | Sequence[Treebank],
        **data: Any,
    ) -> Parser:
        checkpoint = self._checkpoint(f"seed-{seed}" if is_one_of_several else "", in_parts=False)
        options = recipe.options() | {"seed": seed}
        spec = recipe.spec()
        is_one = spec.uses_vectors or recipe.network is not None
        members = 1 if is_one else TrainingConfig(**options).members_for(words)
        name = f"seed {seed}" if is_one_of_several else ""
        self._warn_of_cost(spec.beam, members)
        self._before(RunStep(name, recipe.training.epochs, members * words))
        return train(
            spec,
            treebank,
            init=recipe.load_init(),
            listeners=self.listeners,
            checkpoint=checkpoint,
            resume=self.resume,
            threads=self.threads,
            **data,
            **options,
        )

    def _warn_of_cost(self, beam: int, members: int) -> None:
        """Training takes about as long as beam and members are large, and so does memory."""
        factor = max(1, beam // _USUAL_BEAM) * max(1, members // _USUAL_MEMBERS)
        if factor >= _NOTICED_FROM:
            usual = f"a beam of {_USUAL_BEAM} and {_USUAL_MEMBERS} members"
            cost = f"about {factor:,} times the time, and memory in proportion"
            self._notice(f"a beam of {beam} and {members} member{'s' * (members > 1)}: {cost}, of {usual}")

    def _checkpoint(self, name: str = "", *, in_parts: bool) -> Path | None:
        """The checkpoint: a file, or the folder of a training `in_parts`."""
        checkpoint = self.target.checkpoint(name) if self.checkpoints else None
        if checkpoint is None:
            return None
        if checkpoint.exists() and checkpoint.is_dir() != in_parts:
            if self.resume:
                raise SpecError(f"{checkpoint}: belongs to another run: {'a parser' if in_parts else 'one in parts'}")
            remove_checkpoint(checkpoint)
        self.written.append(checkpoint)
        if self.resume and not checkpoint.exists():
            self._notice(f"{checkpoint}: not found; training starts from scratch")
        elif not self.resume and checkpoint.exists():
            self._notice(f"{checkpoint}: left by another run, will be overwritten (resume would continue from it)")
        return checkpoint

    def _fold(self, recipe: Recipe, treebank: Treebank, vectors: Any) -> CrossValidationScores:
        from panparser.evaluation.metrics import evaluate
        from panparser.training.training_parsers import jackknife

        folds, count = recipe.cross_validation, recipe.cross_validation.count or 0
        self._before(RunStep(f"{count} folds"))
        if recipe.constraints.train:
            raise SpecError(
                "[cross_validation]: expected no constraints from files, whose sentences would not be split"
            )
        if recipe.data.weights or recipe.sources:
            raise SpecError("[cross_validation]: expected no weights of files, which are not split one by one")
        spec, options = recipe.spec(), recipe.options()
        options |= recipe.training_constraints(treebank, None)
        predicted = jackknife(spec, treebank, count, threads=self.threads, vectors=vectors, **options)
        if folds.output is not None:
            write_conllu(folds.output, predicted)
        scores = evaluate(treebank, predicted, bootstrap_samples=0)
        return CrossValidationScores(count, scores.uas, scores.las if spec.labeled else None)

    def pipeline(self, recipe: Recipe) -> RecipeResult:
        """Trains the parts of a pipeline."""
        from panparser.pipeline.pipeline_training import PipelineSpec, train_pipeline

        unsuited: dict[str, Any] = {"init": recipe.training.init, "seeds": recipe.training.seeds}
        unsuited |= {
            "weights of files": recipe.data.weights if not recipe.sources else None,
            "[cross_validation]": recipe.cross_validation.to_values(),
            "[constraints]": recipe.constraints.to_values(),
        }
        if named := [name for name, value in unsuited.items() if value]:
            raise SpecError(f"{named[0]} is for single parsers, not for a pipeline")
        recipe = self._complete(recipe)
        assert recipe.pipeline is not None
        spec = PipelineSpec(parser=recipe.spec(), **recipe.pipeline.options())
        options = recipe.options()
        if "parser" not in spec.parts:
            options = {"seed": recipe.seeds[0]}
        treebank, dev = self._read(recipe)
        if recipe.data.weights is not None and len(recipe.data.weights) > 1:
            raise SpecError("[data] weights: expected one for all files of a pipeline with [[sources]], found several")
        pipeline = train_pipeline(
            spec,
            treebank,
            dev=dev,
            threads=self.threads,
            vectors=recipe.load_vectors(),
            lexicon=recipe.load_lexicon(),
            sources=recipe.read_sources(),
            treebank_weights=recipe.all_weights() if recipe.sources else None,
            listeners=self.listeners,
            on_part_start=lambda name: self._before(RunStep(name)),
            checkpoint=self._checkpoint(in_parts=True),
            resume=self.resume,
            **options,
        )
        return RecipeResult(model=pipeline, recipe=recipe)

    def cascade(self, recipe: CascadeRecipe) -> RecipeResult:
        """Trains the stages of a cascade; regions that the recipe leaves to be estimated are estimated first."""
        from panparser.ensembles.cascade_training import train_cascade

        self.target.check(*recipe.inputs())
        self._check_source(recipe)
        self._before(RunStep("reading"))
        treebank, dev = recipe.treebanks()
        self._before(RunStep("regions"))
        stages = recipe.build(treebank)

        def on_stage_start(number: int, stage: CascadeStage) -> None:
            self._before(RunStep(f"stage {number + 1} of {len(stages)} ({stage.name})"))

        cascade = train_cascade(
            stages,
            treebank,
            dev=dev,
            threads=self.threads,
            listeners=self.listeners,
            on_stage_start=on_stage_start,
            checkpoint=self._checkpoint(in_parts=True),
            resume=self.resume,
            **recipe.options(),
        )
        return RecipeResult(model=cascade, recipe=recipe.described(stages))

    def _complete(self, recipe: Recipe) -> Recipe:
        """The recipe with all defaults filled in, once the files that it names and those of the target are checked."""
        self.target.check(*recipe.inputs())
        recipe = recipe.resolved()
        self._check_source(recipe)
        return recipe

    def _check_source(self, recipe: Recipe | CascadeRecipe) -> None:
        """Raises SpecError if the model's recipe, which stays as it is, is another than that of this run."""
        if not self.target.keeps_source or self.target.source is None:
            return
        found = read_recipe(self.target.source)
        if (found.resolved() if isinstance(found, Recipe) else found) != recipe:
            raise SpecError(
                f"{self.target.source}: this run changes the recipe, and its model would no longer be the one that it "
                "describes; choose another file for the model"
            )

    def _read(self, recipe: Recipe) -> tuple[Treebank, Treebank | None]:
        self._before(RunStep("reading"))
        return recipe.treebanks(self.read)

    def _before(self, step: RunStep) -> None:
        for listener in self.listeners:
            if isinstance(listener, RunListener):
                listener.before_step(step)

    def _notice(self, message: str) -> None:
        notify(self.listeners, "on_notice", message)
