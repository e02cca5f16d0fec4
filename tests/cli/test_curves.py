"""`panparser curves`."""

from __future__ import annotations

import csv
import json

import pytest

import panparser as pp
from places import DATA

GOLD, GREEDY, BEAM = (DATA / name for name in ("english.conllu", "english-greedy.conllu", "english-beam.conllu"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([GOLD, "--by", "uposs"], "unknown criterion 'uposs'"),
        ([GOLD, "--metric", "usa"], "unknown measure 'usa'"),
        ([GOLD, "--plot", "/no/such/folder/x.png"], "/no/such/folder/x.png: cannot be written"),
        (["empty.conllu"], "expected words to score, found none that count"),
    ],
)
def test_curves_say_what_is_wrong_before_they_train(run, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.conllu").touch()
    monkeypatch.setattr("panparser.lab.curves.parse_sizes", None)
    code, _, err = run("curves", GOLD, *arguments)
    assert (code, "Traceback" in err) == (2, False)
    assert said in err


def test_curves(run, tmp_path):
    """More sentences, better parsers; what is printed is what `learning_curves` says."""
    treebank = pp.read_conllu(GOLD)
    pp.write_conllu(tmp_path / "train.conllu", treebank[:60])
    pp.write_conllu(tmp_path / "test.conllu", treebank[60:100])
    files = (tmp_path / "train.conllu", tmp_path / "test.conllu")
    (tmp_path / "small.toml").write_text("[training]\nmembers = 1\n")
    settings = ("--recipe", tmp_path / "small.toml", "--beam", "1", "--epochs", "2")
    values = json.loads(run("curves", *files, *settings, "--sizes", "5,60", "--csv", tmp_path / "c.csv", "--json")[1])
    rows = {row["class"]["upos"]: row for row in values["tables"][0]["rows"]}
    assert rows["all"]["60"] > rows["all"]["5"]
    assert min(row["words"] for row in rows.values()) >= 10
    with open(tmp_path / "c.csv", newline="") as file:
        assert [row["upos"] for row in csv.DictReader(file)] == list(rows)
    code, out, err = run("curves", *files, *settings, "--epochs", "1", "--plot", tmp_path / "c.png")
    assert (code, err) == (0, "")
    assert "uas by upos, after so many sentences" in out
    assert (
        next(line for line in out.splitlines() if line.startswith("upos")).split() == "upos words 10 20 50 60".split()
    )
    assert (tmp_path / "c.png").stat().st_size > 5000
    for sizes, said in (
        ("5,x", "expected comma-separated numbers"),
        ("9,5", "increasing numbers"),
        ("500", "between 1 and 60"),
    ):
        code, _, err = run("curves", *files, "--sizes", sizes)
        assert (code, said in err) == (2, True)


def test_what_samples_are_worth(run, tmp_path):
    """Tables of intervals, of another parser, given by its trees or as a model, and of prices."""
    treebank = pp.read_conllu(GOLD)
    files = (tmp_path / "train.conllu", tmp_path / "test.conllu")
    for path, part in zip(files, (treebank[:40], treebank[60:90]), strict=True):
        pp.write_conllu(path, part)
    other = pp.train(pp.ParserSpec(beam=1), treebank[90:200], epochs=1, members=1)
    other.save(tmp_path / "other.panparser")
    pp.write_conllu(tmp_path / "other.conllu", other.parse(treebank[60:90]))
    (tmp_path / "small.toml").write_text("[training]\nmembers = 1\n")
    settings = (
        "--recipe",
        tmp_path / "small.toml",
        "--beam",
        1,
        "--epochs",
        1,
        "--sizes",
        "2,8,40",
        "--samples-per-size",
        2,
    )
    shown = [
        run(
            "curves",
            *files,
            *settings,
            "--by",
            "difficulty",
            "--cost-per-sentence",
            10,
            "--baseline",
            tmp_path / f"other.{kind}",
        )
        for kind in ("conllu", "panparser")
    ]
    assert shown[0] == shown[1]
    code, out, err = shown[0]
    assert (code, err) == (0, "")
    for title in (
        "mean of 2 samples",
        "half of the 95 % interval",
        "needed to match --baseline",
        "needed for a score",
    ):
        assert title in out
    lines = [line.split() for line in out.splitlines()]
    assert "difficulty words sentences first last gain learnability hardness complexity".split() in lines
    assert ["95", ">", "40", ">", "400"] in lines
    code, _, err = run("curves", *files, "--baseline", files[0])
    assert (code, "predictions must have the words of the gold" in err) == (2, True)
