"""The bundled English models on a test set, from raw text and from gold tokens: scores and speed.

    python benchmarks/bundled.py FOLDER/en_ewt    # UD 2.16; results go to benchmarks/results/bundled

Speed is from raw text to CoNLL-U in memory, without loading, in words a CPU second on one thread, the best of three.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: speed is that of one thread

from measured import keep, measured
from pipeline import Row, pipeline_rows

import panparser as pp

MODELS = ("en", "en-neural")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    gold = pp.read_conllu(folder / "test.conllu", lenient=True)
    text = pp.extract_raw_text(gold).text
    rows = [
        row
        for name in MODELS
        for row in pipeline_rows(pp.load(name), Row(name, "raw text", folder.resolve().name, ()), gold, text)
    ]
    first = {row.source: row.speed for row in rows if row.system == MODELS[0]}
    found = []
    for row in rows:
        other = first[row.source]
        slower = other / row.speed if other and row.speed else None
        labels = {"treebank": row.treebank, "from": row.source, "model": row.system}
        found.append(measured("bundled", labels, {**row.figures, "times slower than en": slower}))
    keep("bundled", found)
    print(
        pp.lab.ResultTableLayout(rows=("from", "model"), metric="UPOS,UAS,LAS")
        .table(pp.lab.GridResults.from_outcomes("bundled", found))
        .to_markdown()
    )


if __name__ == "__main__":
    main()
