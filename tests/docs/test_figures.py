"""Figures on pages are those of the committed benchmarks."""

from __future__ import annotations

import re

import pytest

import panparser as pp
from places import ROOT

RESULTS = ROOT / "benchmarks" / "results"
BUNDLED = pp.lab.GridResults.read(RESULTS / "bundled")
DOCS = ROOT / "docs"


def _read(path):
    return path.read_text(encoding="utf-8")


def test_batches_are_as_fast_as_the_page_says():
    assert "more than a million transitions a second" in _read(DOCS / "guides" / "classifiers.md")
    rates = re.findall(r"^.*, single root +(\d+) +\d+ +\d+$", _read(RESULTS / "batch.txt"), re.MULTILINE)
    assert len(rates) == 10
    assert all(int(rate) > 1000 for rate in rates)


def test_the_readme_is_right_that_its_parser_is_more_accurate_than_udpipe():
    layout = pp.lab.ResultTableLayout(
        rows=("treebank",), columns="system", metric="LAS", labels={"from": ["raw text"]}, std=False
    )
    table = layout.table(pp.lab.GridResults.read(RESULTS / "pipeline"))
    own, peer = (table.head.index(name) for name in ("panparser", "UDPipe 1"))
    rows = [row for row in table.rows if row[0].text != "average"]
    assert len(rows) == 6
    assert all(row[own].value > row[peer].value for row in rows)
    assert "than UDPipe 1 on all six treebanks tried" in _read(ROOT / "README.md")


def test_the_english_models_are_as_good_as_their_cards_say():
    layout = pp.lab.ResultTableLayout(rows=("model", "from"), metric="LAS", columns="treebank")
    found = {tuple(cell.text for cell in row[:2]): row[2].value for row in layout.table(BUNDLED).rows}
    cards = {name: _read(ROOT / "src" / "panparser" / "models" / f"{name}.md") for name in ("en", "en-neural")}
    for name, card in cards.items():
        for way in ("raw text", "gold tokens"):
            las = re.search(rf"^\| {way} \|.* ([\d.]+) \|$", card, re.MULTILINE)[1]
            assert float(las) == pytest.approx(found[name, way], abs=0.05)


def test_speeds_of_networks_are_those_of_the_results():
    def figures(line):
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        return [cells[0], *(number for cell in cells[1:] for number in re.findall(r"[\d,.]+", cell))]

    known = {}
    for line in _read(RESULTS / "neural_speed.md").splitlines():
        if line.startswith("| ") and "---" not in line:
            name, *numbers = figures(line)
            known[name] = numbers
    names = {"perceptron, beam 8": "perceptron", "spaCy's parser": "spaCy", "`bilstm`": "BILSTM"}
    names["`smaller`"] = "smaller BILSTM"
    page = _read(DOCS / "guides" / "neural.md").split("## Fast parsing")[1]
    rows = [figures(line) for line in page.splitlines() if line.startswith("| ")]
    assert [row[0] for row in rows[-len(names) :]] == [*names]
    for name, uas, las, rate, start, memory in rows[-len(names) :]:
        own = known[names[name]]
        assert [f"{float(own[0]) + 1e-9:.1f}", f"{float(own[1]) + 1e-9:.1f}"] == [uas, las]
        assert [own[2], own[4], own[5]] == [rate, start, memory]
