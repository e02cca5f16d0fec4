"""The built-in systems in all their variants, states of theirs, and reviewed outputs."""

from __future__ import annotations

import os

import pytest

import panparser as pp
from panparser.systems.registry import BUILT_IN, has_single_root
from panparser.trees.gold import ROOTS
from places import GOLDEN


def variants() -> list[pp.TransitionSystem]:
    """Every built-in system × Root position × single-root variant (and both static oracles, and k = 2)."""
    found = []
    for name in BUILT_IN:
        for root in ROOTS[:2] if name.endswith(("partial", "span")) else ROOTS:
            if name.endswith("span"):
                found += [pp.system(name, root=root, k=2)]
            elif not has_single_root(name):
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


def each_variant(*names: str, focus: str | None = None):
    """Parametrizes a test by `system`: all variants, or those of the named systems, or whose focus is such."""
    chosen = [s for s in variants() if (not names or s.name in names) and focus in (None, s.focus)]
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
