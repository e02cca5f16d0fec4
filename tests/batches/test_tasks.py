"""A task in Python: parsing itself, written as one, learns what the engine learns; models predict and are saved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import panparser as pp
from learners import SMALL, examples, learn, short_sentences
from panparser.batches.batch_learner import BatchLearner
from panparser.batches.batch_search import BatchSearch
from panparser.batches.tasks import NamedPerceptron, TaskStates
from panparser.inspection.naive_features import Derivation


class Parsing:
    """Arc-eager parsing as a task; an input is an example of the reference learner."""

    system = pp.system("arc-eager", root="last")
    actions = system.names

    class State(NamedTuple):
        at: Derivation
        reader: object

    def initial(self, input):
        return self.State(Derivation(self.system.initial(len(input.gold))), input.reader)

    def legal(self, state):
        return () if state.at.is_final else self.system.legal(state.at.state)

    def apply(self, state, action):
        return state._replace(at=state.at.follow(action))

    def cost(self, state, action, gold):
        return self.system.costs(state.at.state, gold)[action]

    def features(self, state):
        return [repr(feature) for feature in state.reader.features(state.at)]


@pytest.mark.parametrize(
    ("beam", "strategy"),
    [(1, "dynamic"), (1, "static"), (3, "max-violation"), (2, "early-update-restart"), (2, "full-update")],
)
def test_parsing_as_a_task_makes_the_updates_of_the_engine(beam, strategy):
    treebank = short_sentences(10)
    spec = pp.ParserSpec(system=Parsing.system, templates=SMALL, beam=beam, labeled=False, nonprojective="as-is")
    learned = learn(spec, treebank, strategy=pp.STRATEGIES[strategy], epochs=2)
    sentences = examples(spec, treebank)
    states = TaskStates(Parsing(), sentences, [sentence.gold for sentence in sentences])
    perceptron = NamedPerceptron()
    learner = BatchLearner(BatchSearch(states, perceptron), beam, learned.run.training.seed)
    updates = []

    def notify(pairs, applied):
        updates.extend(pair for pair in pairs if applied)

    for epoch, number in learned.order:
        chosen = learned.run.training.strategy_for(epoch, number)
        learner.learn(np.array([number]), chosen, chosen.exploration(epoch), notify)
    if strategy == "static":  # its ties are the task's own
        assert len(updates) > 10
        return
    assert [(names_of(u.positive), names_of(u.negative), u.started) for u in updates] == [
        (u.positive, u.negative, u.started) for u in learned.updates
    ]
    weights = {w for w, _ in learned.actions().values() if any(w)}
    rows = {tuple(row.get(name, 0) for name in Parsing.system.names) for row in perceptron.weights.values()}
    assert {row for row in rows if any(row)} == weights


def names_of(actions):
    return tuple(Parsing.system.names[action] for action in actions)


class Copying:
    """Copies a word letter by letter."""

    def initial(self, word):
        return word, ""

    def legal(self, state):
        return tuple("abc") if len(state[1]) < len(state[0]) else ()

    def apply(self, state, action):
        return state[0], state[1] + action

    def cost(self, state, action, gold):
        return int(gold[len(state[1])] != action)

    def features(self, state):
        return [f"letter {state[0][len(state[1])]}", f"before {state[1][-1:]}"]


WORDS = [("".join(word), "".join(word)) for word in np.random.default_rng(1).choice(list("abc"), (12, 4))]


@pytest.mark.parametrize("beam", [1, 3])
def test_a_task_is_learned(beam):
    model = pp.train_task(Copying(), WORDS, dev=WORDS, beam=beam, epochs=5)
    best = max(report["accuracy"] for report in model.training["history"])
    assert best > 85
    right = sum(a == b for word, _ in WORDS for a, b in zip(word, model.predict(word).actions, strict=True))
    assert 100 * right / (4 * len(WORDS)) == pytest.approx(best)
    assert model.predict("").actions == ()


def test_exhaustive_search_is_brute_force():
    model = pp.train_task(Copying(), WORDS[:3], epochs=1)
    found = model.k_best("ab", 100, beam=0)
    assert len(found) == 9
    task = Copying()
    for prediction in found:
        at, score = task.initial("ab"), 0.0
        for action in prediction.actions:
            score += sum(model.weights.get(feature, {}).get(action, 0) for feature in task.features(at))
            at = task.apply(at, action)
        assert prediction.score == pytest.approx(score)
        assert prediction.state == at
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)


def test_averages_are_those_of_every_moment():
    model = pp.train_task(Copying(), WORDS, epochs=2, seed=3)
    golds = [gold for _, gold in WORDS]
    states, perceptron = TaskStates(Copying(), [word for word, _ in WORDS], golds), NamedPerceptron()
    learner = BatchLearner(BatchSearch(states, perceptron), 1, 3)
    sums: dict[tuple[str, str], int] = {}
    strategy = pp.STRATEGIES["dynamic"]
    for epoch in (1, 2):
        for number in np.random.default_rng([3, epoch, 0]).permutation(len(WORDS)):
            learner.learn(np.array([number]), strategy, strategy.exploration(epoch), None)
            for feature, row in perceptron.weights.items():
                for action, weight in row.items():
                    sums[feature, action] = sums.get((feature, action), 0) + weight
    averages = {(f, a): w for f, row in model.weights.items() for a, w in row.items()}
    assert averages == pytest.approx({key: value / perceptron.time for key, value in sums.items() if value})


def test_the_file_holds_the_weights(tmp_path):
    model = pp.train_task(Copying(), WORDS, epochs=2, beam=2)
    model.save(tmp_path / "a.panparser")
    again = pp.TaskModel.load(tmp_path / "a.panparser", Copying())
    assert again.weights == model.weights
    assert again.beam == 2
    again.save(tmp_path / "b.panparser")
    assert (tmp_path / "a.panparser").read_bytes() == (tmp_path / "b.panparser").read_bytes()
    with pytest.raises(pp.ModelError, match="task"):
        pp.load(tmp_path / "a.panparser")


def test_what_cannot_be_is_refused():
    with pytest.raises(pp.SpecError, match="examples"):
        pp.train_task(Copying(), [])
    with pytest.raises(pp.SpecError, match="members"):
        pp.train_task(Copying(), WORDS, members=2)
    with pytest.raises(pp.SpecError, match="beam"):
        pp.train_task(Copying(), WORDS, beam=0)


class Counting:
    """One action, as often as the input says."""

    def initial(self, input):
        return input

    def legal(self, state):
        return ("go",) if state else ()

    def apply(self, state, action):
        return state - 1

    def cost(self, state, action, gold):
        return 0

    def features(self, state):
        return ["one"]


@pytest.mark.parametrize("strategy", ["static", "dynamic"])
def test_long_derivations(strategy):
    model = pp.train_task(Counting(), [(2000, None)], epochs=1, strategy=pp.STRATEGIES[strategy])
    assert model.predict(3000).actions == ("go",) * 3000
