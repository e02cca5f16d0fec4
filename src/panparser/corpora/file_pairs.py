"""Pairs of input and output files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from panparser.corpora.sources import BY_SUFFIX, PACKED
from panparser.errors import SpecError
from panparser.storage.locations import files_in, inside, is_folder, is_remote

WORK = ".panparser"  # the folder, in that of outputs, with records and parts
_ENDINGS = {"tree": ".tree", "plaintext": ".txt", "matxin": ".xml"}  # those of other formats are their names


@dataclass(frozen=True)
class Pair:
    """A file that is read, and the one that is written."""

    input: str
    output: str
    record: str | None = None  # the file that says what the output was made of; None: it is made in any case
    parts: str = ""  # the folder of its parts, as long as there are some


def single(input: str, output: str) -> Pair:
    """One file that becomes one file."""
    return Pair(input, output, None, f"{output}.parts")


def pairs(inputs: Sequence[str], folder: str, shown: str, *, any_ending: bool) -> tuple[list[Pair], list[str]]:
    """What becomes of files and of folders, which are mirrored below `folder`; and the files that are left out.

    In a folder that is read, those are files whose names do not say what they hold, unless `any_ending`. Raises
    SpecError where two files would become one, or an input be replaced.
    """
    found: dict[str, str] = {}  # the input of each output, by name
    left_out: list[str] = []
    for given in inputs:
        if is_folder(given):
            _check_apart(given, folder)
            for name in files_in(given):
                place = inside(given, name)
                if any_ending or suffixes(name)[0] in BY_SUFFIX:
                    _add(found, output_name(name, shown), place)
                else:
                    left_out.append(place)
        else:
            _add(found, output_name(_last(given), shown), given)
    made = [_pair(folder, name, input) for name, input in found.items()]
    _check_inputs(made)
    return made, left_out


def suffixes(name: str) -> tuple[str, str]:
    """What tells the format of a file, and how it is compressed; "" for none."""
    path = PurePosixPath(name)
    packed = path.suffix if path.suffix.lower() in PACKED else ""
    return PurePosixPath(name.removesuffix(packed)).suffix.lower(), packed


def output_name(name: str, shown: str) -> str:
    """The name of what is written: with the suffix of its format, and compressed as the input is."""
    suffix, packed = suffixes(name)
    bare = name.removesuffix(packed)
    bare = bare[: -len(suffix)] if suffix in BY_SUFFIX else bare
    return f"{bare}{_ENDINGS.get(shown, f'.{shown}')}{packed}"


def _add(found: dict[str, str], name: str, input: str) -> None:
    if (other := found.setdefault(name, input)) != input:
        raise SpecError(f"{other} and {input} would both be written to {name}: parse them into different folders")


def _pair(folder: str, name: str, input: str) -> Pair:
    work = inside(folder, WORK)
    return Pair(input, inside(folder, name), inside(work, f"{name}.json"), inside(work, f"{name}.parts"))


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] if is_remote(path) else os.path.basename(path)


def _check_apart(given: str, folder: str) -> None:
    above, below = _absolute(given), _absolute(folder)
    if below == above or below.startswith(f"{above.rstrip('/')}/"):
        raise SpecError(f"{folder}: is in {given}, which is read: choose a folder outside it")


def _check_inputs(made: Iterable[Pair]) -> None:
    read = {_absolute(pair.input) for pair in made}
    for pair in made:
        if _absolute(pair.output) in read:
            raise SpecError(f"{pair.output}: is an input file; choose another output folder")


def _absolute(path: str) -> str:
    return path.rstrip("/") if is_remote(path) else os.path.realpath(path).replace(os.sep, "/")
