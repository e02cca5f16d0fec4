"""A batch of states steps as states do one at a time, sees what they see, and refuses what is not as it should be."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import panparser as pp
from hashing import key_of
from learners import SMALL, short_sentences, treebank_of
from panparser.features.atoms import BASES, BASES_WITH_ARCS, PATHS
from panparser.inspection.naive_features import Derivation, Reader
from panparser.learning.layers import Labels
from variants import each_variant

SENTENCES = short_sentences(8, 9)
LABELS = ("a", "b", "c")
ADDRESSES = [
    f"{base}.{path}" if path else base for base in BASES for path in PATHS if not path or base in BASES_WITH_ARCS
]
HYBRID = pp.system("arc-hybrid")


def outside(at, token):
    """A token of the reference as the API counts it."""
    return -1 if token is None else 0 if token == at.root else token


def references(system, treebank):
    return [
        pp.GoldTree(pp.NO_HEAD if head is None and system.partial else head for head in sentence.gold().heads)
        for sentence in treebank
    ]


def compare(states, alone, golds, readers, system):
    """Rows of a batch, and the same states by themselves."""
    assert states.ids.tolist() == list(alone)
    assert states.sentence_index.tolist() == [owner for owner, _ in alone.values()]
    ours = zip(states.legal(), states.costs(), states.positions(ADDRESSES), states.keys(), states.oracle(), strict=True)
    names = system.names
    compare_more(states, [at for _, at in alone.values()], names)
    for (owner, at), (legal, costs, positions, keys, action) in zip(alone.values(), ours, strict=True):
        assert tuple(name for name, flag in zip(names, legal, strict=True) if flag) == system.legal(at.state)
        expected = system.costs(at.state, golds[owner])
        assert costs.tolist() == [expected.get(name, pp.systems.ILLEGAL_COST) for name in names]
        assert expected[names[action]] == min(expected.values())
        found = [at.find(pp.features.Address(*address.split(".", 1))) for address in ADDRESSES]
        assert positions.tolist() == [outside(at, token) for token in found]
        values = [values for _, values in readers[owner].features(at)]
        pairs = zip(SMALL, values, strict=True)
        assert keys.tolist() == [key_of(i, t, v, names, LABELS) for i, (t, v) in enumerate(pairs)]


def compare_more(states, alone, names):
    """Labels of arcs, the last actions, stacks."""
    addresses = [pp.features.Address(*address.split(".", 1)) for address in ADDRESSES]
    ours = zip(states.labels_at(ADDRESSES), states.history(4), states.stacks(), strict=True)
    for at, (labels, history, stack) in zip(alone, ours, strict=True):
        found = [Reader._label(at, at.find(address), address.path) for address in addresses]
        assert labels.tolist() == [-1 if label is None else LABELS.index(label) for label in found]
        last = [names.index(name) for name in reversed(at.actions[-4:])]
        assert history.tolist() == last + [-1] * (4 - len(last))
        assert [word for word in stack.tolist() if word >= 0] == [outside(at, word) for word in at.state.stack]
    assert states.stacks().shape[1] == max(len(at.state.stack) for at in alone)


@pytest.mark.unmeasured
@each_variant(focus="fixed")
def test_a_batch_steps_as_states_do_one_at_a_time(system):
    """Every built-in system: random derivations, in which rows branch as they do in a beam."""
    rng = random.Random(7)
    states = pp.parsing.StateBatch(system, SENTENCES, templates=SMALL, labels=LABELS, gold=True)
    golds = references(system, SENTENCES)
    readers = [Reader.from_sentence(SMALL, sentence) for sentence in SENTENCES]
    alone = {i: (i, Derivation(system.initial(len(gold)))) for i, gold in enumerate(golds)}
    finished = {}
    while len(states):
        compare(states, alone, golds, readers, system)
        sources = list(alone.values())
        rows = sorted([*range(len(sources)), *rng.choices(range(len(sources)), k=2)])
        rows = rows if len(rows) < 40 else rng.sample(rows, 30)
        chosen = [rng.choice(system.legal(sources[row][1].state)) for row in rows]
        options = [sources[row][1].arc_of(name) for row, name in zip(rows, chosen, strict=True)]
        arcs = [made or proposed for made, proposed in options]
        labels = [rng.choice(LABELS) if arc else None for arc in arcs]
        actions = np.array([system.names.index(name) for name in chosen], dtype=np.int32)
        given = np.array(rows, dtype=np.int32)
        heads, dependents = states.arcs(given, actions)
        for row, arc, head, dependent in zip(rows, arcs, heads, dependents, strict=True):
            at = sources[row][1]
            expected = (arc.head, arc.dependent) if arc else (None, None)
            assert (head, dependent) == tuple(outside(at, token) for token in expected)
        parents = states.ids[given]
        first = states.states
        made = states.apply(actions, np.array([-1 if a is None else LABELS.index(a) for a in labels], "i4"), given)
        assert made.tolist() == list(range(first, first + len(rows)))
        after = [(sources[r][0], sources[r][1].follow(n, lb)) for r, n, lb in zip(rows, chosen, labels, strict=True)]
        is_final = states.is_final(made)
        assert is_final.tolist() == [system.is_final(at.state) for _, at in after]
        alone = {int(i): pair for i, pair, final in zip(made, after, is_final, strict=True) if not final}
        assert states.parents.tolist() == parents[~is_final].tolist()
        assert states.last_actions.tolist() == actions[~is_final].tolist()
        for (_, at), arc in zip(alone.values(), states.last_arcs().tolist(), strict=True):
            made_arc = at.made
            expected = [-1, -1, -1]
            if made_arc:
                expected = [outside(at, made_arc.head), outside(at, made_arc.dependent), LABELS.index(made_arc.label)]
            assert arc == expected
        finished |= {pair[0]: (int(i), pair[1]) for i, pair, final in zip(made, after, is_final, strict=True) if final}
    chosen_states = np.array([finished[i][0] for i in range(len(golds))], dtype=np.int32)
    heads, labels = states.trees(chosen_states)
    assert heads.tolist() == [int(h) for i in range(len(golds)) for h in finished[i][1].state.heads[1:]]
    for number, (state, at) in finished.items():
        before, actions = states.derivation(state)
        assert tuple(system.names[action] for action in actions) == at.actions
        assert before[0] == number
        arcs = {arc.dependent: arc for arc in at.arcs}
        start = int(states.lengths[:number].sum())
        for word in range(1, int(states.lengths[number]) + 1):
            rest = 0 if system.attaches_rest else -1  # words that are left get the first label
            expected = LABELS.index(arcs[word].label) if word in arcs else rest
            assert labels[start + word - 1] == expected


@each_variant(focus="fixed")
def test_the_static_oracle_is_that_of_static_derivations(system):
    states = pp.parsing.StateBatch(system, SENTENCES, gold=True)
    derivations = [pp.static_derivation(system, gold) for gold in references(system, SENTENCES)]
    taken = [[] for _ in derivations]
    while len(states):
        actions = states.oracle()
        for owner, action in zip(states.sentence_index, actions, strict=True):
            taken[owner].append(system.names[action])
        states.apply(actions)
    assert [tuple(names) for names in taken] == derivations


def test_gold_trees_come_back_with_their_labels():
    names = tuple(SENTENCES.vocabulary("deprel"))
    states = pp.parsing.StateBatch(pp.system("arc-eager", root="last"), SENTENCES, labels=names, gold=True)
    while len(states):
        actions, rows = states.oracle(), np.arange(len(states), dtype=np.int32)
        states.apply(actions, states.gold_labels(rows, actions))
    heads, labels = states.trees()
    projective = [bool(pp.trees.is_projective(sentence.heads)) for sentence in SENTENCES]
    known = np.repeat(projective, np.diff(SENTENCES.offsets))
    assert known.any()
    assert np.array_equal(heads[known], SENTENCES.heads[known])
    assert np.array_equal(labels[known], SENTENCES.column("deprel")[known])


def test_some_sentences_in_some_order_and_again():
    states = pp.parsing.StateBatch(HYBRID, SENTENCES, gold=True)
    states.start([3, 1, 3])
    assert states.started.tolist() == [3, 1, 3]
    assert states.lengths.tolist() == [len(SENTENCES[i]) for i in (3, 1, 3)]
    while len(states):
        states.apply(states.oracle())
    heads, _ = states.trees()
    assert heads.tolist() == [int(h) for i in (3, 1, 3) for h in SENTENCES[i].heads]
    for nothing in (pp.parsing.StateBatch(HYBRID, SENTENCES, start=()), states):
        nothing.start(np.array([], dtype=np.int64))
        assert len(nothing) == 0
        assert nothing.legal().shape == (0, 3)
    assert states.trees()[0].shape == (0,)


def test_rows_of_any_states():
    """What was left behind can be gone on from."""
    states = pp.parsing.StateBatch(HYBRID, SENTENCES[:2], gold=True)
    first, shift = states.ids, np.zeros(2, dtype=np.int32)
    second = states.apply(shift)
    kept = states.positions(["S0", "B0"]).copy()
    states.apply(shift)
    states.select(np.concatenate([second, first]))
    assert states.ids.tolist() == [2, 3, 0, 1]
    assert states.parents.tolist() == [0, 1, -1, -1]
    assert states.positions(["S0", "B0"]).tolist() == [*kept.tolist(), [-1, 1], [-1, 1]]


def test_labels_that_arcs_may_have():
    labels = Labels(("root", "obj"), (True, False), (False, True))
    states = pp.parsing.StateBatch(HYBRID, treebank_of("a/X/0 b/X/1"), labels=labels)
    actions = [HYBRID.names.index(name) for name in ("SHIFT", "SHIFT", "RIGHT")]
    for action in actions[:2]:
        states.apply(np.array([action], dtype=np.int32))
    rows = np.zeros(3, dtype=np.int32)
    chosen = np.array([HYBRID.names.index("RIGHT"), HYBRID.names.index("LEFT"), HYBRID.names.index("RIGHT")], "i4")
    assert states.legal_labels(rows, chosen).tolist() == [[False, True], [True, False], [False, True]]


def test_arrays_are_used_again_or_given():
    states = pp.parsing.StateBatch(HYBRID, SENTENCES, templates=SMALL, gold=True)
    assert states.legal().base is states.legal().base
    rows, actions = len(states), len(HYBRID.names)
    given = {
        "legal": np.empty((rows, actions), dtype=np.bool_),
        "costs": np.empty((rows, actions), dtype=np.int32),
        "keys": np.empty((rows, len(SMALL)), dtype=np.uint64),
        "features": np.empty((rows, len(SMALL)), dtype=np.int32),
        "last_arcs": np.empty((rows, 3), dtype=np.int32),
    }
    for name, out in given.items():
        assert getattr(states, name)(out=out) is out
        assert np.array_equal(out, getattr(states, name)())
    numbers = np.empty((rows, 1), dtype=np.int32)
    assert states.positions(["B0"], out=numbers) is numbers
    assert numbers[:, 0].tolist() == [1] * rows
    assert np.array_equal(states.features(12), (states.keys() >> np.uint64(52)).astype(np.int32))
    for array in (states.legal(), states.costs(), states.positions(["S0"]), states.features(), states.ids):
        assert array.flags.c_contiguous


INT = np.int32
WRONG = [
    (
        lambda s: s.apply(np.zeros(8)),
        r"apply: actions must be a C-contiguous int32 array of shape \(8,\); got one of",
    ),
    (lambda s: s.apply(np.zeros(7, INT)), r"got one of int32 and shape \(7,\)"),
    (lambda s: s.apply([0] * 8), r"got \[0, 0"),
    (lambda s: s.apply(np.zeros(16, INT)[::2]), "that is not C-contiguous"),
    (lambda s: s.apply(np.full(8, 2, INT)), "apply of StateBatch: action 2 is illegal in row 0"),
    (lambda s: s.apply(np.full(8, -1, INT)), "action -1 is illegal"),
    (lambda s: s.apply(np.zeros(8, INT), np.full(8, 3, INT)), "apply: labels must be between -1 and 2; got 3"),
    (lambda s: s.apply(np.zeros(8, INT), np.zeros(7, INT)), "apply: labels must be"),
    (lambda s: s.apply(np.zeros(1, INT), rows=np.array([8], INT)), "expected rows from 0 to 7, found 8"),
    (lambda s: s.apply(np.zeros(1, INT), rows=np.array([0])), "apply: rows must be a C-contiguous int32"),
    (lambda s: s.legal(np.empty((8, 3))), r"out of legal must be a C-contiguous bool array of shape \(8, 3\)"),
    (lambda s: s.costs(np.empty((8, 2), INT)), r"got one of int32 and shape \(8, 2\)"),
    (lambda s: s.costs(np.empty((3, 8), INT).T), "not C-contiguous"),
    (lambda s: s.select(np.array([9], INT)), "select of StateBatch: expected states from 0 to 7, found 9"),
    (lambda s: s.select(np.array([-1], INT)), "found -1"),
    (lambda s: s.is_final(np.array([99], INT)), "found 99"),
    (lambda s: s.derivation(99), "derivation: state must be between 0 and 7; got 99"),
    (lambda s: s.start([99]), "start of StateBatch: expected sentences from 0 to 7, found 99"),
    (lambda s: s.start([0.5]), "start: sentences must be a list of numbers"),
    (lambda s: s.trees(np.zeros(8, INT)), "state 0 is of sentence 0, not 1"),
    (lambda s: s.trees(np.zeros(2, INT)), "trees: states must be"),
    (lambda s: s.features(0), "features: bits must be an integer between 1 and 31; got 0"),
    (lambda s: s.arcs(np.zeros(1, INT), np.ones(1, INT)), "arcs of StateBatch: action 1 is illegal in row 0"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_what_is_wrong_is_said(wrong, message):
    states = pp.parsing.StateBatch(HYBRID, SENTENCES, templates=SMALL, labels=LABELS, gold=True)
    before = states.ids.tolist()
    with pytest.raises(pp.errors.BatchError, match=message):
        wrong(states)
    if "start" not in message:
        assert states.ids.tolist() == before


def test_a_read_only_array_is_not_written():
    states = pp.parsing.StateBatch(HYBRID, SENTENCES)
    out = np.empty((8, 3), dtype=np.bool_)
    out.flags.writeable = False
    with pytest.raises(pp.errors.BatchError, match="out of legal must be writable"):
        states.legal(out)


def test_what_was_not_given_cannot_be_asked_for():
    states = pp.parsing.StateBatch(HYBRID, SENTENCES)
    zeros = np.zeros(8, dtype=np.int32)
    with pytest.raises(pp.errors.BatchError, match="costs of StateBatch: the sentences have no gold"):
        states.costs()
    with pytest.raises(pp.errors.BatchError, match="oracle of StateBatch: the sentences have no gold"):
        states.oracle()
    with pytest.raises(pp.errors.BatchError, match="the sentences have no gold"):
        states.gold_labels(zeros, zeros)
    with pytest.raises(pp.errors.BatchError, match="have no templates"):
        states.keys()
    with pytest.raises(pp.errors.TemplateError, match="S9"):
        states.positions(["S9"])
    with pytest.raises(pp.SpecError, match="TransitionSystem"):
        pp.parsing.StateBatch("arc-eager", SENTENCES)
    with pytest.raises(pp.TreebankError, match="Treebank"):
        pp.parsing.StateBatch(HYBRID, [[1, 2]])
    with pytest.raises(pp.SpecError, match="vectors"):
        pp.parsing.StateBatch(HYBRID, SENTENCES, templates=pp.Templates.parse("S0.vector"))
    with pytest.raises(pp.SpecError, match="StateBatch: templates must be Templates"):
        pp.parsing.StateBatch(HYBRID, SENTENCES, templates="S0.form")
    with pytest.raises(pp.SpecError, match="StateBatch: labels must be names"):
        pp.parsing.StateBatch(HYBRID, SENTENCES, labels="ab")
    with pytest.raises(pp.errors.BatchError, match="StateBatch: gold must be a flag, or heads and labels"):
        pp.parsing.StateBatch(HYBRID, SENTENCES, gold=5)
    with pytest.raises(pp.errors.BatchError, match="positions: addresses must be texts"):
        states.positions([5])
    with pytest.raises(pp.errors.BatchError, match="gold: heads must be"):
        pp.parsing.StateBatch(HYBRID, SENTENCES, gold=(np.zeros(3, INT), np.zeros(3, INT)))


def test_another_gold():
    states = pp.parsing.StateBatch(HYBRID, treebank_of("a/X/0 b/X/1"), gold=True)
    states.replace_gold(np.array([2, 0], INT), np.array([-1, -1], INT))
    with pytest.raises(pp.errors.BatchError, match="the gold has changed; start again"):
        states.costs()
    states.start()
    while len(states):
        states.apply(states.oracle())
    assert states.trees()[0].tolist() == [2, 0]


def test_a_gold_that_is_refused_changes_nothing():
    states = pp.parsing.StateBatch(HYBRID, treebank_of("a/X/0 b/X/1"), gold=True, labels=("x",))
    costs = states.costs().tolist()
    for heads, labels, message in (
        ([9, 0], [-1, -1], "replace_gold of StateBatch: sentence 1"),
        ([2, 0], [7, -1], "gold: labels must be between -1 and 0; got 7"),
        ([2], [-1], "gold: heads must be"),
    ):
        with pytest.raises(pp.errors.BatchError, match=message):
            states.replace_gold(np.array(heads, INT), np.array(labels, INT))
        assert states.costs().tolist() == costs


def test_a_start_that_is_refused_changes_nothing():
    states = pp.parsing.StateBatch(HYBRID, SENTENCES)
    before = (states.started.tolist(), len(states))
    with pytest.raises(pp.errors.BatchError, match="expected sentences from 0"):
        states.start([0, 999])
    assert (states.started.tolist(), len(states)) == before
    assert len(states.trees()[0]) == SENTENCES.words


def test_gold_may_be_replaced_while_costs_are_asked_for():
    """Not a race: each call sees one gold or the other, or is told to start again."""
    states = pp.parsing.StateBatch(HYBRID, SENTENCES, gold=True)
    heads, labels = np.array(SENTENCES.heads), np.full(SENTENCES.words, -1, INT)
    told = []

    def ask():
        for _ in range(200):
            try:
                states.start()
                states.costs(np.empty((len(SENTENCES), len(HYBRID.names)), INT))
            except pp.errors.BatchError as error:
                told.append(str(error))

    with ThreadPoolExecutor(2) as pool:
        asking = pool.submit(ask)
        for _ in range(200):
            states.replace_gold(heads, labels)
        asking.result()
    assert set(told) <= {"costs of StateBatch: the gold has changed; start again"}  # and no crash


def test_a_system_that_is_stuck_says_so():
    table = pp.TransitionSystem("stuck", (pp.Transition("SHIFT", ("is_word(B0)", "size(STACK) <= 0"), ("shift",)),))
    states = pp.parsing.StateBatch(table, SENTENCES)
    with pytest.raises(pp.errors.NoLegalTransitionError, match="stuck: no legal transition"):
        states.apply(np.zeros(8, dtype=np.int32))


def test_threads_share_a_batch_without_harm():
    """Calls wait for each other; arrays of their own keep threads apart."""
    states = pp.parsing.StateBatch(HYBRID, SENTENCES, gold=True)
    expected = states.costs().tolist()

    def work(_):
        out = np.empty((8, 3), dtype=np.int32)
        return all(states.costs(out).tolist() == expected for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
