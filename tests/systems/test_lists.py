"""Systems that put words aside: Covington's two, and what their table language adds."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

import panparser as pp
from panparser import _engine
from panparser.proofs.interpreter import ReferenceSystem
from panparser.proofs.system_proof import check_system
from panparser.systems import terms
from panparser.systems.terms import (
    B0,
    BUFFER,
    L0,
    LIST,
    ROOT,
    S0,
    S1,
    STACK,
    any_of,
    arc,
    aside,
    children,
    clear,
    does_not_dominate,
    dominates,
    head,
    headless,
    is_attached,
    is_root,
    is_unattached,
    is_word,
    pop,
    restore,
    shift,
    size,
    tree,
    unattached,
)
from panparser.trees.enumeration import all_trees, projective_trees
from variants import ROOTS, walk


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", ["covington", "covington-projective", "arc-swift"])
def test_every_tree_is_built_and_every_cost_is_exact(name, single, root):
    """`check` raises unless each cost is that of exhaustive search."""
    system = pp.system(name, root=root, single_root=single)
    report = check_system(system, 4)
    for row in report.rows:
        trees = all_trees(row.words, single) if system.crosses else projective_trees(row.words, root, single)
        assert (row.outputs, row.relaxed) == (len(list(trees)), 0)


@pytest.mark.slow
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(("name", "words"), [("covington", 5), ("covington-projective", 6), ("arc-swift", 6)])
def test_longer_sentences_too(name, words, single, root):
    assert check_system(pp.system(name, root=root, single_root=single), words).rows[-1].relaxed == 0


@pytest.mark.slow
@pytest.mark.parametrize(("root", "single"), [("none", False), *((root, True) for root in ROOTS)])
def test_whole_trees_of_six_words(root, single):
    """One to three minutes each; several roots with Root first or last take several times as long."""
    assert check_system(pp.system("covington", root=root, single_root=single), 6, golds="all").rows[-1].relaxed == 0


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("name", ["covington", "covington-projective", "arc-swift"])
def test_one_root_is_left_at_any_length(name, root):
    """Proofs end at a few words; the walk of the engine raises if it is stuck."""
    system = pp.system(name, root=root, single_root=True)
    for seed in range(60):
        words = 7 + seed % 30
        references = [system.reference(pp.GoldTree((0, *[None] * (words - 1))))]
        for linked in (False, True):
            heads = _engine.walk(system._lowered.engine, references, seed, 1, linked, True)[3]
            assert len([head for head in heads if head <= 0]) == 1


@pytest.mark.parametrize("root", ROOTS)
def test_trees_with_one_root_are_built_at_any_length(root):
    draw = random.Random(7)
    system = pp.system("covington", root=root, single_root=True)
    for words in (8, 13, 21):
        tree = random_tree(words, draw)
        assert system.lost_arcs(tree) == 0
        state = walk((system, words), *pp.static_derivation(system, tree))
        assert tuple(state.heads[1:]) == tree


def random_tree(words: int, draw: random.Random) -> tuple[int, ...]:
    """Any tree with one child of Root: each word of a random order hangs from an earlier one."""
    order = draw.sample(range(1, words + 1), words)
    heads = {word: draw.choice(order[:place]) if place else 0 for place, word in enumerate(order)}
    return tuple(heads[word] for word in range(1, words + 1))


def test_two_roots_are_lost_to_one():
    assert pp.system("covington").lost_arcs((0, 0, 2)) == 0
    assert pp.system("covington", single_root=True).lost_arcs((0, 0, 2)) == 1


def choi_mccallum(root: str) -> pp.TransitionSystem:
    """Choi & McCallum 2013: words may leave the stack, or enter it, together with an arc."""
    last = root == "last"
    rest = {"first": (head(S0).among(ROOT),), "last": (), "none": (headless(S0),)}[root]
    of_root = (headless(B0),) if root == "none" else ()
    lost_head = head(B0).among(S0 - ROOT).when(is_unattached(B0))
    lost_child = head(S0).among(B0 - ROOT).when(is_unattached(S0))
    later_head = (head(S0).among(BUFFER - B0), *rest)
    other_head = (head(B0).among(STACK - S0), head(B0).among(BUFFER - B0), *of_root)
    later_children = children(S0).among(BUFFER, unattached)
    open_children = children(B0).among(STACK, unattached)
    left, right = arc(head=B0, dependent=S0), arc(head=S0, dependent=B0)
    word = (is_word(B0),) if last else ()
    when_left = (is_word(S0), is_unattached(S0), does_not_dominate(S0, B0))
    when_right = (*word, is_unattached(B0), does_not_dominate(B0, S0))
    rows = (
        ("LEFT_REDUCE", when_left, (left, pop), (*later_head, later_children)),
        ("LEFT_PASS", when_left, (left, aside), (*later_head, lost_head)),
        ("RIGHT_SHIFT", when_right, (right, restore, shift), (*other_head, open_children)),
        ("RIGHT_PASS", when_right, (right, aside), (*other_head, lost_child)),
        ("SHIFT", word, (restore, shift), (head(B0).among(STACK - ROOT).when(is_unattached(B0)), open_children)),
        ("REDUCE", (is_attached(S0),), (pop,), (later_children,)),
        ("PASS", (any_of(is_word(B0), is_attached(S0)),) if last else (), (aside,), (lost_head, lost_child)),
    )
    return pp.TransitionSystem(
        "choi-mccallum",
        tuple(pp.Transition(*row) for row in rows),
        root=root,
        final=(is_root(B0), size(STACK) == 0) if last else (size(BUFFER) == 0,),
        potential="cycles",
    )


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("words", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_cycles_are_counted_where_words_leave_with_arcs(root, words):
    report = check_system(choi_mccallum(root), words)
    assert (report.rows[-1].outputs, report.rows[-1].relaxed) == ((words + 1) ** (words - 1), 0)


def test_what_cycles_cannot_count_is_named():
    table = choi_mccallum("first")
    rows = (replace(table["REDUCE"], then=(pop, clear)), *table.transitions[1:5], table["PASS"])
    with pytest.raises(
        pp.errors.DeclarationError, match=r"the potential cycles does not know what REDUCE \(pop, clear\) does"
    ):
        replace(table, transitions=rows, ties=()).initial(1)


def test_only_tables_that_can_leave_words_together_are_said_to_build_every_tree():
    table, gold = choi_mccallum("first"), (0, 1)
    assert table.lost_arcs(gold) == 0
    rows = tuple(row for row in table.transitions if row.name != "RIGHT_PASS")
    assert replace(table, transitions=rows, ties=()).lost_arcs(gold) is None


def test_children_in_the_buffer_that_have_a_head_are_not_unattached():
    """B0 gets a head before it leaves the buffer."""
    system = choi_mccallum("first")
    state = walk((system, 3), "RIGHT_SHIFT", "RIGHT_SHIFT", "RIGHT_PASS")
    assert state.buffer == (3,)
    assert system.costs(state, (None, None, 1))["REDUCE"] == 0


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("root", ROOTS)
def test_arc_swift_of_any_depth_is_exact(k, root):
    assert check_system(pp.system("arc-swift", root=root, k=k), 4).rows[-1].relaxed == 0


def test_covington_builds_a_tree_that_crosses():
    heads = (3, 0, 2, 1)
    for root in ROOTS:
        system = pp.system("covington", root=root)
        state = walk((system, 4), *pp.static_derivation(system, heads))
        assert tuple(state.heads[1:]) == heads
        assert system.lost_arcs(heads) == 0


def test_a_cycle_of_arcs_that_are_each_within_reach_costs_one():
    """After RIGHT, 2 <- 1; of 1 <- 3 and 3 <- 2, both gold, only one can follow. And 2 has lost Root."""
    system, gold = pp.system("covington", root="first"), (3, 0, 2)
    state = walk((system, 3), "SHIFT")
    assert system.costs(state, gold) == {"SHIFT": 0, "NO_ARC": 0, "LEFT": 1, "RIGHT": 2}


def test_words_put_aside_come_back_in_order():
    system = pp.system("covington", root="first")
    state = walk((system, 4), "NO_ARC", "SHIFT", "NO_ARC", "NO_ARC", "SHIFT", "NO_ARC")
    assert (state.stack, state.list_tokens, state.buffer) == ((0, 1), (2,), (3, 4))
    assert str(state) == "[0 1 (2) | 3 4]"
    assert "list    2" in state.draw()
    state = system.apply(state, "SHIFT")
    assert (state.stack, state.list_tokens, state.buffer) == ((0, 1, 2, 3), (), (4,))


# --- Words of the language ---

PAIRS = (("S0", "B0"), ("B0", "S0"), ("S1", "S0"), ("S0", "S1"))
TANGLED = pp.TransitionSystem(  # words get one head after the other
    "tangled",
    (
        pp.Transition("SHIFT", then=(restore, shift)),
        pp.Transition("ASIDE", when=(any_of(dominates(S0, B0), is_attached(S0), size(LIST) <= 1),), then=(aside,)),
        pp.Transition("LEFT", when=(is_word(S0), does_not_dominate(S0, B0)), then=(arc(head=B0, dependent=S0), aside)),
        pp.Transition("DOWN", when=(is_word(S0), does_not_dominate(S0, S1)), then=(arc(head=S1, dependent=S0), aside)),
        pp.Transition("UP", when=(is_word(S1), does_not_dominate(S1, S0)), then=(arc(head=S0, dependent=S1), aside)),
        pp.Transition("NEAR", when=(is_word(L0), is_unattached(L0)), then=(arc(head=B0, dependent=L0), clear, shift)),
        pp.Transition("POP", when=(size(LIST) >= 1, is_word(S0)), then=(pop,)),
        pp.Transition("APART", when=(size(LIST, unattached) >= 1, size(STACK, tree(S0)) == 1), then=(aside,)),
        pp.Transition("TOPLESS", when=(size(STACK, tree(S0), unattached) == 0,), then=(aside,)),
        pp.Transition("FRONT", when=(size(STACK, tree(B0)) >= 2,), then=(arc(head=S0, dependent=B0), restore, shift)),
        pp.Transition("FAR", when=(size(STACK, tree(L0)) >= 1, size(STACK, tree(S1), unattached) == 1), then=(pop,)),
    ),
    root="first",
    final=(size(terms.BUFFER) == 0,),
)


@pytest.mark.parametrize("seed", range(24))
def test_both_kinds_of_state_agree_with_the_slow_reference(seed):
    """Lists, and who dominates whom, also where words change their heads."""
    reference, draw = ReferenceSystem(TANGLED), random.Random(seed)
    words = draw.randint(3, 9)
    state, slow = TANGLED.initial(words), reference.initial(words)
    while not TANGLED.is_final(state):
        assert set(TANGLED.legal(state)) == set(reference.legal(slow))
        assert (state.stack, state.list_tokens, state.buffer) == (slow.stack, slow.list_tokens, slow.buffer)
        name = draw.choice(reference.legal(slow))
        state, slow = TANGLED.apply(state, name), reference.apply(slow, name)
    assert reference.is_final(slow)
    assert {w: h for w, h in enumerate(state.heads) if w and h > 0} == {w: h for w, h in slow.heads.items() if h}


@pytest.mark.parametrize(("first", "second"), list(product(("S0", "S1", "S2", "B0", "L0"), repeat=2)))
def test_dominance_is_known_for_neighbors(first, second):
    positions = [getattr(terms, name) for name in (first, second)]
    if (first, second) in PAIRS:
        assert str(dominates(*positions)) == f"dominates({first}, {second})"
        assert str(does_not_dominate(*positions)) == f"does_not_dominate({first}, {second})"
    else:
        with pytest.raises(pp.errors.DeclarationError, match="knows the pairs"):
            dominates(*positions)


def test_losses_count_the_children_of_all_words_on_the_list():
    loss = children(LIST).among(terms.BUFFER - B0)
    assert str(loss) == "children(LIST).among(BUFFER - B0)"
    system = pp.system("covington-projective", root="first")
    state = walk((system, 4), "SHIFT", "RIGHT", "NO_ARC")
    assert state.list_tokens == (2,)
    assert system.costs(state, (None, 1, None, 2))["RIGHT"] == 1


def test_what_a_list_cannot_do_is_refused():
    with pytest.raises(pp.errors.DeclarationError, match="pop expects a position"):
        pop(L0)
    with pytest.raises(
        pp.errors.DeclarationError, match=r"the potential cycles does not know what SHIFT \(shift\) does"
    ):
        pp.TransitionSystem("odd", (pp.Transition("SHIFT", then=(shift,)),), potential="cycles")
    with pytest.raises(pp.errors.DeclarationError, match="head expects a position"):
        head(LIST)
    with pytest.raises(pp.errors.DeclarationError, match=r"does not know what LEFT_REDUCE"):
        replace(choi_mccallum("first"), single_root=True).initial(1)
    for wrong in ((BUFFER, tree(S0)), (LIST, tree(S0)), (STACK, tree(S0), tree(S0)), (BUFFER, unattached), (S0,)):
        with pytest.raises(pp.errors.DeclarationError, match=r"size expects STACK, .* got"):
            size(*wrong)
    with pytest.raises(pp.errors.DeclarationError, match="tree expects a position"):
        tree(ROOT)
    with pytest.raises(pp.errors.DeclarationError, match="arc-swift: k"):
        pp.system("arc-swift", k=4)


def test_trees_are_known_where_the_focus_is_free():
    """That no arc of EasyFirst closes a cycle is true anyway: nothing changes if the table asks for it."""
    easy = pp.system("easy-first")
    asked = (does_not_dominate(S0, B0), does_not_dominate(B0, S0))
    rows = tuple(replace(row, when=(*row.when, *asked)) for row in easy.transitions)
    assert check_system(replace(easy, transitions=rows), 4).rows == check_system(easy, 4).rows
