"""What several test modules share: the built-in systems in all their variants."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from linear import EXPLORE, GREEDY, Linear

import panparser as pp
from panparser import cli
from panparser.systems.registry import BUILT_IN

settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

ROOTS = ("first", "last")
GOLDEN = Path(__file__).parent / "golden"
ENGLISH = Path(__file__).parent / "data" / "english.conllu"


def variants() -> list[pp.TransitionSystem]:
    """Every built-in system × Root position × single-root variant (and both static oracles, and k = 2)."""
    found = []
    for name in BUILT_IN:
        for root in ROOTS:
            if name.endswith("span"):
                found += [pp.system(name, root=root, k=2)]
            elif name.endswith("partial"):
                found += [pp.system(name, root=root)]
            elif name == "swap-standard":
                found += [
                    pp.system(name, root=root, single_root=single, oracle=oracle)
                    for single in (False, True)
                    for oracle in ("eager", "lazy")
                ]
            else:
                found += [pp.system(name, root=root, single_root=single) for single in (False, True)]
    return found


def identify(system: pp.TransitionSystem) -> str:
    single = "-single" if system.single_root else ""
    return f"{system.name}-{system.root}{single}{'-' + system.static_oracle if system.static_oracle else ''}"


def each_variant(*names: str):
    """Parametrizes a test by `system`: all variants, or those of the named systems."""
    chosen = [system for system in variants() if not names or system.name in names]
    return pytest.mark.parametrize("system", chosen, ids=identify)


def walk(system, *transitions):
    """The state after the transitions; the first argument may be (system, words)."""
    system, words = system
    state = system.initial(words)
    for transition in transitions:
        state = system.apply(state, transition)
    return state


def golden(name: str, text: str) -> None:
    """Compares with a reviewed file under tests/golden; PANPARSER_GOLDEN=write writes it."""
    path = GOLDEN / name
    if os.environ.get("PANPARSER_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text + "\n"


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a command in this process: (exit code, output, errors)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["panparser", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def english():
    """Sentences to learn from, and others to be tested on."""
    treebank = pp.read_conllu(ENGLISH)
    return treebank[:80], treebank[80:110]


@pytest.fixture(scope="session")
def parser(english):
    """A small parser."""
    treebank, dev = english
    return pp.train(pp.ParserSpec(beam=4), treebank, dev=dev, epochs=2)


@pytest.fixture(scope="session")
def pipeline_file(english, tmp_path_factory):
    """The file of a small pipeline."""
    path = tmp_path_factory.mktemp("pipeline") / "nlp"
    spec = pp.PipelineSpec(parser=pp.ParserSpec(beam=1, templates=pp.ZN11), folds=2, tagger_epochs=2)
    pp.train_pipeline(spec, english[0], epochs=2, members=1).save(path)
    return path


@pytest.fixture(scope="session")
def linear(english):
    """A parser with a classifier in Python."""
    treebank, dev = english
    return pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), strategy=EXPLORE, epochs=4)


@pytest.fixture(scope="session")
def gold():
    """All sentences of the tests' treebank."""
    return pp.read_conllu(ENGLISH)


@pytest.fixture(scope="session")
def parsed():
    """What two parsers made of them."""
    return tuple(pp.read_conllu(ENGLISH.with_name(f"english-{name}.conllu")) for name in ("greedy", "beam"))


@pytest.fixture(scope="session")
def frame(gold, parsed):
    return pp.analysis.frame(gold, *parsed, names=["greedy", "beam"], train=gold[:100])
