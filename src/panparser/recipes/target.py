"""The files that a run of a recipe writes, and which files it must not replace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from panparser.errors import ModelError, SpecError
from panparser.recipes.recipe import HEADER
from panparser.storage.files import check_writable


@dataclass(frozen=True)
class Target:
    """A model file, with its recipe and its checkpoints beside it; without a file, nothing is written.

    `source` is the file that the recipe was read from, if any. If the model's recipe has the same name, it stays as it
    is.
    """

    model: Path | None
    source: Path | None = None

    @property
    def is_file(self) -> bool:
        """Whether the model goes to an ordinary file, not to a pipe or a device."""
        return self.model is not None and (not self.model.exists() or self.model.is_file())

    @property
    def recipe(self) -> Path | None:
        """Where the recipe is written: MODEL.toml."""
        return self.model.with_name(f"{self.model.name}.toml") if self.model is not None and self.is_file else None

    @property
    def keeps_source(self) -> bool:
        """Whether the model's recipe is the file that was read."""
        if self.recipe is None or self.source is None:
            return False
        return self.recipe.exists() and self.recipe.resolve() == self.source.resolve()

    def checkpoint(self, name: str = "") -> Path | None:
        """MODEL.checkpoint, or MODEL.name.checkpoint."""
        if self.model is None or not self.is_file:
            return None
        return self.model.with_name(".".join(filter(None, (self.model.name, name, "checkpoint"))))

    def check(self, *inputs: str | None) -> None:
        """Raises an error if the model or its recipe cannot be written, or would replace one of the `inputs`."""
        if self.model is None:
            return
        check_writable(self.model, ModelError, *inputs, self.source)
        recipe = self.recipe
        if recipe is None or not recipe.exists() or self.keeps_source:
            return
        if not recipe.read_bytes().startswith(HEADER.encode()):
            raise SpecError(
                f"{recipe}: the recipe of the model would replace this file; choose another file for the model"
            )
