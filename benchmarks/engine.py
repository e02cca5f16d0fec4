"""How fast the engine walks: random legal derivations with exact costs, one thread, both kinds of state.

    python benchmarks/engine.py            # prints, and writes benchmarks/results/engine.txt
    python benchmarks/engine.py --quick    # a tenth of the work, prints only

Figures are CPU time, the best of three runs. A transition with costs means: the legal transitions of a state are found,
the exact cost of each against the gold is computed, one of them is chosen at random and applied.
"""

from __future__ import annotations

import random
import time

from machine import heading, main

import panparser as pp
from panparser import _engine
from panparser.systems.registry import has_single_root
from panparser.testing import random_projective_tree
from panparser.trees.gold import ROOTS

LOCAL = (
    *("arc-eager", "arc-hybrid", "non-monotonic-arc-eager", "arc-eager-partial", "arc-hybrid-partial"),
    *("arc-swift", "covington", "covington-projective", "easy-first"),
)


def rate(system: pp.TransitionSystem, words: int, linked: bool, transitions: int) -> float:
    """States with costs a second."""
    rng = random.Random(1)
    references = [system.reference(pp.Gold(random_projective_tree(words, rng))) for _ in range(200)]
    best = 0.0
    for seed in range(3):
        start = time.process_time()
        _, states, *_ = _engine.walk(system._lowered.engine, references, seed, transitions, linked, True)
        best = max(best, states / (time.process_time() - start))
    return best


def variants(name: str) -> list[pp.TransitionSystem]:
    singles = (False, True) if has_single_root(name) else (False,)
    roots = ROOTS if not name.endswith("partial") else ("first", "last")
    return [pp.system(name, root=root, single_root=single) for root in roots for single in singles]


def describe(system: pp.TransitionSystem) -> str:
    return f"{system.name}, {system.root}{', single root' if system.single_root else ''}"


def report(scale: int) -> str:
    lines = [
        heading(),
        "",
        "Random legal walks with exact costs, 25 words, million transitions/s",
        f"{'system':44}{'mutable':>9}{'linked':>9}",
    ]
    for name in LOCAL:
        for system in variants(name):
            mutable, linked = (rate(system, 25, kind, 2_000_000 // scale) / 1e6 for kind in (False, True))
            lines.append(f"{describe(system):44}{mutable:9.2f}{linked:9.2f}")
    lines += ["", "ArcStandard, exact costs by the tabular loss, 25 words, thousand states/s"]
    for system in variants("arc-standard"):
        mutable, linked = (rate(system, 25, kind, 200_000 // scale) / 1e3 for kind in (False, True))
        lines.append(f"{describe(system):44}{mutable:9.0f}{linked:9.0f}")
    lengths = (10, 20, 40, 80, 160)
    lines += [
        "",
        "Growth with the length of the sentence: nanoseconds a transition with costs (linked states)",
    ]
    lines.append(f"{'words':44}" + "".join(f"{words:9}" for words in lengths))
    for name in (*LOCAL, "arc-standard"):
        system = pp.system(name, root="first")
        work = (100_000 if name == "arc-standard" else 1_000_000) // scale
        times = [1e9 / rate(system, words, True, work) for words in lengths]
        lines.append(f"{describe(system):44}" + "".join(f"{each:9.0f}" for each in times))
    return "\n".join(lines)


if __name__ == "__main__":
    main("engine", __doc__, report)
