"""run_recipe: all that `panparser train` does, from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import panparser as pp
from panparser.systems.registry import BUILT_IN, has_single_root

TABLES = {
    "data": {"train": ["train.conllu"], "dev": "dev.conllu"},
    "parser": {"beam": 1, "templates": "zn11"},
    "training": {"epochs": 2, "members": 1},
}
STAGES = {
    "stages": [{"name": "first", "regions": {"upos": ["DET"]}, "parser": {"beam": 1}}, {"name": "rest"}],
    "cascade": {"stage_constraints": "gold"},
}


class Steps(pp.recipes.RunListener):
    """Writes down what it is notified of."""

    def __init__(self):
        self.steps, self.notices, self.epochs = [], [], []

    def before_step(self, step):
        self.steps.append(step)

    def on_notice(self, message):
        self.notices.append(message)

    def after_epoch(self, report):
        self.epochs.append(report.epoch)


class Stop(pp.Listener):
    """Presses Ctrl-C at the end of an epoch, counted over all seeds."""

    def __init__(self, epoch):
        self.left = epoch

    def after_epoch(self, report):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, english):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", english[0][:40])
    pp.write_conllu("dev.conllu", english[1][:10])
    return tmp_path


def recipe(**tables):
    return pp.Recipe.from_values({name: TABLES.get(name, {}) | tables.get(name, {}) for name in {**TABLES, **tables}})


def test_python_writes_what_the_command_writes(run, folder):
    result = pp.run_recipe(recipe(), "python")
    command = ["train", "-t", "train.conllu", "-d", "dev.conllu", "-o", "command", "--recipe", "own.toml"]
    recipe().write("own.toml")
    assert run("-q", *command) == (0, "", "")
    assert Path("python").read_bytes() == Path("command").read_bytes()
    assert Path("python.toml").read_bytes() == Path("command.toml").read_bytes()
    assert result.recipe == pp.Recipe.read("python.toml").resolved()
    assert result.model.training == pp.load("python").training
    assert not list(folder.glob("*checkpoint"))


def test_without_a_file_nothing_is_written(folder):
    before = set(folder.iterdir())
    watch = Steps()
    result = pp.run_recipe(recipe(), listeners=[watch])
    assert set(folder.iterdir()) == before
    assert [step.name for step in watch.steps] == ["reading", ""]
    assert (watch.steps[-1].epochs, watch.epochs) == (2, [1, 2])
    assert watch.steps[-1].words == pp.read_conllu("train.conllu").words
    assert dict(result.summary())["best epoch"].endswith("of 2")
    assert not result.interrupted


def test_the_best_of_several_seeds_is_kept():
    watch = Steps()
    result = pp.run_recipe(recipe(training={"seeds": [1, 2, 3]}), "eng", listeners=[watch])
    assert [step.name for step in watch.steps] == ["reading", "seed 1", "seed 2", "seed 3"]
    assert [each.seed for each in result.seeds] == [1, 2, 3]
    best = max(result.seeds, key=lambda each: each.score)
    assert result.model.training["seed"] == pp.load("eng").training["seed"] == best.seed
    assert dict(result.summary())["seeds"].endswith(f"seed {best.seed} is kept")
    for each in result.seeds:
        alone = pp.run_recipe(recipe(training={"seed": each.seed}))
        assert alone.seeds == (each,)


def test_folds_are_scored_before_training():
    watch = Steps()
    result = pp.run_recipe(recipe(cross_validation={"count": 2, "output": "folds.conllu"}), listeners=[watch])
    assert [step.name for step in watch.steps] == ["reading", "2 folds", ""]
    scores = pp.evaluate(pp.read_conllu("train.conllu"), pp.read_conllu("folds.conllu"), bootstrap_samples=0)
    assert (result.folds.count, result.folds.uas, result.folds.las) == (2, scores.uas, scores.las)
    assert f"UAS {scores.uas:.2f}" in dict(result.summary())["folds"]


def test_ctrl_c_leaves_the_best_so_far_and_a_run_can_be_resumed():
    whole = pp.run_recipe(recipe(training={"epochs": 3}), "whole")
    stopped = pp.run_recipe(recipe(training={"epochs": 3}), "eng", listeners=[Stop(2)])
    assert stopped.interrupted
    assert pp.load("eng").training["interrupted"]
    assert Path("eng.checkpoint").exists()
    watch = Steps()
    resumed = pp.run_recipe(recipe(training={"epochs": 3}), "eng", resume=True, listeners=[watch])
    assert not resumed.interrupted
    assert watch.epochs != [1, 2, 3]
    assert Path("eng").read_bytes() == Path("whole").read_bytes()
    assert not Path("eng.checkpoint").exists()
    assert whole.seeds == resumed.seeds


def test_ctrl_c_in_a_later_seed_keeps_the_model_of_an_earlier_one():
    result = pp.run_recipe(recipe(training={"seeds": [1, 2]}), "eng", listeners=[Stop(3)])
    assert result.interrupted
    assert pp.load("eng").training["seed"] in (1, 2)
    assert Path("eng.seed-1.checkpoint").exists()


def test_ctrl_c_before_the_first_epoch_leaves_nothing():
    class Soon(pp.Listener):
        def before_epoch(self, epoch):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pp.run_recipe(recipe(), "eng", listeners=[Soon()])
    assert not Path("eng").exists()


def test_what_is_left_of_another_run_is_noticed():
    watch = Steps()
    pp.run_recipe(recipe(), "eng", resume=True, listeners=[watch])
    assert watch.notices == ["eng.checkpoint: not found; training starts from scratch"]
    Path("eng.checkpoint").write_bytes(b"")
    pp.run_recipe(recipe(), "eng", listeners=[watch])
    assert watch.notices[1].startswith("eng.checkpoint: left by another run, will be overwritten")


def test_a_model_with_the_name_of_a_bundled_one_is_noticed():
    watch = Steps()
    pp.run_recipe(recipe(), "en", listeners=[watch])
    assert watch.notices == ["en is also the name of a bundled model: load this one as ./en"]
    assert isinstance(pp.load("./en"), pp.Parser)


def test_a_pipeline_part_by_part():
    watch = Steps()
    pipeline = {"folds": 2, "tokenizer_epochs": 1, "tagger_epochs": 1, "lemmatizer_epochs": 1}
    result = pp.run_recipe(recipe(pipeline=pipeline), "nlp", listeners=[watch], threads=2)
    assert isinstance(result.model, pp.Pipeline)
    assert {"reading", "tokenizer", "lemmatizer", "parser"} <= {step.name for step in watch.steps}
    assert pp.load("nlp").training == result.model.training
    again = pp.run_recipe("nlp.toml", "again")
    assert Path("again").read_bytes() == Path("nlp").read_bytes()
    assert again.recipe == result.recipe


def test_a_cascade_stage_by_stage():
    cascade = pp.recipes.CascadeRecipe.from_values({**TABLES, **STAGES})
    cascade.write("own.toml")
    watch = Steps()
    result = pp.run_recipe("own.toml", "cascade", listeners=[watch])
    assert isinstance(result.model, pp.Cascade)
    assert [step.name for step in watch.steps][2:] == ["stage 1 of 2 (first)", "stage 2 of 2 (rest)"]
    pp.run_recipe("cascade.toml", "again")
    assert Path("again").read_bytes() == Path("cascade").read_bytes()


def test_a_changed_recipe_does_not_go_under_the_name_of_the_old_one():
    recipe().write("eng.toml")
    changed = recipe(training={"seed": 2})
    with pytest.raises(pp.SpecError, match=r"eng\.toml: this run changes the recipe"):
        pp.run_recipe(changed, "eng", source="eng.toml")
    pp.recipes.CascadeRecipe.from_values({**TABLES, **STAGES}).write("stages.toml")
    cascade = pp.recipes.read_recipe("stages.toml")
    with pytest.raises(pp.SpecError, match=r"stages\.toml: this run changes the recipe"):
        pp.run_recipe(cascade.with_flags({}, {"seed": 2}), "stages", source="stages.toml")
    assert not Path("eng").exists()
    assert not Path("stages").exists()
    pp.run_recipe("eng.toml", "eng")


@pytest.mark.parametrize("kind", ["parser", "pipeline", "cascade"])
def test_files_that_a_run_must_not_replace(kind):
    given = {
        "parser": recipe(),
        "pipeline": recipe(pipeline={}),
        "cascade": pp.recipes.CascadeRecipe.from_values({**TABLES, **STAGES}),
    }[kind]
    with pytest.raises(pp.SpecError, match=r"dev\.conllu: is an input file; choose another output file"):
        pp.run_recipe(given, "dev.conllu")
    Path("eng.toml").write_text("[mine]\n")
    with pytest.raises(pp.SpecError, match=r"eng\.toml: the recipe of the model would replace this file"):
        pp.run_recipe(given, "eng")
    with pytest.raises(pp.ModelError, match="cannot be written"):
        pp.run_recipe(given, "nowhere/en")
    assert Path("eng.toml").read_text() == "[mine]\n"


def test_several_seeds_need_a_development_set():
    without = replace(
        recipe(training={"seeds": [1, 2]}), data=pp.Recipe.from_values({"data": {"train": ["train.conllu"]}}).data
    )
    with pytest.raises(pp.SpecError, match="several seeds need a development set"):
        pp.run_recipe(without)


def test_a_system_without_a_single_root_is_asked_for_none():
    systems = {name: pp.Recipe.from_values({"parser": {"system": name}}).parser.spec().system for name in BUILT_IN}
    assert {name for name, system in systems.items() if not system.single_root} == {
        name for name in systems if not has_single_root(name)
    }


def test_files_have_weights():
    pp.write_conllu("more.conllu", pp.read_conllu("dev.conllu")[:5])
    data = {"train": ["train.conllu", "more.conllu"], "weights": [1, 2.5]}
    watch = Steps()
    result = pp.run_recipe(recipe(data=data), "eng", listeners=[watch])
    assert [each["weight"] for each in result.model.training["treebank_weights"]] == [1, 2.5]
    words = [pp.read_conllu(file).words for file in data["train"]]
    assert watch.steps[-1].words == round(words[0] + 2.5 * words[1])
    again = pp.run_recipe("eng.toml")
    assert again.model.to_arrays().keys() == result.model.to_arrays().keys()
    assert all((again.model.to_arrays()[name] == array).all() for name, array in result.model.to_arrays().items())
    assert recipe(data=data).with_flags({"train": ("train.conllu",)}, {}, {}).data.weights is None


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"data": {"weights": [1, 2]}}, r"\[data\] weights: expected one for each of the 1 files.*found 2"),
        (
            {"data": {"weights": [2]}, "cross_validation": {"count": 2}},
            r"\[cross_validation\]: expected no weights of files",
        ),
        ({"data": {"weights": [2]}, "pipeline": {}}, "weights of files is for single parsers, not for a pipeline"),
    ],
)
def test_weights_that_do_not_fit(tables, message):
    with pytest.raises(pp.SpecError, match=message):
        pp.run_recipe(recipe(**tables))


def test_weights_are_not_for_a_cascade():
    tables = {"data": TABLES["data"] | {"weights": [2]}, **STAGES}
    with pytest.raises(pp.SpecError, match="weights are for single parsers"):
        pp.recipes.CascadeRecipe.from_values(tables)
