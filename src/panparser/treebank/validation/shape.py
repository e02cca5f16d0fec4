"""Level 1: lines, columns and numbers of a file, whatever is in them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from panparser.treebank.validation.rules import Lines, Report, quoted

NAMES = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_ID = re.compile(r"([1-9][0-9]*)|([1-9][0-9]*)-([1-9][0-9]*)|([0-9]+)\.([1-9][0-9]*)", re.ASCII)
_MAY_HAVE_SPACES = ("FORM", "LEMMA", "MISC")
_TWO_SPACES = re.compile(r"\s\s")
_MOST_DIGITS = 9  # of an ID


def check_characters(text: str, line: int, report: Report) -> None:
    """Encoding and normalization of many lines, the first of which has this number."""
    if "\ufffd" in text:
        for number, each in enumerate(text.split("\n"), start=line):
            if "\ufffd" in each:
                report("invalid-utf", number, "a byte that is not, or U+FFFD, which stands for one")
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        for number, each in enumerate(text.split("\n"), start=line):
            if not unicodedata.is_normalized("NFC", each):
                report("unicode-normalization", number, _first_difference(each))


def _first_difference(text: str) -> str:
    """The column and the word that are not normalized."""
    for name, cell in zip(NAMES, text.split("\t"), strict=False):
        if not unicodedata.is_normalized("NFC", cell):
            where = name if "\t" in text else "a comment"
            word = next((word for word in cell.split() if not unicodedata.is_normalized("NFC", word)), cell)
            names = " + ".join(unicodedata.name(each, f"U+{ord(each):04X}") for each in _changed(word))
            return f"{names} in {quoted(word)} ({where})"
    return quoted(text)


def _changed(word: str) -> str:
    """The characters that normalization replaces first."""
    normal = unicodedata.normalize("NFC", word)
    start = next((at for at, pair in enumerate(zip(word, normal, strict=False)) if pair[0] != pair[1]), len(normal))
    return word[start : start + 2]


def check_lines(first: int, lines: list[str], ended: bool, report: Report) -> Lines | None:
    """The lines before a blank line, or the end of the file; none if they are no sentence."""
    found, good = Lines(first, [], []), True
    for number, line in enumerate(lines, start=first):
        if line[0] == "#":
            if found.rows:
                report("misplaced-comment", number, quoted(line))
                good = False
            else:
                found.comments.append(line)
        elif "0" <= line[0] <= "9":
            found.rows.append(line.split("\t"))
        else:
            report("invalid-line", number, quoted(line))
            good = False
    if good and not found.rows:
        report(
            "empty-sentence", first + len(lines) - (not ended), "only comments" if lines else "a blank line too many"
        )
    return found if good and found.rows else None


def check_columns(sentence: Lines, report: Report) -> bool:
    """Whether each line has its columns; spaces and empty columns are reported."""
    good = True
    for at, row in enumerate(sentence.rows):
        if len(row) != len(NAMES):
            report("number-of-columns", sentence.line(at), f"{len(row)}")
            good = False
        elif " ".join(row).split() != row:  # a column is empty, or has white space
            _check_spaces(row, sentence.line(at), report)
    return good


def _check_spaces(row: list[str], line: int, report: Report) -> None:
    multiword = "-" in row[0]
    for name, cell in zip(NAMES, row, strict=True):
        where = f"{quoted(cell)} in {name}"
        if cell and cell.split() == [cell]:
            continue
        if not cell:
            report("empty-column", line, f"nothing in {name}")
        elif name not in _MAY_HAVE_SPACES:
            report("invalid-whitespace", line, where)
        elif multiword and name != "MISC":
            report("invalid-whitespace-mwt", line, where)
        else:
            if cell[0].isspace():
                report("leading-whitespace", line, where)
            if cell[-1].isspace():
                report("trailing-whitespace", line, where)
            if _TWO_SPACES.search(cell):
                report("repeated-whitespace", line, where)


def check_ids(sentence: Lines, report: Report) -> bool:
    """Whether words, multiword tokens and empty nodes are numbered as they should, each in its place."""
    numbers = _Numbers()
    good = True
    for at, row in enumerate(sentence.rows):
        if row[0] == str(numbers.word + 1):
            numbers.word, numbers.minor = numbers.word + 1, 0
        elif problem := numbers.take(row[0], at):
            good = False
            report(problem[0], sentence.line(at), quoted(row[0]) + problem[1])
    for at, last in numbers.ranges:
        if last > numbers.word:
            good = False
            found = f"{quoted(sentence.rows[at][0])} in a sentence of {numbers.word} words"
            report("word-interval-out", sentence.line(at), found)
    return good


@dataclass
class _Numbers:
    """What has been counted in a sentence so far."""

    word: int = 0  # the last one
    minor: int = 0  # the last empty node after it
    covered: int = 0  # the last word of a multiword token
    begun: int = 0  # the word that a multiword token stood before
    ranges: list[tuple[int, int]] = field(default_factory=list)  # the row and the last word of each multiword token

    def take(self, id: str, row: int) -> tuple[str, str] | None:
        """Counts a line that is not the next word; the rule that it breaks, and how."""
        parts = _ID.fullmatch(id)
        if parts is None or len(id) > 2 * _MOST_DIGITS:
            return "invalid-word-id", ""
        if parts[1]:
            last, self.word, self.minor = self.word, int(parts[1]), 0  # so that those that follow are not blamed
            return "word-id-sequence", f" after word {last}"
        if parts[2]:
            return self._take_range(int(parts[2]), int(parts[3]), row)
        return self._take_empty_node(int(parts[4]), int(parts[5]))

    def _take_range(self, first: int, last: int, row: int) -> tuple[str, str] | None:
        before, self.covered, self.minor = self.covered, max(self.covered, last), 0
        if first != self.word + 1:
            return "misplaced-word-interval", f" after word {self.word}"
        if last < first:
            return "reversed-word-interval", ""
        if first <= before:
            return "overlapping-word-intervals", ""
        self.begun = first
        self.ranges.append((row, last))
        return None

    def _take_empty_node(self, word: int, minor: int) -> tuple[str, str] | None:
        self.minor += 1
        if (word, minor) != (self.word, self.minor):
            return "misplaced-empty-node", f" in place of {self.word}.{self.minor}"
        if self.begun > word:
            return "misplaced-empty-node", " after the multiword token that follows"
        return None
