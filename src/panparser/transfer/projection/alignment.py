"""Word alignment of parallel sentences: IBM model 1 and the hidden Markov model, with trees as evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from panparser.base.checks import NON_NEGATIVE, SHARE, Interval, check_count, check_number
from panparser.base.types import BoolArray, FloatArray, IntArray, LongArray
from panparser.errors import SpecError
from panparser.transfer.projection.links import Pair, WordAlignments
from panparser.treebank.matching import check_parallel
from panparser.treebank.treebank import Treebank, from_tokens

_MIN_HMM_PROBABILITY = 1e-300  # instead of 0, where something is divided by it


def hmm_posteriors(
    emissions: FloatArray,
    nulls: FloatArray,
    jumps: FloatArray,
    null: float,
    source_words: BoolArray,
    target_words: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """(b, j, i) How probable each link is, given both sentences; and how often each jump is expected.

    `emissions` (b, j, i): p(target word | source word), 0 outside of sentences; `nulls` (b, j): p(target word | none);
    `jumps`: weights of the distances -k..k, those at the ends for all that are longer; `null`: how probable it is that
    a word has no link; `source_words` (b, i), `target_words` (b, j): what is no padding.
    """
    size = emissions.shape[2]
    reach = len(jumps) // 2
    distances = np.clip(np.arange(size) - np.arange(size)[:, None], -reach, reach) + reach  # from row to column
    weights = jumps[distances]
    inside = source_words.astype(float)
    leaving = (1 - null) * inside / np.maximum(inside @ weights.T, _MIN_HMM_PROBABILITY)
    start = inside / inside.sum(axis=1, keepdims=True)
    linked, before, scales = _forward(emissions, nulls, weights, leaving, start, null)
    posteriors = np.zeros_like(emissions)
    after = np.ones_like(start)
    expected = np.zeros((size, size))
    for j in reversed(range(emissions.shape[1])):
        alive = target_words[:, j, None]
        posteriors[:, j] = alive * linked[j] * after
        ahead = alive * emissions[:, j] * after / scales[j]
        if j:
            expected += (before[j - 1] * leaving).T @ ahead
        after = np.where(alive, leaving * (ahead @ weights.T) + null * nulls[:, j, None] * after / scales[j], 1.0)
    counts: FloatArray = np.bincount(distances.ravel(), (expected * weights).ravel(), minlength=len(jumps)).astype(
        float
    )
    return posteriors, counts


def _forward(
    emissions: FloatArray, nulls: FloatArray, weights: FloatArray, leaving: FloatArray, start: FloatArray, null: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """By target word: how probable each position is, given what precedes: with a link, and at all; the scales."""
    sentences, length, size = emissions.shape
    linked, anyhow = np.empty((length, sentences, size)), np.empty((length, sentences, size))
    scales = np.empty((length, sentences, 1))
    for j in range(length):
        last = anyhow[j - 1] if j else start
        linked[j] = ((last * leaving) @ weights if j else (1 - null) * start) * emissions[:, j]
        anyhow[j] = linked[j] + null * last * nulls[:, j, None]
        scales[j] = np.maximum(anyhow[j].sum(axis=1, keepdims=True), _MIN_HMM_PROBABILITY)
        linked[j] /= scales[j]
        anyhow[j] /= scales[j]
    return linked, anyhow, scales


def model1_posteriors(
    emissions: FloatArray,
    nulls: FloatArray,
    diagonal: float,
    null: float,
    source_words: BoolArray,
    target_words: BoolArray,
) -> FloatArray:
    """(b, j, i) How probable each link is if words choose theirs alone, those at about the same place preferred.

    `diagonal`: a position whose place in its sentence differs by 1/diagonal of a sentence is e times less probable.
    """
    places = [_places(words) for words in (target_words, source_words)]
    prior = np.exp(-diagonal * np.abs(places[0][:, :, None] - places[1][:, None, :])) * source_words[:, None, :]
    linked = (1 - null) * prior / prior.sum(axis=2, keepdims=True) * emissions
    total = linked.sum(axis=2) + null * nulls
    posteriors: FloatArray = linked / np.maximum(total, _MIN_HMM_PROBABILITY)[:, :, None] * target_words[:, :, None]
    return posteriors


def _places(words: BoolArray) -> FloatArray:
    """Where each word is in its sentence, from 0 to 1."""
    lengths: LongArray = words.sum(axis=1, keepdims=True)
    places: FloatArray = (np.arange(words.shape[1]) + 0.5) / lengths
    return places


_SEEN = 1.0  # of each distance, before anything is learned
_FAR = 5.0  # distances that the last one stands for
_MOST = 8.0  # logarithm of what all dependents of a word together can change
_LEAST = 1e-9  # instead of 0, where a logarithm is taken


class DependencyJumps:
    """Distances between the translations of words and those of their heads, by the words' tags."""

    def __init__(self, tags: int, reach: int) -> None:
        self.reach = reach
        self.counts = np.full((tags, 2 * reach + 1), _SEEN)
        self.weights = np.zeros_like(self.counts)

    def count(self, links: FloatArray, heads: LongArray, tags: LongArray) -> None:
        """Counts what probable links, (b, i, j), show; `heads` (b, i): positions, -1 for Root, none and padding."""
        above = _of_heads(links, heads)
        for number, near in enumerate(_near(above, self.reach)):
            self.counts[:, number] += np.bincount(tags.ravel(), (links * near).sum(axis=2).ravel(), len(self.counts))

    def learn(self) -> None:
        """Makes probabilities of what was counted. No word has the translation of its head."""
        self.counts[:, self.reach] = 0.0
        self.weights = self.counts / self.counts.sum(axis=1, keepdims=True)
        self.weights[:, [0, -1]] /= _FAR
        self.counts = np.full_like(self.counts, _SEEN)

    def support(self, links: FloatArray, heads: LongArray, tags: LongArray, target_words: BoolArray) -> FloatArray:
        """(b, i, j) How much more probable each link is, given those of head and dependents, than without them.

        A head, or a dependent, tells nothing as far as it has no link.
        """
        lengths = target_words.sum(axis=1)[:, None, None]
        has_head = (heads >= 0)[:, :, None]
        above = _of_heads(links, heads)
        weights = self.weights[tags][:, :, :, None]  # (b, i, distance, 1)
        from_head = lengths * sum(weights[:, :, d] * near for d, near in enumerate(_near(above, self.reach)))
        from_head += np.maximum(1 - above.sum(axis=2, keepdims=True), 0.0)
        last = 2 * self.reach
        from_word = lengths * sum(weights[:, :, last - d] * near for d, near in enumerate(_near(links, self.reach)))
        from_word += np.maximum(1 - links.sum(axis=2, keepdims=True), 0.0)
        from_dependents = np.zeros_like(links)
        sentence, word = np.nonzero(heads >= 0)
        told = np.log(np.maximum(from_word[sentence, word], _LEAST))
        np.add.at(from_dependents, (sentence, heads[sentence, word]), told)
        support: FloatArray = np.where(has_head, from_head, 1.0) * np.exp(np.clip(from_dependents, -_MOST, _MOST))
        return support


def _of_heads(links: FloatArray, heads: LongArray) -> FloatArray:
    """(b, i, j) The links of the head of each word; none if it has none."""
    found: FloatArray = np.take_along_axis(links, np.maximum(heads, 0)[:, :, None], axis=1) * (heads >= 0)[:, :, None]
    return found


def _near(values: FloatArray, reach: int) -> Iterator[FloatArray]:
    """By distance d from -reach to reach: at j, the value at j - d; at both ends, the sum of all farther ones."""
    size = values.shape[2]
    sums = np.concatenate([np.zeros_like(values[:, :, :1]), np.cumsum(values, axis=2)], axis=2)
    places = np.arange(size)
    yield sums[:, :, -1:] - sums[:, :, np.minimum(places + reach, size)]
    for distance in range(1 - reach, reach):
        near = np.zeros_like(values)
        start, end = max(distance, 0), min(size + distance, size)
        if start < end:
            near[:, :, start:end] = values[:, :, start - distance : end - distance]
        yield near
    yield sums[:, :, np.maximum(places - reach + 1, 0)]


Progress = Callable[[int, int], None]
LEMMA_PREFIX_LETTERS = 5  # letters of a form that stand for a lemma that is not known
_LEAST_PREFIX = 3  # letters that cognates have in common
_LETTERS = 16  # of a key that are compared
INITIAL_JUMP_SPREAD_WORDS = 2.0  # words: how far from the next position a jump goes before anything is learned
_JUMPS_SEEN = 1.0  # of each distance, before anything is learned
_TAGS_SEEN = 0.1  # of each pair of tags
_SAME_TAG = 20.0  # how many times as much of it equal tags have
_HEAD_JUMPS = 10  # longest distance from a head's link that is told from others
_MAX_SENTENCES = 128  # of a batch
_DIGITS = 9  # of probabilities that are compared: what is below depends on the machine


@dataclass(frozen=True, kw_only=True)
class AlignerConfig:
    """How `align` learns; the defaults were chosen on English with Swedish, German, Finnish and Hindi.

    `model1`, `hmm`: iterations of IBM model 1, which begins, and of the hidden Markov model; `trees`: more of those, in
    which links also depend on the links of heads and dependents, if the source has heads. `null_probability`: how
    probable it is that a word has no link. `concentration`: of the Dirichlet prior of translations; the smaller, the
    fewer a word has. `cognates`: how many times as much of it equal words have, and others by the share of letters that
    they begin with. `jumps`: longest distance between the links of neighbors that is told from others. `diagonal`: how
    much model 1 prefers words at the same place of the sentence. `tags`: do tags (UPOS) count, where both texts have
    them? `min_probability`: least probability of a link.
    """

    model1: int = 5
    hmm: int = 2
    trees: int = 4
    null_probability: float = 0.08
    concentration: float = 0.15
    cognates: float = 20.0
    jumps: int = 20
    diagonal: float = 2.0
    tags: bool = True
    min_probability: float = 0.2

    def __post_init__(self) -> None:
        for name, least in (("model1", 1), ("hmm", 0), ("trees", 0), ("jumps", 1)):
            check_count(f"AlignerConfig: {name}", getattr(self, name), minimum=least, maximum=1000)
        for name in ("concentration", "min_probability"):
            check_number(f"AlignerConfig: {name}", getattr(self, name), SHARE)
        for name in ("cognates", "diagonal"):
            check_number(f"AlignerConfig: {name}", getattr(self, name), NON_NEGATIVE)
        check_number("AlignerConfig: null_probability", self.null_probability, Interval(0, 1, "()"))


def align_words(
    source: Treebank | Sequence[Sequence[str]],
    target: Treebank | Sequence[Sequence[str]],
    *,
    aligner: AlignerConfig | None = None,
    progress: Progress | None = None,
) -> WordAlignments:
    """Links between the words of parallel sentences, one to one, with probabilities; learned from these sentences.

    Treebanks, or lists of sentences, which are lists of tokens: as many on both sides, and with the same sent_id where
    both treebanks have one. A word is known by its lemma or, without one, by the first five letters of its form; tags
    (UPOS) help where both sides have them. Two hidden Markov models, one for each direction, learn from the links on
    which they agree and, if the source has heads, from where words stand as seen from their heads; those of the target
    are not looked at. Links are chosen by the product of both probabilities, the most probable first. No chance is
    involved: the same sentences get the same links. `progress` is called with the number of iterations done and their
    total.
    """
    options = aligner or AlignerConfig()
    if not isinstance(options, AlignerConfig):
        raise SpecError(f"aligner must be an Aligner; got {options!r}")
    sides = [side if isinstance(side, Treebank) else from_tokens(side) for side in (source, target)]
    check_parallel(sides[0], sides[1], ids=isinstance(source, Treebank) and isinstance(target, Treebank))
    if not len(sides[0]):
        return WordAlignments((), ())
    corpus = _Corpus(sides[0], sides[1], options)
    model = _Model(corpus, options)
    total = options.model1 + options.hmm + options.trees
    for iteration in range(total):
        model.iterate(model1=iteration < options.model1, trees=iteration >= options.model1 + options.hmm)
        if progress:
            progress(iteration + 1, total)
    pairs: list[tuple[Pair, ...]] = [()] * len(sides[0])
    values: list[tuple[float, ...]] = [()] * len(pairs)
    for batch, together in zip(corpus.batches, model.links, strict=True):
        for sentence, probable in zip(batch.sentences.tolist(), np.round(together, _DIGITS), strict=True):
            chosen = dict(sorted(_greedy(probable, options.min_probability)))
            pairs[sentence], values[sentence] = tuple(chosen), tuple(chosen.values())
    return WordAlignments(tuple(pairs), tuple(values))


def _greedy(probable: FloatArray, threshold: float) -> Iterator[tuple[Pair, float]]:
    """Links above the threshold, the most probable first, each word at most once; ties go to the first words."""
    rows, columns = np.nonzero(probable >= threshold)
    values = probable[rows, columns]
    taken: tuple[set[int], set[int]] = set(), set()
    for number in np.lexsort((columns, rows, -values)).tolist():
        pair = int(rows[number]), int(columns[number])
        if pair[0] not in taken[0] and pair[1] not in taken[1]:
            taken[0].add(pair[0])
            taken[1].add(pair[1])
            yield pair, min(float(values[number]), 1.0)


# --- The sentences ---


@dataclass(frozen=True)
class _Batch:
    """Sentences of similar length, padded. Cells are of (sentence, source word, target word)."""

    sentences: LongArray
    words: tuple[LongArray, LongArray]  # (sentence, word) numbers of keys, on each side
    inside: tuple[BoolArray, BoolArray]  # (sentence, word) is it no padding?
    tags: tuple[LongArray, LongArray]  # likewise
    pairs: IntArray  # of keys; one more than there are for padding
    both_tags: IntArray  # pairs of tags
    heads: LongArray  # (sentence, source word) positions; -1: Root, none, padding


class _Corpus:
    """Pairs of sentences in batches, and the pairs of keys that they have."""

    def __init__(self, source: Treebank, target: Treebank, options: AlignerConfig) -> None:
        sides = source, target
        numbered = [_keys(side) for side in sides]
        self.keys = tuple(len(names) for _, names in numbered)
        self.tags, tags = _tags(sides) if options.tags else (1, [np.zeros(side.words, np.int64) for side in sides])
        batches = list(_grouped(np.diff(source.offsets), np.diff(target.offsets)))
        padded = [_padded(sides, [keys for keys, _ in numbered], sentences) for sentences in batches]
        cells = [words[0][:, :, None] * self.keys[1] + words[1][:, None, :] for words, _ in padded]
        masks = [inside[0][:, :, None] & inside[1][:, None, :] for _, inside in padded]
        found = np.concatenate([np.empty(0, np.int64), *(cell[mask] for cell, mask in zip(cells, masks, strict=True))])
        distinct = np.unique(found)
        self.owners = distinct // max(self.keys[1], 1), distinct % max(self.keys[1], 1)  # keys of each pair
        self.similar = _similarity([names for _, names in numbered], self.owners)
        self.has_heads = bool((source.heads > 0).any())
        heads = [source.heads.astype(np.int64) - 1, np.zeros(target.words, np.int64)]
        self.batches = []
        for sentences, (words, inside), cell, mask in zip(batches, padded, cells, masks, strict=True):
            pairs = np.where(mask, np.searchsorted(distinct, cell), len(distinct)).astype(np.int32)
            of_tags = _padded(sides, tags, sentences)[0]
            both = (of_tags[0][:, :, None] * self.tags + of_tags[1][:, None, :]).astype(np.int32)
            positions = np.where(inside[0], np.maximum(_padded(sides, heads, sentences)[0][0], -1), -1)
            self.batches.append(_Batch(sentences, words, inside, of_tags, pairs, both, positions))


def _keys(treebank: Treebank) -> tuple[LongArray, list[str]]:
    """What each word is known by, as a number: its lemma, else the beginning of its form; and these texts."""
    forms = [form.lower()[:LEMMA_PREFIX_LETTERS] for form in treebank.vocabulary("form")]
    lemmas = ["" if lemma == "_" else lemma.lower() for lemma in treebank.vocabulary("lemma")]
    columns = treebank.column("lemma").tolist(), treebank.column("form").tolist()
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(lemmas[a] or forms[b], len(numbers)) for a, b in zip(*columns, strict=True)]
    return np.array(found, dtype=np.int64), list(numbers)


def _tags(sides: Sequence[Treebank]) -> tuple[int, list[LongArray]]:
    """The number of tags, and those of all words as numbers; all are the same if one side has none."""
    numbers = {"_": 0}
    tables = [[numbers.setdefault(tag, len(numbers)) for tag in side.vocabulary("upos")] for side in sides]
    found = [np.array(table, np.int64)[side.column("upos")] for table, side in zip(tables, sides, strict=True)]
    if all(tags.any() for tags in found):
        return len(numbers), found
    return 1, [np.zeros_like(tags) for tags in found]


def _grouped(source: LongArray, target: LongArray) -> Iterator[LongArray]:
    """Numbers of sentences with about the same lengths."""
    order = np.lexsort((target, source))
    start = 0
    while start < len(order):
        longest = source[order[start]] * 1.25 + 2
        end = min(int(np.searchsorted(source[order], longest, side="right")), start + _MAX_SENTENCES)
        yield order[start:end]
        start = end


def _padded(
    sides: Sequence[Treebank], values: Sequence[LongArray], sentences: LongArray
) -> tuple[tuple[LongArray, LongArray], tuple[BoolArray, BoolArray]]:
    """(sentence, word) Values of the words of some sentences on both sides, and which of these are no padding."""
    rows, masks = [], []
    for side, numbers in zip(sides, values, strict=True):
        starts, ends = side.offsets[sentences, None], side.offsets[sentences + 1, None]
        places = starts + np.arange(int((ends - starts).max()))
        masks.append(places < ends)
        rows.append(np.where(masks[-1], numbers[np.minimum(places, side.words - 1)], 0))
    return (rows[0], rows[1]), (masks[0], masks[1])


def _similarity(names: Sequence[Sequence[str]], owners: Sequence[LongArray]) -> FloatArray:
    """Of each pair of keys, the share of letters that they begin with, if these are enough; 1 if they are equal."""
    letters = [np.zeros((len(each), _LETTERS), np.uint32) for each in names]
    for table, each in zip(letters, names, strict=True):
        for row, name in enumerate(each):
            table[row, : len(name)] = [ord(letter) for letter in name[:_LETTERS]]
    lengths = [np.array([len(name) for name in each], np.int64)[of] for each, of in zip(names, owners, strict=True)]
    longer = np.minimum(np.maximum(*lengths), _LETTERS)
    first, second = (table[of] for table, of in zip(letters, owners, strict=True))
    common = np.cumprod((first == second) & (first > 0), axis=1).sum(axis=1)
    similar: FloatArray = np.where((common >= _LEAST_PREFIX) | (common == longer), common / np.maximum(longer, 1), 0.0)
    return similar


# --- What is learned ---


class _Model:
    """Both directions, and how probable each link was when they were last asked, by batch."""

    def __init__(self, corpus: _Corpus, options: AlignerConfig) -> None:
        self.corpus = corpus
        self.directions = [_Direction(corpus, options, turned=turned) for turned in (False, True)]
        self.head_jumps = DependencyJumps(corpus.tags, _HEAD_JUMPS)
        self.links: list[FloatArray] = []

    def iterate(self, *, model1: bool, trees: bool) -> None:
        """Asks both directions for links, and learns from those on which they agree."""
        supported = trees and self.corpus.has_heads and self.links
        if supported:
            for batch, links in zip(self.corpus.batches, self.links, strict=True):
                self.head_jumps.count(links, batch.heads, batch.tags[0])
            self.head_jumps.learn()
        last, self.links = self.links, []
        for number, batch in enumerate(self.corpus.batches):
            support = None
            if supported:
                support = self.head_jumps.support(last[number], batch.heads, batch.tags[0], batch.inside[1])
            found = [each.posteriors(batch, support, model1=model1) for each in self.directions]
            self.links.append(found[0].transpose(0, 2, 1) * found[1])
            agreed = np.sqrt(self.links[-1])
            for each, own in zip(self.directions, found, strict=True):
                each.count(batch, agreed, own)
        for each in self.directions:
            each.learn()


class _Direction:
    """How the words of one side, the target here, come from those of the other."""

    def __init__(self, corpus: _Corpus, options: AlignerConfig, *, turned: bool) -> None:
        self.options, self.turned = options, turned
        self.source, self.target = (1, 0) if turned else (0, 1)  # sides of the corpus
        keys, tags = corpus.keys, corpus.tags
        prior = options.concentration * (1 + options.cognates * corpus.similar)
        never = options.concentration * keys[self.target]  # of all words, whether or not they come together
        self.words = _Table(corpus.owners[self.source], prior, np.full(keys[self.source], never))
        self.null_words = _single(keys[self.target], options.concentration)
        both = np.divmod(np.arange(tags**2), tags)
        same = _TAGS_SEEN * (1 + _SAME_TAG * (both[0] == both[1]))
        self.tags = _Table(both[self.source], same, np.zeros(tags))
        self.null_tags = _single(tags, _TAGS_SEEN)
        distances = np.arange(-options.jumps, options.jumps + 1)
        self.jumps = np.exp(-np.abs(distances - 1) / INITIAL_JUMP_SPREAD_WORDS)
        self.seen_jumps = np.zeros(len(distances))

    def posteriors(self, batch: _Batch, support: FloatArray | None, *, model1: bool) -> FloatArray:
        """(sentence, target word, source word) How probable each link is."""
        cells = np.append(self.words.values, 0.0)[batch.pairs] * self.tags.values[batch.both_tags]
        if support is not None:
            cells *= support
        emissions = cells if self.turned else cells.transpose(0, 2, 1)
        nulls = self.null_words.values[batch.words[self.target]] * self.null_tags.values[batch.tags[self.target]]
        inside = batch.inside[self.source], batch.inside[self.target]
        if model1:
            return model1_posteriors(emissions, nulls, self.options.diagonal, self.options.null_probability, *inside)
        found, jumps = hmm_posteriors(emissions, nulls, self.jumps, self.options.null_probability, *inside)
        self.seen_jumps += jumps
        return found

    def count(self, batch: _Batch, agreed: FloatArray, own: FloatArray) -> None:
        """Counts links on which both directions agree, and words without a link in this one."""
        cells = agreed.ravel()
        self.words.count(batch.pairs.ravel(), cells)
        self.tags.count(batch.both_tags.ravel(), cells)
        alone = (np.maximum(1 - own.sum(axis=2), 0.0) * batch.inside[self.target]).ravel()
        self.null_words.count(batch.words[self.target].ravel(), alone)
        self.null_tags.count(batch.tags[self.target].ravel(), alone)

    def learn(self) -> None:
        """Makes probabilities of what was counted."""
        for table in (self.words, self.tags, self.null_words, self.null_tags):
            table.learn()
        if self.seen_jumps.any():
            self.jumps = self.seen_jumps + _JUMPS_SEEN
            self.seen_jumps = np.zeros_like(self.jumps)


class _Table:
    """p(outcome | owner) for pairs, with a Dirichlet prior: the mean of variational Bayes, which likes few outcomes.

    `least`: the sum of priors that an owner has at least; what outcomes in no pair have of it is lost, so that rare
    owners, which have few pairs, do not get all words that are hard to explain.
    """

    def __init__(self, owners: LongArray, prior: FloatArray, least: FloatArray) -> None:
        self.owners, self.prior = owners, prior
        own = np.bincount(owners, prior, minlength=len(least))
        self.values: FloatArray = prior / own[owners]
        self.mass = np.maximum(own, least)
        self.counts = np.zeros(len(prior) + 1)  # the last: padding

    def count(self, pairs: IntArray | LongArray, times: FloatArray) -> None:
        self.counts += np.bincount(pairs, times, minlength=len(self.counts))

    def learn(self) -> None:
        counts = self.counts[:-1]
        totals: FloatArray = self.mass + np.bincount(self.owners, counts, minlength=len(self.mass))
        self.values = np.exp(_digamma(counts + self.prior) - _digamma(totals)[self.owners])
        self.counts = np.zeros_like(self.counts)


def _single(outcomes: int, prior: float) -> _Table:
    """A table with one owner: words, or tags, of target words without a link."""
    return _Table(np.zeros(outcomes, np.int64), np.full(outcomes, prior), np.zeros(1))


def _digamma(values: FloatArray) -> FloatArray:
    """The logarithmic derivative of the gamma function, of numbers above 0: recurrence, then asymptotic series."""
    shifted = values + 6.0
    below = sum(1.0 / (values + step) for step in range(6))
    inverse = 1.0 / shifted**2
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))
    result: FloatArray = np.log(shifted) - 0.5 / shifted - series - below
    return result
