"""Tokenizer and sentence splitter: each place where a token may end gets a class (nothing, token, sentence).

`train_tokenizer` learns from the raw text of a treebank, `Tokenizer.tokenize` gives a treebank that accounts for every
character of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import TextError
from panparser.listeners import Listener
from panparser.sequence_training import train_sequences
from panparser.sequences import Allowed, Items, SequenceModel, Window
from panparser.templates import Templates
from panparser.text.boundaries import BREAK, NAMES, NONE, SPACE, Layout, Lexicon, columns, places, whole_pairs
from panparser.text.characters import Ints, code_points
from panparser.text.multiword import MultiwordRules
from panparser.text.raw import INSIDE, SENTENCE, TOKEN, Marks, RawText, raw_text
from panparser.text.writing import (
    Place,
    Tokens,
    sentence_per_line,
    to_treebank,
    tokens_by_lines,
    tokens_by_spaces,
)
from panparser.treebank import Treebank

Given = Literal["nothing", "sentences", "tokens", "vertical"]
_LESSON = 40  # places in a sequence to learn from: the average is taken after each
_SEQUENCE = 4096  # places in a sequence to be classified: threads share them
_LONGEST = _engine.MAX_WORDS // 8  # tokens in a sentence; a parser refuses longer ones
_SETS = [[INSIDE, TOKEN, SENTENCE], [TOKEN, SENTENCE], [INSIDE, TOKEN], [TOKEN], [SENTENCE]]
_ANY, _END, _WITHIN, _TOKEN, _SENTENCE = range(5)
_TEMPLATES = """
gap b0 | gap f0 | gap b1 b0 | gap b0 f0 | gap b0 f0 f1 | gap b1 b0 f0 | gap b2 b1 b0 | gap f0 f1 | gap b1 f0 | b0 f0 f0s
gap b0s f0s | gap b0 f0s | gap b0s f0 | gap b1s b0s f0s | gap b1s b0 f0s | gap b0s f0s f1s | gap b0 f0s f1s
gap b1 b0 f0s | gap b1s b0 f0s f1s | gap b2s b1s b0s f0s | gap b1s b0s f0s f1s f2s | gap b1s b0 f0 | gap b0 f0l f0s
gap b1l b0 f0l | gap b1l b0 f0s f0l | gap b0l f0l | gap b1s b0 f0l f0s | gap b0 f0 f1l f1s | gap b1 b0 f0l f0s
gap b1g b0 f0s | gap b0g b1s b0 f0s f1g | gap b0g b1g b1 b0 f1g | b0g b0 gap f1g f0 | left gap | left gap f0s | left gap f0
right gap | left right | chunk left | chunk gap f0s | next gap b0 | next gap left | previous left gap | previous left next
gap b0 depth f0s | gap b0 quotes f0s | gap b0 f0 quotes | gap b0 f0 depth | gap b0s rest f0s | gap b0 rest far | gap b0s far f0s
d2 d1 c0 c1 c2 | d1 c0 c1 | c0 c1 c2 | d1 c0 c1 c2 | T-1 gap b0 f0s | T-1 gap b0s f0s
traits gap b0 f0s | traits gap b0s f0 | traits T-1 gap b0 f0s | traits T-1 c0 c1 | traits gap b0s f0s f1s | traits gap b0 f1 | T-1 T-2 traits gap c0 c1
shape gap b0 | shape gap b0s f0s | shape left gap | T-1 T-2 gap b0s f0s | T-1 b0 gap b0g
"""


def _window() -> Window:
    """The templates, with each column read at the place itself."""
    lines = [template.split() for line in _TEMPLATES.strip().splitlines() for template in line.split("|")]
    words = [" ".join(w if w.startswith("T-") else f"W0.{w}" for w in template) for template in lines]
    return Window(templates=Templates.parse("\n".join(words)), columns=tuple(NAMES))


@dataclass(frozen=True)
class Tokenizer:
    """Divides text into sentences, tokens and words; `train_tokenizer` makes one.

    `spaced`: tokens may have spaces in them. `whole`: pairs of kinds of characters between which tokens do not end.
    """

    model: SequenceModel
    lexicon: Lexicon
    whole: npt.NDArray[np.bool_]
    spaced: bool
    multiword: MultiwordRules

    def tokenize(
        self,
        text: str,
        *,
        given: Given = "nothing",
        place: Place | None = None,
        path: str = "<text>",
        threads: int = 1,
    ) -> Treebank:
        """A treebank of a text, from which the text can be rebuilt character for character.

        `given` says what the text's lines tell: "sentences" (one a line), "tokens" (a sentence a line, with spaces
        between tokens), "vertical" (a token a line, with blank lines between sentences).
        """
        tokens = Tokens.of(code_points(text), self.marks(text, given=given, threads=threads))
        splits = self.multiword.splits(tokens.forms(text)) if self.multiword.forms else None
        return to_treebank(text, tokens, splits=splits, place=place, path=path)

    def marks(self, text: str, *, given: Given = "nothing", threads: int = 1) -> Marks:
        """What ends after each character, as in RawText."""
        if given not in get_args(Given):
            raise TextError(f"given must be {', '.join(get_args(Given))}; got {given!r}")
        if given in ("tokens", "vertical"):
            return tokens_by_spaces(text) if given == "tokens" else tokens_by_lines(text)
        points = code_points(text)
        marks = np.zeros(len(points), dtype=np.uint8)
        layout = Layout.of(points)
        if not len(layout):
            return marks
        at = places(layout, self.whole)
        lines = np.append(sentence_per_line(points), 0)[layout.origin[at]] if given == "sentences" else None
        allowed = Allowed(self._sets(layout, at, lines), _SETS)
        offsets = np.append(np.arange(0, len(at), _SEQUENCE), len(at))
        found = self.model.predict(Items(offsets, columns(layout, at, self.lexicon), allowed=allowed), threads=threads)
        marks[layout.origin[at]] = found
        return _shortened(marks) if given == "nothing" else marks

    def _sets(self, layout: Layout, at: Ints, lines: Marks | None) -> npt.NDArray[np.int32]:
        """Which classes are allowed at each place, as numbers of _SETS."""
        follows = layout.follows[at]
        if lines is None:
            sets = np.where(follows == NONE, _ANY, _ANY if self.spaced else _END)
            return np.where(follows == BREAK, _SENTENCE, sets).astype(np.int32)
        sets = np.where(follows == NONE, _WITHIN, _WITHIN if self.spaced else _TOKEN)
        return np.where(lines == SENTENCE, _SENTENCE, sets).astype(np.int32)


def _shortened(marks: Marks) -> Marks:
    """Marks with sentences of no more tokens than a parser takes."""
    ends = np.flatnonzero(marks)
    sentence = np.append(0, np.cumsum(marks[ends] == SENTENCE)[:-1])
    first = np.searchsorted(sentence, sentence)
    marks[ends[(np.arange(len(ends)) - first) % _LONGEST == _LONGEST - 1]] = SENTENCE
    return marks


def train_tokenizer(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    epochs: int = 10,
    seed: int = 1,
    listeners: Sequence[Listener] = (),
) -> Tokenizer:
    """A tokenizer that divides text as a treebank does; with `dev`, of all epochs the one that does best there."""
    if not len(treebank):
        raise TextError(f"{treebank.path}: expected sentences to learn from, found none")
    raw = raw_text(treebank)
    layout = Layout.of(code_points(raw.text))
    marks = np.append(raw.marks, np.uint8(INSIDE))[layout.origin]
    whole = whole_pairs(layout, marks != INSIDE)
    lexicon = Lexicon.learn(layout, _begins(layout, marks))
    spaced = bool(((layout.follows == SPACE) & (marks == INSIDE)).any())
    learned = _items(layout, marks, whole, lexicon)
    options: dict[str, Any] = {"epochs": epochs, "seed": seed, "listeners": listeners}
    if dev is not None and len(dev):
        text = raw_text(dev)
        other = Layout.of(code_points(text.text))
        options["dev"] = _items(other, np.append(text.marks, np.uint8(INSIDE))[other.origin], whole, lexicon)
    model = train_sequences(_window(), *learned, 3, **options)
    return Tokenizer(model, lexicon, whole, spaced, MultiwordRules.learn(treebank))


def _items(
    layout: Layout, marks: Marks, whole: npt.NDArray[np.bool_], lexicon: Lexicon
) -> tuple[Items, npt.NDArray[np.int32]]:
    at = places(layout, whole)
    offsets = np.append(np.arange(0, len(at), _LESSON), len(at))
    return Items(offsets, columns(layout, at, lexicon)), marks[at].astype(np.int32)


def _begins(layout: Layout, marks: Marks) -> npt.NDArray[np.bool_]:
    """Which characters begin sentences."""
    solid = np.flatnonzero(~layout.gap)
    ends = np.flatnonzero(marks == SENTENCE)
    begins = np.zeros(len(layout), dtype=bool)
    begins[solid[0]] = True
    begins[solid[np.searchsorted(solid, ends[ends < solid[-1]], side="right")]] = True
    return begins

