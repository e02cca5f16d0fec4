"""Tables of results in documents: written, and compared figure by figure with the runs that they stand for.

<!-- results FOLDER OPTIONS -->     paths count from the document; options as on the command line: --metric UAS
| ... |
<!-- end -->
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
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
        layout["digits"] = _read_digits(given["digits"])
    if "groups" in given:
        layout["groups"] = TreebankGroups.parse(given["groups"])
    labels: dict[str, list[str]] = {}
    for part in _NEXT.split(given["where"]) if given.get("where") else ():
        axis, equals, label = part.partition("=")
        if not equals or not label:
            raise SpecError(f"--where: expected axis=name, with commas between several, found {part!r}")
        labels.setdefault(axis.strip(), []).append(label.strip())
    return ResultLayout(**layout, labels=labels, deviations=deviations, summary=summary)  # type: ignore[arg-type]


def _read_digits(text: str) -> tuple[int, ...]:
    """Numbers of digits, with commas between them."""
    parts = [part.strip() for part in text.split(",")]
    if not all(len(part) == 1 and part in "0123456789" for part in parts):
        raise SpecError(f"--digits: expected a number from 0 to 9, or one for each metric, found {text!r}")
    return tuple(map(int, parts))


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
    """Line by line; a row that is missing, or one too many, is one difference and leaves the others alone."""
    lines = [_cells(line) for line in body.splitlines()]
    head, found = lines[0] if lines else [], lines[2:]  # between them, the rule
    yield from _differences(path, first, "head", table.head, head, [Cell(name) for name in table.head])
    names = [tuple(cells[: table.names]) for cells in found]
    wanted = [tuple(cell.text for cell in row[: table.names]) for row in table.rows]
    for _, begin, end, own_begin, own_end in SequenceMatcher(None, names, wanted, autojunk=False).get_opcodes():
        for offset in range(max(end - begin, own_end - own_begin)):
            at, own = begin + offset, own_begin + offset
            line = first + 2 + min(at, end)
            if at >= end:
                row = table.rows[own]
                keys = tuple(key for cell in row for key in cell.keys)
                yield Mismatch(
                    path, line, ", ".join(wanted[own]), "", f"a row: {_joined(cell.text for cell in row)}", keys
                )
            elif own >= own_end:
                yield Mismatch(path, line, ", ".join(names[at]), f"a row: {_joined(found[at])}", "", ())
            else:
                name = ", ".join(wanted[own])
                yield from _differences(path, line, name, table.head, found[at], table.rows[own])


def _differences(
    path: str, line: int, name: str, head: Sequence[str], found: Sequence[str], expected: Sequence[Cell]
) -> Iterator[Mismatch]:
    """Of the cells of a line."""
    for column, (text, cell) in enumerate(zip_longest(found, expected)):
        wanted = cell or Cell("")
        if (text or "") != wanted.text:
            title = head[column] if column < len(head) else f"column {column + 1}"
            yield Mismatch(path, line, f"{name}, {title}", text or "", wanted.text, wanted.keys)


def _joined(cells: Iterable[str]) -> str:
    return " | ".join(cells)


def _cells(line: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", line.strip())
    return [part.strip().replace("\\|", "|") for part in parts[1:-1]]
