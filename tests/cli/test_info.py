"""`panparser info`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import panparser as pp
from panparser.pipeline import bundled_models as bundled
from places import ROOT


def test_info_says_what_was_left_out(run, english, tmp_path):
    bare = english[0][:40]
    bare.column("xpos")[:] = 0
    spec = pp.PipelineSpec(parser=pp.ParserSpec(beam=1, templates=pp.templates("zn11")), folds=0, tagger_epochs=1)
    pp.train_pipeline(spec, bare, epochs=1).save(tmp_path / "nlp")
    code, out, _ = run("info", tmp_path / "nlp")
    assert code == 0
    assert "left out: no word has XPOS" in out


def test_info(run, model):
    code, out, _ = run("info", model)
    assert code == 0
    for word in ("arc-eager, Root last, one child of Root", "format 1", "update_at=max-violation", "SHA-256", "nsubj"):
        assert word in out
    values = json.loads(run("info", model, "--json")[1])
    assert values["spec"] == pp.ParserSpec(beam=4).to_values() | {"system": values["spec"]["system"]}
    assert values["file_size"] == model.stat().st_size > values["weights_size"]
    assert run("--quiet", "info", model) == (0, "", "")
    code, _, err = run("info", ROOT / "README.md")
    assert code == 2
    assert err.count("\n") == 1


def test_a_model_from_a_pipe(model):
    """By - and by a name that can be opened once only, as <(cat model) is."""
    command = f'"{sys.executable}" -m panparser info'
    for line in (f"cat '{model}' | {command} - --json", f"{command} <(cat '{model}') --json"):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        values = json.loads(done.stdout)
        assert values["kind"] == "parser"
        assert values["file_size"] is None


def test_the_name_of_a_bundled_model_is_that_model(run, model, monkeypatch, tmp_path):
    """A file of that name does not hide it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").write_bytes(model.read_bytes())
    assert "tokenizer" in run("info", "en")[1]
    assert "tokenizer" not in run("info", "./en")[1]
    assert isinstance(pp.load(Path("en")), pp.Parser)
    assert isinstance(pp.load("en"), pp.Pipeline)
    assert "en" in bundled.bundled()
    names = ", ".join(bundled.bundled())
    with pytest.raises(pp.ModelError, match=f"tlh: expected a model file, or the name of a bundled model: {names}"):
        pp.load("tlh")
    code, _, err = run("info", "fr")
    assert (code, err) == (2, f"panparser: fr: expected a model file, or the name of a bundled model: {names}\n")


def test_a_subsample_of_a_region_is_told(run, tmp_path):
    region = pp.ArcRegion(upos=("DET", "ADP"), direction="right")
    treebank = pp.parse_conllu("1\ta\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    parser = pp.train(pp.ParserSpec(beam=1), treebank, epochs=1, subsample=pp.Subsampling(share=0, region=region))
    parser.save(tmp_path / "x.panparser")
    assert "share=0 by=share where=(upos=DET|ADP direction=right)" in run("info", tmp_path / "x.panparser")[1]
