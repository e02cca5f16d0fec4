"""Encoders in numpy: embeddings, BiLSTMs, characters, and how their weights are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.types import LongArray
from panparser.errors import ModelError
from panparser.features.vectors import WordVectors
from panparser.networks.network import NetworkInput, NetworkSpec, Precision
from panparser.networks.network_inputs import OUTSIDE, Batch, FeatureBags, PackedSequences, Vocabulary

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, npt.NDArray[Any]]
LETTER_SIZE = 32  # of the vector of a character
LABEL_SIZE = ACTION_SIZE = 32  # of the vectors of labels and actions
WINDOW = 5  # characters that a convolution sees
SLOPE = 0.1  # of the activation, below 0
_OF_FORMS = frozenset(("form", "lower", "characters", "vector"))  # inputs that are the same for the same form
MOST = np.float32(1e4)  # that a weight may be, so that sums of products of them are numbers


def activated(values: Floats) -> Floats:
    """Leaky ReLU, in place."""
    np.maximum(values, values * np.float32(SLOPE), out=values)
    return values


def taken(arrays: Arrays, name: str, *shape: int) -> Floats:
    """An array of weights. Raises ModelError unless it has this shape, and numbers that can be weights."""
    array = arrays.get(name)
    if array is None or array.dtype != np.float32 or array.shape != shape:
        found = "none" if array is None else f"one of {array.dtype} and shape {array.shape}"
        raise ModelError(f"array {name}: expected one of float32 and shape {shape}, found {found}")
    if not (np.abs(array) <= MOST).all():
        raise ModelError(f"array {name}: expected numbers from {-MOST:.0f} to {MOST:.0f}, found others")
    return array


@dataclass(frozen=True)
class Lstm:
    """One direction of an LSTM; gates are input, forget, output (halved, so that tanh serves for all), cell."""

    inputs: Floats  # (inputs, 4 * size)
    recurrent: Floats  # (size, 4 * size)
    bias: Floats

    @classmethod
    def of(cls, arrays: Arrays, prefix: str, inputs: int, size: int, suffix: str = "") -> Lstm:
        order = np.concatenate([np.arange(2 * size), np.arange(3 * size, 4 * size), np.arange(2 * size, 3 * size)])
        scale = np.where(np.arange(4 * size) < 3 * size, np.float32(0.5), np.float32(1))

        def prepared(matrix: Floats) -> Floats:
            return np.ascontiguousarray((matrix[order] * (scale if matrix.ndim == 1 else scale[:, None])).T)

        return cls(
            prepared(taken(arrays, f"{prefix}.weight_ih_l0{suffix}", 4 * size, inputs)),
            prepared(taken(arrays, f"{prefix}.weight_hh_l0{suffix}", 4 * size, size)),
            prepared(
                taken(arrays, f"{prefix}.bias_ih_l0{suffix}", 4 * size)
                + taken(arrays, f"{prefix}.bias_hh_l0{suffix}", 4 * size)
            ),
        )

    @property
    def size(self) -> int:
        return len(self.recurrent)

    def step(self, gates: Floats, cell: Floats, hidden: Floats, spare: Floats | None = None) -> None:
        """One step, from the weighted inputs, which are overwritten, as is `spare`, of their shape; cell and hidden
        state are updated in place."""
        size = self.size
        gates += np.matmul(hidden, self.recurrent, out=spare)
        np.tanh(gates, out=gates)
        own = gates[:, : 3 * size]
        own *= np.float32(0.5)
        own += np.float32(0.5)
        cell *= gates[:, size : 2 * size]
        gates[:, :size] *= gates[:, 3 * size :]
        cell += gates[:, :size]
        np.tanh(cell, out=hidden)
        hidden *= gates[:, 2 * size : 3 * size]

    def read(
        self, inputs: Floats, packed: PackedSequences, which: LongArray | None, *, backward: bool, out: Floats
    ) -> None:
        """Hidden states of all words, read in step; `out` may be a part of the columns of a matrix."""
        weighted = inputs @ self.inputs
        weighted += self.bias
        if which is not None:
            weighted = weighted[which]
        steps = packed.sizes.tolist()
        starts = (packed.sizes.cumsum() - packed.sizes).tolist()
        cell = np.zeros((max(steps, default=0), self.size), dtype=np.float32)
        hidden = np.zeros_like(cell)
        spare = np.empty((len(cell), 4 * self.size), dtype=np.float32)
        for step in reversed(range(len(steps))) if backward else range(len(steps)):
            count, start = steps[step], starts[step]
            self.step(weighted[start : start + count], cell[:count], hidden[:count], spare[:count])
            out[start : start + count] = hidden[:count]


@dataclass(frozen=True)
class BiLstm:
    """An LSTM in each direction."""

    forward: Lstm
    backward: Lstm

    @classmethod
    def of(cls, arrays: Arrays, prefix: str, inputs: int, size: int) -> BiLstm:
        return cls(
            Lstm.of(arrays, prefix, inputs, size),
            Lstm.of(arrays, prefix, inputs, size, "_reverse"),
        )

    def __call__(self, inputs: Floats, packed: PackedSequences, which: LongArray | None = None) -> Floats:
        """Hidden states of all words; `which` of the inputs each word has, unless each has its own."""
        size = self.forward.size
        out = np.empty((len(packed.rows), 2 * size), dtype=np.float32)
        self.forward.read(inputs, packed, which, backward=False, out=out[:, :size])
        self.backward.read(inputs, packed, which, backward=True, out=out[:, size:])
        return out


@dataclass(frozen=True)
class CharacterEncoder:
    """What is learned of characters: their vectors, and a convolution or a BiLSTM over them."""

    table: Floats
    kernel: Floats  # (window * letter, size); empty if there is a BiLSTM
    bias: Floats
    lstm: BiLstm | None

    @classmethod
    def of(cls, arrays: Arrays, given: NetworkInput, letters: int) -> CharacterEncoder:
        table = taken(arrays, "letters.weight", letters, LETTER_SIZE)
        none = np.zeros((0, 0), dtype=np.float32)
        if given.encoder == "lstm":
            return cls(table, none, none[0:0].ravel(), BiLstm.of(arrays, "spelling", LETTER_SIZE, given.size // 2))
        kernel = taken(arrays, "spelling.weight", given.size, LETTER_SIZE, WINDOW)
        flat = np.ascontiguousarray(kernel.transpose(2, 1, 0).reshape(WINDOW * LETTER_SIZE, given.size))
        return cls(table, flat, taken(arrays, "spelling.bias", given.size), None)

    def __call__(self, words: FeatureBags) -> Floats:
        """A vector for each word."""
        if self.lstm is not None:
            return self._read(words)
        numbers, is_there = words.padded()
        side = WINDOW // 2
        framed = np.full((len(numbers), numbers.shape[1] + 2 * side), OUTSIDE, dtype=np.int64)
        framed[:, side:-side] = numbers
        vectors = self.table[framed].reshape(len(numbers), -1)
        width = numbers.shape[1]
        windows = np.lib.stride_tricks.as_strided(
            vectors,
            (len(numbers), width, WINDOW * LETTER_SIZE),
            (vectors.strides[0], LETTER_SIZE * vectors.strides[1], vectors.strides[1]),
            writeable=False,
        )
        scores = windows[is_there] @ self.kernel
        best = np.maximum.reduceat(scores, words.starts[:-1], axis=0) + self.bias
        return np.maximum(best, 0, out=best)

    def _read(self, words: FeatureBags) -> Floats:
        assert self.lstm is not None
        lengths = np.diff(words.starts)
        packed = PackedSequences.of(lengths)
        found = self.lstm(self.table[words.numbers[packed.rows]], packed)
        size = self.lstm.forward.size
        last, first = packed.places[words.starts[1:] - 1], packed.places[words.starts[:-1]]
        return np.concatenate([found[last, :size], found[first, size:]], axis=1)


class Encoder:
    """Vectors of words, from arrays of weights."""

    def __init__(
        self, network: NetworkSpec, vocabulary: Vocabulary, arrays: Arrays, vectors: WordVectors | None
    ) -> None:
        self.network = network
        self.tables: dict[str, Floats] = {}
        self.letters: CharacterEncoder | None = None
        self.vectors = vectors
        width = 0
        for one in network.inputs:
            width += one.size
            if one.column == "characters":
                self.letters = CharacterEncoder.of(arrays, one, vocabulary.size("characters"))
            elif one.column == "vector":
                if vectors is None:
                    raise ModelError("the network reads vectors of words, and the model has none")
                weights = taken(arrays, "vectors.weight", one.size, vectors.dimensions)
                self.tables["vector"] = np.ascontiguousarray(weights.T)
            else:
                self.tables[one.column] = taken(
                    arrays, f"embeddings.{one.column}.weight", vocabulary.size(one.column), one.size
                )
        self.sees_forms_alone = set(network.columns) <= _OF_FORMS
        self.layers = []
        for number in range(network.num_layers):
            self.layers.append(BiLstm.of(arrays, f"encoder.{number}", width, network.hidden_size))
            width = 2 * network.hidden_size

    def inputs(self, batch: Batch, hidden: Sequence[tuple[int, str]] = ()) -> Floats:
        """(rows, inputs) The vectors of all inputs, side by side; 0 where an input of a row is hidden."""
        found = np.empty((batch.rows, sum(one.size for one in self.network.inputs)), dtype=np.float32)
        start = 0
        for one in self.network.inputs:
            own = found[:, start : start + one.size]
            own[:] = self._vectors(one.column, batch)
            own[[row for row, column in hidden if column == one.column]] = 0
            start += one.size
        return found

    def _vectors(self, column: str, batch: Batch) -> Floats:
        if column == "characters":
            assert batch.letters is not None
            assert self.letters is not None
            bags, which = batch.letters
            return self.letters(bags)[which]
        if column == "feats":
            assert batch.feats is not None
            bags, which = batch.feats
            return _sums(self.tables["feats"], bags)[which]
        if column == "vector":
            assert batch.vectors is not None
            assert self.vectors is not None
            return known_vectors(self.vectors, batch.vectors) @ self.tables["vector"]
        return self.tables[column][batch.numbers[column]]

    def __call__(self, batch: Batch) -> Floats:
        """(rows, width) What is seen of each word."""
        return self.read(batch)[0]

    def read(self, batch: Batch, hidden: Sequence[tuple[int, str]] = ()) -> tuple[Floats, Floats]:
        """(rows, width) What is seen of each word, and what its tags are predicted from."""
        found = self.inputs(batch, hidden)
        if not self.layers:
            return found, found
        rows, which = batch.packed.rows, None
        if self.sees_forms_alone and batch.letters is not None and not hidden:  # once for each form
            which = batch.letters[1][rows]
            rows = np.unique(batch.letters[1], return_index=True)[1]
        found = found[rows]
        of_tags = found
        for number, layer in enumerate(self.layers, start=1):
            found = layer(found, batch.packed, which if number == 1 else None)
            if number == self.network.tag_layer:
                of_tags = found
        words = found[batch.packed.places]
        is_last = self.network.tag_layer in (0, len(self.layers))
        return words, words if is_last or not self.network.tags else of_tags[batch.packed.places]


def _sums(table: Floats, bags: FeatureBags) -> Floats:
    found = np.zeros((len(bags.starts) - 1, table.shape[1]), dtype=np.float32)
    filled = np.flatnonzero(np.diff(bags.starts))
    if len(filled):
        found[filled] = np.add.reduceat(table[bags.numbers], bags.starts[filled], axis=0)
    return found


def known_vectors(vectors: WordVectors, rows: LongArray) -> Floats:
    """Pre-trained vectors; zero for Root."""
    found = vectors.matrix[np.maximum(rows, 0)].astype(np.float32) / np.float32(2**vectors.bits)
    found[rows < 0] = 0
    return found


_SCALE = ".scale"  # after the name of an array of bytes
_MOST = np.float32(127)
_SPARE = 7  # bits of a scale that are 0, so that its products with bytes are exact, and give the same bytes again


def stored(arrays: Arrays, precision: Precision) -> dict[str, npt.NDArray[Any]]:
    """The arrays in fewer bits; vectors are few, and keep theirs."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in sorted(arrays.items()):  # the order of a file is another one
        if precision == "float32" or array.ndim == 1:
            found[name] = array.astype(np.float32)
        elif precision == "float16":
            found[name] = array.astype(np.float16)
        else:
            rows = array.reshape(len(array), -1)
            scale = _short(np.maximum(np.abs(rows).max(axis=1, initial=0), 1e-12).astype(np.float32) / _MOST)
            found[name] = np.rint(rows / scale[:, None]).astype(np.int8).reshape(array.shape)
            found[name + _SCALE] = scale
    return found


def _short(scale: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The nearest numbers that end in spare bits."""
    bits = scale.view(np.int32) + (1 << _SPARE - 1)
    return (bits >> _SPARE << _SPARE).view(np.float32)


def count_weights(arrays: Arrays) -> int:
    """How many numbers were learned, however they are stored."""
    return sum(array.size for name, array in arrays.items() if not name.endswith(_SCALE))


def restored(arrays: Arrays, precision: Precision) -> dict[str, npt.NDArray[Any]]:
    """The arrays as float32. Raises ModelError unless they are stored in this precision."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in arrays.items():
        expected = "float32" if array.ndim == 1 else precision
        if array.dtype != expected:
            raise ModelError(f"array {name}: expected one of {expected}, found one of {array.dtype}")
        if array.dtype != np.int8:
            found[name] = array.astype(np.float32)
            continue
        scale = arrays.get(name + _SCALE)
        if array.ndim == 0 or scale is None or scale.dtype != np.float32 or scale.shape != (len(array),):
            raise ModelError(f"array {name}: expected a scale of float32 for each row, found none")
        with np.errstate(over="ignore", invalid="ignore"):  # what is not a number is found where it is used
            found[name] = array.astype(np.float32) * scale.reshape(-1, *[1] * (array.ndim - 1))
    return {name: array for name, array in found.items() if not name.endswith(_SCALE)}
