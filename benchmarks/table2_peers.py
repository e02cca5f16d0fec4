"""UDPipe 1 and MaltParser on gold tokens and tags, as rows beside Table 2 of Aufrant & Wisniewski (2018).

    python benchmarks/table2_peers.py FOLDER [--treebanks ga,ta] [--iterations en=15] [--malt maltparser-1.9.2.jar]
    panparser results benchmarks/results/papers --grid table2 --merge benchmarks/results/table2_peers --metric UAS

UDPipe has the settings that its authors chose for each treebank, and starts without pre-trained vectors, as in the
paper (peer_udpipe.py; needs ufal.udpipe); with --iterations it has fewer than 30 on large treebanks, where it takes
hours. MaltParser has its defaults (peer_malt.py; needs Java and the jar: without --malt it is left out). What they make
of the test sets is scored like all else, and kept in benchmarks/results/table2_peers; what is there is not made again.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peer_malt
import peer_udpipe
from peers import fewer_iterations

import panparser as pp
from panparser.work.keys import file_digest

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "table2_peers"


@dataclass(frozen=True)
class Peer:
    """A parser: what it is, and its commands."""

    name: str
    recipe: Mapping[str, Any]
    train: list[str]
    parse: list[str]


def udpipe(folder: Path, work: Path, iterations: int) -> Peer:
    script, model = [sys.executable, str(HERE / "peer_udpipe.py")], str(work / "model")
    recipe = {
        "name": "UDPipe",
        "version": importlib.metadata.version("ufal.udpipe"),
        "options": peer_udpipe.settings(folder.name, iterations),
        "vectors": "none",
        "beam": 5,
    }
    train = [*script, "train", str(folder / "train.conllu"), str(folder / "dev.conllu"), model, "--no-vectors"]
    train += ["--iterations", str(iterations)]
    return Peer("UDPipe", recipe, train, [*script, "parse", model, str(work / "blind"), str(work / "parsed")])


def malt(folder: Path, work: Path, jar: Path) -> Peer:
    script, model = [sys.executable, str(HERE / "peer_malt.py")], str(work / "model")
    recipe = {"name": "MaltParser", "version": jar.stem, "options": " ".join(peer_malt.OPTIONS)}
    more = ["--malt", str(jar)]
    train = [*script, "train", str(folder / "train.conllu"), model, *more]
    return Peer(
        "MaltParser", recipe, train, [*script, "parse", model, str(work / "blind"), str(work / "parsed"), *more]
    )


def blind(path: Path, target: Path) -> None:
    """A copy of a test set without its trees."""
    treebank = pp.read_conllu(path)
    treebank.heads[:] = -1
    for name in ("deprel", "deps"):
        treebank.column(name)[:] = treebank.id_of(name, "_")
    pp.write_conllu(target, treebank)


def spent() -> float:
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def made(peer: Peer, folder: Path, work: Path) -> pp.lab.RunOutcome:
    """Trains and parses; what came of it."""
    test, start, cpu = folder / "test.conllu", time.perf_counter(), spent()
    blind(test, work / "blind")
    subprocess.run(peer.train, check=True)
    trained = spent() - cpu
    subprocess.run(peer.parse, check=True)
    facts = {"training_cpu_seconds": round(trained, 3), "test_cpu_seconds": round(spent() - cpu - trained, 3)}
    facts["sentences"] = len(pp.read_conllu(folder / "train.conllu"))
    return pp.lab.external_outcome(
        {"peer": peer.recipe},
        {"test": (str(test), pp.read_conllu(work / "parsed"))},
        inputs=inputs(folder),
        facts=facts,
        seconds=time.perf_counter() - start,
    )


def known(results: Path) -> list[tuple[dict[str, str], pp.lab.RunOutcome]]:
    """What is there, perhaps by another call that goes on at the same time."""
    done = pp.lab.GridResults.read(results).finished_runs if results.is_dir() else ()
    return [(dict(row.labels), row.outcome) for row in done if row.outcome is not None]


def inputs(folder: Path) -> list[str]:
    return [str(folder / f"{part}.conllu") for part in ("train", "dev")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of treebanks: */{train,dev,test}.conllu")
    parser.add_argument("--treebanks", help="only these, with commas between them")
    parser.add_argument(
        "--iterations", action="append", type=fewer_iterations, default=[], metavar="TREEBANK=NUMBER", help="of UDPipe"
    )
    parser.add_argument("--malt", type=Path, metavar="JAR", help="MaltParser, too")
    parser.add_argument("--no-udpipe", action="store_true", help="without UDPipe")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    names = options.treebanks.split(",") if options.treebanks else sorted(p.name for p in options.folder.iterdir())
    iterations = dict(options.iterations)
    for name in names:
        folder = options.folder / name
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            peers = [] if options.no_udpipe else [udpipe(folder, work, iterations.get(name, peer_udpipe.ITERATIONS))]
            peers += [malt(folder, work, options.malt)] if options.malt else []
            for peer in peers:
                wanted = {"peer": dict(peer.recipe), "inputs": [file_digest(path) for path in inputs(folder)]}
                if any(outcome.values["run"]["recipe"] == wanted for _, outcome in known(options.results)):
                    continue
                outcome = made(peer, folder, work)
                labels = {"treebank": name, "system": peer.name, "root": "-", "setting": "-", "seed": "1"}
                rows = [row for row in known(options.results) if row[0] != labels] + [(labels, outcome)]
                pp.lab.GridResults.from_outcomes("table2_peers", rows).write(options.results)
                cpu = outcome.facts["training_cpu_seconds"]
                print(f"{peer.name}, {name}: UAS {outcome.score('test', 'UAS'):.2f}, {cpu:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
