"""`panparser analyze`."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest

import panparser as pp
from places import DATA

GOLD, GREEDY, BEAM = (DATA / name for name in ("english.conllu", "english-greedy.conllu", "english-beam.conllu"))


def test_the_summary(run):
    code, out, err = run("analyze", GOLD, GREEDY)
    assert (code, err) == (0, "")
    for title in ("all words that count", "by upos", "by base-label", "by length", "by direction", "where the errors"):
        assert title in out
    scores = pp.evaluate(pp.read_conllu(GOLD), pp.read_conllu(GREEDY), bootstrap_samples=0)
    assert out.splitlines()[3].split() == [
        "all",
        "2,134",
        f"{scores['UAS-punct'].f1:.2f}",
        f"{scores['LAS-punct'].f1:.2f}",
        "82.90",
    ]
    assert run("analyze", GOLD, GREEDY, "--quiet") == (0, "", "")


def test_criteria_subsets_order_and_size(run):
    arguments = ["analyze", GOLD, GREEDY, "--by", "form+upos", "--where", "label=mark"]
    out = run(*arguments, "--sort", "uas", "--min-count", "3", "--limit", "2")[1]
    assert out.split("by form+upos\n\n")[1].splitlines() == [
        "form+upos   words    uas    las   label",
        "as-SCONJ        3  66.67  66.67  100.00",
        "that-SCONJ     16  87.50  87.50  100.00",
        "... and 4 more",
    ]
    rows = run(*arguments, "--sort", "class", "--descending")[1].splitlines()
    assert rows[8].startswith("while-SCONJ")
    out = run(
        "analyze",
        GOLD,
        GREEDY,
        "--by",
        "frequency",
        "--frequency-from",
        GOLD,
        "--ignore-upos",
        "none",
        "--metric",
        "upos,lemma",
    )[1]
    assert "unknown" not in out
    assert out.splitlines()[3].split() == ["all", "2,510", "100.00", "100.00"]


def test_gold_alone_is_counted(run):
    code, out, _ = run("analyze", GOLD, "--by", "length", "--matrix", "upos,direction")
    assert code == 0
    assert "words by length" in out
    assert "words by upos,direction" in out
    assert "words by base-label" in run("analyze", GOLD)[1]


def test_every_kind_of_table(run):
    code, out, _ = run(
        *("analyze", GOLD, GREEDY, BEAM, "--matrix", "upos,direction", "--precision", "base-label"),
        *("--confusion", "direction", "--correlation", "upos"),
    )
    assert code == 0
    for name in ("english-greedy", "english-beam"):
        assert f"uas by upos,direction ({name})" in out
        assert f"precision and recall of las by base-label ({name})" in out
        assert f"direction: gold in rows, predicted in columns ({name})" in out
        assert f"correlation of uas between classes of upos, over sentences ({name})" in out


def test_comparisons(run):
    out = run("analyze", GOLD, GREEDY, BEAM, "--compare", "--by", "upos", "--bootstrap-samples", "50")[1]
    assert "uas of english-beam and english-greedy by upos" in out
    header = next(line for line in out.splitlines() if line.startswith("upos "))
    assert header.split()[-4:] == ["ci_low", "ci_high", "p", "p_holm"]
    assert "ci_low" not in run("analyze", GOLD, GREEDY, BEAM, "--compare", "--bootstrap-samples", "0")[1]
    out = run("analyze", GOLD, GREEDY, BEAM, GREEDY, "--compare", "--bootstrap-samples", "0")[1]
    assert "who is right (uas)" in out
    assert f"{GREEDY} (3)" in out


def test_files_that_are_called_like_columns(run, tmp_path):
    names = ("p.conllu", "words.conllu")
    for name, source in zip(names, (GREEDY, BEAM), strict=True):
        (tmp_path / name).write_bytes(source.read_bytes())
    code, out, err = run(
        "analyze", GOLD, *(tmp_path / name for name in names), "--compare", "--bootstrap-samples", "10"
    )
    assert (code, err) == (0, "")
    assert "82.71" in out
    assert "p.conllu" in out


def test_spaces_after_commas(run):
    code, out, _ = run("analyze", GOLD, GREEDY, "--by", "upos", "--ignore-upos", "PUNCT, NOUN", "--metric", "uas, las")
    assert code == 0
    assert "NOUN" not in out
    assert "label" not in out


def test_small_classes_are_left_out_of_precision(run):
    out = run("analyze", GOLD, GREEDY, "--precision", "upos", "--min-count", "300")[1]
    assert [line.split()[0] for line in out.splitlines()[3:]] == ["NOUN", "VERB"]


def test_json_and_csv(run, tmp_path):
    values = json.loads(run("analyze", GOLD, GREEDY, BEAM, "--by", "upos,direction", "--json")[1])
    assert values["words"] == 2134
    assert values["tables"][0]["rows"][0]["class"] == {}
    rows = values["tables"][1]["rows"]
    assert set(rows[0]["class"]) == {"upos", "direction"}
    assert sum(row["words"] for row in rows) == 2134
    assert run("analyze", GOLD, GREEDY, "--by", "upos", "--csv", tmp_path / "one.csv")[0] == 0
    with open(tmp_path / "one.csv", newline="") as file:
        read = list(csv.DictReader(file))
    assert sum(int(row["words"]) for row in read) == 2134
    run("analyze", GOLD, GREEDY, "--by", "upos", "--confusion", "label", "--csv", tmp_path / "out.csv")
    assert (tmp_path / "out-upos.csv").exists()
    matrix = (tmp_path / "out-confusion-label.csv").read_text().splitlines()
    assert len(matrix) > 30, "the whole matrix, not what a terminal shows"
    code, _, err = run("analyze", GOLD, GREEDY, "--csv", tmp_path / "no" / "out.csv")
    assert (code, "out.csv: cannot be written" in err) == (2, True)


def test_plots(run, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("analyze", GOLD, GREEDY, BEAM, "--by", "upos", "--plot", tmp_path / "a.svg")[0] == 0
    drawn = (tmp_path / "a.svg").read_text()
    assert "english-beam uas" in drawn
    assert "english-beam las" not in drawn
    run("analyze", GOLD, GREEDY, "--matrix", "upos,head-upos", "--confusion", "label", "--plot", tmp_path / "b.png")
    for name in ("b-upos,head-upos.png", "b-confusion-label.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_statistics_are_drawn(run, tmp_path):
    code, _, err = run("analyze", GOLD, "--by", "upos", "--plot", tmp_path / "tags.svg")
    assert (code, err) == (0, "")
    assert (tmp_path / "tags.svg").read_text().startswith("<?xml")


def test_reliability_of_what_says_how_sure_it_is(run, tmp_path):
    gold, predicted = pp.read_conllu(GOLD), pp.read_conllu(GREEDY)
    right = iter((gold.heads == predicted.heads).tolist())
    predicted.annotate("Confidence", lambda token: "0.95" if next(right) else "0.25")
    pp.write_conllu(tmp_path / "sure.conllu", predicted)
    out = run("analyze", GOLD, tmp_path / "sure.conllu", "--reliability")[1]
    title, _, header, *rows = out.splitlines()
    assert title.startswith("how sure of heads and how often right, all words; calibration error 0.08")
    assert header.split() == ["bin", "bin_start", "bin_end", "confidence", "accuracy", "words"]
    assert rows == [
        "3         0.20     0.30        0.25      0.00    464",
        "10        0.90     1.00        0.95      1.00  2,046",
    ]
    assert "how sure of heads" in run("analyze", GOLD, tmp_path / "sure.conllu")[1]
    assert "how sure" not in run("analyze", GOLD, GREEDY)[1]
    out = run("analyze", GOLD, tmp_path / "sure.conllu", "--by", "confidence")[1]
    assert next(line for line in out.splitlines() if line.startswith("95-98")).split()[1:3] == ["1,765", "100.00"]
    code, _, err = run("analyze", GOLD, GREEDY, "--reliability")
    assert (code, "parse --confidence` writes it" in err) == (2, True)


def test_criteria_are_listed(run):
    code, out, _ = run("analyze", "--list-criteria")
    assert code == 0
    assert "head-upos" in out
    assert "full-las" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([GREEDY, "--by", "uposs"], "unknown criterion 'uposs'; did you mean upos? expected one of form, lemma"),
        ([GREEDY, "--where", "upos=NOUN and"], "expected a criterion, found the end\n    upos=NOUN and\n"),
        ([GREEDY, "--where", "upos=NONE"], "no words to analyze: none match --where upos=NONE"),
        ([GREEDY, "--metric", "usa"], "unknown measure 'usa'; did you mean uas"),
        ([GREEDY, "--sort", "size"], "expected one of class, words, uas, las, label, found 'size'"),
        ([GREEDY, "--matrix", "upos"], "expected two comma-separated criteria; got 'upos'"),
        ([GREEDY, "--confusion", "upos,xpos"], "expected one criterion (+ joins several), found 2"),
        ([GREEDY, "--csv", "/no/such/folder/x.csv"], "x.csv: cannot be written: No such file or directory"),
        ([GREEDY, "--compare"], "expected at least two predictions; got one"),
        ([GREEDY, "--by", "frequency"], "expected a training treebank"),
        ([GREEDY, "--plot", "x.gif"], "expected a file .png, .svg, .pdf, found 'x.gif'"),
        ([GREEDY, "--precision", "upos", "--plot", "x.png"], "no table to draw"),
        (["--confusion", "label"], "--confusion: expected a prediction; got only a gold treebank"),
        (["--matrix", "upos"], "expected two comma-separated criteria"),
        ([DATA / "english-predicted.conllu"], "expected 'shop' (word 6 of sentence 2"),
        (["nothing.conllu"], "nothing.conllu"),
    ],
)
def test_errors_are_one_message(run, arguments, said):
    code, _, err = run("analyze", GOLD, *arguments)
    assert code == 2
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("package", "who"), [("pandas", "panparser.lab.analysis needs pandas"), ("matplotlib", "plots need matplotlib")]
)
@pytest.mark.parametrize("option", [["--plot", "a.png"], ["--plot-dir", "a"]])
def test_the_command_says_what_to_install(tmp_path, package, who, option):
    (tmp_path / f"{package}.py").write_text("raise ImportError('not here')")
    arguments = ["panparser", "analyze", "a", "b", *option]
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = {arguments}\n"
    code += "from panparser import cli; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"panparser: {who}: pip install 'panparser[analysis]'\n"


@pytest.mark.parametrize("option", ["--report", "--csv"])
def test_inputs_are_not_replaced(run, tmp_path, option):
    gold = tmp_path / "gold.conllu"
    gold.write_bytes((DATA / "english.conllu").read_bytes())
    before = gold.read_bytes()
    code, _, errors = run("analyze", gold, gold, option, gold)
    assert code == 2
    assert "is an input file; choose another output file" in errors
    assert gold.read_bytes() == before
