"""From raw text to trees, beside UDPipe 1: scores and speed of both, in one run.

    python benchmarks/pipeline.py FOLDER [FOLDER...]    # treebanks: folders with {train,dev,test}.conllu

F1 as the CoNLL 2018 shared task counts (labels without subtypes), on the test set: from raw text, and from gold tokens.
Both learn from the same files, with their default settings; UDPipe for fewer iterations where an option says so, and
its models are kept in a cache folder, since it trains for long. panparser is measured with the beam that it is trained
with (8), and once more with the same weights and no beam. Words a second are by CPU time, one thread, from raw text to
CoNLL-U in memory, the best of a few runs, loading not counted. UDPipe needs `ufal.udpipe`; without it, or with
--without-udpipe, panparser is measured alone.

    python benchmarks/pipeline.py FOLDER [FOLDER...] --before PYTHON [--model MODEL]

compares two builds instead: `panparser parse` of raw text, file to file, one thread, CPU time, the commands of both
builds in turn; from each time that of a text of one word is taken off. Each build has its own English model, unless a
model that both can read is named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from machine import add_before, best_of, builds, heading, panparser, timed, write_result
from measured import Measurement, keep, measured
from peer_udpipe import read

import panparser as pp

COLUMNS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
RUNS = 3
PEER = "UDPipe 1"
STARTS = 10
TEXT_WORDS = 200_000  # of the text that two builds are compared with


@dataclass(frozen=True)
class Row:
    """What a system does on a treebank from one kind of input; `speed` in words a second."""

    system: str
    source: str
    treebank: str
    scores: tuple[float, ...]
    speed: float | None = None
    training: float | None = None  # CPU seconds; None: taken from the cache

    @property
    def figures(self) -> dict[str, float | None]:
        return {**dict(zip(COLUMNS, self.scores, strict=True)), "words/s": self.speed, "training CPU s": self.training}

    def __str__(self) -> str:
        figures = "".join(f"{value:10.2f}" for value in self.scores)
        speed = "" if self.speed is None else f"{self.speed / 1000:.1f}"
        training = "" if self.training is None else f"{self.training:.0f}"
        return f"{self.treebank:12}{self.source:13}{self.system:19}{figures}{speed:>10}{training:>10}".rstrip()


def scored(gold: pp.Treebank, found: pp.Treebank) -> tuple[float, ...]:
    scores = pp.evaluate(gold, found, bootstrap_samples=0)
    return tuple(scores[name].f1 for name in COLUMNS)


def panparser_rows(folder: Path, gold: pp.Treebank, text: str) -> list[Row]:
    train, dev = (pp.read_conllu(folder / f"{part}.conllu", lenient=True) for part in ("train", "dev"))
    nlp, seconds = timed(lambda: pp.train_pipeline(pp.PipelineSpec(), train, dev=dev))
    rows = []
    for system, beam, took in (("panparser", None, seconds), ("panparser, beam 1", 1, None)):
        rows += pipeline_rows(nlp, Row(system, "raw text", folder.name, (), training=took), gold, text, beam)
    return rows


def pipeline_rows(nlp: pp.Pipeline, row: Row, gold: pp.Treebank, text: str, beam: int | None = None) -> list[Row]:
    """A row with scores and speed from raw text, and one from gold tokens."""

    def raw() -> bytes:
        (found,) = nlp.tokens([text]) if nlp.tokenizer else [gold.copy()]
        nlp.annotate(found, beam=beam)
        return found.to_bytes()

    data, best = timed(raw, RUNS)
    known = gold.copy()
    nlp.annotate(known, beam=beam)
    return [
        replace(row, scores=scored(gold, pp.parse_conllu(data)), speed=gold.words / best),
        replace(row, source="gold tokens", scores=scored(gold, known), training=None),
    ]


def udpipe_model(folder: Path, cache: Path, options: Sequence[str]) -> tuple[Path, float | None]:
    """The file of a trained model, from the cache if it is there, and the CPU seconds of its training."""
    from ufal.udpipe import ProcessingError, Trainer

    name = "-".join(option.split("=")[1] for option in options)
    path = cache / f"{folder.name}-{name}.udpipe"
    if path.exists():
        return path, None
    train, dev, error = read(folder / "train.conllu"), read(folder / "dev.conllu"), ProcessingError()
    data, seconds = timed(lambda: Trainer.train("morphodita_parsito", train, dev, *options, error))
    if error.occurred():
        sys.exit(f"udpipe: {error.message}")
    cache.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path, seconds


def udpipe_rows(folder: Path, gold: pp.Treebank, text: str, cache: Path, options: Sequence[str]) -> list[Row]:
    from ufal.udpipe import Model, Pipeline, ProcessingError

    path, seconds = udpipe_model(folder, cache, options)
    model, error = Model.load(str(path)), ProcessingError()
    rows = []
    for source, kind, data in (("raw text", "tokenize", text), ("gold tokens", "conllu", gold.to_bytes().decode())):
        pipeline = Pipeline(model, kind, Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")
        found, best = timed(partial(pipeline.process, data, error), RUNS)
        if error.occurred():
            sys.exit(f"udpipe: {error.message}")
        speed, took = (gold.words / best, seconds) if source == "raw text" else (None, None)
        rows.append(Row(PEER, source, folder.name, scored(gold, pp.parse_conllu(found)), speed, took))
    return rows


def start_up(text: str = "They ate the pizza with anchovies.") -> float:
    """Seconds from nothing to trees: the command with the English model, the fastest of a few runs."""
    command = [sys.executable, "-m", "panparser", "parse", "--text", text]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(STARTS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=usual)
        times.append(time.perf_counter() - start)
    return min(times)


# --- Two builds ---


def compare(folder: Path, model: str, before: Path) -> list[str]:
    """Words a second from raw text to trees in both builds, and whether they write the same bytes."""
    gold = pp.read_conllu(folder / "test.conllu", lenient=True)
    text = pp.extract_raw_text(gold).text
    copies = max(1, round(TEXT_WORDS / gold.words))
    lines = []
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "long.txt").write_text(f"{text}\n\n" * copies, encoding="utf-8")
        (place / "short.txt").write_text("Yes.\n", encoding="utf-8")
        for title, options in (("greedy", ["--beam", "1"]), ("the model's beam", [])):
            commands = {
                f"{name} {length}": panparser(
                    *("parse", "-m", model, place / f"{length}.txt", "-o", place / f"{name}-{length}.conllu"),
                    *("--threads", "1", *options),
                    python=python,
                )
                for name, python in builds(before).items()
                for length in ("long", "short")
            }
            used = best_of(commands, RUNS)
            seconds = {name: used[f"{name} long"].cpu - used[f"{name} short"].cpu for name in builds(before)}
            outputs = {(place / f"{name}-long.conllu").read_bytes() for name in builds(before)}
            speeds = "".join(f"{gold.words * copies / each / 1000:12.1f}" for each in seconds.values())
            ratio, same = seconds["before"] / seconds["now"], "the same" if len(outputs) == 1 else "different"
            memory = "".join(f"{used[f'{name} long'].memory / 1e6:12.0f}" for name in builds(before))
            lines.append(f"{folder.name:12}{title:18}{speeds}{ratio:10.2f}x{memory}   {same}")
    return lines


def averages(rows: Sequence[Row]) -> list[Row]:
    """A row for each system and source, over all treebanks."""
    found = []
    for system, source in dict.fromkeys((row.system, row.source) for row in rows):
        own = [row for row in rows if (row.system, row.source) == (system, source)]
        scores = tuple(sum(values) / len(own) for values in zip(*(row.scores for row in own), strict=True))
        found.append(Row(system, source, "average", scores))
    return found


def measurements(rows: Sequence[Row]) -> list[Measurement]:
    """With how many times as fast as UDPipe each is."""
    peers = {(row.treebank, row.source): row.speed for row in rows if row.system == PEER}
    found = []
    for row in rows:
        labels = {"treebank": row.treebank, "from": row.source, "system": row.system}
        peer = peers.get((row.treebank, row.source))
        times = row.speed / peer if row.speed and peer else None
        found.append(measured("pipeline", labels, {**row.figures, "times as fast": times}))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("build/udpipe"), help="where models of UDPipe are kept")
    parser.add_argument("--tokenizer-epochs", type=int, default=100, help="of UDPipe")
    parser.add_argument("--tagger-iterations", type=int, default=20, help="of UDPipe")
    parser.add_argument("--parser-iterations", type=int, default=10, help="of UDPipe")
    parser.add_argument("--without-udpipe", action="store_true")
    parser.add_argument("--print", action="store_true", help="print only")
    parser.add_argument("--model", default="en", help="model for two builds")
    add_before(parser)
    said = parser.parse_args()
    if said.before:
        titles = "".join(f"{title:>12}" for title in ("before, kw/s", "now, kw/s"))
        lines = [f"{heading()}; raw text to trees, model {said.model}", ""]
        lines.append(f"{'treebank':12}{'':18}{titles}{'ratio':>11}{'before, MB':>12}{'now, MB':>12}   bytes")
        for folder in said.folders:
            lines += compare(folder, said.model, said.before)
        print("\n".join(lines)) if said.print else write_result("raw_text", "\n".join(lines))
        return
    options = (
        f"epochs={said.tokenizer_epochs}",
        f"iterations={said.tagger_iterations}",
        f"iterations={said.parser_iterations}",
    )
    peer = not said.without_udpipe and find_spec("ufal") is not None
    titles = "".join(f"{name:>10}" for name in (*COLUMNS, "kwords/s", "train, s"))
    notes = f"UDPipe: tokenizer {options[0]}, tagger {options[1]}, parser {options[2]}" if peer else "without UDPipe"
    notes += f"; start of `panparser parse --text` with the English model: {start_up():.2f} s"
    lines = [f"{heading()}; {notes}", "", f"{'treebank':12}{'from':13}{'system':19}{titles}"]
    rows: list[Row] = []
    for folder in said.folders:
        gold = pp.read_conllu(folder / "test.conllu", lenient=True)
        text = pp.extract_raw_text(gold).text
        new = panparser_rows(folder, gold, text)
        new += udpipe_rows(folder, gold, text, said.cache, options) if peer else []
        rows += new
        lines += [*map(str, sorted(new, key=lambda row: row.source == "gold tokens")), ""]
        print(f"{folder.name} done", file=sys.stderr, flush=True)
    if len(said.folders) > 1:
        lines += map(str, sorted(averages(rows), key=lambda row: row.source == "gold tokens"))
    if said.print:
        print("\n".join(lines))
    else:
        write_result("pipeline", "\n".join(lines).rstrip())
        keep("pipeline", measurements(rows))


if __name__ == "__main__":
    main()
