"""Edit scripts: the shortest rules on prefix, suffix and case that make a lemma from a form.

A script is a short text. `l0,3,0:y` lower-cases the form, takes nothing from its start and three characters from its
end, and puts a prefix of length 0 before and `y` behind: *Studies* becomes *study*. `=be` is the lemma itself, for
pairs that share nothing. Scripts count characters instead of spelling them out, so that few scripts cover many words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from panparser.treebank.treebank import Treebank

# In order of preference: words that are written in lower case anyway, and those that begin a sentence, share a script.
_CASES: dict[str, Callable[[str], str]] = {
    "l": str.lower,
    "k": lambda form: form,
    "f": lambda form: form[:1].lower() + form[1:],
    "t": lambda form: form[:1].upper() + form[1:].lower(),
    "u": str.upper,
}
_SCRIPT = re.compile(r"([lkftu])(\d+),(\d+),(\d+):(.*)", re.DOTALL)
_NOTHING = "_"  # an empty cell
_MAX_LENGTH = 100  # characters searched for a common substring; longer words compare their prefixes only


def script(form: str, lemma: str) -> str:
    """The shortest script that makes the lemma from the form."""
    best, least = f"={lemma}", len(form) + len(lemma)
    for case, change in _CASES.items():
        changed = change(form)
        start, at, length = _common_part(changed, lemma)
        cost = len(changed) + len(lemma) - 2 * length
        if length and cost < least:
            end = len(changed) - start - length
            best, least = f"{case}{start},{end},{at}:{lemma[:at]}{lemma[at + length :]}", cost
        if not least:
            break
    return best


def apply(script: str, form: str) -> str | None:
    """The lemma that a script makes from a form; None if the form is too short for it."""
    if script.startswith("="):
        return script[1:] or None
    case, start, end, prefix, added = _parsed(script)
    changed = _CASES[case](form)
    if start + end >= len(changed):
        return None
    return f"{added[:prefix]}{changed[start : len(changed) - end]}{added[prefix:]}"


def made_scripts(treebank: Treebank) -> list[str | None]:
    """The script that makes each word's lemma from its form; None if the lemma is unknown (`_`)."""
    forms, lemmas = treebank.vocabulary("form"), treebank.vocabulary("lemma")
    codes = treebank.column("form").astype(np.int64) * len(lemmas) + treebank.column("lemma")
    found, of_word = np.unique(codes, return_inverse=True)
    pairs = ((forms[code // len(lemmas)], lemmas[code % len(lemmas)]) for code in found.tolist())
    made = [None if lemma == _NOTHING and form != _NOTHING else script(form, lemma) for form, lemma in pairs]
    return [made[number] for number in of_word.tolist()]


@lru_cache(maxsize=4096)
def _parsed(script: str) -> tuple[str, int, int, int, str]:
    match = _SCRIPT.fullmatch(script)
    if match is None:
        raise ValueError(f"an edit script looks like l0,1,0:y or =be; got {script!r}")
    return match[1], int(match[2]), int(match[3]), int(match[4]), match[5]


def _common_part(form: str, lemma: str) -> tuple[int, int, int]:
    """The longest common substring: its start in each, and its length; ties go to the first in the lemma."""
    if len(form) > _MAX_LENGTH or len(lemma) > _MAX_LENGTH:
        length = 0
        while length < min(len(form), len(lemma)) and form[length] == lemma[length]:
            length += 1
        return 0, 0, length
    for length in range(min(len(form), len(lemma)), 0, -1):
        for at in range(len(lemma) - length + 1):
            start = form.find(lemma[at : at + length])
            if start >= 0:
                return start, at, length
    return 0, 0, 0
