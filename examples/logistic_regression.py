"""A classifier of one's own: logistic regression in numpy, trained greedily; it parses greedily and with a beam."""

import tempfile
from pathlib import Path

import numpy as np

import panparser as pp

BITS = 16  # of a feature's number: features that share one are told no more apart


def softmax(scores, among):
    """Probabilities of what is allowed in each row."""
    scores = np.where(among, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


class LogisticRegression(pp.Classifier):
    """Weights for each feature and action; labels have weights of their own, by feature, action and label."""

    name = "logistic-regression"

    def __init__(self, rate=0.02):
        self.rate = rate  # of learning

    def prepare(self, setup):
        self.actions = np.zeros((1 << BITS, len(setup.system.names)), dtype=np.float32)
        self.labels = np.zeros((1 << BITS, len(setup.labels.names)), dtype=np.float32)

    def score(self, states):
        """Logarithms of probabilities: a beam adds them up to that of a derivation."""
        return np.log(np.maximum(self.chances(states, states.legal()), 1e-30))

    def chances(self, states, among):
        return softmax(self.actions[states.features(BITS)].sum(axis=1), among)

    def score_labels(self, states, rows, actions):
        return self.labels[self.label_features(states, rows, actions)].sum(axis=1)

    def label_features(self, states, rows, actions):
        return states.features(BITS)[rows] ^ (actions[:, None] * 40503 & (1 << BITS) - 1)

    def update(self, states, gold):
        """Moves probability from all legal actions to the correct ones, each by its share."""
        wish = self.chances(states, gold) - self.chances(states, states.legal())
        np.add.at(self.actions, states.features(BITS), self.rate * wish[:, None, :])

    def update_pair(self, states, actions, signs):
        """For strategies that compare derivations of a beam: towards the correct one, away from the other."""
        np.add.at(self.actions, (states.features(BITS), actions[:, None]), self.rate * signs[:, None])

    def update_labels(self, states, rows, actions, labels):
        chances = softmax(self.score_labels(states, rows, actions), states.legal_labels(rows, actions))
        wish = np.eye(chances.shape[1])[labels] - chances
        np.add.at(self.labels, self.label_features(states, rows, actions), self.rate * wish[:, None, :])

    def to_arrays(self):
        return {"actions": self.actions, "labels": self.labels}

    def to_values(self):
        return {"rate": self.rate}

    @classmethod
    def from_arrays(cls, arrays, values):
        restored = cls(values["rate"])
        restored.actions, restored.labels = arrays["actions"], arrays["labels"]
        return restored


class Watch(pp.Listener):
    """Prints a line for each epoch."""

    def after_epoch(self, report):
        print(f"epoch {report.epoch}  {report.updates:5} mistakes  UAS {report.uas:.2f}  LAS {report.las:.2f}")


if __name__ == "__main__":
    treebank = pp.read_conllu(Path(__file__).parents[1] / "tests" / "data" / "english.conllu")
    train_set, dev = treebank[:200], treebank[200:]
    spec = pp.ParserSpec(system=pp.system("arc-hybrid", single_root=True), templates=pp.templates("zn11"), beam=1)
    strategy = pp.STRATEGIES["dynamic-explore"]
    parser = pp.train(
        spec, train_set, dev=dev, classifier=LogisticRegression(), strategy=strategy, epochs=6, listeners=[Watch()]
    )

    with tempfile.TemporaryDirectory() as folder:
        parser.save(Path(folder) / "model")
        parser = pp.load(Path(folder) / "model", classifier=LogisticRegression)
    print(parser)
    for beam in (1, 4):
        scores = pp.evaluate(dev, parser.parse(dev, beam=beam))
        print(f"beam {beam}: UAS {scores.uas:.2f}  LAS {scores.las:.2f}")
