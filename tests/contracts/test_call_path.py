"""The way of a sentence through Python: few calls, not deep, in the order that the documentation shows."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

import panparser as pp

PACKAGE = str(Path(pp.__file__).parent)
MAX_DEPTH = 5
MAX_CALLS = 50
STEPS = ["TreeParser.parse", "Parser.search", "PerceptronModel.find", "PseudoProjectiveLabels.put_back", "Parsed.write"]


def trace(parser: pp.Parser, treebank: pp.Treebank) -> list[tuple[int, str]]:
    """Return the depth and the name of each call of the package's Python functions."""
    calls: list[tuple[int, str]] = []
    depth = 0

    def follow(frame: FrameType, event: str, argument: object) -> None:
        nonlocal depth
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return
        if event == "call":
            depth += 1
            calls.append((depth, frame.f_code.co_qualname))
        elif event == "return":
            depth -= 1

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        parser.parse(treebank)
    finally:
        sys.setprofile(before)
    return calls


@pytest.fixture(scope="module")
def calls(english) -> list[tuple[int, str]]:
    parser = pp.train(pp.ParserSpec(beam=1, templates=pp.templates("lean")), english[0][:40], epochs=1)
    treebank = english[0][40:42]
    parser.parse(treebank)  # what is computed once
    return trace(parser, treebank)


def test_parsing_takes_few_calls(calls):
    assert max(depth for depth, _ in calls) <= MAX_DEPTH
    assert len(calls) <= MAX_CALLS, calls


def test_parsing_takes_its_steps_in_order(calls):
    names = [name for _, name in calls]
    assert [name for name in names if name in STEPS] == STEPS
