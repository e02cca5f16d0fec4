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
