"""Systems without Root: words without a head at the end are roots. (Their costs: test_costs.py.)"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, SMALL, short_sentences
from linear import Linear
from panparser.proofs.interpreter import ReferenceSystem
from panparser.proofs.system_proof import check_system
from panparser.systems.registry import BUILT_IN
from panparser.terms import B0, BUFFER, ROOT, S0, S1, STACK, arc, children, head, headless, is_root, pop, shift, size
from variants import variants, walk

EACH = [system for system in variants() if system.root == "none"]
each = pytest.mark.parametrize("system", EACH, ids=lambda s: f"{s.name}{'-single' * s.single_root}")
TRAINED = [system for system in EACH if system.static_oracle != "swap-eager"]


@pytest.mark.unmeasured
@each
def test_no_state_has_another_token_than_words(system):
    """From the initial state on, and the trees are those of the same system with Root."""
    row = check_system(system, 4, exact_cost=False).rows[-1]
    other = check_system(replace_root(system), 4, exact_cost=False).rows[-1]
    assert row.outputs == other.outputs
    state = system.initial(4)
    assert (state.stack, state.buffer) == ((), (1, 2, 3, 4))
    while not system.is_final(state):
        assert 0 not in (*state.stack, *state.buffer)
        assert 0 not in state.heads[1:]
        state = system.apply(state, system.legal(state)[-1])
    heads = state.heads[1:].tolist()
    assert min(heads) == 0
    assert heads.count(0) == 1 or not system.single_root


def replace_root(system):
    return pp.system(system.name, root="first", **({"single_root": True} if system.single_root else {}))


@each
def test_the_engine_is_as_the_reference(system):
    """Final states, legal transitions, and the costs that are losses, for golds with roots, marks and gaps."""
    reference = ReferenceSystem(system)
    golds = ([0, 1, 2], [2, 0, 2], [None, 0, pp.HEAD_LEFT], [pp.HEAD_RIGHT, pp.NO_HEAD, None])
    pending = [(system.initial(3), reference.initial(3))]
    while pending:
        state, expected = pending.pop()
        assert system.is_final(state) == reference.is_final(expected)
        assert system.legal(state) == reference.legal(expected)
        for gold in golds if system.knows_directions and not system.potential else ():
            assert system.costs(state, gold) == reference.costs(expected, gold)
        pending += [(system.apply(state, name), reference.apply(expected, name)) for name in system.legal(state)]


def test_a_gold_head_of_0_is_to_stay_without_one():
    system = pp.system("arc-hybrid", root="none", single_root=True)
    state = walk((system, 2), "SHIFT")
    assert system.costs(state, [0, None]) == system.costs(state, [pp.NO_HEAD, None]) == {"SHIFT": 0, "LEFT": 1}
    assert system.costs(state, [2, 0]) == {"SHIFT": 2, "LEFT": 0}
    several = pp.system("arc-hybrid", root="none")
    assert several.costs(walk((several, 2), "SHIFT"), [0, 0]) == {"SHIFT": 1, "LEFT": 1, "ROOT": 0}
    with pytest.raises(pp.errors.GoldError, match="root must be one of first, last, none; got 'middle'"):
        pp.GoldTree([0]).has_projective_completion(root="middle")
    assert not pp.GoldTree([3, 0, None]).has_projective_completion(root="none")
    assert not pp.GoldTree([pp.NO_HEAD, 0]).has_projective_completion(root="none", single_root=True)
    assert pp.GoldTree([4, 0, 0, 0]).projective_subset(root="none").heads == (None, 0, 0, 0)


def test_golds_with_several_roots_lose_all_but_one_in_a_single_root_system():
    for system in EACH:
        if system.single_root and not system.static_oracle:
            state = walk((system, 3), *pp.static_derivation(system, [0, 0, 2]))
            assert list(state.heads[1:]).count(0) == 1
    assert pp.system("arc-standard", root="none", single_root=True).lost_arcs([0, 0, 2]) == 1
    assert pp.system("arc-standard", root="none").lost_arcs([0, 0, 2]) == 0
    assert pp.system("attardi", root="none", single_root=True).lost_arcs([0, 0, 2]) == 1


def test_what_takes_a_root_is_refused():
    table = pp.system("arc-hybrid", root="none", single_root=True)
    for field in ("starts", "ends"):
        with pytest.raises(pp.errors.DeclarationError, match=f"arc-hybrid: {field} must be None, since root is none"):
            replace(table, **{field: "stack"})
    for field, value in (("partial", True), ("max_span", 3)):
        with pytest.raises(
            pp.errors.DeclarationError, match=rf"it leaves words headless \({field}\), and without Root"
        ):
            replace(table, **{field: value})
    for name in BUILT_IN:
        if name.endswith(("partial", "span")):
            with pytest.raises(pp.errors.DeclarationError, match=f"{name}: root must be first or last"):
                pp.system(name, root="none")
    shifts = pp.Transition("SHIFT", then=(shift,))
    for column, term in (
        ("when", is_root(S0)),
        ("when", size(children(ROOT)) == 0),
        ("loses", head(S0).among(ROOT)),
        ("loses", head(S0).among(S1).when(is_root(S1))),
    ):
        with pytest.raises(
            pp.errors.DeclarationError, match="asks for a token that is not there, as root is none; headless"
        ):
            pp.TransitionSystem("mine", (replace(shifts, **{column: (term,)}),), root="none")
    with pytest.raises(pp.errors.DeclarationError, match="is_root"):
        pp.TransitionSystem("mine", (shifts,), root="none", final=(is_root(S0),))


def test_tables_are_written_read_and_drawn(tmp_path):
    for system in EACH:
        for name in ("x.toml", "x.json"):
            system.save(tmp_path / name)
            assert pp.system(tmp_path / name) == system
    assert "([], [1..n]) to size(BUFFER) == 0 and size(STACK) <= 1; words left without a head are roots" in str(EACH[2])
    system = pp.system("arc-standard", root="none", single_root=True)
    state = walk((system, 2), "SHIFT", "SHIFT")
    assert "ROOT" not in state.draw([2, 0], ["they", "ate"])
    assert "ate: root" in system.apply(state, "LEFT").draw(forms=["they", "ate"])


HEADS_FIRST = pp.TransitionSystem(
    "heads-first",
    (
        pp.Transition(
            "SHIFT",
            then=(shift,),
            loses=(head(B0).among(STACK), children(B0).among(STACK)),
        ),
        pp.Transition(
            "RIGHT",
            then=(arc(head=S0, dependent=B0), pop, shift),
            loses=(headless(B0), head(B0).among(STACK - S0), head(B0).among(BUFFER), children(S0).among(BUFFER - B0)),
        ),
    ),
    root="none",
    final=(size(BUFFER) == 0,),
)


def test_a_table_of_your_own():
    """It builds chains from left to right; whatever starts one is a root."""
    state = walk((HEADS_FIRST, 3), "SHIFT", "SHIFT", "RIGHT")
    assert state.heads[1:].tolist() == [0, 0, 2]
    found = pp.proofs.derive_losses(HEADS_FIRST, 4, directions=False)
    assert [str(loss) for loss in found.system["RIGHT"].loses if loss.kind == "headless"] == ["headless(B0)"]


# --- In Python ---


class Pairs(pp.PythonSystem):
    """ArcStandard without Root, with one root."""

    transitions = ("SHIFT", "LEFT", "RIGHT")
    root = "none"
    single_root = True

    def legal(self, state, transition):
        return bool(state.buffer) if transition == "SHIFT" else len(state.stack) >= 2

    def apply(self, state, transition):
        if transition == "SHIFT":
            state.stack.append(state.buffer.pop(0))
            return
        place = -2 if transition == "LEFT" else -1
        dependent = state.stack.pop(place)
        state.attach(state.stack[-1], dependent)

    def cost(self, state, transition, gold):
        table = pp.system("arc-standard", root="none", single_root=True)
        return table.costs(walk((table, state.words), *state.derivation), gold)[transition]


def test_a_system_in_python():
    report = check_system(Pairs(), 4, golds="projective")
    assert report.rows[-1].outputs == 30
    system = pp.system(Pairs())
    state = system.apply(walk((system, 2), "SHIFT", "SHIFT"), "LEFT", "nsubj")
    assert (state.heads[1:], state.labels[1:]) == ([2, 0], ["nsubj", None])
    treebank = short_sentences(12)
    parser = pp.train(pp.ParserSpec(system=Pairs(), templates=SMALL, beam=2), treebank, epochs=1)
    check_trees(parser.parse(treebank))

    class Bad(Pairs):
        allows_headless = True

    with pytest.raises(pp.errors.DeclarationError, match="Bad: root must be first or last: it leaves words headless"):
        pp.system(Bad())


# --- Training, parsing ---


def check_trees(parsed, single=True):
    for sentence in parsed:
        heads = sentence.heads.tolist()
        assert min(heads) == 0
        assert heads.count(0) == 1 or not single
        assert [label == "root" for label in sentence.labels] == [head == 0 for head in heads]


@pytest.mark.parametrize("system", TRAINED, ids=lambda s: f"{s.name}{'-single' * s.single_root}")
def test_it_trains_and_parses_to_trees(system, tmp_path):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=1 if system.single_root else 4)
    strategy = pp.STRATEGIES["static" if system.static_oracle else "dynamic" if system.single_root else "max-violation"]
    parser = pp.train(spec, ENGLISH[:40], dev=ENGLISH[40:60], epochs=3, strategy=strategy)
    parser.save(tmp_path / "en")
    loaded = pp.load(tmp_path / "en")
    assert loaded.spec.system == system
    parsed = loaded.parse(ENGLISH[60:100])
    check_trees(parsed, system.single_root)
    assert pp.evaluate(ENGLISH[60:100], parsed).uas > 45
    (best,) = parser.k_best(parsed[0], 1)
    assert (list(best.heads), list(best.labels)) == (parsed[0].heads.tolist(), parsed[0].labels)


def test_a_classifier_parses_to_trees():
    spec = pp.ParserSpec(system=pp.system("arc-eager", root="none", single_root=True), templates=SMALL, beam=1)
    parser = pp.train(spec, ENGLISH[:40], classifier=Linear(), strategy=pp.STRATEGIES["dynamic"], epochs=2)
    check_trees(parser.parse(ENGLISH[60:80]))


def test_a_batch_of_states_ends_in_the_gold_trees():
    treebank = short_sentences(10)
    for system in EACH:
        if system.focus == "free":  # whose states have many rows
            continue
        states = pp.parsing.StateBatch(system, treebank, gold=True)
        while len(states):
            costs = np.where(states.legal(), states.costs(), pp.systems.ILLEGAL_COST)
            states.apply(costs.argmin(axis=1).astype(np.int32))
        assert states.trees()[0].tolist() == treebank.heads.tolist()


def test_confidence_is_given_to_roots_too():
    system = pp.system("arc-hybrid", root="none", single_root=True)
    parser = pp.train(pp.ParserSpec(system=system, templates=SMALL, beam=4), ENGLISH[:60], dev=ENGLISH[60:90], epochs=2)
    found = parser.confidence(ENGLISH[90:120])
    of_roots = found.head_confidence[found.heads == 0]
    assert len(np.unique(of_roots)) > 10


def test_given_heads_of_0_are_kept_or_contradict():
    treebank = short_sentences(8)
    for name in ("arc-eager", "arc-hybrid", "arc-standard", "attardi"):
        spec = pp.ParserSpec(system=pp.system(name, root="none", single_root=True), templates=SMALL, beam=2)
        parser = pp.train(spec, treebank, epochs=1)
        for word in (1, len(treebank[0])):
            given = [None] * len(treebank)
            given[0] = pp.GoldTree([0 if w == word else None for w in range(1, len(treebank[0]) + 1)])
            parsed = parser.parse(treebank, constraints=pp.Constraints.from_treebank(treebank, golds=given))
            assert parsed[0].heads.tolist()[word - 1] == 0
            check_trees(parsed)
        given[0] = pp.GoldTree([0, 0, *[None] * (len(treebank[0]) - 2)])
        both = pp.Constraints.from_treebank(treebank, golds=given)
        with pytest.raises(pp.ConstraintError, match="one child of Root, which excludes: the head of word 1 is 0"):
            parser.parse(treebank, constraints=both)
        parsed = treebank.copy()
        assert len(parser.annotate(parsed, constraints=both, relax=True).dropped) == 1
        check_trees(parsed)


def test_no_root_in_a_recipe():
    recipe = pp.Recipe.from_values({"parser": {"system": "arc-standard", "root": "none"}})
    system = recipe.parser.spec().system
    assert system == pp.system("arc-standard", root="none", single_root=True)
    with pytest.raises(pp.SpecError, match="root: expected one of first, last, none"):
        pp.Recipe.from_values({"parser": {"root": "middle"}})
