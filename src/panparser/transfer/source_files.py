"""Treebanks of other languages: files, licenses, and the columns that are used."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from panparser.errors import SpecError
from panparser.features.templates import Templates
from panparser.treebank.treebank import Format, Treebank

UNKNOWN = "unknown"
_SUFFIX = ".conllu"
_TRAINING = "train"  # a part of the name of a file
_PARTS = ("train", "dev", "test")
_FIELD = re.compile(r"^\s*licen[cs]e\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)  # in the README of a treebank
_ADDRESS = re.compile(r"creativecommons\.org/licenses/([a-z-]+)/(\d\.\d)", re.IGNORECASE)
_LONGEST = 80  # characters of a license that has no short name
MAX_LICENSE_BYTES = 1 << 16  # bytes of a file that may tell the license


@dataclass(frozen=True)
class SourceFile:
    """A treebank to learn from: its name, its file and its format, and its license, as far as files beside it tell."""

    name: str
    path: str
    license: str = UNKNOWN
    format: Format | Literal["auto"] = "auto"


def find_sources(paths: Iterable[str | os.PathLike[str]], exclude: Iterable[str | None] = ()) -> list[SourceFile]:
    """The treebanks of files and folders, in order, except some files.

    Of a folder, and of the folders in it, those are taken that have `train` in their names; if there are none, all
    files .conllu of the folder itself.
    """
    excluded = [Path(each).resolve() for each in exclude if each is not None]
    found: dict[Path, SourceFile] = {}
    for path in map(Path, paths):
        files = list(_files_in(path)) if path.is_dir() else [path]
        if not files:
            raise SpecError(f"{path}: expected a folder with treebanks ({_SUFFIX}), found none")
        for file in files:
            place = file.resolve()
            if place not in excluded:
                found.setdefault(place, SourceFile(source_name(file), str(file), find_license(file)))
    if not found:
        raise SpecError("expected treebanks of other languages to learn from, found none")
    return list(found.values())


def _files_in(folder: Path) -> Iterator[Path]:
    every = sorted(folder.rglob(f"*{_SUFFIX}"))
    training = [file for file in every if _TRAINING in re.split(r"[-_.]", file.name)]
    return iter(training or [file for file in every if file.parent == folder])


def source_name(file: Path) -> str:
    """The name of a treebank: that of its file, or of its folder if the file is called train, dev or test."""
    stem = file.name.partition(".")[0]
    plain = re.sub(rf"[-_.]?(?:ud[-_.])?(?:{'|'.join(_PARTS)})$", "", stem)
    return plain or file.resolve().parent.name or stem


def find_license(file: Path) -> str:
    """The license that the README or the LICENSE beside a treebank tells, in short if it is a usual one."""
    for pattern, fields in (("readme*", True), ("licen[cs]e*", False)):
        for path in sorted(_beside(file, pattern)):
            text = path.read_bytes()[:MAX_LICENSE_BYTES].decode("utf-8", errors="replace")
            if fields and (field := _FIELD.search(text)):
                return field[1][:_LONGEST]
            if not fields and (name := _short(text)):
                return name
    return UNKNOWN


def _beside(file: Path, pattern: str) -> Iterator[Path]:
    wanted = re.compile(pattern.replace("*", r"(?:[._-].*)?$"), re.IGNORECASE)
    folder = file.parent
    return (
        (path for path in folder.iterdir() if wanted.match(path.name) and path.is_file())
        if folder.is_dir()
        else iter(())
    )


def _short(text: str) -> str | None:
    """The name of a license, or the first line of its text."""
    if address := _ADDRESS.search(text):
        return f"CC {address[1].upper()} {address[2]}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:_LONGEST] if lines else None


BLANKED = ("form", "lemma", "xpos", "feats", "misc")
_OF_TARGETS = ("lemma", "xpos", "feats")  # columns that a sample may leave out


def blanked(treebank: Treebank) -> Treebank:
    """A copy in which no word has anything that belongs to its language: all but UPOS, heads and labels is `_`.

    Features of words, such as `S0.form=ate`, then only come from other treebanks that are learned from beside it.
    """
    found = treebank.copy()
    for name in BLANKED:
        found.column(name)[:] = found.id_of(name, "_")
    return found


def annotated_templates(templates: Templates, treebank: Treebank) -> Templates:
    """The templates, without those that read a column which the treebank leaves out."""
    missing = [name for name in _OF_TARGETS if not (treebank.column(name) != treebank.id_of(name, "_")).any()]
    return templates.without(*missing) if missing else templates
