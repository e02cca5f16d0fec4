"""Keyword options of parsers, for functions that pass them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from panparser.learning.listeners import SearchListener
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.models.protocol import ParserLike


class SearchOptions(TypedDict, total=False):
    """Options of `Parser.predict`."""

    beam: int | None
    threads: int
    constraints: Constraints | None
    relax: bool
    listeners: Sequence[SearchListener]


class ParseOptions(SearchOptions, total=False):
    """Options of `Parser.annotate`."""

    confidence: bool
    ensemble: Sequence[ParserLike]
