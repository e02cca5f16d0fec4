"""The globally normalized loss, against its definition: over whole derivations, of the beam and of what is correct."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from nets import ALONE, TINY, TREEBANK

torch = pytest.importorskip("torch")
SILENT = replace(TINY, training=replace(TINY.training, dropout=0.0, input_dropout=0.0, word_dropout=0.0))
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=3)


class Watched(pp.networks.NetworkClassifier):
    """Computes each loss from the scores that numpy has of the same states, one derivation at a time."""

    def update_beam(self, states, beams):
        super().update_beam(states, beams)
        scores, paths, searches, correct = self.score(states), beams.paths, beams.searches, beams.correct
        sums = [scores[beams.rows[paths == path], beams.actions[paths == path]].sum() for path in range(len(searches))]
        for search in np.unique(searches):
            own = np.exp([sums[path] for path in np.flatnonzero(searches == search)], dtype=np.float64)
            good = correct[searches == search]
            assert good.any()
            assert not good.all()
            self.expected.append(np.log(own.sum()) - np.log(own[good].sum()))
        trainer = self._trainer
        self.compared.append((trainer._loss_of_beams(trainer._open).item(), sum(self.expected)))

    def start_batch(self, states):
        super().start_batch(states)
        self.expected = []

    def prepare(self, setup):
        super().prepare(setup)
        Watched.compared = self.compared = []


@pytest.mark.parametrize("restart", ["pair", "none"])
def test_the_loss_is_the_probability_of_what_is_correct(restart):
    strategy = replace(pp.STRATEGIES["global"], restart=restart)
    pp.train(SPEC, TREEBANK, classifier=Watched(SILENT), strategy=strategy, epochs=2, seed=3)
    assert len(Watched.compared) >= 4
    for found, expected in Watched.compared:
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_it_is_learned_until_nothing_is_wrong():
    """A treebank of eight sentences can be learned by heart."""
    network = replace(SILENT, training=replace(SILENT.training, epochs=40, learning_rate=0.02))
    parser = pp.train(SPEC, TREEBANK, network=network, strategy=pp.STRATEGIES["global"], seed=1)
    assert pp.evaluate(TREEBANK, parser.parse(TREEBANK), bootstrap_samples=0).uas > 95


def test_perceptrons_say_that_they_cannot():
    with pytest.raises(pp.errors.StrategyError, match="a network can learn against all"):
        pp.train(pp.ParserSpec(beam=4), TREEBANK, strategy=pp.STRATEGIES["global"], epochs=1)
    with pytest.raises(pp.SpecError, match="update_beam"):
        pp.train(pp.ParserSpec(beam=4), TREEBANK, classifier=pp.Perceptron(), strategy=pp.STRATEGIES["global"])


class Lockstep(pp.networks.NetworkClassifier):
    """Learns from beams from the first batch on, of which the slow search has several updates. Keeps all losses."""

    def prepare(self, setup):
        super().prepare(setup)
        self.is_local = self._trainer.is_local = False
        type(self).losses = []

    def end_batch(self, states):
        if self._trainer is not None:
            self.losses.append(self._trainer._loss(self._trainer.lesson).item())
        super().end_batch(states)


class Waiting(Lockstep):
    """Sentences wait for each other: the slow search."""

    updates_in_batches = False


@pytest.mark.parametrize("restart", ["pair", "none"])
@pytest.mark.parametrize("network", [SILENT, replace(ALONE, training=SILENT.training)], ids=["bilstm", "labels seen"])
def test_sentences_in_lockstep_teach_the_same(network, restart):
    strategy = replace(pp.STRATEGIES["global"], restart=restart)
    for kind in (Lockstep, Waiting):
        pp.train(SPEC, TREEBANK, classifier=kind(network), strategy=strategy, epochs=4, seed=5)
    assert len(Lockstep.losses) >= 4
    assert Lockstep.losses == pytest.approx(Waiting.losses, rel=1e-3)
