"""Drawings, against reviewed files."""

from __future__ import annotations

import time

import pytest

import panparser as pp
from panparser.systems.state import draw_state
from panparser.trees.drawing import draw_arcs, draw_tree, svg_tree
from variants import golden, walk

FORMS = ["They", "ate", "the", "pizza", "with", "anchovies", "."]
HEADS = [2, 0, 4, 2, 6, 4, 2]


def test_a_state_is_drawn_as_reviewed():
    system = pp.system("arc-eager", single_root=True)
    state = walk((system, 7), "SHIFT", "LEFT", "SHIFT", "SHIFT", "LEFT", "RIGHT")
    golden("state.txt", state.draw(HEADS, FORMS))
    assert state.draw().endswith("legal   SHIFT  RIGHT  REDUCE")


def test_trees_are_drawn_as_reviewed():
    drawings = [
        draw_tree(HEADS, "last", FORMS),
        draw_tree(HEADS, "first", FORMS),
        draw_tree([3, 0, 2, 1], "first"),
        draw_tree([None, pp.NO_HEAD, pp.HEAD_LEFT, pp.HEAD_RIGHT, 4], "last"),
        draw_tree([0], "first", ["x"]),
        draw_tree([2, 0, 2], "last", ["猫", "が好き", "だ"]),
        draw_arcs(["a"], [-1]),
    ]
    golden("trees.txt", "\n\n".join(drawings))


def test_final_and_stuck_states_say_so():
    system = pp.system("arc-hybrid")
    assert walk((system, 1), "SHIFT", "LEFT").draw([0]).endswith("final")
    stuck = pp.TransitionSystem("stuck", (pp.Transition("SHIFT", when=("size(STACK) == 0",), then=("shift",)),))
    state = walk((stuck, 2), "SHIFT")
    assert draw_state(stuck, state).endswith("(nothing: stuck)")
    assert draw_state(stuck, state, [0, 1]).endswith("(nothing: stuck)")


def test_nothing_steers_the_terminal():
    evil = "\x1b[31mX"
    row = f"1\t{evil}\t_\t{evil}\t_\t_\t0\t{evil}\t_\t_\n\n"
    sentence = pp.parse_conllu(row)[0]
    state = pp.system("arc-eager").initial(1)
    for drawing in sentence.draw(), sentence._repr_html_(), state.draw([0], [evil]), draw_tree([0], "first", [evil]):
        assert "\x1b" not in drawing
        assert "\ufffd" in drawing


@pytest.mark.parametrize("heads", [[0, *range(1, 5000)], [0, *[1] * 4999]], ids=["chain", "star"])
def test_long_sentences_are_drawn_at_once_or_not(heads):
    """Seconds when every arc was compared with every other, and every cell of the grid visited."""
    words = [f"w{place}" for place in range(len(heads))]
    start = time.process_time()
    text, svg = draw_tree(heads, "last", words), svg_tree(words, heads)
    assert time.process_time() - start < 1
    assert svg.content.count("<text") == 5000
    assert text.splitlines()[-1].split() == [*words, "ROOT"]
    too_large = "(too large to draw: arcs 5,000 lines high over 33,906 columns)"
    assert (text.splitlines()[0] == too_large) == (heads[-1] == 1)
