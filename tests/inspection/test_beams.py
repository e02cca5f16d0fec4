"""Beams traced step by step are those of the search, whatever the system, the width and the model."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import panparser as pp
from panparser.inspection.beams import beams, continued
from panparser.inspection.derivations import Derivations

SYSTEMS = ("arc-eager", "arc-standard", "swap-standard", "covington", "easy-first", "non-monotonic-arc-eager")


@pytest.fixture(scope="module", params=SYSTEMS)
def trained(request, english):
    spec = pp.ParserSpec(system=pp.system(request.param), templates=pp.templates("fast"), beam=4)
    return pp.train(spec, english[0][:20], epochs=1, members=1)


@pytest.mark.parametrize("width", [2, 5])
def test_the_search_ends_where_the_parser_ends(trained, english, width):
    for number in range(6):
        derivations = Derivations.from_treebank(trained, english[1][number : number + 1], beam=width)
        found = beams(derivations, width)
        names = [trained.spec.system.step_name(step) for step in derivations.steps.tolist()]
        assert found is not None
        assert len(found) >= len(names)  # others may take longer
        for beam, name in itertools.zip_longest(found, names):
            kept = [one for one in beam if one.is_kept]
            assert 1 <= len(kept) <= width
            assert [one.rank for one in kept] == list(range(len(kept)))
            assert [one.score for one in kept] == sorted((one.score for one in kept), reverse=True)
            assert [one.action for one in kept if one.is_final_path] == [name]
            assert all(one.score <= kept[-1].score for one in beam if not one.is_kept)


def test_the_best_of_the_last_beam_has_the_score_of_the_tree(parser, english):
    sentence = english[1][3]
    found = beams(Derivations.from_treebank(parser, english[1][3:4], beam=6), 6)
    assert found is not None
    assert found[-1][0].score == pytest.approx(parser.k_best(sentence, 1, beam=6)[0].score)
    assert found[-1][0].is_final_path


def test_losses_are_those_of_costs_along_the_derivation(parser, english):
    for number in range(8):
        derivations = Derivations.from_treebank(parser, english[1][number : number + 1], beam=8)
        batch = derivations.batch(gold=True)
        lost = []
        for at in derivations.walk(batch):
            costs = batch.costs()[0]
            lost.append(int(costs[derivations.actions[at[0]]] - costs.min()))
        found = beams(derivations, 8)
        assert found is not None
        path = [next(one.loss for one in beam if one.is_final_path) for beam in found]
        assert path == np.cumsum(lost).tolist()


def test_without_a_gold_tree_nothing_is_lost_or_not(parser, english):
    treebank = pp.parse_conllu(english[1][2:3].to_bytes().decode())
    treebank.heads[:] = -1
    found = beams(Derivations.from_treebank(parser, treebank, beam=3), 3)
    assert found is not None
    assert {one.loss for beam in found for one in beam} == {None}


def test_vectors_count_as_they_do_in_the_parser(english, tmp_path):
    forms = sorted(set(english[0].vocabulary("form")))[:200]
    rows = np.random.default_rng(1).normal(size=(len(forms), 4)).round(3)
    lines = [
        f"{form} {' '.join(map(str, row))}" for form, row in zip(forms, rows.tolist(), strict=True) if form.strip()
    ]
    (tmp_path / "v.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    spec = pp.ParserSpec(templates=pp.templates("fast") + pp.Templates.parse("S0.vector\nB0.vector"), beam=3)
    vectors = pp.read_vectors(tmp_path / "v.txt")
    trained = pp.train(spec, english[0][:20], epochs=1, members=1, vectors=vectors)
    for number in range(5):
        derivations = Derivations.from_treebank(trained, english[0][number : number + 1], beam=3)
        found = beams(derivations, 3)
        assert found is not None
        assert found[-1][0].score == pytest.approx(trained.k_best(english[0][number], 1, beam=3)[0].score)


@pytest.mark.parametrize("width", [1, 3])
def test_given_actions_are_taken_and_the_search_goes_on(trained, english, width):
    for number in range(4):
        treebank = english[1][number : number + 1]
        own = Derivations.from_treebank(trained, treebank, beam=width)
        names = [trained.spec.system.step_name(step) for step in own.steps.tolist()]
        found, beam = continued(trained, treebank, width, names)  # all of them
        assert found.steps.tolist() == own.steps.tolist()
        assert found.labels.tolist() == own.labels.tolist()
        assert all(sum(one.is_kept for one in each) == 1 for each in beam)
        for length in range(0, len(names), 3):
            again, beam = continued(trained, treebank, width, names[:length])
            assert again.steps.tolist()[:length] == own.steps.tolist()[:length]
            if width == 1:  # a wider beam may find something better from there
                assert again.steps.tolist() == own.steps.tolist()
            rival = next((one for one in beam[length] if not one.is_kept and one.source == 0), None)
            if rival is not None:
                other, _ = continued(trained, treebank, width, [*names[:length], rival.action])
                steps = [trained.spec.system.step_name(step) for step in other.steps.tolist()]
                assert steps[: length + 1] == [*names[:length], rival.action]
                assert other.replay(0).is_final


def test_actions_that_are_not_legal_are_told(parser, english):
    treebank = english[1][3:4]
    with pytest.raises(pp.SpecError, match=r"action 2: expected one that is legal, SHIFT.*; got 'UP'"):
        continued(parser, treebank, 2, ["SHIFT", "UP"])
    whole = Derivations.from_treebank(parser, treebank, beam=1)
    names = [parser.spec.system.step_name(step) for step in whole.steps.tolist()]
    with pytest.raises(pp.SpecError, match=f"complete after {len(names)} actions; found {len(names) + 1}"):
        continued(parser, treebank, 1, [*names, "SHIFT"])


def test_a_run_may_begin_with_given_actions(parser, english):
    sentence = english[1][3]
    usual = pp.inspection.step_through(parser, sentence, beam=4).runs[0]
    other = usual.steps[2].choices[1].name
    first = [step.choices[0].name for step in usual.steps[:2]]
    run = pp.inspection.step_through(parser, sentence, beam=4, actions=[*first, other]).runs[0]
    assert [step.choices[0].name for step in run.steps[:3]] == [*first, other]
    assert {choice.name: choice.score for choice in run.steps[2].choices} == {
        choice.name: choice.score for choice in usual.steps[2].choices
    }
    assert run.note == "the first 3 actions were given"
    assert len(run.steps[3].beam) > 1
