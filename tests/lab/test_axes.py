"""Axes: what a declaration stands for, and what is wrong with others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from grids import RECIPE, small_grid, write_treebanks
from panparser.lab.grid_file import combinations, merged, read_axes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("grid")
    write_treebanks(place / "treebanks")
    return place


def points(axes, base=None, **more):
    return list(combinations(base or {}, read_axes(axes, None, "g: [axes]"), **more))


def test_keys_of_recipes_settings_and_treebanks_are_axes(folder):
    grid = small_grid(folder)
    assert [axis.name for axis in grid.axes] == ["treebank", "seed", "setting"]
    assert len(grid.runs) == 8
    first = grid.runs[0]
    assert first.labels == {"treebank": "t1", "seed": "1", "setting": "static"}
    assert first.values["training"]["strategy"] == "static"
    assert first.values["parser"]["beam"] == 1
    assert first.splits["test"] == str(folder / "treebanks" / "t1" / "test.conllu")
    assert first.name == "treebank t1, seed 1, setting static"


@given(st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 5), min_size=1, unique=True), min_size=1))
def test_as_many_points_as_the_product_of_the_axes(lengths):
    axes = {name: {str(value): {"parser": {"beam": value}} for value in values} for name, values in lengths.items()}
    found = points(axes)
    product = 1
    for values in lengths.values():
        product *= len(values)
    assert len(found) == product == len({tuple(point.labels.items()) for point in found})


def test_labels_are_values_or_their_json():
    found = points({"training": {"strategy": ["static", {"base": "dynamic"}]}, "parser": {"single_root": [True]}})
    assert [point.labels["strategy"] for point in found] == ["static", '{"base": "dynamic"}']
    assert found[0].labels["single_root"] == "true"


def test_axes_of_the_same_key_have_their_whole_names():
    found = points({"data": {"train": [["a"]]}, "constraints": {"train": [["b"]]}, "parser": {"beam": [1]}})
    assert list(found[0].labels) == ["data.train", "constraints.train", "beam"]


def test_later_axes_and_changes_go_before_earlier_ones():
    axes = {"a": {"x": {"parser": {"beam": 2}}}, "parser": {"beam": [3, 4]}}
    declared = read_axes(axes, None, "g")
    from panparser.lab.grid_file import AxisCondition

    condition = AxisCondition.read({"beam": 4}, declared, "g")
    found = list(
        combinations({"parser": {"beam": 1, "root": "last"}}, declared, (), [(condition, {"parser": {"beam": 9}})])
    )
    assert [point.recipe["parser"] for point in found] == [{"beam": 3, "root": "last"}, {"beam": 9, "root": "last"}]


def test_exclusions(folder):
    grid = small_grid(folder, exclude=[{"treebank": "t1", "seed": 2}, {"setting": ["static"], "treebank": "t2"}])
    assert len(grid.runs) == 4
    with pytest.raises(pp.errors.SpecError, match="expected runs, found none"):
        small_grid(folder, exclude=[{"seed": [1, 2]}])


def test_keys_of_tables_are_replaced_and_those_of_networks_merged():
    assert merged({"training": {"strategy": {"base": "a", "x": 1}}}, {"training": {"strategy": {"base": "b"}}}) == {
        "training": {"strategy": {"base": "b"}}
    }
    base = {"network": {"size": 1, "learning": {"rate": 1, "decay": 2}}}
    assert merged(base, {"network": {"learning": {"rate": 3}}}) == {
        "network": {"size": 1, "learning": {"rate": 3, "decay": 2}}
    }
    assert base["network"]["learning"]["rate"] == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"axis": {}}, "grid: axis is unknown; did you mean axes?"),
        ({"axes": {"parser": {"beam": 8}}}, r"\[axes\] parser.beam: expected a list of values, found 8"),
        ({"axes": {"parser": {"beam": [1, 1]}}}, r"\[axes\] beam: expected different values, found 1 twice"),
        ({"axes": {"system": ["arc-eager"]}}, r"\[axes\] system: expected a table with a name.*keys of recipes begin"),
        ({"axes": {"s": {"a": {"parsr": {}}}}}, r"\[axes\] s a: parsr is unknown; did you mean parser?"),
        ({"axes": {"treebank": "nowhere"}}, r"\[axes\] treebank: expected a folder, found none at .*nowhere"),
        ({"axes": {"treebank": {"folder": "treebanks", "only": ["t9"]}}}, r"only: .*treebanks has no treebank t9"),
        ({"axes": {"treebank": {"folder": "treebanks", "onyl": []}}}, "onyl is unknown; did you mean only?"),
        ({"axes": {"parser": {"beam": [0]}}, "evaluation": {"test": "t"}}, r"grid: beam 0: \[parser\] beam: expected"),
        ({"recipe": {"parser": {"system": "arc-eagre"}}}, r"treebank t1, seed 1, setting static: .*arc-eagre"),
        ({"recipe": "none.toml"}, r"recipe: .*none.toml: cannot be read"),
        ({"exclude": [{"sede": 1}]}, r"\[\[exclude\]\] 1: sede is unknown; did you mean seed?"),
        ({"exclude": [{"seed": 3}]}, r"\[\[exclude\]\] 1 seed: 3 is unknown; there are 1, 2"),
        ({"when": [{"axes": {"seed": 1}}]}, r"\[\[when\]\] 1 recipe: expected a table, found None"),
        ({"limits": {"seconds": -1}}, r"\[limits\] seconds: expected a number >= 0, found -1"),
        ({"evaluation": {"test": "treebanks/t1/test.conllu"}}, r"\[evaluation\] test: expected one test set for a run"),
        ({"evaluation": {"input": "speech"}}, r"\[evaluation\] input: expected one of tokens, text"),
        ({"axes": {}}, "expected a development or a test set"),
        ({"name": "../x"}, "name: expected a name, without folders, found '../x'"),
        ({"recipe": {**RECIPE, "cross_validation": {"output": "x"}}}, "all runs of a grid would write this file"),
    ],
)  # fmt: skip
def test_errors_name_file_and_key(folder, more, message):
    with pytest.raises(pp.errors.SpecError, match=message):
        small_grid(folder, **more)


def test_a_file_with_a_recipe_of_its_own(folder):
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "sub" / "base.toml").write_text('[data]\ntrain = ["../treebanks/t1/train.conllu"]\n[parser]\nbeam = 2\n')
    (folder / "g.toml").write_text(
        'recipe = "sub/base.toml"\n[evaluation]\ntest = "treebanks/t1/test.conllu"\n[axes]\ntraining.seed = [7]\n'
    )
    grid = pp.lab.Grid.read(folder / "g.toml")
    assert grid.name == "g"
    assert grid.results == folder / "results"
    assert grid.runs[0].values["data"]["train"] == (str(folder / "treebanks" / "t1" / "train.conllu"),)
    assert grid.runs[0].values["parser"]["beam"] == 2
    assert list(grid.runs[0].splits) == ["test"]
    assert pp.lab.Grid.read(folder / "g.toml", results=folder / "other").results == folder / "other"
    with pytest.raises(pp.errors.SpecError, match="expected an axis treebank"):
        pp.lab.Grid.read(folder / "g.toml", treebanks=folder)


def test_treebanks_as_the_releases_of_universal_dependencies_name_them(folder, tmp_path):
    own = tmp_path / "UD_X"
    own.mkdir()
    for part in ("train", "test"):
        (own / f"x_y-ud-{part}.conllu").write_bytes((folder / "treebanks" / "t1" / f"{part}.conllu").read_bytes())
    (tmp_path / "UD_Z").mkdir()
    (tmp_path / "UD_Z" / "z-ud-test.conllu").write_text("x")
    grid = small_grid(folder, axes={"treebank": str(tmp_path)})
    assert [run.labels for run in grid.runs] == [{"treebank": "UD_X"}]
    (own / "q-ud-train.conllu").write_text("x")
    with pytest.raises(pp.errors.SpecError, match=r"expected one file train.conllu, found q-ud-train.conllu, x_y"):
        small_grid(folder, axes={"treebank": str(tmp_path)})
