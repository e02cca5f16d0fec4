"""`reorder_words`: the words of a treebank in the most probable order under a tag language model.

After the PoS language model of Aufrant et al. (2016); the limits of the search are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from panparser.base.checks import check_beam, check_range
from panparser.errors import SpecError, TreebankError
from panparser.transfer.rewriting import SENTENCES_PER_REPORT, Reordered, obstacles
from panparser.transfer.similarity import TagLanguageModel
from panparser.treebank.treebank import Treebank

DEFAULT_DISTORTION, MAX_DISTORTION = 3, 20
BEAM = 32
# Words that have a place, and the last two tags: the score, the words among which the next one is, the order.
_Hypotheses = dict[tuple[int, int, int], tuple[float, int, tuple[int, ...]]]
_GAIN = 1e-9  # nats: what is not more probable than that stays as it is


@dataclass(frozen=True)
class ReorderingReport:
    """What `reorder` did: sentences, those it changed, those it left as they are, and perplexities of tags."""

    sentences: int
    changed: int
    moved: int  # words that have another place now
    nonprojective: int  # sentences with crossing arcs
    missing_heads: int  # sentences with words without heads
    before: float
    after: float


def reorder_words(
    treebank: Treebank,
    model: TagLanguageModel,
    *,
    max_distortion: int = DEFAULT_DISTORTION,
    beam: int = BEAM,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Treebank, ReorderingReport]:
    """The treebank with the words of each sentence in a more probable order of their tags, and what was changed.

    A beam search finds the most probable order in which at most `max_distortion` words overtake another one, and in
    which what is below a word stays together, so that trees without crossing arcs have none afterwards. Sentences with
    crossing arcs or without a whole tree stay as they are; others that change lose what new places make wrong, as those
    of `rewrite` do. `progress` is called with the numbers of sentences done and in all.
    """
    _check(treebank, model)
    check_range("reorder_words: max_distortion", max_distortion, 0, MAX_DISTORTION)
    check_beam(beam, "reorder_words")
    crossing, incomplete = obstacles(treebank)
    numbers, writer = model.numbers(treebank).tolist(), Reordered(treebank)
    logs, lines, changed, moved = model.logs.tolist(), [], 0, 0
    for index, is_fit in enumerate((~(crossing | incomplete)).tolist()):
        start, end = treebank.offsets[index : index + 2].tolist()
        order = list(range(1, end - start + 1))
        if is_fit and max_distortion:
            order = best_order(treebank.heads[start:end].tolist(), numbers[start:end], logs, max_distortion, beam)
        away = sum(word != place for place, word in enumerate(order, start=1))
        changed, moved = changed + (away > 0), moved + away
        lines.append(writer.written(index, order, f"# reordered = {away}") if away else treebank[index].to_conllu())
        if progress is not None and index % SENTENCES_PER_REPORT == 0:
            progress(index, len(treebank))
    found = Treebank("".join(lines).encode(), path=treebank.path, format=treebank.format)
    means = [model.perplexity(each) if len(each) else 0.0 for each in (treebank, found)]
    left = int((crossing & ~incomplete).sum()), int(incomplete.sum())
    return found, ReorderingReport(len(treebank), changed, moved, *left, *means)


def best_order(
    heads: Sequence[int], tags: Sequence[int], logs: Sequence[Sequence[Sequence[float]]], max_distortion: int, beam: int
) -> list[int]:
    """The words 1..n of a projective tree in the most probable order that was found; theirs, if none is better.

    Sets of words are bits of a number. What is below a word stays together if each next word is below the lowest word
    above the last one that has not all of its words yet: such words are all above each other.
    """
    words = len(heads)
    below = _below(heads)
    hypotheses: _Hypotheses = {(0, 0, 0): (0.0, below[0], ())}
    for _ in range(words):
        reached: _Hypotheses = {}
        for (placed, before, last), (score, among, order) in hypotheses.items():
            first = (~placed & (placed + 1)).bit_length()  # the first word that has no place yet
            row = logs[before][last]
            for word in range(first, min(first + max_distortion, words) + 1):
                bit = 1 << (word - 1)
                if placed & bit or not among & bit:
                    continue
                key = (placed | bit, last, tags[word - 1])
                total = score + row[tags[word - 1]]
                if key not in reached or total > reached[key][0]:
                    above = word
                    while above and not below[above] & ~key[0]:
                        above = heads[above - 1]
                    reached[key] = (total, below[above], (*order, word))
        best = sorted(reached.items(), key=lambda item: -item[1][0])[:beam]
        hypotheses = dict(best)
    ends = [(score + logs[before][last][0], order) for (_, before, last), (score, _, order) in hypotheses.items()]
    own = _score(tags, logs)
    best_end = max(ends, key=lambda end: end[0], default=(own, ()))
    return list(best_end[1]) if best_end[0] > own + _GAIN else list(range(1, words + 1))


def _below(heads: Sequence[int]) -> list[int]:
    """For Root and each word, itself and all words below it, as bits."""
    found = [0] * (len(heads) + 1)
    for word in range(1, len(heads) + 1):
        above = word
        while True:
            found[above] |= 1 << (word - 1)
            if not above:
                break
            above = heads[above - 1]
    return found


def _score(tags: Sequence[int], logs: Sequence[Sequence[Sequence[float]]]) -> float:
    before, last, total = 0, 0, 0.0
    for tag in (*tags, 0):
        total += logs[before][last][tag]
        before, last = last, tag
    return total


def _check(treebank: object, model: object) -> None:
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"reorder_words: treebank must be a Treebank; got {treebank!r}")
    if not isinstance(model, TagLanguageModel):
        raise SpecError(f"reorder_words: model must be a TagModel; got {model!r}")
    treebank.check()
    if treebank.words and not treebank.column("upos").any():
        raise TreebankError(f"{treebank.path}: expected words with tags (UPOS) to order them by, found none")
    if treebank.words and not (treebank.heads >= 0).any():
        raise TreebankError(f"{treebank.path}: expected trees, found words without heads only")
