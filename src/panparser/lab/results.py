"""GridResults: the outcomes of a grid's runs by the values of its axes, read from a folder of small files.

KEY.json is what came of a run; *.jsonl, a line for each run, holds many of them, and may be compressed: *.jsonl.xz;
grids/NAME.json says which runs a grid has, and where they stand.
"""

from __future__ import annotations

import json
import lzma
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panparser.base.kinds import COUNT, NAME, TEXT, ListOf, Table, TableOf, check, read_values
from panparser.errors import ModelError, ResultWarning, SpecError
from panparser.lab.grid_file import SEED, TREEBANK, Grid, label_of
from panparser.lab.outcomes import RunOutcome
from panparser.storage.atomic import only_one, remove, write_whole

FORMAT = 1
PACKED = "runs.jsonl"
_COMPRESSED = ".xz"
_KEY = re.compile(r"[0-9a-f]{64}")
ErrorHandler = Callable[[ModelError], None]
_MANIFEST = Table(
    {
        "format": COUNT,
        "name": NAME,
        "axes": TableOf(ListOf(TEXT)),
        "runs": ListOf(Table({"key": TEXT, "labels": TableOf(TEXT)})),
    }
)


@dataclass(frozen=True)
class GridResult:
    """A run of a grid: where it stands on each axis, and what came of it; None if it has not been run."""

    labels: Mapping[str, str]
    key: str
    outcome: RunOutcome | None


@dataclass(frozen=True)
class GridResults:
    """The runs of a grid and what came of them. `axes`: the names on each axis, in order."""

    name: str
    axes: Mapping[str, tuple[str, ...]]
    rows: tuple[GridResult, ...] = field(repr=False)
    folder: Path = field(default=Path())

    @classmethod
    def from_grid(cls, grid: Grid, outcomes: Mapping[str, RunOutcome]) -> GridResults:
        """Those of a grid, from outcomes by key of the run."""
        rows = tuple(GridResult(run.labels, run.key, outcomes.get(run.key)) for run in grid.runs)
        axes = {axis.name: tuple(each.label for each in axis.values) for axis in grid.axes}
        return cls(grid.name, axes, rows, grid.results)

    @classmethod
    def read(cls, folder: str | Path, grid: str | None = None) -> GridResults:
        """Those of a folder: of the grid of this name, or of the only one.

        Without any, all runs of the folder, with an axis for each key of their recipes that is not always the same.
        """
        folder = Path(folder)
        if not folder.is_dir():
            raise SpecError(f"{folder}: expected a folder of results, found none")
        names = grids(folder)
        if grid is None and len(names) > 1:
            raise SpecError(f"{folder}: has the results of several grids; choose one (--grid NAME): {', '.join(names)}")
        if grid is not None and grid not in names:
            raise SpecError(f"{folder}: expected one of {', '.join(names) or 'no grids'}, found {grid!r}")
        outcomes = dict(read_outcomes(folder))
        if not names:
            return _without_grid(folder, list(outcomes.values()))
        manifest = _read_manifest(folder / "grids" / f"{grid or names[0]}.json")
        rows = tuple(GridResult(row["labels"], row["key"], outcomes.get(row["key"])) for row in manifest["runs"])
        axes = {name: tuple(labels) for name, labels in manifest["axes"].items()}
        return cls(manifest["name"], axes, rows, folder)

    @classmethod
    def from_outcomes(cls, name: str, outcomes: Sequence[tuple[Mapping[str, str], RunOutcome]]) -> GridResults:
        """Those of outcomes that no grid had, each with its names on the axes, which all must have."""
        axes = {axis: tuple(dict.fromkeys(labels[axis] for labels, _ in outcomes)) for axis in outcomes[0][0]}
        rows = tuple(GridResult(dict(labels), outcome.key, outcome) for labels, outcome in outcomes)
        return cls(name, axes, rows)

    def merge(self, other: GridResults) -> GridResults:
        """These and others, such as those of other parsers; `-` is the name on an axis that one of them lacks."""
        names = list(dict.fromkeys((*self.axes, *other.axes)))
        rows = tuple(
            GridResult({axis: row.labels.get(axis, "-") for axis in names}, row.key, row.outcome)
            for row in (*self.rows, *other.rows)
        )
        axes = {
            axis: tuple(dict.fromkeys((*self.axes.get(axis, ("-",)), *other.axes.get(axis, ("-",))))) for axis in names
        }
        return GridResults(self.name, axes, rows, self.folder)

    def write(self, folder: str | Path) -> None:
        """Writes what came of each run, and which runs there are, as a grid does."""
        folder = Path(folder)
        _make_grids(folder)
        for row in self.rows:
            if row.outcome is not None:
                row.outcome.write(folder)
        _write_manifest(folder, self.name, self.axes, [(row.key, row.labels) for row in self.rows])

    @property
    def finished_runs(self) -> tuple[GridResult, ...]:
        """Those that ended well."""
        return tuple(row for row in self.rows if row.outcome is not None and row.outcome.is_finished)

    @property
    def failed_runs(self) -> tuple[GridResult, ...]:
        return tuple(row for row in self.rows if row.outcome is not None and not row.outcome.is_finished)

    @property
    def missing_runs(self) -> tuple[GridResult, ...]:
        """Those that have not been run."""
        return tuple(row for row in self.rows if row.outcome is None)

    def where(self, /, **labels: str | Sequence[str]) -> GridResults:
        """Those with these names on these axes, one or several."""
        allowed: dict[str, tuple[str, ...]] = {}
        for axis, wanted in labels.items():
            if axis not in self.axes:
                raise SpecError(f"{self.name}: has no axis {axis}; there are {', '.join(self.axes) or 'none'}")
            allowed[axis] = (wanted,) if isinstance(wanted, str) else tuple(wanted)
            for label in allowed[axis]:
                if label not in self.axes[axis]:
                    raise SpecError(f"{axis}: expected one of {', '.join(self.axes[axis])}, found {label}")
        axes = {axis: tuple(n for n in names if n in allowed.get(axis, names)) for axis, names in self.axes.items()}
        rows = tuple(row for row in self.rows if all(row.labels[axis] in names for axis, names in allowed.items()))
        return GridResults(self.name, axes, rows, self.folder)

    def signature(self) -> str:
        """What a reader must know to find these runs again: grid, versions, builds, numbers, and a hash of all keys."""
        from panparser.work.keys import digest

        builds = sorted(
            {(row.outcome.version, row.outcome.build) for row in self.finished_runs if row.outcome is not None}
        )
        made = "; ".join(f"panparser {version}, build {build}" for version, build in builds) or "nothing finished"
        counts = [f"{len(self.finished_runs)} of {len(self.rows)} runs"]
        counts += [f"{len(self.failed_runs)} failed"] if self.failed_runs else []
        return f"{self.name}: {', '.join(counts)}; {made}; {digest(sorted(row.key for row in self.finished_runs))[:12]}"


# --- Files ---


def read_outcomes(folder: Path, on_error: ErrorHandler | None = None) -> Iterator[tuple[str, RunOutcome]]:
    """All outcomes of a folder, by key; files of one run come last, and go before packed ones.

    Raises ModelError at the first file or line that is damaged; or calls `report` with each of these errors.
    """
    single: dict[str, RunOutcome] = {}  # read first: `pack` makes lines of them, and then removes them
    for path in _single(folder):
        with _handle_errors(on_error):
            try:
                outcome = RunOutcome.read(path)
            except ModelError:
                if path.exists():
                    raise
                continue  # it has become a line meanwhile
            if path.stem != outcome.key:
                raise ModelError(f"{path}: expected the outcome of run {path.stem}, found that of {outcome.key}")
            single[outcome.key] = outcome
    for path in list_packed_files(folder):
        for place, line in _lines(path):
            with _handle_errors(on_error):
                outcome = _parsed(line, place)
                yield outcome.key, outcome
    yield from single.items()


def _single(folder: Path) -> list[Path]:
    """The files of one run; what else is in the folder is no concern of ours."""
    return sorted(path for path in folder.glob("*.json") if _KEY.fullmatch(path.stem))


def list_packed_files(folder: Path) -> list[Path]:
    """Return the files of many runs."""
    return sorted((*folder.glob("*.jsonl"), *folder.glob(f"*.jsonl{_COMPRESSED}")))


def packed_file(folder: Path) -> Path:
    """Return the file that `pack` writes: the compressed one if it is there."""
    compressed = folder / f"{PACKED}{_COMPRESSED}"
    return compressed if compressed.exists() else folder / PACKED


def _write_lines(path: Path, lines: bytes) -> None:
    """Write a file of many runs, compressed if its name says so."""
    write_whole(path, lzma.compress(lines, preset=9) if path.suffix == _COMPRESSED else lines, SpecError)


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not blank, each with its place."""
    try:
        data = path.read_bytes()
        data = lzma.decompress(data) if path.suffix == _COMPRESSED else data
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}") from None
    except lzma.LZMAError:
        raise ModelError(f"{path}: damaged: it cannot be decompressed") from None
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        if line.strip():
            yield f"{path}:{number}", line


def _parsed(line: bytes, place: str) -> RunOutcome:
    try:
        return RunOutcome.parse(line.decode(), place)
    except UnicodeDecodeError as error:
        raise ModelError(f"{place}: expected UTF-8, found the byte 0x{line[error.start]:02x}") from None


@contextmanager
def _handle_errors(on_error: ErrorHandler | None) -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        if on_error is None:
            raise
        on_error(error)


def finished_outcomes(folder: Path, *, by_content: bool = False) -> dict[str, RunOutcome]:
    """The outcomes of a folder by key, or by content, whatever the build. Warns of damaged ones: they are not there."""

    def warn(error: ModelError) -> None:
        warnings.warn(f"{error}; it counts as not there", ResultWarning, stacklevel=2)

    found: dict[str, RunOutcome] = {}
    for key, outcome in read_outcomes(folder, warn):
        place = str(outcome.values["content"]) if by_content else key
        if place not in found or outcome.is_finished:
            found[place] = outcome
    return found


def delete_outcomes(folder: Path, keys: Set[str]) -> None:
    """Removes what came of these runs, from files of one run and of many; all else stays as it is."""
    for key in keys:
        remove(folder / f"{key}.json")
    with only_one(folder):
        for path in list_packed_files(folder):
            lines = list(_lines(path))
            kept = [line for place, line in lines if _key(line, place) not in keys]
            if len(kept) < len(lines):
                _write_lines(path, b"".join(kept))


def _key(line: bytes, place: str) -> str | None:
    """That of an outcome; None if it is damaged."""
    try:
        return _parsed(line, place).key
    except ModelError:
        return None


def pack(folder: Path) -> int:
    """Puts all outcomes of a folder into one file, sorted by key, and removes those of one run; how many there are.

    The file is compressed if it is there already and is compressed.
    Grids may go on meanwhile: what they write after this has read it stays as it is.
    """
    with only_one(folder):
        before = {path: _state(path) for path in _single(folder)}
        outcomes = dict(read_outcomes(folder))
        text = "".join(f"{outcomes[key].to_json_line()}\n" for key in sorted(outcomes))
        _write_lines(packed_file(folder), text.encode())
        for path, state in before.items():
            if path.stem in outcomes and _state(path) == state:
                remove(path)
    return len(outcomes)


def _state(path: Path) -> tuple[int, int, int] | None:
    """Tells whether a file was replaced; None if it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def grids(folder: Path) -> list[str]:
    """The names of the grids whose results are in a folder."""
    return sorted(path.stem for path in (folder / "grids").glob("*.json"))


def write_manifest(grid: Grid, keys: Mapping[str, str]) -> None:
    """Writes which runs a grid has; `keys` are of runs for which others stand, of another build."""
    axes = {axis.name: [each.label for each in axis.values] for axis in grid.axes}
    _make_grids(grid.results)
    _write_manifest(grid.results, grid.name, axes, [(keys.get(run.key, run.key), run.labels) for run in grid.runs])


def _make_grids(folder: Path) -> None:
    try:
        (folder / "grids").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpecError(f"{folder / 'grids'}: cannot be made: {error.strerror}") from None


def _write_manifest(
    folder: Path, name: str, axes: Mapping[str, Sequence[str]], runs: Sequence[tuple[str, Mapping[str, str]]]
) -> None:
    check(name, NAME, "name of the grid", SpecError)
    values = {
        "format": FORMAT,
        "name": name,
        "axes": {axis: list(labels) for axis, labels in axes.items()},
        "runs": [{"key": key, "labels": dict(labels)} for key, labels in runs],
    }
    text = json.dumps(values, ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / "grids" / f"{name}.json", text.encode(), SpecError)


def _read_manifest(path: Path) -> dict[str, Any]:
    values = read_values(path, "JSON", ModelError)
    check(values, _MANIFEST, str(path))
    if values["format"] > FORMAT:
        raise ModelError(f"{path}: written by a newer panparser (format {values['format']})")
    for row in values["runs"]:
        if row["labels"].keys() != values["axes"].keys():
            raise ModelError(f"{path}: expected a name on each axis, found {', '.join(row['labels']) or 'none'}")
    found: dict[str, Any] = values
    return found


# --- Runs of no grid ---


def _without_grid(folder: Path, outcomes: Sequence[RunOutcome]) -> GridResults:
    """Axes are the keys of recipes that differ."""
    flat = [_flat(outcome) for outcome in outcomes]
    names = list(dict.fromkeys(name for row in flat for name in row))
    varied = [name for name in names if len({row.get(name, "-") for row in flat}) > 1]
    axes = {name: tuple(dict.fromkeys(row.get(name, "-") for row in flat)) for name in varied}
    rows = [
        GridResult({name: row.get(name, "-") for name in varied}, outcome.key, outcome)
        for row, outcome in zip(flat, outcomes, strict=True)
    ]
    return GridResults(folder.resolve().name or "results", axes, tuple(rows), folder)


def _flat(outcome: RunOutcome) -> dict[str, str]:
    """The recipe of a run as names and texts."""
    recipe = outcome.values["run"]["recipe"]
    names = {f"sha256:{known}": name for known, name in outcome.values["data"].items()}
    found = {}
    for table, values in recipe.items():
        if table == "data":
            train = [names.get(each, each) for each in values.get("train", ())]
            found[TREEBANK] = " + ".join(name.rpartition("/")[0] or name for name in train)
        elif isinstance(values, Mapping):
            found |= {(key if key == SEED else f"{table}.{key}"): label_of(value) for key, value in values.items()}
    return found
