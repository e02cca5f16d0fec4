"""Why a beam does not help Covington's system: is it the derivations that are compared, or how it is trained?

    python benchmarks/beams_of_covington.py FOLDER [TREEBANK...]    # of FOLDER/TREEBANK/{train,dev,test}.conllu

`all met` is Covington's system without a choice of derivations: SHIFT waits until B0 has met all words, so that a tree
has one derivation, all derivations of a sentence are equally long, and after any number of steps all hypotheses of a
beam have come to the same pair of words. The strategies differ in what is correct (every derivation that loses nothing,
or with `static` one of them) and in whether the rest of a sentence is learned from after an update (`restart`). Root is
last, one seed; scores are of test sets with gold tags.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from machine import heading, timed, write_result

import panparser as pp
from panparser.terms import STACK, size

TREEBANKS = ("ta", "ga")
ROWS = (  # system, beam, strategy, only one derivation correct?
    ("covington", 1, "dynamic-explore", False),
    ("all met", 1, "dynamic-explore", False),
    ("arc-eager", 1, "dynamic-explore", False),
    ("covington", 8, "max-violation", False),
    ("covington", 8, "max-violation", True),
    ("covington", 8, "early-update-restart", False),
    ("covington", 8, "early-update-restart", True),
    ("all met", 8, "max-violation", False),
    ("arc-eager", 8, "max-violation", False),
    ("arc-eager", 8, "early-update-restart", False),
)


def all_met() -> pp.TransitionSystem:
    """Covington's system in which B0 meets every word before it is shifted, and then loses nothing."""
    table = pp.system("covington")
    shift = replace(table["SHIFT"], when=(*table["SHIFT"].when, size(STACK) == 0), loses=())
    return replace(table, transitions=(shift, *table.transitions[1:]))


SYSTEMS = {"covington": pp.system("covington"), "all met": all_met(), "arc-eager": pp.system("arc-eager")}


def report(folder: Path, treebanks: list[str]) -> str:
    lines = [heading()]
    for treebank in treebanks:
        train_set, dev, test = (
            pp.read_conllu(folder / treebank / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        lines += ["", f"{treebank:12}{'strategy':32}{'beam':>6}{'UAS':>8}{'LAS':>8}{'training, CPU s':>17}"]
        for name, beam, strategy, static in ROWS:
            chosen = replace(pp.STRATEGIES[strategy], oracle="static" if static else "dynamic")
            spec = pp.ParserSpec(system=SYSTEMS[name], beam=beam)
            learn = partial(pp.train, spec, train_set, dev=dev, seed=1, threads=1, strategy=chosen)
            parser, seconds = timed(learn)
            scores = pp.evaluate(test, parser.parse(test, threads=1), samples=0)
            label = strategy + (", static" if static else "")
            lines.append(f"{name:12}{label:32}{beam:6}{scores.uas:8.2f}{scores['FullLAS'].f1:8.2f}{seconds:17.0f}")
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
