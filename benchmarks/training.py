"""How long training takes, by the clock and in CPU seconds: `python benchmarks/training.py --before PYTHON FOLDER...`.

A folder has train.conllu and dev.conllu, on which `panparser train` runs with its defaults, on all cores. With
`--before`, the Python of another build, both train in turn, so that both meet the same machine, and the last columns
are how many times sooner, and with how many times less work, this one is done. The best of `--runs` counts.

`--batches 1 8 32` measures instead what batches cost and save: LAS on the development set, the mean of `--seeds`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path

from machine import add_before, best_of, builds, panparser, processor, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser.base.threads import cores
from panparser.pipeline.loading import load_parser


def las_of(parser: pp.Parser) -> float:
    """LAS on the development set, of the epoch that was kept."""
    best = parser.training.best
    return (best and best.las) or 0.0


def training_row(folder: Path, before: Path | None, runs: int) -> tuple[str, Measurement]:
    with tempfile.TemporaryDirectory() as place:
        models = {name: Path(place) / name for name in builds(before)}
        data = ("-t", folder / "train.conllu", "-d", folder / "dev.conllu")
        used = best_of(
            {
                name: panparser("train", *data, "-o", models[name], python=python)
                for name, python in builds(before).items()
            },
            runs,
        )
        now = used["now"]
        las = las_of(load_parser(models["now"]))
        figures = {"clock s": now.wall, "CPU s": now.cpu, "peak MB": now.memory / 1e6, "dev LAS": las}
        kept = measured("training", {"treebank": folder.name}, figures)
        row = f"{folder.name:14}{now.wall:9.1f} s{now.cpu:9.1f} s{now.memory / 1e6:9.0f} MB{las:8.2f}"
        if before is None:
            return row, kept
        then = used["before"]
        row += f"{then.wall:12.1f} s{then.cpu:9.1f} s{then.wall / now.wall:11.2f}{then.cpu / now.cpu:9.2f}"
        return row, kept


def trainings(folders: list[Path], before: Path | None, runs: int) -> tuple[str, list[Measurement]]:
    title = f"{'':14}{'clock':>11}{'CPU':>11}{'memory':>12}{'LAS':>8}"
    if before is not None:
        title += f"{'before':>14}{'CPU':>11}{'sooner':>11}{'less':>9}"
    rows, kept = zip(*(training_row(folder, before, runs) for folder in folders), strict=True)
    return "\n".join([title, *rows]), list(kept)


def batch_rows(folder: Path, batches: list[int], seeds: int) -> list[str]:
    treebank, dev = (pp.read_conllu(folder / f"{name}.conllu") for name in ("train", "dev"))
    rows = []
    for batch in batches:
        scores, clock = [], []
        for seed in range(1, seeds + 1):
            start = time.perf_counter()
            parser = pp.train(pp.ParserSpec(), treebank, dev=dev, batch_size=batch, seed=seed)
            clock.append(time.perf_counter() - start)
            scores.append(las_of(parser))
        spread = statistics.stdev(scores) if seeds > 1 else 0.0
        rows.append(f"{folder.name:14}{batch:6}{statistics.mean(scores):9.2f} ±{spread:5.2f}{min(clock):9.1f} s")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    add_before(parser)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--batches", type=int, nargs="+", metavar="N", help="sizes of batches to compare")
    parser.add_argument("--seeds", type=int, default=3, help="for --batches")
    given = parser.parse_args()
    heading = f"panparser {pp.__version__}, {date.today()}, {processor()}, {cores()} cores"
    if given.batches:
        title = f"{'':14}{'batch':>6}{'LAS':>9}{'':7}{'clock':>11}"
        rows = [row for folder in given.folders for row in batch_rows(folder, given.batches, given.seeds)]
        write_result("batches", "\n".join([heading, "", title, *rows]))
    else:
        text, kept = trainings(given.folders, given.before, given.runs)
        write_result("training", f"{heading}\n\n{text}")
        keep("training", kept)


if __name__ == "__main__":
    main()
