"""How fast the engine walks: random legal derivations with exact costs, one thread, both kinds of state.

    python benchmarks/engine.py            # prints, and writes benchmarks/results/engine.txt
    python benchmarks/engine.py --quick    # a tenth of the work, prints only
    python benchmarks/engine.py --before PYTHON    # ArcEager and ArcHybrid beside another build; engine_before.txt

Figures are CPU time, the best of three runs. A transition with costs means: the legal transitions of a state are found,
the exact cost of each against the gold is computed, one of them is chosen at random and applied. Two builds walk in
turn, a tenth of a second each.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from machine import add_before, builds, heading, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser import _engine
from panparser.systems.registry import has_single_root
from panparser.trees.enumeration import random_projective_tree
from panparser.trees.gold import ROOTS

LOCAL = (
    *("arc-eager", "arc-hybrid", "non-monotonic-arc-eager", "arc-eager-partial", "arc-hybrid-partial"),
    *("arc-swift", "covington", "covington-projective", "easy-first"),
)
COMPARED = ("arc-eager", "arc-hybrid")
TURNS = 9
SERVED = """
import random, sys, time
import panparser as pp
from panparser import _engine
from panparser.trees.enumeration import random_projective_tree

for line in sys.stdin:
    name, root, single, linked, transitions = line.split()
    system, rng = pp.system(name, root=root, single_root=single == "True"), random.Random(1)
    references = [system.reference(pp.GoldTree(random_projective_tree(25, rng))) for _ in range(200)]
    start = time.process_time()
    _, states, *_ = _engine.walk(system._lowered.engine, references, 1, int(transitions), linked == "True", True)
    print(states / (time.process_time() - start), flush=True)
"""


def rate(system: pp.TransitionSystem, words: int, linked: bool, transitions: int) -> float:
    """States with costs a second."""
    rng = random.Random(1)
    references = [system.reference(pp.GoldTree(random_projective_tree(words, rng))) for _ in range(200)]
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


def report(scale: int, kept: list[Measurement]) -> str:
    """A table; speeds of all systems, in million transitions a second, are kept."""
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
            kept.append(walk(system, mutable, linked))
    lines += ["", "ArcStandard, exact costs by the tabular loss, 25 words, thousand states/s"]
    for system in variants("arc-standard"):
        mutable, linked = (rate(system, 25, kind, 200_000 // scale) / 1e3 for kind in (False, True))
        lines.append(f"{describe(system):44}{mutable:9.0f}{linked:9.0f}")
        kept.append(walk(system, mutable / 1e3, linked / 1e3))
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


def walk(system: pp.TransitionSystem, mutable: float, linked: float) -> Measurement:
    return measured("engine", {"system": describe(system)}, {"mutable states": mutable, "linked states": linked})


def compare(before: Path) -> str:
    """Both builds in turn, by variant and kind of state: the best and the median of each, and their quotients."""
    pythons = builds(before)
    walkers = {
        build: subprocess.Popen(
            [python, "-c", SERVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for build, python in pythons.items()
    }

    def ask(build: str, line: str) -> float:
        stdin, stdout = walkers[build].stdin, walkers[build].stdout
        assert stdin is not None
        assert stdout is not None
        print(line, file=stdin, flush=True)
        return float(stdout.readline()) / 1e6

    lines = [
        heading(),
        "",
        f"Random legal walks with exact costs, 25 words, million transitions/s; {TURNS} runs of each build in turn",
        f"{'system':38}{'states':9}{'best, before':>14}{'now':>7}{'ratio':>7}"
        f"{'median, before':>16}{'now':>7}{'ratio':>7}",
    ]
    for name in COMPARED:
        for root in ("first", "last"):
            for single in (False, True):
                system = describe(pp.system(name, root=root, single_root=single))
                for linked in (False, True):
                    line = f"{name} {root} {single} {linked} 1000000"
                    turns = [{build: ask(build, line) for build in walkers} for _ in range(TURNS)]
                    rates = {build: [turn[build] for turn in turns] for build in walkers}
                    cells = ""
                    for measure, width in ((max, 14), (median, 16)):
                        then, now = measure(rates["before"]), measure(rates["now"])
                        cells += f"{then:{width}.2f}{now:7.2f}{now / then:7.2f}"
                    lines.append(f"{system:38}{'linked' if linked else 'mutable':9}{cells}")
                    print(lines[-1], file=sys.stderr, flush=True)
    for walker in walkers.values():
        walker.communicate()
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work; print only")
    add_before(parser)
    options = parser.parse_args()
    if options.before:
        write_result("engine_before", compare(options.before))
    elif options.quick:
        print(report(10, []))
    else:
        kept: list[Measurement] = []
        write_result("engine", report(1, kept))
        keep("engine", kept)


if __name__ == "__main__":
    main()
