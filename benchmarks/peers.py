"""Accuracy and speed beside other parsers: the same data, the same run, gold tokens and gold tags, one thread.

    pip install 'panparser[bench]'    # the peers: ufal.udpipe (with gensim), spacy; those not installed are left out
    python benchmarks/peers.py TREEBANK...    # folders with train.conllu, dev.conllu, test.conllu
    python benchmarks/peers.py ta --parser 'mine=mine train {train} {dev} {model} ;; mine parse {model} {test} {output}'

Prints, and writes benchmarks/results/peers.txt, and the runs beside it. Every parser gets the test file without heads
and labels. UAS and LAS count all words, LAS whole labels with their subtypes. Times are CPU seconds, user and system,
of all its processes.

Parsing is timed on the test file, repeated up to --tokens words, the best of --repeats runs, from CoNLL-U to CoNLL-U.
Column `tokens/s` leaves out the start (Python, packages, the model): the time for a file with the first sentence alone
is subtracted. Column `with start` leaves nothing out. Both columns are measured in the same way for all parsers. Ratios
are of `tokens/s`; their mean over treebanks is geometric.

Models of peers stay in --cache with their training time, and are used again while data, settings, versions and the
processor are the same; ours are always trained anew. A --parser of one command trains and parses at once: it gets no
speed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import peer_spacy
import peer_udpipe
from machine import heading, processor
from measured import Measurement, keep

import panparser as pp
from panparser.base.threads import SINGLE_THREADED

HERE = Path(__file__).parent
PYTHON = shlex.quote(sys.executable)
MODULES = {"udpipe": peer_udpipe, "spacy": peer_spacy}
NAMES = {"udpipe": "UDPipe 1", "spacy": "spaCy"}
PAIRS = {  # whose speeds are compared
    "beam 8 to its beam 5": ("panparser", "UDPipe 1"),
    "greedy to greedy": ("panparser, greedy", "UDPipe 1, greedy"),
}
COLUMNS = f"{'':24}{'UAS':>8}{'LAS':>8}{'95 % of LAS':>17}{'training, s':>13}{'tokens/s':>11}{'with start':>12}"
NOTE = (
    "Training: CPU seconds; * by an earlier run. Speed: tokens in a CPU second without and with starting and loading."
)


class FailureError(Exception):
    """A parser's command failed; the message has the end of its log."""


@dataclass(frozen=True, kw_only=True)
class Contender:
    """A parser: its commands with placeholders {train} {dev} {test} {model} {output}.

    There is a line in the results for each entry of `parse`. Without a `parse` the training command does everything.
    `key` says what a trained model depends on besides the data; None trains anew in every run.
    """

    name: str
    train: str
    parse: dict[str, str] = field(default_factory=dict)
    key: str | None = None


@dataclass(frozen=True, kw_only=True)
class Line:
    """Results of a parser on a treebank; None where something was not measured."""

    name: str
    scores: pp.Evaluation
    training: float
    earlier: bool
    rates: tuple[float, float] | None
    kept: Measurement

    def __str__(self) -> str:
        las = self.scores["FullLAS"]
        low, high = las.interval or (math.nan, math.nan)
        training = f"{self.training:,.1f}{'*' if self.earlier else ' '}"
        speed = "".join(f"{rate:{width},.0f}" for rate, width in zip(self.rates or (), (11, 12), strict=False))
        interval = f"{low:.2f} - {high:.2f}"
        return f"{self.name:24}{self.scores.uas:8.2f}{las.f1:8.2f}{interval:>17}{training:>13}{speed}"


def ours() -> list[Contender]:
    train = f"{PYTHON} -m panparser train -t {{train}} -d {{dev}} -o {{model}} --seed 1"
    parse = f"{PYTHON} -m panparser parse -m {{model}} {{test}} -o {{output}}"
    return [
        Contender(name="panparser", train=train, parse={"panparser": parse}),
        Contender(
            name="panparser-greedy", train=f"{train} --beam 1 --strategy dynamic", parse={"panparser, greedy": parse}
        ),
    ]


def installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False


def peer(name: str, treebank: str, iterations: int | None) -> Contender:
    """A peer with its settings for a treebank; `iterations` instead of UDPipe's, if given."""
    module = MODULES[name]
    fewer = iterations if name == "udpipe" else None
    settings = peer_udpipe.settings(treebank, fewer) if fewer else module.settings(treebank)
    versions = [f"{package} {importlib.metadata.version(package)}" for package in module.PACKAGES]
    script = f"{PYTHON} {shlex.quote(str(HERE / f'peer_{name}.py'))}"
    parse = f"{script} parse {{model}} {{test}} {{output}}"
    return Contender(
        name=name,
        train=f"{script} train {{train}} {{dev}} {{model}}" + (f" --iterations {fewer}" if fewer else ""),
        parse={NAMES[name]: parse} | ({f"{NAMES[name]}, greedy": f"{parse} --beam 1"} if name == "udpipe" else {}),
        key="; ".join([*versions, settings]),
    )


def fewer_iterations(text: str) -> tuple[str, int]:
    name, _, count = text.partition("=")
    if not name or not count.isdecimal() or int(count) < 1:
        raise argparse.ArgumentTypeError(f"expected TREEBANK=NUMBER, as in en=10; got {text!r}")
    return name, int(count)


def given(text: str) -> Contender:
    name, _, commands = text.partition("=")
    train, _, parse = (part.strip() for part in commands.partition(";;"))
    if not name or not train or (parse or train).count("{output}") != 1:
        raise argparse.ArgumentTypeError(f"expected NAME=TRAIN ;; PARSE, the last with {{output}}; got {text!r}")
    return Contender(name=name, train=train, parse={name: parse} if parse else {}, key=commands)


def spend(command: str, log: Path, **places: Path) -> float:
    """Runs a command; the CPU seconds of its processes."""
    for name, place in places.items():
        command = command.replace(f"{{{name}}}", shlex.quote(str(place)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with log.open("wb") as file:
        environment = os.environ | SINGLE_THREADED
        code = subprocess.run(command, shell=True, stdout=file, stderr=file, env=environment, check=False).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
        raise FailureError("\n  ".join([f"failed with status {code}: {command}", *said]))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Race:
    """A treebank on which parsers are trained, run and timed."""

    def __init__(self, folder: Path, cache: Path, work: Path, tokens: int, repeats: int) -> None:
        self.train, self.dev, self.test = (folder / f"{part}.conllu" for part in ("train", "dev", "test"))
        self.cache, self.work, self.repeats = cache / folder.name, work, repeats
        self.gold = pp.read_conllu(self.test)
        self.copies = max(1, math.ceil(tokens / self.gold.words))
        blind = self.gold[:]
        blind.heads[:] = -1
        for name in ("deprel", "deps"):
            blind.column(name)[:] = blind.id_of(name, "_")
        self.first, self.blind, self.repeated = (work / name for name in ("first.conllu", "test.conllu", "many.conllu"))
        pp.write_conllu(self.first, blind[:1])
        pp.write_conllu(self.blind, blind)
        self.repeated.write_bytes(self.blind.read_bytes() * self.copies)

    def __str__(self) -> str:
        train = pp.read_conllu(self.train)
        return (
            f"{self.train.parent.name}: {len(train):,} sentences, {train.words:,} words to train; "
            f"{len(self.gold):,} sentences, {self.gold.words:,} words to test"
        )

    def earlier(self, contender: Contender) -> tuple[Path, float] | None:
        """The model of an earlier run and the CPU seconds of its training, if all that it depends on is the same."""
        folder = self.cache / contender.name
        record = folder / "training.json"
        if not contender.key or not contender.parse or not record.exists():
            return None
        found = json.loads(record.read_text(encoding="utf-8"))
        same = all(found.get(name) == value for name, value in self._wanted(contender).items())
        return (folder / "model", float(found["cpu_seconds"])) if same else None

    def _wanted(self, contender: Contender) -> dict[str, str | None]:
        data = self.train.read_bytes() + self.dev.read_bytes() + (contender.key or "").encode()
        return {"key": contender.key, "sha256": hashlib.sha256(data).hexdigest(), "processor": processor()}

    def fit(self, contender: Contender, anew: bool) -> tuple[Path, float, bool]:
        """The model, the CPU seconds of its training, and whether an earlier run trained it."""
        if not anew and (found := self.earlier(contender)):
            return *found, True
        folder = self.cache / contender.name
        folder.mkdir(parents=True, exist_ok=True)
        model, record = folder / "model", folder / "training.json"
        record.unlink(missing_ok=True)
        places = {"train": self.train, "dev": self.dev, "test": self.blind, "output": self.work / "output.conllu"}
        seconds = spend(contender.train, folder / "log", model=model, **places)
        values = self._wanted(contender) | {"cpu_seconds": seconds, "date": str(date.today())}
        record.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
        return model, seconds, False

    def time(self, command: str, model: Path, output: Path) -> tuple[float, float]:
        """Tokens in a CPU second, without the start and with it."""
        log, places = self.work / "log", {"model": model, "train": self.train, "dev": self.dev, "output": output}
        start, whole = (
            min(spend(command, log, test=test, **places) for _ in range(self.repeats))
            for test in (self.first, self.repeated)
        )
        words = self.gold.words * self.copies
        return (words - len(self.gold[0])) / max(whole - start, 1e-3), words / whole

    def predicted(self, output: Path) -> pp.Treebank:
        """The first copy of the test file; the output is removed, so that nobody else is scored by it."""
        try:
            found = pp.read_conllu(output)[: len(self.gold)]
            output.unlink()
            return found
        except (OSError, pp.PanParserError) as error:
            raise FailureError(f"has no output that can be scored: {error}") from error

    def run(self, contender: Contender, anew: bool) -> list[Line]:
        output = self.work / "output.conllu"
        output.unlink(missing_ok=True)
        model, training, earlier = self.fit(contender, anew)
        if not contender.parse:
            return [self.line(contender.name, contender, output, training, earlier, None)]
        lines = []
        for name, command in contender.parse.items():
            rates = self.time(command, model, output)
            lines.append(self.line(name, contender, output, training, earlier, rates))
        return lines

    def line(
        self,
        name: str,
        contender: Contender,
        output: Path,
        training: float,
        earlier: bool,
        rates: tuple[float, float] | None,
    ) -> Line:
        """What a parser made of the test file, scored, with its times."""
        predicted = self.predicted(output)
        try:
            scores = pp.evaluate(self.gold, predicted)
            facts = {"training CPU s": training}
            facts |= dict(zip(("words/s", "words/s with start"), rates, strict=True)) if rates else {}
            recipe = {"name": name, "settings": contender.key or "the defaults"}
            inputs = [str(self.train), str(self.dev)]
            outcome = pp.lab.external_outcome(
                {"peer": recipe}, {"test": (str(self.test), predicted)}, inputs=inputs, facts=facts
            )
        except pp.PanParserError as error:
            raise FailureError(f"has no output that can be scored: {error}") from error
        labels = {"treebank": self.train.parent.name, "from": "gold tags", "system": name}
        kept = (labels, outcome)
        return Line(name=name, scores=scores, training=training, earlier=earlier, rates=rates, kept=kept)


def ratios(lines: list[Line]) -> dict[str, float]:
    """How many times as fast as UDPipe panparser is, on one treebank."""
    rates = {line.name: line.rates[0] for line in lines if line.rates}
    return {
        name: rates[mine] / rates[other] for name, (mine, other) in PAIRS.items() if mine in rates and other in rates
    }


def ratio_row(found: dict[str, float]) -> list[str]:
    return [f"times as fast as UDPipe: {', '.join(f'{name} {ratio:.1f}' for name, ratio in found.items())}"] * bool(
        found
    )


def means(lines: list[Line], found: list[dict[str, float]]) -> list[str]:
    """UAS and LAS of each parser, and ratios of speeds, averaged over the treebanks; nothing if there is only one."""
    by_name: dict[str, list[Line]] = {}
    for line in lines:
        by_name.setdefault(line.name, []).append(line)
    count = max(map(len, by_name.values()), default=0)
    if count < 2:
        return []
    rows = ["", f"mean of {count} treebanks"]
    for name, group in by_name.items():
        if len(group) == count:
            uas, las = (sum(line.scores[metric].f1 for line in group) / count for metric in ("UAS", "FullLAS"))
            rows.append(f"{name:24}{uas:8.2f}{las:8.2f}")
    shared = {name: [each[name] for each in found] for name in PAIRS if all(name in each for each in found)}
    return rows + ratio_row({name: math.prod(each) ** (1 / len(each)) for name, each in shared.items()})


def report(arguments: argparse.Namespace) -> tuple[list[str], list[Measurement]]:
    """The lines of the results, printed as they come, and what they are made of."""
    text: list[str] = []

    def say(*rows: str) -> None:
        text.extend(rows)
        for row in rows:
            print(row, flush=True)

    say(heading(), NOTE)
    missing = {name: [each for each in MODULES[name].PACKAGES if not installed(each)] for name in arguments.peers}
    for name, packages in missing.items():
        say(*([f"{name} is left out: {', '.join(packages)} not installed"] if packages else []))
    lines: list[Line] = []
    speeds: list[dict[str, float]] = []
    for folder in arguments.treebanks:
        first = len(lines)
        peers = [
            peer(name, folder.name, arguments.iterations.get(folder.name))
            for name in arguments.peers
            if not missing[name]
        ]
        with tempfile.TemporaryDirectory() as work:
            race = Race(folder, arguments.cache, Path(work), arguments.tokens, arguments.repeats)
            fewer = arguments.iterations.get(folder.name)
            say("", str(race), *([f"UDPipe with {fewer} iterations"] if fewer else []), COLUMNS)
            for contender in [*([] if arguments.peers_only else ours()), *peers, *arguments.parser]:
                try:
                    found = race.run(contender, arguments.anew)
                except FailureError as error:
                    say(f"{contender.name}: failed")
                    print(f"{contender.name} {error}", file=sys.stderr)
                else:
                    say(*map(str, found))
                    lines += found
        speeds.append(ratios(lines[first:]))
        say(*ratio_row(speeds[-1]))
    say(*means(lines, speeds))
    return text, [line.kept for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+", type=Path, metavar="TREEBANK")
    parser.add_argument("--peers", default="udpipe,spacy", help="which peers; '' for none")
    parser.add_argument("--peers-only", action="store_true", help="leave panparser out")
    parser.add_argument("--parser", action="append", type=given, default=[], metavar="NAME=COMMAND")
    parser.add_argument(
        "--cache", type=Path, default=HERE.parent / "build" / "peers", help="where models of peers stay"
    )
    parser.add_argument(
        "--iterations",
        action="append",
        type=fewer_iterations,
        default=[],
        metavar="TREEBANK=NUMBER",
        help="of UDPipe's training on a treebank; 30 unless told",
    )
    parser.add_argument("--anew", action="store_true", help="train peers and --parser again")
    parser.add_argument("--tokens", type=int, default=50_000, help="words to time parsing on, at least")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "peers.txt")
    arguments = parser.parse_args()
    arguments.iterations = dict(arguments.iterations)
    arguments.peers = [name for name in arguments.peers.split(",") if name]
    if unknown := set(arguments.peers) - set(MODULES):
        parser.error(f"--peers: expected some of {', '.join(MODULES)}; got {', '.join(sorted(unknown))}")
    for path in (folder / f"{part}.conllu" for folder in arguments.treebanks for part in ("train", "dev", "test")):
        if not path.is_file():
            parser.error(f"no file {path}")
    text, kept = report(arguments)
    arguments.output.write_text("\n".join(text) + "\n", encoding="utf-8")
    keep(arguments.output.stem, kept, arguments.output.parent)
    sys.exit(int(any(row.endswith(": failed") for row in text)))


if __name__ == "__main__":
    main()
