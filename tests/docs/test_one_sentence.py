"""The page about the way of a sentence names functions that exist, in the order in which they are called."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import panparser as pp
from panparser.cli.main import main
from places import ROOT

PAGE = ROOT / "docs" / "internals" / "one-sentence.md"
PACKAGE = Path(pp.__file__).parent
LINK = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)")


def links(section: str = "") -> list[tuple[str, Path]]:
    """Return the names on the page, or in the section of a heading, with the files that they lead to."""
    text = PAGE.read_text(encoding="utf-8")
    if section:
        text = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [(name, (PAGE.parent / path).resolve()) for name, path in LINK.findall(text)]


def calls(work: Callable[[], object]) -> list[tuple[str, Path]]:
    """Return the package's Python functions in the order of their first calls, with their files."""
    called: dict[tuple[str, Path], None] = {}

    def follow(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            called.setdefault((frame.f_code.co_qualname, Path(frame.f_code.co_filename)))

    before = sys.getprofile()
    threading.setprofile(follow)
    sys.setprofile(follow)
    try:
        work()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return list(called)


def is_defined(name: str, source: str) -> bool:
    """Return whether a source of Python or C++ defines a function or class, or a method of a class."""
    owner, _, last = name.rpartition(".")
    is_python = re.search(rf"^ *(?:def|class) {re.escape(last)}\b", source, re.MULTILINE) is not None
    has_owner = not owner or f"class {owner}" in source
    return (is_python and has_owner) or re.search(rf"^[^/]*\b{re.escape(name)}\(", source, re.MULTILINE) is not None


@pytest.mark.parametrize(("name", "path"), [link for link in links() if "." in link[1].suffix], ids=str)
def test_names_of_the_page_are_defined(name, path):
    assert path.name == name or is_defined(name, path.read_text(encoding="utf-8"))


def test_the_page_has_the_order_of_parsing(english, tmp_path, monkeypatch):
    model, source = tmp_path / "model.panparser", tmp_path / "a.conllu"
    pp.train(pp.ParserSpec(beam=1, templates=pp.templates("lean")), english[0][:40], epochs=1).save(model)
    pp.write_conllu(source, english[0][40:42])
    options = ["-m", str(model), "-o", str(tmp_path / "b.conllu"), "--threads", "1"]
    monkeypatch.setattr(sys, "argv", ["panparser", "parse", str(source), *options])
    steps = links("From the command to the parser") + links("From the tree to the file")

    assert [call for call in calls(main) if call in steps] == steps


def test_the_page_has_the_order_of_an_epoch(english, tmp_path):
    spec = pp.ParserSpec(beam=1, templates=pp.templates("lean"))
    steps = [
        link
        for link in links("The way of an epoch")
        if link[0].split(".")[0] not in ("EpochLoop", "ClassifierRun", "BatchMember")
    ]

    def train() -> None:
        pp.train(spec, english[0][:40], dev=english[1][:5], epochs=1, threads=1, checkpoint=tmp_path / "checkpoint")

    assert [call for call in calls(train) if call in steps] == steps
