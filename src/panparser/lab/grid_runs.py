"""GridRun: one configuration of a grid: its recipe, its test data, and the key of both."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import panparser
from panparser.errors import PanParserError, SpecError
from panparser.recipes.cascade_recipe import CascadeRecipe
from panparser.recipes.recipe import Recipe, moved
from panparser.recipes.sections import describes_cascade
from panparser.work.keys import digest, file_digest, own_build, package_versions

AnyRecipe = Recipe | CascadeRecipe
_EFFORT_OF_LABELS, _EFFORT_OF_NETWORKS, _EFFORT_OF_PARSING = 1.5, 20.0, 0.3  # beside learning without them


@dataclass(frozen=True, kw_only=True)
class GridRun:
    """A recipe and what its model is scored on.

    `labels`: where it stands on each axis. `content`: the hash of recipe and data; `key` also has version, build and
    packages.
    `described`: what was hashed, in which hashes stand for files. `files`: the hash of each file.
    """

    labels: Mapping[str, str]
    values: Mapping[str, Any] = field(repr=False)  # of the recipe
    folder: str = field(repr=False, default="")  # that relative paths in it count from
    splits: Mapping[str, str]
    input: str = "tokens"
    content: str = ""
    key: str = ""
    identity: Mapping[str, Any] = field(repr=False, default_factory=dict)
    files: Mapping[str, str] = field(repr=False, default_factory=dict)

    @classmethod
    def create(
        cls,
        values: Mapping[str, Any],
        *,
        folder: str = "",
        test: str | None = None,
        input: str = "tokens",
        labels: Mapping[str, str] | None = None,
        place: str = "recipe",
    ) -> GridRun:
        """The run of a recipe in plain values, in which relative paths count from the folder."""
        recipe = read_values(values, folder, place)
        data = recipe.data if isinstance(recipe, Recipe) else recipe.base.data
        splits = {name: path for name, path in (("dev", data.dev), ("test", test)) if path is not None}
        if not splits:
            raise SpecError(f"{place}: expected a development or a test set to score models on, found neither")
        validation = recipe.cross_validation if isinstance(recipe, Recipe) else recipe.base.cross_validation
        if validation.output is not None:
            raise SpecError(
                f"{place}: [cross_validation] output: all runs of a grid would write this file; expected none"
            )
        try:
            described, files = _described(recipe, splits, input)
        except PanParserError as error:
            raise SpecError(str(error) if str(error).startswith(place) else f"{place}: {error}") from None
        content = digest(described)
        described |= {"panparser": panparser.__version__, "build": own_build(), **package_versions(described["recipe"])}
        return cls(
            labels=labels or {},
            values=recipe.to_values() if isinstance(recipe, Recipe) else values,
            folder=os.path.abspath(folder),
            splits=splits,
            input=input,
            content=content,
            key=digest(described),
            identity=described,
            files=files,
        )

    @property
    def name(self) -> str:
        """Where it stands, in words."""
        return ", ".join(f"{name} {label}" for name, label in self.labels.items()) or self.key[:12]

    def effort(self) -> float:
        """About how long it takes, in no unit: words, epochs and beam count."""
        parser, training = self.values.get("parser", {}), self.values.get("training", {})
        data = self.values.get("data", {})
        learned, dev = (_size(*files) for files in (data.get("train", ()), [data.get("dev", "")]))
        width, epochs = parser.get("beam", 8) + 1, training.get("epochs", 12)
        labeled = 1.0 if parser.get("labeled") is False else _EFFORT_OF_LABELS
        network = _EFFORT_OF_NETWORKS if "network" in self.values else 1.0
        seeds = len(training.get("seeds", ())) or 1
        return (1 + learned * labeled + dev * _EFFORT_OF_PARSING) * network * float(epochs * width * seeds)

    def task(self, results: Path, models: Path | None = None) -> dict[str, Any]:
        """All that a worker needs, in plain values."""
        return {
            "key": self.key,
            "content": self.content,
            "name": self.name,
            "values": self.values,
            "folder": self.folder,
            "splits": dict(self.splits),
            "input": self.input,
            "described": self.identity,
            "files": self.files,
            "results": str(results.resolve()),
            "models": None if models is None else str(models.resolve()),
        }


def read_values(values: Mapping[str, Any], folder: str, place: str) -> AnyRecipe:
    """The recipe of plain values, complete if it is that of a parser or a pipeline, with absolute paths."""

    def absolute_path(file: str) -> str:
        return os.path.abspath(moved(file, lambda own: os.path.join(folder, own))) if file != "-" else file

    if describes_cascade(values):
        return CascadeRecipe.from_values(values, place).with_paths(absolute_path)
    recipe = Recipe.from_values(values, place).with_paths(absolute_path)
    try:
        return recipe.resolved()
    except PanParserError as error:
        raise SpecError(f"{place}: {error}") from None


def _described(recipe: AnyRecipe, splits: Mapping[str, str], input: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What decides what comes out, with hashes in place of files, and the hash of each file."""
    files: dict[str, str] = {}

    def hashed(path: str) -> str:
        files[path] = input_digest(path)
        return f"sha256:{files[path]}"

    if isinstance(recipe, Recipe):
        values = recipe.with_paths(hashed).to_values("stored")
    else:
        values = recipe.with_paths(hashed).to_values("stored")
        own = ("parser", "training", "network")  # in the recipes of stages, with all that they leave out
        values["stages"] = [{key: each[key] for key in each if key not in own} for each in values["stages"]]
        values["recipes"] = [each.resolved().with_paths(hashed).to_values("stored") for each in recipe.recipes]
    scored = {name: hashed(path) for name, path in splits.items()}
    return {"recipe": values, "splits": scored, "input": input}, files


def input_digest(path: str) -> str:
    """Return the hash of a file's bytes. Raise SpecError for what is not a file, or cannot be read."""
    if path == "-":
        raise SpecError("a grid cannot read standard input; expected files")
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a device may have no end
            raise SpecError(f"{path}: expected a file, found something else")
        return file_digest(path)
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}") from None


def _size(*files: str) -> float:
    """Bytes of those that are there."""
    return float(sum(os.path.getsize(path) for path in files if os.path.isfile(path)))
