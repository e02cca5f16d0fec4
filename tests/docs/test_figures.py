"""Figures on pages are those of the committed benchmarks."""

from __future__ import annotations

import re

from places import ROOT

RESULTS = ROOT / "benchmarks" / "results"
DOCS = ROOT / "docs"


def _read(path):
    return path.read_text(encoding="utf-8")


def test_batches_are_as_fast_as_the_page_says():
    assert "more than a million transitions a second" in _read(DOCS / "guides" / "classifiers.md")
    rates = re.findall(r"^.*, single root +(\d+) +\d+ +\d+$", _read(RESULTS / "batch.txt"), re.MULTILINE)
    assert len(rates) == 10
    assert all(int(rate) > 1000 for rate in rates)


def test_the_readme_compares_with_udpipe_as_the_results_do():
    rows = re.findall(
        r"^(\w+) +raw text +(panparser|UDPipe 1) {2,}(.+)$", _read(RESULTS / "pipeline.txt"), re.MULTILINE
    )
    figures = {(name, system): [float(figure) for figure in text.split()] for name, system, text in rows}
    names = {name for name, _ in figures} - {"average"}
    las = {key: row[8] for key, row in figures.items()}
    speed = {key: row[9] for key, row in figures.items() if key[0] in names}
    ratios = sorted(speed[name, "panparser"] / speed[name, "UDPipe 1"] for name in names)
    assert len(names) == 6
    assert all(las[name, "panparser"] > las[name, "UDPipe 1"] for name in names)
    assert f"on all six treebanks tried, and {ratios[0]:.1f} to {ratios[-1]:.1f} times as fast" in _read(
        ROOT / "README.md"
    )
