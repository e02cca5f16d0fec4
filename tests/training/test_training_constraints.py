"""Learning under constraints: search keeps to them, features read them, and the reference learns the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, SMALL, assert_same, learn, reference, short_sentences, treebank_of
from panparser.training.training_constraints import drawn
from variants import identify

GIVEN = pp.Templates.parse("""
    S0.given_head B0.given_head
    given(S0,B0) S0.upos
    given(S1,S0)
    S0.given_label S0.form
    S0.left[0].given_head
""")
TREEBANK = short_sentences(8, 9)
SYSTEMS = [
    pp.system(name, root=root, single_root=root == "last")
    for name in ("arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager")
    for root in ("first", "last")
]
STRATEGIES = ["max-violation", "early-update", "dynamic", "static", "dynamic-explore", "full-update"]


def some(treebank: pp.Treebank, share: float, keep=("heads",), seed: int = 1) -> pp.Constraints:
    """What is given of some words, drawn at random."""
    constraints = pp.Constraints.from_treebank(treebank, keep=keep)
    left_out = np.random.default_rng(seed).random(treebank.words) >= share
    constraints.heads[left_out] = constraints.labels[left_out] = -1
    return constraints


@pytest.mark.unmeasured
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_the_engine_learns_under_constraints_as_the_reference_does(system, strategy):
    spec = pp.ParserSpec(system=system, templates=SMALL + GIVEN, beam=1 if "dynamic" in strategy else 3)
    treebank = TREEBANK[:5]
    constraints = some(treebank, 0.4, ("heads", "labels"))
    learned = learn(spec, treebank, strategy=pp.STRATEGIES[strategy], epochs=2, constraints=constraints)
    assert learned.updates
    assert_same(learned, reference(learned))


def test_constraints_that_contradict_the_gold_are_kept():
    """The parser never leaves them, so that it learns what is best under them."""
    treebank = treebank_of(*["a/A/2/x b/B/3/y c/C/0/root"] * 3)
    wrong = pp.Constraints.from_treebank(treebank, golds=[pp.GoldTree([3, None, None])] * 3)
    spec = pp.ParserSpec(templates=SMALL, beam=2)
    learned = learn(spec, treebank, epochs=3, constraints=wrong)
    assert_same(learned, reference(learned))
    for update in learned.updates:
        state = spec.system.initial(3)
        for action in update.positive:
            state = spec.system.apply(state, action)
        assert state.heads[1] in (-1, 3)


def test_a_share_is_drawn_anew_in_each_epoch_from_the_seed():
    spec = pp.ParserSpec(templates=SMALL + GIVEN, beam=2)
    options = {"dev": ENGLISH[60:80], "epochs": 2}
    first, again, other = (pp.train(spec, ENGLISH[:40], constraints=0.3, seed=seed, **options) for seed in (1, 1, 2))
    assert first.layers[0].lines.tobytes() == again.layers[0].lines.tobytes() != other.layers[0].lines.tobytes()
    assert first.training["constraints"] == {"share": 0.3}
    rng = [np.random.default_rng(seed) for seed in (1, 2)]
    assert (drawn(ENGLISH, 0.3, rng[0]).heads != drawn(ENGLISH, 0.3, rng[1]).heads).any()


def test_the_development_set_is_parsed_under_constraints_too():
    """So its score counts what is given; without features nothing else changes."""
    train_set, dev = ENGLISH[:40], ENGLISH[60:80]
    spec = pp.ParserSpec(templates=SMALL, beam=2)
    given, free = (pp.train(spec, train_set, dev=dev, epochs=1, constraints=share) for share in (0.9, None))
    assert given.training["history"][0]["uas"] > free.training["history"][0]["uas"] + 5
    same = pp.Constraints.from_treebank(train_set, keep={"heads"}), pp.Constraints.from_treebank(dev, keep={"heads"})
    whole = pp.train(spec, train_set, dev=dev, epochs=1, constraints=same[0], dev_constraints=same[1])
    assert whole.training["history"][0]["uas"] > 95  # what crosses cannot be kept
    assert set(whole.training["constraints"]) == {"train", "dev"}


def test_features_read_what_is_given():
    """The tree depends on a word that is told nothing else about: whether the head of its neighbour is given."""
    spec = pp.ParserSpec(
        templates=pp.Templates.parse("given(S0,B0)\nS0.given_head B0.given_head"), beam=1, labeled=False
    )
    near, far = "a/X/2 b/X/0 c/X/2", "a/X/3 b/X/1 c/X/0"
    treebank = treebank_of(*[near] * 4, *[far] * 4)
    golds = [pp.GoldTree([None, 0, None])] * 4 + [pp.GoldTree([None, None, 0])] * 4
    constraints = pp.Constraints.from_treebank(treebank, golds=golds)
    parser = pp.train(spec, treebank, epochs=10, constraints=constraints)
    heads, _ = parser.predict(treebank, constraints=constraints)
    assert heads.tolist() == treebank.heads.tolist()
    assert parser.predict(treebank)[0].tolist() == parser.predict(treebank[:1])[0].tolist() * 8


def test_checkpoints_go_on_under_the_same_constraints(tmp_path):
    spec = pp.ParserSpec(templates=SMALL + GIVEN, beam=2)
    path = tmp_path / "checkpoint"
    whole = pp.train(spec, TREEBANK, epochs=3, constraints=0.5)
    pp.train(spec, TREEBANK, epochs=1, constraints=0.5, checkpoint=path)
    resumed = pp.train(spec, TREEBANK, epochs=3, constraints=0.5, checkpoint=path, resume=True)
    assert resumed.layers[0].lines.tobytes() == whole.layers[0].lines.tobytes()
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        pp.train(spec, TREEBANK, epochs=4, constraints=0.4, checkpoint=path, resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": 0}, "train: constraints must be in (0, 1]; got 0"),
        ({"constraints": 1.5}, "must be in (0, 1]; got 1.5"),
        ({"constraints": "heads"}, "must be Constraints or a share of the heads; got 'heads'"),
        ({"constraints": pp.Constraints.from_treebank(ENGLISH, keep={"heads"})}, "are for another treebank"),
        ({"constraints": 0.5, "dev_constraints": 0.5}, "train: dev_constraints requires dev"),
        (
            {"dev_constraints": pp.Constraints.from_treebank(TREEBANK, keep={"heads"})},
            "dev_constraints requires constraints",
        ),
        (
            {"constraints": pp.Constraints.from_treebank(TREEBANK, keep={"heads"}), "dev": ENGLISH[:3]},
            "train: dev_constraints must be Constraints, as constraints are; got None",
        ),
    ],
)
def test_constraints_that_cannot_be_are_refused(options, message):
    with pytest.raises(pp.SpecError) as caught:
        pp.train(pp.ParserSpec(templates=SMALL), TREEBANK, epochs=1, **options)
    assert message in str(caught.value)


def test_systems_that_keep_no_constraints_say_so():
    spec = replace(pp.ParserSpec(templates=SMALL), system=pp.system("swap-standard"))
    with pytest.raises(pp.SpecError, match="swap-standard has a static oracle only, which keeps no constraints"):
        pp.train(spec, TREEBANK, epochs=1, constraints=0.5)
