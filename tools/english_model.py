"""Makes the English model that comes with panparser: src/panparser/models/en.panparser, and its card, en.md.

    python tools/english_model.py DATA_FOLDER    # UD English EWT 2.16: {train,dev,test}.conllu

The same data gives the same bytes. The card's figures are those of this run, on this machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import panparser as pp
from panparser.pipeline.bundled import MODELS
from panparser.pipeline.training import scores

SPEC = pp.PipelineSpec(parser=pp.ParserSpec(beam=8), tagger_prune=0.3)
LARGEST = 20_000_000  # bytes
RUNS = 3
CARD = Path(__file__).with_suffix(".md")  # with places for figures


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


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def table(found: dict[str, dict[str, float]]) -> str:
    names = list(found["raw text"])
    rows = [
        f"| {way} | " + " | ".join(f"{v[n]:.2f}" if n in v else "" for n in names) + " |" for way, v in found.items()
    ]
    return "\n".join([f"| from | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|", *rows])


def card(nlp: pp.Pipeline, test: pp.Treebank, size: int, cpu: float, wall: float) -> str:
    text = pp.raw_text(test).text
    words = with_beam(nlp, text, None).words
    told = nlp.training
    return CARD.read_text(encoding="utf-8").format(
        sentences=told["sentences"],
        words=told["words"],
        parts="; ".join(
            f"{name} ({repr(part).strip('<>')})" if name == "parser" else name for name, part in nlp.parts.items()
        ),
        size=size / 1e6,
        day=date.today(),
        cpu=cpu,
        wall=wall,
        cores=os.cpu_count(),
        table=table(scores(nlp, test)),
        machine=processor(),
        python=platform.python_version(),
        runs=RUNS,
        speed=words / best_time(lambda: with_beam(nlp, text, None)),
        greedy=words / best_time(lambda: with_beam(nlp, text, 1)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=MODELS, help="the folder that model and card go to")
    arguments = parser.parse_args()
    train, dev, test = (
        pp.read_conllu(arguments.folder / f"{part}.conllu", lenient=True) for part in ("train", "dev", "test")
    )
    wall, cpu = time.perf_counter(), time.process_time()
    made = pp.train_pipeline(SPEC, train, dev=dev, threads=os.cpu_count() or 1, before_part=print)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    arguments.output.mkdir(exist_ok=True)
    path, new = (arguments.output / name for name in ("en.panparser", "en.panparser.new"))
    made.save(new)
    size = new.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{new}: expected at most {LARGEST:,} bytes, found {size:,}")
    new.replace(path)
    text = card(pp.Pipeline.load(path), test, size, cpu, wall)
    (arguments.output / "en.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
