"""Regions of competence: the best of several parsers for each class of arcs, by a sample or by similarity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from panparser.base.checks import MAX_INT, NON_NEGATIVE, check_count, check_number
from panparser.base.types import BoolArray
from panparser.errors import SpecError, TreebankError
from panparser.transfer.similarity import TagTrigramCounts, measure_similarity_by_tag
from panparser.treebank.arc_regions import ArcRegion, Arcs
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import UPOS

PRIOR_WORDS, MIN_ARCS, MIN_SPLIT_ARCS = 20, 5, 30
Class = tuple[str, str, str | None]  # tag, direction, tag of the head; None: any other


@dataclass(frozen=True)
class CompetenceRegions:
    """The regions in which a candidate is the best, and how precise it is there, from 0 to 1: the mean of the classes.

    By similarity there is no precision (None), but a mean divergence.
    """

    regions: tuple[ArcRegion, ...]
    precision: float | None = None
    divergence: float | None = None


def competent_regions(
    gold: Treebank,
    predictions: Sequence[Treebank],
    *,
    divergences: Sequence[float | None] | None = None,
    prior: float = PRIOR_WORDS,
    min_count: int = MIN_ARCS,
    min_split_count: int = MIN_SPLIT_ARCS,
) -> list[CompetenceRegions]:
    """For each candidate the classes of arcs for which it is the best, by its `predictions` for a sample.

    It must not have learned from them (`jackknife`). Classes are those of tag and direction, and by the tag of the head
    as well where there are at least `min_split_count` such arcs. The precision of a candidate in a class of n arcs that
    it finds is (right + prior * all) / (n + prior), where `all` is its precision over all arcs. Of equal ones, and for
    classes with fewer than `min_count` gold arcs, the candidate with the least of the `divergences` is taken; without
    (None), the candidate is one of the language itself, and comes last.
    """
    _check_parameters(gold, predictions, divergences, prior, min_count, min_split_count)
    nearness = [math.inf if each is None else each for each in divergences or [0.0] * len(predictions)]
    known = gold.heads >= 0
    truth = Counter(_arcs(gold, known))
    finer = {arc for arc, count in truth.items() if count >= min_split_count and arc[1] != "root"}
    counts = Counter(_class(arc, finer) for arc in truth.elements())
    totals, rights = [], []
    for each in predictions:
        right = (each.heads == gold.heads)[known].tolist()
        classes = [_class(arc, finer) for arc in _arcs(each, known)]
        totals.append(Counter(classes))
        rights.append(Counter(name for name, is_right in zip(classes, right, strict=True) if is_right))
    overall = [own.total() / max(1, all_.total()) for own, all_ in zip(rights, totals, strict=True)]

    def precision(number: int, name: Class) -> float:
        return (rights[number][name] + prior * overall[number]) / max(1e-9, totals[number][name] + prior)

    chosen: list[list[tuple[Class, float]]] = [[] for _ in predictions]
    for name in sorted({*counts, *(name for each in totals for name in each)}, key=str):
        near = min(range(len(predictions)), key=nearness.__getitem__)
        best = max(range(len(predictions)), key=lambda number: (precision(number, name), -nearness[number], -number))
        winner = near if counts[name] < min_count else best
        chosen[winner].append((name, precision(winner, name)))
    tags = _tags([gold, *predictions])
    return [
        CompetenceRegions(
            _regions([name for name, _ in own], finer, tags), sum(p for _, p in own) / len(own) if own else None
        )
        for own in chosen
    ]


def similar_regions(
    target: Treebank | TagTrigramCounts, sources: Sequence[Treebank | TagTrigramCounts]
) -> list[CompetenceRegions]:
    """For each source the tags (UPOS) whose words have the most similar neighbors there: a region, or none.

    The divergence is that of `similarity_by_tag`. Tags that no source has are in no region.
    """
    if isinstance(sources, Treebank) or not isinstance(sources, Sequence) or not sources:
        raise SpecError(f"similar_regions: sources must be a list of treebanks, at least one; got {sources!r}")
    wanted = target if isinstance(target, TagTrigramCounts) else TagTrigramCounts.from_treebank(target)
    far = [measure_similarity_by_tag(wanted, source) for source in sources]
    chosen: list[list[str]] = [[] for _ in sources]
    for tag in wanted.tags:
        nearest = min(range(len(sources)), key=lambda number: far[number].get(tag, math.inf))
        if tag in far[nearest]:
            chosen[nearest].append(tag)
    return [
        CompetenceRegions((ArcRegion(upos=tuple(tags)),), divergence=sum(own[tag] for tag in tags) / len(tags))
        if tags
        else CompetenceRegions(())
        for tags, own in zip(chosen, far, strict=True)
    ]


def _check_parameters(
    gold: object,
    predictions: object,
    divergences: Sequence[float | None] | None,
    prior: float,
    min_count: int,
    min_split_count: int,
) -> None:
    if not isinstance(gold, Treebank):
        raise TreebankError(f"competent_regions: gold must be a Treebank; got {gold!r}")
    if isinstance(predictions, Treebank) or not isinstance(predictions, Sequence) or not predictions:
        raise SpecError(
            f"competent_regions: predictions must be a list of treebanks, at least one; got {predictions!r}"
        )
    for each in predictions:
        if not isinstance(each, Treebank) or each.words != gold.words:
            raise TreebankError(
                f"competent_regions: predictions must be the sentences of {gold.path}, parsed; got {each!r}"
            )
    if divergences is not None and len(divergences) != len(predictions):
        raise SpecError(
            f"competent_regions: divergences must be {len(predictions)}, one for each candidate; got {len(divergences)}"
        )
    check_number("competent_regions: prior", prior, NON_NEGATIVE)
    for name, value in (("min_count", min_count), ("min_split_count", min_split_count)):
        check_count(f"competent_regions: {name}", value, maximum=MAX_INT)


def _arcs(treebank: Treebank, known: BoolArray) -> list[tuple[str, str, str]]:
    """Tag, direction and tag of the head of the words whose heads are known."""
    arcs = Arcs.from_treebank(treebank)
    rows = zip(*(arcs.names(name) for name in ("upos", "direction", "head_upos")), strict=True)
    return [row for row, is_known in zip(rows, known.tolist(), strict=True) if is_known]


def _class(arc: tuple[str, str, str], finer: set[tuple[str, str, str]]) -> Class:
    return arc if arc in finer else (arc[0], arc[1], None)


def _tags(treebanks: Iterable[Treebank]) -> list[str]:
    found = {tag for each in treebanks for tag in each.vocabulary("upos")}
    return sorted({*found, *UPOS} - {"_"})


def _regions(classes: Sequence[Class], finer: set[tuple[str, str, str]], tags: Sequence[str]) -> tuple[ArcRegion, ...]:
    """As few regions as have these classes."""
    by_rest: dict[tuple[str, tuple[str, ...] | None], list[str]] = {}
    for upos, direction, head in classes:
        own = {each for tag, side, each in finer if (tag, side) == (upos, direction)}
        heads = (head,) if head is not None else tuple(tag for tag in tags if tag not in own) if own else None
        by_rest.setdefault((direction, heads), []).append(upos)
    found: Mapping[tuple[str, tuple[str, ...] | None], list[str]] = by_rest
    return tuple(
        ArcRegion(upos=tuple(sorted(set(upos))), direction=direction, head_upos=heads)  # type: ignore[arg-type]
        for (direction, heads), upos in sorted(found.items(), key=str)
    )
