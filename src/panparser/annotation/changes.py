"""Changes that edits are made of: of words, heads and labels; and what a sentence allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from panparser.annotation.drafts import SentenceDraft, Word
from panparser.errors import AnnotationError
from panparser.treebank.treebank import is_cell

_LABEL = re.compile(r"[^\s|]+")


def position(draft: SentenceDraft, word: int) -> int:
    if not 1 <= word <= len(draft.words):
        raise AnnotationError(f"the sentence has words 1..{len(draft.words)}; got {word}")
    return word - 1


def with_values(draft: SentenceDraft, word: int, **values: Any) -> SentenceDraft:
    at = position(draft, word)
    return replace(draft, words=(*draft.words[:at], replace(draft.words[at], **values), *draft.words[at + 1 :]))


def with_head(draft: SentenceDraft, word: int, head: int) -> SentenceDraft:
    check_head(draft, word, head)
    now = draft.words[word - 1].under(head)
    return with_values(draft, word, head=now.head, label=now.label, forbidden=now.forbidden)


def with_shown(draft: SentenceDraft, start: int, stop: int, shown: Sequence[Word]) -> SentenceDraft:
    """With what is shown of some words; what has been decided of them stays."""
    if len(shown) != len(draft.words):
        raise AnnotationError("what was shown is of another sentence")
    words = list(draft.words)
    for at in range(start, stop):
        word, seen = words[at], shown[at]
        names = ("lemma", "upos", "xpos", "feats")
        values = {name: getattr(seen, name) for name in names if getattr(word, name) == "_"}
        head = seen.head if word.head is None else word.head
        words[at] = replace(word, head=head, label=word.label or seen.label, **values)
    return replace(draft, words=tuple(words))


def check_head(draft: SentenceDraft, word: int, head: int) -> None:
    position(draft, word)
    if not 0 <= head <= len(draft.words) or head == word:
        raise AnnotationError(f"the head of word {word} must be 0..{len(draft.words)} but {word}; got {head}")


def check_range(draft: SentenceDraft, first: int, last: int, least: int = 1) -> None:
    if not 1 <= first <= last <= len(draft.words) or last - first + 1 < least:
        raise AnnotationError(f"expected {least} or more of words 1..{len(draft.words)}; got {first}-{last}")


def checked_label(label: str) -> str:
    if not is_cell(label) or label == "_" or not _LABEL.fullmatch(label):
        raise AnnotationError(f"a label must be a text without spaces; got {label!r}")
    return label


def check_form(form: str) -> None:
    if not is_cell(form) or form == "_":
        raise AnnotationError(f"a form must be a text without tabs, line ends and spaces around it; got {form!r}")
