"""The dynamic oracles of SwapStandard: how fast, how often beyond the limit of work, how wrong then; and in training.

    python benchmarks/swap.py FOLDER [TREEBANK...]    # of FOLDER/TREEBANK/{train,dev}.conllu; minutes for each

Root is last, with one child. States are those of random derivations, and of noisy ones: 9 of 10 transitions are drawn
from those that cost nothing, others from all (20 sentences with `dynamic`, 200 with `static-dynamic`). Their costs are
compared with those of a limit of work 64 times as high. Parsers are trained on the first 1,000 sentences for 6 epochs
(greedy ones with three seeds, others with one), and scored on the development set with gold tags, all words. `dynamic`
by itself is trained on 100 sentences for 2 epochs only: as words change places at no cost, it takes very long.
"""

from __future__ import annotations

import argparse
import random
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from machine import heading, timed, write_result

import panparser as pp
from panparser import _engine
from panparser.systems import transition_system as lowering
from panparser.trees.enumeration import random_projective_tree

ORACLES = ("dynamic", "static-dynamic")
LIMIT = lowering.POTENTIAL_CODES["swap-loss"][1]
NOISE = 0.1
SENTENCES = 1000
NOISY = (20, 200)  # sentences, by oracle


class Row(NamedTuple):
    """How parsers are trained."""

    oracle: str
    strategy: str
    beam: int
    sentences: int = SENTENCES
    epochs: int = 6
    seeds: int = 3


ROWS = (
    Row("lazy", "static", 1),
    Row("static-dynamic", "dynamic-explore", 1),
    Row("static-dynamic", "dynamic", 1, seeds=1),
    Row("lazy", "default", 8, seeds=1),
    Row("static-dynamic", "default", 8, seeds=1),
    Row("lazy", "static", 1, 100, 2, 1),
    Row("dynamic", "dynamic-explore", 1, 100, 2, 1),
)


def swap_standard(oracle: str) -> pp.TransitionSystem:
    return pp.system("swap-standard", root="last", single_root=True, oracle=oracle)


def speed() -> list[str]:
    lines = [
        "Random legal walks with costs, projective trees of 25 words, thousand states/s",
        f"{'oracle':20}{'mutable':>9}{'linked':>9}",
    ]
    for oracle in ORACLES:
        system, rng = swap_standard(oracle), random.Random(1)
        references = [system.reference(pp.GoldTree(random_projective_tree(25, rng))) for _ in range(200)]
        rates = []
        for linked in (False, True):
            walk = partial(_engine.walk, system._lowered.engine, references, 1, 100_000, linked, True)
            walked, seconds = timed(walk, 3)
            rates.append(walked[1] / seconds / 1e3)
        lines.append(f"{oracle:20}" + "".join(f"{rate:9.0f}" for rate in rates))
    return lines


# --- The limit ---


def higher_limit(system: pp.TransitionSystem) -> lowering.Lowered:
    potentials = lowering.POTENTIAL_CODES
    before = potentials["swap-loss"]
    try:
        potentials["swap-loss"] = (before[0], LIMIT + 6)
        return lowering.Lowered(system)
    finally:
        potentials["swap-loss"] = before


def compared(oracle: str, golds: list[pp.GoldTree]) -> tuple[float, float]:
    """The share of the states of noisy derivations whose costs differ under the higher limit, and by how much."""
    systems = swap_standard(oracle), swap_standard(oracle)
    systems[1].__dict__["_lowered"] = higher_limit(systems[1])
    rng = random.Random(1)
    states = wrong = size = 0
    for gold in golds:
        at = [system.initial(len(gold)) for system in systems]
        while not systems[0].is_final(at[0]):
            costs, true = (system.costs(state, gold) for system, state in zip(systems, at, strict=True))
            states += 1
            wrong += costs != true
            size += sum(abs(costs[name] - true[name]) for name in true)
            right = [name for name, cost in true.items() if cost == 0]
            name = rng.choice(list(true) if rng.random() < NOISE else right)
            at = [system.apply(state, name) for system, state in zip(systems, at, strict=True)]
    return wrong / states, size / max(1, wrong)


def limits(name: str, treebank: pp.Treebank) -> str:
    golds = [pp.GoldTree(list(sentence.heads)) for sentence in treebank[:SENTENCES]]
    system = swap_standard("dynamic")
    references = [system.reference(gold) for gold in golds]
    _, states, _, _, approximated = _engine.walk(system._lowered.engine, references, 1, 200_000, False, True)
    cells = [f"{name:12}{100 * approximated / states:12.4f}"]
    for oracle, count in zip(ORACLES, NOISY, strict=True):
        share, size = compared(oracle, golds[:count])
        cells.append(f"{100 * share:22.3f}{size:8.2f}")
    return "".join(cells)


# --- Training ---


def trained(name: str, folder: Path, row: Row) -> str:
    train, dev = (pp.read_conllu(folder / name / f"{part}.conllu") for part in ("train", "dev"))
    spec = pp.ParserSpec(system=swap_standard(row.oracle), beam=row.beam)
    options: dict[str, Any] = {"strategy": pp.STRATEGIES[row.strategy]} if row.strategy != "default" else {}
    uas = las = cpu = states = approximate = 0.0
    for seed in range(1, row.seeds + 1):
        work = partial(pp.train, spec, train[: row.sentences], epochs=row.epochs, seed=seed, members=1, **options)
        parser, seconds = timed(work)
        score = pp.evaluate(dev, parser.parse(dev))
        losses = parser.training["losses"] or {"states": 0, "approximate": 0}
        uas, las, cpu = uas + score.uas, las + score.las, cpu + seconds
        states, approximate = states + losses["states"], approximate + losses["approximate"]
    share = f"{100 * approximate / states:15.3f}" if states else ""
    setting = f"{row.oracle:16}{row.strategy:17}{row.beam:4}{row.sentences:11}"
    return f"{name:12}{setting}" + "".join(f"{value / row.seeds:9.2f}" for value in (uas, las, cpu)) + share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("treebanks", nargs="*", default=["got", "hu", "en_lines"])
    options = parser.parse_args()
    lines = [heading(), "", *speed(), ""]
    lines += ["States beyond the limit, or with other costs for it, % (and by how much, summed over transitions)"]
    lines += [f"{'':12}{'random':>12}{'noisy, dynamic':>22}{'by':>8}{'static-dynamic':>22}{'by':>8}"]
    for name in options.treebanks:
        lines.append(limits(name, pp.read_conllu(options.folder / name / "train.conllu")))
        print(lines[-1], flush=True)
    lines += ["", "Training; scores on the development set"]
    header = f"{'oracle':16}{'strategy':17}{'beam':>4}{'sentences':>11}"
    lines += [f"{'':12}{header}{'UAS':>9}{'LAS':>9}{'CPU s':>9}{'approximate %':>15}"]
    for name in options.treebanks:
        for row in ROWS:
            lines.append(trained(name, options.folder, row))
            print(lines[-1], flush=True)
    write_result("swap", "\n".join(lines))


if __name__ == "__main__":
    main()
