"""`panparser step`."""

from __future__ import annotations

import json
import re

import pytest

from places import ENGLISH


def embedded(path):
    page = path.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_a_text_becomes_a_page(run, tmp_path):
    path = tmp_path / "step.html"
    code, out, err = run("step", "--text", "Nobody came. They ate the pizza.", "--sentence", "2", "-o", path)
    assert (code, out, err) == (0, f"{path}: 10 steps of en\n", "")
    data = embedded(path)
    assert data["forms"] == ["They", "ate", "the", "pizza", "."]
    assert data["tags"][0] == "PRON"
    assert data["gold"] is None
    assert data["runs"][0]["beam"] == 8


def test_models_and_systems_stand_side_by_side(run, models, tmp_path):
    path = tmp_path / "step.html"
    named = [
        "-m",
        models / "a.panparser",
        "-m",
        models / "c.panparser",
        "--system",
        "arc-standard",
        "--system",
        "covington",
    ]
    assert run("step", *named, ENGLISH, "--sentence", "3", "--beam", "3", "-o", path)[0] == 0
    data = embedded(path)
    assert [one["name"] for one in data["runs"]] == ["a", "c", "arc-standard", "covington"]
    assert [one["beam"] for one in data["runs"]] == [3, 3, 0, 0]
    assert data["gold"]["heads"].count(0) == 1
    before = path.read_bytes()
    run("step", *named, ENGLISH, "--sentence", "3", "--beam", "3", "-o", path)
    assert path.read_bytes() == before


def test_lessons_are_pages(run, tmp_path):
    path = tmp_path / "lesson.html"
    assert run("step", "--lesson", "crossing-arcs", "-o", path)[0] == 0
    assert [one["name"] for one in embedded(path)["runs"]] == ["ArcStandard", "SwapStandard"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--text", "They ate."], "expected an output file: -o step.html"),
        (["-o", "x.html"], "expected a file, --text or --lesson"),
        ([ENGLISH, "--text", "They ate.", "-o", "x.html"], "got a file and --text"),
        (["--text", "They ate.", "--sentence", "2", "-o", "x.html"], "--sentence must be between 1 and 1; got 2"),
        (["--text", " ", "-o", "x.html"], "--text: expected sentences; got none"),
        (["--lesson", "x", "-o", "x.html"], "expected a lesson: spurious-ambiguity"),
        (["--lesson", "beam", ENGLISH, "-o", "x.html"], "--lesson cannot be used with a file"),
        (
            ["--system", "arc-eager", "--text", "They ate.", "-o", "x.html"],
            "--system requires a file with heads; got --text",
        ),
        (
            ["-m", "en", "--system", "arc-eager", "--text", "They ate.", "-o", "x.html"],
            "--system requires a head for each word",
        ),
        (["--system", "arc-eager", "--beam", "2", ENGLISH, "-o", "x.html"], "--beam requires a model"),
        (["--system", "arc-eeger", ENGLISH, "-o", "x.html"], "did you mean arc-eager?"),
        (["--text", "They ate.", "-o", "nowhere/x.html"], "nowhere"),
    ],
)
def test_what_is_wrong_is_said(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("step", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("panparser: ")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_the_page_replaces_no_input(run, tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_bytes(ENGLISH.read_bytes())
    code, _, err = run("step", "--system", "arc-eager", path, "-o", path)
    assert code == 2
    assert "is an input" in err
    assert path.read_bytes() == ENGLISH.read_bytes()
