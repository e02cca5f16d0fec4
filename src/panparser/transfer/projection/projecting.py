"""Projection of trees over aligned words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from panparser.base.checks import PROBABILITY, check_count, check_number
from panparser.base.types import LongArray
from panparser.ensembles.combining import combine_trees
from panparser.errors import AlignmentError, ConlluWarning, SpecError, TreebankError
from panparser.parsing.confidence import clear_parse_metadata
from panparser.transfer.projection.alignment import AlignerConfig, align_words
from panparser.transfer.projection.links import WordAlignments
from panparser.treebank.matching import check_parallel
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label


def warn_of_forests(treebank: Treebank) -> None:
    """Warns of sentences with several roots, which are seldom meant, and of which parsers find one."""
    roots = np.bincount(treebank.sentence_of_word()[treebank.heads == 0], minlength=len(treebank))
    if found := int((roots > 1).sum()):
        what = f"{found:,} of {len(treebank):,} sentences have several roots, and parsers find one"
        warnings.warn(f"{treebank.path}: {what}; `panparser validate` lists them", ConlluWarning, stacklevel=3)


Progress = Callable[[str, int, int], None]
Texts = npt.NDArray[np.object_]


def project_trees(
    source: Treebank | Sequence[Treebank],
    target: Treebank,
    links: WordAlignments | Sequence[WordAlignments] | None = None,
    *,
    same_tag: bool | None = None,
    min_attached_share: float = 0.0,
    tags: bool = False,
    min_sources: int = 1,
    aligner: AlignerConfig | None = None,
    progress: Progress | None = None,
) -> Treebank:
    """The target with the heads and labels of its translation, `_` where they are not known (Hwa et al. 2005).

    Links are followed if both words have no other one and, with `same_tag` (the default where both treebanks have
    tags), the same UPOS. The head of a word is the word linked with the head of its own link, or Root if that is Root;
    labels lose their subtypes. So every sentence keeps a part of the source's tree, without cycles, and with no more
    children of Root. The target's own heads, labels and DEPS are removed; all else stays.

    `links`: of each source; without them `align` finds them, as `aligner` says. `min_attached_share`: sentences with a
    smaller share of heads are left out. `tags`: UPOS is carried over, too, instead of compared; the target's own stays
    where no link tells another. Several sources: each is projected; arcs that at least `min_sources` of them have, and
    that fit in one tree, remain, and of tags the one that most have; ties go to the earliest source. `progress` is
    called with what is being done, how much of it is done, and the total.
    """
    sources = [source] if isinstance(source, Treebank) else list(source)
    _check_options(sources, same_tag, min_attached_share, tags, min_sources)
    for each in sources:
        check_parallel(each, target)
        if not (each.heads >= 0).any():
            raise TreebankError(f"{each.path}: expected a treebank with heads to carry over, found none")
        warn_of_forests(each)
        if tags and (_texts(each, "upos") == "_").all():
            raise TreebankError(f"{each.path}: expected tags (UPOS) to carry over, found none")
    options = aligner or AlignerConfig()
    found = _found(sources, target, links, replace(options, tags=False) if tags else options, progress)
    followed = [
        _followed(between, each, target, same_tag=False if tags else same_tag)
        for each, between in zip(sources, found, strict=True)
    ]
    projected = [_projected(each, target, pairs) for each, pairs in zip(sources, followed, strict=True)]
    result = projected[0]
    if len(projected) > 1:
        combining = None if progress is None else lambda done, total: progress("combining", done, total)
        result = combine_trees(projected, min_votes=min_sources, progress=combining)
    if tags:
        carried = [_carried(each, target.words, pairs) for each, pairs in zip(sources, followed, strict=True)]
        found_tags = _majority(carried)
        known = found_tags != "_"
        result.column("upos")[known] = result.ids_of("upos", found_tags[known].tolist())
    kept = [i for i, sentence in enumerate(result) if (sentence.heads >= 0).mean() >= min_attached_share]
    return result if len(kept) == len(result) else result[kept]


def _check_options(
    sources: Sequence[Treebank], same_tag: object, min_attached_share: object, tags: bool, min_sources: int
) -> None:
    if not sources:
        raise TreebankError("project_trees: source must be a Treebank, or several; got none")
    check_count("project_trees: min_sources", min_sources, maximum=len(sources))
    check_number("project_trees: min_attached_share", min_attached_share, PROBABILITY)
    if tags and same_tag:
        raise SpecError("project_trees: tags and same_tag cannot be combined: projected tags are not compared")


def _found(
    sources: Sequence[Treebank],
    target: Treebank,
    links: WordAlignments | Sequence[WordAlignments] | None,
    aligner: AlignerConfig,
    report: Progress | None,
) -> list[WordAlignments]:
    """The links of each source: the given ones, if they fit, or those of the aligner."""
    if links is None:
        progress = None if report is None else lambda done, total: report("aligning", done, total)
        return [align_words(source, target, aligner=aligner, progress=progress) for source in sources]
    given = [links] if isinstance(links, WordAlignments) else list(links)
    if len(given) != len(sources):
        raise AlignmentError(f"project_trees: links must be as many as sources, {len(sources)}; got {len(given)}")
    for source, each in zip(sources, given, strict=True):
        each.check(source, target)
    return given


def _followed(links: WordAlignments, source: Treebank, target: Treebank, *, same_tag: bool | None) -> LongArray:
    """(2, links) The links that heads are carried over by, as words of source and target."""
    single = links.one_to_one()
    counts = [len(pairs) for pairs in single]
    starts = np.repeat(np.stack([source.offsets[:-1], target.offsets[:-1]]), counts, axis=1)
    pairs: LongArray = starts + np.array([pair for pairs in single for pair in pairs], np.int64).reshape(-1, 2).T
    tags = [_texts(treebank, "upos") for treebank in (source, target)]
    bare = [treebank for treebank, own in zip((source, target), tags, strict=True) if (own == "_").all()]
    if same_tag and bare:
        raise TreebankError(f"{bare[0].path}: expected tags (UPOS) that can be compared, found none")
    if same_tag is False or bare:
        return pairs
    return pairs[:, tags[0][pairs[0]] == tags[1][pairs[1]]]


def _projected(source: Treebank, target: Treebank, pairs: LongArray) -> Treebank:
    """A copy of the target with heads and labels for the linked words whose heads are linked, too."""
    result = target.copy()
    clear_parse_metadata(result)
    result.heads[:], result.column("deprel")[:], result.column("deps")[:] = -1, 0, 0
    translation = np.full(source.words + 1, -1)  # of each source word; the last is for words without a head
    translation[pairs[0]] = pairs[1]
    sentences = np.searchsorted(source.offsets, pairs[0], side="right") - 1
    heads = source.heads[pairs[0]]
    places = translation[np.where(heads > 0, source.offsets[sentences] + heads - 1, -1)]
    found = np.where(heads == 0, 0, places - target.offsets[sentences] + 1)
    known = (heads == 0) | (places >= 0)
    words = pairs[1][known]
    result.heads[words] = found[known]
    labels = _texts(source, "deprel")[pairs[0][known]]
    result.column("deprel")[words] = result.ids_of("deprel", [base_label(label) for label in labels])
    return result


def _carried(source: Treebank, words: int, pairs: LongArray) -> Texts:
    """The tags of the words that each target word is linked with."""
    tags: Texts = np.full(words, "_", dtype=object)
    tags[pairs[1]] = _texts(source, "upos")[pairs[0]]
    return tags


def _majority(columns: Sequence[Texts]) -> Texts:
    """For each word the text that most columns have, the earliest of equals; `_` does not count."""
    rows = np.stack(columns)
    support = np.stack([((rows == row) & (row != "_")).sum(axis=0) for row in rows])
    chosen: Texts = rows[support.argmax(axis=0), np.arange(rows.shape[1])]
    return chosen


def _texts(treebank: Treebank, column: str) -> Texts:
    """A column as texts."""
    return np.array(treebank.vocabulary(column), dtype=object)[treebank.column(column)]
