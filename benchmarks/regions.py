"""Why cascades over languages do not beat joint training: are regions of competence poorly known, or is it the cascade?

    python benchmarks/regions.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,dev,test}.conllu; resumable

The same parsers (of 20 sentences, of the nearest four sources, and the joint one) are put together in three ways. The
plan "region-wise" of `panparser transfer` estimates from the 20 sentences which of them is the best for which arcs. The
same cascade with regions that 300 sentences of the development set tell shows what a large sample would bring. And the
trees of all these parsers are combined ("combined-joint"), without any regions. Sources and test sentences as for the
plans of cascades_over_languages.py: gold tags, UAS of at most 300 test sentences, without punctuation, one seed.
Finished tasks are kept in benchmarks/results/regions.jsonl, the tables in regions.txt.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from cascades_over_languages import prepared
from measured import claims, keep
from tasks import Scored, arguments, build, finish, number, one_seed, publish

import panparser as pp
from panparser.transfer.candidates import MethodRunner

TARGETS, SIZE, KNOWN = ("hu", "el", "id", "fr_sequoia"), 20, 300
ROWS = {
    "sample": "sample alone",
    "all": "all sources",
    "joint": "joint",
    "region-wise": "region-wise, by the sample",
    "told": "region-wise, by 300 sentences",
    "combined-joint": "their trees, combined",
}


@dataclass(frozen=True)
class Task:
    target: str
    seed: int

    @property
    def key(self) -> str:
        return json.dumps(vars(self))

    def __str__(self) -> str:
        return f"{self.target}, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        return (folder / self.target / "test.conllu").stat().st_size

    def run(self, folder: Path) -> Scored:
        start = time.process_time()
        candidates, _, test = prepared(folder, self.target, SIZE, self.seed)
        assert candidates.sample is not None
        dev = pp.sample_sentences(pp.read_conllu(folder / self.target / "dev.conllu"), KNOWN)
        scores = {}
        for way in ROWS:
            made: Any = told(candidates, dev) if way == "told" else candidates.make(way, candidates.sample)  # type: ignore[arg-type]
            scores[way] = candidates.count_attachments(made, test).uas
        return Scored(scores, time.process_time() - start, build())


def told(candidates: MethodRunner, dev: pp.Treebank) -> pp.Cascade | pp.Parser:
    """The cascade of the plan, with regions in which parsers are the best on other sentences."""
    near = candidates.sources[: candidates.max_sources]
    alone = [MethodRunner(**{**_fields(candidates), "sources": [each]}).learn("all", None) for each in near]
    first, last = (candidates.learn(method, candidates.sample) for method in ("sample", "joint"))
    parsers = [first, *alone, last]
    divergences = [None, *(each.divergence or 0.0 for each in near), -1.0]
    *known, _ = pp.transfer.competent_regions(
        dev, [parser.parse(dev, allow_unseen_tags=True) for parser in parsers], divergences=divergences
    )
    rows = [(own, parser) for own, parser in zip(known, parsers, strict=False) if own.regions]
    rows.sort(key=lambda row: -(row[0].precision or 0.0))
    stages = [pp.CascadeStage(keep_regions=own.regions, model=parser) for own, parser in rows]
    return pp.train_cascade([*stages, pp.CascadeStage(model=last)]) if stages else last


def _fields(candidates: MethodRunner) -> dict[str, Any]:
    return {name: getattr(candidates, name) for name in ("max_sources", "sample", "dev", "seed", "threads")}


def main() -> None:
    options = arguments(__doc__, "regions", "1").parse_args()
    names = options.treebanks.split(",") if options.treebanks else list(TARGETS)
    tasks = {name: Task(name, one_seed(options)) for name in names}
    results = finish(options, tasks.values(), Scored)
    done = {name: results[task.key] for name, task in tasks.items() if task.key in results}
    if not done:
        publish(options, ["no target is finished"])
        return
    lines = [f"{f'UAS, {SIZE} sentences':34}" + "".join(f"{name:>12}" for name in (*done, "mean"))]
    rows: dict[str, dict[str, float]] = {}
    for way, shown in ROWS.items():
        values = {name: one.scores[way] for name, one in done.items()}
        rows[shown] = {**values, "mean": mean(values.values())}
        lines.append(f"{shown:34}" + "".join(number(value, 12, 1) for value in rows[shown].values()))
    cpu = sum(one.cpu for one in done.values())
    publish(options, [f"{cpu / 60:.0f} minutes of CPU", "", *lines])
    if not options.report:
        keep("regions", claims("regions", rows, done.values()), options.results.parent)


if __name__ == "__main__":
    main()
