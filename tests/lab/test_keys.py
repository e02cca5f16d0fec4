"""Keys: what decides what comes out makes another key, and nothing else does."""

from __future__ import annotations

import shutil

import pytest

import panparser as pp
from grids import RECIPE, small_grid, write_treebanks
from panparser.lab.grid_runs import GridRun, input_digest
from panparser.work import keys


@pytest.fixture
def folder(tmp_path):
    write_treebanks(tmp_path / "treebanks", 1)
    return tmp_path


def key(folder, **more):
    train, dev, test = (str(folder / f"{part}.conllu") for part in ("train", "dev", "test"))
    recipe = {**RECIPE, "data": {"train": [train], "dev": dev}}
    return GridRun.create({**recipe, **more}, test=test).key


def test_paths_do_not_matter_but_contents_do(folder, tmp_path):
    own, other = folder / "treebanks" / "t1", tmp_path / "elsewhere" / "renamed"
    shutil.copytree(own, other)
    first = key(own)
    assert key(other) == first
    for part in ("train", "dev", "test"):
        path = other / f"{part}.conllu"
        before = path.read_bytes()
        path.write_bytes(before + before.partition(b"\n\n")[0] + b"\n\n")
        assert key(other) != first
        path.write_bytes(before)
    assert key(other) == first


def test_what_is_left_out_and_what_is_spelled_out_are_the_same(folder):
    own = folder / "treebanks" / "t1"
    spelled = pp.Recipe.from_values(RECIPE).resolved().to_values()
    assert key(own, parser=spelled["parser"], training=spelled["training"]) == key(own)
    assert key(own, training={**RECIPE["training"], "seed": 2}) != key(own)
    assert key(own, parser={**RECIPE["parser"], "beam": 2}) != key(own)


def test_files_that_describe_a_parser_count_by_their_contents(folder):
    own = folder / "treebanks" / "t1"
    for name in ("a", "b"):
        (folder / f"{name}.txt").write_text("S0.form\nB0.upos\n")
    parser = {"beam": 1, "templates": str(folder / "a.txt")}
    first = key(own, parser=parser)
    assert key(own, parser={**parser, "templates": str(folder / "b.txt")}) == first
    (folder / "a.txt").write_text("S0.form\n")
    assert key(own, parser=parser) != first


def test_version_and_build_make_other_keys_of_the_same_content(folder, monkeypatch):
    run = small_grid(folder).runs[0]
    monkeypatch.setattr("panparser.lab.grid_runs.own_build", lambda: "another")
    again = small_grid(folder).runs[0]
    assert again.content == run.content
    assert again.key != run.key


def test_packages_make_other_keys_if_they_are_used(folder, monkeypatch):
    own = folder / "treebanks" / "t1"
    network = {"parser": {"network": "bilstm"}, "training": {"epochs": 1}}
    first = {"regions": {"upos": ["DET"]}, "parser": {"network": "bilstm"}}
    stages = [first, {"name": "rest", "parser": {"beam": 1}}]
    cascade = {"data": {"train": [str(own / "train.conllu")]}, "stages": stages}

    def found():
        deep = GridRun.create(cascade, folder=str(folder), test=str(own / "test.conllu"))
        return {"plain": key(own), "network": key(own, **network), "cascade": deep.key}

    before, real = found(), keys.package_version
    for package, changed in (("numpy", before.keys()), ("torch", {"network", "cascade"})):
        monkeypatch.setattr(keys, "package_version", lambda name, other=package: "0" if name == other else real(name))
        after = found()
        assert {name for name in before if after[name] != before[name]} == set(changed)


def test_a_cascade_has_a_key_too(folder):
    own = folder / "treebanks" / "t1"
    (folder / "a.txt").write_text("S0.form\n")
    stages = [
        {"regions": {"upos": ["DET"]}, "parser": {"templates": "a.txt"}},
        {"name": "rest", "parser": {"beam": 1}},
    ]
    values = {"data": {"train": [str(own / "train.conllu")]}, "stages": stages}

    def of():
        return GridRun.create(values, folder=str(folder), test=str(own / "test.conllu")).key

    first = of()
    (folder / "a.txt").write_text("B0.form\n")
    assert of() != first


def test_a_device_is_no_file(tmp_path):
    with pytest.raises(pp.SpecError, match="expected a file, found something else"):
        input_digest("/dev/zero")
    with pytest.raises(pp.SpecError, match="expected a file, found something else"):
        input_digest(str(tmp_path))
