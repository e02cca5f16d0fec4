"""The engine learns what the slow reference learns: the same updates, scores, weights and averages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from learners import (
    PERCEPTRON_STRATEGIES,
    SMALL,
    action_rows,
    assert_same,
    examples,
    learn,
    reference,
    short_sentences,
    start,
    treebank_of,
)
from panparser.learning.strategies import DYNAMIC, DYNAMIC_AMBIGUITY, DYNAMIC_EXPLORE, STATIC, TrainingStrategy
from panparser.trees.enumeration import random_projective_tree
from reference.learning import Random
from reference.local import LocalLearner, choose_next_amb, choose_next_exp
from variants import identify

SYSTEMS = [
    pp.system(name, root=root, single_root=single)
    for name in ("arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager", "easy-first")
    for root, single in (("first", False), ("last", False), ("last", True))
]
OTHER_SYSTEMS = [
    pp.system("swap-standard", root="last"),
    pp.system("swap-standard", root="first", oracle="eager"),
    pp.system("arc-eager-partial"),
    pp.system("arc-hybrid-partial", root="first"),
    pp.system("arc-eager-span", k=2),
]
MORE_STRATEGIES = {
    "restart from the beam": TrainingStrategy(update_at="max-violation", restart="beam"),
    "restart from a sample": TrainingStrategy(restart="sample", temperature=2.0),
    "restart from a sample, in parts of an update": TrainingStrategy(restart="sample", temperature=2.0, focus=0.7),
    "similar positive": TrainingStrategy(
        update_at="max-violation", positive="most-similar", restart="random-correct", exploration=0.3
    ),
    "horizon": TrainingStrategy(update_at="end", search_horizon=3, restart="pair", exploration=0.5),
    "horizon without restart": TrainingStrategy(search_horizon=4),
    "static max-violation with horizon": TrainingStrategy(
        oracle="static", update_at="max-violation", restart="pair", search_horizon=5
    ),
    "focus on early transitions": TrainingStrategy(focus=0.7),
    "focus on late transitions": TrainingStrategy(update_at="end", focus=1.3),
}
TREEBANK = short_sentences(5, 8)


def check(system, templates, beam, labeled, strategy, treebank=TREEBANK, epochs=2, seed=1):
    spec = pp.ParserSpec(system=system, templates=templates, beam=beam, labeled=labeled)
    learned = learn(spec, treebank, strategy=strategy, epochs=epochs, seed=seed)
    assert learned.updates
    assert_same(learned, reference(learned))


@pytest.mark.parametrize("beam", [1, 2, 8])
@pytest.mark.parametrize("name", PERCEPTRON_STRATEGIES)
def test_every_named_strategy_learns_as_the_reference_does(name, beam):
    for labeled in (False, True):
        check(pp.system("arc-eager"), SMALL, beam, labeled, pp.STRATEGIES[name], epochs=3)


@pytest.mark.parametrize("name", MORE_STRATEGIES)
def test_every_option_learns_as_the_reference_does(name):
    for beam in (1, 3):
        check(pp.system("arc-hybrid", root="first"), SMALL, beam, True, MORE_STRATEGIES[name])


@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_every_system_learns_as_the_reference_does(system):
    check(system, SMALL, 4, True, pp.STRATEGIES["max-violation-restart"])
    check(system, SMALL, 1, False, DYNAMIC_EXPLORE, epochs=4)
    check(system, SMALL, 2, True, TrainingStrategy(update_at="latest-violation", restart="pair", exploration=0.5))


@pytest.mark.parametrize("system", OTHER_SYSTEMS, ids=identify)
def test_systems_with_derivations_of_several_lengths_learn_as_the_reference_does(system):
    crossing = treebank_of("a/A/3/x b/B/4/y c/C/0/root d/D/3/x", "a/A/2/x b/B/0/root c/C/1/z d/D/2/y e/E/2/x")
    for treebank in (TREEBANK, crossing):
        for strategy in (pp.learning.MAX_VIOLATION, TrainingStrategy(update_at="end", restart="beam")):
            check(system, SMALL, 3, True, strategy, treebank)


@pytest.mark.parametrize("templates", [pp.templates("zn11"), pp.templates("rich")], ids=["ZN11", "RICH"])
@pytest.mark.parametrize("system", [pp.system("arc-eager"), pp.system("arc-standard"), pp.system("swap-standard")])
def test_scores_that_states_share_are_the_scores_of_each(system, templates):
    """The scores in update events are sums over derivations; the reference computes every state's anew."""
    check(system, templates, 8, True, pp.learning.MAX_VIOLATION, short_sentences(3, 9))
    check(system, reversed_templates(templates), 8, True, pp.learning.MAX_VIOLATION, short_sentences(3, 9))


@pytest.mark.parametrize("name", ["arc-eager", "arc-standard", "attardi"])
@pytest.mark.parametrize("beam", [1, 8])
def test_templates_for_actions_alone(name, beam):
    marked = [replace(template, actions_only=number % 3 == 0) for number, template in enumerate(pp.templates("zn11"))]
    check(pp.system(name), pp.Templates(tuple(marked)), beam, True, pp.learning.MAX_VIOLATION, short_sentences(3, 9))


def reversed_templates(templates):
    return pp.Templates(tuple(reversed(templates)))


def test_scores_do_not_depend_on_the_order_of_templates():
    spec = pp.ParserSpec(templates=pp.templates("rich"), beam=8)
    one = learn(spec, TREEBANK, epochs=2)
    other = learn(replace(spec, templates=reversed_templates(pp.templates("rich"))), TREEBANK, epochs=2)
    assert one.updates == other.updates


@settings(max_examples=25)
@given(
    st.data(),
    st.sampled_from([*SYSTEMS, *OTHER_SYSTEMS]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([*PERCEPTRON_STRATEGIES.values(), *MORE_STRATEGIES.values()]),
    st.randoms(use_true_random=False),
)
def test_random_treebanks_are_learned_as_the_reference_does(data, system, beam, strategy, rng):
    sentences = []
    for words in data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)):
        heads = random_projective_tree(words, rng)
        share = 0.85 if system.static_oracle is None else 1  # static oracles need whole trees
        known = [head if rng.random() < share else "_" for head in heads]
        known[heads.index(0)] = 0
        sentences.append(" ".join(f"{rng.choice('abc')}/{rng.choice('NVD')}/{h}/{rng.choice('xyz')}" for h in known))
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam, labeled=data.draw(st.booleans()))
    learned = learn(spec, treebank_of(*sentences), strategy=strategy, epochs=2, seed=data.draw(st.integers(0, 9)))
    assert_same(learned, reference(learned))


# --- Local training is early update with restart and a beam of 1 ---


class OneMore(Random):
    """Before a random correct state is drawn, the engine draws whether to explore."""

    def below(self, bound):
        self.uniform()
        return super().below(bound)


def locally(learned, epochs, choose_next=None):
    """Goldberg & Nivre's loop over the sentences in the order of the engine."""
    spec = learned.run.spec
    local, sentences = LocalLearner(spec.system), examples(spec, learned.run.treebank)
    for epoch in range(1, epochs + 1):
        corpus = [sentences[sentence] for e, sentence in learned.order if e == epoch]
        if choose_next is None:
            local.train_static(corpus, 1)
        else:
            local.train_dynamic(corpus, [epoch], choose_next)
    return local


@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
@pytest.mark.parametrize(
    ("strategy", "choose_next"),
    [
        (STATIC, None),
        (TrainingStrategy(restart="pair"), lambda iteration, t, zero_cost: t if t in zero_cost else zero_cost[0]),
        (DYNAMIC, lambda iteration, t, zero_cost: t),
        (DYNAMIC_AMBIGUITY, choose_next_amb(OneMore(1))),
        (DYNAMIC_EXPLORE, "k=2, p=0.1"),
    ],
    ids=["Algorithm 2", "best correct", "always explore", "AMB", "EXP"],
)
def test_local_training_is_a_special_case(system, strategy, choose_next):
    if strategy == DYNAMIC_AMBIGUITY:
        choose_next = choose_next_amb(OneMore(1))
    elif choose_next == "k=2, p=0.1":
        choose_next = choose_next_exp(Random(1), 2, 0.1)
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=1, labeled=False)
    learned = learn(spec, TREEBANK, strategy=strategy, epochs=4)
    local = locally(learned, 4, choose_next)
    assert len(learned.updates) == sum(updated for _, _, updated, _ in local.trace) > 0
    rows = action_rows(local.actions, system.names)
    assert sorted(learned.actions().values()) == sorted(rows.elements())


# --- Averages, seeds ---


def test_averages_are_the_explicit_sums_of_the_weights_after_each_sentence():
    spec = pp.ParserSpec(templates=SMALL, beam=2)
    sums: dict[int, np.ndarray] = {}

    class Explicit(pp.Listener):
        def after_sentence(self, epoch, sentence):
            found = run.learners[0].actions()
            for key, row in zip(found.keys.tolist(), found.weights.reshape(len(found.keys), -1), strict=True):
                sums[key] = sums.get(key, 0) + row.astype(np.int64)

    run = start(spec, TREEBANK, [Explicit()], epochs=3, members=1)
    run.run(False)
    found = run.learners[0].actions()
    assert run.learners[0].time == 3 * len(TREEBANK)
    totals = (run.learners[0].time * found.weights.astype(np.int64) - found.dated).reshape(len(found.keys), -1)
    assert {key: row.tolist() for key, row in zip(found.keys.tolist(), totals, strict=True)} == {
        key: row.tolist() for key, row in sums.items()
    }


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    spec = pp.ParserSpec(templates=SMALL, beam=2)
    one, same, other = (learn(spec, TREEBANK, epochs=3, seed=seed, strategy=DYNAMIC_EXPLORE) for seed in (1, 1, 2))
    assert one.actions() == same.actions()
    assert one.labels() == same.labels()
    assert one.parser.layers[0].lines.tobytes() == same.parser.layers[0].lines.tobytes()
    assert one.actions() != other.actions()


def test_listeners_do_not_change_what_is_learned():
    spec = pp.ParserSpec(templates=SMALL, beam=2)
    heard = learn(spec, TREEBANK, epochs=2).parser
    alone = pp.train(spec, TREEBANK, epochs=2, members=1)
    assert heard.layers[0].lines.tobytes() == alone.layers[0].lines.tobytes()
    assert heard.layers[0].label_rows.tobytes() == alone.layers[0].label_rows.tobytes()
