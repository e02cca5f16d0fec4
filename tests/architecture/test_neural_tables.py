"""Benchmarks: the tables of networks say what the results are, and nothing more."""

from __future__ import annotations

import importlib
import json
import lzma
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from places import ROOT


@pytest.fixture
def neural(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("neural")


@pytest.fixture
def outcome(neural):
    """Of a test set of 100 sentences of 10 words, of which so many have every head and label right, the others none."""

    def make(right: int, *, heads: int | None = None, **more):
        both, attached = ([10] * count + [0] * (100 - count) for count in (right, right if heads is None else heads))
        rest = {"dev_uas": 0.0, "dev_las": 0.0, "rate": 0.0, "best_epoch": 1, "build": "b", "device": "a processor"}
        rest |= {"seconds": 50.0, "trained_words": 10_000}
        return neural.Outcome(words=[10] * 100, correct_heads=attached, correct_both=both, **(rest | more))

    return make


@pytest.fixture
def small(neural):
    return neural.TABLES["small"]


def keys(table, row, treebank, seeds=(1, 2, 3)):
    return [task.key for task in table.cell(row, treebank, seeds)]


def rows(text, title, number=0):
    """The cells of a table below a title, by the name of the row."""
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    table = [block for block in section.strip().split("\n\n") if block.startswith("|")][number]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells if row[0] != "---"}


def test_cells_are_means_and_deviations_of_seeds(neural, small, outcome):
    results = dict(
        zip(
            keys(small, "BILSTM, greedy", "ta"),
            (outcome(count, heads=count + 10) for count in (70, 72, 74)),
            strict=True,
        )
    )
    found = rows(neural.render(results, (1, 2, 3)), small.title)
    assert found[""] == ["ta"]
    assert found["BILSTM, greedy"] == ["82.00 / 72.00 (± 2.00 / 2.00)"]
    assert found["perceptron, beam 8"] == ["-"]


def test_missing_seeds_are_told(neural, small, outcome):
    results = {keys(small, "BILSTM, greedy", "ta")[1]: outcome(70)}
    assert rows(neural.render(results, (1, 2, 3)), small.title)["BILSTM, greedy"] == ["70.00 / 70.00 [1 of 3 seeds]"]


def test_averages_are_of_all_treebanks_or_none(neural, outcome):
    main = neural.TABLES["main"]
    results = {
        key: outcome(right)
        for right, name in zip((50, 60, 70, 80, 90), main.treebanks, strict=True)
        for key in keys(main, "spaCy", name)
    }
    assert rows(neural.render(results, (1, 2, 3)), main.title)["spaCy"][-1] == "70.00 / 70.00"
    for key in keys(main, "spaCy", "en"):
        del results[key]
    assert rows(neural.render(results, (1, 2, 3)), main.title)["spaCy"][-2:] == ["-", "-"]


def test_differences_are_paired_by_sentence(neural, small, outcome):
    every = {
        "perceptron, beam 8": outcome(70),
        "BILSTM, greedy": outcome(80),
        "smaller BILSTM, greedy": replace(outcome(70), correct_both=[0] * 30 + [10] * 70),  # others, and as many
    }
    results = {key: one for row, one in every.items() for key in keys(small, row, "ta")}
    found = rows(neural.render(results, (1, 2, 3)), small.title, 1)
    assert set(found) == {"", "BILSTM, greedy", "smaller BILSTM, greedy"}
    difference, chance = found["BILSTM, greedy"][0].split(" ", 1)
    assert difference == "+10.00"
    assert float(chance.strip("(p )")) == pytest.approx(2 / 2**10, abs=0.002)  # ten sentences, all swapped or none
    assert found["smaller BILSTM, greedy"] == ["+0.00 (p 1.0000)"]


def test_only_seeds_that_both_have_are_compared(neural, small, outcome):
    first, *others = keys(small, "BILSTM, greedy", "ta")
    results = {keys(small, "perceptron, beam 8", "ta")[0]: outcome(70), **dict.fromkeys(others, outcome(80))}
    assert "less that of" not in neural.render(results, (1, 2, 3))
    results[first] = outcome(90)
    found = rows(neural.render(results, (1, 2, 3)), small.title, 1)
    assert found["BILSTM, greedy"][0].startswith("+20.00 ")


def test_training_tells_seconds_words_and_device(neural, outcome):
    main = neural.TABLES["main"]
    results = dict.fromkeys(keys(main, "BILSTM, greedy", "hu"), outcome(70, device="a GPU"))
    results |= dict.fromkeys(keys(main, "BILSTM, beam 8", "hu"), outcome(70))
    results |= dict.fromkeys(keys(main, "spaCy", "hu"), outcome(70, trained_words=0))
    found = rows(neural.render(results, (1, 2, 3)), main.title, 2)
    assert found["BILSTM, greedy"] == ["50 s, 200", "-", "-", "-", "-", "a GPU"]
    assert found["spaCy"] == ["50 s", "-", "-", "-", "-", "a processor"]
    assert "BILSTM, beam 8" not in found  # it trains nothing


def test_several_files_are_one_table(neural, small, outcome, tmp_path, monkeypatch):
    lines = [
        json.dumps({"task": json.loads(key), "result": asdict(outcome(70))})
        for key in keys(small, "BILSTM, greedy", "ta")
    ]
    paths = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    paths[0].write_text(lines[0] + "\n")
    Path(f"{paths[1]}.xz").write_bytes(lzma.compress(("\n".join(lines[1:]) + "\n").encode()))
    monkeypatch.setattr(neural, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["neural.py", "--table", "--results", *map(str, paths)])
    neural.main()
    found = rows((tmp_path / "neural.md").read_text(encoding="utf-8"), small.title)
    assert found["BILSTM, greedy"] == ["70.00 / 70.00 (± 0.00 / 0.00)"]


def test_builds_are_counted(neural, small, outcome):
    first, second, _ = keys(small, "BILSTM, greedy", "ta")
    assert "builds" not in neural.render({first: outcome(70), second: outcome(70)}, (1, 2))
    assert "2 builds of panparser" in neural.render({first: outcome(70), second: outcome(70, build="c")}, (1, 2))
