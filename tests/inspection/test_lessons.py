"""Lessons show what they say."""

from __future__ import annotations

import pytest

from panparser.errors import SpecError
from panparser.inspection.lessons import LESSONS, show_lesson


@pytest.fixture(scope="module")
def shown():
    return {name: show_lesson(name) for name in LESSONS}


def actions(run):
    return [step.choices[0].name for step in run.steps[:-1]]


def test_there_are_six_small_pages(shown):
    assert len(shown) == 6
    for found in shown.values():
        page = found.to_html()
        assert len(page.encode()) < 100_000
        assert all(paragraph.split()[0] in page for paragraph in found.text)


def test_one_tree_has_two_derivations(shown):
    one, two = shown["spurious-ambiguity"].runs
    assert one.steps[-1].heads == two.steps[-1].heads == shown["spurious-ambiguity"].gold.heads
    assert actions(one) != actions(two)
    assert one.errors == two.errors == []
    part = next(i for i, pair in enumerate(zip(actions(one), actions(two), strict=True)) if len(set(pair)) == 2)
    assert [choice.cost for choice in one.steps[part].choices].count(0) == 2


def test_a_first_error_costs_two_and_its_last_wrong_arc_nothing(shown):
    found = shown["error-propagation"]
    (run,) = found.runs
    first = run.steps[run.errors[0]]
    assert (first.choices[0].cost, first.arc) == (2, (3, 2))
    assert [
        word
        for word, pair in enumerate(zip(run.steps[-1].heads, found.gold.heads, strict=True), 1)
        if len(set(pair)) > 1
    ] == [2, 3, 8, 9]
    assert run.steps[-2].arc == (0, 3)
    assert run.steps[-2].choices[0].cost == 0


def test_after_a_mistake_nothing_more_is_lost(shown):
    right, wrong = shown["dynamic-oracle"].runs
    assert right.errors == []
    assert len(wrong.errors) == 1
    assert wrong.steps[wrong.errors[0]].arc == (3, 5)
    assert sum(a != b for a, b in zip(wrong.steps[-1].heads, right.steps[-1].heads, strict=True)) == 1


def test_only_swap_builds_crossing_arcs(shown):
    found = shown["crossing-arcs"]
    standard, swap = found.runs
    assert standard.steps[-1].heads != found.gold.heads
    assert swap.steps[-1].heads == found.gold.heads
    assert "SWAP" in actions(swap)
    assert len(swap.steps) > len(standard.steps)


def test_arc_eager_attaches_earlier(shown):
    standard, eager = shown["arc-standard-arc-eager"].runs
    assert standard.steps[-1].heads == eager.steps[-1].heads
    assert "REDUCE" in actions(eager)
    made = [next(i for i, step in enumerate(run.steps) if step.heads[5] == 2) for run in (standard, eager)]
    assert made[1] <= made[0]


def test_the_beam_finds_what_the_greedy_parser_misses(shown):
    found = shown["beam"]
    greedy, beam = found.runs
    assert greedy.steps[-1].heads != found.gold.heads
    assert beam.steps[-1].heads == found.gold.heads
    ranks = [one.rank for step in beam.steps for one in step.beam if one.is_final_path]
    assert min(ranks) == ranks[-1] == 0 < max(ranks)


def test_an_unknown_lesson_is_named():
    with pytest.raises(SpecError, match=r"expected a lesson: spurious-ambiguity, .*; got 'x'"):
        show_lesson("x")
