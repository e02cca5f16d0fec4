"""How accurate and fast taggers are: UPOS alone, and all columns jointly or one by one; what a dictionary saves.

    python benchmarks/tagging.py FOLDER...    # each FOLDER/{train,dev,test}.conllu

Default taggers (`TaggerSpec`, `train_tagger`, seed 1), gold tokens, test sets. CPU seconds are those of training, with
evaluation on the development set; words a second are of the test set, read already, one thread, the best of five. The
table goes to benchmarks/results/tagging.txt.
"""

from __future__ import annotations

import sys
from pathlib import Path

from machine import heading, timed

import panparser as pp

RESULTS = Path(__file__).parent / "results" / "tagging.txt"
NAMES = {"upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "all": "all"}


def has(treebank: pp.Treebank, column: str) -> bool:
    return len(treebank.vocabulary(column)) > 1 and bool((treebank.column(column) > 0).any())


def speed(tagger: pp.Tagger, treebank: pp.Treebank) -> float:
    """Thousand words a second."""
    _, seconds = timed(lambda: tagger.predict(treebank), 5)
    return treebank.words / seconds / 1000


def row(name: str, spec: pp.TaggerSpec, train: pp.Treebank, dev: pp.Treebank, test: pp.Treebank) -> str:
    tagger, seconds = timed(lambda: pp.train_tagger(spec, train, dev=dev))
    found = tagger.accuracy(test)
    figures = "".join(f"{found[column]:8.2f}" if column in found else f"{'':8}" for column in NAMES)
    size = tagger.model.size / 1e6
    return f"{name:44}{len(tagger.tags):6}{figures}{seconds:8.1f}{size:8.2f}{speed(tagger, test):10.0f}"


def main() -> None:
    titles = "".join(f"{name:>8}" for name in NAMES.values())
    lines = [heading(), "", f"{'':44}{'tags':>6}{titles}{'CPU s':>8}{'MB':>8}{'words/ms':>10}"]
    for folder in map(Path, sys.argv[1:]):
        train, dev, test = (pp.read_conllu(folder / f"{part}.conllu") for part in ("train", "dev", "test"))
        columns = tuple(column for column in ("upos", "xpos", "feats") if has(train, column))
        specs = {column: pp.TaggerSpec(columns=(column,)) for column in columns}
        specs["upos, no dictionary"] = pp.TaggerSpec(dictionary=None)
        specs["upos, beam 4"] = pp.TaggerSpec(beam=4)
        if len(columns) > 1:
            specs["+".join(columns)] = pp.TaggerSpec(columns=columns)
        for name, spec in specs.items():
            lines.append(row(f"{folder.name} {name}", spec, train, dev, test))
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
