"""Training corpora: references, labels and weights of treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import Interval, check_number
from panparser.base.types import BoolArray, FloatArray, IntArray, LongArray
from panparser.errors import GoldError, SpecError, TreebankError
from panparser.features.vectors import WordVectors
from panparser.learning.layers import Labels
from panparser.networks.network import NetworkSpec
from panparser.parsing.lifting import ENCODING
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.treebank.treebank import Treebank, check_lengths, concatenated
from panparser.trees.gold import GoldTree, annotated_heads
from panparser.trees.projectivity import LIFTED, PATH, nonprojectivity_counts, projective_subset, projectivize

MAX_TREEBANK_WEIGHT = 10_000


@dataclass(frozen=True)
class TreebankWeights:
    """For each of the treebanks, the number of its sentences, and their weight.

    With a weight of 25 an epoch learns from a sentence as if it stood 25 times in the treebank, in random order with
    all others. What is left of a weight over a whole number is the probability of one more time, drawn anew in each
    epoch.
    """

    sentences: tuple[int, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        for weight in self.weights:
            check_number("train: treebank_weights", weight, Interval(0, MAX_TREEBANK_WEIGHT, "(]"))

    @property
    def maximum(self) -> int:
        """How often an epoch learns from a sentence at most."""
        return int(np.ceil(max(self.weights)))

    def per_sentence(self) -> FloatArray:
        """The weight of each sentence."""
        return np.repeat(np.array(self.weights, dtype=np.float64), self.sentences)

    def words(self, treebank: Treebank) -> int:
        """The words that an epoch learns from, on average."""
        return round(float(self.per_sentence() @ np.diff(treebank.offsets)))

    def sample(self, used: BoolArray, rng: np.random.Generator) -> LongArray:
        """The sentences of an epoch, in the order of a treebank in which they stand that often."""
        weights = self.per_sentence()
        times = np.floor(weights)
        if (times < weights).any():
            times += rng.random(len(weights)) < weights - times
        rounds = [np.flatnonzero(used & (times > number)) for number in range(int(times.max(initial=0)))]
        return np.concatenate([np.zeros(0, dtype=np.int64), *rounds]).astype(np.int64)

    def to_values(self) -> list[dict[str, Any]]:
        """Plain values, as a manifest holds them."""
        pairs = zip(self.sentences, self.weights, strict=True)
        return [{"sentences": sentences, "weight": float(weight)} for sentences, weight in pairs]


def pooled(
    treebank: Treebank | Sequence[Treebank], treebank_weights: Sequence[float] | None
) -> tuple[Treebank, TreebankWeights | None]:
    """Treebanks as one, and their weights; None: all of them are 1."""
    parts = [treebank] if isinstance(treebank, Treebank) else treebank
    if not isinstance(parts, Sequence) or not parts or not all(isinstance(part, Treebank) for part in parts):
        raise TreebankError(f"train: treebank must be a Treebank, or a list of them; got {treebank!r}")
    if treebank_weights is not None and (
        not isinstance(treebank_weights, Sequence) or len(treebank_weights) != len(parts)
    ):
        count = "one number" if len(parts) == 1 else f"{len(parts)} numbers, one for each treebank"
        raise SpecError(f"train: treebank_weights must be a list of {count}; got {treebank_weights!r}")
    whole = concatenated(parts)
    if treebank_weights is None:
        return whole, None
    found = TreebankWeights(tuple(map(len, parts)), tuple(treebank_weights))
    return whole, None if all(weight == 1 for weight in treebank_weights) else found


_UNKNOWN = -1
_RARE_MARK = 5  # occurrences
_MAX_LABELS = 1 << 15  # of the engine


def fitting_spec(spec: ParserSpec, treebank: Treebank) -> ParserSpec:
    """The spec; unless it says "pseudo", arcs are not lifted if the labels already contain the marks of lifted arcs."""
    marked = [label for label in treebank.vocabulary("deprel") if LIFTED in label or PATH in label]
    if not marked or spec.crossing != "pseudo":
        return spec
    if spec.nonprojective == "pseudo":
        raise TreebankError(
            f"{treebank.path}: label {marked[0]!r}: expected neither {LIFTED} nor {PATH}, which mark lifted arcs; "
            "set nonprojective = as-is"
        )
    return replace(spec, nonprojective="as-is")


class TrainingCorpus:
    """The sentences of a treebank, prepared as `spec.crossing` says."""

    def __init__(self, spec: ParserSpec, treebank: Treebank, weights: TreebankWeights | None = None) -> None:
        treebank.check()
        self.weights = weights
        self.spec = spec
        self.treebank = treebank
        self.heads: IntArray = np.array(treebank.heads)
        names = [spec.learned_label(label) for label in treebank.vocabulary("deprel")]
        self.texts: list[str] = list(dict.fromkeys(names))  # indexed by `label_ids`
        numbers = {text: number for number, text in enumerate(self.texts)}
        self.label_ids: IntArray = np.array([numbers[name] for name in names], dtype=np.int32)[
            treebank.column("deprel")
        ]
        self.used = np.diff(treebank.offsets) > 0
        if not (self.heads >= 0).any():
            raise TreebankError(f"{treebank.path}: expected a treebank with heads to learn from, found none")
        check_lengths(treebank)
        try:
            self._prepare()
        except GoldError as error:
            raise TreebankError(f"{treebank.path}: {error}") from None
        if not self.used.any():
            raise TreebankError(f"{treebank.path}: no sentence is left to learn from")

    def _prepare(self) -> None:
        system, way = self.spec.system, self.spec.crossing
        if not system.reorders and way != "as-is":
            flags, _ = nonprojectivity_counts(self.heads, self.treebank.offsets)
            crossing = np.zeros(len(self.treebank), dtype=bool)
            crossing[self.treebank.sentence_of_word()[flags]] = True
            if way == "leave-out":
                self.used &= ~(self._underivable(crossing) if system.crosses else crossing)
            for sentence in np.flatnonzero(crossing & self.used):
                words = slice(int(self.treebank.offsets[sentence]), int(self.treebank.offsets[sentence + 1]))
                if way == "reduce":
                    kept = projective_subset(self.heads[words], root=system.root, single_root=system.single_root)
                    self.heads[words] = [head if isinstance(head, int) else _UNKNOWN for head in kept]
                elif way == "pseudo":
                    self._lift(words)
            if way == "pseudo":
                self._drop_rare_marks()
        if system.max_span is not None or system.partial:
            self.heads = annotated_heads(self.heads, self.treebank.offsets, system.root, system.max_span)

    def _underivable(self, crossing: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Those of the crossing sentences whose arcs the system cannot all build."""
        found = np.zeros_like(crossing)
        for sentence in np.flatnonzero(crossing):
            words = slice(int(self.treebank.offsets[sentence]), int(self.treebank.offsets[sentence + 1]))
            heads = tuple(None if head < 0 else int(head) for head in self.heads[words])
            found[sentence] = self.spec.system.lost_arcs(GoldTree(heads)) != 0
        return found

    def _lift(self, words: slice) -> None:
        heads, labels = projectivize(self.heads[words], [self.texts[i] for i in self.label_ids[words]], ENCODING)
        self.heads[words] = heads
        for offset, label in enumerate(labels):
            if label not in self.texts:
                self.texts.append(label)
            self.label_ids[words.start + offset] = self.texts.index(label)

    def _drop_rare_marks(self) -> None:
        """Removes marks too rare to be learned, which would only enlarge the label set: their arcs stay lifted."""
        counts = np.bincount(self.label_ids, minlength=len(self.texts))
        for number, text in enumerate(self.texts):
            plain = text.rstrip(PATH).partition(LIFTED)[0]
            if text != plain and counts[number] < _RARE_MARK:
                self.label_ids[self.label_ids == number] = self.texts.index(plain)

    def order(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The sentences of an epoch, shuffled."""
        chosen = np.flatnonzero(self.used) if self.weights is None else self.weights.sample(self.used, rng)
        return rng.permutation(chosen).astype(np.int64)

    def parts(self, order: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
        """An order in parts, in which few sentences come twice."""
        return np.array_split(order, 1 if self.weights is None else self.weights.maximum)

    def reference(self, labels: Labels, kept: npt.NDArray[np.bool_] | None = None) -> tuple[IntArray, IntArray]:
        """Heads and numbers of labels for all words; unknown if not kept."""
        numbers = {name: number for number, name in enumerate(labels.names)}
        table = np.array([numbers.get(text, _UNKNOWN) for text in self.texts], dtype=np.int32)
        chosen = table[self.label_ids]
        if kept is None:
            return self.heads, chosen
        return np.where(kept, self.heads, np.int32(_UNKNOWN)), np.where(kept, chosen, np.int32(_UNKNOWN))

    def engine(self, program: _engine.Program, labels: Labels, vectors: WordVectors | None) -> _engine.Corpus:
        system, rows = self.spec.system, vectors.rows(self.treebank) if vectors else None
        try:
            return _engine.Corpus(program, system._lowered.engine, self.treebank._store, *self.reference(labels), rows)
        except ValueError as error:
            raise TreebankError(f"{self.treebank.path}: {error}") from None


def choose_vectors(
    spec: ParserSpec, vectors: WordVectors | None, init: Parser | None, network: NetworkSpec | None = None
) -> WordVectors | None:
    """The vectors to train with: those given, else those of `init`; None if neither templates nor network read any."""
    readers = [f"the templates read them ({template})" for template in spec.used_templates if template.is_vector]
    if network is not None and "vector" in network.columns:
        readers.append("the network reads them")
    if vectors is not None and not isinstance(vectors, WordVectors):
        raise SpecError(f"train: vectors must be WordVectors (read_vectors reads a file); got {vectors!r}")
    if not readers:
        if vectors is not None:
            what = "template reads them; S0.vector would" if network is None else "input of the network is a vector"
            raise SpecError(f"train: vectors are given, but no {what}")
        return None
    if init is not None:
        if vectors is not None and vectors != init.vectors:
            raise SpecError("train: init must have the vectors of the new parser; they differ")
        return init.vectors
    if vectors is None:
        raise SpecError(f"train: vectors are missing, and {readers[0]}")
    return vectors


def gather_labels(corpus: TrainingCorpus, known: Labels) -> Labels:
    """The labels of a corpus, after those already known, and where each may occur."""
    attached = corpus.heads >= 0
    ids = corpus.label_ids
    found = sorted({corpus.texts[i] for i in np.unique(ids[attached])} - {"_"} - set(known.names))
    names = (*known.names, *found)
    of = []
    for old, where in ((known.of_root, corpus.heads == 0), (known.of_words, corpus.heads > 0)):
        seen = {corpus.texts[i] for i in np.unique(ids[where])}
        of.append(tuple((i < len(old) and old[i]) or name in seen for i, name in enumerate(names)))
    if not any(of[0]) and not any(of[1]):
        raise TreebankError(
            f"{corpus.treebank.path}: expected labels to learn from, found none (train an unlabeled parser?)"
        )
    if len(names) > _MAX_LABELS:
        raise TreebankError(f"{corpus.treebank.path}: expected at most {_MAX_LABELS} labels, found {len(names)}")
    # An only child of Root is never put back elsewhere, so its label must not be a mark of a lifted arc.
    plain = tuple(flag and LIFTED not in name for flag, name in zip(of[0], names, strict=True))
    of[0] = plain if any(plain) else of[0]
    # A treebank without any root, or of single words, has no evidence for one of the two: then all labels are allowed.
    return Labels(names, *(flags if any(flags) else (True,) * len(names) for flags in of))
