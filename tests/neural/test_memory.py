"""LSTMs over actions and stacks while they learn: torch goes back through what numpy has read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences
from nets import REMEMBERING

torch = pytest.importorskip("torch")
TRAIN = short_sentences(10, 9)
SURE = replace(REMEMBERING, training=replace(REMEMBERING.training, dropout=0.0, word_dropout=0.0))


def spec(beam=1, system="arc-hybrid"):
    return pp.ParserSpec(system=pp.system(system), beam=beam)


@pytest.fixture
def lessons(monkeypatch):
    """What was learned from each batch, compared with what the search saw: scores, and gradients of the memory."""
    from panparser.neural.torch_training import Trainer

    found = []
    begin, end = Trainer.start_batch, Trainer.end_batch

    def beginning(self, states):
        self.words = begin(self, states)
        return self.words

    def ending(self):
        lesson, scorer = self.lesson, self.scorer
        seen = [one for one, *_ in (*lesson.actions, *lesson.pairs)]
        differences = [
            np.abs(
                self._scores(lesson, [one])[0].detach().numpy() - scorer.score(one, self.words, is_local=False)
            ).max()
            for one in seen
        ]
        end(self)
        gradients = {
            name: float(weights.grad.abs().max())
            for name, weights in self.module.named_parameters()
            if name.startswith("memory") and weights.grad is not None
        }
        found.append((max(differences, default=0.0), gradients))

    monkeypatch.setattr(Trainer, "start_batch", beginning)
    monkeypatch.setattr(Trainer, "end_batch", ending)
    return found


@pytest.mark.parametrize("strategy", ["static", "dynamic-explore", "early-update", "max-violation"])
@pytest.mark.parametrize("beam", [1, 3])
def test_scores_of_the_search_are_those_that_are_learned_from(lessons, strategy, beam):
    options = {"strategy": pp.STRATEGIES[strategy], "epochs": 2, "threads": 1}
    parser = pp.train(spec(beam), TRAIN, network=SURE, **options)
    assert max(difference for difference, _ in lessons) < 1e-4
    names = {
        f"memory.{name}" for name in ("table.weight", "actions.weight_hh_l0", "stack.weight_ih_l0", "layer.weight")
    }
    moved = [gradients for _, gradients in lessons if gradients]
    assert all(names <= gradients.keys() for gradients in moved)
    assert all(max(gradients[name] for gradients in moved) > 0 for name in names)
    assert (parser.parse(TRAIN).heads >= 0).all()


def test_the_memory_learns_what_nothing_else_sees():
    """Of words it sees only B0, which is the same in all states between two shifts."""
    seeing = replace(
        SURE, inputs=(pp.NetworkInput(column="upos", size=8),), num_layers=0, hidden_size=0, positions=("B0",)
    )
    losses = {}
    for memory in (0, 16):
        network = replace(seeing, stack_lstm=memory)
        parser = pp.train(spec(), TRAIN, network=network, epochs=40, threads=1, strategy=pp.STRATEGIES["static"])
        losses[memory] = pp.evaluate(TRAIN, parser.parse(TRAIN), bootstrap_samples=0).uas
    assert losses[16] > losses[0] + 15


def test_a_beam_of_one_parses_as_greedy_search_does(tmp_path):
    parser = pp.train(spec(), TRAIN, network=SURE, epochs=3, threads=1)
    parser.save(tmp_path / "model")
    loaded = pp.load(tmp_path / "model")
    assert loaded.parse(TRAIN).to_bytes() == parser.parse(TRAIN).to_bytes()
    for sentence in TRAIN:
        (best,) = loaded.k_best(sentence, 1, beam=1)
        assert best.heads == tuple(loaded.parse(TRAIN)[sentence.position].heads.tolist())
    assert loaded.parse(TRAIN, beam=4, threads=3).to_bytes() == loaded.parse(TRAIN, beam=4).to_bytes()
