"""A classifier that learns fast, and what it is tried with."""

from __future__ import annotations

import numpy as np

import panparser as pp


class Linear(pp.Classifier):
    """Perceptron updates on hashed features; what it knows is one array."""

    name = "linear"
    batch = 8

    def prepare(self, setup):
        self.labels = np.zeros((1 << 14, len(setup.labels.names)), dtype=np.float32)
        self.actions = np.zeros((1 << 14, len(setup.system.names)), dtype=np.float32)
        self.calls = []

    def start_batch(self, states):
        self.calls = [*getattr(self, "calls", []), "begin"]

    def end_batch(self, states):
        self.calls.append("end")

    def score(self, states):
        return self.actions[states.features(14)].sum(axis=1)

    def score_labels(self, states, rows, actions):
        return self.labels[states.features(14)[rows]].sum(axis=1)

    def update(self, states, gold):
        scores = self.score(states)
        changes = np.zeros_like(scores)
        rows = np.arange(len(scores))
        changes[rows, np.where(gold, scores, -np.inf).argmax(axis=1)] += 1
        changes[rows, np.where(states.legal(), scores, -np.inf).argmax(axis=1)] -= 1
        np.add.at(self.actions, states.features(14), changes[:, None, :])

    def update_pair(self, states, actions, signs):
        np.add.at(self.actions, (states.features(14), actions[:, None]), signs[:, None])

    def update_labels(self, states, rows, actions, labels):
        guesses = self.score_labels(states, rows, actions).argmax(axis=1)
        for numbers, sign in ((labels, 1), (guesses, -1)):
            np.add.at(self.labels, (states.features(14)[rows], numbers[:, None]), sign)

    def to_arrays(self):
        return {"actions": self.actions, "labels": self.labels}

    @classmethod
    def from_arrays(cls, arrays, values):
        restored = cls()
        restored.actions, restored.labels = arrays["actions"], arrays["labels"]
        return restored


GREEDY = pp.ParserSpec(system=pp.system("arc-hybrid", single_root=True), templates=pp.templates("zn11"), beam=1)
BEAM = pp.ParserSpec(system=pp.system("arc-eager", single_root=True), templates=pp.templates("zn11"), beam=3)
EXPLORE = pp.STRATEGIES["dynamic-explore"]
