"""Tokenizer and sentence splitter: each place where a token may end gets a class (nothing, token, sentence).

`train_tokenizer` learns from the raw text of a treebank, `Tokenizer.tokenize` gives a treebank that accounts for every
character of a text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.kinds import BOOLEAN, TABLE, Nullable, Table
from panparser.base.types import IntArray
from panparser.errors import TreebankError
from panparser.learning.listeners import Listener
from panparser.learning.training_record import TrainingRecord
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, StoredModel
from panparser.tagging.sequences import AllowedLabels, SequenceItems, SequenceModel
from panparser.text.boundaries import (
    BREAK,
    NONE,
    PAIRS,
    Layout,
    Lexicon,
    splitter_window,
    tokenizer_window,
    whole_pairs,
)
from panparser.text.characters import code_points
from panparser.text.multiword import MultiwordRules, surface_words
from panparser.text.raw_text import INSIDE, SENTENCE, TOKEN, Marks, RawText, extract_raw_text
from panparser.text.splitting import decide, train_splitter
from panparser.text.streaming import Report, TextFormat, TextStart, finished, kind_of, stream
from panparser.text.text_output import Place, Tokens, sentence_per_line, to_treebank, tokens_by_lines, tokens_by_spaces
from panparser.treebank.treebank import Treebank, check_treebanks

_SPLITTER = "splitter."  # before names of arrays
EPOCHS = 6
_TRAINING_LENGTH = 40  # places in a training sequence: weights are averaged after each
_PREDICTION_LENGTH = 4096  # places in a sequence to be classified: threads share the sequences
_MAX_TOKENS = _engine.MAX_WORDS // 8  # in a sentence, so that a parser accepts it
_SETS = [[INSIDE, TOKEN, SENTENCE], [TOKEN, SENTENCE], [INSIDE, TOKEN], [TOKEN], [SENTENCE]]
_SEPARATOR = "\n\n"  # between unrelated texts
_ANY, _END, _WITHIN, _TOKEN, _SENTENCE = range(5)


@dataclass(frozen=True, repr=False)
class Tokenizer(StoredModel, kind="tokenizer", newest=1, prefix="tokenizer."):
    """Divides text into sentences, tokens and words; made by `train_tokenizer`.

    `spaced`: tokens may contain spaces. `whole`: pairs of kinds of characters between which tokens do not end.
    """

    model: SequenceModel
    lexicon: Lexicon
    unsplittable_pairs: npt.NDArray[np.bool_]
    allows_spaces: bool
    multiword: MultiwordRules
    splitter: SequenceModel | None = None  # for tokens that are sometimes one word and sometimes several
    training: TrainingRecord = field(default_factory=TrainingRecord)

    def tokenize(
        self,
        text: str,
        *,
        input_format: TextFormat = "text",
        place: Place | None = None,
        path: str = "<text>",
        threads: int = 1,
    ) -> Treebank:
        """A treebank of a text, from which the text can be rebuilt character for character.

        `input_format`: what the text is, as in `panparser parse --input-format`: "text", "paragraphs" (one per line),
        "lines" (a sentence per line), "tokens" (the same, with spaces between tokens), "vertical" (a token per line,
        with blank lines between sentences; `token-lines` on the command line).
        """
        return self._divide(text, input_format=input_format, place=place, path=path, threads=threads)[0]

    def _divide(
        self,
        text: str,
        *,
        input_format: TextFormat,
        place: Place | None,
        path: str,
        threads: int,
        unfinished: bool = False,
    ) -> tuple[Treebank, int]:
        """The treebank of a text, and how many characters are in it: without the last sentence, if that may go on."""
        points = code_points(text)
        tokens = Tokens.from_marks(points, self.marks(text, input_format=input_format, threads=threads))
        if unfinished:
            text, tokens = finished(text, tokens)
            points = points[: len(text)]
        rules = self.multiword
        splits = decide(self.splitter, rules, points, tokens, tokens.forms(text)) if rules.forms else None
        place = replace(place or Place(), lines=kind_of(input_format) == "paragraphs")
        return to_treebank(text, tokens, splits=splits, place=place, path=path), len(text)

    def stream(
        self,
        pieces: Iterable[str],
        *,
        input_format: TextFormat = "text",
        document: str = "",
        path: str = "<text>",
        threads: int = 1,
        report: Report | None = None,
        ranges: bool = True,
        start: TextStart | None = None,
    ) -> Iterator[Treebank]:
        """The treebanks of a text in pieces, as from `iter_text`; numbering continues from piece to piece.

        Where a piece ends within a sentence, all of the sentence is in the next treebank. A sentence of more words than
        a parser takes is an error; with `report`, it is left out, and `report` is called with the message. Without
        `ranges`, MISC has no TokenRange. `start`: where the text begins, if it is a part of another.
        """
        divide = partial(self._divide, input_format=input_format, path=path, threads=threads)
        return stream(
            divide,
            pieces,
            input_format=input_format,
            document=document,
            path=path,
            report=report,
            ranges=ranges,
            start=start,
        )

    def __repr__(self) -> str:
        return f"<Tokenizer {len(self.multiword.forms)} forms of several words, {self.model.size:,} bytes of weights>"

    def marks(self, text: str, *, input_format: TextFormat = "text", threads: int = 1) -> Marks:
        """What ends after each character, as in RawText."""
        kind = kind_of(input_format)
        if kind in ("tokens", "vertical"):
            return tokens_by_spaces(text) if kind == "tokens" else tokens_by_lines(text)
        points = code_points(text)
        marks = np.zeros(len(points), dtype=np.uint8)
        layout = Layout(points)
        if not len(layout):
            return marks
        at = layout.places(self.unsplittable_pairs)
        lines = None if kind == "text" else np.append(sentence_per_line(points), 0)[layout.origin[at]] == SENTENCE
        columns = layout.columns(at, self.lexicon)
        allowed = AllowedLabels(_sets(columns["gap"], self.allows_spaces, lines, kind == "lines"), _SETS)
        offsets = np.append(np.arange(0, len(at), _PREDICTION_LENGTH), len(at))
        found = self.model.predict(SequenceItems(offsets, columns, allowed=allowed), threads=threads)
        marks[layout.origin[at]] = found
        return marks if kind == "lines" else _shortened(marks)

    # --- Files ---

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """The tokenizer of a file; raises ModelError if the file is not a valid tokenizer."""
        return cls.read(path)

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        own: Arrays = {"words": self.lexicon.words, "classes": self.lexicon.classes, "whole": self.unsplittable_pairs}
        return self.model.to_arrays() | own | (self.splitter.to_arrays(_SPLITTER) if self.splitter else {})

    def to_values(self) -> dict[str, Any]:
        """The rest, as a manifest holds it."""
        return {
            "model": self.model.to_values(),
            "spaced": self.allows_spaces,
            "multiword": self.multiword.to_values(),
            "splitter": self.splitter.to_values() if self.splitter else None,
            "training": self.training.to_values(),
        }

    declared = Table(
        {"model": TABLE, "spaced": BOOLEAN, "multiword": TABLE, "splitter": Nullable(TABLE), "training": TABLE}
    )

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Tokenizer:
        model = SequenceModel.from_file(arrays, values["model"])
        inner = values["splitter"]
        splitter = None if inner is None else SequenceModel.from_file(arrays, inner, _SPLITTER)
        lexicon = Lexicon(arrays["words"], arrays["classes"])
        whole = arrays["whole"]
        if model.window != tokenizer_window() or model.classes.size != 3:
            raise ValueError("its weights are for other places")
        if splitter is not None and (splitter.window != splitter_window() or splitter.classes.size != 2):
            raise ValueError("its weights are for other tokens")
        if not lexicon.is_sound() or whole.shape != (PAIRS,) or whole.dtype != np.bool_:
            raise ValueError("its lexicon is of another form")
        rules, training = (
            MultiwordRules.from_values(values["multiword"]),
            TrainingRecord.from_values(values["training"]),
        )
        return cls(model, lexicon, whole, values["spaced"], rules, splitter, training)


def divided(
    pieces: Iterable[str],
    input_format: Literal["tokens", "vertical"],
    document: str = "",
    path: str = "<text>",
    report: Report | None = None,
    ranges: bool = True,
    start: TextStart | None = None,
) -> Iterator[Treebank]:
    """The treebanks of an already tokenized text in pieces; no tokenizer is needed."""
    marks = {"tokens": tokens_by_spaces, "vertical": tokens_by_lines}[input_format]

    def divide(text: str, *, place: Place, unfinished: bool) -> tuple[Treebank, int]:
        tokens = Tokens.from_marks(code_points(text), marks(text))
        text, tokens = finished(text, tokens) if unfinished else (text, tokens)
        return to_treebank(text, tokens, place=place, path=path), len(text)

    return stream(
        divide,
        pieces,
        input_format=input_format,
        document=document,
        path=path,
        report=report,
        ranges=ranges,
        start=start,
    )


def _sets(follows: IntArray, spaced: bool, ends: npt.NDArray[np.bool_] | None = None, whole: bool = False) -> IntArray:
    """Which classes are allowed at each place, by what follows it, as numbers of _SETS.

    `ends`: where sentences must end, beside blank lines; `whole`: they end nowhere else.
    """
    if whole:
        sets = np.where(follows == NONE, _WITHIN, _WITHIN if spaced else _TOKEN)
    else:
        sets = np.where(follows == NONE, _ANY, _ANY if spaced else _END)
        sets = np.where(follows == BREAK, _SENTENCE, sets)
    return (sets if ends is None else np.where(ends, _SENTENCE, sets)).astype(np.int32)


def _shortened(marks: Marks) -> Marks:
    """Marks with overlong sentences split, so that a parser accepts them."""
    ends = np.flatnonzero(marks)
    last = np.flatnonzero(marks[ends] == SENTENCE)
    if np.diff(last, prepend=-1, append=len(ends) - 1).max(initial=0) <= _MAX_TOKENS:
        return marks
    sentence = np.append(0, np.cumsum(marks[ends] == SENTENCE)[:-1])
    first = np.searchsorted(sentence, sentence)
    marks[ends[(np.arange(len(ends)) - first) % _MAX_TOKENS == _MAX_TOKENS - 1]] = SENTENCE
    return marks


def train_tokenizer(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    epochs: int = EPOCHS,
    seed: int = 1,
    listeners: Sequence[Listener] = (),
    threads: int | None = None,
) -> Tokenizer:
    """A tokenizer that divides text as a treebank does; with `dev`, that of the best epoch on it.

    `threads` (None: one for each core) change no byte.
    """
    # Imported here so that using a model does not load the training code.
    from panparser.tagging.sequence_training import record_of, train_sequence_model

    check_treebanks("train_tokenizer", treebank, dev)
    if not len(treebank):
        raise TreebankError(f"{treebank.path}: expected sentences for training, found none")
    raw = extract_raw_text(treebank)
    layout, marks = _marked(raw)
    whole = whole_pairs(layout, marks != INSIDE)
    lexicon = Lexicon.learn(layout, _begins(layout, marks))
    spaced = bool((layout.before_space & (marks == INSIDE)).any())
    learned = _items(*_marked(_with_shuffled(treebank, raw, seed)), whole, lexicon, spaced)
    model = train_sequence_model(
        tokenizer_window(),
        *learned,
        3,
        dev=None if dev is None else _items(*_marked(extract_raw_text(dev)), whole, lexicon, spaced),
        epochs=epochs,
        seed=seed,
        listeners=listeners,
        threads=threads,
    )
    rules = MultiwordRules.learn(treebank)
    points = code_points(raw.text)
    surface = list(surface_words(treebank)) if rules.forms else []
    forms, splits = [form for form, _ in surface], [words for _, words in surface]
    tokens = Tokens.from_marks(points, raw.marks)
    splitter = train_splitter(points, tokens, forms, splits, rules, seed, threads) if surface else None
    record = record_of(model, treebank, dev)
    if splitter is not None and splitter.training.interrupted:
        record = replace(record, interrupted=True)
    return Tokenizer(model, lexicon, whole, spaced, rules, splitter, record)


def _marked(raw: RawText) -> tuple[Layout, Marks]:
    """The layout of a text, and what ends after its characters."""
    layout = Layout(code_points(raw.text))
    return layout, np.append(raw.marks, np.uint8(INSIDE))[layout.origin]


def _with_shuffled(treebank: Treebank, raw: RawText, seed: int) -> RawText:
    """The text to learn from. If no documents are marked, sentence order may be random, so a shuffled copy is added."""
    if any(line.startswith("# newdoc") for sentence in treebank for line in sentence.comments):
        return raw
    order = np.random.default_rng(seed).permutation(len(treebank)).tolist()
    other = extract_raw_text(treebank[order])
    marks = np.concatenate([raw.marks, np.zeros(len(_SEPARATOR), np.uint8), other.marks])
    return RawText(f"{raw.text}{_SEPARATOR}{other.text}", marks)


def _items(
    layout: Layout, marks: Marks, whole: npt.NDArray[np.bool_], lexicon: Lexicon, spaced: bool
) -> tuple[SequenceItems, npt.NDArray[np.int32]]:
    at = layout.places(whole)
    offsets = np.append(np.arange(0, len(at), _TRAINING_LENGTH), len(at))
    columns = layout.columns(at, lexicon)
    return SequenceItems(offsets, columns, allowed=AllowedLabels(_sets(columns["gap"], spaced), _SETS)), marks[
        at
    ].astype(np.int32)


def _begins(layout: Layout, marks: Marks) -> npt.NDArray[np.bool_]:
    """Which characters begin sentences."""
    solid = np.flatnonzero(~layout.gap)
    ends = np.flatnonzero(marks == SENTENCE)
    begins = np.zeros(len(layout), dtype=bool)
    begins[solid[0]] = True
    begins[solid[np.searchsorted(solid, ends[ends < solid[-1]], side="right")]] = True
    return begins
