"""[pipeline] of a recipe: the parts beside the parser, from raw text to lemmas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from panparser._checks import MAX_BEAM, MAX_EPOCHS, is_whole
from panparser.networks.network import NetworkSpec
from panparser.recipes.tables import Part, integer, is_lines, number, one_of, that, within

_PARTS = ("tokenizer", "tagger", "lemmatizer", "parser")
_COLUMNS = ("upos", "xpos", "feats")
_OWN = ("folds", "tagger_beam", "tagger_prune", "tokenizer_epochs", "tagger_epochs", "lemmatizer_epochs")


@dataclass(frozen=True, kw_only=True)
class PipelinePart(Part):
    """[pipeline]: the parts (by default all that the treebank annotates), and how those beside the parser learn.

    `tags`: UPOS, XPOS and FEATS jointly, or one by one, by taggers; or by the parser's network, and lemmas with them
    (the default if it names some); `columns`: only these of them. `lexicon`: files of words and their tags, for the
    tagger of UPOS. `folds`: the parser learns from tags and lemmas predicted in this many folds; 0: from those of the
    treebank. `tagger_prune`: drops weights of taggers that are smaller than this many updates.
    """

    parts: tuple[str, ...] | None = that(
        f"a list of {', '.join(_PARTS)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(part in _PARTS for part in value),
    )
    tags: str | None = one_of("by-parser", "jointly", "one-by-one")
    columns: tuple[str, ...] | None = that(
        f"a list of {', '.join(_COLUMNS)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(name in _COLUMNS for name in value),
    )
    lexicon: tuple[str, ...] | None = that("a list of files", is_lines)
    folds: int | None = that("0, or an integer >= 2", lambda value: is_whole(value) and value >= 0 and value != 1)
    tokenizer_epochs: int | None = integer(1, MAX_EPOCHS)
    tagger_epochs: int | None = integer(1, MAX_EPOCHS)
    tagger_beam: int | None = integer(1, MAX_BEAM)
    tagger_prune: float | None = number(0)
    lemmatizer_epochs: int | None = integer(1, MAX_EPOCHS)

    def options(self) -> dict[str, Any]:
        """The options of `PipelineSpec`, except the parser."""
        found: dict[str, Any] = {name: getattr(self, name) for name in ("parts", "columns", *_OWN)}
        if self.tags is not None:
            found |= {"by_parser": self.tags == "by-parser", "joint": self.tags != "one-by-one"}
        return {name: value for name, value in found.items() if value is not None}

    def resolved(self, network: NetworkSpec | None) -> PipelinePart:
        """The table with all defaults filled in, for a parser of this network, if any."""
        from panparser.pipeline.training import PipelineSpec

        spec = within("[pipeline]", lambda: PipelineSpec(**self.options()).completed(network))
        tags = "by-parser" if spec.by_parser else "jointly" if spec.joint else "one-by-one"
        return self.filled({"parts": spec.parts, "tags": tags, **{name: getattr(spec, name) for name in _OWN}})
