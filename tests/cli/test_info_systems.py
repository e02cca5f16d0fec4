"""`panparser info`."""

from __future__ import annotations

import json


def test_systems_are_listed(run):
    code, out, _ = run("info")
    assert code == 0
    assert "swap-standard" in out
    listed = json.loads(run("info", "--json")[1])
    assert "en" in listed["models"]
    assert [row["name"] for row in listed["systems"]][:2] == ["arc-eager", "arc-hybrid"]


def test_a_table_is_shown_and_can_be_saved_and_checked(run, tmp_path):
    assert "arc-hybrid, Root first, single root" in run("info", "arc-hybrid", "--root", "first", "--single-root")[1]
    path = tmp_path / "mine.json"
    path.write_text(run("info", "arc-hybrid-span", "-k", "2", "--json")[1])
    code, out, _ = run("check", path, "--max-words", "3")
    assert code == 0
    assert "every output a forest" in out
