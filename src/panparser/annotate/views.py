"""Sentences as JSON for the page, with the problems found by validation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from panparser.annotate.completion import Completion
from panparser.annotate.document import Document
from panparser.annotate.sentence_draft import SentenceDraft, Word
from panparser.errors import AnnotationError
from panparser.validation.rules import RULES
from panparser.validation.validator import Validator

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


View = dict[str, Any]
_SHOWN = ("form", "lemma", "upos", "xpos", "feats", "misc", "head", "label")
MAX_RELOCATION_DISTANCE = 300  # sentences around its place where one is looked for
_OF_TREES = ("non-tree", "multiple-roots")
_TAGS = ("upos", "xpos", "feats", "lemma")


def view_of(document: Document, index: int, completion: Completion) -> View:
    """A sentence, as `AnnotationSession.view` says."""
    draft = document.draft(index)
    undecided = [word.head is None or word.label is None for word in draft.words]
    return {
        "index": index,
        "key": draft.key,
        "version": document.entries[index].version,
        "model": completion.model,
        "done": draft.done,
        "sent_id": draft.comment("sent_id"),
        "text": text_of(draft),
        "comments": list(draft.comments),
        "note": draft.comment("note") or "",
        "words": [_word(number, draft, completion) for number in range(1, len(draft.words) + 1)],
        "multiword": [
            {"first": each.first, "last": each.last, "form": each.cells[0], "misc": each.cells[8]}
            for each in draft.multiword
        ],
        "empty": [
            {"id": f"{each.first}.{each.last}", "form": each.cells[0], "deps": each.cells[7]} for each in draft.empty
        ],
        "spans": [list(span) for span in draft.spans],
        "least_certain": completion.least_certain(draft),
        "right_to": undecided.index(True) if True in undecided else len(draft.words),
        "problems": _problems(draft, completion),
        "conflict": None if completion.conflict is None else completion.conflict.to_value(draft),
        "alternatives": None,
        "unreadable": None,
    }


def _problems(draft: SentenceDraft, completion: Completion) -> list[View]:
    """What is wrong, but for what the conflict says already: a circle, a second root."""
    said = () if completion.conflict is None else completion.conflict.words
    found = problems_of(draft, completion.words)
    return [each for each in found if each["rule"] not in _OF_TREES or each["word"] not in said]


def _word(number: int, draft: SentenceDraft, completion: Completion) -> View:
    word, shown = draft.words[number - 1], completion.words[number - 1]
    decided = {"head": word.head is not None, "label": word.label is not None}
    return {
        "id": number,
        **{name: getattr(shown, name) for name in _SHOWN},
        "decided": decided | {name: getattr(word, name) != "_" for name in _TAGS},
        "confidence": completion.head_confidence[number - 1],
        "label_confidence": completion.label_confidence[number - 1],
        "forbidden": list(word.forbidden),
    }


def unreadable_view(document: Document, index: int, why: str) -> View:
    """A sentence whose lines are no CoNLL-U: it can only be looked at."""
    around = {"index": index, "key": "", "version": 0, "model": 0, "done": False, "note": "", "right_to": 0}
    lists: View = {name: [] for name in ("words", "multiword", "empty", "spans", "problems", "comments")}
    nothing = dict.fromkeys(("sent_id", "least_certain", "conflict", "alternatives"))
    return {**around, "text": document.text(index), **lists, **nothing, "unreadable": why}


def relocate_sentence(document: Document, index: int, key: str) -> int:
    """Where a sentence is that was at `index`: the nearest with its key, or else what is there now."""
    for distance in range(min(MAX_RELOCATION_DISTANCE, len(document))):
        for at in {index - distance, index + distance}:
            with suppress(AnnotationError):
                if document.draft(at).key == key:
                    return at
    return max(0, min(index, len(document) - 1))


def listed(document: Document, index: int) -> View:
    """A sentence in a list."""
    draft = document.draft(index)
    return {"index": index, "sent_id": draft.comment("sent_id"), "text": text_of(draft), "done": draft.done}


def text_of(draft: SentenceDraft) -> str:
    """The text of a sentence: its comment, or its words."""
    return draft.comment("text") or " ".join(form for _, _, form, _ in draft.tokens())
