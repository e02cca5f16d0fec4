"""Level 1: characters of a file; lines, columns and IDs are checked as they are read."""

from __future__ import annotations

import unicodedata

from panparser.treebank.sentence_lines import COLUMN_NAMES, Report, quoted


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
    for name, cell in zip(COLUMN_NAMES, text.split("\t"), strict=False):
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
