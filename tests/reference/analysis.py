"""Criteria word by word: the slow, obvious reference of `panparser.lab.analysis`. Needs no pandas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from panparser.treebank.sentences import Sentence, Token
from panparser.treebank.treebank import Treebank


def slow_criteria(train: Treebank | None = None) -> dict[str, Callable[[Token], str]]:
    """The value of each criterion for a word, with numbers neither capped nor binned; `frequency` needs a treebank."""
    found: dict[str, Callable[[Token], str]] = {
        "form": lambda token: token.form,
        "lemma": lambda token: token.lemma,
        "upos": lambda token: token.upos,
        "xpos": lambda token: token.xpos,
        "feats": lambda token: token.feats,
        "feats.Number": lambda token: token.features.get("Number", "none"),
        "misc": lambda token: token.misc,
        "misc.SpaceAfter": lambda token: token.misc_values.get("SpaceAfter", "none"),
        "label": lambda token: token.label,
        "base-label": lambda token: token.label.split(":")[0],
        "kind": _kind,
        "tag-pair": lambda token: f"{token.upos}-{_of_head(token, lambda head: head.upos)}",
        "direction": _direction,
        "difficulty": _difficulty,
        "length": lambda token: _number(_length(token), "root"),
        "depth": lambda token: _number(len(way) if (way := _way_up(token)) else None),
        "root-distance": lambda token: _number(abs(way[-1].id - token.id) if (way := _way_up(token)) else None),
        "children": lambda token: str(len(_children(token))),
        "left-children": lambda token: str(sum(child.id < token.id for child in _children(token))),
        "right-children": lambda token: str(sum(child.id > token.id for child in _children(token))),
        "position": lambda token: str(token.id),
        "quarter": lambda token: str(next(q for q in (1, 2, 3, 4) if token.id - 1 < q * len(token.sentence) / 4)),
        "sentence-length": lambda token: str(len(token.sentence)),
        "sentence": lambda token: str(token.sentence.position + 1),
    }
    for name in ("form", "lemma", "upos", "xpos", "label", "base-label"):
        found[f"head-{name}"] = lambda token, inner=found[name]: _of_head(token, inner)  # type: ignore[misc]
    if train is not None:
        seen = Counter(token.form for sentence in train for token in sentence)
        found["frequency"] = lambda token: _number(seen[token.form], "unknown")
    return found


def slow_scores(
    gold: Treebank, predicted: Treebank, criterion: Callable[[Token], str], ignore: tuple[str, ...] = ("PUNCT",)
) -> dict[str, tuple[int, int, int]]:
    """For each class of gold words: their number, those with the correct head, and those with the correct label too."""
    found: dict[str, tuple[int, int, int]] = {}
    for sentence, other in zip(gold, predicted, strict=True):
        for token, guess in zip(sentence, other, strict=True):
            if token.upos in ignore or token.head is None:
                continue
            words, heads, both = found.get(criterion(token), (0, 0, 0))
            head = token.head == guess.head
            label = token.label.split(":")[0] == guess.label.split(":")[0]
            found[criterion(token)] = (words + 1, heads + head, both + (head and label))
    return found


def _number(number: int | None, zero: str = "0") -> str:
    return "none" if number is None else str(number) if number else zero


def _of_head(token: Token, value: Callable[[Token], str]) -> str:
    if token.head is None:
        return "none"
    return value(token.sentence[token.head - 1]) if token.head else "ROOT"


def _direction(token: Token) -> str:
    if not token.head:
        return "none" if token.head is None else "root"
    return "left" if token.head < token.id else "right"


def _difficulty(token: Token) -> str:
    if token.head is None:
        return "none"
    is_simple = token.upos in ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "PRON", "SCONJ") and token.head > token.id
    return "simple" if is_simple else "complex"


def _kind(token: Token) -> str:
    label = token.label.split(":")[0]
    if label in ("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp"):
        return "core"
    if label in ("aux", "cop", "mark", "det", "clf", "case", "cc"):
        return "function"
    if label in ("fixed", "flat", "compound"):
        return "multiword"
    others = "obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod"
    return "non-core" if label in others.split() else "other"


def _length(token: Token) -> int | None:
    return abs(token.head - token.id) if token.head else token.head


def _children(token: Token) -> list[Token]:
    return [other for other in token.sentence if other.head == token.id]


def _way_up(token: Token) -> list[Token]:
    """The word and its ancestors up to the child of Root; [] if Root is not reached."""
    sentence: Sentence = token.sentence
    way = [token]
    while way[-1].head and len(way) <= len(sentence):
        way.append(sentence[way[-1].head - 1])
    return way if way[-1].head == 0 else []
