"""Systems written in Python: stepping, checking, and what is refused."""

from __future__ import annotations

import sys

import pytest

import panparser as pp
from panparser.proofs.system_proof import check_system
from panparser.systems.state import draw_state
from panparser.trees.enumeration import all_trees
from places import ROOT

sys.path.insert(0, str(ROOT / "examples"))
from covington import Covington


class Hybrid(pp.PythonSystem):
    """ArcHybrid, Root last, in Python; its costs are relaxed by 1 wherever the stack is not empty."""

    transitions = ("SHIFT", "LEFT", "RIGHT")

    def legal(self, state: pp.MutableState, transition: str) -> bool:
        return {
            "SHIFT": state.buffer[0] != 0,
            "LEFT": bool(state.stack),
            "RIGHT": len(state.stack) >= 2,
        }[transition]

    def apply(self, state: pp.MutableState, transition: str) -> None:
        if transition == "SHIFT":
            state.stack.append(state.buffer.pop(0))
            return
        word = state.stack.pop()
        state.attach(state.buffer[0] if transition == "LEFT" else state.stack[-1], word)

    def cost(self, state: pp.MutableState, transition: str, gold: pp.GoldTree) -> int:
        table = pp.system("arc-hybrid")
        twin = table.initial(state.words)
        for name in state.derivation:
            twin = table.apply(twin, name)
        return table.costs(twin, gold)[transition] + bool(state.stack)


def test_a_python_system_is_checked_like_a_table():
    table = check_system("arc-hybrid", max_words=3)
    mine = check_system(Hybrid(), max_words=3)
    for a, b in zip(table.rows, mine.rows, strict=True):
        assert (a.states, a.derivations, a.outputs, a.golds, a.costs) == (
            b.states,
            b.derivations,
            b.outputs,
            b.golds,
            b.costs,
        )
    assert mine.rows[-1].relaxed > 0


def test_covington_is_exact_on_every_tree():
    report = check_system(Covington(), max_words=3, golds="all")
    assert report.rows[-1].outputs == len(all_trees(3))
    assert report.rows[-1].relaxed == 0


def test_a_python_system_steps_like_a_table():
    system = pp.system(Hybrid())
    assert pp.system(system) is system
    state = system.initial(2)
    after = system.apply(state, "SHIFT")
    assert (state.stack, after.stack) == ([], [1])
    labeled = system.apply(after, "LEFT", "nsubj")
    assert (labeled.heads, labeled.labels[1]) == ([-1, 2, -1], "nsubj")
    assert system.arc(after, "LEFT") == (2, 1)
    assert system.arc(after, "SHIFT") is None
    assert pp.static_derivation(Hybrid(), [2, 0]) == ("SHIFT", "LEFT", "SHIFT", "LEFT")
    assert "costs   SHIFT 2  LEFT 1*" in draw_state(system, after, [2, 0])
    assert "stack   1" in after.draw()
    assert repr(after) == "[1 | 2 0]"


def test_what_a_python_system_refuses():
    system = pp.system(Hybrid())
    state = system.initial(2)
    with pytest.raises(pp.errors.IllegalTransitionError, match=r"LEFT is illegal in \[ \| 1 2 0\]; legal: SHIFT"):
        system.apply(state, "LEFT")
    with pytest.raises(pp.errors.IllegalTransitionError, match="SHIFT of Hybrid makes no arc; got the label 'x'"):
        system.apply(state, "SHIFT", "x")
    with pytest.raises(pp.errors.GoldError, match="Hybrid: words must be an integer >= 1; got 0"):
        system.initial(0)
    with pytest.raises(pp.errors.GoldError, match="expected 2 heads"):
        system.costs(state, [0])
    with pytest.raises(pp.errors.DeclarationError, match="PythonSystem: transitions must name its transitions"):
        pp.system(pp.PythonSystem())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"transitions": "SHIFT"}, "must name its transitions, like"),
        ({"transitions": (1, 2)}, "must name its transitions, like"),
        ({"transitions": ("A", "A")}, "Bad: transitions must differ; got A, A"),
        ({"root": "middle"}, "Bad: root must be one of first, last, none; got 'middle'"),
    ],
)
def test_malformed_declarations_are_refused(fields, message):
    with pytest.raises(pp.errors.DeclarationError, match=message):
        pp.system(type("Bad", (Hybrid,), fields)())


@pytest.mark.parametrize("cost", [0.5, "1", None])
def test_costs_must_be_integers(cost):
    system = pp.system(type("Bad", (Hybrid,), {"cost": lambda *_: cost})())
    with pytest.raises(pp.errors.DeclarationError, match="Bad: cost of SHIFT must be an integer; got"):
        system.costs(system.initial(1), [0])


def test_costs_cannot_change_the_state():
    def cost(self, state, transition, gold):
        state.stack.append(7)
        return 0

    system = pp.system(type("Meddling", (Hybrid,), {"cost": cost})())
    state = system.initial(1)
    system.costs(state, [0])
    assert state.stack == []


def test_missing_methods_are_named():
    class Empty(pp.PythonSystem):
        transitions = ("SHIFT",)

    declared = Empty()
    for method, arguments in (
        ("legal", (None, "SHIFT")),
        ("apply", (None, "SHIFT")),
        ("cost", (None, "SHIFT", None)),
    ):
        with pytest.raises(NotImplementedError, match=f"Empty must define {method}"):
            getattr(declared, method)(*arguments)


def test_root_first_by_default_starts_and_ends_on_the_stack():
    class First(pp.PythonSystem):
        root = "first"
        transitions = ("X",)

    state = First().initial(2)
    assert (state.stack, state.buffer) == ([0], [1, 2])
    state.buffer = []
    assert First().is_final(state)


def test_keys_include_what_a_system_adds():
    state = pp.MutableState(1, [], [1])
    key = state.key()
    state.extra = {"a": [1, {2}]}
    assert state.key() != key
    assert hash(state.key())


def test_what_no_derivation_gives():
    system = pp.system(Covington())
    for heads in all_trees(4):
        assert system.lost_arcs(heads) == 0  # it builds every tree
    assert pp.system(Hybrid()).lost_arcs((2, 0, 2, 3)) == 0
    assert pp.system(Hybrid()).lost_arcs((3, 0, 2, 1)) > 0  # two arcs cross


def test_given_heads_that_cross_are_kept():
    """Crossing arcs are a matter of the system: Covington's builds them."""
    crossing = pp.parse_conllu(
        "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate((3, 0, 2, 1), start=1)) + "\n"
    )
    parser = pp.train(pp.ParserSpec(system=Covington(), beam=1), crossing, epochs=1, constraints=1.0)
    heads, _ = parser.predict(crossing, constraints=pp.Constraints.from_treebank(crossing, keep={"heads"}))
    assert heads.tolist() == [3, 0, 2, 1]
