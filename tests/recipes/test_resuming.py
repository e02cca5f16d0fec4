"""Runs that were stopped go on from what they had finished, and end with the same bytes; nothing else is left."""

from __future__ import annotations

import errno
import warnings
from pathlib import Path

import pytest

import panparser as pp
from disks import FaultyDisk
from panparser.storage import atomic as files
from panparser.work.store import CheckpointFolder, remove_checkpoint

TABLES = {
    "data": {"train": ["train.conllu"], "dev": "dev.conllu"},
    "parser": {"beam": 1, "templates": "fast"},
    "training": {"epochs": 2, "members": 1},
}
PIPELINE = {"folds": 2, "tokenizer_epochs": 1, "tagger_epochs": 1, "lemmatizer_epochs": 1}
STAGES = {
    "stages": [
        {"name": "first", "regions": {"upos": ["DET"]}, "parser": {"beam": 1}},
        {"name": "second", "regions": {"upos": ["ADJ"]}, "parser": {"beam": 1}},
        {"name": "rest"},
    ],
    "cascade": {"stage_constraints": "predicted", "folds": 2},
}
RECIPES = {
    "parser": lambda: pp.Recipe.from_values(TABLES),
    "seeds": lambda: pp.Recipe.from_values(TABLES | {"training": {"epochs": 2, "members": 1, "seeds": [1, 2]}}),
    "pipeline": lambda: pp.Recipe.from_values(TABLES | {"pipeline": PIPELINE}),
    "cascade": lambda: pp.recipes.CascadeRecipe.from_values(TABLES | STAGES),
}
KINDS = pytest.mark.parametrize("kind", RECIPES)
PARTS = pytest.mark.parametrize("kind", ["pipeline", "cascade"])


class Killed(BaseException):
    """What nobody catches: the process ends here."""


class Kill(pp.recipes.RunListener):
    """Ends the run when it has been notified this often of something."""

    def __init__(self, at=10**9):
        self.left, self.steps, self.notices = at, 0, []

    def _count(self):
        self.left -= 1
        self.steps += 1
        if not self.left:
            raise Killed

    def before_step(self, step):
        self._count()

    def before_epoch(self, epoch):
        self._count()

    def after_epoch(self, report):
        self._count()

    def on_notice(self, message):
        self.notices.append(message)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, english):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", english[0][:16])
    pp.write_conllu("dev.conllu", english[1][:6])
    return tmp_path


@pytest.mark.unmeasured
@KINDS
def test_a_run_that_was_killed_at_any_step_ends_with_the_same_bytes(folder, kind):
    recipe, watch = RECIPES[kind](), Kill()
    pp.run_recipe(recipe, "whole", listeners=[watch], threads=1)
    assert watch.steps > 4
    for step in range(1, watch.steps + 1):
        with pytest.raises(Killed):
            pp.run_recipe(recipe, "model", listeners=[Kill(step)], threads=1)
        assert not Path("model").exists()
        resumed = Kill()
        pp.run_recipe(recipe, "model", listeners=[resumed], threads=1, resume=True)
        assert Path("model").read_bytes() == Path("whole").read_bytes()
        assert resumed.steps <= watch.steps
        left = {"model", "model.toml", "whole", "whole.toml", "train.conllu", "dev.conllu"}
        assert {path.name for path in folder.iterdir()} == left
        Path("model").unlink()


@PARTS
def test_what_is_finished_is_not_trained_again(kind):
    recipe, watch = RECIPES[kind](), Kill()
    pp.run_recipe(recipe, "whole", listeners=[watch], threads=1)
    with pytest.raises(Killed):
        pp.run_recipe(recipe, "model", listeners=[Kill(watch.steps)], threads=1)
    resumed = Kill()
    pp.run_recipe(recipe, "model", listeners=[resumed], threads=1, resume=True)
    assert resumed.steps < watch.steps - 2
    assert resumed.notices == []


@PARTS
def test_ctrl_c_keeps_what_is_finished(kind):
    class Stop(pp.Listener):
        left = 3

        def after_epoch(self, report):
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    recipe = RECIPES[kind]()
    with pytest.raises(KeyboardInterrupt):
        pp.run_recipe(recipe, "model", listeners=[Stop()])
    assert list(Path("model.checkpoint").iterdir())
    pp.run_recipe(recipe, "model", resume=True)
    assert not Path("model.checkpoint").exists()


@PARTS
def test_parts_of_another_run_are_refused_and_without_resume_replaced(kind):
    with pytest.raises(Killed):
        pp.run_recipe(RECIPES[kind](), "model", listeners=[Kill(8)], threads=1)
    pp.write_conllu("train.conllu", pp.read_conllu("train.conllu")[:12])
    with pytest.raises(pp.SpecError, match=r"checkpoint: belongs to another run"):
        pp.run_recipe(RECIPES[kind](), "model", resume=True)
    watch = Kill()
    pp.run_recipe(RECIPES[kind](), "model", listeners=[watch])
    assert "left by another run" in watch.notices[0]
    assert not Path("model.checkpoint").exists()


@PARTS
def test_damaged_parts_are_refused(kind):
    with pytest.raises(Killed):
        pp.run_recipe(RECIPES[kind](), "model", listeners=[Kill(8)], threads=1)
    for path in Path("model.checkpoint").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(pp.ModelError, match=r"checkpoint: damaged"):
        pp.run_recipe(RECIPES[kind](), "model", resume=True)


def test_a_model_is_no_finished_part(english):
    parts = CheckpointFolder.open("parts", {}, resume=True, on_error=pytest.fail)
    tagger = pp.train_tagger(pp.TaggerSpec(), english[0][:5], epochs=1)
    path = parts.path("tagger")
    tagger.save(path)
    with pytest.raises(pp.ModelError, match="expected a finished part"):
        parts.get("tagger", lambda: tagger)


# --- Disks without room for checkpoints ---


class FullForCheckpoints(FaultyDisk):
    """Room for models, and for nothing that goes into a checkpoint: none of the others has as many bytes."""

    def wrote(self, path, data):
        if len(data) > 50 and (b'"identity"' in data or b'\\"identity\\"' in data):
            raise OSError(errno.ENOSPC, "No space left on device")
        super().wrote(path, data)


@KINDS
def test_a_checkpoint_that_does_not_fit_is_noticed_and_the_model_is_the_same(folder, monkeypatch, kind):
    recipe = RECIPES[kind]()
    pp.run_recipe(recipe, "whole")
    monkeypatch.setattr(files, "disk", FullForCheckpoints())
    watch = Kill()
    pp.run_recipe(recipe, "model", listeners=[watch])
    assert Path("model").read_bytes() == Path("whole").read_bytes()
    assert any(
        "checkpoint: cannot be written: No space left on device; training goes on without" in each
        for each in watch.notices
    )
    assert not list(folder.glob("*.checkpoint*"))


def test_without_a_listener_it_is_a_warning(english, monkeypatch):
    monkeypatch.setattr(files, "disk", FullForCheckpoints())
    spec = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
    with pytest.warns(RuntimeWarning, match="training goes on without checkpoints"):
        pp.train(spec, english[0][:10], epochs=2, checkpoint="state")


@KINDS
def test_checkpoints_can_be_turned_off(folder, kind):
    class Look(pp.recipes.RunListener):
        def after_epoch(self, report):
            assert not list(folder.glob("*.checkpoint*"))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pp.run_recipe(RECIPES[kind](), "model", listeners=[Look()], checkpoints=False)
    with pytest.raises(pp.SpecError, match="run_recipe: resume needs checkpoints"):
        pp.run_recipe(RECIPES[kind](), "model", resume=True, checkpoints=False)


# --- What must not be replaced, and what must not be removed ---


def test_no_file_that_a_recipe_names_is_replaced(folder):
    (folder / "templates.txt").write_text("S0.upos B0.upos\n")
    pp.train(pp.ParserSpec(templates=pp.templates("fast"), beam=1), pp.read_conllu("train.conllu"), epochs=1).save(
        "init"
    )
    pp.system("arc-hybrid").save("system.toml")
    tables = TABLES | {"parser": {"templates": "templates.txt"}}
    for name, recipe in {
        "templates.txt": tables,
        "system.toml": TABLES | {"parser": {"system": "system.toml"}},
        str(folder / "train.conllu"): TABLES | {"data": {"train": [str(folder / "train.conllu")]}},
        "init": {"data": TABLES["data"], "training": {"init": "init"}},
    }.items():
        before = Path(name).read_bytes()
        with pytest.raises(pp.SpecError, match="is an input file; choose another output file"):
            pp.run_recipe(pp.Recipe.from_values(recipe), name)
        assert Path(name).read_bytes() == before
    for predictions in ("train.conllu", str(folder / "dev.conllu")):
        recipe = TABLES | {"cross_validation": {"count": 2, "output": predictions}}
        with pytest.raises(pp.SpecError, match=r"\.conllu: is an input file; choose another output file"):
            pp.run_recipe(pp.Recipe.from_values(recipe), "model")


def test_what_else_is_in_the_folder_of_checkpoints_stays(folder):
    (folder / "models").mkdir()
    for name in ("other.panparser.checkpoint", "tagger.checkpoint.txt", "mine"):
        (folder / "models" / name).touch()
    spec = pp.PipelineSpec(parts=("tagger",), tagger_epochs=1)
    pp.train_pipeline(spec, pp.read_conllu("train.conllu"), checkpoint="models")
    assert {path.name for path in (folder / "models").iterdir()} > {"other.panparser.checkpoint", "mine"}


@pytest.mark.parametrize(("first", "second"), [("parser", "pipeline"), ("cascade", "parser")])
def test_a_checkpoint_of_another_kind_is_refused_or_replaced(folder, first, second):
    with pytest.raises(Killed):
        pp.run_recipe(RECIPES[first](), "model", listeners=[Kill(9 if first != "parser" else 4)], threads=1)
    assert Path("model.checkpoint").exists()
    with pytest.raises(pp.SpecError, match=r"model\.checkpoint: belongs to another run"):
        pp.run_recipe(RECIPES[second](), "model", resume=True)
    watch = Kill()
    pp.run_recipe(RECIPES[second](), "model", listeners=[watch])
    assert not any("without" in message for message in watch.notices)
    assert not Path("model.checkpoint").exists()


def test_a_cascade_whose_templates_call_functions_is_resumed(english, folder):
    templates = pp.Templates.parse("S0.upos B0.upos\ncall[gap] S0.upos")
    functions = {"gap": lambda state, sentence: len(sentence)}
    partial = pp.system("arc-eager-partial", root="last")
    stages = [
        pp.CascadeStage(
            name="first",
            regions=(pp.ArcRegion(upos=("DET",)),),
            spec=pp.ParserSpec(system=partial, templates=templates, functions=functions, beam=1),
        ),
        pp.CascadeStage(name="rest", spec=pp.ParserSpec(templates=pp.templates("fast"), beam=1)),
    ]
    options = {"folds": 2, "epochs": 1, "threads": 1}
    treebank = english[0][:12]
    whole = pp.train_cascade(stages, treebank, **options)
    with pytest.raises(Killed):
        pp.train_cascade(stages, treebank, checkpoint="parts", listeners=[Kill(3)], **options)
    assert Path("parts/stage-1-fold-2.checkpoint").exists()
    resumed = pp.train_cascade(stages, treebank, checkpoint="parts", resume=True, **options)
    assert resumed.parse(treebank).to_bytes() == whole.parse(treebank).to_bytes()


def test_a_cascade_of_models_and_treebanks_of_its_own_is_resumed(english, folder):
    spec, easy = pp.ParserSpec(templates=pp.templates("fast"), beam=1), (pp.ArcRegion(upos=("DET",)),)
    treebank, other = english[0][:12], english[0][12:24]
    options = {"folds": 2, "epochs": 1, "threads": 1, "members": 1}
    model, another = (pp.train(spec, other, epochs=1, seed=seed) for seed in (1, 2))
    second = pp.CascadeStage(name="own", keep_regions=easy, train=[other, treebank], spec=spec)
    rest = pp.CascadeStage(name="rest", spec=spec)
    stages = [pp.CascadeStage(name="model", keep_regions=easy, model=model), second, rest]
    whole = pp.train_cascade(stages, treebank, **options)
    with pytest.raises(Killed):
        pp.train_cascade(stages, treebank, checkpoint="parts", listeners=[Kill(3)], **options)
    assert Path("parts/stage-2-fold-2.checkpoint").exists()
    changed = [pp.CascadeStage(name="model", keep_regions=easy, model=another), second, rest]
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        pp.train_cascade(changed, treebank, checkpoint="parts", resume=True, **options)
    resumed = pp.train_cascade(stages, treebank, checkpoint="parts", resume=True, **options)
    whole.save("a")
    resumed.save("b")
    assert Path("a").read_bytes() == Path("b").read_bytes()


def test_what_a_killed_process_was_writing_goes_with_the_checkpoint(folder):
    place = folder / "model.checkpoint"
    place.mkdir()
    (place / f".panparser-{files._MACHINE}-{'0' * 16}.part").touch()
    remove_checkpoint(place)
    assert not place.exists()
