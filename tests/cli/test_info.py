"""`panparser info`."""

from __future__ import annotations

import json

import panparser as pp
from places import ENGLISH


def test_info_says_what_was_left_out(run, english, tmp_path):
    bare = english[0][:40]
    bare.column("xpos")[:] = 0
    spec = pp.PipelineSpec(parser=pp.ParserSpec(beam=1, templates=pp.ZN11), folds=0, tagger_epochs=1)
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
    code, _, err = run("info", ENGLISH)
    assert code == 2
    assert err.count("\n") == 1
