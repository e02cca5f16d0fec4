"""[pipeline] of a recipe: the parts beside the parser, from raw text to lemmas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from panparser.recipes.tables import Part, choice, integer, number, said

_PARTS = ("tokenizer", "tagger", "lemmatizer", "parser")
_OWN = ("folds", "tagger_beam", "tagger_prune", "tokenizer_epochs", "tagger_epochs", "lemmatizer_epochs")


@dataclass(frozen=True, kw_only=True)
class PipelinePart(Part):
    """[pipeline]: which parts there are (all that the treebank tells of), and how those beside the parser learn.

    `tags`: UPOS, XPOS and FEATS jointly, or one by one. `folds`: the parser learns from tags and lemmas that are
    predicted in so many folds; 0: from those of the treebank. `tagger_prune`: weights below so many updates are left
    out of taggers.
    """

    parts: tuple[str, ...] | None = said(
        f"a list of {', '.join(_PARTS)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(part in _PARTS for part in value),
    )
    tags: str | None = choice("jointly", "one-by-one")
    folds: int | None = said("0, or an integer >= 2", lambda value: type(value) is int and value >= 0 and value != 1)
    tokenizer_epochs: int | None = integer(1)
    tagger_epochs: int | None = integer(1)
    tagger_beam: int | None = integer(1)
    tagger_prune: float | None = number(0)
    lemmatizer_epochs: int | None = integer(1)

    def options(self) -> dict[str, Any]:
        """Those of `PipelineSpec`, but for the parser."""
        found: dict[str, Any] = {name: getattr(self, name) for name in ("parts", *_OWN)}
        found["joint"] = None if self.tags is None else self.tags == "jointly"
        return {name: value for name, value in found.items() if value is not None}

    def resolved(self) -> PipelinePart:
        """With everything said that has a default of its own."""
        from panparser.pipeline.training import PARTS, PipelineSpec

        spec = PipelineSpec()
        values = {name: getattr(spec, name) for name in _OWN}
        return self.filled({"parts": PARTS, "tags": "jointly" if spec.joint else "one-by-one", **values})
