"""Tags and lemmas that a parser predicts beside trees, from the words alone."""

from __future__ import annotations

from panparser.errors import SpecError
from panparser.learning.classifiers import has_method, tag_columns
from panparser.parsing.parser import Parser, check_parsed
from panparser.treebank.treebank import Treebank


def parser_columns(parser: object) -> tuple[str, ...]:
    """The columns that a parser predicts beside trees; most predict none."""
    return tag_columns(parser.classifier) if isinstance(parser, Parser) else ()


def annotate_tags(parser: Parser, treebank: Treebank, *, threads: int = 1) -> None:
    """Writes only the columns that a parser predicts beside trees, without parsing where that is possible."""
    check_parsed(treebank)
    if parser.classifier is None or not parser_columns(parser):
        raise SpecError(f"expected a parser that predicts tags; got {parser!r}")
    parser.checked_beam(treebank, None, threads)
    if has_method(parser.classifier, "tag"):
        from panparser.parsing.models.classifier import ClassifierModel  # it has been imported by this parser already

        found = ClassifierModel(parser.spec, parser.labels, parser.classifier, parser.vectors).tag(treebank, threads)
    else:
        _, _, tags = parser.found(treebank, threads=threads)
        assert tags is not None
        found = tags
    parser.classifier.write_tags(treebank, found)
