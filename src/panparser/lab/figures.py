"""Results in documents: markers, checked against results and updated from them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from panparser.errors import PanParserError, SpecError
from panparser.lab.result_groups import PublishedResults, TreebankGroups
from panparser.lab.result_tables import ResultTableLayout
from panparser.lab.results import GridResults
from panparser.lab.table_output import Cell, ResultTable

_TABLE = re.compile(
    r"(?P<open><!-- results (?P<options>(?:(?!-->)[^\n])+?) -->\n)"
    r"(?P<body>(?:\|[^\n]*\n|[ \t]*\n)*)(?P<close><!-- end -->)"  # a table and nothing else, which would be lost
)
_FIGURE = re.compile(
    r"(?P<open><!-- figure (?P<options>(?:(?!-->)[^\n])+?) -->)(?P<body>[^<\n]*)(?P<close><!-- end -->)"
)
_FROM = re.compile(r"<!-- figures (?P<options>(?:(?!-->)[^\n])+?) -->")
_MEANT = re.compile(r"<!--\s*(?P<kind>results?|figures?)(?![\w-])[^\n]*", re.IGNORECASE)  # well formed or not
_OF_TABLES = "<!-- results FOLDER OPTIONS --> on a line, a table, and <!-- end -->"
_FORMS = {
    "result": _OF_TABLES,
    "results": _OF_TABLES,
    "figure": "<!-- figure ROW COLUMN -->, a number, and <!-- end --> on one line",
    "figures": "<!-- figures FOLDER OPTIONS -->",
}
_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)(?P<mark>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=mark)(?!`)", re.DOTALL)
EMPTY_LINE = re.compile(r"[\s>]*(?:[-*+]|\d+[.)])?\s*")  # before the first word of a line
_COMMENT = re.compile(r"<!--.*?-->")
_NUMBER = re.compile(r"[+-]?(?=[\d.])(\d[\d,]*)?(\.\d+)?")
_GAP = re.compile(r" \[\d+ of \d+\]$")  # of a mean that some runs have no part in
_FIRST = re.compile(r"[+-]?(\d[\d,]*)?\.?\d+")  # number of a text
_NEXT = re.compile(r",(?=[^,=]*=)")  # a comma before an axis; names may have commas, too
_OPTIONS = (
    "--grid", "--merge", "--split", "--metric", "--rows", "--columns", "--where", "--groups", "--baseline",
    "--published", "--digits",
)  # fmt: skip
_SWITCHES = ("--no-std", "--summary")
_LESS = "--less"


@dataclass(frozen=True)
class Source:
    """What a table is made of: a folder of results, its grid, another folder whose runs join them; and what others
    published, to stand beside them."""

    folder: Path
    grid: str | None = None
    merged: Path | None = None
    published: Path | None = None

    def results(self) -> GridResults:
        found = GridResults.read(self.folder, self.grid)
        return found if self.merged is None else found.merge(GridResults.read(self.merged))

    def finished(self, table: ResultTable, layout: ResultTableLayout) -> ResultTable:
        """The table with what was published beside it."""
        if self.published is None:
            return table
        return (
            PublishedResults.read(self.published).select(metric=layout.metric, against=layout.baseline).append_to(table)
        )


@dataclass(frozen=True)
class MarkedTable:
    """A table of a document: where its body is, its first line, what stands there, and what should."""

    begin: int
    end: int
    line: int
    body: str
    table: ResultTable

    @property
    def expected(self) -> str:
        return self.table.to_markdown()


@dataclass(frozen=True)
class MarkedFigure:
    """A figure in the text of a document: where it is, its line, what it is of, what stands there, and what should."""

    begin: int
    end: int
    line: int
    description: str
    body: str
    expected: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Marked:
    """What is marked in a document."""

    tables: tuple[MarkedTable, ...]
    figures: tuple[MarkedFigure, ...]


class _Tables:
    """Tables by the options of their markers, in a document of this folder; each is made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results: dict[Source, GridResults] = {}
        self.made: dict[tuple[str, str | None], ResultTable] = {}

    def table(self, options: str, location: str, column: str | None = None) -> ResultTable:
        """The table; if a column is given and the options name no metric and no comparison, that is the metric."""
        source, layout = read_marker(options, self.folder, location)
        metric = column if layout.metric is None and layout.baseline is None else None
        if (options, metric) not in self.made:
            try:
                runs = replace(source, published=None)
                if runs not in self.results:
                    self.results[runs] = source.results()
                if metric is None:
                    table = source.finished(layout.table(self.results[runs]), layout)
                else:
                    shown = layout.metric_table(self.results[runs], metric)
                    table = _one_column(source.finished(shown, replace(layout, metric=metric)), metric)
                self.made[options, metric] = table
            except PanParserError as error:
                raise SpecError(f"{location}: {error}") from None
        return self.made[options, metric]


def _one_column(table: ResultTable, metric: str) -> ResultTable:
    """The table of a metric, whose column has its name."""
    if len(table.head) != table.names + 1:
        found = "; ".join(table.head[table.names :])
        raise SpecError(f"expected --metric, or options that leave one column, found columns {found}")
    return replace(table, head=(*table.head[:-1], metric))


def read_marker(options: str, folder: Path, location: str) -> tuple[Source, ResultTableLayout]:
    """What the options of a marker say, in a document of this folder."""
    words = _words(options, location)
    given: dict[str, str] = {}
    switches: set[str] = set()
    folders = []
    while words:
        word = words.pop(0)
        if word in _SWITCHES:
            switches.add(word)
        elif word in _OPTIONS:
            if not words or word[2:] in given:
                raise SpecError(
                    f"{location}: expected {word} once, with a value, found it {'twice' if words else 'last'}"
                )
            given[word[2:]] = words.pop(0)
        elif word.startswith("--"):
            raise SpecError(f"{location}: expected one of {', '.join((*_OPTIONS, *_SWITCHES))}, found {word}")
        else:
            folders.append(word)
    if len(folders) != 1:
        raise SpecError(f"{location}: expected a folder of results, found {' '.join(folders) or 'none'}")
    joined, published = (folder / given.pop(name) if name in given else None for name in ("merge", "published"))
    source = Source(folder / folders[0], given.pop("grid", None), joined, published)
    deviations, summary = "--no-std" not in switches, "--summary" in switches
    return source, read_layout(given, std=deviations, summary=summary)


def _words(options: str, place: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError:
        raise SpecError(f"{place}: expected quotation marks in pairs, found {options}") from None


def read_layout(options: Mapping[str, str], *, std: bool = True, summary: bool = False) -> ResultTableLayout:
    """A layout from texts, as options have them."""
    rows = tuple(part.strip() for part in options.get("rows", "").split(",") if part.strip())
    labels: dict[str, list[str]] = {}
    for part in _NEXT.split(options["where"]) if options.get("where") else ():
        axis, equals, label = part.partition("=")
        if not equals or not label:
            raise SpecError(f"--where: expected axis=name, with commas between several, found {part!r}")
        labels.setdefault(axis.strip(), []).append(label.strip())
    return ResultTableLayout(
        split=options.get("split", ResultTableLayout.split),
        metric=options.get("metric"),
        rows=rows if "rows" in options else None,
        columns=options.get("columns"),
        baseline=options.get("baseline"),
        summary=summary,
        groups=TreebankGroups.parse(options["groups"]) if "groups" in options else None,
        digits=_read_digits(options["digits"]) if "digits" in options else ResultTableLayout.digits,
        std=std,
        labels=labels,
    )


def _read_digits(text: str) -> tuple[int, ...]:
    """Numbers of digits, with commas between them."""
    parts = [part.strip() for part in text.split(",")]
    if not all(len(part) == 1 and part in "0123456789" for part in parts):
        raise SpecError(f"--digits: expected an integer between 0 and 9, or one for each metric, found {text!r}")
    return tuple(map(int, parts))


def read_markers(text: str, path: Path) -> Marked:
    """All marked tables and figures of a document, and what they should be."""
    code = _code(text)
    tables, figures, sources = (
        [match for match in kind.finditer(text) if not _is_within(code, match.start())]
        for kind in (_TABLE, _FIGURE, _FROM)
    )
    _check_markers(text, path, code, {match.start() for match in (*tables, *figures, *sources)})
    made = _Tables(path.parent)
    found = []
    for match in tables:
        line = _line(text, match)
        table = made.table(match["options"], f"{path}:{line}")
        found.append(MarkedTable(*match.span("body"), line, match["body"], table))
    for match in sources:
        read_marker(match["options"], path.parent, f"{path}:{_line(text, match)}")
    above = sorted((*tables, *sources), key=lambda match: match.start())
    return Marked(tuple(found), tuple(_figure(text, path, match, made, above) for match in figures))


def _figure(text: str, path: Path, match: re.Match[str], made: _Tables, tables: list[re.Match[str]]) -> MarkedFigure:
    """`tables`: the markers of tables, shown or not, in their order; the last one above says what the figure is of."""
    line = _line(text, match)
    place = f"{path}:{line}"
    if EMPTY_LINE.fullmatch(_COMMENT.sub("", text[text.rfind("\n", 0, match.start()) + 1 : match.start()])):
        raise SpecError(f"{place}: a figure begins the line, which Markdown takes for HTML: expected a word before it")
    words = _words(match["options"], place)
    sign = -1 if words[:1] == [_LESS] else 1
    if sign < 0:
        del words[0]
    if len(words) != 2:
        raise SpecError(f"{place}: expected the names of a row and a column, found {' '.join(words) or 'nothing'}")
    above = [each for each in tables if each.start() < match.start()]
    if not above:
        raise SpecError(f"{place}: expected a marked table, or <!-- figures FOLDER -->, above this figure; found none")
    row, column = words
    table = made.table(above[-1]["options"], place, column if above[-1].re is _FROM else None)
    cell = _cell(table, row, column, place)
    if above[-1].re is _FROM and _GAP.search(cell.text):
        raise SpecError(f"{place}: {row}, {column}: expected a figure of all runs, found {cell.text}")
    expected = _written(cell, match["body"], sign, place)
    return MarkedFigure(*match.span("body"), line, f"{row}, {column}", match["body"], expected, cell.keys)


def _cell(table: ResultTable, row: str, column: str, place: str) -> Cell:
    """A cell by the names of its row, with commas, and of its column."""
    rows = [", ".join(cell.text for cell in cells[: table.names]) for cells in table.rows]
    columns = table.head[table.names :]
    for name, known in ((row, rows), (column, columns)):
        if name not in known:
            raise SpecError(f"{place}: expected one of {'; '.join(known) or 'nothing'}, found {name or 'nothing'}")
        if known.count(name) > 1:
            raise SpecError(f"{place}: expected a name that only one has, found {name}")
    return table.rows[rows.index(row)][table.names + columns.index(column)]


def _written(cell: Cell, body: str, sign: int, place: str) -> str:
    """The figure of a cell with the digits, and the plus, that the text has; or with its own, if the text has none."""
    if body.strip() and not _NUMBER.fullmatch(body):
        raise SpecError(f"{place}: expected a number between <!-- figure --> and <!-- end -->, found {body}")
    value = cell.value
    if value is None:
        first = _FIRST.search(cell.text)  # of a count, or of what was published
        if first is None:
            raise SpecError(f"{place}: expected the name of a figure, found that of {cell.text or 'an empty cell'}")
        value = float(first[0].replace(",", ""))
    digits = len(body.partition(".")[2]) if body.strip() else cell.digits or 0
    shown = f"{round(sign * value, digits) + 0.0:{'+' if body.startswith('+') else ''},.{digits}f}"
    return re.sub(r"^([+-]?)0\.", r"\1.", shown) if body.lstrip("+-").startswith(".") else shown


def _check_markers(text: str, path: Path, code: list[tuple[int, int]], known: set[int]) -> None:
    """Raises SpecError for a marker that nothing belongs to: nothing would be compared, or other text overwritten."""
    for match in _MEANT.finditer(text):
        if match.start() not in known and not _is_within(code, match.start()):
            expected = _FORMS[match["kind"].lower()]
            raise SpecError(f"{path}:{_line(text, match)}: expected {expected}, found {match[0].strip()}")


def _code(text: str) -> list[tuple[int, int]]:
    """Where fenced code and code in the text is."""
    found = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence["mark"].startswith(opened["mark"]) and not fence["rest"].strip():
            found.append((opened.start(), fence.end()))
            opened = None
    if opened is not None:
        found.append((opened.start(), len(text)))
    spans = [match.span() for match in _SPAN.finditer(text)]
    return found + [span for span in spans if not _is_within(found, span[0])]


def _is_within(spans: list[tuple[int, int]], at: int) -> bool:
    return any(begin <= at < end for begin, end in spans)


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def with_results(text: str, path: Path) -> str:
    """A document with its marked tables and figures as the results have them."""
    found = read_markers(text, path)
    places: list[MarkedTable | MarkedFigure] = [*found.tables, *found.figures]
    parts, at = [], 0
    for each in sorted(places, key=lambda place: place.begin):
        parts += [text[at : each.begin], each.expected]
        at = each.end
    return "".join([*parts, text[at:]])


def read_document(path: Path) -> str:
    """The text of a document, whatever ends its lines."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: expected UTF-8, found the byte 0x{error.object[error.start]:02x}") from None


_OTHER = re.compile(r"<!-- table ([\w-]+) -->")


@dataclass(frozen=True)
class Mismatch:
    """A figure of a document that is not that of the results."""

    path: str
    line: int
    description: str
    found: str
    expected: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(key[:12] for key in self.keys[:3]) + (", ..." if len(self.keys) > 3 else "")
        runs = f" (runs {shown})" if self.keys else ""
        expected, found = (text or "nothing" for text in (self.expected, self.found))
        return f"{self.path}:{self.line}: {self.description}: expected {expected}{runs}, found {found}"


@dataclass(frozen=True)
class DocumentCheck:
    """What came of a check: figures and tables that were compared, what differs, and tables that are not of results."""

    figures: int
    tables: int
    mismatches: tuple[Mismatch, ...]
    others: tuple[str, ...]


def check_document(path: Path) -> DocumentCheck:
    """Compares the figures of a document with the runs that they stand for."""
    text = read_document(path)
    found = read_markers(text, path)
    mismatches: list[Mismatch] = []
    figures = len(found.figures)
    for each in found.tables:
        figures += sum(bool(cell.keys) for row in each.table.rows for cell in row)
        differences = list(_compared(each.body, each.line + 1, each.table, str(path)))
        if not differences and each.body != each.expected:
            differences.append(Mismatch(str(path), each.line, "table", "another form", "the form of --update", ()))
        mismatches += differences
    mismatches += [
        Mismatch(str(path), each.line, each.description, each.body, each.expected, each.keys)
        for each in found.figures
        if each.body != each.expected
    ]
    mismatches.sort(key=lambda each: each.line)
    return DocumentCheck(figures, len(found.tables), tuple(mismatches), tuple(_OTHER.findall(text)))


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
