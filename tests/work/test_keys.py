"""Hashes of plain values, of files and of builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.work import keys
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

    assert keys.digest(shuffled(values)) == keys.digest(values)


@given(PLAIN, PLAIN)
def test_other_values_have_other_keys(first, second):
    def plain(value):  # 1 and 1.0 are the same number, 1 and true are not
        if isinstance(value, dict):
            return {key: plain(inside) for key, inside in value.items()}
        if isinstance(value, list):
            return [plain(inside) for inside in value]
        return ("truth", value) if isinstance(value, bool) else value

    same = plain(first) == plain(second)
    assert (keys.digest({"x": first}) == keys.digest({"x": second})) == same


def test_a_digest_is_that_of_published_results():
    """Keys of results are compared over years: their bytes may not change."""
    values = {"b": [1, 2.0, (0.5, None)], "a": {"ä": True}}
    assert keys.digest(values) == sha256('{"a":{"ä":true},"b":[1,2,[0.5,null]]}'.encode()).hexdigest()


# --- Files ---


def test_a_file_that_has_not_changed_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    first = keys.file_digest(str(path))
    assert first == sha256(b"one").hexdigest()
    with monkeypatch.context() as patch:
        patch.setattr(keys, "_stream_digest", None)
        assert keys.file_digest(str(path)) == first
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert keys.file_digest(str(path)) == sha256(b"two").hexdigest()
    with pytest.raises(OSError, match="No such file"):
        keys.file_digest(str(tmp_path / "none"))


def test_a_file_elsewhere_has_the_digest_of_its_bytes():
    fsspec = pytest.importorskip("fsspec", reason="needs the extra remote")
    store = fsspec.filesystem("memory")
    for data in (b"one", b"two"):
        store.pipe("/keys/a", data)
        assert keys.file_digest("memory://keys/a") == sha256(data).hexdigest()


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
    unchanged = keys.build()
    assert keys.build(package, engine) == unchanged
    hashes = {path: path.read_bytes() for path in (*package.rglob("*"), engine) if path.is_file()}
    monkeypatch.setattr(Path, "read_bytes", lambda path: hashes.get(path) or b"")  # reads each file once, not 300 times
    seen = {unchanged}
    modules = sorted(package.rglob("*.py"))
    shown = [path for path in modules if path.relative_to(package).parts[0] in keys.UNHASHED_PACKAGES]
    assert len(modules) - len(shown) > 150
    others = [path for path in modules if path not in shown]
    for path in (*others[::10], package / "__init__.pyi", engine):
        before, hashes[path] = hashes[path], hashes[path] + b"\n"
        found = keys.build(package, engine)
        assert found not in seen, path
        seen.add(found)
        hashes[path] = before
    for path in shown[::10]:
        before, hashes[path] = hashes[path], hashes[path] + b"\n"
        assert keys.build(package, engine) == unchanged, path
        hashes[path] = before


IMPORTED = """
import sys

import panparser.corpora.corpus_run
from panparser.recipes.recipe import Recipe
from panparser.recipes.scored_run import score_recipe

path = sys.argv[1]
recipe = Recipe.from_values({"data": {"train": [path], "dev": path}, "training": {"epochs": 1, "members": 1}})
assert score_recipe(recipe, {"dev": path}).splits["dev"].scores["UAS"] > 50
print(*(name for name in sys.modules if name.startswith("panparser.")))
"""


def test_what_makes_trees_and_scores_imports_nothing_that_builds_leave_out():
    command = [sys.executable, "-c", IMPORTED, str(ENGLISH)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    packages = {name.split(".")[1] for name in found}
    assert {"parsing", "learning", "evaluation", "corpora", "recipes"} < packages
    assert not packages & set(keys.UNHASHED_PACKAGES)


HASHED_PACKAGES = set(
    "base batches corpora ensembles evaluation features learning networks neural parsing pipeline recipes storage "
    "systems tagging text training transfer treebank trees validation work".split()
)


def test_every_package_either_counts_or_does_not():
    """Whoever adds a package decides: does it affect models, trees or scores, or only show them?"""
    packages = {path.parent.name for path in Path(pp.__file__).parent.glob("*/__init__.py")}
    assert not HASHED_PACKAGES & set(keys.UNHASHED_PACKAGES)
    assert packages == HASHED_PACKAGES | set(keys.UNHASHED_PACKAGES)


def test_a_module_that_moves_makes_another_build(copy):
    package, engine = copy
    before = keys.build(package, engine)
    (package / "errors.py").rename(package / "mistakes.py")
    assert keys.build(package, engine) != before


def test_what_is_not_imported_makes_no_other_build(copy):
    package, engine = copy
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "errors.cpython-311.pyc").write_bytes(b"compiled")
    assert keys.build(package, engine) == keys.build()
