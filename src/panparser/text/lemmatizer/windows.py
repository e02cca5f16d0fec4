"""Features of the lemmatizer's classifier."""

from __future__ import annotations

from functools import lru_cache

from panparser.features.sets import template_set
from panparser.sequences.model import Window


@lru_cache
def lemmatizer_window() -> Window:
    return Window(templates=template_set("lemmatizer"), columns=("own", "hint", "other"))
