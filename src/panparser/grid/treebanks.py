"""Treebanks by folder: one with its training, development and test set, or a folder of such folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panparser.errors import SpecError
from panparser.recipes.tables import check_names
from panparser.storage.values import is_there, shown

_KEYS = ["folder", "only", "without"]


@dataclass(frozen=True)
class TreebankFolder:
    """The files of a treebank; `dev` is None if there is none."""

    name: str
    train: str
    dev: str | None
    test: str

    @classmethod
    def find(cls, folder: Path) -> TreebankFolder | None:
        """The treebank of a folder; None if it lacks what is learned from, or what is tested on."""
        train, dev, test = (_file(folder, part) for part in ("train", "dev", "test"))
        if train is None or test is None:
            return None
        return cls(folder.resolve().name, str(train), None if dev is None else str(dev), str(test))


def _file(folder: Path, part: str) -> Path | None:
    """train.conllu, or the only file with a name such as hu_szeged-ud-train.conllu; empty ones count as missing."""
    plain = folder / f"{part}.conllu"
    found = [plain] if plain.is_file() else sorted(folder.glob(f"*-{part}.conllu"))
    if len(found) > 1:
        raise SpecError(f"{folder}: expected one file {part}.conllu, found {', '.join(path.name for path in found)}")
    return found[0].resolve() if found and found[0].stat().st_size else None


def find_treebanks(values: Any, folder: Path, place: str) -> list[TreebankFolder]:
    """The treebanks that an axis names: a folder of them, a list of folders, or a table with folder, only, without."""
    if isinstance(values, list) and values and all(isinstance(each, str) for each in values):
        return [_one(folder / each, place) for each in values]
    table = {"folder": values} if isinstance(values, str) else values
    if not isinstance(table, dict) or not isinstance(table.get("folder"), str):
        expected = "a folder, a list of folders, or a table with folder, only and without"
        raise SpecError(f"{place}: expected {expected}, found {shown(values)}")
    check_names(table, _KEYS, place)
    whole = folder / table["folder"]
    if not is_there(whole, Path.is_dir):
        raise SpecError(f"{place}: expected a folder, found none at {whole}")
    if "only" in table:
        return [_one(whole / name, place) for name in _names(table, "only", whole, place)]
    left_out = _names(table, "without", whole, place)
    found = [
        TreebankFolder.find(each) for each in sorted(whole.iterdir()) if each.is_dir() and each.name not in left_out
    ]
    complete = [each for each in found if each is not None]
    if not complete:
        raise SpecError(f"{place}: expected folders with train.conllu and test.conllu in {whole}, found none")
    return complete


def _names(table: dict[str, Any], key: str, whole: Path, place: str) -> list[str]:
    names = table.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SpecError(f"{place} {key}: expected a list of names, found {shown(names)}")
    for name in names:
        if not is_there(whole / name, Path.is_dir):
            raise SpecError(f"{place} {key}: {whole} has no treebank {name}")
    return names


def _one(folder: Path, place: str) -> TreebankFolder:
    if not is_there(folder, Path.is_dir):
        raise SpecError(f"{place}: expected the folder of a treebank, found none at {folder}")
    found = TreebankFolder.find(folder)
    if found is None:
        raise SpecError(f"{place}: expected train.conllu and test.conllu in {folder}, found not both")
    return found
