"""A network as the classifier of a parser, and the masking of its inputs."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from panparser.base.kinds import BOOLEAN, COUNT, TABLE, Table, check
from panparser.base.threads import map_in_order
from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.batches.classifier import Arrays, Classifier, ClassifierSetup, FinalBeams, FloatArray
from panparser.batches.item_states import States
from panparser.errors import BatchError, ModelError, SpecError
from panparser.features.vectors import WordVectors
from panparser.networks.encoding import Encoder, restored, stored
from panparser.networks.network import NetworkSpec
from panparser.networks.network_inputs import InputReader, Vocabulary, checked_vocabulary, grouped_by_length
from panparser.networks.network_scoring import EncodedWords, Scorer, StateInputs, WordLayers
from panparser.networks.tag_heads import TagClasses, TagHeads, checked_classes
from panparser.storage.stored import NETWORK_TRAINER, import_name
from panparser.treebank.treebank import Treebank


@dataclass(frozen=True)
class MaskedInput:
    """One thing that is hidden: an input of a word (0 is Root), the label at an address, or an action of the past."""

    kind: Literal["word", "labels", "history"]
    place: int  # the word, the place in `labels_of`, or how many actions ago
    column: str = ""  # of the word


def without(seen: StateInputs, sentences: LongArray, hidden: tuple[MaskedInput | None, ...]) -> StateInputs:
    """What remains of the labels and the history that are seen, with what is hidden of each sentence."""
    labels, history = np.array(seen.labels), np.array(seen.history)
    kept = {"labels": labels, "history": history}
    for row, sentence in enumerate(sentences.tolist()):
        one = hidden[sentence]
        if one is not None and one.kind in kept:
            kept[one.kind][row, one.place] = 0
    return replace(seen, labels=labels, history=history)


_BLUR = 3  # words by which lengths of sentences learned from together may differ more than they must
PARSED_WORDS = 6000  # that are encoded together when parsing
_VALUES = Table(
    {"network": TABLE, "vocabulary": TABLE, "actions": COUNT, "labels": COUNT, "local": BOOLEAN},
    {"classes": TABLE},
)


class NetworkClassifier(Classifier):
    """A neural classifier, as a network describes it.

    `teachers`: parsers with trained networks, for the same treebank, which it learns from beside the trees.
    """

    name = "network"
    updates_in_batches = True

    def __init__(self, network: NetworkSpec, teachers: Sequence[Any] = ()) -> None:
        if not isinstance(network, NetworkSpec):
            raise SpecError(f"NetworkClassifier: network must be a Network; got {network!r}")
        self.network = network
        self.teachers = tuple(_teacher(each) for each in teachers)
        self.taught_by = " ".join(weights.digest() for weights, _ in self.teachers)  # for checkpoints
        self.evaluations = network.training.evaluations or None
        self.uses_previous_labels = (
            bool(network.label_inputs) or not network.labels
        )  # else all arcs of sentences are learned from
        self.is_local = True  # are scores logarithms of probabilities of actions? not if beams were learned from
        self._trainer: Any = None
        self._weights: NetworkWeights | None = None
        self._batch: EncodedBatch | None = None  # of the search that this object serves

    def with_network(self, network: NetworkSpec) -> NetworkClassifier:
        """The same weights for a network that only learns, or is stored, in another way."""
        found = copy.copy(self)
        found.network = network
        return found

    def copy_shared(self) -> NetworkClassifier:
        return copy.copy(self)  # a batch that starts replaces that of the copy alone

    # --- Learning: torch's part ---

    def prepare(self, setup: ClassifierSetup) -> None:
        self._trainer = _trainer()(self.network, setup, None, self.teachers)

    def warm_start(self, setup: ClassifierSetup) -> None:
        self._trainer = _trainer()(self.network, setup, self._known_weights, self.teachers)
        self.is_local = self._trainer.is_local

    def training_state(self) -> Arrays:
        found: Arrays = self._trainer.state()
        return found

    def restore_training(self, arrays: Arrays) -> None:
        self._trainer.restore(arrays)
        self.is_local = self._trainer.is_local

    def update(self, states: States, gold: BoolArray) -> None:
        self._trainer.learn_actions(self._current_batch.inputs(states), gold)

    def update_pair(self, states: States, actions: IntArray, signs: IntArray) -> None:
        self.is_local = self._trainer.is_local = False
        self._trainer.learn_pair(self._current_batch.inputs(states), actions, signs)

    def update_beam(self, states: States, beams: FinalBeams) -> None:
        self.is_local = self._trainer.is_local = False
        self._trainer.learn_beams(self._current_batch.inputs(states), beams)

    def update_labels(self, states: States, rows: IntArray, actions: IntArray, labels: IntArray) -> None:
        if not self.network.labels:  # else they are learned from all arcs of the sentences, found or not
            self._trainer.learn_labels(self._current_batch.inputs(states).take(rows), actions, labels)

    def end_batch(self, states: States) -> None:
        self._batch = None
        if self._trainer is not None:
            self._trainer.end_batch()

    def batches(self, numbers: LongArray, lengths: LongArray, *, learning: bool = False) -> Iterator[LongArray]:
        """Sentences of similar length together, which take as many steps; the batches are in random order."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if not learning:
            return grouped_by_length(numbers, lengths, PARSED_WORDS)
        random = np.random.default_rng(numbers[:8])
        noisy = lengths + random.uniform(0, _BLUR, len(lengths))
        found = list(grouped_by_length(numbers, noisy, self._trainer.batch))
        return (found[number] for number in random.permutation(len(found)).tolist())

    # --- Scores ---

    @property
    def _known_weights(self) -> NetworkWeights:
        if self._weights is None:
            raise SpecError("the network has not been trained")
        return self._weights

    def start_batch(self, states: Any) -> None:
        reader = self._batch.reader if self._batch is not None else None
        self._batch = None  # its memory can be used again
        self._batch = self.encode(states, reader=reader)

    def encode(
        self, states: Any, hidden: Sequence[MaskedInput | None] = (), reader: InputReader | None = None
    ) -> EncodedBatch:
        """Return the encoded sentences of a batch that was started; the classifier does not change.

        `hidden`: the input of each sentence that is left out; `reader`: that of another batch, for the same treebank.
        """
        if not hasattr(states, "positions"):
            raise BatchError("a network of positions scores states of a parser; got others")
        if self._trainer is not None:
            encoded = self._trainer.start_batch(states)
            return EncodedBatch(self.network, encoded, self._trainer.scorer)
        weights = self._known_weights
        if reader is None or reader.treebank is not states.sentences:
            reader = self._input_reader(states.sentences, getattr(states, "vectors", None))
        batch = reader.read(states.started, given_heads(self.network, states))
        of_words = [
            (int(first) + one.place, one.column)
            for first, one in zip(batch.first, hidden, strict=False)
            if one is not None and one.kind == "word"
        ]
        words, of_tags = weights.encoder.read(batch, of_words)
        tags = weights.tags.best(of_tags[batch.is_word]) if weights.tags else None
        return EncodedBatch(self.network, weights.layers(words, batch), weights.scorer, tags, tuple(hidden), reader)

    def _input_reader(self, treebank: Treebank, vectors: WordVectors | None) -> InputReader:
        self._known_weights.connect(vectors)
        return InputReader(self.network, self._known_weights.vocabulary, treebank, vectors)

    @property
    def _current_batch(self) -> EncodedBatch:
        if self._batch is None:
            raise BatchError("a network scores sentences after start_batch; none were started")
        return self._batch

    def score(self, states: States) -> FloatArray:
        return self._current_batch.score(states, is_local=self.is_local)

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> FloatArray:
        if self._trainer is not None and not self.network.label_inputs:
            return np.zeros((len(rows), self._trainer.labels), dtype=np.float32)  # it sees none: any will do
        return self._current_batch.score_labels(states, rows, actions)

    # --- Tags ---

    @property
    def tag_columns(self) -> tuple[str, ...]:
        return self.network.tags

    def current_tags(self) -> IntArray:
        tags = self._current_batch.tags
        assert tags is not None
        return tags

    def tag(self, treebank: Treebank, vectors: WordVectors | None = None, threads: int = 1) -> IntArray:
        weights, reader = self._known_weights, self._input_reader(treebank, vectors)
        heads = weights.tags
        assert heads is not None
        found = np.empty((treebank.words, len(self.network.tags)), dtype=np.int32)

        def work(sentences: LongArray) -> None:
            batch = reader.read(sentences)
            found[batch.words] = heads.best(weights.encoder.read(batch)[1][batch.is_word])

        lengths = np.diff(treebank.offsets)
        deque(map_in_order(work, self.batches(np.flatnonzero(lengths), lengths), threads), maxlen=0)
        return found

    def learn_tags(self, sentences: LongArray) -> None:
        """One update of a network that only predicts tags."""
        self._trainer.learn_tags(sentences)

    def write_tags(self, treebank: Treebank, tags: IntArray) -> None:
        self._known_weights.classes.write(treebank, tags)

    # --- Files ---

    def to_arrays(self) -> Arrays:
        weights = self._trainer.weights() if self._trainer is not None else self._known_weights
        return stored(weights.arrays, self.network.precision)

    def to_values(self) -> dict[str, Any]:
        weights = self._trainer.weights() if self._trainer is not None else self._known_weights
        return {
            "network": self.network.to_values(),
            "vocabulary": weights.vocabulary.to_values(),
            "actions": weights.actions,
            "labels": weights.labels,
            "local": self.is_local,
            **({"classes": weights.classes.to_values()} if self.network.tags else {}),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: dict[str, Any]) -> NetworkClassifier:
        check(values, _VALUES, "classifier.values")
        try:
            found = cls(NetworkSpec.from_values(values["network"]))
        except SpecError as error:
            raise ModelError(str(error)) from None
        vocabulary = checked_vocabulary(found.network, values["vocabulary"])
        classes = checked_classes(found.network, values.get("classes", {}))
        sizes = values["actions"], values["labels"]
        found._weights = NetworkWeights(
            found.network, vocabulary, classes, restored(arrays, found.network.precision), *sizes
        )
        found.is_local = values["local"]
        return found

    def check_compatible(self, actions: int, labels: int, vectors: WordVectors | None) -> None:
        weights = self._known_weights
        if not self.network.positions:
            raise ModelError("has no positions; a parser needs some")
        if (weights.actions, weights.labels) != (actions, labels):
            found = f"{weights.actions} actions and {weights.labels} labels"
            raise ModelError(f"scores {found}; the parser has {actions} and {labels}")
        try:
            self.connect(vectors)
        except ModelError as error:
            raise ModelError(f"cannot be used: {error}") from None

    def connect(self, vectors: WordVectors | None) -> None:
        """After it was loaded: gives it the vectors of words. Raises ModelError if they are not those that it reads."""
        self._known_weights.connect(vectors)


@dataclass
class EncodedBatch:
    """Encoded sentences and the scores of their states: all that belongs to one search.

    `tags`: (words, columns) if the network predicts any; `hidden`: the input of each sentence that is left out.
    """

    network: NetworkSpec
    words: EncodedWords
    scorer: Scorer
    tags: IntArray | None = None
    hidden: tuple[MaskedInput | None, ...] = ()
    reader: InputReader | None = None
    _last: tuple[IntArray, StateInputs] | None = None  # rows, and their inputs

    def inputs(self, states: Any) -> StateInputs:
        """Return the inputs of the rows, computed once for each step."""
        rows = states.ids
        if self._last is not None and np.array_equal(self._last[0], rows):
            return self._last[1]
        seen = StateInputs.of(self.network, states, self.words)
        if self.hidden:
            seen = without(seen, states.sentence_index, self.hidden)
        self._last = rows, seen
        return seen

    def score(self, states: Any, *, is_local: bool) -> FloatArray:
        """(rows, actions) Return the scores of actions; `is_local`: as logarithms of probabilities."""
        return self.scorer.score(self.inputs(states), self.words, is_local=is_local)

    def score_labels(self, states: Any, rows: IntArray, actions: IntArray) -> FloatArray:
        """(given rows, labels) Return the scores of labels for the arcs that actions make."""
        heads, dependents = self.arcs(states, rows, actions)
        seen = None if self.network.labels else self.inputs(states).take(rows)
        return self.scorer.score_labels(seen, self.words, heads, dependents, actions.astype(np.int64))

    def arcs(self, states: Any, rows: IntArray, actions: IntArray) -> tuple[LongArray, LongArray]:
        """Return the rows of the heads and of the dependents of arcs."""
        heads, dependents = states.arcs(rows, actions)
        first = self.words.first[states.sentence_index[rows]]
        return first + heads, first + dependents


class NetworkWeights:
    """What a network has learned: arrays, and what they are about."""

    def __init__(
        self,
        network: NetworkSpec,
        vocabulary: Vocabulary,
        classes: TagClasses,
        arrays: Arrays,
        actions: int,
        labels: int,
    ) -> None:
        self.network, self.vocabulary, self.classes, self.arrays = network, vocabulary, classes, arrays
        self.actions, self.labels = actions, labels
        if network.positions:
            self.layers = WordLayers(network, arrays, actions, labels)
            self.scorer = Scorer(network, arrays, actions, labels)
        self.tags = TagHeads(network, arrays, classes) if network.tags else None
        if "vector" not in network.columns:
            self.connect(None)

    def digest(self) -> str:
        """SHA-256 of the arrays."""
        import hashlib

        found = hashlib.sha256()
        for name, array in sorted(self.arrays.items()):
            found.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def connect(self, vectors: WordVectors | None) -> None:
        """Makes the encoder, which may need the parser's vectors."""
        if not hasattr(self, "encoder"):
            self.encoder = Encoder(self.network, self.vocabulary, self.arrays, vectors)


def given_heads(network: NetworkSpec, states: Any) -> IntArray | None:
    """The heads that constraints give, if the network sees them."""
    if "given_head" not in network.columns or getattr(states, "given_heads", None) is None:
        return None
    found: IntArray = states.given_heads
    return found


def _teacher(parser: Any) -> tuple[NetworkWeights, WordVectors | None]:
    """What a parser has learned."""
    classifier = getattr(parser, "classifier", None)
    if not isinstance(classifier, NetworkClassifier):
        raise SpecError(f"NetworkClassifier: teachers must be parsers with networks; got {parser!r}")
    return classifier._known_weights, parser.vectors


def check_torch() -> None:
    """Raises ImportError, which says what to install, if networks cannot be trained."""
    _trainer()


def _trainer() -> Any:
    try:
        return import_name(NETWORK_TRAINER)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError("training a network needs torch: pip install 'panparser[neural]'") from None
