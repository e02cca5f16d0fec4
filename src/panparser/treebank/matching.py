"""Checks that treebanks are analyses of the same words, or of parallel sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panparser.errors import TreebankError
from panparser.treebank.treebank import Treebank, check_lengths


def check_alike(treebanks: Sequence[Treebank]) -> None:
    """Raises TreebankError, with the first difference, unless all treebanks have the same words."""
    if not isinstance(treebanks, Sequence) or not treebanks:
        raise TreebankError(f"expected a list of Treebanks, at least one; got {treebanks!r}")
    for treebank in treebanks:
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        treebank.check()
        check_lengths(treebank)
    for other in treebanks[1:]:
        _check_pair(treebanks[0], other)


def _check_pair(first: Treebank, other: Treebank) -> None:
    """Compares words, and where sentences begin."""
    numbers: dict[str, int] = {}
    sides = []
    for treebank in (first, other):
        forms = [numbers.setdefault(text, len(numbers)) for text in treebank.vocabulary("form")]
        position = np.arange(treebank.words) - treebank.offsets[treebank.sentence_of_word()]
        sides.append(np.stack([np.array(forms)[treebank.column("form")], position]))
    shared = min(first.words, other.words)
    differs = (sides[0][:, :shared] != sides[1][:, :shared]).any(axis=0)
    word = int(differs.argmax()) if differs.any() else shared
    if word == first.words == other.words:
        return
    wanted, found = _place(first, word), _place(other, word)
    raise TreebankError(f"{found[0]}: expected {wanted[1]} as in {wanted[0]}, found {found[1]}")


def check_parallel(source: Treebank, target: Treebank, *, ids: bool = True) -> None:
    """Raises TreebankError, with the first difference, unless both have as many sentences.

    With `ids` they must also have the same sent_id, where both have one.
    """
    for treebank in (source, target):
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        treebank.check()
    shared = min(len(source), len(target))
    number = shared
    if ids:
        names = ((source[i].sent_id, target[i].sent_id) for i in range(shared))
        number = next((i for i, (a, b) in enumerate(names) if a and b and a != b), shared)
    if number == len(source) == len(target):
        return
    wanted, found = _sentence(source, number), _sentence(target, number)
    counts = "" if len(source) == len(target) else f" ({len(source)} and {len(target)} sentences)"
    raise TreebankError(f"{found[0]}: expected {wanted[1]} as in {wanted[0]}, found {found[1]}{counts}")


def _sentence(treebank: Treebank, number: int) -> tuple[str, str]:
    """File and line of a sentence, and what it is."""
    if number == len(treebank):
        return treebank.path, "no more sentences"
    sentence = treebank[number]
    name = f" (sent_id {sentence.sent_id})" if sentence.sent_id else ""
    return f"{treebank.path}:{sentence.line}", f"sentence {number + 1}{name}"


def _place(treebank: Treebank, word: int) -> tuple[str, str]:
    """File and line of a word, and what it is."""
    if word == treebank.words:
        return f"{treebank.path}", "no more words"
    number = int(treebank.sentence_of_word()[word])
    sentence, position = treebank[number], word - int(treebank.offsets[number]) + 1
    before = sum(first <= position for first, _, _ in treebank.extra_lines("ranges", number))
    before += sum(after < position for after, _, _ in treebank.extra_lines("empty_nodes", number))
    line = sentence.line + len(sentence.comments) + before + position - 1
    form = treebank.vocabulary("form")[treebank.column("form")[word]]
    return f"{treebank.path}:{line}", f"{form!r} (word {position} of sentence {number + 1})"
