"""Tags and lemmas that a parser predicts beside trees, from the words alone."""

from __future__ import annotations

from panparser.errors import SpecError
from panparser.learning.classifiers import has_method, tag_columns
from panparser.parsing.parser import Parser, check_parsed
from panparser.treebank.treebank import Treebank


def annotate_tags(parser: Parser, treebank: Treebank, *, threads: int = 1) -> None:
    """Writes only the columns that a parser predicts beside trees, without parsing where that is possible."""
    check_parsed(treebank)
    if parser.classifier is None or not tag_columns(parser.classifier):
        raise SpecError(f"expected a parser that predicts tags; got {parser!r}")
    parser.checked_beam(treebank, None, threads)
    if has_method(parser.classifier, "tag"):
        found = parser.classifier.tag(treebank, parser.vectors, threads)
    else:
        _, _, tags = parser.found(treebank, threads=threads)
        assert tags is not None
        found = tags
    parser.classifier.write_tags(treebank, found)
