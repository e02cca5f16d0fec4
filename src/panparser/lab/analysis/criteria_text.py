"""The built-in criteria, and criteria and conditions as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import TypeVar

import numpy as np

from panparser.errors import AnalysisError
from panparser.lab.analysis.criteria import (
    KEYWORDS,
    RANKS,
    TOKEN,
    And,
    By,
    Comparison,
    Condition,
    Criterion,
    InSet,
    JointCriterion,
    Key,
    Matches,
    Not,
    Or,
)
from panparser.lab.analysis.word_columns import NONE, Column, Words, is_number, join, same
from panparser.treebank.universal import base_label

_SIDE = re.compile(r"(gold|predicted\d*)\.(.+)")
_KEYED = ("feats", "misc")
_HEAD = "head-"
_MAX_PARTS = 100  # of a criterion
_KINDS = {  # of labels, after the table of universal relations
    "core": "nsubj obj iobj csubj ccomp xcomp".split(),
    "non-core": "obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod".split(),
    "function": "aux cop mark det clf case cc".split(),
    "multiword": "fixed flat compound".split(),
}
_KIND_OF = {label: kind for kind, labels in _KINDS.items() for label in labels}
_SIMPLE = frozenset("DET ADP AUX PRON ADJ CCONJ ADV SCONJ".split())  # before their heads; Aufrant's thesis


# --- What is built in ---


def _error(words: Words) -> Column:
    """What is wrong with the arc of a predicted word."""
    gold = _reference(words, "error")
    head, label = gold.heads != words.heads, ~same(gold, words, "deprel", base_label)
    codes = np.where(words.heads < 0, 4, head + 2 * label)
    return Column(codes, ("correct", "head", "label", "head and label", "no head"), True)


def _tagging(words: Words) -> Column:
    return Column(same(_reference(words, "tagging"), words, "upos").astype(np.int64), ("incorrect", "correct"), True)


def _difficulty(words: Words) -> Column:
    """Simple are function words and modifiers that stand before their heads."""
    simple = np.array([tag in _SIMPLE for tag in words.treebank.vocabulary("upos")], dtype=bool)
    codes = np.where(simple[words.treebank.column("upos")] & (words.heads > words.ids), 0, 1)
    return Column(np.where(words.heads < 0, 2, codes), ("simple", "complex", NONE), True)


def _reference(words: Words, name: str) -> Words:
    if words.gold is None:
        raise AnalysisError(f"{name}: expected a prediction to compare with the gold, found the gold alone")
    return words.gold


FORM = Criterion("form", "FORM", lambda words: words.text("form"))
LEMMA = Criterion("lemma", "LEMMA", lambda words: words.text("lemma"))
UPOS = Criterion("upos", "UPOS, the universal tag", lambda words: words.text("upos"))
XPOS = Criterion("xpos", "XPOS, the treebank's own tag", lambda words: words.text("xpos"))
FEATS = Criterion("feats", "FEATS as a whole; feats.Case: the value of one feature", lambda words: words.text("feats"))
MISC = Criterion("misc", "MISC as a whole; misc.Key: the value of one key", lambda words: words.text("misc"))
LABEL = Criterion("label", "DEPREL, with its subtype", lambda words: words.text("deprel"))
BASE_LABEL = Criterion("base-label", "DEPREL without its subtype", lambda words: words.text("deprel", base_label))
KIND = Criterion(
    "kind",
    "kind of the label: core, non-core, function, multiword; other",
    lambda words: words.text("deprel", lambda label: _KIND_OF.get(base_label(label), "other")),
)
HEAD_FORM, HEAD_LEMMA, HEAD_UPOS, HEAD_XPOS, HEAD_LABEL, HEAD_BASE_LABEL = (
    Criterion(
        f"{_HEAD}{each.name}",
        f"{each.name} of the head; ROOT for Root",
        lambda words, each=each: each.classes(words).at(words.parents),  # type: ignore[misc]
    )
    for each in (FORM, LEMMA, UPOS, XPOS, LABEL, BASE_LABEL)
)
TAG_PAIR = Criterion(
    "tag-pair",
    "UPOS of the word and of its head, as in NOUN-VERB",
    lambda words: join([UPOS.classes(words), HEAD_UPOS.classes(words)]),
)
DIRECTION = Criterion("direction", "where the head stands: left, right; root", lambda words: words.direction)
DIFFICULTY = Criterion(
    "difficulty",
    f"simple: {', '.join(sorted(_SIMPLE))} whose head stands to the right; complex: all others",
    _difficulty,
)
LENGTH = Criterion(
    "length",
    "words from the dependent to its head; root",
    lambda words: words.length,
    True,
    (1, 2, 3, 4, 5, 6, 11, 21),
    "root",
)
DEPTH = Criterion("depth", "arcs up to Root; 1: a child of Root", lambda words: words.depth, True, tuple(range(1, 9)))
ROOT_DISTANCE = Criterion(
    "root-distance",
    "words from the child of Root that it depends on; 0: that child",
    lambda words: words.root_distance,
    True,
    (0, 1, 2, 3, 5, 10, 20),
)
CHILDREN = Criterion("children", "number of dependents", lambda words: words.children(), True, (0, 1, 2, 3, 4, 5))
LEFT_CHILDREN = Criterion(
    "left-children",
    "number of dependents to its left",
    lambda words: words.children(right=False),
    True,
    (0, 1, 2, 3, 4),
)
RIGHT_CHILDREN = Criterion(
    "right-children",
    "number of dependents to its right",
    lambda words: words.children(left=False),
    True,
    (0, 1, 2, 3, 4),
)
POSITION = Criterion(
    "position", "position in the sentence, from 1", lambda words: words.ids, True, (1, 2, 3, 4, 5, 6, 11, 21, 41)
)
QUARTER = Criterion(
    "quarter", "quarter of the sentence, 1 to 4", lambda words: (words.ids - 1) * 4 // words.sentence_length + 1, True
)
SENTENCE_LENGTH = Criterion(
    "sentence-length",
    "words of the sentence",
    lambda words: words.sentence_length,
    True,
    (1, 6, 11, 21, 31, 41, 61),
)
SENTENCE = Criterion("sentence", "number of the sentence, from 1", lambda words: words.sentence + 1, True)
FREQUENCY = Criterion(
    "frequency",
    "how often the form is in the training file; unknown",
    lambda words: words.frequency,
    True,
    (0, 1, 3, 10, 100),
    "unknown",
)
CROSSING = Criterion(
    "crossing",
    "is the arc projective: crossing, projective",
    lambda words: Column(words.crossing.astype(np.int64), ("projective", "crossing"), True),
)
ERROR = Criterion("error", "what is wrong: correct, head, label, head and label, no head", _error, side="predicted")
CONFIDENCE = Criterion(
    "confidence",
    "Confidence in MISC, in percent; none",
    lambda words: words.confidence,
    True,
    (0, 50, 60, 70, 80, 90, 95, 99),
    side="predicted",
)
TAGGING = Criterion("tagging", "is the predicted UPOS correct: correct, incorrect", _tagging, side="predicted")

CRITERIA: dict[str, Criterion] = {
    each.name: each
    for each in (
        FORM, LEMMA, UPOS, XPOS, FEATS, MISC, LABEL, BASE_LABEL, KIND,
        HEAD_FORM, HEAD_LEMMA, HEAD_UPOS, HEAD_XPOS, HEAD_LABEL, HEAD_BASE_LABEL, TAG_PAIR,
        DIRECTION, DIFFICULTY, LENGTH, DEPTH, ROOT_DISTANCE, CHILDREN, LEFT_CHILDREN, RIGHT_CHILDREN,
        POSITION, QUARTER, SENTENCE_LENGTH, SENTENCE, FREQUENCY, CROSSING, ERROR, TAGGING, CONFIDENCE,
    )
}  # fmt: skip


# --- As text ---


def keys(by: By) -> tuple[Key, ...]:
    """The criteria of a table, given as values or as text; `upos,head-upos` is two."""
    if by is None:
        return ()
    if isinstance(by, Criterion | JointCriterion):
        return (by,)
    if isinstance(by, str):
        return tuple(key(part) for part in by.split(","))
    if not isinstance(by, Sequence):
        raise AnalysisError(f"expected a criterion, as a value or as text, or several; got {by!r}")
    return tuple(found for each in by for found in keys(each))


def key(text: str) -> Key:
    """A criterion, or several joined with +."""
    parts = [criterion(part) for part in text.strip().split("+")]
    return parts[0] if len(parts) == 1 else JointCriterion(tuple(parts))


def criterion(text: str) -> Criterion:
    """The criterion of that name. Raises AnalysisError, with the nearest known name, if there is none."""
    if not isinstance(text, str):
        raise AnalysisError(f"expected a criterion, as a value or as text; got {text!r}")
    if text.count("-") + text.count(".") > _MAX_PARTS:  # heads of heads of heads, and so on
        raise AnalysisError(f"expected a criterion, found one of more than {_MAX_PARTS} parts: {text[:20]}...")
    return _criterion(text.strip())


@lru_cache(maxsize=1024)  # one text, one value: frames keep columns by it
def _criterion(text: str) -> Criterion:
    if match := _SIDE.fullmatch(text):
        return criterion(match[2]).on(match[1])
    name, colon, bins = text.partition(":")
    if name.startswith(_HEAD) and len(name) > len(_HEAD) and name not in CRITERIA:
        inner = criterion(text.removeprefix(_HEAD))
        return replace(
            inner,
            name=text,
            description=f"{inner.name} of the head",
            is_numeric=False,
            function=lambda words: inner.classes(words).at(words.parents),
        )
    if colon:
        return _with_bins(criterion(name), bins)
    if name in CRITERIA:
        return CRITERIA[name]
    column, dot, value = name.partition(".")
    if dot and value and column in _KEYED:
        return Criterion(name, f"{value} of {column.upper()}", lambda words: words.value(column, value))
    raise AnalysisError(unknown_name("criterion", name, CRITERIA))


def unknown_name(description: str, name: str, names: Iterable[str]) -> str:
    """The message for an unknown name: the nearest known one, and all."""
    names = list(names)
    near = get_close_matches(name.lower(), names, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown {description} {name!r}; {hint}expected one of {', '.join(names)}"


def _with_bins(base: Criterion, bins: str) -> Criterion:
    if bins == "all":
        return replace(base.exact(), name=f"{base.name}:all") if base.is_numeric else base.binned()
    starts = bins.split("/")
    if not all(map(is_number, starts)):
        raise AnalysisError(
            f"bins of {base}: expected a number (depth:4), numbers (length:1/3/6) or all, found {bins!r}"
        )
    numbers = [int(start) for start in starts]
    changed = base.capped(numbers[0]) if len(numbers) == 1 else base.binned(*numbers)
    return replace(changed, name=f"{base.name}:{bins}")


T = TypeVar("T")


def condition(text: str | Condition) -> Condition:
    """Parses a condition. Raises AnalysisError, which shows the text with a caret, if it is malformed."""
    if isinstance(text, Condition):
        return text
    if not isinstance(text, str):
        raise AnalysisError(f"expected a condition, as a value or as text; got {text!r}")
    try:
        return _Reader(text).whole()
    except RecursionError:
        raise AnalysisError("expected a condition, found one that is nested too deeply") from None


@dataclass(frozen=True)
class _Token:
    kind: str  # sign, quoted, word, end
    text: str
    start: int
    end: int


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[_Token] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = TOKEN.match(text, at)
            if match is None:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise self.error(_Token("", "", start, start + 1), "expected a word, a sign or a text in quotes")
            kind = match.lastgroup or ""
            self.tokens.append(_Token(kind, match[kind], match.start(kind), match.end(kind)))
            at = match.end()
        self.tokens.append(_Token("end", "the end", len(text), len(text) + 1))
        self.next = 0

    def whole(self) -> Condition:
        found = self.either()
        if self.now.kind != "end":
            raise self.error(self.now, f"expected and, or, or the end, found {self.now.text}")
        return found

    @property
    def now(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.now
        self.next += token.kind != "end"
        return token

    def accept(self, *texts: str) -> bool:
        """Advances if the next token is this sign or keyword."""
        found = self.now.kind != "quoted" and self.now.text in texts
        self.next += found
        return found

    def either(self) -> Condition:
        parts = [self.both()]
        while self.accept("or"):
            parts.append(self.both())
        return _balanced(Or, parts)

    def both(self) -> Condition:
        parts = [self.single()]
        while self.accept("and"):
            parts.append(self.single())
        return _balanced(And, parts)

    def single(self) -> Condition:
        if self.accept("not"):
            return Not(self.single())
        if self.accept("("):
            found = self.either()
            if not self.accept(")"):
                raise self.error(self.now, f"expected ), found {self.now.text}")
            return found
        return self.comparison()

    def comparison(self) -> Condition:
        name = self.take()
        if name.kind != "word" or name.text in KEYWORDS:
            raise self.error(name, f"expected a criterion, found {name.text}")
        of = self.located(name, lambda: key(name.text))
        negated = self.accept("not")
        sign = self.take()
        if sign.text == "in" and sign.kind == "word":
            found: Condition = InSet(of, self.values())
        elif negated:
            raise self.error(sign, f"expected in after not, found {sign.text}")
        elif sign.text in ("=", "==", "!="):
            found = InSet(of, (self.value(),))
        elif sign.text in ("~", "!~"):
            value = self.now
            found = self.located(value, lambda: Matches(of, self.value()))
        elif sign.text in RANKS:
            return self.ranked(name, of, sign.text)
        else:
            raise self.error(sign, f"expected = != < <= > >= ~ !~ or in, found {sign.text}")
        return Not(found) if negated or sign.text.startswith("!") else found

    def ranked(self, name: _Token, of: Key, sign: str) -> Condition:
        token = self.now
        value = self.value()
        if not is_number(value):
            raise self.error(token, f"expected a number after {sign}, found {value}")
        return self.located(name, lambda: Comparison(of, sign, int(value)))

    def values(self) -> tuple[str, ...]:
        if not self.accept("("):
            raise self.error(self.now, f"expected ( after in, found {self.now.text}")
        found = [self.value()]
        while self.accept(","):
            found.append(self.value())
        if not self.accept(")"):
            raise self.error(self.now, f"expected , or ), found {self.now.text}")
        return tuple(found)

    def value(self) -> str:
        token = self.take()
        if token.kind == "quoted":
            return token.text[1:-1]
        if token.kind != "word" or token.text in KEYWORDS:
            raise self.error(token, f"expected a value (in quotes if it is a sign or a keyword), found {token.text}")
        return token.text

    def located(self, token: _Token, make: Callable[[], T]) -> T:
        try:
            return make()
        except AnalysisError as error:
            raise self.error(token, str(error)) from None

    def error(self, token: _Token, problem: str) -> AnalysisError:
        line = self.text.replace("\n", " ").replace("\t", " ") or "(nothing)"
        return AnalysisError(f"{problem}\n    {line}\n    {' ' * token.start}{'^' * (token.end - token.start)}")


def _balanced(join: Callable[[Condition, Condition], Condition], parts: list[Condition]) -> Condition:
    """Combines many conditions into a balanced tree, so that nesting stays shallow."""
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return join(_balanced(join, parts[:middle]), _balanced(join, parts[middle:]))
