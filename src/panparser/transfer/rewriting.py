"""Rewriting: a treebank in the word order of another language, by its typology."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from panparser.base.checks import MAX_INT, check_range
from panparser.base.types import BoolArray
from panparser.errors import SpecError, TreebankError
from panparser.transfer.dependents import ABSENT, AFTER, BEFORE, BOTH, CLASSES, NO_CLASS, classes_of
from panparser.transfer.typology import TypologicalFeature, Typology, stands_before_head
from panparser.treebank.statistics import crossing_arcs
from panparser.treebank.treebank import Treebank, with_value

SENTENCES_PER_REPORT = 256  # sentences between two reports of progress
_CELLS = ("form", "lemma", "upos", "xpos", "feats", "deprel")
_TEXT = re.compile(r"#\s*text\s*=")
_OF_THE_TEXT = ("SpaceAfter", "SpacesAfter", "SpacesBefore", "TokenRange")  # keys of MISC that new places make wrong


class Reordered:
    """Writes sentences of a treebank with their words in another order, and without what that makes wrong."""

    def __init__(self, treebank: Treebank) -> None:
        self.treebank = treebank
        self._columns = [(treebank.column(name), treebank.vocabulary(name)) for name in _CELLS]
        self._misc = [_without_places(cell) for cell in treebank.vocabulary("misc")]

    def written(self, index: int, order: Sequence[int], comment: str) -> str:
        """A sentence of some of its words, which count from 1, in this order; the comment tells what was done."""
        sentence = self.treebank[index]
        start = int(self.treebank.offsets[index])
        here = slice(start, start + len(sentence))
        heads = sentence.heads.tolist()
        ids = {word: id for id, word in enumerate(order, start=1)} | {0: 0}
        *cells, labels = ([names[i] for i in ids_[here].tolist()] for ids_, names in self._columns)
        before = ["\t".join(each) for each in zip(*cells, strict=True)]
        if self.treebank.format == "conllx":
            lines, misc = [], ["_"] * len(heads)
        else:
            lines = [line for line in sentence.comments if not _TEXT.match(line)] + [comment]
            misc = [self._misc[i] for i in self.treebank.column("misc")[here].tolist()]
        for word in order:
            at = word - 1
            lines.append(f"{ids[word]}\t{before[at]}\t{ids[heads[at]]}\t{labels[at]}\t_\t{misc[at]}")
        return "\n".join(lines) + "\n\n"


def obstacles(treebank: Treebank) -> tuple[BoolArray, BoolArray]:
    """For each sentence, whether it has crossing arcs, and whether it has words without heads."""
    sentence = treebank.sentence_of_word()
    crossing, headless = (
        np.bincount(sentence[bad], minlength=len(treebank)) > 0
        for bad in (crossing_arcs(treebank)[0], treebank.heads < 0)
    )
    return crossing, headless


def _without_places(cell: str) -> str:
    for key in _OF_THE_TEXT:
        cell = with_value(cell, key, None)
    return cell


Strength = Literal["full", "cautious"]
_MARGIN = 0.05  # shares that differ less are the same
_MOST, _LEAST = 0.9, 0.1  # before their heads: no language is without exceptions
_MORE, _LESS = 0.75, 0.25  # cautious ones, of a source that has both orders
_DOMINANT = 2 / 3  # WALS calls an order dominant if it is twice as frequent as the other
_KEPT = 2  # words that are left of every sentence


@dataclass(frozen=True)
class RewriteCount:
    """What became of a class of dependents in the sentences that can be rewritten.

    Shares are those of dependents before their heads: as found, as wanted, as they are now; None if there are no such
    words, or if nothing is wanted.
    """

    name: str
    feature: str
    found: int
    moved: int
    deleted: int
    before: float | None
    goal: float | None
    after: float | None
    trait: TypologicalFeature | None  # of the target


@dataclass(frozen=True)
class RewritingReport:
    """What `rewrite` did: sentences, those it changed, those it left as they are, and counts by class."""

    sentences: int
    changed: int
    nonprojective: int  # have crossing arcs
    missing_heads: int  # have words without heads
    counts: tuple[RewriteCount, ...]


def rewrite_word_order(
    treebank: Treebank,
    target: Typology,
    *,
    source: Typology | None = None,
    strength: Strength = "full",
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Treebank, RewritingReport]:
    """The treebank with the word order and the articles of a target language, and what was changed.

    Subtrees move to the other side of their heads, with a probability that makes the share of dependents before their
    heads that of the target (0.9 for "before", 0.1 for "after"; with strength="cautious" about half as far); articles
    that it lacks are deleted. Where the source, by default as measured on the treebank, has the same order, nothing
    moves. Sentences with crossing arcs or without a whole tree stay as they are; so do those in which nothing moves.
    Others lose what new places make wrong: multiword tokens, empty nodes, DEPS, SpaceAfter, `# text`. `progress` is
    called with the numbers of sentences done and in all. The same seed gives the same bytes.
    """
    _check(treebank, target, source, strength, seed)
    sentence = treebank.sentence_of_word()
    crossed, incomplete = obstacles(treebank)
    fit = ~(crossed | incomplete)
    plan = _planned(treebank, fit[sentence], target, source, strength, Random(seed))
    rewritten = _written(treebank, plan, progress) if plan.changes.any() else treebank.copy()
    after = _shares(rewritten, fit[rewritten.sentence_of_word()])
    return rewritten, RewritingReport(
        sentences=len(treebank),
        changed=len(np.unique(sentence[plan.changes])),
        nonprojective=int((crossed & ~incomplete).sum()),
        missing_heads=int(incomplete.sum()),
        counts=tuple(
            RewriteCount(
                name=each.name,
                feature=each.feature,
                found=int((plan.classes == number).sum()),
                moved=int((plan.moves & (plan.classes == number)).sum()),
                deleted=int((plan.deletions & (plan.classes == number)).sum()),
                before=plan.shares[number],
                goal=plan.goals.get(number),
                after=after[number],
                trait=next((trait for trait in target if trait.name == each.name), None),
            )
            for number, each in enumerate(CLASSES)
        ),
    )


def target_share(source: float, target: float, strength: Strength = "full") -> float | None:
    """The share of dependents before their heads that rewriting aims at; None if the orders are the same.

    An order (0, 1, or 0.5 for both) is that of the source if it dominates there; a share between them is aimed at as it
    is. Full: up to 0.9 or 0.1. Cautious: from one order half way to the other, from both to 0.75 or 0.25.
    """
    order, wanted_order = _order(source), _order(target)
    if order == wanted_order and (strength == "cautious" or target in (BEFORE, AFTER, BOTH)):
        return None
    wanted = min(max(target, _LEAST), _MOST)
    if strength == "cautious":
        limit = 0.5 if order != BOTH else _MORE if target > source else _LESS
        wanted = min(wanted, limit) if target > source else max(wanted, limit)
    return wanted


def _order(share: float) -> float:
    return BEFORE if share >= _DOMINANT else AFTER if share <= 1 - _DOMINANT else BOTH


def _check(treebank: object, target: object, source: object, strength: object, seed: object) -> None:
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"rewrite_word_order: treebank must be a Treebank; got {treebank!r}")
    for name, typology in (("target", target), ("source", source)):
        if not isinstance(typology, Typology) and (name == "target" or typology is not None):
            raise SpecError(f"rewrite_word_order: {name} must be a Typology; got {typology!r}")
    if strength not in get_args(Strength):
        raise SpecError(f"rewrite_word_order: strength must be {' or '.join(get_args(Strength))}; got {strength!r}")
    check_range("rewrite_word_order: seed", seed, 0, MAX_INT)
    treebank.check()
    if treebank.words and not treebank.column("upos").any():
        raise TreebankError(f"{treebank.path}: expected words with UPOS, by which rewriting knows them, found none")
    if treebank.words and not (treebank.heads >= 0).any():
        raise TreebankError(f"{treebank.path}: expected trees, found words without heads only")


# --- What is to be changed ---


@dataclass(frozen=True)
class _Plan:
    classes: npt.NDArray[np.int8]  # by word, NONE in sentences that stay as they are
    moves: BoolArray
    deletions: BoolArray
    shares: list[float | None]  # by class
    goals: dict[int, float]

    @property
    def changes(self) -> BoolArray:
        return self.moves | self.deletions


def _planned(
    treebank: Treebank, fit: BoolArray, target: Typology, source: Typology | None, strength: Strength, random: Random
) -> _Plan:
    """Which words move to the other side of their heads, and which are deleted; `fit` are those that may."""
    classes = np.where(fit, classes_of(treebank), np.int8(NO_CLASS))
    shares, goals = _shares(treebank, fit), dict[int, float]()
    moves, deletions = (np.zeros(treebank.words, np.bool_) for _ in range(2))
    is_before, has_children = stands_before_head(treebank), _has_children(treebank)
    for number, each in enumerate(CLASSES):
        value, share = target.get(each.name), shares[number]
        if value == ABSENT:
            deletions |= (classes == number) & ~has_children
        if not isinstance(value, float) or share is None:
            continue
        known = source.get(each.name) if source is not None else None
        wanted = target_share(known if isinstance(known, float) else share, value, strength)
        if wanted is None or abs(wanted - share) <= _MARGIN or (wanted - share) * (value - share) <= 0:
            continue  # as it is, or beyond what is wanted already
        goals[number] = wanted
        chance = (share - wanted) / share if share > wanted else (wanted - share) / (1 - share)
        for word in np.flatnonzero((classes == number) & (is_before == (share > wanted))).tolist():
            moves[word] = random.random() < chance
    _spare(treebank, deletions)
    return _Plan(classes, moves, deletions, shares, goals)


def _shares(treebank: Treebank, fit: BoolArray) -> list[float | None]:
    """By class, the share of dependents before their heads; None for articles, and where there are none."""
    classes, is_before = np.where(fit, classes_of(treebank), np.int8(NO_CLASS)), stands_before_head(treebank)
    members = [classes == number for number in range(len(CLASSES))]
    return [
        float(is_before[chosen].mean()) if chosen.any() and not each.is_article else None
        for each, chosen in zip(CLASSES, members, strict=True)
    ]


def _has_children(treebank: Treebank) -> BoolArray:
    found = np.zeros(treebank.words, np.bool_)
    starts, heads = treebank.offsets[treebank.sentence_of_word()], treebank.heads
    found[(starts + heads - 1)[heads > 0]] = True
    return found


def _spare(treebank: Treebank, deletions: BoolArray) -> None:
    """Keeps the last words of sentences that would have too few."""
    starts, ends = treebank.offsets[:-1], treebank.offsets[1:]
    deleted = np.concatenate(([0], np.cumsum(deletions)))
    for index in np.flatnonzero(ends - starts - (deleted[ends] - deleted[starts]) < _KEPT).tolist():
        here = np.flatnonzero(deletions[starts[index] : ends[index]]) + starts[index]
        deletions[here[max(0, ends[index] - starts[index] - _KEPT) :]] = False


# --- New sentences ---


def _written(treebank: Treebank, plan: _Plan, report: Callable[[int, int], None] | None) -> Treebank:
    is_changed = np.bincount(treebank.sentence_of_word()[plan.changes], minlength=len(treebank)) > 0
    sentences = Reordered(treebank)
    lines = []
    for index, changed in enumerate(is_changed.tolist()):
        lines.append(_rewritten(sentences, index, plan) if changed else treebank[index].to_conllu())
        if report is not None and index % SENTENCES_PER_REPORT == 0:
            report(index, len(treebank))
    return Treebank("".join(lines).encode(), path=treebank.path, format=treebank.format)


def _rewritten(sentences: Reordered, index: int, plan: _Plan) -> str:
    here = slice(*sentences.treebank.offsets[index : index + 2].tolist())
    classes, heads = plan.classes[here].tolist(), sentences.treebank.heads[here].tolist()
    moves = {word + 1: CLASSES[classes[word]].at_edge for word in np.flatnonzero(plan.moves[here]).tolist()}
    deleted = {word + 1 for word in np.flatnonzero(plan.deletions[here]).tolist()}
    counts = Counter(classes[word - 1] for word in moves), Counter(classes[word - 1] for word in deleted)
    return sentences.written(
        index, [word for word in new_order(heads, moves) if word not in deleted], _comment(*counts)
    )


def new_order(heads: Sequence[int], moves: Mapping[int, bool]) -> list[int]:
    """The words 1..n of a projective tree, some of them on the other side of their heads with all that is below them.

    `moves` has the words, and whether they move to the edge of what the head heads, or next to the head. The order of
    those that move is mirrored: what was nearest to the head stays so.
    """
    left: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    right: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        (left if word < head else right)[head].append(word)
    for head in {heads[word - 1] for word in moves}:
        sides = left[head], right[head][::-1]  # each from the edge to the head
        from_left, from_right = ([word for word in side if word in moves] for side in sides)
        left[head] = _joined(from_right, sides[0], moves)
        right[head] = _joined(from_left, sides[1], moves)[::-1]
    order, pending = [], [0]
    while pending:  # what is below a word, or, as a negative number, the word itself
        token = pending.pop()
        if token < 0:
            order.append(-token)
        else:
            pending += right[token][::-1]
            pending += [-token] if token else []
            pending += left[token][::-1]
    return order


def _joined(coming: list[int], side: list[int], moves: Mapping[int, bool]) -> list[int]:
    """The children on one side of a head, from the edge to the head: those that come, and those that stay."""
    staying = [word for word in side if word not in moves]
    at_edge = [word for word in coming if moves[word]]
    return [*at_edge, *staying, *(word for word in coming if not moves[word])]


def _comment(moved: Counter[int], deleted: Counter[int]) -> str:
    items = [f"{each.feature}:{moved[number]}" for number, each in enumerate(CLASSES) if moved[number]]
    items += [f"{each.feature}:-{deleted[number]}" for number, each in enumerate(CLASSES) if deleted[number]]
    return f"# rewritten = {' '.join(items)}"
