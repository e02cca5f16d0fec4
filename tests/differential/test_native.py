"""The engine is whole without Python: a C++ program trains and parses as the API does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import panparser as pp
from places import ENGLISH, ROOT

TEMPLATES = pp.Templates.parse("""
    S0.form
    S0.upos
    B0.form
    B0.upos
    S0.upos B0.upos
    S0.form B0.form
    S0.upos B0.upos B1.upos
    S0.left[0].upos S0.upos B0.upos
    distance(S0,B0) S0.upos B0.upos
""")
BUILD = ROOT / "build" / "native"
EPOCHS, SEED = 3, 1


def tool(name: str) -> str | None:
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


@pytest.fixture(scope="module")
def program() -> Path:
    cmake, compiler = tool("cmake"), shutil.which(os.environ.get("CXX", "c++"))
    if cmake is None or compiler is None:
        pytest.skip("needs cmake and a C++ compiler")
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DPANPARSER_PYTHON=OFF", "-DPANPARSER_EXAMPLES=ON", "-DPANPARSER_WERROR=ON"]
    if ninja := tool("ninja"):
        options += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    for step in ([cmake, "-S", ROOT, "-B", BUILD, *options], [cmake, "--build", BUILD]):
        made = subprocess.run(step, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
    return BUILD / "engine_example"


@pytest.mark.slow
def test_a_native_program_learns_and_parses_as_the_api_does(program, tmp_path):
    treebank = pp.read_conllu(ENGLISH)
    train, test = treebank[::2], treebank[1::2]
    for name, part in (("train", train), ("test", test)):
        pp.write_conllu(tmp_path / f"{name}.conllu", part)
    orders = [np.random.default_rng([SEED, epoch, 0]).permutation(len(train)) for epoch in range(1, EPOCHS + 1)]
    (tmp_path / "order.txt").write_text("".join(" ".join(map(str, order)) + "\n" for order in orders))
    files = [tmp_path / "train.conllu", tmp_path / "test.conllu", tmp_path / "order.txt"]
    native = subprocess.run([program, *files], capture_output=True, text=True, check=True).stdout

    system = pp.system("arc-eager", root="last")
    spec = pp.ParserSpec(system=system, templates=TEMPLATES, beam=4, labeled=False)
    parser = pp.train(spec, train, strategy=pp.learning.MAX_VIOLATION, epochs=EPOCHS, seed=SEED, members=1)
    heads, _ = parser.predict(test)
    expected = np.split(heads, test.offsets[1:-1])
    assert [line.split() for line in native.splitlines()] == [[str(head) for head in tree] for tree in expected]
    assert np.mean(heads == test.heads) > 0.5  # it did learn


@pytest.mark.slow
def test_a_native_program_complains_in_one_line(program, tmp_path):
    (tmp_path / "bad.conllu").write_text("1\tbroken\n\n")
    for files in ([], [tmp_path / "none", tmp_path / "none"], [tmp_path / "bad.conllu", ENGLISH]):
        found = subprocess.run([program, *files], capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert len(found.stderr.splitlines()) == 1
