"""Features of the tokenizer's classifiers."""

from __future__ import annotations

from functools import lru_cache

from panparser.features.sets import templates
from panparser.sequences.model import SequenceFeatures
from panparser.text.tokenizer.boundaries import NAMES

ENDS, STARTS = range(2, 9), range(2, 5)  # lengths of a token's suffixes and prefixes
SPLITTER_COLUMNS = (
    *("form", "capital", "last", "length", *(f"e{n}" for n in ENDS), *(f"b{n}" for n in STARTS)),
    *(f"{word}{part}" for word in ("p2", "p1", "n1", "n2") for part in ("", "s2", "s3", "k")),
)


@lru_cache
def tokenizer_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("tokenizer"), columns=NAMES)


@lru_cache
def splitter_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("splitter"), columns=SPLITTER_COLUMNS)
