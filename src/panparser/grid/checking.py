"""Tables of results in documents: written, and compared figure by figure with the runs that they stand for.

<!-- results FOLDER OPTIONS -->     paths count from the document; options as on the command line: --metric UAS
| ... |
<!-- end -->
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from panparser.errors import PanParserError, SpecError
from panparser.grid.groups import TreebankGroups
from panparser.grid.published import Published
from panparser.grid.results import Results
from panparser.grid.table import Cell, ResultTable
from panparser.grid.tables import ResultLayout

MARKED = re.compile(
    r"(?P<open><!-- results (?P<options>[^\n]+?) -->\n)(?P<body>(?:(?!<!--).)*?)(?P<close><!-- end -->)", re.DOTALL
)
_MEANT = re.compile(r"(?<!`)<!--\s*results?\b[^\n]*")  # a marker, well formed or not
_CODE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_OTHER = re.compile(r"<!-- table ([\w-]+) -->")
_NEXT = re.compile(r",(?=[^,=]*=)")  # a comma before an axis; names may have commas, too
_OPTIONS = (
    "--grid", "--with", "--split", "--metric", "--rows", "--columns", "--where", "--groups", "--against", "--beside",
    "--digits",
)  # fmt: skip
_SWITCHES = ("--no-deviations", "--summary")


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
    """What came of a check: figures and tables that were compared, what differs, and tables that are not of results."""

    figures: int
    tables: int
    mismatches: tuple[Mismatch, ...]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """What a table is made of: a folder of results, its grid, another folder whose runs join them; and what others
    published, to stand beside them."""

    folder: Path
    grid: str | None = None
    joined: Path | None = None
    published: Path | None = None

    def results(self) -> Results:
        found = Results.read(self.folder, self.grid)
        return found if self.joined is None else found.joined(Results.read(self.joined))

    def finished(self, table: ResultTable, layout: ResultLayout) -> ResultTable:
        """The table with what was published beside it."""
        if self.published is None:
            return table
        return Published.read(self.published).of(metric=layout.metric, against=layout.against).beside(table)


def read_marker(options: str, folder: Path, place: str) -> tuple[Source, ResultLayout]:
    """What the options of a marker say, in a document of this folder."""
    try:
        words = shlex.split(options)
    except ValueError as error:
        raise SpecError(f"{place}: {error}") from None
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
    joined, published = (folder / given.pop(name) if name in given else None for name in ("with", "beside"))
    source = Source(folder / folders[0], given.pop("grid", None), joined, published)
    deviations, summary = "--no-deviations" not in switches, "--summary" in switches
    return source, read_layout(given, deviations=deviations, summary=summary)


def read_layout(given: Mapping[str, str], *, deviations: bool = True, summary: bool = False) -> ResultLayout:
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
    if "groups" in given:
        layout["groups"] = TreebankGroups.parse(given["groups"])
    labels: dict[str, list[str]] = {}
    for part in _NEXT.split(given["where"]) if given.get("where") else ():
        axis, equals, label = part.partition("=")
        if not equals or not label:
            raise SpecError(f"--where: expected axis=name, with commas between several, found {part!r}")
        labels.setdefault(axis.strip(), []).append(label.strip())
    return ResultLayout(**layout, labels=labels, deviations=deviations, summary=summary)  # type: ignore[arg-type]


def marked_tables(text: str, path: Path) -> Iterator[tuple[re.Match[str], int, ResultTable]]:
    """Each marked table of a document: where it is, its first line, and what it should be."""
    _check_markers(text, path)
    read: dict[Source, Results] = {}
    for match in MARKED.finditer(text):
        if _is_code(text, match.start()):
            continue
        line = text.count("\n", 0, match.start()) + 1
        place = f"{path}:{line}"
        source, layout = read_marker(match["options"], path.parent, place)
        try:
            runs = replace(source, published=None)
            if runs not in read:
                read[runs] = source.results()
            yield match, line, source.finished(layout.table(read[runs]), layout)
        except PanParserError as error:
            raise SpecError(f"{place}: {error}") from None


def _check_markers(text: str, path: Path) -> None:
    """Raises SpecError for a marker that no table belongs to: nothing would be compared, or other text overwritten."""
    known = {match.start() for match in MARKED.finditer(text)}
    for match in _MEANT.finditer(text):
        if match.start() not in known and not _is_code(text, match.start()):
            line = text.count("\n", 0, match.start()) + 1
            expected = "<!-- results FOLDER OPTIONS --> on a line, a table, and <!-- end -->"
            raise SpecError(f"{path}:{line}: expected {expected}, found {match[0].strip()} without such an end")


def with_tables(text: str, path: Path) -> str:
    """A document with its marked tables as the results have them."""
    found = {match.start(): table.to_markdown() for match, _, table in marked_tables(text, path)}
    return MARKED.sub(lambda match: match["open"] + found.get(match.start(), match["body"]) + match["close"], text)


def _is_code(text: str, at: int) -> bool:
    """Is this place of a document within fenced code?"""
    return any(match.start() <= at < match.end() for match in _CODE.finditer(text))


def read_document(path: Path) -> str:
    """The text of a document, whatever ends its lines."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def check_document(path: Path) -> Checked:
    """Compares the figures of a document with the runs that they stand for."""
    text = read_document(path)
    mismatches: list[Mismatch] = []
    figures = tables = 0
    for match, line, table in marked_tables(text, path):
        tables += 1
        figures += sum(bool(cell.keys) for row in table.rows for cell in row)
        mismatches += _compared(match["body"], line + 1, table, str(path))
    return Checked(figures, tables, tuple(mismatches), tuple(_OTHER.findall(text)))


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
