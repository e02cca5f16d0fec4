"""Validation of files by all rules up to a level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

from panparser.errors import TreebankError
from panparser.treebank.conllu import Block, Source, iter_blocks, source_name
from panparser.treebank.sentence_lines import Report, SentenceLines, iter_sentence_texts
from panparser.treebank.treebank import Format, Problem
from panparser.validation.comment_rules import MetadataRules
from panparser.validation.line_rules import WordRules, check_characters
from panparser.validation.rules import RULES
from panparser.validation.tree_rules import TreeRules

_MARK = "\ufeff"  # a byte-order mark


@dataclass
class ValidationReport:
    """What was found in a file: `counts` of all problems by rule, and `problems`, of each rule as many as asked for."""

    path: str
    sentences: int = 0
    words: int = 0
    unreadable_sentences: int = 0  # sentences whose lines, columns or numbers make further checks impossible
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_valid(self) -> bool:
        """Are there no problems but warnings?"""
        return all(rule in RULES and RULES[rule].warning for rule in self.counts)


class Validator:
    """Validates the files of one treebank: ids of sentences must differ in all of them."""

    def __init__(self, *, level: int = 2, ignore: Collection[str] = (), max_problems: int | None = None) -> None:
        if level not in (1, 2):
            raise TreebankError(f"validate: level must be 1 or 2; got {level!r}")
        if unknown := sorted(set(ignore) - set(RULES)):
            raise TreebankError(f"validate: ignore must be some of {', '.join(RULES)}; got {unknown[0]!r}")
        self._level, self._ignored, self._most = level, frozenset(ignore), max_problems
        self._words = WordRules()
        self._trees = TreeRules(self._words.enhanced)
        self._metadata = MetadataRules()

    def check(
        self,
        source: Source,
        *,
        format: Format | Literal["auto"] = "auto",
        progress: Callable[[ValidationReport], None] | None = None,
    ) -> ValidationReport:
        """What a file has; CoNLL-X is checked by the reader alone."""
        result = ValidationReport(source_name(source))
        self._metadata.begin_file()
        for block in iter_blocks(source, format=format):
            if block.format == "conllx":
                self._read(block, result)
            else:
                self._check_block(block, result)
            if progress is not None:
                progress(result)
        return result

    def _read(self, block: Block, result: ValidationReport) -> None:
        treebank = block.read(single_root="multiple-roots" not in self._ignored)
        result.sentences += len(treebank)
        result.words += treebank.words
        result.unreadable_sentences += treebank.skipped_sentences
        result.problems += [problem for problem in treebank.parse_problems if self._counts(problem.rule, result)]

    def _counts(self, rule: str, result: ValidationReport) -> bool:
        """Counts a problem; is it one of those to be kept?"""
        result.counts[rule] += 1
        return self._most is None or result.counts[rule] <= self._most

    def _check_block(self, block: Block, result: ValidationReport) -> None:
        found: list[Problem] = []

        def report(rule: str, line: int, what: str) -> None:
            if rule not in self._ignored and self._counts(rule, result):
                found.append(Problem(result.path, line, rule, RULES[rule].expected, what, "", RULES[rule].fatal))

        text = block.text.decode(errors="replace")
        if block.line == 1 and text.startswith(_MARK):
            report("invalid-line", 1, "a byte-order mark")
            text = text.removeprefix(_MARK)
        check_characters(text, block.line, report)
        if "\r" in text:
            line = text[: text.index("\r")].count("\n") + block.line
            if not result.counts["non-unix-newline"]:  # once for each file
                report("non-unix-newline", line, "a carriage return")
            text = text.replace("\r\n", "\n")
        self._check_sentences(text, block.line, result, report)
        result.problems += sorted(found, key=lambda problem: problem.line)

    def _check_sentences(self, text: str, line: int, result: ValidationReport, report: Report) -> None:
        for first_line, lines, is_terminated in iter_sentence_texts(text, line, report):
            sentence = SentenceLines.read(lines, first_line, report, is_terminated=is_terminated)
            if sentence is None:
                result.unreadable_sentences += bool(lines)
                continue
            result.sentences += 1
            result.words += sum(map(str.isdigit, [row[0] for row in sentence.rows]))
            if self._level >= 2:
                self._check_annotation(sentence, f"{result.path}:{sentence.line(0)}", report)

    def _check_annotation(self, sentence: SentenceLines, place: str, report: Report) -> None:
        self._words.check(sentence, report)
        self._trees.check(sentence, place, report)
        self._metadata.check(sentence, report)


def validate(
    *sources: Source,
    level: int = 2,
    ignore: Collection[str] = (),
    max_problems: int | None = None,
    format: Format | Literal["auto"] = "auto",
) -> list[ValidationReport]:
    """Checks the files of a treebank by the rules of Universal Dependencies, for each what was found.

    Level 1 is about lines, columns and numbers; level 2 adds tags, features, relations, trees, and comments. `ignore`
    names rules that do not matter, and `max_problems` is how many problems of each rule are kept. CoNLL-X, which has
    rules of its own, is checked as `read_conllu` does. Raises ConlluError if a file cannot be read at all.
    """
    validator = Validator(level=level, ignore=ignore, max_problems=max_problems)
    return [validator.check(source, format=format) for source in sources]
