"""NetworkModule: a network in torch, for training. Its weights have the names of the arrays in a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from panparser.features.vectors import WordVectors
from panparser.networks.encoding import ACTION_SIZE, LABEL_SIZE, LETTER_SIZE, SLOPE, WINDOW, known_vectors
from panparser.networks.network import NetworkInput, NetworkSpec
from panparser.networks.network_inputs import OUTSIDE, ROOT, UNKNOWN, Batch, FeatureBags, Vocabulary
from panparser.networks.network_scoring import LEAST, Sequences, StackMemory
from panparser.networks.tag_heads import TagClasses

_NORM = 2.5  # of the vectors of an input at first: as long as those of characters, which others must not drown in


class NetworkModule(nn.Module):
    """All weights of a network, and the encoder."""

    def __init__(
        self,
        network: NetworkSpec,
        vocabulary: Vocabulary,
        classes: TagClasses,
        vectors: WordVectors | None,
        actions: int,
        labels: int,
    ) -> None:
        super().__init__()
        self.network = network
        self.pretrained = vectors
        self.random: torch.Generator | None = None  # its own, so that others may learn at the same time
        self.embeddings = nn.ModuleDict()
        for one in network.inputs:
            self._add_input(one, vocabulary)
        width = sum(one.size for one in network.inputs)
        self.encoder = nn.ModuleList()
        for _ in range(network.num_layers):
            self.encoder.append(nn.LSTM(width, network.hidden_size, bidirectional=True))
            width = 2 * network.hidden_size
        if network.tags:
            self._make_tags(width, classes)
        if network.positions:
            self._make_scorer(width, actions, labels)
        for layer in self.modules():
            if isinstance(layer, nn.LSTM):
                _prepare(layer)

    def _make_tags(self, width: int, classes: TagClasses) -> None:
        hidden = self.network.tag_hidden
        self.tag_hidden = nn.ModuleDict({column: nn.Linear(width, hidden) for column in classes.columns})
        self.tags = nn.ModuleDict({column: nn.Linear(hidden, len(texts)) for column, texts in classes.texts.items()})

    def _make_scorer(self, width: int, actions: int, labels: int) -> None:
        network = self.network
        self.absent = nn.Parameter(torch.zeros(width))
        self.positions = nn.Linear(len(network.positions) * width, network.hidden)
        if network.label_inputs:
            self.labels_of = nn.Embedding(labels + 1, LABEL_SIZE)
            self.labels_of_layer = nn.Linear(len(network.label_inputs) * LABEL_SIZE, network.hidden, bias=False)
        if network.action_history:
            self.history = nn.Embedding(actions + 1, ACTION_SIZE)
            self.history_layer = nn.Linear(network.action_history * ACTION_SIZE, network.hidden, bias=False)
        if network.stack_lstm:
            self.memory = nn.ModuleDict(
                {
                    "table": nn.Embedding(actions, ACTION_SIZE),
                    "actions": nn.LSTM(ACTION_SIZE, network.stack_lstm),
                    "stack": nn.LSTM(width, network.stack_lstm),
                    "layer": nn.Linear(2 * network.stack_lstm, network.hidden, bias=False),
                }
            )
        self.actions = nn.Linear(network.hidden, actions)
        if network.arcs:
            self.arc_heads = nn.Linear(width, network.arcs)
            self.arc_dependents = nn.Linear(width, network.arcs)
            self.arcs = nn.Parameter(torch.zeros(network.arcs + 1, network.arcs))
            self.arc_scale = nn.Parameter(torch.ones(actions))
        if labels and network.labels:
            self.label_heads = nn.Linear(width, network.labels)
            self.label_dependents = nn.Linear(width, network.labels)
            self.labels: Any = nn.Parameter(
                torch.randn(labels, network.labels + 1, network.labels + 1) / network.labels**0.5
            )
        elif labels:
            self.labels = nn.Linear(network.hidden, actions * labels)

    def _add_input(self, one: NetworkInput, vocabulary: Vocabulary) -> None:
        if one.column == "characters":
            self.letters = nn.Embedding(vocabulary.size("characters"), LETTER_SIZE)
            if one.encoder == "cnn":
                self.spelling: nn.Module = nn.Conv1d(LETTER_SIZE, one.size, WINDOW)
            else:
                self.spelling = nn.LSTM(LETTER_SIZE, one.size // 2, bidirectional=True)
        elif one.column == "vector":
            assert self.pretrained is not None
            self.vectors = nn.Linear(self.pretrained.dimensions, one.size, bias=False)  # their mean norm is 1
            nn.init.normal_(self.vectors.weight, std=_NORM / one.size**0.5)
        else:
            table = nn.Embedding(vocabulary.size(one.column), one.size)
            nn.init.normal_(table.weight, std=_NORM / one.size**0.5)
            self.embeddings[one.column] = table

    # --- Words ---

    def encode(self, batch: Batch, word_dropout: dict[str, Tensor] | None = None) -> Tensor:
        """(rows, width) What is seen of each word; while learning, with dropout."""
        return self.read(batch, word_dropout)[0]

    def read(self, batch: Batch, word_dropout: dict[str, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """(rows, width) What is seen of each word, and what its tags are predicted from."""
        device = next(self.parameters()).device
        learning = self.network.training
        dropout = learning.dropout if self.training else 0.0
        parts = []
        for one in self.network.inputs:
            vectors = self._vectors(one.column, batch, device, word_dropout)
            if self.training and learning.input_dropout:
                vectors = vectors * self._mask((len(vectors), 1), learning.input_dropout, device)
            parts.append(vectors)
        found = torch.cat(parts, dim=1)
        if not len(self.encoder):
            found = self._dropped(found)
            return found, found
        packed = batch.packed
        sizes = torch.from_numpy(packed.sizes)
        found = rows(found, to_device(packed.rows, device))
        sentence = to_device(_sentences(packed.sizes), device)
        of_tags = found
        for number, layer in enumerate(self.encoder, start=1):
            found = layer(PackedSequence(found, sizes))[0].data
            if dropout:  # the same for all words of a sentence
                found = found * self._mask((len(batch.first), found.shape[1]), dropout, device)[sentence]
            if number == (self.network.tag_layer or len(self.encoder)):
                of_tags = found
        places = to_device(packed.places, device)
        is_last = self.network.tag_layer in (0, len(self.encoder))
        words = rows(found, places)
        return words, words if is_last else rows(of_tags, places)

    def score_tags(self, column: str, words: Tensor) -> Tensor:
        """(words, classes) Scores of the classes of a column."""
        hidden = functional.leaky_relu(self.tag_hidden[column](words), SLOPE)
        found: Tensor = self.tags[column](self._dropped(hidden))
        return found

    def _vectors(
        self, column: str, batch: Batch, device: torch.device, word_dropout: dict[str, Tensor] | None
    ) -> Tensor:
        if column == "characters":
            assert batch.letters is not None
            bags, which = batch.letters
            return rows(self._spell(bags, device), to_device(which, device))
        if column == "feats":
            assert batch.feats is not None
            bags, which = batch.feats
            table: Any = self.embeddings["feats"].weight
            sums = functional.embedding_bag(
                to_device(bags.numbers, device),
                table,
                to_device(bags.starts[:-1], device),
                mode="sum",
            )
            return rows(sums, to_device(which, device))
        if column == "vector":
            assert batch.vectors is not None
            assert self.pretrained is not None
            known: Tensor = self.vectors(to_device(known_vectors(self.pretrained, batch.vectors), device))
            return known
        numbers = to_device(batch.numbers[column], device)
        if word_dropout and column in word_dropout:
            draws = torch.rand(len(numbers), device=device, generator=self.random)
            forgotten = (draws < word_dropout[column][numbers]) & (numbers != ROOT)
            numbers = torch.where(forgotten, torch.full_like(numbers, UNKNOWN), numbers)
        found: Tensor = self.embeddings[column](numbers)
        return found

    def _spell(self, words: FeatureBags, device: torch.device) -> Tensor:
        numbers, is_there = words.padded()
        vectors = self.letters(to_device(numbers, device))
        if isinstance(self.spelling, nn.LSTM):
            lengths = np.diff(words.starts)
            packed = nn.utils.rnn.pack_padded_sequence(
                vectors, torch.from_numpy(lengths), batch_first=True, enforce_sorted=False
            )
            hidden = self.spelling(packed)[1][0]
            return torch.cat([hidden[0], hidden[1]], dim=1)
        side = WINDOW // 2
        outside = self.letters.weight[OUTSIDE]
        there = to_device(is_there, device)
        vectors = torch.where(there[:, :, None], vectors, outside)
        edge = outside.expand(len(vectors), side, -1)
        scores = self.spelling(torch.cat([edge, vectors, edge], dim=1).transpose(1, 2))
        scores = scores.masked_fill(~there[:, None, :], -torch.inf)
        return torch.relu(scores.amax(dim=2))

    # --- What scores need of words ---

    def positions_of(self, encoded: Tensor) -> Tensor:
        """(rows + 1, positions, hidden) What each word adds to the hidden layer; the last row is absence."""
        words = torch.cat([encoded, self.absent[None]])
        count = len(self.network.positions)
        weights = self.positions.weight.view(self.network.hidden, count, -1)
        return torch.einsum("rw,hpw->rph", words, weights)

    def arcs_of(self, encoded: Tensor, batch: Batch) -> Tensor:
        """(sentences, longest, longest) Logarithms of the probabilities of heads, by dependent and head."""
        heads = self._dropped(functional.leaky_relu(self.arc_heads(encoded), SLOPE))
        dependents = _with_one(self._dropped(functional.leaky_relu(self.arc_dependents(encoded), SLOPE))) @ self.arcs
        device = encoded.device
        longest = int(batch.lengths.max())
        place = to_device(_padded(batch, longest), device)
        zeros = torch.zeros(1, heads.shape[1], device=device)
        heads, dependents = (rows(torch.cat([words, zeros]), place) for words in (heads, dependents))
        scores = dependents @ heads.transpose(1, 2)
        is_absent = (place == len(encoded))[:, None, :] | torch.eye(longest, dtype=torch.bool, device=device)
        scores = scores.masked_fill(is_absent, -torch.inf)
        scores = scores.masked_fill((place == len(encoded))[:, :, None], 0.0)  # of no dependent: anything finite
        return functional.log_softmax(scores, dim=2).clamp(min=float(LEAST))

    def labels_of_words(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        heads = self._dropped(functional.leaky_relu(self.label_heads(encoded), SLOPE))
        dependents = self._dropped(functional.leaky_relu(self.label_dependents(encoded), SLOPE))
        return _with_one(heads), _with_one(dependents)

    def _dropped(self, values: Tensor) -> Tensor:
        dropout = self.network.training.dropout if self.training else 0.0
        return values * self._mask(values.shape, dropout, values.device) if dropout else values

    def _mask(self, shape: Sequence[int], dropout: float, device: torch.device) -> Tensor:
        kept = torch.empty(shape, device=device).bernoulli_(1 - dropout, generator=self.random)
        return kept / (1 - dropout)

    # --- Scores ---

    def remembered(self, memory: StackMemory, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """(sequences, size) The hidden states of both LSTMs, after each sequence that was read."""
        table: Any = self.memory["table"].weight
        return (
            _read(self.memory["actions"], table, memory.actions),
            _read(self.memory["stack"], encoded, memory.stacks),
        )

    def hidden(
        self, seen: Tensor, words: Tensor, labels: Tensor, history: Tensor, remembered: Tensor | None = None
    ) -> Tensor:
        count, hidden = seen.shape[1], seen.shape[2]
        at = words * count + torch.arange(count, device=words.device)
        found = rows(seen.reshape(-1, hidden), at).sum(dim=1) + self.positions.bias
        if self.network.label_inputs:
            found = found + self.labels_of_layer(self.labels_of(labels).flatten(1))
        if self.network.action_history:
            found = found + self.history_layer(self.history(history).flatten(1))
        if remembered is not None:
            found = found + self.memory["layer"](remembered)
        return self._dropped(functional.leaky_relu(found, SLOPE))

    def score(self, hidden: Tensor, arcs: Tensor | None, place: Tensor) -> Tensor:
        scores: Tensor = self.actions(hidden)
        if arcs is not None:
            # Actions without an arc have places of their own: many gradients of one place are added up slowly.
            none = torch.arange(place.numel(), device=place.device).view_as(place) + arcs.numel()
            padded = torch.cat([arcs.flatten(), arcs.new_zeros(place.numel())])[:, None]
            of_arcs = rows(padded, torch.where(place >= 0, place, none))[..., 0]
            scores = scores + of_arcs * self.arc_scale
        return scores

    def score_labels(self, heads: Tensor, dependents: Tensor) -> Tensor:
        return torch.einsum("rd,ldh,rh->rl", dependents, self.labels, heads)


def to_device(array: Any, device: torch.device) -> Tensor:
    """An array as a tensor on a device; a GPU copies it while what comes next is prepared."""
    found = torch.from_numpy(np.ascontiguousarray(array))
    return found if device.type == "cpu" else found.pin_memory().to(device, non_blocking=True)


def fetch_arrays(tensors: Sequence[Tensor | None]) -> list[Any]:
    """Tensors as arrays, None as None, by one copy: a GPU is waited for once."""
    values = [one.detach() for one in tensors if one is not None]
    if values[0].device.type == "cpu":
        arrays = iter([one.numpy() for one in values])
    else:
        together = torch.cat([one.reshape(-1) for one in values])
        found = torch.empty(len(together), dtype=together.dtype, pin_memory=True)
        found.copy_(together)
        parts = np.split(found.numpy(), np.cumsum([one.numel() for one in values[:-1]]))
        arrays = iter([part.reshape(tuple(one.shape)) for part, one in zip(parts, values, strict=True)])
    return [None if one is None else next(arrays) for one in tensors]


def rows(matrix: Tensor, numbers: Tensor) -> Tensor:
    """Rows of a matrix; unlike with indices, gradients are added up quickly, and in the same order every time."""
    return functional.embedding(numbers, matrix)


def _read(lstm: nn.Module, inputs: Tensor, sequences: Sequences) -> Tensor:
    """(sequences, size) The hidden state after each: all of one value, all of two, ..., after those before them."""
    before, values, lengths = (np.array(own) for own in (sequences.before, sequences.values, sequences.lengths))
    hidden = cell = inputs.new_zeros(1, sequences.lstm.size)
    every, place = [hidden], np.zeros(len(before), dtype=np.int64)  # among those of their length
    for length in range(1, int(lengths.max()) + 1):
        own = np.flatnonzero(lengths == length)
        given, at = (to_device(numbers, inputs.device) for numbers in (values[own], place[before[own]]))
        state = rows(hidden, at)[None], rows(cell, at)[None]
        hidden, cell = (one[0] for one in lstm(rows(inputs, given)[None], state)[1])
        every.append(hidden)
        place[own] = np.arange(len(own))
    order = np.argsort(np.argsort(lengths, kind="stable"), kind="stable")
    return rows(torch.cat(every), to_device(order, inputs.device))


def _prepare(layer: nn.LSTM) -> None:
    """Orthogonal recurrent weights; gates that do not forget at first."""
    for name, weights in layer.named_parameters():
        if "weight_hh" in name:
            for gate in weights.data.chunk(4):
                nn.init.orthogonal_(gate)
        elif "bias" in name:
            weights.data.zero_()
            if "bias_ih" in name:
                weights.data.chunk(4)[1].fill_(1.0)


def _with_one(values: Tensor) -> Tensor:
    return torch.cat([values, torch.ones(len(values), 1, device=values.device)], dim=1)


def _sentences(sizes: Any) -> Any:
    """For each row of a packed batch, its sentence, in the order of length."""
    return np.concatenate([np.arange(size, dtype=np.int64) for size in sizes.tolist()])


def _padded(batch: Batch, longest: int) -> Any:
    """(sentences, longest) The row of each word; one behind the last where there is none."""
    steps = np.arange(longest)
    return np.where(steps < batch.lengths[:, None], batch.first[:, None] + steps, batch.rows)
