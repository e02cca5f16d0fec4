"""Speed, memory and start of networks beside the perceptron and spaCy: one core, one run, gold tokens.

    python benchmarks/neural_speed.py TREEBANK BILSTM=bilstm.panparser bundled=en-neural

TREEBANK is a folder with {train,dev,test}.conllu. A MODEL is a file or the name of a bundled one. The perceptron, which
is that of `panparser train` with no option, and spaCy, which is that of peers.py, are trained here; spaCy's model stays
in build/peers. Without the extra `bench` it is left out.

All parse the same files, in turn, from CoNLL-U to CoNLL-U, with one thread: the test set without heads and labels,
repeated up to --tokens words, and its first sentence. Gold tags are there for parsers; a pipeline writes its own, and
its time is theirs, too. `words/s`: in a CPU second, without the start; `with start`: the start is counted; `start`:
seconds of the clock for the first sentence alone, from the call of Python to the file. The least of --repeats runs
each; memory is the most. The table goes to benchmarks/results/neural_speed.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import peer_spacy
from machine import Usage, best_of, heading, panparser
from peers import HERE, Contender, Race, installed, ours, peer
from tasks import FOLDER

import panparser as pp
from panparser.base.threads import SINGLE_THREADED

COLUMNS = ("", "UAS", "LAS", "words/s", "with start", "start, s", "peak memory, MB")


@dataclass(frozen=True)
class Entrant:
    """A parser that is trained: the command that parses {test} to {output}."""

    name: str
    command: Sequence[str]

    def on(self, test: Path, output: Path) -> list[str]:
        places = {"{test}": str(test), "{output}": str(output)}
        return [places.get(word, word) for word in self.command]


def of_model(text: str) -> Entrant:
    """NAME=MODEL."""
    name, _, model = text.partition("=")
    if not name or not model:
        raise argparse.ArgumentTypeError(f"expected NAME=MODEL; got {text!r}")
    return Entrant(name, panparser("parse", "-m", model, "{test}", "-o", "{output}", "--threads", "1"))


def trained(race: Race, folder: Path) -> list[Entrant]:
    """The perceptron, and spaCy if it is installed."""
    perceptron, _, _ = race.fit(ours()[0], anew=True)
    found = [of_model(f"perceptron={perceptron}")]
    if all(map(installed, peer_spacy.PACKAGES)):
        contender: Contender = peer("spacy", folder.name, None)
        model, _, _ = race.fit(contender, anew=False)
        command = contender.parse["spaCy"].replace("{model}", shlex.quote(str(model)))
        found.append(Entrant("spaCy", shlex.split(command)))
    return found


def rows(race: Race, entrants: Sequence[Entrant], repeats: int) -> list[list[str]]:
    outputs = {entrant.name: race.work / f"{number}.conllu" for number, entrant in enumerate(entrants)}

    def timed(test: Path) -> Mapping[str, Usage]:
        found: Mapping[str, Usage] = best_of({one.name: one.on(test, outputs[one.name]) for one in entrants}, repeats)
        return found

    first, whole = timed(race.first), timed(race.repeated)
    words, start = race.gold.words * race.copies, len(race.gold[0])
    lines = []
    for name, output in outputs.items():
        scores, cpu = pp.evaluate(race.gold, race.predicted(output)), whole[name].cpu
        cells = [f"{scores.uas:.2f}", f"{scores['FullLAS'].f1:.2f}"]
        cells += [f"{(words - start) / max(cpu - first[name].cpu, 1e-3):,.0f}", f"{words / cpu:,.0f}"]
        lines.append([name, *cells, f"{first[name].wall:.2f}", f"{whole[name].memory / 1e6:,.0f}"])
    return lines


def report(folder: Path, models: Sequence[Entrant], tokens: int, repeats: int) -> str:
    with tempfile.TemporaryDirectory() as work:
        race = Race(folder, HERE.parent / "build" / "peers", Path(work), tokens, repeats)
        table = [
            COLUMNS,
            ["---", *["---:"] * (len(COLUMNS) - 1)],
            *rows(race, [*trained(race, folder), *models], repeats),
        ]
        lines = ["# Speed of networks", "", f"{heading()}.", f"{race}.", ""]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in table)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("models", nargs="*", type=of_model, metavar="NAME=MODEL")
    parser.add_argument("--tokens", type=int, default=50_000, help="words to time parsing on, at least")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=FOLDER / "neural_speed.md")
    given = parser.parse_args()
    os.environ.update(SINGLE_THREADED)
    text = report(given.treebank, given.models, given.tokens, given.repeats)
    print(text, end="")
    given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
