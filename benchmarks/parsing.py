"""Speed, memory and size of trained parsers, file to file, and how they grow.

    python benchmarks/parsing.py FOLDER/en    # a treebank: train.conllu, dev.conllu, test.conllu
    python benchmarks/parsing.py --before PYTHON FOLDER...    # beside another build, in turn; results in speed.txt

Trains the default parser, a greedy one (beam 1, dynamic oracle) and one of at most 8 MB, or takes them from the cache
if this build of panparser has made them before. Parsing is `panparser parse` on the test set, many times over, so that
a run takes seconds; from the time of a run that of a file of one word is taken off: start-up, and loading the model.
CPU time of the process, the best of three; results go to benchmarks/results/parsing{,.txt}. Leave the machine alone
meanwhile: two threads are compared by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from machine import Usage, add_before, best_of, builds, heading, measure, panparser, timed
from measured import keep, measured
from tasks import FOLDER

import panparser as pp
from panparser.training.parser_run import score
from panparser.work.keys import build

SECONDS = 3  # about how long a run of parsing takes
COMPARED = ("greedy", "beam 8", "greedy, fast")  # models of both builds
COMPARED_WORDS = 300_000  # parsed by each
LENGTHS = (10, 25, 50, 100, 200, 500, 1000)  # words of a sentence
LENGTH_WORDS = 60_000  # words parsed of each length
SIZES = (500, 1000, 3000, 6000, 12000)  # sentences of a training set
EPOCHS = 3  # timed for each size
MAX_SIZE = 8_000_000  # bytes
MODELS: dict[str, dict[str, Any]] = {
    "beam 8": {},
    "greedy": {"beam": 1, "strategy": "dynamic"},
    "greedy, fast": {"beam": 1, "strategy": "dynamic", "templates": "fast", "epochs": 14},
    "prune 0.6": {"prune_threshold": 0.6},
    "8 MB": {"max_model_bytes": MAX_SIZE},
}
TRAIN = """
import json, sys
import panparser as pp
train, dev, model, options = sys.argv[1:]
options = json.loads(options)
spec = pp.ParserSpec(beam=options.pop("beam")) if "beam" in options else pp.ParserSpec()
if "strategy" in options:
    options["strategy"] = pp.STRATEGIES[options["strategy"]]
pp.train(spec, pp.read_conllu(train), dev=pp.read_conllu(dev), **options).save(model)
"""


def best(command: Sequence[str]) -> Usage:
    return best_of({"": command})[""]


# --- Commands ---


def train_command(folder: Path, model: Path, options: dict[str, Any], python: str = sys.executable) -> list[str]:
    files = [str(folder / "train.conllu"), str(folder / "dev.conllu")]
    if not {"max_model_bytes", "prune_threshold"} & set(options):  # for which there is no flag
        flags = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        return panparser("train", "-t", files[0], "-d", files[1], "-o", model, *flags, python=python)
    return [python, "-c", TRAIN, *files, str(model), json.dumps(options)]


def parse_command(model: Path, given: Path, output: Path, threads: int, python: str = sys.executable) -> list[str]:
    return panparser("parse", "-m", model, given, "-o", output, "--threads", str(threads), python=python)


# --- Models ---


def models(
    folder: Path, cache: Path, names: Sequence[str] = tuple(MODELS), python: str = sys.executable
) -> dict[str, tuple[Path, Usage]]:
    """Files, and what training them used; trained now unless this build did before."""
    found = {}
    for name in names:
        path = cache / folder.resolve().name / build_of(python) / f"{name.replace(' ', '-')}.panparser"
        record = path.with_suffix(".json")
        if not record.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            print(f"training {name} ...", file=sys.stderr, flush=True)
            usage = measure(train_command(folder, path, MODELS[name], python))
            record.write_text(json.dumps(asdict(usage)), encoding="utf-8")
        found[name] = (path, Usage(**json.loads(record.read_text(encoding="utf-8"))))
    return found


def build_of(python: str) -> str:
    code = "import panparser, panparser._engine as engine; print(panparser.__file__, engine.__file__, sep='\\n')"
    package, engine = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return build(Path(package).parent, Path(engine))


def training(folder: Path, found: dict[str, tuple[Path, Usage]]) -> dict[str, dict[str, float]]:
    """What training took, and what came of it, by model."""
    test = pp.read_conllu(folder / "test.conllu")
    figures = {}
    for name, (path, usage) in found.items():
        uas, las = score(pp.Parser.load(path), test)
        figures[name] = {"CPU s": usage.cpu, "peak MB": usage.memory / 1e6, "model MB": path.stat().st_size / 1e6}
        figures[name] |= {"UAS": uas, "LAS": las or 0.0}
    return figures


def table(title: str, figures: dict[str, dict[str, float]], digits: Sequence[int]) -> list[str]:
    """A line for each model, with as many digits after the point for each figure."""
    names = next(iter(figures.values()))
    return [
        f"{title:14}" + "".join(f"{name:>14}" for name in names),
        *(
            f"{model:14}"
            + "".join(f"{value:14,.{places}f}" for value, places in zip(row.values(), digits, strict=True))
            for model, row in figures.items()
        ),
    ]


# --- Speed, file to file ---


def speed(folder: Path, model: Path, temporary: Path) -> tuple[float, float, float, int]:
    """Words a CPU second with one thread, by how much two are faster, CPU seconds of start-up, copies of the text."""
    text = (folder / "test.conllu").read_bytes()
    words = pp.parse_conllu(text).words
    given, single, output = (temporary / f"{name}.conllu" for name in ("given", "single", "output"))
    single.write_text("1\tyes\tyes\tINTJ\tUH\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    starts = [best(parse_command(model, single, output, threads)) for threads in (1, 2)]
    copies = 4
    given.write_bytes(text * copies)
    seconds = max(0.05, measure(parse_command(model, given, output, 1)).cpu - starts[0].cpu)
    copies = max(4, min(400, round(copies * SECONDS / seconds)))
    given.write_bytes(text * copies)
    runs = [best(parse_command(model, given, output, threads)) for threads in (1, 2)]
    walls = [run.wall - start.wall for run, start in zip(runs, starts, strict=True)]
    return words * copies / (runs[0].cpu - starts[0].cpu), walls[0] / walls[1], starts[0].cpu, copies


def speeds(folder: Path, found: dict[str, tuple[Path, Usage]]) -> dict[str, dict[str, float]]:
    """Of parsing, by model."""
    figures = {}
    with tempfile.TemporaryDirectory() as temporary:
        whole = Path(temporary) / "whole.panparser"
        keep_whole_beam(found["beam 8"][0], whole)
        paths = {name: path for name, (path, _) in found.items()} | {"beam 8, whole": whole}
        for name, path in paths.items():
            rate, ratio, start, copies = speed(folder, path, Path(temporary))
            figures[name] = {"words/CPU s": rate, "two threads": ratio, "start-up s": start, "test sets": copies}
    return figures


def keep_whole_beam(model: Path, to: Path) -> None:
    replace(pp.Parser.load(model), pruning_margin=None).save(to)


# --- Beside another build ---


def comparison(folders: Sequence[Path], before: Path, cache: Path) -> list[str]:
    """Both builds train their own models, and parse with them in turn."""
    lines = [
        f"{'words/CPU s':16}{'':14}{'before':>10}{'now':>10}{'ratio':>8}{'LAS before':>13}{'now':>8}"
        f"{'2 threads':>12}{'MB before':>12}{'now':>8}"
    ]
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in COMPARED}
    with tempfile.TemporaryDirectory() as temporary:
        for folder in folders:
            test = pp.read_conllu(folder / "test.conllu")
            found = {build: models(folder, cache, COMPARED, python) for build, python in builds(before).items()}
            for name in COMPARED:
                paths = {build: found[build][name][0] for build in found}
                speed = in_turn(folder, paths, before, Path(temporary))
                las = {build: score(pp.Parser.load(path), test)[1] or 0 for build, path in paths.items()}
                size = {build: path.stat().st_size / 1e6 for build, path in paths.items()}
                rates[name].append((speed["before"], speed["now"]))
                lines.append(
                    f"{folder.resolve().name:16}{name:14}{speed['before']:10,.0f}{speed['now']:10,.0f}"
                    f"{speed['now'] / speed['before']:7.2f}x{las['before']:13.2f}{las['now']:8.2f}"
                    f"{speed['two threads']:11.2f}x{size['before']:12.1f}{size['now']:8.1f}"
                )
    for name, pairs in rates.items():
        old, new = (len(pairs) / sum(1 / pair[i] for pair in pairs) for i in (0, 1))
        lines.append(f"{'mean time':16}{name:14}{old:10,.0f}{new:10,.0f}{new / old:7.2f}x")
    return lines


def in_turn(folder: Path, paths: dict[str, Path], before: Path, temporary: Path) -> dict[str, float]:
    """Words a CPU second of each build; and how many times sooner two threads are done than one, by the clock."""
    text = (folder / "test.conllu").read_bytes()
    words = pp.parse_conllu(text).words
    given, single, output = (temporary / f"{name}.conllu" for name in ("given", "single", "output"))
    single.write_text("1\tyes\tyes\tINTJ\tUH\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    copies = max(4, round(COMPARED_WORDS / words))
    given.write_bytes(text * copies)
    commands = {}
    for which, python in builds(before).items():
        for kind, file in (("start", single), ("run", given)):
            commands[f"{which} {kind}"] = parse_command(paths[which], file, output, 1, python)
    commands["two start"] = parse_command(paths["now"], single, output, 2)
    commands["two run"] = parse_command(paths["now"], given, output, 2)
    used = best_of(commands)
    found = {build: words * copies / (used[f"{build} run"].cpu - used[f"{build} start"].cpu) for build in paths}
    walls = [used[f"{kind} run"].wall - used[f"{kind} start"].wall for kind in ("now", "two")]
    return found | {"two threads": walls[0] / walls[1]}


# --- Growth, in this process ---


def of_length(words: Sequence[Sequence[str]], length: int) -> pp.Treebank:
    """Sentences of one length, made of the words of real ones in their order; no heads."""
    source = cycle(words)
    sentences = []
    for _ in range(LENGTH_WORDS // length):
        rows = enumerate(islice(source, length), 1)
        sentences.append("".join("\t".join([str(place), *word, *"____"]) + "\n" for place, word in rows))
    return pp.parse_conllu(("\n".join(sentences) + "\n").encode())


def lengths(folder: Path, found: dict[str, tuple[Path, Usage]]) -> list[str]:
    rows = (line.split("\t") for line in (folder / "test.conllu").read_text(encoding="utf-8").splitlines())
    words = [row[1:6] for row in rows if len(row) == 10 and row[0].isdigit()]
    lines = ["Microseconds a word, by words in the sentence (in memory, one thread, CPU time)"]
    lines.append(f"{'':14}" + "".join(f"{length:10}" for length in LENGTHS))
    for name in ("greedy", "beam 8"):
        parser, times = pp.Parser.load(found[name][0]), []
        for length in LENGTHS:
            treebank = of_length(words, length)
            _, seconds = timed(partial(parser.predict, treebank), 3)
            times.append(1e6 * seconds / treebank.words)
        lines.append(f"{name:14}" + "".join(f"{each:10.2f}" for each in times))
    return lines


class Clock(pp.Listener):
    """CPU seconds of each epoch."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def before_epoch(self, epoch: int) -> None:
        self.start = time.process_time()

    def after_epoch(self, report: pp.EpochReport) -> None:
        self.seconds.append(time.process_time() - self.start)


def epochs(folder: Path) -> list[str]:
    treebank = pp.read_conllu(folder / "train.conllu")
    sizes = [size for size in SIZES if size <= len(treebank)] or [len(treebank)]
    lines = [f"Training, CPU seconds an epoch, by sentences (mean of {EPOCHS} epochs); below, microseconds a word"]
    lines.append(f"{'':14}" + "".join(f"{size:10}" for size in sizes))
    for name in ("greedy", "beam 8"):
        spec = pp.ParserSpec(beam=1) if name == "greedy" else pp.ParserSpec()
        strategy = pp.STRATEGIES["dynamic"] if name == "greedy" else pp.TrainingConfig().strategy
        seconds, micros = [], []
        for size in sizes:
            part, clock = treebank[:size], Clock()
            pp.train(spec, part, listeners=[clock], epochs=EPOCHS, strategy=strategy, members=1)
            seconds.append(sum(clock.seconds) / EPOCHS)
            micros.append(1e6 * seconds[-1] / part.words)
        lines.append(f"{name:14}" + "".join(f"{each:10.2f}" for each in seconds))
        lines.append(f"{'':14}" + "".join(f"{each:10.1f}" for each in micros))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="treebanks: train.conllu, dev.conllu, test.conllu")
    parser.add_argument("--model-cache", type=Path, default=Path(__file__).parents[1] / "build" / "benchmarks")
    parser.add_argument("--results", type=Path, default=FOLDER)
    add_before(parser)
    options = parser.parse_args()
    load = f"load of the machine before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    if options.before:
        name = "speed"
        text = "\n".join([heading(), load, "", *comparison(options.folders, options.before, options.model_cache)])
    else:
        name, folder = "parsing", options.folders[0]
        found = models(folder, options.model_cache)
        rates, trained = speeds(folder, found), training(folder, found)
        sections = [
            [
                *table("Parsing", rates, (0, 2, 2, 0)),
                "file to file (panparser parse)",
                "two threads: how many times sooner they are done than one, by the clock",
                "beam 8, whole: hypotheses that are far behind stay in the beam (no margin)",
            ],
            table("Training", trained, (1, 0, 2, 2, 2)),
            lengths(folder, found),
            epochs(folder),
        ]
        treebank = folder.resolve().name
        keep(
            "parsing",
            [
                measured("parsing", {"treebank": treebank, "parser": model}, rates[model] | trained.get(model, {}))
                for model in rates
            ],
            options.results,
        )
        title = f"{heading()}; treebank {folder.resolve().name}"
        text = "\n\n".join([f"{title}\n{load}", *("\n".join(section) for section in sections)])
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
