"""Keyword options of parsers, for what hands them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from panparser.parsing.constraints.constraints import Constraints

if TYPE_CHECKING:
    from panparser.parsing.parser import Parser


class SearchOptions(TypedDict, total=False):
    """Of `Parser.predict`."""

    beam: int | None
    threads: int
    constraints: Constraints | None
    relax: bool


class ParseOptions(SearchOptions, total=False):
    """Of `Parser.annotate`."""

    confidence: bool
    ensemble: Sequence[Parser]
