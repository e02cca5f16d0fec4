"""Glossed sentences: words, their morphemes and glosses, and a free translation; what every format is read into."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

OPENING = '"“„‚«‹([{¡¿'
_CLOSING = '.,;!?…"”“»›)]}。，؟،'  # no apostrophe and no colon: letters of many orthographies
_EDGES = re.compile(f"(?P<before>[{re.escape(OPENING)}]*)(?P<word>.*?)(?P<after>[{re.escape(_CLOSING)}]*)", re.DOTALL)
_SIGNS = frozenset("-=~<>.,;:!?…\"'“”„‚‘’«»‹›()[]{}¡¿–—/。，؟،")
_SEPARATOR = re.compile(r"[-=~]")  # between morphemes, by the Leipzig rules 2 and 10
_RUN = re.compile(r"(.)\1*")
_ZERO = re.compile(r"(?:^|[-=~])[∅Ø](?=[-=~]|$)")  # a morpheme that is not heard
_INFIX = re.compile(r"<([^<>]*)>")  # rule 9


@dataclass(frozen=True, kw_only=True)
class Morpheme:
    """A part of a word with its gloss; either may be unknown: an empty text."""

    form: str = ""
    gloss: str = ""
    separator: str = ""  # what joins it to the part before: - = ~, or < for an infix
    lemma: str = ""  # the citation form
    tag: str = ""  # the part of speech
    is_stem: bool | None = None  # None: to be seen from its gloss


@dataclass(frozen=True, kw_only=True)
class GlossedWord:
    """A word as it is written, its parts, and what is said of it as a whole; what is unknown is an empty text."""

    form: str
    morphemes: tuple[Morpheme, ...] = ()
    gloss: str = ""  # of the whole word
    tag: str = ""  # part of speech of the whole word
    space_after: bool = True
    segmented: str = ""  # the morphemes as they are written, with their joints
    glossed: str = ""  # their glosses, likewise

    @property
    def is_punctuation(self) -> bool:
        return not self.morphemes and not self.gloss and _SIGNS.issuperset(self.form)


@dataclass(frozen=True, kw_only=True)
class GlossedSentence:
    """Words and their free translation, with the place in the file where the sentence begins."""

    words: tuple[GlossedWord, ...]
    translation: str = ""
    id: str = ""
    document: str = ""  # the text that begins with this sentence
    language: str = "en"  # of the translation
    path: str = "<text>"
    line: int = 1

    @property
    def text(self) -> str:
        """The words as running text."""
        pieces = [word.form + " " * word.space_after for word in self.words]
        return "".join(pieces).rstrip(" ")


class GlossMismatchError(Exception):
    """Words and glosses that do not fit: what was expected, what was found."""


def split_punctuation(text: str) -> tuple[str, str, str]:
    """A word without the punctuation marks around it, and these."""
    found = _EDGES.fullmatch(text)
    assert found is not None
    return (found["before"], found["word"], found["after"]) if found["word"] else ("", text, "")


def bare_gloss(text: str) -> str:
    """A gloss without the punctuation of its sentence; brackets are its own."""
    return text.strip('.,;!?…"“”«»') or text


def with_punctuation(word: GlossedWord, before: str, after: str) -> list[GlossedWord]:
    """A word, and marks as words of their own, each run of equal ones (...) as one."""
    signs = [[GlossedWord(form=found[0]) for found in _RUN.finditer(marks)] for marks in (before, after)]
    words = [*signs[0], word, *signs[1]]
    return [*(replace(each, space_after=False) for each in words[:-1]), words[-1]]


def plain_words(text: str) -> list[GlossedWord]:
    """The words of a text without glosses: divided at white space, punctuation marks apart."""
    words: list[GlossedWord] = []
    for token in text.split():
        before, bare, after = split_punctuation(token)
        words += with_punctuation(GlossedWord(form=bare), before, after)
    return words


def written_word(form: str, segmented: str, glossed: str) -> GlossedWord:
    """A word of a line, with its segmentation and its glosses, which the same signs divide.

    `form` may be empty: then it is the segmentation without them. Raises Misglossed if they have different numbers of
    morphemes; only a word that is not segmented at all may have several glosses.
    """
    glosses = split_morphemes(glossed)
    forms = split_morphemes(segmented)
    if len(forms) == 1 < len(glosses):
        whole = form or segmented
        parts = tuple(Morpheme(gloss=gloss, separator=joint) for joint, gloss in glosses)
        return GlossedWord(form=whole, morphemes=parts, glossed=glossed)
    if len(forms) != len(glosses):
        raise GlossMismatchError(
            f"expected as many glosses as morphemes in {segmented!r}, which has {len(forms)}, "
            f"found {len(glosses)} in {glossed!r}"
        )
    parts = tuple(
        Morpheme(form=part, gloss=gloss, separator=joint)
        for (joint, part), (_, gloss) in zip(forms, glosses, strict=True)
    )
    return GlossedWord(
        form=form or join_morphemes(segmented),
        morphemes=parts,
        segmented=segmented if len(forms) > 1 else "",
        glossed=glossed,
    )


def split_morphemes(text: str) -> list[tuple[str, str]]:
    """The parts of a segmented word, or of its gloss, each with the sign before it; infixes come first."""
    infixes = [("<", part) for part in _INFIX.findall(text) if part]
    rest = _INFIX.sub("", text) if infixes else text
    signs = ["", *_SEPARATOR.findall(rest)]
    parts = [(sign, part) for sign, part in zip(signs, _SEPARATOR.split(rest), strict=True) if part]
    if not infixes:
        return parts or [("", text)]
    return [*infixes, *parts]


def join_morphemes(segmented: str) -> str:
    """A segmented word as it is written: without the signs between its morphemes, and without those not heard."""
    return re.sub(r"[-=~<>]", "", _ZERO.sub("", segmented)) or segmented
