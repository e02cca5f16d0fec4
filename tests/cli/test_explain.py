"""Commands that look inside a model."""

from __future__ import annotations

import sys

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


def test_explain_takes_a_text_and_has_a_model(run):
    code, out, err = run("explain", "--text", "They ate the pizza.")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == [
        "step",
        "stack",
        "buffer",
        "action",
        "label",
        "score",
        "lead",
    ]  # no gold tree
    assert " nsubj " in out
    assert "They" in run("explain", "--text", "Nobody came. They ate.", "--sentence", "2")[1]
    for arguments, message in {
        (): "expected either a file or --text",
        ("--text", "a", "b.conllu"): "got both",
        ("--text", ""): "expected sentences; got none",
        ("--text", "a", "--sentence", "7"): "--text: --sentence must be between 1 and 1; got 7",
        ("--text", "a", "--limit", "3"): "--limit requires --step, and cannot be used with --csv",
        (
            "--text",
            "a",
            "--step",
            "1",
            "--csv",
            "--limit",
            "3",
        ): "--limit requires --step, and cannot be used with --csv",
    }.items():
        code, _, err = run("explain", *arguments)
        assert code == 2
        assert message in err


@pytest.mark.parametrize("more", [[], ["--step", "3"], ["--step", "2", "--compare-with", "SHIFT"], ["--csv"]])
def test_explain_needs_no_pandas(run, monkeypatch, more):
    arguments = ["explain", "--text", "They ate the pizza.", *more]
    monkeypatch.setitem(sys.modules, "pandas", None)
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) > 5


def test_weights_of_tags_and_of_words(run, models):
    pytest.importorskip("pandas")
    common = ("weights", "-m", models / "a.panparser", ENGLISH, "--compare-with", models / "b.panparser", "--csv")
    rows = [line.split(",") for line in run(*common, "--group-by", "kind")[1].splitlines()]
    assert [row[0] for row in rows] == ["kind", "tags", "words", "all"]
    assert int(rows[3][1]) == int(rows[1][1]) + int(rows[2][1]) > 0
    assert run(*common)[1].splitlines()[-1].split(",")[2] == rows[3][1]
    code, _, err = run("weights", "-m", models / "a.panparser", ENGLISH, "--class", "LEFT", "--group-by", "kind")
    assert (code, "--group-by requires --compare-with" in err) == (2, True)
