"""`panparser evaluate`."""

from __future__ import annotations

import io
import json
import sys

import pytest

import panparser as pp
from places import DATA

GOLD, PREDICTED = DATA / "english.conllu", DATA / "english-predicted.conllu"


def test_evaluate_prints_a_table(run):
    code, out, _ = run("evaluate", GOLD, PREDICTED)
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert rows["LAS"][:4] == ["65.13", "70.24", "67.59", "76.22"]
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_evaluate_as_json(run):
    values = json.loads(run("evaluate", GOLD, PREDICTED, "--json", "--bootstrap-samples", "0")[1])
    assert set(values["metrics"]["LAS"]) >= {"precision", "recall", "f1", "aligned_accuracy"}
    assert round(values["metrics"]["LAS"]["f1"], 2) == 67.59
    assert values["metrics"]["LAS"]["interval"] is None


def test_evaluate_compares_two_predictions(run):
    code, out, _ = run("evaluate", GOLD, PREDICTED, GOLD)
    assert code == 0
    assert "p (randomization)" in out
    values = json.loads(run("evaluate", GOLD, PREDICTED, GOLD, "--json")[1])
    assert values["comparison"]["LAS"]["difference"] == pytest.approx(100 - 67.59, abs=0.01)
    assert values["second"]["metrics"]["UAS"]["f1"] == 100


def test_evaluate_says_how_much_is_covered(run, tmp_path):
    path = tmp_path / "partial.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "50.00 % of the predicted words have a head" in run("evaluate", path, path)[1]


def test_evaluate_scores_what_can_be_read_and_says_what_is_wrong(run, tmp_path, monkeypatch):
    path = tmp_path / "x.conllu"
    path.write_text("# x\n1\ta\t_\t_\t_\tjunk\t0\troot\t_\t_\n\n")
    code, _, err = run("evaluate", path, path)
    assert code == 0
    assert "1 problem; the first: " in err
    path.write_text("# x\n1\ta\t_\t_\t_\tjunk\t7\troot\t_\t_\n\n")
    assert run("evaluate", path, path)[0] == 2
    good = tmp_path / "good.conllu"
    good.write_text("# x\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(path.read_bytes()))))
    code, _, err = run("evaluate", good, "-")
    assert (code, err) == (2, "panparser: <stdin>:2: expected a HEAD up to 1, found 7\n")


def test_mismatched_files_are_one_message(run, tmp_path):
    path = tmp_path / "other.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    code, _, err = run("evaluate", GOLD, path)
    assert code == 2
    assert "the two files must have the same text" in err


def test_what_a_model_makes_of_a_treebank_is_scored(run, data, model, pipeline_file):
    gold, nlp = pp.read_conllu("dev.conllu"), pp.load(pipeline_file)
    bare = gold.copy()
    bare.heads[:] = -1
    for name, options, expected in (
        (model, [], pp.load(model).parse(gold)),
        (pipeline_file, [], _annotated(nlp, bare)),
        (pipeline_file, ["--from-raw-text"], nlp(pp.extract_raw_text(gold).text)),
    ):
        code, out, _ = run("evaluate", "-m", name, "dev.conllu", "--json", "--bootstrap-samples", "0", *options)
        values = json.loads(out)
        assert (code, values["metrics"]["LAS"]["f1"]) == (0, pp.evaluate(gold, expected, bootstrap_samples=0).las)
    code, out, _ = run("evaluate", "-m", model, "-m", pipeline_file, "dev.conllu", "--bootstrap-samples", "10")
    assert (code, f"{pipeline_file} minus {model}" in out) == (0, True)
    for options, message in (
        ([], "expected one or two predictions, as files or with --model; got 0"),
        (["dev.conllu", "--from-raw-text"], "--from-raw-text requires --model"),
        (["-m", model, "--from-raw-text"], "has no tokenizer"),
    ):
        code, _, err = run("evaluate", "dev.conllu", *options)
        assert (code, message in err) == (2, True), err


def _annotated(nlp, treebank):
    nlp.annotate(treebank)
    return treebank


def test_both_kinds_of_las_are_explained(run, data, model):
    out = run("evaluate", "-m", model, "dev.conllu", "--bootstrap-samples", "0")[1]
    assert "labels without subtypes" in out
    assert "labels with subtypes: the LAS of `train`" in out
