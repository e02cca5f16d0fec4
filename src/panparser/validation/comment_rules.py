"""Rules for comments (level 2)."""

from __future__ import annotations

import re

from panparser.treebank.sentence_lines import Report, SentenceLines, quoted

_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
_PARALLEL_ID = re.compile(
    r"#\s*parallel_id\s*=\s*(([a-z]+/[-0-9a-z]+)(?:/(?=[ap])(?:alt([1-9][0-9]*))?(?:part([1-9][0-9]*))?)?)", re.ASCII
)
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)", re.DOTALL)
_BREAK = re.compile(r"#\s*(newdoc|newpar)(?:\s.*)?")
_NO_SPACE = "SpaceAfter=No"


class MetadataRules:
    """The rules for comments and spaces; ids are compared with those of all sentences so far."""

    def __init__(self) -> None:
        self._sent_ids: set[str] = set()
        self._parallel_ids: set[str] = set()
        self._last: dict[tuple[str, str], int | None] = {}  # the last alternative, and the last part, by sentence
        self._glued = False  # is there no space after the last sentence?

    def begin_file(self) -> None:
        self._glued = False

    def check(self, sentence: SentenceLines, report: Report) -> None:
        self._check_sent_id(sentence, report)
        self._check_parallel_id(sentence, report)
        self._check_breaks(sentence, report)
        texts = _matching(_TEXT, sentence)
        if not texts:
            report("missing-text", sentence.line(0), "none")
        elif len(texts) > 1:
            report("multiple-text", texts[1][0], "another")
        else:
            self._check_text(sentence, texts[0][0], texts[0][1][1], report)

    def _check_sent_id(self, sentence: SentenceLines, report: Report) -> None:
        found = _matching(_SENT_ID, sentence)
        _report_malformed("sent_id", "invalid-sent-id", _SENT_ID, sentence, report)
        if not found:
            report("missing-sent-id", sentence.line(0), "none")
        elif len(found) > 1:
            report("multiple-sent-id", found[1][0], quoted(found[1][1][1]))
        else:
            line, value = found[0][0], found[0][1][1]
            if value in self._sent_ids:
                report("non-unique-sent-id", line, quoted(value))
            if value.count("/") > 1:
                report("slash-in-sent-id", line, quoted(value))
            self._sent_ids.add(value)

    def _check_parallel_id(self, sentence: SentenceLines, report: Report) -> None:
        found = _matching(_PARALLEL_ID, sentence)
        _report_malformed("parallel_id", "invalid-parallel-id", _PARALLEL_ID, sentence, report)
        if len(found) > 1:
            report("multiple-parallel-id", found[1][0], quoted(found[1][1][1]))
        elif found:
            line, match = found[0]
            if match[1] in self._parallel_ids:
                report("non-unique-parallel-id", line, quoted(match[1]))
                return
            self._parallel_ids.add(match[1])
            for kind, digits in (("alt", match[3]), ("part", match[4])):
                number = int(digits) if digits else None
                known = (kind, match[2]) in self._last
                last = self._last.get((kind, match[2]))
                expected = None if known and last is None else (last or 0) + 1
                if number != expected and (known or number is not None):
                    report(f"parallel-id-{kind}", line, f"{quoted(match[1])} after {kind} {last or 'none'}")
                self._last[kind, match[2]] = number

    def _check_breaks(self, sentence: SentenceLines, report: Report) -> None:
        found = _matching(_BREAK, sentence)
        for kind in ("newdoc", "newpar"):
            lines = [line for line, match in found if match[1] == kind]
            if len(lines) > 1:
                report(f"multiple-{kind}", lines[1], "another")
        if found and self._glued:
            report("spaceafter-newdocpar", found[0][0], "one at the end of the last sentence")

    def _check_text(self, sentence: SentenceLines, line: int, text: str, report: Report) -> None:
        if not text:
            report("empty-text", line, "none")
        elif text[-1].isspace():
            report("text-trailing-whitespace", line, quoted(text[-20:]))
        tokens = _tokens(sentence, report)
        if tokens:
            self._glued = tokens[-1][2]
        together = "".join(form if glued else f"{form} " for _, form, glued in tokens)
        if together.removesuffix(" ") != text:
            _compare(sentence, tokens, line, text, report)


def _matching(pattern: re.Pattern[str], sentence: SentenceLines) -> list[tuple[int, re.Match[str]]]:
    """The lines of the comments that a pattern describes."""
    found = (
        (at, pattern.fullmatch(comment)) for at, comment in enumerate(sentence.comments, start=sentence.first_line)
    )
    return [(line, match) for line, match in found if match]


def _report_malformed(name: str, rule: str, pattern: re.Pattern[str], sentence: SentenceLines, report: Report) -> None:
    for line, comment in enumerate(sentence.comments, start=sentence.first_line):
        if comment.startswith((f"# {name}", f"#{name}")) and not pattern.fullmatch(comment):
            report(rule, line, quoted(comment))


def _tokens(sentence: SentenceLines, report: Report) -> list[tuple[int, str, bool]]:
    """The row, the form and whether no space follows, of each token; SpaceAfter in a wrong place is reported."""
    tokens = []
    inside = 0  # the last word of the last multiword token
    for at, row in enumerate(sentence.rows):
        glued = False
        if "SpaceAfter" in row[9]:
            items = row[9].split("|")
            glued = _NO_SPACE in items
            if "NoSpaceAfter=Yes" in row[9]:
                report("nospaceafter-yes", sentence.line(at), quoted(row[9]))
            if any(item.startswith("SpaceAfter=") and item != _NO_SPACE for item in items):
                report("spaceafter-value", sentence.line(at), quoted(row[9]))
        if "." in row[0]:
            if glued:
                report("spaceafter-empty-node", sentence.line(at), quoted(row[9]))
        elif "-" in row[0]:
            inside = int(row[0].split("-")[1])
            tokens.append((at, row[1], glued))
        elif int(row[0]) > inside:
            tokens.append((at, row[1], glued))
        elif glued:
            report("spaceafter-mwt-node", sentence.line(at), quoted(row[9]))
    return tokens


def _compare(
    sentence: SentenceLines, tokens: list[tuple[int, str, bool]], line: int, text: str, report: Report
) -> None:
    """Follows the tokens through the text; one difference is reported for each sentence, for it causes others."""
    place = 0
    for at, form, glued in tokens:
        if not text.startswith(form, place):
            rest = text[place : place + 21]
            report("text-form-mismatch", sentence.line(at), f"{quoted(form)} where the text has {quoted(rest, 20)}")
            return
        place += len(form)
        if glued:
            continue
        if place < len(text) and not text[place].isspace():
            rest = text[place : place + 21]
            report("missing-spaceafter", sentence.line(at), f"{quoted(form)} before {quoted(rest, 20)}")
        while place < len(text) and text[place].isspace():
            place += 1
    if place < len(text):
        report("text-extra-chars", line, quoted(text[place : place + 61]))
