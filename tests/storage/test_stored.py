"""Whatever a model file holds: saved, loaded and refused in one way."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess

import numpy as np
import pytest

import panparser as pp
from panparser.storage.containers import read_arrays, write_arrays
from panparser.storage.stored import ModelSource, StoredModel, class_of, class_of_kind

SPEC = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
STAGES = [
    pp.CascadeStage(name="first", regions=(pp.ArcRegion(upos=("DET",)),)),
    pp.CascadeStage(name="rest", spec=SPEC),
]
TRAINERS = {
    "parser": lambda treebank: pp.train(SPEC, treebank, epochs=1),
    "cascade": lambda treebank: pp.train_cascade(STAGES, treebank, stage_constraints="gold", epochs=1),
    "pipeline": lambda treebank: pp.train_pipeline(pp.PipelineSpec(folds=0, parser=SPEC), treebank, epochs=1),
    "tagger": lambda treebank: pp.train_tagger(pp.TaggerSpec(), treebank, epochs=1),
    "tokenizer": lambda treebank: pp.train_tokenizer(treebank, epochs=1),
    "lemmatizer": lambda treebank: pp.train_lemmatizer(treebank, epochs=1),
}
KINDS = pytest.mark.parametrize("kind", TRAINERS)


@pytest.fixture(scope="module")
def models(english):
    return {kind: learn(english[0][:20]) for kind, learn in TRAINERS.items()}


@pytest.fixture
def saved(models, tmp_path):
    def save(kind):
        models[kind].save(tmp_path / kind)
        return tmp_path / kind

    return save


@KINDS
def test_what_is_loaded_is_what_was_saved(models, saved, tmp_path, kind):
    path = saved(kind)
    for found in (pp.load(path), type(models[kind]).load(path)):
        assert type(found) is type(models[kind]) is class_of_kind(kind)
        assert json.dumps(found.manifest()) == json.dumps(models[kind].manifest())
        assert found.weight_bytes == models[kind].weight_bytes > 0
        found.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == path.read_bytes()


@KINDS
def test_a_model_of_another_kind_is_refused(models, saved, kind):
    other = "tagger" if kind != "tagger" else "parser"
    with pytest.raises(pp.ModelError, match=f"expected a panparser model of kind {kind!r}, found {other!r}"):
        type(models[kind]).load(saved(other))


@KINDS
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda values: values.update(format=99), "written by a newer panparser"),
        (lambda values: values.update(format="1"), "expected a panparser model of kind"),
        (lambda values: values.update(kind="poem"), "expected a panparser model .*, found 'poem'"),
        (lambda values: values.update(kind=["parser"]), "expected a panparser model"),
        (lambda values: values.update(training=None), "not a valid KIND: training: expected a table, found None"),
        (lambda values: values.pop("training"), "not a valid KIND: training: expected a table, found nothing"),
        (
            lambda values: values.update(training={"history": 3}),
            "not a valid KIND: training.history: expected a list, found 3",
        ),
        (
            lambda values: values.update(training={"history": [{"epoch": 1, "words": 2, "updates": "x"}]}),
            r"training.history\[0\].updates: expected an integer >= 0, found 'x'",
        ),
    ],
)
def test_damage_is_found_and_placed(saved, tmp_path, kind, change, message):
    arrays, manifest = read_arrays(saved(kind), "model")
    change(manifest)
    write_arrays(tmp_path / "bad", {name: np.array(array) for name, array in arrays.items()}, manifest)
    with pytest.raises(pp.ModelError, match=f"^{tmp_path / 'bad'}: .*{message.replace('KIND', kind)}"):
        pp.load(tmp_path / "bad")


@KINDS
def test_missing_arrays_are_found(models, kind):
    model = models[kind]
    with pytest.raises(pp.ModelError, match=r"^somewhere: (\w+: |stage 1: )?not a valid"):
        type(model).from_file({}, model.to_values(), ModelSource("somewhere"))


def test_a_part_is_named_by_its_place(saved, tmp_path):
    arrays, manifest = read_arrays(saved("cascade"), "model")
    del manifest["stages"][1]["parser"]["margin"]
    write_arrays(tmp_path / "bad", {name: np.array(array) for name, array in arrays.items()}, manifest)
    with pytest.raises(
        pp.ModelError,
        match=f"^{tmp_path / 'bad'}: stage 2: not a valid parser: margin: expected an integer .*, found nothing",
    ):
        pp.load(tmp_path / "bad")


def test_a_model_of_a_task_needs_the_task(tmp_path):
    pp.TaskModel(object(), {"f": {"a": 1.0}}).save(tmp_path / "task")
    with pytest.raises(pp.ModelError, match=r"found one of a task: see TaskModel\.load"):
        pp.load(tmp_path / "task")
    task = object()
    assert pp.TaskModel.load(tmp_path / "task", task).task is task


def test_every_kind_names_its_module():
    for kind in TRAINERS:
        assert issubclass(class_of(kind), StoredModel)
        assert class_of(kind).kind == kind


# --- Files that change while a model is in use ---


@KINDS
@pytest.mark.parametrize(
    "change",
    [
        lambda path: os.truncate(path, 0),
        lambda path: os.truncate(path, path.stat().st_size // 2),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
        lambda path: path.unlink(),
    ],
    ids=["emptied", "cut off", "overwritten", "removed"],
)
def test_a_model_in_use_does_not_change_with_its_file(models, saved, tmp_path, kind, change):
    path = saved(kind)
    found = pp.load(path)
    change(path)
    found.save(tmp_path / "again")
    models[kind].save(path)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("share", [0, 0.3, 0.9])
def test_a_file_that_was_overwritten_in_part_is_refused(saved, share):
    path = saved("parser")
    data = bytearray(path.read_bytes())
    data[int(share * len(data)) :] = bytes(len(data) - int(share * len(data)))
    path.write_bytes(data)
    with pytest.raises(pp.ModelError, match=r"damaged|another kind"):
        pp.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@KINDS
def test_a_model_from_a_pipe(models, saved, tmp_path, kind):
    path = saved(kind)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(f"cat {shlex.quote(str(path))} > {shlex.quote(str(tmp_path / 'pipe'))}", shell=True):
        found = pp.load(tmp_path / "pipe")
    assert json.dumps(found.manifest()) == json.dumps(models[kind].manifest())


def test_truth_values_are_true_or_false(tmp_path):
    flags = np.array([0, 1, 255], dtype=np.uint8)
    for count, is_valid in ((2, True), (3, False)):
        write_arrays(tmp_path / "flags", {"flags": flags[:count].view(np.bool_)}, {})
        if is_valid:
            assert read_arrays(tmp_path / "flags", "model")[0]["flags"].tolist() == [False, True]
        else:
            with pytest.raises(pp.ModelError, match="expected a model, found a damaged one"):
                read_arrays(tmp_path / "flags", "model")


def test_a_compressed_model(models, saved, tmp_path):
    whole = gzip.compress(saved("pipeline").read_bytes())
    (tmp_path / "packed").write_bytes(whole)
    found = pp.load(tmp_path / "packed")
    assert json.dumps(found.manifest()) == json.dumps(models["pipeline"].manifest())
    found.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "pipeline").read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    wrong = [
        whole[:-1],
        whole[: len(whole) // 2],
        whole[:3],
        whole + b"more",
        bytes(flipped),
        gzip.compress(b"no model"),
    ]
    for content in wrong:
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(pp.ModelError, match="bad: "):
            pp.load(tmp_path / "bad")
