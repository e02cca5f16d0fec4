"""Why votes are sums of scores in updates: other ways to count them, on development sets.

    python benchmarks/voting.py FOLDER [--treebanks ta,ga,hu]    # FOLDER/*/{train,dev}.conllu

Five seeds of a greedy, unlabeled parser: each step decided by the sum of their scores, or by the number of parsers for
which an action is the best (by the sum where numbers are equal). And four parsers that differ in templates, beam,
strategy and epochs, so that their scores are of different size: summed as they are, or each divided by the mean lead of
its best tree over the second. The table goes to benchmarks/results/voting.txt.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt
from machine import heading, write_result
from tasks import number

import panparser as pp
from panparser.training.parser_run import score, score_found

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from reference.voting import find_row

SYSTEM = pp.system("arc-eager", root="last", single_root=True)
DYNAMIC = pp.STRATEGIES["dynamic"]
SENTENCES = 100  # that tell the mean lead


class Counted:
    """Greedy parsing by parsers of the same templates, all sentences at once, in Python."""

    def __init__(self, parsers: Sequence[pp.Parser], treebank: pp.Treebank) -> None:
        self.parsers, self.treebank = parsers, treebank
        self.states = pp.parsing.StateBatch(SYSTEM, treebank, templates=parsers[0].spec.used_templates)

    def scores(self) -> npt.NDArray[np.float64]:
        """(parsers, rows, actions) In updates."""
        sums = np.zeros((len(self.parsers), len(self.states), len(SYSTEM.names)))
        for own, parser in zip(sums, self.parsers, strict=True):
            layer = parser.layers[0]
            table = layer.tables[: len(layer.tables) // 2]
            for row, keys in enumerate(self.states.keys().tolist()):
                found = [find_row(layer.lines, table, 4, key) for key in keys]
                weights = [bytes_.view(np.int8) for bytes_ in found if bytes_ is not None]
                own[row] = np.sum(weights, axis=0) / layer.action_scale if weights else 0
        return sums

    def parse(self, *, by_choice: bool) -> float:
        """UAS."""
        self.states.start()
        while len(self.states):
            legal = self.states.legal()
            scores = np.where(legal, self.scores(), -np.inf)
            order = scores.sum(axis=0)
            if by_choice:
                choices = scores.argmax(axis=2)
                votes = np.stack([(choices == action).sum(axis=0) for action in range(len(SYSTEM.names))], axis=1)
                order = np.where(legal, votes + 1e-3 * order.argsort(axis=1).argsort(axis=1), -np.inf)
            self.states.apply(order.argmax(axis=1).astype(np.int32))
        return score_found(self.parsers[0], self.treebank, *self.states.trees())[0]


def of_seeds(treebank: pp.Treebank, dev: pp.Treebank) -> list[float]:
    """UAS: mean of the parsers, by sums (which is what `vote` does), by choices."""
    spec = pp.ParserSpec(system=SYSTEM, beam=1, labeled=False)
    parsers = [pp.train(spec, treebank, dev=dev, strategy=DYNAMIC, seed=seed) for seed in range(1, 6)]
    counted = Counted(parsers, dev)
    uas = [mean(score(parser, dev)[0] for parser in parsers)]
    uas += [counted.parse(by_choice=False), counted.parse(by_choice=True)]
    if abs(uas[1] - score(pp.make_voting_parser(parsers), dev)[0]) > 0.1:
        raise SystemExit("the slow vote and the engine's differ")
    return uas


def of_mixed(treebank: pp.Treebank, dev: pp.Treebank) -> list[float]:
    """LAS: the best of the parsers, their scores summed in updates, and each divided by its mean lead."""
    parsers = [
        pp.train(pp.ParserSpec(system=SYSTEM), treebank, dev=dev),
        pp.train(pp.ParserSpec(system=SYSTEM, templates=pp.templates("zn11")), treebank, dev=dev, seed=2),
        pp.train(pp.ParserSpec(system=SYSTEM, beam=1), treebank, dev=dev, strategy=DYNAMIC, seed=3),
        pp.train(
            pp.ParserSpec(system=SYSTEM, templates=pp.templates("fast")), treebank, dev=dev, epochs=2, members=1, seed=4
        ),
    ]
    weights = [1 / lead(parser, dev) for parser in parsers]
    votes = [pp.make_voting_parser(parsers), pp.make_voting_parser(parsers, weights=weights)]
    return [max(score(parser, dev)[1] or 0 for parser in parsers), *(score(vote, dev)[1] or 0 for vote in votes)]


def lead(parser: pp.Parser, dev: pp.Treebank) -> float:
    """Mean difference of the scores of the two best trees."""
    found = [parser.k_best(sentence, 2, beam=8) for sentence in dev[:SENTENCES]]
    return mean(trees[0].score - trees[1].score for trees in found if len(trees) > 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of treebanks: */{train,dev}.conllu")
    parser.add_argument("--treebanks", default="ta,ga,hu", help="with commas between them; default ta,ga,hu")
    options = parser.parse_args()
    lines = [
        f"{heading()}",
        "",
        "development sets; UAS of greedy seeds: mean, sum, choice; LAS of mixed parsers: best, updates, by mean lead",
        "",
        f"{'treebank':14}" + "".join(f"{name:>8}" for name in ("mean", "sum", "choice", "best", "updates", "lead")),
    ]
    rows = []
    for name in options.treebanks.split(","):
        treebank, dev = (pp.read_conllu(options.folder / name / f"{part}.conllu") for part in ("train", "dev"))
        rows.append([*of_seeds(treebank, dev), *of_mixed(treebank, dev)])
        lines.append(f"{name:14}" + "".join(map(number, rows[-1])))
        print(lines[-1], flush=True)
    lines.append(f"{'average':14}" + "".join(number(mean(column)) for column in zip(*rows, strict=True)))
    write_result("voting", "\n".join(lines))


if __name__ == "__main__":
    main()
