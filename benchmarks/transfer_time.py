"""How long `panparser transfer` takes with all sources and twenty sentences, on two threads.

    python benchmarks/transfer_time.py FOLDER    # FOLDER/LANGUAGE[_NAME]/train.conllu

The target is Hungarian: 20 sentences of its training set, drawn by the seed, and 1,000 of each other treebank of the
folder with at least 100 (15 of UD 2.0). All ways are compared in five folds, and what more sentences would bring is
estimated, as always. By the clock, which says little where other work shares the cores; in CPU seconds of all threads,
of which two free cores need half; and the most memory. The same without a sample, by the tags of the 20 sentences.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from low_resource import sources
from machine import heading, measure, panparser, write_result

import panparser as pp

TARGET, SENTENCES, THREADS = "hu", 20, 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    files = [each.path for each in sources(folder, TARGET)]
    load = os.getloadavg()[0]
    lines = [f"{len(files)} sources, {SENTENCES} sentences; {'clock':>20}{'CPU':>10}{'memory':>12}{'model':>10}"]
    with tempfile.TemporaryDirectory() as place:
        sample, model = Path(place) / "sample.conllu", Path(place) / "hu.panparser"
        pp.write_conllu(
            sample, pp.sample_sentences(pp.read_conllu(folder / TARGET / "train.conllu"), SENTENCES, seed=1)
        )
        for name, flag in (("with their trees", "--sample"), ("with their tags alone", "--tagged-text")):
            command: tuple[str | Path, ...] = ("transfer", flag, sample, "--sources", *files, "--language", TARGET)
            usage = measure(panparser(*command, "--threads", str(THREADS), "-o", model))
            cells = f"{usage.wall:8.1f} s{usage.cpu:8.1f} s{usage.memory / 1e6:9.0f} MB"
            lines.append(f"{name:38}{cells}{model.stat().st_size / 1e6:7.1f} MB")
    title = f"{heading().replace('one thread', f'{THREADS} threads')}; load of the machine before: {load:.1f}"
    write_result("transfer_time", "\n".join([title, "", *lines]))


if __name__ == "__main__":
    main()
