"""Parsers whose focus is free: batches, training, parsing, and what explains them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import panparser as pp
from hashing import key_of
from learners import SMALL, short_sentences
from panparser.errors import BatchError, SpecError
from panparser.inspection.explaining import Explanation, explain
from panparser.inspection.naive_features import Derivation, Reader
from panparser.proofs import system_proof as check
from panparser.proofs.constraint_proof import check_constraints
from panparser.trees.enumeration import is_projective
from variants import each_variant

SENTENCES = short_sentences(8, 9)
LABELS = ("a", "b", "c")
EASY = pp.system("easy-first", root="last", single_root=True)
ADDRESSES = ("S2", "S1", "S0", "B0", "B1", "S0.left[0]", "B0.right[0]")


def outside(at: Derivation, token: int | None) -> int:
    return -1 if token is None else 0 if token == at.root else token


@each_variant("easy-first")
def test_a_batch_has_a_row_for_each_place(system):
    rng = random.Random(5)
    states = pp.parsing.StateBatch(system, SENTENCES, templates=SMALL, labels=LABELS, gold=True)
    golds = [sentence.gold() for sentence in SENTENCES]
    readers = [Reader.from_sentence(SMALL, sentence) for sentence in SENTENCES]
    alone = {i: (i, Derivation(system.initial(len(gold)))) for i, gold in enumerate(golds)}
    while len(states):
        ids, focus, legal, costs = states.ids, states.focus, states.legal().copy(), states.costs().copy()
        positions, keys, oracle = states.positions(ADDRESSES).copy(), states.keys().copy(), states.oracle()
        chosen = []
        for state, (owner, at) in alone.items():
            rows = np.flatnonzero(ids == state)
            steps = {
                f"{name}@{focus[row]}": (int(row), number)
                for row in rows
                for number, name in enumerate(system.names)
                if legal[row, number]
            }
            assert tuple(steps) == system.legal(at.state)
            assert {name: costs[step] for name, step in steps.items()} == system.costs(at.state, golds[owner])
            (best,) = (name for name, (row, number) in steps.items() if oracle[row] == number)
            assert system.costs(at.state, golds[owner])[best] == min(system.costs(at.state, golds[owner]).values())
            assert (oracle[rows] >= 0).sum() == 1
            for name, (row, _) in steps.items():
                seen = at.seen_by(name)
                found = [seen.find(pp.features.Address(*address.split(".", 1))) for address in ADDRESSES]
                assert positions[row].tolist() == [outside(at, token) for token in found]
                values = [values for _, values in readers[owner].features(seen)]
                expected = [
                    key_of(i, t, v, system.names, LABELS) for i, (t, v) in enumerate(zip(SMALL, values, strict=True))
                ]
                assert keys[row].tolist() == expected
            name = rng.choice(list(steps))
            label = rng.choice(LABELS) if system[name].labeled else None
            chosen.append((owner, at.follow(name, label), *steps[name]))
        given = [np.array([pair[2 + i] for pair in chosen], dtype=np.int32) for i in (0, 1)]
        arcs = [pair[1].made for pair in chosen]
        labels = np.array([LABELS.index(arc.label) if arc else -1 for arc in arcs], dtype=np.int32)
        made = states.apply(given[1], labels, given[0])
        alone = {int(i): pair[:2] for i, pair in zip(made, chosen, strict=True) if not pair[1].is_final}
        finished = [(int(i), pair) for i, pair in zip(made, chosen, strict=True) if pair[1].is_final]
        for state, (_, at, *_) in finished:
            assert tuple(map(system.step_name, states.derivation(state)[1])) == at.actions


@each_variant("easy-first")
def test_the_static_oracle_is_that_of_static_derivations(system):
    states = pp.parsing.StateBatch(system, SENTENCES, gold=True)
    taken = [[] for _ in SENTENCES]
    while len(states):
        actions = states.oracle()
        rows = np.flatnonzero(actions >= 0).astype(np.int32)
        for row in rows:
            taken[states.sentence_index[row]].append(f"{system.names[actions[row]]}@{states.focus[row]}")
        states.apply(actions[rows], rows=rows)
    assert [tuple(names) for names in taken] == [pp.static_derivation(system, s.gold()) for s in SENTENCES]


def test_rows_of_one_place():
    states = pp.parsing.StateBatch(EASY, SENTENCES[:1])
    states.select(np.array([0], dtype=np.int32), np.array([2], dtype=np.int32))
    assert (states.focus.tolist(), states.positions(["S0", "B0"]).tolist()) == ([2], [[2, 3]])
    with pytest.raises(BatchError, match="no action is legal in state 0 with the focus at 99"):
        states.select(np.array([0], dtype=np.int32), np.array([99], dtype=np.int32))
    assert pp.parsing.StateBatch(pp.system("arc-eager"), SENTENCES[:1]).focus.tolist() == [-1]


# --- Parsers ---


@pytest.fixture(scope="module", params=[1, 4])
def parser(request, english):
    spec = pp.ParserSpec(system=EASY, beam=request.param)
    return pp.train(spec, english[0], epochs=2, members=1)


def test_training_and_files_keep_it(parser, english, tmp_path):
    parsed = parser.parse(english[1])
    assert pp.evaluate(english[1], parsed).las > 60
    for sentence in parsed:
        assert is_projective(tuple(sentence.heads.tolist()), "last")
        assert sentence.heads.tolist().count(0) == 1
    parser.save(tmp_path / "easy.panparser")
    assert pp.load(tmp_path / "easy.panparser").parse(english[1]).to_bytes() == parsed.to_bytes()
    assert pp.ParserSpec(system=EASY).templates == pp.templates("easy")


def test_a_greedy_step_is_the_best_of_all_places(parser, english):
    """And scores that places keep are the scores of each."""
    for sentence in english[1][:5]:
        found = Explanation.from_sentence(parser, sentence, beam=1)
        assert len(found) == len(sentence)
        for step in range(1, len(found) + 1):
            actions = found.actions(step)
            assert actions.columns == EASY.legal(found.state(step).state)
            assert actions.scores[actions.chosen] == actions.scores.max()
            assert found.costs(step) == EASY.costs(found.state(step).state, sentence.gold())
        heads = found.states[-1].state.heads[1:]
        assert heads.tolist() == parser.parse(english[1], beam=1)[sentence.position].heads.tolist()


def test_explanations_name_the_place(parser, english):
    sentence = english[1][0]
    rows = explain(parser, sentence)
    assert all("@" in name for name in rows["action"])
    assert rows["stack"][0].split()[-1] == sentence.forms[int(rows["action"][0].partition("@")[2]) - 1]
    first, *others = Explanation.from_sentence(parser, sentence).actions(1).columns
    compared = explain(parser, sentence, 1, compare_with=others[-1])
    assert others[-1] in compared.columns or first in compared.columns


def test_words_have_margins(parser, english):
    parser = pp.calibrate(parser, english[0])
    assert len(set(parser.confidence(english[1]).head_confidence.tolist())) > 20


@each_variant("easy-first")
def test_constraints_are_kept(system):
    assert check_constraints(system, max_words=3).rows[-1].sets > 10


def test_given_heads_are_kept(parser, english):
    sentences = english[1][:10]
    given = [[head if i % 3 == 0 else None for i, head in enumerate(s.heads.tolist())] for s in sentences]
    projective = [pp.GoldTree(heads).has_projective_completion(root="last", single_root=True) for heads in given]
    golds = [pp.GoldTree(heads) if fits else None for heads, fits in zip(given, projective, strict=True)]
    parsed = parser.parse(sentences, constraints=pp.Constraints.from_treebank(sentences, golds=golds))
    for gold, sentence in zip(golds, parsed, strict=True):
        heads = gold.heads if gold else ()
        assert all(h in (None, found) for h, found in zip(heads, sentence.heads.tolist(), strict=bool(gold)))


def test_other_classifiers_are_refused(english):
    with pytest.raises(SpecError, match="the focus of easy-first is free, which only the perceptron learns"):
        pp.train(pp.ParserSpec(system=EASY), english[0], classifier=pp.Perceptron(), epochs=1)


def test_states_do_not_depend_on_how_they_were_reached():
    nodes = check._explore(EASY, 3, lambda *_: None)
    assert len({node.state.key() for node in nodes}) == len(nodes)
