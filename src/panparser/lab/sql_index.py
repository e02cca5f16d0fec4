"""SQL index of results, in DuckDB: rebuilt from the files of outcomes whenever they have changed.

Nobody keeps it open: it is written under another name, renamed, and opened only to be read.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from panparser.errors import PanParserError, SpecError
from panparser.lab.grid_file import SEED, TREEBANK
from panparser.lab.outcomes import RunOutcome
from panparser.lab.results import GridResults, grids, list_packed_files, read_outcomes
from panparser.recipes.scored_run import COUNTED

INDEX = "index.duckdb"
_TABLES = {
    "runs": {
        "key": "VARCHAR", "status": "VARCHAR", "error": "VARCHAR", "started": "VARCHAR", "seconds": "DOUBLE",
        "cpu_seconds": "DOUBLE", "panparser": "VARCHAR", "build": "VARCHAR", "recipe": "JSON", "data": "JSON",
        "machine": "JSON", "facts": "JSON",
    },
    "axes": {"grid": "VARCHAR", "key": "VARCHAR", "axis": "VARCHAR", "value": "VARCHAR"},
    "points": {
        "grid": "VARCHAR", "key": "VARCHAR", "treebank": "VARCHAR", "seed": "VARCHAR", "configuration": "VARCHAR",
    },
    "scores": {"key": "VARCHAR", "split": "VARCHAR", "metric": "VARCHAR", "value": "DOUBLE"},
    "sentences": {
        "key": "VARCHAR", "split": "VARCHAR", "metric": "VARCHAR", "correct": "INTEGER[]", "gold": "INTEGER[]",
        "predicted": "INTEGER[]",
    },
}  # fmt: skip
_VIEWS = """
CREATE VIEW means AS
SELECT grid, configuration, treebank, split, metric, count(*) AS runs, avg(value) AS mean, stddev_samp(value) AS stddev
FROM points JOIN scores USING (key) GROUP BY ALL;
CREATE VIEW best AS
SELECT grid, treebank, metric, configuration, dev.mean AS dev, test.mean AS test
FROM (SELECT * FROM means WHERE split = 'dev') dev
LEFT JOIN (SELECT * FROM means WHERE split = 'test') test USING (grid, treebank, metric, configuration)
QUALIFY row_number() OVER (PARTITION BY grid, treebank, metric ORDER BY dev.mean DESC, configuration) = 1;
"""


def query(folder: Path, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of columns, and rows, of what a query finds in the results of a folder."""
    if not sql.strip():
        raise SpecError("--sql: expected a query, found nothing")
    duckdb = _duckdb()
    path = _built(folder)
    with duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"}) as database:
        try:
            found = database.execute(sql)
            return [column[0] for column in found.description or ()], found.fetchall()
        except duckdb.Error as error:
            raise SpecError(f"--sql: {str(error).strip()}") from None


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise PanParserError("SQL needs DuckDB: pip install panparser[grid]") from None
    return duckdb


def _built(folder: Path) -> Path:
    """The index, made again if any file has changed."""
    path = folder / INDEX
    signature = json.dumps([_TABLES, _VIEWS, sorted(_states(folder))])
    if path.exists() and _signature(path) == signature:
        return path
    with tempfile.TemporaryDirectory(dir=folder, prefix=".index-") as temporary:
        made = Path(temporary) / INDEX
        _fill(made, folder, Path(temporary), signature)
        os.replace(made, path)
    return path


def _states(folder: Path) -> Iterator[tuple[str, int, int]]:
    for path in (*folder.glob("*.json"), *list_packed_files(folder), *(folder / "grids").glob("*.json")):
        status = path.stat()
        yield path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns


def _signature(path: Path) -> str | None:
    duckdb = _duckdb()
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            row = database.execute("SELECT signature FROM made_from").fetchone()
    except duckdb.Error:
        return None
    return str(row[0]) if row else None


def _fill(made: Path, folder: Path, temporary: Path, signature: str) -> None:
    """All rows in one batch for each table: one by one they would take 15 ms each."""
    outcomes = dict(read_outcomes(folder))
    rows = {
        "runs": map(_run, outcomes.values()),
        "axes": _axes(folder),
        "points": _points(folder),
        "scores": _scores(outcomes.values()),
        "sentences": _sentences(outcomes.values()),
    }
    with _duckdb().connect(str(made)) as database:
        for name, columns in _TABLES.items():
            lines = temporary / f"{name}.jsonl"
            with open(lines, "w", encoding="utf-8") as stream:
                count = sum(bool(stream.write(json.dumps(row) + "\n")) for row in rows[name])
            kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            database.execute(f"CREATE TABLE {name} ({kinds})")
            if count:
                read = "INSERT INTO {} SELECT * FROM read_json(?, format = 'newline_delimited', columns = {})"
                database.execute(read.format(name, columns), [str(lines)])
        database.execute("CREATE TABLE made_from AS SELECT ? AS signature", [signature])
        database.execute(_VIEWS)


def _run(outcome: RunOutcome) -> dict[str, Any]:
    values = outcome.values
    own = {name: values[name] for name in ("key", "status", "error", "started", "seconds", "cpu_seconds")}
    run = {"panparser": outcome.version, "build": outcome.build, "recipe": values["run"]["recipe"]}
    return own | run | {name: values[name] for name in ("data", "machine", "facts")}


def _placed(folder: Path) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Grid, key and labels of each run that has been run."""
    for results in [GridResults.read(folder, name) for name in grids(folder)] or [GridResults.read(folder)]:
        for row in results.rows:
            if row.outcome is not None:
                yield results.name, row.key, row.labels


def _axes(folder: Path) -> Iterator[dict[str, str]]:
    for grid, key, labels in _placed(folder):
        for axis, label in labels.items():
            yield {"grid": grid, "key": key, "axis": axis, "value": label}


def _points(folder: Path) -> Iterator[dict[str, str | None]]:
    """Yield the place of each run; `configuration` is all axes but treebanks and seeds."""
    for grid, key, labels in _placed(folder):
        configuration = ", ".join(label for axis, label in labels.items() if axis not in (TREEBANK, SEED))
        place = {"treebank": labels.get(TREEBANK), "seed": labels.get(SEED), "configuration": configuration}
        yield {"grid": grid, "key": key, **place}


def _scores(outcomes: Iterable[RunOutcome]) -> Iterator[dict[str, Any]]:
    for outcome in outcomes:
        for split, scores in outcome.values["scores"].items():
            for metric, value in scores.items():
                yield {"key": outcome.key, "split": split, "metric": metric, "value": value}


def _sentences(outcomes: Iterable[RunOutcome]) -> Iterator[dict[str, Any]]:
    for outcome in outcomes:
        for split in outcome.values["sentences"]:
            for metric in COUNTED:
                counts = outcome.counts(split, metric)
                if counts is not None:
                    columns = zip(("correct", "gold", "predicted"), counts.astype(int).T.tolist(), strict=True)
                    yield {"key": outcome.key, "split": split, "metric": metric, **dict(columns)}
