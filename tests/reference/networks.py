"""The forward pass of a network from its definition: one sentence, one state, plain numbers; and networks at random."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.features.vectors import WordVectors
from panparser.learning.layers import Labels
from panparser.learning.training_record import TrainingRecord
from panparser.networks.encoding import stored
from panparser.networks.network import NetworkInput, NetworkSpec
from panparser.networks.network_classifier import NetworkClassifier
from panparser.networks.network_inputs import Vocabulary
from panparser.networks.tag_heads import TagClasses
from panparser.parsing.parser import Parser, classifier_model
from panparser.parsing.spec import ParserSpec
from panparser.tagging.network_tagger import NetworkTagger
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

Vector = list[float]
Matrix = list[Vector]
_LETTER, _VALUE, _WINDOW, _SLOPE, _NEAR, _LONGEST = 32, 32, 5, 0.1, 8, 40


# --- Networks at random ---


def shapes(
    network: NetworkSpec, vocabulary: Vocabulary, classes: TagClasses, actions: int, labels: int, dimensions: int = 0
) -> dict[str, tuple[int, ...]]:
    """The arrays of a network, and their shapes; `dimensions` are those of pre-trained vectors."""
    found: dict[str, tuple[int, ...]] = {}
    for one in network.inputs:
        found |= _input_shapes(one, vocabulary, dimensions)
    width = sum(one.size for one in network.inputs)
    for layer in range(network.num_layers):
        found |= _lstm_shapes(f"encoder.{layer}", width, network.hidden_size)
        width = 2 * network.hidden_size
    for column, texts in classes.texts.items():
        found |= _layer_shapes((f"tag_hidden.{column}",), width, network.tag_hidden)
        found |= _layer_shapes((f"tags.{column}",), network.tag_hidden, len(texts))
    return found | (_scorer_shapes(network, width, actions, labels) if network.positions else {})


def _scorer_shapes(network: NetworkSpec, width: int, actions: int, labels: int) -> dict[str, tuple[int, ...]]:
    hidden = network.hidden
    found: dict[str, tuple[int, ...]] = {"absent": (width,)}
    found |= {"positions.weight": (hidden, len(network.positions) * width), "positions.bias": (hidden,)}
    for name, values, count in (
        ("labels_of", labels, len(network.label_inputs)),
        ("history", actions, network.action_history),
    ):
        if count:
            found |= {f"{name}.weight": (values + 1, _VALUE), f"{name}_layer.weight": (hidden, count * _VALUE)}
    if network.stack_lstm:
        found |= _lstm_shapes("memory.actions", _VALUE, network.stack_lstm, ways=("",))
        found |= _lstm_shapes("memory.stack", width, network.stack_lstm, ways=("",))
        found |= {"memory.table.weight": (actions, _VALUE), "memory.layer.weight": (hidden, 2 * network.stack_lstm)}
    found |= {"actions.weight": (actions, hidden), "actions.bias": (actions,)}
    if network.arcs:
        found |= _layer_shapes(("arc_heads", "arc_dependents"), width, network.arcs)
        found |= {"arcs": (network.arcs + 1, network.arcs), "arc_scale": (actions,)}
    if labels and network.labels:
        found |= _layer_shapes(("label_heads", "label_dependents"), width, network.labels)
        found["labels"] = (labels, network.labels + 1, network.labels + 1)
    elif labels:
        found |= {"labels.weight": (actions * labels, hidden), "labels.bias": (actions * labels,)}
    return found


def _input_shapes(one: NetworkInput, vocabulary: Vocabulary, dimensions: int) -> dict[str, tuple[int, ...]]:
    if one.column == "vector":
        return {"vectors.weight": (one.size, dimensions)}
    if one.column != "characters":
        return {f"embeddings.{one.column}.weight": (vocabulary.size(one.column), one.size)}
    letters = {"letters.weight": (vocabulary.size("characters"), _LETTER)}
    if one.encoder == "lstm":
        return letters | _lstm_shapes("spelling", _LETTER, one.size // 2)
    return letters | {"spelling.weight": (one.size, _LETTER, _WINDOW), "spelling.bias": (one.size,)}


def _lstm_shapes(
    name: str, inputs: int, size: int, ways: Sequence[str] = ("", "_reverse")
) -> dict[str, tuple[int, ...]]:
    return {
        f"{name}.{part}_l0{way}": (4 * size, *more)
        for way in ways
        for part, more in (("weight_ih", (inputs,)), ("weight_hh", (size,)), ("bias_ih", ()), ("bias_hh", ()))
    }


def _layer_shapes(names: Iterable[str], inputs: int, size: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.{part}": (size, *more) for name in names for part, more in (("weight", (inputs,)), ("bias", ()))}


def random_network_parser(
    spec: ParserSpec, network: NetworkSpec, treebank: Treebank, *, seed: int = 1, vectors: WordVectors | None = None
) -> Parser:
    """A parser whose network has random weights; it knows the words and the labels of a treebank."""
    labels = Labels.anywhere(tuple(sorted({*treebank.vocabulary("deprel")} - {"_"})) if spec.labeled else ())
    sizes = len(spec.system.names), len(labels.names)
    classifier = _classifier(network, treebank, sizes, seed, vectors)
    return Parser(model=classifier_model(spec, labels, classifier, vectors))


def random_network_tagger(
    network: NetworkSpec, treebank: Treebank, *, seed: int = 1, vectors: WordVectors | None = None
) -> NetworkTagger:
    """A tagger whose network has random weights; it knows the words and the tags of a treebank."""
    return NetworkTagger(_classifier(network, treebank, (0, 0), seed, vectors), TrainingRecord(), vectors)


def _classifier(
    network: NetworkSpec, treebank: Treebank, sizes: tuple[int, int], seed: int, vectors: WordVectors | None
) -> NetworkClassifier:
    vocabulary, classes = Vocabulary.of(network, treebank), TagClasses.of(network, treebank)
    random = np.random.default_rng(seed)
    dimensions = vectors.dimensions if vectors is not None else 0
    arrays = {
        name: (random.normal(size=shape) / math.sqrt(shape[-1]) * 2).astype(np.float32)
        for name, shape in shapes(network, vocabulary, classes, *sizes, dimensions).items()
    }
    values = {"network": network.to_values(), "vocabulary": vocabulary.to_values(), "local": True}
    values["classes"] = classes.to_values()
    kept = stored(arrays, network.precision)
    return NetworkClassifier.from_arrays(kept, {**values, "actions": sizes[0], "labels": sizes[1]})


# --- The forward pass ---


@dataclass(frozen=True)
class Situation:
    """What a network sees of a state: words at its positions, labels and last actions by number; None where none.

    And all its actions, and what is on its stack, from the bottom.
    """

    words: Sequence[int | None]
    labels: Sequence[int | None]
    history: Sequence[int | None]
    actions: Sequence[int] = ()
    stack: Sequence[int] = ()


class ReferenceNetwork:
    """A network that reads one sentence and scores one state at a time, in loops."""

    def __init__(
        self,
        network: NetworkSpec,
        vocabulary: Mapping[str, Sequence[str]],
        arrays: Mapping[str, npt.NDArray[Any]],
        vectors: WordVectors | None = None,
    ) -> None:
        self.network, self.vocabulary, self.vectors = network, vocabulary, vectors
        self.arrays: dict[str, Any] = {name: array.tolist() for name, array in arrays.items()}
        self.hidden_inputs: set[tuple[int, str]] = set()  # words and columns whose vectors are 0

    def encode(self, sentence: Sentence, given: Sequence[int | None] | None = None) -> Matrix:
        """A vector for Root, then one for each word; `given` are the heads that constraints give."""
        return self.layers(sentence, given)[-1]

    def tags(self, sentence: Sentence, column: str) -> Matrix:
        """The scores of the classes of each word."""
        encoded = self.layers(sentence)[self.network.tag_layer or -1]
        weights, bias = self.arrays[f"tags.{column}.weight"], self.arrays[f"tags.{column}.bias"]
        hidden = [self._layer(f"tag_hidden.{column}", word) for word in encoded[1:]]
        return [[a + b for a, b in zip(_times(weights, word), bias, strict=True)] for word in hidden]

    def layers(self, sentence: Sentence, given: Sequence[int | None] | None = None) -> list[Matrix]:
        """The inputs, and what each layer of the encoder makes of them."""
        words = range(len(sentence) + 1)
        found = [
            [number for one in self.network.inputs for number in self._input(one, sentence, word, given)]
            for word in words
        ]
        every = [found]
        for layer in range(self.network.num_layers):
            ahead = self._lstm(f"encoder.{layer}", found, "")
            back = self._lstm(f"encoder.{layer}", found[::-1], "_reverse")[::-1]
            found = [one + other for one, other in zip(ahead, back, strict=True)]
            every.append(found)
        return every

    def _input(self, one: NetworkInput, sentence: Sentence, word: int, given: Sequence[int | None] | None) -> Vector:
        column = one.column
        if (word, column) in self.hidden_inputs:
            return [0.0] * one.size
        if column == "characters":
            return self._spelled(one, sentence.forms[word - 1] if word else "")
        if column == "vector":
            known = self.vectors[sentence.forms[word - 1]].tolist() if word and self.vectors is not None else None
            return _times(self.arrays["vectors.weight"], known) if known else [0.0] * one.size
        table = self.arrays[f"embeddings.{column}.weight"]
        if column == "feats":
            numbers = self._features(sentence, word)
        elif column == "given_head":
            numbers = [_given_number(word, given)]
        else:
            numbers = [self._number(column, _cell(column, sentence, word)) if word else 0]
        return [sum(table[number][place] for number in numbers) for place in range(one.size)]

    def _number(self, column: str, text: str) -> int:
        known = self.vocabulary[column]
        return known.index(text) + 2 if text in known else 1

    def _features(self, sentence: Sentence, word: int) -> list[int]:
        if word == 0:
            return [0]
        cell = _cell("feats", sentence, word)
        return [self._number("feats", feature) for feature in cell.split("|") if cell != "_"]

    def _spelled(self, one: NetworkInput, form: str) -> Vector:
        if len(form) > _LONGEST:
            form = form[: _LONGEST // 2] + form[-_LONGEST // 2 :]
        known = self.vocabulary["characters"]
        numbers = [2, *(known.index(letter) + 4 if letter in known else 1 for letter in form), 3]
        letters = [self.arrays["letters.weight"][number] for number in numbers]
        if one.encoder == "lstm":
            return self._lstm("spelling", letters, "")[-1] + self._lstm("spelling", letters[::-1], "_reverse")[-1]
        outside = [self.arrays["letters.weight"][0]] * (_WINDOW // 2)
        framed = outside + letters + outside
        kernels = zip(self.arrays["spelling.weight"], self.arrays["spelling.bias"], strict=True)
        return [
            max(
                0.0,
                *(
                    bias + sum(kernel[i][j] * framed[at + j][i] for i in range(_LETTER) for j in range(_WINDOW))
                    for at in range(len(letters))
                ),
            )
            for kernel, bias in kernels
        ]

    def _lstm(self, name: str, inputs: Matrix, suffix: str) -> Matrix:
        """The hidden state after each input; gates are input, forget, cell, output."""
        weights, recurrent, bias, more = (
            self.arrays[f"{name}.{part}_l0{suffix}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        size = len(recurrent[0])
        hidden, cell, found = [0.0] * size, [0.0] * size, []
        for given in inputs:
            sums = [
                sum(parts) for parts in zip(_times(weights, given), _times(recurrent, hidden), bias, more, strict=True)
            ]
            enter, forget, value, out = (sums[part * size : (part + 1) * size] for part in range(4))
            cell = [_sigmoid(forget[i]) * cell[i] + _sigmoid(enter[i]) * math.tanh(value[i]) for i in range(size)]
            hidden = [_sigmoid(out[i]) * math.tanh(cell[i]) for i in range(size)]
            found.append(hidden)
        return found

    # --- Scores ---

    def hidden(self, encoded: Matrix, seen: Situation) -> Vector:
        """The hidden layer of the scorer."""
        words = [self.arrays["absent"] if word is None else encoded[word] for word in seen.words]
        layer = _times(self.arrays["positions.weight"], [number for word in words for number in word])
        sums = [layer, self.arrays["positions.bias"]]
        for name, numbers in (("labels_of", seen.labels), ("history", seen.history)):
            if numbers:
                rows = [self.arrays[f"{name}.weight"][0 if number is None else number + 1] for number in numbers]
                sums.append(_times(self.arrays[f"{name}_layer.weight"], [number for row in rows for number in row]))
        if self.network.stack_lstm:
            actions = [self.arrays["memory.table.weight"][action] for action in seen.actions]
            stack = [encoded[word] for word in seen.stack]
            none = [0.0] * self.network.stack_lstm
            of_actions = [none, *self._lstm("memory.actions", actions, "")][-1]
            of_stack = [none, *self._lstm("memory.stack", stack, "")][-1]
            sums.append(_times(self.arrays["memory.layer.weight"], of_actions + of_stack))
        return [_leaky(sum(parts)) for parts in zip(*sums, strict=True)]

    def actions(self, encoded: Matrix, seen: Situation, arcs: Mapping[int, tuple[int, int] | None]) -> dict[int, float]:
        """Logarithms of the probabilities of legal actions, given with the arcs (head, dependent) that they make."""
        hidden = self.hidden(encoded, seen)
        scores = {}
        for action, arc in arcs.items():
            score = _dot(self.arrays["actions.weight"][action], hidden) + self.arrays["actions.bias"][action]
            if self.network.arcs and arc is not None:
                score += self.arrays["arc_scale"][action] * self.arc(encoded, *arc)
            scores[action] = score
        total = _log_sum(scores.values())
        return {action: score - total for action, score in scores.items()}

    def arc(self, encoded: Matrix, head: int, dependent: int) -> float:
        """The logarithm of the probability of a head among all words, at least -30."""
        of_dependent = [*self._layer("arc_dependents", encoded[dependent]), 1.0]
        matrix = self.arrays["arcs"]
        through = [_dot(of_dependent, [row[place] for row in matrix]) for place in range(self.network.arcs)]
        scores = {
            word: _dot(through, self._layer("arc_heads", vector))
            for word, vector in enumerate(encoded)
            if word != dependent
        }
        return max(scores[head] - _log_sum(scores.values()), -30.0)

    def labels(self, encoded: Matrix, seen: Situation, action: int, head: int, dependent: int) -> Vector:
        """Scores of the labels of an arc."""
        if self.network.labels:
            of_head = [*self._layer("label_heads", encoded[head]), 1.0]
            of_dependent = [*self._layer("label_dependents", encoded[dependent]), 1.0]
            return [_dot(of_dependent, _times(matrix, of_head)) for matrix in self.arrays["labels"]]
        count = len(self.arrays["labels.bias"]) // len(self.arrays["actions.bias"])
        own = slice(action * count, (action + 1) * count)
        scores = _times(self.arrays["labels.weight"][own], self.hidden(encoded, seen))
        return [score + bias for score, bias in zip(scores, self.arrays["labels.bias"][own], strict=True)]

    def _layer(self, name: str, values: Vector) -> Vector:
        sums = zip(_times(self.arrays[f"{name}.weight"], values), self.arrays[f"{name}.bias"], strict=True)
        return [_leaky(sum(parts)) for parts in sums]


def _cell(column: str, sentence: Sentence, word: int) -> str:
    treebank = sentence.treebank
    source = "form" if column == "lower" else column
    at = int(treebank.offsets[sentence.position]) + word - 1
    text: str = treebank.vocabulary(source)[treebank.column(source)[at]]
    return text.lower() if column == "lower" else text


def _given_number(word: int, given: Sequence[int | None] | None) -> int:
    """0 for Root, 1 without a head, 2 for Root as the head, then distances from far before to far behind."""
    if word == 0:
        return 0
    head = given[word - 1] if given is not None else None
    if head is None:
        return 1
    if head == 0:
        return 2
    distances = [*range(-_NEAR, 0), *range(1, _NEAR + 1)]
    return 3 + distances.index(max(-_NEAR, min(_NEAR, head - word)))


def _times(matrix: Matrix, vector: Vector) -> Vector:
    return [_dot(row, vector) for row in matrix]


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _leaky(value: float) -> float:
    return value if value > 0 else _SLOPE * value


def _log_sum(values: Iterable[float]) -> float:
    return math.log(sum(map(math.exp, values)))
