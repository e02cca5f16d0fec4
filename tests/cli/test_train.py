"""`panparser train`: parsers."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import panparser as pp

TRAIN = ["--epochs", "2", "--beam", "2", "--templates", "zn11"]


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "panparser", *map(str, arguments)], stderr=subprocess.PIPE, text=True, **options
    )


def finish(*arguments, **options):
    process = start(*arguments, **options)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def test_train_then_parse(run, data):
    code, out, err = run("train", "-t", "train.conllu", "-d", "dev.conllu", "-o", "eng", *TRAIN)
    assert code == 0
    assert "best epoch" in out
    assert "LAS" in out
    assert err.count("epoch") == 2
    assert sorted(os.listdir()) == ["dev.conllu", "eng", "eng.toml", "train.conllu"]
    code, out, err = run("parse", "-m", "eng", "dev.conllu", "-o", "out.conllu")
    assert (code, out, err) == (0, "", "")
    best = pp.load("eng").training["best_epoch"]
    scores = pp.evaluate(pp.read_conllu("dev.conllu"), pp.read_conllu("out.conllu"))
    assert scores.uas == pytest.approx(pp.load("eng").training["history"][best - 1]["uas"])


def test_the_recipe_makes_the_same_model(run, data):
    assert (
        run("train", "-t", "train.conllu", "train.conllu", "-d", "dev.conllu", "-o", "eng", "--seed", "5", *TRAIN)[0]
        == 0
    )
    first, recipe = Path("eng").read_bytes(), Path("eng.toml").read_bytes()
    Path("eng").unlink()
    assert run("--quiet", "train", "--recipe", "eng.toml") == (0, "", "")
    assert Path("eng").read_bytes() == first
    assert Path("eng.toml").read_bytes() == recipe
    assert run("train", "--recipe", "eng.toml", "-o", "other")[0] == 0
    assert Path("other").read_bytes() == first
    code, _, err = run("train", "--recipe", "eng.toml", "--seed", "6")
    assert code == 2
    assert "eng.toml: this run changes the recipe" in err
    assert run("train", "--recipe", "eng.toml", "--seed", "6", "-o", "other")[0] == 0
    assert Path("other").read_bytes() != first


def test_flags_reach_the_model(run, data):
    flags = ["--system", "arc-hybrid", "--root", "first", "--multi-root", "--strategy", "dynamic", "--beam", "1"]
    assert (
        run("train", "-t", "train.conllu", "-o", "eng", "--epochs", "1", "--unlabeled", "--delexicalized", *flags)[0]
        == 0
    )
    parser = pp.load("eng")
    assert parser.spec == pp.ParserSpec(
        system=pp.system("arc-hybrid", root="first"),
        templates=pp.templates("rich").delexicalized(),
        beam=1,
        labeled=False,
    )
    assert parser.training["strategy"] == pp.STRATEGIES["dynamic"].to_values()
    assert pp.Recipe.read("eng.toml").parser.spec() == parser.spec


def test_delexicalized_parsers_of_universal_labels(run, data):
    flags = ["train", "-t", "train.conllu", "-o", "eng", "--epochs", "1", "--beam", "1"]
    assert run(*flags, "--delexicalized-feats", "--labels", "universal")[0] == 0
    parser = pp.load("eng")
    assert parser.spec.templates == pp.templates("lean").delexicalized(feats=True)
    assert parser.spec.labels == "universal"
    assert not any(":" in label for label in parser.label_names)
    recipe = pp.Recipe.read("eng.toml")
    assert (recipe.parser.delexicalized, recipe.parser.labels) == ("feats", "universal")
    code, _, err = run(*flags, "--unlabeled", "--labels", "universal")
    assert (code, "ParserSpec: labels: universal ones are asked for" in err) == (2, True)
    code, _, err = run(*flags, "--network", "bilstm", "--delexicalized-feats")
    assert (code, "feats is for templates" in err) == (2, True)


def test_systems_with_a_static_oracle_are_trained_by_it(run, data):
    flags = ["train", "-t", "train.conllu", "-o", "eng", "--epochs", "1", "--beam", "1", "--system", "swap-standard"]
    code, _, err = run(*flags, "--strategy", "dynamic")
    assert (code, "swap-standard has no dynamic oracle" in err, Path("eng").exists()) == (2, True, False)
    assert run(*flags)[0] == 0
    static = {"oracle": "static", "update_at": "max-violation"}
    assert pp.load("eng").training["strategy"] == pp.Recipe.read("eng.toml").training.strategy == static
    assert "oracle=static update_at=max-violation" in run("info", "eng")[1]
    assert run("train", "--recipe", "eng.toml", "-o", "again")[0] == 0
    assert Path("again").read_bytes() == Path("eng").read_bytes()


def test_vectors(run, data):
    Path("few.txt").write_text("S0.upos B0.upos\nS0.vector\nB0.vector\n")
    Path("words.vec").write_text("the 1 0.5\nbaker -1 0.25\nopened 0.5 -1\n")
    Path("out").mkdir()
    flags = ["--templates", "few.txt", "--vectors", "words.vec", "--epochs", "2"]
    assert run("train", "-t", "train.conllu", "-o", "out/en", *flags)[0] == 0
    parser = pp.load("out/en")
    assert parser.vectors == pp.read_vectors("words.vec")
    assert 'vectors = "../words.vec"' in Path("out/en.toml").read_text()
    assert run("train", "--recipe", "out/en.toml", "-o", "again")[0] == 0
    assert Path("again").read_bytes() == Path("out/en").read_bytes()
    Path("folds.toml").write_text(Path("again.toml").read_text() + "[cross_validation]\ncount = 2\n")
    assert run("train", "--recipe", "folds.toml", "-o", "folds")[0] == 0
    assert run("train", "-t", "dev.conllu", "-o", "more", "--init", "again", "--epochs", "1")[0] == 0
    assert pp.load("more").vectors == parser.vectors


def test_vectors_that_are_missing_or_not_read_are_refused(run, data):
    Path("few.txt").write_text("S0.vector\n")
    Path("words.vec").write_text("the 1 0.5\n")
    code, _, err = run("train", "-t", "train.conllu", "-o", "eng", "--templates", "few.txt")
    assert (code, "train: vectors are missing" in err) == (2, True)
    code, _, err = run("train", "-t", "train.conllu", "-o", "eng", "--vectors", "words.vec")
    assert (code, "no template reads them" in err) == (2, True)
    code, _, err = run("train", "-t", "train.conllu", "-o", "eng", "--templates", "few.txt", "--vectors", "none.vec")
    assert (code, "none.vec" in err) == (2, True)


def test_warm_start(run, data):
    assert run("train", "-t", "train.conllu", "-o", "a", "--system", "arc-hybrid", *TRAIN)[0] == 0
    assert run("train", "-t", "dev.conllu", "-o", "b", "--init", "a", "--epochs", "1")[0] == 0
    assert pp.load("b").spec == pp.load("a").spec
    code, _, err = run("train", "-t", "dev.conllu", "-o", "b", "--init", "a", "--system", "arc-eager")
    assert (code, err) == (2, "panparser: train: init must have the system of the new parser; they differ\n")


def test_seeds_folds_and_size(run, data):
    Path("r.toml").write_text(
        """
        [data]
        train = ["train.conllu"]
        dev = "dev.conllu"
        [parser]
        templates = "zn11"
        beam = 1
        [training]
        epochs = 1
        seeds = [1, 2, 3]
        model_size = "60KB"
        [cross_validation]
        count = 2
        output = "folds.conllu"
        """
    )
    code, out, _ = run("train", "--recipe", "r.toml", "-o", "eng")
    assert code == 0
    for word in ("seeds", "folds", "pruned"):
        assert word in out
    assert Path("eng").stat().st_size <= 60_000
    assert len(pp.read_conllu("folds.conllu")) == 80
    assert not list(Path().glob("*.checkpoint"))
    one = pp.train(
        pp.ParserSpec(templates=pp.templates("zn11"), beam=1),
        pp.read_conllu("train.conllu"),
        epochs=1,
        prune_threshold=1.0,
    )
    assert one.training["history"][0]["pruning"]["uas"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-t", "train.conllu"], "expected an output file: -o MODEL"),
        (["-o", "eng"], "expected training treebanks"),
        (["-t", "train.conllu", "-o", "-"], "expected an output file, not standard output"),
        (["-t", "train.conllu", "-o", "none/en"], "none/en: cannot be written: No such file or directory"),
        (["-t", "train.conllu", "-o", "."], ".: cannot be written: it is a folder"),
        (["-t", "none.conllu", "-o", "eng"], "none.conllu: cannot be read"),
        (["-t", "train.conllu", "-o", "eng", "--beam", "0"], "beam: expected an integer between 1 and 16384, found 0"),
        (["-t", "train.conllu", "-o", "eng", "--strategy", "max"], "no strategy is called 'max'"),
        (["-t", "train.conllu", "-o", "eng", "--system", "arc"], "no transition system is called 'arc'"),
        (
            ["-t", "train.conllu", "-o", "eng", "--templates", "x"],
            "templates: expected rich, rich-stack, lean, easy, zn11, fast or a file, found 'x'",
        ),
        (["-t", "train.conllu", "-o", "eng", "--init", "train.conllu"], "expected a panparser model"),
        (["-t", "train.conllu", "-o", "mine"], "mine.toml: the recipe of the model would replace this file"),
        (["--recipe", "none.toml", "-o", "eng"], "none.toml: cannot be read"),
        (["--recipe", "mine.toml", "-o", "eng"], "several seeds need a development set"),
        (["--recipe", "mine.txt"], "mine.txt does not end in .toml"),
        (["--recipe", "folds.toml"], "none/x: cannot be written"),
        (["-t", "empty.conllu", "-o", "eng"], "expected a treebank with heads to learn from, found none"),
    ],
)
def test_errors_are_one_line_before_any_work(run, data, arguments, said):
    text = '[data]\ntrain = ["train.conllu"]\n[training]\nseeds = [1, 2]\n'
    Path("mine.toml").write_text(text)
    Path("mine.txt").write_text(text)
    Path("folds.toml").write_text(
        '[data]\ntrain = ["train.conllu"]\n[cross_validation]\ncount = 2\noutput = "none/x"\n'
    )
    Path("empty.conllu").touch()
    before = sorted(os.listdir())
    code, out, err = run("train", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert sorted(os.listdir()) == before


def test_a_killed_run_goes_on_to_the_same_model(data):
    arguments = ["train", "-t", "train.conllu", "-d", "dev.conllu", "--epochs", "6"]
    assert finish(*arguments, "-o", "whole", stdout=subprocess.DEVNULL)[0] == 0
    process = start(*arguments, "-o", "eng", stdout=subprocess.DEVNULL)
    for line in process.stderr:
        if "epoch 2" in line:
            process.kill()
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert Path("eng.checkpoint").exists()
    assert not Path("eng").exists()
    code, errors = finish(*arguments, "-o", "eng", "--resume", stdout=subprocess.DEVNULL)
    assert code == 0
    assert "epoch 1 " not in errors
    assert Path("eng").read_bytes() == Path("whole").read_bytes()
    assert not Path("eng.checkpoint").exists()


def test_ctrl_c_keeps_the_best_model(data):
    Path("long.toml").write_text("[training]\nepochs = 500\npatience = 0\n")
    arguments = ["train", "--recipe", "long.toml", "-t", "train.conllu", "-d", "dev.conllu", "-o", "eng"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # who runs tests in the background ignores it
    process = start(*arguments, stdout=subprocess.DEVNULL, preexec_fn=heard)
    for line in process.stderr:
        if "epoch 2" in line:
            process.send_signal(signal.SIGINT)
            break
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: eng is the best model so far" in errors
    assert pp.load("eng").training["interrupted"] is True
    assert Path("eng.checkpoint").exists()
    code, errors = finish("train", "-t", "train.conllu", "-o", "eng", *TRAIN, stdout=subprocess.DEVNULL)
    assert code == 0
    assert "left by another run, will be overwritten" in errors


def test_ctrl_c_before_anything_leaves_nothing(run, data, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("panparser.recipes.recipe_run.train", interrupted)
    code, _, err = run("train", "-t", "train.conllu", "-o", "eng", "--resume")
    assert code == 130
    assert "interrupted before a model was complete; nothing was written" in err
    assert "not found; training starts from scratch" in err
    assert not Path("eng").exists()


def test_a_checkpoint_of_another_run_is_refused(run, data):
    pp.train(pp.ParserSpec(beam=1), pp.read_conllu("train.conllu"), epochs=1, checkpoint="eng.checkpoint")
    code, _, err = run("train", "-t", "train.conllu", "-o", "eng", "--resume", *TRAIN)
    assert code == 2
    assert "eng.checkpoint: belongs to another run" in err


def test_a_full_disk_leaves_no_broken_model(data):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    Path("eng").write_bytes(b"the old model")
    code, errors = finish("train", "-t", "train.conllu", "-o", "eng", *TRAIN, preexec_fn=limit, stdout=-3)
    assert code == 2
    assert errors.splitlines()[-1].endswith("cannot be written: File too large")
    assert Path("eng").read_bytes() == b"the old model"
    assert sorted(os.listdir()) == ["dev.conllu", "eng", "train.conllu"]
    code, errors = finish("train", "-t", "train.conllu", "-o", "/dev/full", *TRAIN, stdout=subprocess.DEVNULL)
    assert code == 2
    assert "No space left on device" in errors


def test_a_development_set_that_is_learned_from_is_noticed(run, data):
    options = ("-o", "m.panparser", "--epochs", "1", "--beam", "1")
    assert "train.conllu is also training data" in run("train", "-t", "train.conllu", "-d", "train.conllu", *options)[2]
    code, out, err = run("train", "-t", "train.conllu", "-d", "dev.conllu", *options)
    assert (code, "is also training data" in err) == (0, False)
    assert "(labels with subtypes: FullLAS of `evaluate`)" in out
    out = run("train", "-t", "train.conllu", "-d", "dev.conllu", *options, "--labels", "universal")[1]
    assert "(labels without subtypes: LAS of `evaluate`)" in out


def test_weights_of_treebanks(run, data):
    command = ["train", "-t", "train.conllu", "dev.conllu", *TRAIN]
    assert run(*command, "--treebank-weights", "1,3", "-o", "weighted")[0] == 0
    assert "\nweights = [1.0, 3.0]\n" in Path("weighted.toml").read_text()
    sentences = [len(pp.read_conllu(file)) for file in ("train.conllu", "dev.conllu")]
    code, out, _ = run("info", "weighted")
    assert code == 0
    assert f"1 ({sentences[0]} sentences), 3 ({sentences[1]} sentences)" in out
    code, _, err = run(*command, "--treebank-weights", "1", "-o", "other")
    assert (code, "expected one for each of the 2 files" in err) == (2, True)
    code, _, err = run(*command, "--treebank-weights", "1,0", "-o", "other")
    assert (code, "expected a list of numbers > 0" in err) == (2, True)
    code, _, err = run(*command, "--treebank-weights", "1,x", "-o", "other")
    assert (code, "expected comma-separated numbers" in err) == (2, True)
