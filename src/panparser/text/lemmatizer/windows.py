"""Features of the lemmatizer's classifier."""

from __future__ import annotations

from functools import lru_cache

from panparser.features.sets import templates
from panparser.sequences.model import SequenceFeatures


@lru_cache
def lemmatizer_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("lemmatizer"), columns=("own", "hint", "other"))
