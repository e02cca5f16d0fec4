"""The base class of models of several parsers."""

from __future__ import annotations

from typing import ClassVar

from panparser.errors import SpecError
from panparser.parsing.known_tags import Tags, merge_tags
from panparser.parsing.parse_options import ParseOptions, TreeParser
from panparser.parsing.parser import Parser
from panparser.storage.containers import Arrays
from panparser.storage.stored import prefixed


class MultiParserModel(TreeParser):
    """A model of several parsers. `place` is what stands before the arrays of a parser, by its number."""

    array_prefix: ClassVar[str]
    parsers: tuple[Parser, ...]

    @property
    def training_tags(self) -> Tags | None:
        """The UPOS that its parsers learned from; None if one does not know, or does not read them."""
        return merge_tags(parser.training_tags for parser in self.parsers)

    @property
    def weight_bytes(self) -> int:
        """The size of the weights in bytes."""
        return sum(parser.weight_bytes for parser in self.parsers)

    def check_options(self, options: ParseOptions) -> None:
        """Raise SpecError for options of a single parser."""
        if options.confidence:
            raise SpecError(f"confidence requires a single parser; got {self!r}")

    def to_arrays(self) -> Arrays:
        """All arrays of a model file."""
        arrays: Arrays = {}
        for number, parser in enumerate(self.parsers):
            arrays |= prefixed(self.array_prefix.format(number), parser.to_arrays())
        return arrays
