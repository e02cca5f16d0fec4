"""Rules for lines and words: the format (level 1) and the values of columns (level 2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from panparser.treebank.sentence_lines import COLUMN_NAMES, Report, SentenceLines, quoted
from panparser.treebank.universal import UPOS


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


RELATIONS = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative "
    "xcomp".split()
)
_FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
_RELATION = re.compile(r"[a-z]+(?::[a-z]+)?")
_ENHANCED = re.compile("a+(?::a+)?(?::[au]+(?:_[au]+)*)?(?::a+)?")  # in terms of `_kinds`
_LOWER = ("Ll", "Lm", "Lo", "Mn", "Mc", "Me")  # letters that are not capitals, and their marks
_ATTRIBUTES = ("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref")  # of MISC, by UD
_BY_LOWER = {name.lower(): name for name in _ATTRIBUTES}
_MOST_KEPT, _LONGEST_KEPT = 100_000, 200  # judgments of values, which come again, and characters of these

Findings = tuple[tuple[str, str], ...]  # rules, and what was found


class CachedCheck:
    """Judges each distinct value of a column once."""

    def __init__(self, find: Callable[[str], Iterator[tuple[str, str]]]) -> None:
        self._find = find
        self._known: dict[str, Findings] = {"_": (), "": ()}  # an empty column is level 1

    def __call__(self, value: str) -> Findings:
        found = self._known.get(value)
        if found is None:
            found = tuple(self._find(value))
            if len(value) <= _LONGEST_KEPT:
                if len(self._known) > _MOST_KEPT:
                    self._known.clear()
                self._known[value] = found
        return found


def _features(feats: str) -> Iterator[tuple[str, str]]:
    items = feats.split("|")
    lowered = [item.lower() for item in items]
    if lowered != sorted(lowered):
        yield "unsorted-features", quoted(feats)
    names = []
    for item in items:
        match = _FEATURE.fullmatch(item)
        if match is None:
            yield "invalid-feature", quoted(item)
            continue
        names.append(match[1])
        values = match[2].split(",")
        if len(set(values)) < len(values):
            yield "repeated-feature-value", quoted(item)
        if [value.lower() for value in values] != sorted(value.lower() for value in values):
            yield "unsorted-feature-values", quoted(item)
    if len(set(names)) < len(names):
        yield "repeated-feature", quoted(feats)


def _relation(label: str) -> Iterator[tuple[str, str]]:
    if not _RELATION.fullmatch(label):
        yield "invalid-deprel", quoted(label)
    elif label.split(":", maxsplit=1)[0] not in RELATIONS:
        yield "unknown-udeprel", quoted(label)


def _kinds(text: str) -> str:
    """The characters of a text by kind: a is a to z, u another letter that is no capital, x what no relation has."""
    return "".join(
        each if each in ":_" else "a" if "a" <= each <= "z" else "u" if unicodedata.category(each) in _LOWER else "x"
        for each in text
    )


def _enhanced(label: str) -> Iterator[tuple[str, str]]:
    if not _ENHANCED.fullmatch(_kinds(label)):
        yield "invalid-edeprel", quoted(label)
    elif label.split(":", maxsplit=1)[0] not in RELATIONS | {"ref"}:
        yield "unknown-eudeprel", quoted(label)


def _misc(misc: str) -> Iterator[tuple[str, str]]:
    seen = set()
    for item in misc.split("|"):
        name, equals, value = item.partition("=")
        if not name:
            yield ("empty-misc-key" if equals else "empty-misc"), quoted(misc)
        if name != name.strip() or value != value.strip():
            yield "misc-extra-space", quoted(item)
        if name in _ATTRIBUTES:
            if name in seen:
                yield "repeated-misc", quoted(misc)
            seen.add(name)
        elif name.strip().lower() in _BY_LOWER:
            yield "misc-attr-typo", f"{quoted(name)} (is it {_BY_LOWER[name.strip().lower()]}?)"


class WordRules:
    """The rules for single lines."""

    def __init__(self) -> None:
        self._features, self._relation = CachedCheck(_features), CachedCheck(_relation)
        self._misc = CachedCheck(_misc)
        self.enhanced = CachedCheck(_enhanced)

    def check(self, sentence: SentenceLines, report: Report) -> None:
        features, misc, relation = self._features, self._misc, self._relation
        for at, row in enumerate(sentence.rows):
            found = misc(row[9])
            if "-" in row[0]:
                self._check_multiword(row, sentence.line(at), report)
            elif "." in row[0]:
                found += features(row[5])
                self._check_empty_node(row, sentence.line(at), report)
            else:
                found += features(row[5])
                if row[3] not in UPOS:
                    report("unknown-upos", sentence.line(at), quoted(row[3]))
                if row[7] == "_" or relation(row[7]):
                    found += relation(row[7]) or (("invalid-deprel", quoted(row[7])),)
            for rule, value in found:
                report(rule, sentence.line(at), value)

    def _check_multiword(self, row: list[str], line: int, report: Report) -> None:
        for name, cell in zip(COLUMN_NAMES[2:9], row[2:9], strict=True):
            if cell != "_" and not (name == "FEATS" and cell == "Typo=Yes"):
                report("mwt-nonempty-field", line, f"{quoted(cell)} in {name}")

    def _check_empty_node(self, row: list[str], line: int, report: Report) -> None:
        for name in ("HEAD", "DEPREL"):
            if (cell := row[COLUMN_NAMES.index(name)]) != "_":
                report("empty-node-nonempty-field", line, f"{quoted(cell)} in {name}")
        if row[3] != "_" and row[3] not in UPOS:
            report("unknown-upos", line, quoted(row[3]))
