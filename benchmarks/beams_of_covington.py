"""Why a beam does not help Covington's system after as many epochs as are enough for others.

    python benchmarks/beams_of_covington.py FOLDER [TREEBANK...] [--seeds N]    # of FOLDER/TREEBANK/{train,dev}.conllu

Two tables for each treebank, of development sets with gold tags. Root is last, one perceptron learns (`members=1`), no
epoch is selected.

LAS after some epochs, the mean of the seeds, and in how many of a hundred sentences a search went wrong in epoch 8.
With `max-violation`, each of these is one update, however long its derivation is.

What a beam of 8 holds after 8 epochs (seed 1, the first sentences): hypotheses, how many trees they are, on average and
when a sentence ends, steps; and of how many transitions the pair of an update consists. `all met` is Covington's system
without a choice of derivations: SHIFT waits until B0 has met all words, so that a tree has one derivation, and all
derivations of a sentence are equally long.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import mean

from machine import heading, timed, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser.inspection.beams import beams
from panparser.inspection.derivations import Derivations
from panparser.terms import STACK, size

TREEBANKS = ("ta", "ga", "hu")
EPOCHS = (4, 8, 16, 24)
USUAL = 8  # epochs, if none are asked for
CURVES = (  # system, beam, strategy
    ("arc-eager", 1, "dynamic-explore"),
    ("covington", 1, "dynamic-explore"),
    ("arc-eager", 8, "max-violation"),
    ("covington", 8, "max-violation"),
)
LOOKED_INTO = ("arc-eager", "covington", "all met")
Seen = dict[tuple[str, str], dict[str, float]]  # by treebank and system: errors, and what beams hold
SENTENCES = 25


@cache
def system(name: str) -> pp.TransitionSystem:
    """A system by name; `all met`: Covington's, in which B0 meets every word before it is shifted."""
    if name != "all met":
        return pp.system(name)
    table = pp.system("covington")
    shift = replace(table["SHIFT"], when=(*table["SHIFT"].when, size(STACK) == 0), loses=())
    return replace(table, transitions=(shift, *table.transitions[1:]))


@dataclass
class Watch(pp.Listener):
    """LAS and updates by epoch."""

    is_passive = True
    las: dict[int, float] = field(default_factory=dict)
    updates: dict[int, int] = field(default_factory=lambda: {0: 0})

    def after_epoch(self, report: pp.EpochReport) -> None:
        self.las[report.epoch], self.updates[report.epoch] = report.las or 0.0, report.updates

    def wrong(self, epoch: int, sentences: int) -> float:
        return 100 * (self.updates[epoch] - self.updates[epoch - 1]) / sentences


@dataclass
class Pairs(pp.Listener):
    """How many transitions differ in the pairs of the updates of each epoch."""

    epoch: int = 0
    sizes: dict[int, list[int]] = field(default_factory=dict)

    def before_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def before_update(self, update: pp.Update) -> None:
        both = zip(update.positive, update.negative, strict=True)
        shared = next((place for place, (a, b) in enumerate(both) if a != b), len(update.positive))
        self.sizes.setdefault(self.epoch, []).append(len(update.positive) - shared)


def learn(
    name: str, beam: int, strategy: str, treebank: pp.Treebank, listener: pp.Listener, **options: object
) -> pp.Parser:
    spec = pp.ParserSpec(system=system(name), beam=beam)
    fixed = {"members": 1, "patience": None, "margin": 0, "threads": 1, "strategy": pp.STRATEGIES[strategy]}
    return pp.train(spec, treebank, listeners=[listener], **fixed, **options)  # type: ignore[arg-type]


def curves(
    treebank: str, train_set: pp.Treebank, dev: pp.Treebank, seeds: int, kept: list[Measurement], seen: Seen
) -> Iterator[str]:
    """Lines; what they are made of is kept, as are errors after the usual number of epochs."""
    columns = "".join(f"{epoch:8}" for epoch in EPOCHS)
    yield f"{'LAS after epochs':14}{'beam':>6}  {'':22}{columns}{'wrong in 8':>12}{'CPU s':>8}"
    for name, beam, strategy in CURVES:
        watches, spent = [], 0.0
        for seed in range(1, seeds + 1):
            watch = Watch()
            options = {"dev": dev, "seed": seed, "epochs": EPOCHS[-1]}
            _, seconds = timed(lambda: learn(name, beam, strategy, train_set, watch, **options))  # noqa: B023
            spent += seconds
            watches.append(watch)
            for epoch in EPOCHS:
                labels = {"treebank": treebank, "system": name, "beam": str(beam), "strategy": strategy}
                labels |= {"epochs": str(epoch), "seed": str(seed)}
                kept.append(measured("beams_of_covington", labels, {"LAS": watch.las[epoch]}))
        las = "".join(f"{mean(watch.las[epoch] for watch in watches):8.2f}" for epoch in EPOCHS)
        wrong = mean(watch.wrong(USUAL, len(train_set)) for watch in watches)
        if strategy == "max-violation":
            seen[treebank, name] = {"% of sentences with an error": wrong}
        wrong_text = f"{wrong:12.0f}" if strategy == "max-violation" else f"{'':12}"
        yield f"{name:14}{beam:6}  {strategy:22}{las}{wrong_text}{spent / seeds:8.0f}"


def looks(treebank: str, train_set: pp.Treebank, dev: pp.Treebank, seen: Seen) -> Iterator[str]:
    yield f"{'in the beam':14}{'hypotheses':>12}{'trees':>8}{'at the end':>12}{'steps':>8}{'pair, epoch 1':>16}{'8':>6}"
    for name in LOOKED_INTO:
        pairs = Pairs()
        parser = learn(name, 8, "max-violation", train_set, pairs, epochs=USUAL, seed=1)
        kept, trees, ends, steps = zip(*(contents(parser, dev[i : i + 1]) for i in range(SENTENCES)), strict=True)
        held, distinct = sum(kept) / sum(steps), sum(trees) / sum(steps)
        first, last = mean(pairs.sizes[1]), mean(pairs.sizes[USUAL])
        yield f"{name:14}{held:12.1f}{distinct:8.1f}{mean(ends):12.1f}{mean(steps):8.0f}{first:16.0f}{last:6.0f}"
        seen[treebank, name] = seen.get((treebank, name), {}) | {
            "hypotheses": held, "trees": distinct, "trees at the end": mean(ends), "steps": mean(steps),
            "pair, epoch 1": first, f"pair, epoch {USUAL}": last,
        }  # fmt: skip


def contents(parser: pp.Parser, sentence: pp.Treebank) -> tuple[int, int, int, int]:
    """Of the search for one sentence: hypotheses and distinct trees of all steps, trees at the end, steps."""
    found = beams(Derivations.from_treebank(parser, sentence, beam=8), 8)
    if found is None:
        raise RuntimeError("the search ends elsewhere if it is repeated")
    table = parser.spec.system
    states = [table.initial(len(sentence[0]))]
    kept = trees = distinct = 0
    for step in found:
        sources = [(states[each.source], each.action) for each in step if each.is_kept]
        states = [state if action is None else table.apply(state, action) for state, action in sources]
        distinct = len({state.heads.tobytes() for state in states})
        kept, trees = kept + len(states), trees + distinct
    return kept, trees, distinct, len(found)


def report(folder: Path, treebanks: list[str], seeds: int, kept: list[Measurement], seen: Seen) -> Iterator[str]:
    yield heading()
    for treebank in treebanks:
        train_set, dev = (pp.read_conllu(folder / treebank / f"{part}.conllu") for part in ("train", "dev"))
        yield f"\n{treebank}, {len(train_set):,} sentences, {seeds} seed{'s' if seeds > 1 else ''}"
        yield from curves(treebank, train_set, dev, seeds, kept, seen)
        yield ""
        yield from looks(treebank, train_set, dev, seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("treebanks", nargs="*", default=list(TREEBANKS))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    lines: list[str] = []
    kept: list[Measurement] = []
    seen: Seen = {}
    for line in report(options.folder, options.treebanks, options.seeds, kept, seen):
        print(line, flush=True)
        lines.append(line)
    write_result("beams_of_covington", "\n".join(lines))
    keep("beams_of_covington", kept)
    labels = {place: dict(zip(("treebank", "system"), place, strict=True)) for place in seen}
    keep("in_the_beam", [measured("in_the_beam", labels[place], figures) for place, figures in seen.items()])


if __name__ == "__main__":
    main()
