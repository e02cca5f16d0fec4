"""The benchmark of precisions: what it says is what the files hold, and what they parse."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

import panparser as pp
from nets import TINY, TREEBANK
from places import ROOT

torch = pytest.importorskip("torch")
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=1)


@pytest.fixture
def precision(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("precision")


def saved(path, network):
    pp.train(SPEC, TREEBANK, network=network, epochs=2, seed=1).save(path)
    return path


def test_a_table_of_precisions(precision, tmp_path):
    path = saved(tmp_path / "tiny.panparser", TINY)
    (tmp_path / "xx").mkdir()
    pp.write_conllu(tmp_path / "xx" / "dev.conllu", TREEBANK)
    found = precision.measure(path, TREEBANK)
    sizes = [found[name].size for name in ("float32", "float16", "int8")]
    assert sizes == sorted(sizes, reverse=True)
    assert found["float32"].changed == 0
    parsed = pp.Parser.load(path).parse(TREEBANK)
    assert found["float32"].las == pp.evaluate(TREEBANK, parsed, bootstrap_samples=0)["FullLAS"].f1
    text = precision.report(tmp_path, [("xx", path)])
    assert f"| xx, 1 of them | int8 | {found['int8'].size / 1e6:.2f} |" in text


def test_words_that_changed(precision):
    other = TREEBANK.copy()
    other.heads[0] = 0 if other.heads[0] else 2
    other[1].labels = ["strange", *other[1].labels[1:]]
    assert precision.different(TREEBANK, TREEBANK) == 0
    assert precision.different(TREEBANK, other) == 2


def test_a_model_of_fewer_bits_is_refused(precision, tmp_path):
    path = saved(tmp_path / "rounded.panparser", replace(TINY, precision="int8"))
    with pytest.raises(SystemExit, match="expected numbers of float32, found those of int8"):
        precision.network_parser(path)
