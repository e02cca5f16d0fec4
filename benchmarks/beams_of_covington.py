"""Why a beam does not help Covington's system: who is compared, how it is trained, and what trees come out.

    python benchmarks/beams_of_covington.py FOLDER [TREEBANK...]    # of FOLDER/TREEBANK/{train,dev,test}.conllu

`covington, all met` is Covington's system without a choice of derivations: SHIFT waits until B0 has met all words, so
that a tree has one derivation, all derivations of a sentence are equally long, and after any number of steps all
hypotheses have come to the same pair of words. A greedy parser (`dynamic-explore`) decodes with beams as it is; others
are trained with the beam. Root is last, one seed; scores are of test sets with gold tags. Heads on the left are counted
as a share of those of the gold trees.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from machine import heading, write_result

import panparser as pp
from panparser.terms import STACK, size

TREEBANKS = ("ta", "ga")
BEAMS = (1, 2, 8)
TRAININGS = (("covington", "max-violation"), ("covington", "early-update-restart"), ("all met", "max-violation"))


def all_met() -> pp.TransitionSystem:
    """Covington's system in which B0 meets every word before it is shifted, and then loses nothing."""
    table = pp.system("covington")
    shift = replace(table["SHIFT"], when=(*table["SHIFT"].when, size(STACK) == 0), loses=())
    return replace(table, transitions=(shift, *table.transitions[1:]))


SYSTEMS = {"covington": pp.system("covington"), "all met": all_met(), "arc-eager": pp.system("arc-eager")}


def lefts(treebank: pp.Treebank) -> int:
    """Words whose head stands before them, Root left out."""
    return sum(0 < head < word for sentence in treebank for word, head in enumerate(sentence.heads, start=1))


def line(name: str, parser: pp.Parser, test: pp.Treebank, beam: int) -> str:
    found = parser.parse(test, beam=beam, threads=1)
    scores = pp.evaluate(test, found, samples=0)
    roots = sum(list(sentence.heads).count(0) for sentence in found) / len(found)
    share = 100 * lefts(found) / lefts(test)
    return f"{name:44}{beam:6}{scores.uas:8.2f}{scores['FullLAS'].f1:8.2f}{roots:9.2f}{share:15.1f}"


def report(folder: Path, treebanks: list[str]) -> str:
    lines = [heading()]
    for treebank in treebanks:
        parts = [pp.read_conllu(folder / treebank / f"{part}.conllu") for part in ("train", "dev", "test")]
        train_set, dev, test = parts
        lines += ["", f"{treebank:44}{'beam':>6}{'UAS':>8}{'LAS':>8}{'roots':>9}{'heads left, %':>15}"]
        for name, system in SYSTEMS.items():
            strategy = pp.STRATEGIES["dynamic-explore"]
            parser = pp.train(
                pp.ParserSpec(system=system, beam=1), train_set, dev=dev, seed=1, threads=1, strategy=strategy
            )
            lines += [line(f"{name}, greedy, decoded with", parser, test, beam) for beam in BEAMS]
            print(*lines[-len(BEAMS) :], sep="\n", flush=True)
        for name, strategy_name in (*TRAININGS, ("arc-eager", "max-violation")):
            spec, strategy = pp.ParserSpec(system=SYSTEMS[name], beam=8), pp.STRATEGIES[strategy_name]
            parser = pp.train(spec, train_set, dev=dev, seed=1, threads=1, strategy=strategy)
            lines.append(line(f"{name}, {strategy_name}", parser, test, 8))
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("treebanks", nargs="*", default=list(TREEBANKS))
    options = parser.parse_args()
    write_result("beams_of_covington", report(options.folder, options.treebanks))


if __name__ == "__main__":
    main()
