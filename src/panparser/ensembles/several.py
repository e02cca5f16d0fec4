"""What models of several parsers share: tags, sizes, copies that are parsed, arrays of a file."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Unpack

from panparser.parsing.options import SearchOptions
from panparser.parsing.parser import Parser, check_parsed
from panparser.parsing.tags import Tags, check_tags, joined
from panparser.storage.arrays import Arrays
from panparser.storage.models import StoredModel, prefixed
from panparser.treebank.treebank import Treebank


class SeveralParsers(StoredModel):
    """A model of several parsers. `place` is what stands before the arrays of a parser, by its number."""

    place: ClassVar[str]
    parsers: tuple[Parser, ...]

    @property
    def tags(self) -> Tags | None:
        """The UPOS that its parsers learned from; None if one does not know, or does not read them."""
        return joined(parser.tags for parser in self.parsers)

    @tags.setter
    def tags(self, tags: Tags | None) -> None:
        for parser in self.parsers:
            parser.tags = tags

    @property
    def size(self) -> int:
        """Size of the weights, in bytes."""
        return sum(parser.size for parser in self.parsers)

    def parse(self, treebank: Treebank, **options: Unpack[SearchOptions]) -> Treebank:
        """A copy of the treebank with heads and labels; options as in `Parser.predict`."""
        check_parsed(treebank)
        if self.tags is not None:
            check_tags(treebank, self.tags)
        parsed = treebank.copy()
        self.annotate(parsed, **options)
        return parsed

    @abstractmethod
    def annotate(self, treebank: Treebank, **options: Unpack[SearchOptions]) -> None:
        """Writes heads and labels into a treebank; options as in `Parser.predict`."""

    def to_arrays(self) -> Arrays:
        """All arrays of a model file."""
        arrays: Arrays = {}
        for number, parser in enumerate(self.parsers):
            arrays |= prefixed(self.place.format(number), parser.to_arrays())
        return arrays
