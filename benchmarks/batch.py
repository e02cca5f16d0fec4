"""How fast a batch of states steps, Python included: 64 sentences of 25 words, a random policy, masks and costs.

    python benchmarks/batch.py            # prints, and writes benchmarks/results/batch.txt
    python benchmarks/batch.py --quick    # a tenth of the work, prints only

Figures are CPU time, the best of three runs. In every step the legal mask and the exact costs of all rows are computed,
a legal action is drawn for each row with numpy, and all are applied. The second column also looks up the words at eight
addresses, the third instead the features of ZN11.
"""

from __future__ import annotations

import random
import time

import numpy as np
from machine import heading, main

import panparser as pp
from panparser.trees.enumeration import random_projective_tree

SENTENCES, WORDS = 64, 25
ADDRESSES = ("S0", "S1", "B0", "B1", "S0.left[0]", "S0.right[0]", "S1.right[0]", "B0.left[0]")


def treebank() -> pp.Treebank:
    """Random projective trees over words w1, w2, ..."""
    rng = random.Random(1)
    lines = []
    for _ in range(SENTENCES):
        heads = random_projective_tree(WORDS, rng)
        lines += [f"{i}\tw{i}\t_\tX\t_\t_\t{head}\t_\t_\t_\n" for i, head in enumerate(heads, start=1)] + ["\n"]
    return pp.parse_conllu("".join(lines))


def rate(system: pp.TransitionSystem, sentences: pp.Treebank, look: str, repeats: int) -> float:
    """Transitions a second."""
    states = pp.parsing.StateBatch(system, sentences, templates=pp.templates("zn11"), gold=True)
    best = 0.0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        transitions = 0
        start = time.process_time()
        for _ in range(repeats):
            states.start()
            while len(states):
                legal = states.legal()
                states.costs()
                if look == "positions":
                    states.positions(ADDRESSES)
                elif look == "features":
                    states.features()
                draws = rng.random(legal.shape, dtype=np.float32)
                draws[~legal] = -1
                transitions += len(states.apply(draws.argmax(axis=1).astype(np.int32)))
        best = max(best, transitions / (time.process_time() - start))
    return best


def report(scale: int) -> str:
    lines = [
        heading(),
        "",
        f"{SENTENCES} sentences of {WORDS} words, random policy, masks and exact costs, thousand transitions/s",
        f"{'system':44}{'':>9}{'positions':>11}{'features':>10}",
    ]
    sentences = treebank()
    for name in ("arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager", "swap-standard"):
        for root in ("first", "last"):
            system = pp.system(name, root=root, single_root=True)
            rates = [rate(system, sentences, look, 50 // scale) / 1e3 for look in ("", "positions", "features")]
            lines.append(f"{f'{name}, {root}, single root':44}{rates[0]:9.0f}{rates[1]:11.0f}{rates[2]:10.0f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main("batch", __doc__, report)
