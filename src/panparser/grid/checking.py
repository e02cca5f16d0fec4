"""Tables of results in documents: written, and compared figure by figure with the runs that they stand for.

<!-- results FOLDER OPTIONS -->     FOLDER counts from the document; options as on the command line: --metric UAS
| ... |
<!-- end -->
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from panparser.errors import PanParserError, SpecError
from panparser.grid.results import Results
from panparser.grid.table import Cell, ResultTable
from panparser.grid.tables import ResultLayout

MARKED = re.compile(r"(?P<open><!-- results (?P<options>[^\n]+?) -->\n)(?P<body>.*?)(?P<close><!-- end -->)", re.DOTALL)
_CODE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_OTHER = re.compile(r"<!-- table ([\w-]+) -->")
_OPTIONS = ("--grid", "--split", "--metric", "--rows", "--columns", "--where", "--against", "--digits")
_SWITCHES = ("--no-deviations",)


@dataclass(frozen=True)
class Mismatch:
    """A figure of a document that is not that of the results."""

    path: str
    line: int
    what: str
    found: str
    expected: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(key[:12] for key in self.keys[:3]) + (", ..." if len(self.keys) > 3 else "")
        runs = f" (runs {shown})" if self.keys else ""
        expected, found = (text or "nothing" for text in (self.expected, self.found))
        return f"{self.path}:{self.line}: {self.what}: expected {expected}{runs}, found {found}"


@dataclass(frozen=True)
class Checked:
    """What came of a check: figures that were compared, those that differ, and tables that are not of results."""

    figures: int
    mismatches: tuple[Mismatch, ...]
    others: tuple[str, ...]


def layout_of(options: str, place: str) -> tuple[str, str | None, ResultLayout]:
    """Folder, grid and layout of a marker."""
    words = shlex.split(options)
    given: dict[str, str] = {}
    switches: set[str] = set()
    folders = []
    while words:
        word = words.pop(0)
        if word in _SWITCHES:
            switches.add(word)
        elif word in _OPTIONS and words:
            given[word[2:]] = words.pop(0)
        elif word.startswith("--"):
            raise SpecError(f"{place}: expected one of {', '.join((*_OPTIONS, *_SWITCHES))}, found {word}")
        else:
            folders.append(word)
    if len(folders) != 1:
        raise SpecError(f"{place}: expected a folder of results, found {' '.join(folders) or 'none'}")
    return folders[0], given.pop("grid", None), read_layout(given, deviations="--no-deviations" not in switches)


def read_layout(given: Mapping[str, str], *, deviations: bool = True) -> ResultLayout:
    """A layout from texts, as options have them."""
    layout: dict[str, object] = {
        name: given[name] for name in ("split", "metric", "columns", "against") if name in given
    }
    if "rows" in given:
        layout["rows"] = tuple(part.strip() for part in given["rows"].split(",") if part.strip())
    if "digits" in given:
        if not given["digits"].isdigit() or int(given["digits"]) > 9:
            raise SpecError(f"--digits: expected a number from 0 to 9, found {given['digits']}")
        layout["digits"] = int(given["digits"])
    labels: dict[str, list[str]] = {}
    for part in given.get("where", "").split(",") if given.get("where") else ():
        axis, equals, label = part.partition("=")
        if not equals or not label:
            raise SpecError(f"--where: expected axis=name, with commas between several, found {part!r}")
        labels.setdefault(axis.strip(), []).append(label.strip())
    return ResultLayout(**layout, labels=labels, deviations=deviations)  # type: ignore[arg-type]


def marked_tables(text: str, path: Path) -> Iterator[tuple[re.Match[str], int, ResultTable]]:
    """Each marked table of a document: where it is, its first line, and what it should be."""
    for match in MARKED.finditer(text):
        if _is_code(text, match.start()):
            continue
        line = text.count("\n", 0, match.start()) + 1
        place = f"{path}:{line}"
        folder, grid, layout = layout_of(match["options"], place)
        try:
            yield match, line, layout.table(Results.read(path.parent / folder, grid))
        except PanParserError as error:
            raise SpecError(f"{place}: {error}") from None


def with_tables(text: str, path: Path) -> str:
    """A document with its marked tables as the results have them."""
    found = {match.start(): table.to_markdown() for match, _, table in marked_tables(text, path)}
    return MARKED.sub(lambda match: match["open"] + found.get(match.start(), match["body"]) + match["close"], text)


def _is_code(text: str, at: int) -> bool:
    """Is this place of a document within fenced code?"""
    return any(match.start() <= at < match.end() for match in _CODE.finditer(text))


def check_document(path: Path) -> Checked:
    """Compares the figures of a document with the runs that they stand for."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    mismatches: list[Mismatch] = []
    figures = 0
    for match, line, table in marked_tables(text, path):
        figures += sum(bool(cell.keys) for row in table.rows for cell in row)
        mismatches += _compared(match["body"], line + 1, table, str(path))
    return Checked(figures, tuple(mismatches), tuple(_OTHER.findall(text)))


def _compared(body: str, first: int, table: ResultTable, path: str) -> Iterator[Mismatch]:
    found = [_cells(line) for line in body.splitlines()]
    wanted = [[Cell(name) for name in table.head], [], *map(list, table.rows)]
    for number in range(max(len(found), len(wanted))):
        if number == 1:  # the rule
            continue
        cells = found[number] if number < len(found) else []
        expected = wanted[number] if number < len(wanted) else []
        name = ", ".join(cell.text for cell in expected[: table.names]) or "head" * (number == 0)
        for column in range(max(len(cells), len(expected))):
            cell = expected[column] if column < len(expected) else Cell("")
            text = cells[column] if column < len(cells) else ""
            if text != cell.text:
                title = table.head[column] if column < len(table.head) else f"column {column + 1}"
                yield Mismatch(path, first + number, f"{name}, {title}", text, cell.text, cell.keys)


def _cells(line: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", line.strip())
    return [part.strip().replace("\\|", "|") for part in parts[1:-1]]
