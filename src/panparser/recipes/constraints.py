"""[constraints] of a recipe: what a parser is given while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from panparser._checks import is_number
from panparser.errors import SpecError
from panparser.recipes.tables import Part, boolean, is_lines, text, that
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated

if TYPE_CHECKING:
    from panparser.parsing.constraints.constraints import Constraints


@dataclass(frozen=True, kw_only=True)
class ConstraintsPart(Part):
    """[constraints]: a `share` of the gold heads, or those of other files.

    `train` and `dev`: the same sentences as in [data], with the heads that are given (and the labels, with
    `labels = true`), such as a partial parser wrote them; `_` is not given.
    """

    share: float | None = that(
        "a number above 0 and at most 1",
        lambda value: is_number(value) and 0 < value <= 1,
    )
    train: tuple[str, ...] | None = that("a list of files", is_lines)
    dev: str | None = text("a file")
    labels: bool | None = boolean()

    def options(self, treebank: Treebank, dev: Treebank | None, format: Any) -> dict[str, Any]:
        """The options of `train`."""
        if self.share is not None:
            if self.train or self.dev or self.labels is not None:
                raise SpecError("a share is of the gold heads: expected no files beside it, and no labels")
            return {"constraints": self.share}
        if self.train is None:
            if self.dev or self.labels is not None:
                raise SpecError("expected a share, or files under train")
            return {}
        found = {"constraints": self._read(self.train, treebank, format)}
        if dev is not None:
            if self.dev is None:
                raise SpecError("dev: expected a file with what is given of the development set, found none")
            found["dev_constraints"] = self._read((self.dev,), dev, format)
        return found

    def _read(self, files: Sequence[str], treebank: Treebank, format: Any) -> Constraints:
        from panparser.parsing.constraints.constraints import Constraints

        given = concatenated([read_conllu(file, format=format) for file in files])
        if given.offsets.tolist() != treebank.offsets.tolist():
            raise SpecError(f"{', '.join(files)}: expected the sentences of {treebank.path}, found others")
        return Constraints.of(given, keep={"heads", "labels"} if self.labels else {"heads"})
