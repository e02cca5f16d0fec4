"""`panparser info`."""

from __future__ import annotations

import json

from places import DATA

GOLD, PREDICTED = DATA / "english.conllu", DATA / "english-predicted.conllu"


def test_stats(run):
    code, out, _ = run("info", GOLD, PREDICTED)
    assert code == 0
    assert "non-projective sentences" in out
    assert json.loads(run("info", GOLD, "--json")[1])[str(GOLD)]["sentences"] == 243
