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
from panparser.loading import MODELS
from panparser.pipeline_training import scores

SPEC = pp.PipelineSpec(parser=pp.ParserSpec(beam=8), tagger_prune=0.3)
LARGEST = 20_000_000  # bytes
RUNS = 3
CARD = """# en: the English model

Turns English text into Universal Dependencies: sentences, tokens, tags (UPOS, XPOS, features), lemmas, trees.

| | |
|---|---|
| data | Universal Dependencies English Web Treebank (EWT) 2.16: weblogs, newsgroups, emails, reviews, answers; {sentences:,} sentences, {words:,} words to learn from |
| parts | {parts} |
| file | {size:.1f} MB |
| trained | {day}, by `tools/english_model.py` with seed 1: {cpu:.0f} s of CPU time, {wall:.0f} s on {cores} cores |

## Scores

F1 on the test set, as the CoNLL 2018 shared task counts (labels without subtypes):

{table}

## Speed

One thread, {machine}, Python {python}, best of {runs} runs over the raw text of the test set: {speed:,.0f} words a second
from text to trees with the beam of 8 that it has, {greedy:,.0f} with `--beam 1`.

## Limits

It learned from American English of the web, up to about 2012, and does best on that. It knows no word senses, names or coreference. Its trees are basic
dependencies, not enhanced ones. Text of the treebank may be offensive or private; the model holds forms of words, their lemmas and weights, not sentences.

## Licence and attribution

The model is made from the annotations of the Universal Dependencies English Web Treebank, © 2013-2021 The Board of Trustees of The Leland Stanford Junior
University, licensed under [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/), and is
distributed under the same licence (`LICENSE.CC-BY-SA-4.0`), apart from the rest of panparser. Changes: weights and word lists were computed from the
annotations. The treebank (<https://github.com/UniversalDependencies/UD_English-EWT>) was annotated by Natalia Silveira, Timothy Dozat,
Sebastian Schuster, Miriam Connor, Marie-Catherine de Marneffe, Nathan Schneider, Ethan Chi, Samuel Bowman, Christopher Manning, Hanzhi Zhu, Daniel Galbraith
and John Bauer over texts of the English Web Treebank (LDC2012T13). If you use the model, cite:

> Natalia Silveira, Timothy Dozat, Marie-Catherine de Marneffe, Samuel Bowman, Miriam Connor, John Bauer and Christopher D. Manning (2014): A Gold Standard
> Dependency Corpus for English. LREC.
"""


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
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def table(found: dict[str, dict[str, float]]) -> str:
    names = list(found["raw text"])
    rows = [f"| {way} | " + " | ".join(f"{v[n]:.2f}" if n in v else "" for n in names) + " |" for way, v in found.items()]
    return "\n".join([f"| from | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|", *rows])


def card(nlp: pp.Pipeline, test: pp.Treebank, size: int, cpu: float, wall: float) -> str:
    text = pp.raw_text(test).text
    words = with_beam(nlp, text, None).words
    told = nlp.training
    return CARD.format(
        sentences=told["sentences"],
        words=told["words"],
        parts="; ".join(f"{name} ({part!r})" if name == "parser" else name for name, part in nlp.parts.items()),
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
    path = arguments.output / "en.panparser"
    made.save(path)
    size = path.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{path}: expected at most {LARGEST:,} bytes, found {size:,}")
    text = card(pp.Pipeline.load(path), test, size, cpu, wall)
    (arguments.output / "en.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
