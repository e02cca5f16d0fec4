"""Commands that look inside a model."""

from __future__ import annotations

import pytest

import panparser as pp
from places import ENGLISH


def test_commands_that_look_inside_take_the_parser_of_a_pipeline(run, pipeline_file, tmp_path):
    pytest.importorskip("pandas")
    code, out, _ = run("explain", "-m", pipeline_file, ENGLISH, "--sentence", "1")
    assert code == 0
    assert "SHIFT" in out
    pp.load(pipeline_file).taggers[0].save(tmp_path / "tagger")
    code, _, err = run("explain", "-m", tmp_path / "tagger", ENGLISH)
    assert code == 2
    assert "expected a parser, or a pipeline with one, found <Tagger" in err
