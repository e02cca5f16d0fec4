"""Keys: what decides what comes out makes another key, and nothing else does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from grids import RECIPE, small_grid, write_treebanks
from panparser import _builds, _engine
from panparser.grid import keys
from panparser.grid.runs import GridRun
from places import ENGLISH

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5) | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), PLAIN, max_size=5), st.randoms())
def test_the_order_of_keys_does_not_matter(values, random):
    def shuffled(value):
        if isinstance(value, dict):
            items = list(value.items())
            random.shuffle(items)
            return {key: shuffled(inside) for key, inside in items}
        return [shuffled(each) for each in value] if isinstance(value, list) else value

    assert keys.digest_of(shuffled(values)) == keys.digest_of(values)


@given(PLAIN, PLAIN)
def test_other_values_have_other_keys(first, second):
    def plain(value):  # 1 and 1.0 are the same number, 1 and true are not
        if isinstance(value, dict):
            return {key: plain(inside) for key, inside in value.items()}
        if isinstance(value, list):
            return [plain(inside) for inside in value]
        return ("truth", value) if isinstance(value, bool) else value

    same = plain(first) == plain(second)
    assert (keys.digest_of({"x": first}) == keys.digest_of({"x": second})) == same


@pytest.fixture
def folder(tmp_path):
    write_treebanks(tmp_path / "treebanks", 1)
    return tmp_path


def key(folder, **more):
    train, dev, test = (str(folder / f"{part}.conllu") for part in ("train", "dev", "test"))
    recipe = {**RECIPE, "data": {"train": [train], "dev": dev}}
    return GridRun.of({**recipe, **more}, test=test).key


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
    monkeypatch.setattr("panparser.grid.runs.own_build", lambda: "another")
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
        deep = GridRun.of(cascade, folder=str(folder), test=str(own / "test.conllu"))
        return {"plain": key(own), "network": key(own, **network), "cascade": deep.key}

    before, real = found(), keys.version_of
    for package, changed in (("numpy", before.keys()), ("torch", {"network", "cascade"})):
        monkeypatch.setattr(keys, "version_of", lambda name, other=package: "0" if name == other else real(name))
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
        return GridRun.of(values, folder=str(folder), test=str(own / "test.conllu")).key

    first = of()
    (folder / "a.txt").write_text("B0.form\n")
    assert of() != first


# --- Builds ---


@pytest.fixture
def copy(tmp_path):
    """The package and its engine."""
    package, engine = Path(pp.__file__).parent, Path(_engine.__file__)
    shutil.copytree(
        package, tmp_path / "panparser", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.panparser")
    )
    shutil.copy(engine, tmp_path / engine.name)
    return tmp_path / "panparser", tmp_path / engine.name


@pytest.mark.unmeasured
def test_a_change_of_what_models_depend_on_makes_another_build(copy, monkeypatch):
    package, engine = copy
    unchanged = _builds.build()
    assert _builds.build(package, engine) == unchanged
    hashes = {path: path.read_bytes() for path in (*package.rglob("*"), engine) if path.is_file()}
    monkeypatch.setattr(Path, "read_bytes", lambda path: hashes.get(path) or b"")  # reads each file once, not 300 times
    seen = {unchanged}
    modules = sorted(package.rglob("*.py"))
    shown = [path for path in modules if path.relative_to(package).parts[0] in _builds.SHOWING]
    counting = [package / name for name in _builds.COUNTING]
    assert len(modules) - len(shown) > 150
    assert set(counting) < set(shown)
    others = [path for path in modules if path not in shown]
    for path in (*others[::10], *counting, package / "__init__.pyi", engine):
        before, hashes[path] = hashes[path], hashes[path] + b"\n"
        found = _builds.build(package, engine)
        assert found not in seen, path
        seen.add(found)
        hashes[path] = before
    for path in (each for each in shown[::10] if each not in counting):
        before, hashes[path] = hashes[path], hashes[path] + b"\n"
        assert _builds.build(package, engine) == unchanged, path
        hashes[path] = before


IMPORTED = """
import sys
from pathlib import Path

import panparser.corpora.run
from panparser.grid.runs import GridRun
from panparser.grid.work import perform

path, results = sys.argv[1], Path(sys.argv[2])
values = {"data": {"train": [path], "dev": path}, "training": {"epochs": 1, "members": 1}}
outcome = perform(GridRun.of(values).task(results))
assert outcome.is_done, outcome.error
print(*(name for name in sys.modules if name.startswith("panparser.")))
"""


def test_what_makes_trees_and_scores_imports_nothing_that_builds_leave_out(tmp_path):
    """But for the modules of the grid that carry tasks and files, and make no figure."""
    command = [sys.executable, "-c", IMPORTED, str(ENGLISH), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    rooms = {name.split(".")[1] for name in found}
    assert {"parsing", "learning", "evaluation", "corpora"} < rooms
    assert rooms & set(_builds.SHOWING) == {"grid"}
    carrying = {"keys", "records", "runs"}
    counting = {Path(name).stem for name in _builds.COUNTING}
    assert {name.split(".")[2] for name in found if name.startswith("panparser.grid.")} == carrying | counting


def test_a_module_that_moves_makes_another_build(copy):
    package, engine = copy
    before = _builds.build(package, engine)
    (package / "errors.py").rename(package / "mistakes.py")
    assert _builds.build(package, engine) != before


def test_what_is_not_imported_makes_no_other_build(copy):
    package, engine = copy
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "errors.cpython-311.pyc").write_bytes(b"compiled")
    assert _builds.build(package, engine) == _builds.build()


def test_a_device_is_no_file(tmp_path):
    with pytest.raises(pp.SpecError, match="expected a file, found something else"):
        keys.hash_of_file("/dev/zero")
    with pytest.raises(pp.SpecError, match="expected a file, found something else"):
        keys.hash_of_file(str(tmp_path))
