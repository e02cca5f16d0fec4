"""The papers' training algorithms, followed step by step on one sentence of three words, with literal values.

Letters stand for SHIFT, LEFT and RIGHT of arc-hybrid, Root last; `She reads books` has one correct derivation,
S L S S R L. The only template is S0.upos B0.upos, and of equal scores the first in the table, SHIFT, is best.
"""

from __future__ import annotations

import pytest

import panparser as pp
from learners import assert_same, examples, learn, reference, treebank_of
from panparser.learning.strategies import DYNAMIC_AMBIGUITY, DYNAMIC_EXPLORE, STATIC, TrainingStrategy
from reference.learning import ReferenceLearner
from reference.local import LocalLearner, choose_next_amb, choose_next_exp

SYSTEM = pp.system("arc-hybrid", root="last")
TREEBANK = treebank_of("She/P/2 reads/V/0 books/N/2")
SPEC = pp.ParserSpec(system=SYSTEM, templates=pp.Templates.parse("S0.upos B0.upos"), beam=1, labeled=False)
(EXAMPLE,) = examples(SPEC, TREEBANK)
TEMPLATE = "S0.upos B0.upos"
NAMES = {"S": "SHIFT", "L": "LEFT", "R": "RIGHT"}


class Draws:
    """Random numbers that are known in advance."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def uniform(self):
        return self.numbers.pop(0)

    def below(self, bound):
        return int(self.numbers.pop(0) * bound)


def letters(actions):
    return "".join(name[0] for name in actions)


def weights(perceptron):
    """Weights other than 0, as {"P V": {"L": 1}}."""
    rows = {
        " ".join(values): {name[0]: weight for name, weight in row.items() if weight}
        for (_, values), row in perceptron.weights.items()
    }
    return {feature: row for feature, row in rows.items() if row}


def beam_of(hypotheses):
    return [(letters(h.at.actions), h.score) for h in hypotheses]


def given(learner, **rows):
    """A learner with weights: PV={"S": 1} is 1 for SHIFT with S0 P and B0 V."""
    for pair, row in rows.items():
        for letter, weight in row.items():
            learner.actions.change(
                [(TEMPLATE, (pair[0], {"o": "<root>"}.get(pair[1], pair[1])))], NAMES[letter], weight
            )
    return learner


def test_there_is_one_correct_derivation():
    assert [letters(d) for d in pp.oracle_derivations(SYSTEM, [2, 0, 2])] == ["SLSSRL"]


# --- Goldberg & Nivre 2012 ---


def test_algorithm_2_of_2012_online_training_with_a_static_oracle():
    local = LocalLearner(SYSTEM)
    local.train_static([EXAMPLE], 1)
    assert [(t_p[0], t_o[0], updated, t_n[0]) for t_p, t_o, updated, t_n in local.trace] == [
        ("S", "S", False, "S"),
        ("S", "L", True, "L"),  # lines 8 and 9: the prediction is wrong, so w changes
        ("S", "S", False, "S"),
        ("S", "S", False, "S"),
        ("L", "R", True, "R"),  # SHIFT is illegal, LEFT the first of those left
        ("L", "L", False, "L"),  # line 10: always on from the oracle's transition
    ]
    assert weights(local.actions) == {"P V": {"L": 1, "S": -1}, "N <root>": {"R": 1, "L": -1}}
    learned = learn(SPEC, TREEBANK, strategy=STATIC, epochs=1)
    assert [(letters(u.positive), letters(u.negative), u.started) for u in learned.updates] == [
        ("SL", "SS", 0),
        ("SLSSR", "SLSSL", 2),
    ]
    assert sorted(learned.actions().values()) == [((-1, 1, 0), (-1, 1, 0)), ((0, -1, 1), (0, -1, 1))]


def test_algorithm_3_of_2012_with_choose_next_amb():
    """After a wrong prediction it goes on from a random transition of zero cost: here there is one each time."""
    local = LocalLearner(SYSTEM)
    local.train_dynamic([EXAMPLE], [1], choose_next_amb(Draws(0.9, 0.1)))
    assert letters(t_n for *_, t_n in local.trace) == "SLSSRL"
    assert [updated for _, _, updated, _ in local.trace] == [False, True, False, False, True, False]
    learned = learn(SPEC, TREEBANK, strategy=DYNAMIC_AMBIGUITY, epochs=1)
    assert [(letters(u.positive), letters(u.negative)) for u in learned.updates] == [("SL", "SS"), ("SLSSR", "SLSSL")]


def test_choose_next_amb_takes_a_random_correct_transition():
    choose = choose_next_amb(Draws(0.7, 0.2))
    assert choose(1, "LEFT", ["LEFT", "RIGHT"]) == "LEFT"
    assert choose(1, "SHIFT", ["LEFT", "RIGHT"]) == "RIGHT"
    assert choose(1, "SHIFT", ["LEFT", "RIGHT"]) == "LEFT"


def test_choose_next_exp_explores_after_k_iterations():
    choose = choose_next_exp(Draws(0.5, 0.0, 0.95, 0.0, 0.5), k=1, p=0.1)
    assert choose(1, "SHIFT", ["LEFT"]) == "LEFT"  # too early, whatever is drawn
    assert choose(2, "SHIFT", ["LEFT"]) == "LEFT"  # one draw in ten goes on correctly
    assert choose(2, "SHIFT", ["LEFT"]) == "SHIFT"


def test_algorithm_3_of_2012_with_choose_next_exp():
    local = LocalLearner(SYSTEM)
    local.train_dynamic([EXAMPLE], [2], choose_next_exp(Draws(0.5, 0.5), k=1, p=0.1))
    assert [(t_p[0], t_o[0], updated, t_n[0]) for t_p, t_o, updated, t_n in local.trace] == [
        ("S", "S", False, "S"),
        ("S", "L", True, "S"),  # wrong, and followed: She can no longer be attached to reads
        ("S", "S", False, "S"),
        ("L", "R", True, "L"),  # ... books can, but is not: reads loses it
        ("L", "L", False, "L"),
        ("L", "L", False, "L"),
    ]
    strategy = TrainingStrategy(restart="random-correct", exploration=1.0)
    learned = learn(SPEC, TREEBANK, strategy=strategy, epochs=1)
    assert [(letters(u.positive), letters(u.negative), u.started) for u in learned.updates] == [
        ("SL", "SS", 0),
        ("SSSR", "SSSL", 2),
    ]
    assert [DYNAMIC_EXPLORE.exploration(epoch) for epoch in (1, 2, 3)] == [0, 0, 0.9]  # k = 2, p = 0.1


# --- Aufrant & Wisniewski 2018 ---


def test_algorithm_3_of_2018_find_violation_and_early_update():
    """Beam of 2 and no weights: the correct derivation falls off at step 3."""
    learner = ReferenceLearner(SYSTEM, beam=2)
    gold, beam = learner.find_violation([learner.initial(EXAMPLE)], EXAMPLE)
    assert [(beam_of(b), beam_of(g)) for b, g in learner.steps] == [
        ([("", 0)], [("", 0)]),
        ([("S", 0)], [("S", 0)]),
        ([("SS", 0), ("SL", 0)], [("SL", 0)]),
        ([("SSS", 0), ("SSL", 0)], [("SLS", 0)]),
    ]
    assert (beam_of(gold), beam_of(beam)) == ([("SLS", 0)], [("SSS", 0), ("SSL", 0)])
    positive, negative = learner.early_update_oracle(learner.initial(EXAMPLE), EXAMPLE)
    assert beam_of([positive, negative]) == [("SLS", 0), ("SSS", 0)]
    (update,) = learn(
        pp.ParserSpec(**vars(SPEC) | {"beam": 2}), TREEBANK, strategy=pp.learning.EARLY_UPDATE, epochs=1
    ).updates
    assert (letters(update.positive), letters(update.negative)) == ("SLS", "SSS")


def test_algorithm_3_of_2018_max_violation():
    """SHIFT is liked too well, at She and at reads: the gap grows from 1 to 2, then the parser makes up for one."""
    learner = given(ReferenceLearner(SYSTEM, beam=1), PV={"S": 1}, VN={"S": 1, "L": -1}, No={"R": 2})
    positive, negative = learner.max_violation_oracle(learner.initial(EXAMPLE), EXAMPLE)
    assert [(beam_of(b), beam_of(g)) for b, g in learner.steps] == [
        ([("", 0)], [("", 0)]),
        ([("S", 0)], [("S", 0)]),
        ([("SS", 1)], [("SL", 0)]),  # the first violation: a gap of 1
        ([("SSS", 2)], [("SLS", 0)]),  # 2
        ([("SSSR", 4)], [("SLSS", 1)]),  # 3: the largest
        ([("SSSRL", 4)], [("SLSSR", 3)]),  # 1
        ([("SSSRLL", 4)], [("SLSSRL", 3)]),
    ]
    assert beam_of([positive, negative]) == [("SLSS", 1), ("SSSR", 4)]
    assert beam_of(learner.early_update_oracle(learner.initial(EXAMPLE), EXAMPLE)) == [("SL", 0), ("SS", 1)]


@pytest.mark.parametrize(
    ("update_at", "pair"),
    [
        ("first-violation", ("SL", "SS")),
        ("max-violation", ("SLSS", "SSSR")),
        ("latest-violation", ("SLSSRL", "SSSRLL")),
        ("longest-prefix", ("SL", "SS")),
        ("end", ("SLSSRL", "SSSRLL")),
    ],
)
def test_algorithm_2_of_2018_strategies_differ_in_the_length_that_they_choose(update_at, pair):
    learner = given(ReferenceLearner(SYSTEM, beam=1), PV={"S": 1}, VN={"S": 1, "L": -1}, No={"R": 2})
    (positive, negative), _, is_wrong = learner.training_unit(
        [learner.initial(EXAMPLE)], EXAMPLE, TrainingStrategy(update_at=update_at)
    )
    assert is_wrong
    assert (letters(positive.at.actions), letters(negative.at.actions)) == pair


def test_algorithm_2_of_2018_the_perceptron_update():
    """theta + phi(SHIFT, LEFT, SHIFT) - phi(SHIFT, SHIFT, SHIFT): the first SHIFT is in both."""
    learner = ReferenceLearner(SYSTEM, beam=2)
    learner.training_unit([learner.initial(EXAMPLE)], EXAMPLE, pp.learning.EARLY_UPDATE)
    assert weights(learner.actions) == {"P V": {"L": 1, "S": -1}, "<absent> V": {"S": 1}, "V N": {"S": -1}}


def test_algorithm_1_of_2018_without_and_with_restart():
    spec = pp.ParserSpec(**vars(SPEC) | {"beam": 2})
    without = learn(spec, TREEBANK, strategy=pp.STRATEGIES["max-violation"], epochs=3)
    restart = learn(spec, TREEBANK, strategy=pp.STRATEGIES["max-violation-restart"], epochs=2)
    first = ("SLS", "SSS", 0, 0, 0)
    told = [
        [(letters(u.positive), letters(u.negative), u.positive_score, u.negative_score, u.started) for u in updates]
        for updates in (without.updates, restart.updates)
    ]
    assert told[0] == [first, ("SLSSR", "SLSLS", 1, 2, 0)]  # one update a sentence: the second epoch's is another
    assert told[1] == [first, ("SLSSR", "SLSLS", -1, 0, 3)]  # c <- c+, and its scores start from 0 again
    for learned in (without, restart):
        assert_same(learned, reference(learned))
        predicted, _ = learned.parser.predict(TREEBANK)
        assert predicted.tolist() == [2, 0, 2]


def test_correct_is_relative_to_where_the_search_began():
    """CORRECT(c'|c): after SHIFT SHIFT the attachment of She is lost, and no later search is blamed for it."""
    learner = ReferenceLearner(SYSTEM, beam=8)
    lost = learner.initial(EXAMPLE)
    for action in ("SHIFT", "SHIFT"):
        lost = type(lost)(lost.at.follow(action))
    assert SYSTEM.costs(lost.at.state, EXAMPLE.gold) == {"SHIFT": 0, "LEFT": 2, "RIGHT": 2}
    gold, beam = learner.find_violation([lost], EXAMPLE)
    assert beam_of(gold) == [("SSSRLL", 0)]
    assert min(c.loss for c in beam) == 0
