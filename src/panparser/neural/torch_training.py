"""Trainer: trains a network on the states that a strategy visits. The search scores states with numpy.

A batch of sentences is encoded once, with gradients; the search goes through its states with detached numbers, and what
there is to learn is collected; then one loss over all of it goes back through the encoder.

A 2016: Andor et al., "Globally Normalized Transition-Based Neural Networks".
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # the same sums every time
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait for others leave them the cores

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.batches.classifier import Arrays, ClassifierSetup, FinalBeams
from panparser.errors import ModelError
from panparser.features.vectors import WordVectors
from panparser.learning.listeners import StopTraining
from panparser.networks.encoding import taken
from panparser.networks.network import NetworkSpec
from panparser.networks.network_classifier import NetworkWeights, given_heads
from panparser.networks.network_inputs import Batch, InputReader, Vocabulary
from panparser.networks.network_scoring import (
    AT_EACH_STEP,
    EncodedWords,
    Scorer,
    StackLstmLayers,
    StackMemory,
    StateInputs,
)
from panparser.networks.tag_heads import TagClasses
from panparser.neural.teachers import SoftTargets, TeacherEnsemble
from panparser.neural.torch_network import NetworkModule, fetch_arrays, rows, to_device

MAX_THREADS = torch.get_num_threads()  # as many as there are cores, unless the environment says otherwise
_INITIALIZING = threading.Lock()  # weights are drawn from numbers that all threads share
WORD_DROPOUT_COLUMNS = ("form", "lower", "lemma")  # inputs that are sometimes taken for unknown ones


@dataclass
class TrainingBatch:
    """What there is to learn from a batch of sentences."""

    batch: Batch
    encoded: Tensor
    seen: Tensor
    arcs: Tensor | None
    heads: Tensor | None
    dependents: Tensor | None
    gold_heads: LongArray  # of words; below 0 where unknown
    gold_labels: LongArray
    tags: tuple[Tensor, IntArray] | None  # what they are predicted from, and the right ones
    memory: StackMemory | None
    soft_targets: SoftTargets | None = None
    remembered: tuple[Tensor, Tensor] | None = None
    actions: list[tuple[StateInputs, BoolArray]] = field(default_factory=list)
    pairs: list[tuple[StateInputs, IntArray, Any]] = field(default_factory=list)
    beams: list[tuple[StateInputs, FinalBeams]] = field(default_factory=list)
    labels: list[tuple[StateInputs, IntArray, IntArray]] = field(default_factory=list)


class Trainer:
    """A network that learns."""

    def __init__(
        self,
        network: NetworkSpec,
        setup: ClassifierSetup,
        known: NetworkWeights | None,
        teachers: Sequence[tuple[NetworkWeights, WordVectors | None]] = (),
    ) -> None:
        if setup.threads is not None:
            torch.set_num_threads(min(setup.threads, MAX_THREADS))
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # nothing reads it
        self.network = network
        self.treebank = setup.sentences
        self.vectors = setup.vectors
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.actions, self.labels = len(setup.system.names), len(setup.labels.names)
        self.vocabulary = Vocabulary.of(network, self.treebank, known.vocabulary if known else None)
        self.classes = TagClasses.of(network, self.treebank, known.classes if known else None)
        sizes = self.actions, self.labels
        with _INITIALIZING, torch.random.fork_rng(devices=[]):
            torch.manual_seed(setup.seed)
            self.module = NetworkModule(network, self.vocabulary, self.classes, self.vectors, *sizes)
        if known is not None:
            _warm(self.module, known)
        self.module.to(self.device).train()
        self.module.random = self.random = torch.Generator(self.device).manual_seed(setup.seed)
        self.is_local = True
        self.updates = 0
        self.start = time.monotonic()
        learning = network.training
        epochs = setup.epochs or learning.epochs
        self.batch = learning.batch_for(self.treebank.words, epochs)
        self.last = max(1, math.ceil(self.treebank.words / self.batch)) * epochs
        self.optimizer = torch.optim.Adam(
            self.module.parameters(), lr=learning.learning_rate, betas=(0.9, 0.95), eps=1e-9, fused=True
        )
        self.average = [weights.detach().clone() for weights in self.module.parameters()]
        self.word_dropout = {
            column: self._forgetting(column) for column in network.columns if column in WORD_DROPOUT_COLUMNS
        }
        self.readers: dict[int, tuple[Any, InputReader]] = {}
        self.right_tags: IntArray | None = None  # of the training treebank
        self.scorer: Scorer | None = None
        self.lesson: TrainingBatch | None = None
        self.teachers = TeacherEnsemble(teachers, self.weights(), self.device) if teachers else None

    def _forgetting(self, column: str) -> Tensor:
        rate = self.network.training.word_dropout
        counts = self.vocabulary.counts(column, self.treebank)
        return torch.from_numpy((rate / (rate + np.maximum(counts, 1))).astype(np.float32)).to(self.device)

    # --- A batch of sentences ---

    def start_batch(self, states: Any) -> EncodedWords:
        """Encodes sentences that were started."""
        batch = self._reader(states.sentences).read(states.started, given_heads(self.network, states))
        encoded, of_tags = self.module.read(batch, self.word_dropout)
        seen = self.module.positions_of(encoded)
        arcs = self.module.arcs_of(encoded, batch) if self.network.arcs else None
        heads = dependents = None
        if self.labels and self.network.labels:
            heads, dependents = self.module.labels_of_words(encoded)
        right_heads, right_labels = (column[batch.words].astype(np.int64) for column in states.gold)
        tags = (of_tags, self._right_tags(states.sentences)[batch.words]) if self.network.tags else None
        weights = self._weights_of_steps()
        of_labels = (heads, dependents) if self._labels_of_steps else (None, None)
        remembered = encoded if self.network.stack_lstm else None
        *values, of_words, of_arcs, of_heads, of_dependents, of_memory = fetch_arrays(
            [*weights.values(), seen, arcs, *of_labels, remembered]
        )
        arrays = dict(zip(weights, values, strict=True))
        memory = None
        if self.network.stack_lstm:
            memory = StackLstmLayers(self.network, arrays, self.actions)(of_memory, batch.first)
        self.lesson = TrainingBatch(
            batch, encoded, seen, arcs, heads, dependents, right_heads, right_labels, tags, memory
        )
        if self.teachers is not None:
            self.lesson.soft_targets = self.teachers.advise(states.sentences, states.started, right_heads, states)
        self.scorer = Scorer(self.network, arrays, self.actions, self._labels_of_steps)
        longest = int(batch.lengths.max(initial=0))
        return EncodedWords(batch.first, longest, of_words, of_arcs, of_heads, of_dependents, memory)

    def _reader(self, treebank: Any) -> InputReader:
        """That of the training treebank is kept; another is that of one sentence, in its place."""
        if id(treebank) not in self.readers or self.readers[id(treebank)][0] is not treebank:
            self.readers = {key: kept for key, kept in self.readers.items() if kept[0] is self.treebank}
            reader = InputReader(self.network, self.vocabulary, treebank, self.vectors)
            self.readers[id(treebank)] = (treebank, reader)
        return self.readers[id(treebank)][1]

    def _right_tags(self, treebank: Any) -> IntArray:
        """(words, columns) The right classes; kept for the training treebank."""
        if treebank is not self.treebank:
            return self.classes.right(treebank)
        if self.right_tags is None:
            self.right_tags = self.classes.right(treebank)
        return self.right_tags

    def learn_tags(self, sentences: LongArray) -> None:
        """One update from the tags of sentences alone."""
        batch = self._reader(self.treebank).read(sentences)
        of_tags = self.module.read(batch, self.word_dropout)[1]
        right = self._right_tags(self.treebank)[batch.words]
        advice = self.teachers.advise(self.treebank, sentences, None) if self.teachers is not None else None
        self.step(self._loss_of_tags(batch, of_tags, right, advice) / max(1, len(batch.words)))

    def learn_actions(self, seen: StateInputs, gold: BoolArray) -> None:
        self._open.actions.append((seen, np.array(gold)))

    def learn_pair(self, seen: StateInputs, actions: IntArray, signs: IntArray) -> None:
        self._open.pairs.append((seen, actions, signs))

    def learn_beams(self, seen: StateInputs, beams: FinalBeams) -> None:
        self._open.beams.append((seen, beams))

    def learn_labels(self, seen: StateInputs, actions: IntArray, labels: IntArray) -> None:
        """The labels of the arcs that actions make, from the states that they are made in."""
        self._open.labels.append((seen, actions, labels))

    @property
    def _open(self) -> TrainingBatch:
        assert self.lesson is not None
        return self.lesson

    def end_batch(self) -> None:
        """One update from all that was collected."""
        lesson, self.lesson = self.lesson, None
        loss = self._loss(lesson) if lesson is not None else None
        if loss is not None:
            self.step(loss)

    def step(self, loss: Tensor) -> None:
        """One step down a loss."""
        learning = self.network.training
        for group in self.optimizer.param_groups:
            group["lr"] = learning.learning_rate * self._pace()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), learning.max_gradient_norm)
        self.optimizer.step()
        self.updates += 1
        kept = min(learning.weight_averaging, self.updates / (self.updates + 10))
        with torch.no_grad():
            torch._foreach_lerp_(self.average, list(self.module.parameters()), 1 - kept)
        if self._time() >= 1:
            raise StopTraining

    def _pace(self) -> float:
        """The share of the rate: it rises, then falls along a cosine."""
        rising = min(1.0, (self.updates + 1) / max(1, self.network.training.warmup_updates))
        return rising * 0.5 * (1 + math.cos(math.pi * min(1.0, max(self.updates / self.last, self._time()))))

    def _time(self) -> float:
        """The share of the time that is over, if there is a limit."""
        seconds = self.network.training.max_seconds
        return (time.monotonic() - self.start) / seconds if seconds else 0.0

    # --- Losses ---

    def _loss(self, lesson: TrainingBatch) -> Tensor | None:
        """The mean over words; None if there is nothing to learn."""
        parts = [
            *([self._loss_of_actions(lesson)] if lesson.actions else []),
            *([self._loss_of_pairs(lesson)] if lesson.pairs else []),
            *([self._loss_of_beams(lesson)] if lesson.beams else []),
        ]
        if lesson.labels or lesson.heads is not None:
            parts.append(self.network.training.label_loss * self._loss_of_labels(lesson))
        if lesson.arcs is not None and self.network.training.arc_loss:
            parts.append(self.network.training.arc_loss * self._loss_of_heads(lesson))
        if lesson.tags is not None and self.network.training.tag_loss:
            parts.append(
                self.network.training.tag_loss * self._loss_of_tags(lesson.batch, *lesson.tags, lesson.soft_targets)
            )
        return torch.stack(parts).sum() / max(1, len(lesson.batch.words)) if parts else None

    def _loss_of_actions(self, lesson: TrainingBatch) -> Tensor:
        scores, legal = self._scores(lesson, [seen for seen, _ in lesson.actions])
        gold = self._tensor(np.concatenate([gold for _, gold in lesson.actions]))
        scores = scores.masked_fill(~legal, -torch.inf)
        right = scores.masked_fill(~gold, -torch.inf)
        return (scores.logsumexp(dim=1) - right.logsumexp(dim=1)).sum()

    def _loss_of_pairs(self, lesson: TrainingBatch) -> Tensor:
        """What the wrong derivations score above the right ones."""
        scores, _ = self._scores(lesson, [seen for seen, _, _ in lesson.pairs])
        actions = self._tensor(np.concatenate([actions for _, actions, _ in lesson.pairs]).astype(np.int64))
        signs = self._tensor(np.concatenate([signs for _, _, signs in lesson.pairs]).astype(np.float32))
        return -(scores.gather(1, actions[:, None])[:, 0] * signs).sum()

    def _loss_of_beams(self, lesson: TrainingBatch) -> Tensor:
        """The logarithms of the probabilities of the correct derivations among those of each search (A 2016)."""
        scores, _ = self._scores(lesson, [seen for seen, _ in lesson.beams])
        beams = _joined([beams for _, beams in lesson.beams], [len(seen.words) for seen, _ in lesson.beams])
        steps = _table(beams.paths, beams.rows * self.actions + beams.actions, scores.numel())
        sums = _padded(scores.reshape(-1), 0.0, self._tensor(steps)).sum(dim=1)
        paths = np.arange(len(beams.searches))
        of_searches = _padded(sums, -torch.inf, self._tensor(_table(beams.searches, paths, len(paths))))
        right = _table(beams.searches, np.where(beams.correct, paths, len(paths)), len(paths))
        of_right = _padded(sums, -torch.inf, self._tensor(right))
        return (of_searches.logsumexp(dim=1) - of_right.logsumexp(dim=1)).sum()

    def _loss_of_labels(self, lesson: TrainingBatch) -> Tensor:
        """That of the right arcs: all of them, or if labels are scored from states, those that were made."""
        if lesson.heads is not None and lesson.dependents is not None:
            known = np.flatnonzero((lesson.gold_heads >= 0) & (lesson.gold_labels >= 0))
            words, first = lesson.batch.places
            labels = self._tensor(lesson.gold_labels[known])
            heads = rows(lesson.heads, self._tensor((first + lesson.gold_heads)[known]))
            scores = self.module.score_labels(heads, rows(lesson.dependents, self._tensor(words[known])))
            if lesson.soft_targets is not None and lesson.soft_targets.labels is not None:
                advised = rows(lesson.soft_targets.labels, self._tensor(known))
                return self._mixed(functional.cross_entropy(scores, labels, reduction="sum"), scores, advised)
        else:
            labels = self._tensor(np.concatenate([part[2] for part in lesson.labels]).astype(np.int64))
            seen = [part[0] for part in lesson.labels]
            actions = self._tensor(np.concatenate([part[1] for part in lesson.labels]).astype(np.int64))
            every = self.module.labels(self._hidden(lesson, seen)).view(len(labels), self.actions, self.labels)
            scores = every[torch.arange(len(labels), device=self.device), actions]
        return functional.cross_entropy(scores, labels, reduction="sum")

    def _loss_of_heads(self, lesson: TrainingBatch) -> Tensor:
        """The logarithms of the probabilities of the heads of words, where they are known."""
        assert lesson.arcs is not None
        words, first = lesson.batch.places
        sentence = np.searchsorted(lesson.batch.first, first)
        known = lesson.gold_heads >= 0
        place = (sentence, words - first, lesson.gold_heads)
        at = np.ravel_multi_index(tuple(one[known] for one in place), tuple(lesson.arcs.shape))
        loss = -rows(lesson.arcs.reshape(-1, 1), self._tensor(at)).sum()
        if lesson.soft_targets is None or lesson.soft_targets.heads is None:
            return loss
        longest = lesson.arcs.shape[2]
        dependents = self._tensor(sentence * longest + words - first)
        found, advised = (
            rows(own.reshape(-1, longest), dependents) for own in (lesson.arcs, lesson.soft_targets.heads)
        )
        return self._mixed(loss, found, advised)

    def _mixed(self, loss: Tensor, scores: Tensor, advised: Tensor) -> Tensor:
        """A loss, in part replaced by that on what teachers predict."""
        share = self.network.training.distillation_weight
        of_advice = -(advised * functional.log_softmax(scores, dim=1)).sum()
        return (1 - share) * loss + share * of_advice

    def _loss_of_tags(
        self, batch: Batch, encoded: Tensor, right: IntArray, advice: SoftTargets | None = None
    ) -> Tensor:
        """The logarithms of the probabilities of the right classes, where they are known."""
        words = rows(encoded, self._tensor(np.flatnonzero(batch.is_word)))
        total = torch.zeros((), device=self.device)
        for place, column in enumerate(self.classes.columns):
            own = self._tensor(right[:, place].astype(np.int64))
            scores = self.module.score_tags(column, words)
            loss = functional.cross_entropy(scores, own.clamp(min=-1), ignore_index=-1, reduction="sum")
            total = total + (loss if advice is None else self._mixed(loss, scores, advice.tags[column]))
        return total

    def _scores(self, lesson: TrainingBatch, seen: list[StateInputs]) -> tuple[Tensor, Tensor]:
        hidden = self._hidden(lesson, seen)
        place = self._tensor(np.concatenate([one.arcs for one in seen]))
        legal = self._tensor(np.concatenate([one.legal for one in seen]))
        return self.module.score(hidden, lesson.arcs, place), legal

    def _hidden(self, lesson: TrainingBatch, seen: list[StateInputs]) -> Tensor:
        words, labels, history = (
            self._tensor(np.concatenate([getattr(one, name) for one in seen]))
            for name in ("words", "labels", "history")
        )
        return self.module.hidden(lesson.seen, words, labels, history, self._remembered(lesson, seen))

    def _remembered(self, lesson: TrainingBatch, seen: list[StateInputs]) -> Tensor | None:
        if lesson.memory is None:
            return None
        if lesson.remembered is None:  # once, when the search is over
            lesson.remembered = self.module.remembered(lesson.memory, lesson.encoded)
        read = self._tensor(np.concatenate([one.read for one in seen]))
        return torch.cat([rows(own, read[:, place]) for place, own in enumerate(lesson.remembered)], dim=1)

    def _tensor(self, array: Any) -> Tensor:
        return to_device(array, self.device)

    # --- Weights ---

    @property
    def _labels_of_steps(self) -> int:
        """Labels that steps choose among: none if no state shows them."""
        return self.labels if self.network.label_inputs else 0

    def _weights_of_steps(self) -> dict[str, Tensor]:
        """The weights that are needed at each step."""
        names = tuple(name for name in AT_EACH_STEP if name != "labels" or self._labels_of_steps)
        return {name: weights for name, weights in self.module.named_parameters() if name.startswith(names)}

    def weights(self) -> NetworkWeights:
        """The average of all that was learned."""
        names = [name for name, _ in self.module.named_parameters()]
        chosen = self.average if self.network.training.weight_averaging else [*self.module.parameters()]
        arrays = {name: np.array(_numbers(weights)) for name, weights in zip(names, chosen, strict=True)}
        return NetworkWeights(self.network, self.vocabulary, self.classes, arrays, self.actions, self.labels)

    def state(self) -> Arrays:
        found: dict[str, Any] = {}
        moments = self.optimizer.state
        for number, (name, weights) in enumerate(self.module.named_parameters()):
            found[f"weights.{name}"] = _numbers(weights)
            found[f"average.{name}"] = _numbers(self.average[number])
            if weights in moments:
                found[f"first.{name}"] = _numbers(moments[weights]["exp_avg"])
                found[f"second.{name}"] = _numbers(moments[weights]["exp_avg_sq"])
        found["updates"] = np.array([self.updates, int(self.is_local)], dtype=np.int64)
        found["random"] = self.random.get_state().numpy()
        return {name: np.array(array) for name, array in found.items()}

    def restore(self, arrays: Arrays) -> None:
        """Raises ModelError unless the arrays are those of `state`."""
        counts = arrays.get("updates")
        if counts is None or counts.dtype != np.int64 or counts.shape != (2,) or counts.min() < 0:
            raise ModelError("array updates: expected two numbers >= 0, found others")
        self.updates, self.is_local = int(counts[0]), bool(counts[1])
        with torch.no_grad():
            for number, (name, weights) in enumerate(self.module.named_parameters()):
                kinds = ("weights", "average", *(("first", "second") if f"first.{name}" in arrays else ()))
                own, average, *moments = (
                    self._tensor(np.array(taken(arrays, f"{kind}.{name}", *weights.shape))) for kind in kinds
                )
                weights.copy_(own)
                self.average[number].copy_(average)
                if moments:
                    self.optimizer.state[weights] = {
                        "step": torch.tensor(float(self.updates), device=self.device),
                        "exp_avg": moments[0],
                        "exp_avg_sq": moments[1].clamp(min=0),
                    }
        try:
            self.random.set_state(torch.from_numpy(np.array(arrays["random"])))
        except (KeyError, TypeError, RuntimeError):
            raise ModelError("array random: expected the state of random numbers, found another") from None


def _joined(parts: list[FinalBeams], rows: list[int]) -> FinalBeams:
    """Those of several updates as of one, given the rows of each."""
    counts = [[own, len(part.searches), int(part.searches[-1]) + 1] for own, part in zip(rows, parts, strict=True)]
    before = np.cumsum([[0, 0, 0], *counts[:-1]], axis=0).tolist()
    shifted = [
        FinalBeams(part.rows + row, part.actions, part.paths + path, part.searches + search, part.correct)
        for part, (row, path, search) in zip(parts, before, strict=True)
    ]
    return FinalBeams(**{name: np.concatenate([getattr(part, name) for part in shifted]) for name in vars(parts[0])})


def _table(groups: LongArray, values: LongArray, none: int) -> LongArray:
    """(groups, most) Values by group, which are in order; `none` where there are fewer."""
    place = np.arange(len(groups)) - np.searchsorted(groups, groups)
    found = np.full((int(groups[-1]) + 1, int(place.max()) + 1), none, dtype=np.int64)
    found[groups, place] = values
    return found


def _padded(values: Tensor, none: float, numbers: Tensor) -> Tensor:
    """Values by number; one behind the last is `none`, and learns nothing."""
    padded = torch.cat([values, values.new_full((1,), none)])[:, None]
    return functional.embedding(numbers, padded, padding_idx=len(values))[..., 0]


def _numbers(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.detach().cpu().numpy()


def _warm(module: NetworkModule, known: NetworkWeights) -> None:
    """Weights that are known already; new values and labels come after the old ones."""
    with torch.no_grad():
        for name, weights in module.named_parameters():
            array: Tensor = torch.from_numpy(np.array(known.arrays[name]))
            own: Tensor = weights
            if name.startswith("labels."):  # of each action
                array = array.view(known.actions, known.labels, *array.shape[1:])
                own = weights.view(module.actions.out_features, -1, *array.shape[2:])
            own[tuple(slice(size) for size in array.shape)].copy_(array)
