"""The lines of one CoNLL-U sentence, checked and kept without loss."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

COLUMN_NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_COLUMNS_WITH_SPACES = ("FORM", "LEMMA", "MISC")
_ID = re.compile(r"([1-9][0-9]*)|([1-9][0-9]*)-([1-9][0-9]*)|([0-9]+)\.([1-9][0-9]*)", re.ASCII)
_WORD_IDS = [str(word) for word in range(1, 101)]
_MAX_ID_CHARS = 18  # so that integers stay small
_TWO_SPACES = re.compile(r"\s\s")
_BEFORE_BLANK_LINE = re.compile(r"\n(?=\s)(?=([^\S\n]*)\n)")
_SURROUNDINGS_BEFORE = re.compile(r"\ufeff?[\r\n]*(?:.*\n\r?\n)?", re.DOTALL)

Report = Callable[[str, int, str], None]  # receives the name of a broken rule, the line, and the text that breaks it


def quoted(text: str, most: int = 60) -> str:
    """Return a text as messages show it, in quotes and cut off after `most` characters."""
    return f"'{text[:most]}...'" if len(text) > most else f"'{text}'"


class NodeId(NamedTuple):
    """An ID: word `first`, multiword token `first`-`last`, or empty node `first`.`last`."""

    kind: Literal["word", "range", "empty"]
    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> NodeId | None:
        """Return the ID that a text spells, or None if it is none."""
        match = _ID.fullmatch(text) if len(text) <= _MAX_ID_CHARS else None
        if match is None:
            return None
        word, range_first, range_last, empty_word, empty_index = match.groups()
        if word:
            return cls("word", int(word), int(word))
        if range_first:
            return cls("range", int(range_first), int(range_last))
        return cls("empty", int(empty_word), int(empty_index))


@dataclass(slots=True)
class SentenceLines:
    """A sentence as written in a file: its comments, the cells of the rows after them, and the surrounding lines.

    `before` and `after`: line ends, blank lines and the like around the sentence; `newline` separates its lines.
    """

    first_line: int  # line number of the first comment or row
    comments: list[str]
    rows: list[list[str]]
    newline: str = "\n"
    before: str = ""
    after: str = "\n\n"

    @classmethod
    def read(
        cls, text: str, line: int, report: Report, *, newline: str = "\n", is_terminated: bool = True
    ) -> SentenceLines | None:
        """Read the lines of a sentence, the first of which has this number, by the rules of level 1.

        Reports all problems; returns None after a fatal one. `is_terminated`: whether a blank line follows.
        """
        lines = text.split(newline) if text else []
        sentence = cls(line, [], [], newline)
        is_sound = _sort_lines(sentence, lines, report)
        if is_sound and not sentence.rows:
            found = "only comments" if lines else "a blank line too many"
            report("empty-sentence", line + len(lines) - (not is_terminated), found)
            return None
        return sentence if is_sound and _check_columns(sentence, report) and _check_ids(sentence, report) else None

    @classmethod
    def read_surrounded(cls, text: str, line: int, report: Report) -> SentenceLines | None:
        """Read the last sentence of a text as `read` does, and keep what surrounds it: `to_text` restores the text."""
        body = text.rstrip("\r\n")
        after = text[len(body) :]
        match = _SURROUNDINGS_BEFORE.match(body)
        before = match[0] if match else ""
        body = body[len(before) :]
        newline = "\r\n" if "\r\n" in body + after else "\n"
        sentence = cls.read(body, line + before.count("\n"), report, newline=newline)
        return sentence and replace(sentence, before=before, after=after)

    def to_text(self) -> str:
        """Return the text that the sentence was read from."""
        lines = [*self.comments, *("\t".join(row) for row in self.rows)]
        return self.before + self.newline.join(lines) + self.after

    def line(self, row: int) -> int:
        """Return the line number of a row."""
        return self.first_line + len(self.comments) + row


def iter_sentence_texts(text: str, line: int, report: Report) -> Iterator[tuple[int, str, bool]]:
    """Yield the first line number and the text before each blank line, and whether there is a blank line.

    `line`: number of the first line of the text. White space in blank lines and a missing last one are reported.
    """
    if text and not text.endswith("\n"):
        text += "\n"
    text = "\n" + text
    start = 1
    for match in _BEFORE_BLANK_LINE.finditer(text):
        lines = text[start : match.start()]
        next_line = line + (lines.count("\n") + 1 if lines else 0)
        if match[1]:
            report("pseudo-empty-line", next_line, "white space")
        yield line, lines, True
        line, start = next_line + 1, match.end(1) + 1
    if lines := text[start:-1]:
        report("missing-empty-line", line + lines.count("\n"), "the end of the file")
        yield line, lines, False


def _sort_lines(sentence: SentenceLines, lines: list[str], report: Report) -> bool:
    """Add lines to the comments and rows of a sentence; return whether all are of these kinds, in this order."""
    is_sound = True
    comments, rows = sentence.comments, sentence.rows
    for number, line in enumerate(lines, start=sentence.first_line):
        if "0" <= line[0] <= "9":
            rows.append(line.split("\t"))
        elif line[0] != "#":
            report("invalid-line", number, quoted(line))
            is_sound = False
        elif rows:
            report("misplaced-comment", number, quoted(line))
            is_sound = False
        else:
            comments.append(line)
    return is_sound


def _check_columns(sentence: SentenceLines, report: Report) -> bool:
    """Report spaces and empty columns; return whether each row has 10 columns."""
    is_sound = True
    for i, row in enumerate(sentence.rows):
        if len(row) != len(COLUMN_NAMES):
            report("number-of-columns", sentence.line(i), f"{len(row)}")
            is_sound = False
        elif " ".join(row).split() != row:  # a column is empty, or has white space
            _check_spaces(row, sentence.line(i), report)
    return is_sound


def _check_spaces(row: list[str], line: int, report: Report) -> None:
    is_range = "-" in row[0]
    for name, cell in zip(COLUMN_NAMES, row, strict=True):
        location = f"{quoted(cell)} in {name}"
        if cell and cell.split() == [cell]:
            continue
        if not cell:
            report("empty-column", line, f"nothing in {name}")
        elif name not in _COLUMNS_WITH_SPACES:
            report("invalid-whitespace", line, location)
        elif is_range and name != "MISC":
            report("invalid-whitespace-mwt", line, location)
        else:
            if cell[0].isspace():
                report("leading-whitespace", line, location)
            if cell[-1].isspace():
                report("trailing-whitespace", line, location)
            if _TWO_SPACES.search(cell):
                report("repeated-whitespace", line, location)


def _check_ids(sentence: SentenceLines, report: Report) -> bool:
    """Return whether words, multiword tokens and empty nodes are numbered in order, each in its place."""
    if [row[0] for row in sentence.rows] == _WORD_IDS[: len(sentence.rows)]:
        return True  # the usual case, fast
    counter = _IdCounter()
    is_sound = True
    for i, row in enumerate(sentence.rows):
        if row[0] == str(counter.word + 1):
            counter.word, counter.empty_index = counter.word + 1, 0
        elif problem := counter.count(row[0], i):
            rule, context = problem
            is_sound = False
            report(rule, sentence.line(i), quoted(row[0]) + context)
    for i, last in counter.ranges:
        if last > counter.word:
            is_sound = False
            context = f" in a sentence of {counter.word} words"
            report("word-interval-out", sentence.line(i), quoted(sentence.rows[i][0]) + context)
    return is_sound


@dataclass
class _IdCounter:
    """The IDs of a sentence up to a row."""

    word: int = 0  # the last word
    empty_index: int = 0  # of the last empty node after it
    covered: int = 0  # the last word of a multiword token
    range_first: int = 0  # the first word of the last valid multiword token
    ranges: list[tuple[int, int]] = field(default_factory=list)  # the row and the last word of each multiword token

    def count(self, text: str, row: int) -> tuple[str, str] | None:
        """Count an ID that is not the next word's; return the rule that it breaks, and the context for the message."""
        node = NodeId.parse(text)
        if node is None:
            return "invalid-word-id", ""
        if node.kind == "range":
            return self._count_range(node, row)
        if node.kind == "empty":
            return self._count_empty(node)
        previous, self.word, self.empty_index = self.word, node.first, 0  # so that later rows are not reported, too
        return "word-id-sequence", f" after word {previous}"

    def _count_range(self, node: NodeId, row: int) -> tuple[str, str] | None:
        covered, self.covered, self.empty_index = self.covered, max(self.covered, node.last), 0
        if node.first != self.word + 1:
            return "misplaced-word-interval", f" after word {self.word}"
        if node.last < node.first:
            return "reversed-word-interval", ""
        if node.first <= covered:
            return "overlapping-word-intervals", ""
        self.range_first = node.first
        self.ranges.append((row, node.last))
        return None

    def _count_empty(self, node: NodeId) -> tuple[str, str] | None:
        self.empty_index += 1
        if (node.first, node.last) != (self.word, self.empty_index):
            return "misplaced-empty-node", f" in place of {self.word}.{self.empty_index}"
        if self.range_first > node.first:
            return "misplaced-empty-node", " after the multiword token that follows"
        return None
