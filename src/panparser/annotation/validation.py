"""Validation of one sentence as it is typed, by the rules of `panparser validate`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from panparser.annotation.drafts import SentenceDraft, Word
from panparser.treebank.validation.rules import RULES
from panparser.treebank.validation.validator import Validator

_OF_FILES = ("edeps-only-sometimes",)  # rules that a sentence alone cannot break


def problems_of(draft: SentenceDraft, shown: Sequence[Word]) -> list[dict[str, Any]]:
    """What is wrong with a sentence as it is shown: rule, message, word (None: the sentence), level."""
    whole = replace(draft, words=tuple(shown), before="", after="\n\n", newline="\n")
    lines = [None] * len(draft.comments) + _words_of_lines(whole)
    found = Validator(ignore=_OF_FILES).check(io.BytesIO(whole.to_bytes()), format="conllu")
    return [
        {
            "rule": problem.rule,
            "message": f"expected {problem.expected}, found {problem.found}",
            "word": lines[problem.line - 1] if problem.line <= len(lines) else None,
            "level": RULES[problem.rule].level if problem.rule in RULES else 1,
            "warning": problem.rule in RULES and RULES[problem.rule].warning,
        }
        for problem in found.problems
    ]


def _words_of_lines(draft: SentenceDraft) -> list[int | None]:
    """For each line after the comments, the word that it is about."""
    rows = draft.to_text().split("\n")[len(draft.comments) : -2]
    return [int(row.partition("\t")[0].partition("-")[0].partition(".")[0]) or None for row in rows]
