"""SwapStandard: its loss against exhaustive search, its dynamic and its static-dynamic oracle, training with them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.proofs.system_proof import check_system
from panparser.systems import transition_system as lowering
from panparser.terms import back, shift
from panparser.trees.enumeration import all_trees, random_projective_tree, random_tree
from reference.swap import exhaustive_loss
from variants import ROOTS, walk

SH, LA, RA, SW = "SHIFT", "LEFT", "RIGHT", "SWAP"
ORACLES = ("dynamic", "static-dynamic")


def each_variant(*oracles):
    systems = [
        pp.system("swap-standard", root=root, single_root=single, oracle=oracle)
        for root in ROOTS
        for single in (False, True)
        for oracle in oracles
    ]
    name = "{0.root}-{0.single_root}-{0.static_oracle}".format
    return pytest.mark.parametrize("system", systems, ids=name)


# --- Exact ---


@pytest.mark.unmeasured
@each_variant(*ORACLES)
def test_exact_for_every_part_of_every_tree(system):
    row = check_system(system, max_words=4).rows[-1]
    assert (row.golds, row.outputs, row.relaxed) == ((325, 64, 0) if system.single_root else (432, 125, 0))


@pytest.mark.slow
@each_variant(*ORACLES)
def test_exact_for_every_part_of_every_tree_of_five_words(system):
    assert check_system(system, max_words=5).rows[-1].outputs == (625 if system.single_root else 1296)


@pytest.mark.slow
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("single_root", [False, True])
def test_exact_in_a_sample_of_longer_sentences(root, single_root):
    rng = random.Random(2)
    system = pp.system("swap-standard", root=root, single_root=single_root, oracle="dynamic")
    for _ in range(150):
        compare(system, *some_state(system, rng.randint(6, 8), rng, tokens=7))


def some_state(system, words, rng, tokens=6):
    """A state with at most so many tokens, and a tree, of which some heads may be unknown."""
    heads = list(random_tree(words, rng, single_root=system.single_root))
    if rng.random() < 0.5:
        heads = list(random_projective_tree(words, rng, single_root=system.single_root))
    known = rng.choice([1.0, 1.0, 0.7])
    gold = [head if rng.random() < known else None for head in heads]
    state = system.initial(words)
    steps = rng.randint(0, 4 * words)
    while not system.is_final(state) and (steps > 0 or len(state.stack) + len(state.buffer) > tokens):
        steps -= 1
        costs = system.costs(state, gold)
        best = [name for name in costs if costs[name] == 0]
        often = [SW] if SW in costs and rng.random() < 0.3 else best  # many words that changed places, few arcs lost
        state = system.apply(state, rng.choice(often if rng.random() < 0.8 else list(costs)))
    return state, gold


def compare(system, state, gold):
    root = len(gold) + 1 if system.root == "last" else 0
    heads = {word: head or root for word, head in enumerate(gold, start=1) if head is not None}

    def loss(state):
        stack, buffer = (tuple(token or root for token in tokens) for tokens in (state.stack, state.buffer))
        gone = {word: max(0, state.heads[word]) or root for word in heads if word not in (*stack, *buffer)}
        wrong = sum(heads[word] != head for word, head in gone.items())
        if system.root == "none":
            stack = (root, *stack)
        return wrong + exhaustive_loss(stack, buffer, heads, root, system.single_root)

    if system.is_final(state):
        return
    before = loss(state)
    assert system.costs(state, gold) == {n: loss(system.apply(state, n)) - before for n in system.legal(state)}


@given(st.sampled_from(ROOTS), st.booleans(), st.integers(6, 8), st.integers(0, 10**6))
def test_costs_are_those_of_exhaustive_search(root, single_root, words, seed):
    system = pp.system("swap-standard", root=root, single_root=single_root, oracle="dynamic")
    compare(system, *some_state(system, words, random.Random(seed), tokens=5))


def test_a_complete_word_may_be_needed_where_it_is():
    """[R 3 1 2 4]: 4 must bring 3 and 1 within reach before it gets its head, 2."""
    system = pp.system("swap-standard", root="first", oracle="dynamic")
    state = walk((system, 4), SH, SH, SH, SW, SW, SH, SH, SH)
    assert (state.stack, state.buffer) == ((0, 3, 1, 2, 4), ())
    gold = [0, 0, 1, 2]
    assert system.costs(state, gold) == {LA: 2, RA: 1, SW: 0}
    for name in (SW, SW, SW, SH, SH, LA, SH, SW, LA, RA, SH, RA):
        assert system.costs(state, gold)[name] == 0
        state = system.apply(state, name)
    assert state.heads[1:].tolist() == gold


def test_so_may_a_word_without_arcs():
    """The same, if the head of 4 is unknown: without 4, an arc is lost."""
    heads = {1: 0, 2: 0, 3: 1}
    losses = [exhaustive_loss((0, 3, 1, 2), buffer, heads, root=0) for buffer in ((4,), ())]
    assert losses == [0, 1]
    system = pp.system("swap-standard", root="first", oracle="dynamic")
    for words in (3, 4):
        compare(system, walk((system, words), SH, SH, SH, SW, SW, SH, SH), [0, 0, 1, None][:words])


def test_every_tree_can_be_built():
    for root in ROOTS:
        system = pp.system("swap-standard", root=root, oracle="dynamic")
        assert {system.lost_arcs(tree) for tree in all_trees(4)} == {0}
    single = pp.system("swap-standard", single_root=True, oracle="dynamic")
    assert [single.lost_arcs(tree) for tree in ([0, 0, 2], [0, 0, 0])] == [1, 2]


# --- What swaps cost ---


def test_words_change_places_at_no_cost_but_not_in_the_static_dynamic_oracle():
    dynamic, mixed = (pp.system("swap-standard", oracle=oracle) for oracle in ORACLES)
    gold = [2, 0, 2]
    costs = [system.costs(walk((system, 3), SH, SH), gold) for system in (dynamic, mixed)]
    assert costs == [{SH: 0, LA: 0, RA: 3, SW: 0}, {SH: 1, LA: 0, RA: 3, SW: 1}]


@pytest.mark.parametrize("root", ROOTS)
def test_the_static_dynamic_oracle_follows_the_lazy_one(root):
    mixed, lazy = (pp.system("swap-standard", root=root, oracle=oracle) for oracle in ("static-dynamic", "lazy"))
    for tree in all_trees(4):
        assert pp.static_derivation(mixed, tree) == pp.static_derivation(lazy, tree)


def test_the_lazy_oracle_is_not_asked_where_it_would_lose():
    """Off its derivation, what it takes may cost more than others; then these are right."""
    system = pp.system("swap-standard", root="first", oracle="static-dynamic")
    exact = pp.system("swap-standard", root="first", oracle="dynamic")
    lazy = pp.system("swap-standard", root="first")
    rng = random.Random(5)
    different = 0
    for _ in range(300):
        gold = random_tree(5, rng)
        derivation = some_derivation(exact, 5, rng)
        costs, true, static = (each.costs(walk((each, 5), *derivation), gold) for each in (system, exact, lazy))
        if not true:  # a final state
            continue
        (taken,) = [name for name, cost in static.items() if cost == 0]
        expected = {n: max(c, int(n in (SH, SW) and n != taken)) if true[taken] == 0 else c for n, c in true.items()}
        assert costs == expected
        different += true[taken] > 0
    assert different > 0


def some_derivation(system, words, rng):
    state = system.initial(words)
    for _ in range(rng.randint(0, 3 * words)):
        if not system.is_final(state):
            state = system.apply(state, rng.choice(system.legal(state)))
    return state.derivation


# --- Tables ---


def test_tables_are_values():
    for oracle in ORACLES:
        system = pp.system("swap-standard", oracle=oracle)
        assert pp.TransitionSystem.from_json(system.to_json()) == system
        assert "costs: swap-loss" in str(system)
        assert (system.has_dynamic_oracle, system.is_static_dynamic) == (True, oracle == "static-dynamic")
    assert not pp.system("swap-standard").has_dynamic_oracle


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"static_oracle": "rows"}, "SWAP uses back, so costs need a static_oracle, .* or the potential swap-loss"),
        ({"transitions": (pp.Transition("SHIFT", then=(shift,)),)}, "not a swap system"),
        ({"transitions": (pp.Transition("X", then=(back, shift)),)}, "does not know what"),
    ],
)
def test_tables_that_the_loss_does_not_know(values, problem):
    plain = pp.system("swap-standard", oracle="dynamic").to_values()
    rows = [{"name": t.name, "then": list(map(str, t.then))} for t in values.get("transitions", ())]
    changed = plain | values | ({"transitions": rows, "ties": [row["name"] for row in rows]} if rows else {})
    with pytest.raises(pp.errors.DeclarationError, match=problem):
        pp.TransitionSystem.from_values(changed)


# --- Training and parsing ---

CROSSING = [3, 4, 0, 3]


def treebank(*trees):
    """Sentences that differ in their words."""
    lines = []
    for number, tree in enumerate(trees):
        for word, head in enumerate(tree, start=1):
            cells = [word, f"w{number}.{word}", "_", "X", "_", "_", head, "dep" if head else "root", "_", "_"]
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return pp.parse_conllu("\n".join([*lines, ""]))


@each_variant("static-dynamic")
def test_crossing_arcs_are_learned(system, tmp_path):
    gold = treebank(CROSSING, [2, 0, 2, 3], [2, 0])
    spec = pp.ParserSpec(system=system, beam=1)
    parser = pp.train(spec, gold, strategy=pp.STRATEGIES["dynamic-explore"], epochs=10, members=1)
    parser.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").parse(gold).to_bytes() == gold.to_bytes()
    assert parser.training["losses"]["approximate"] == 0


@pytest.mark.parametrize("oracle", ORACLES)
def test_commands(run, tmp_path, oracle):
    pp.write_conllu(tmp_path / "gold.conllu", treebank(CROSSING, [2, 0]))
    pp.system("swap-standard", single_root=True, oracle=oracle).save(tmp_path / "table.toml")
    train = ("train", "-t", tmp_path / "gold.conllu", "-o", tmp_path / "m", "--system", tmp_path / "table.toml")
    code, out, _ = run(*train, "--beam", 2)
    assert (code, "approximate in 0 of" in out) == (0, True)
    recipe = (tmp_path / "m.toml").read_text()
    assert f'oracle = "{oracle}"' in recipe
    parsed = run("parse", "-m", tmp_path / "m", tmp_path / "gold.conllu")[1]
    assert parsed == (tmp_path / "gold.conllu").read_text() or oracle == "dynamic"  # which learns badly
    code, out, _ = run("check", "swap-standard", "--oracle", oracle, "--max-words", 3)
    assert (code, "equals the exhaustive definition" in out) == (0, True)
    assert run("check", "swap-standard", "--oracle", oracle, "--max-words", 3, "--constraints")[0] == 0
    assert "swap-loss" in run("info", "swap-standard", "--oracle", oracle)[1]


# --- The limit of work ---


def limited(system, limit, monkeypatch):
    """The same system in an engine that gives up after 2^limit tokens."""
    monkeypatch.setitem(lowering.POTENTIAL_CODES, "swap-loss", (_engine.Potential.SWAP, limit))
    return lowering.Lowered(system)


def test_beyond_the_limit_costs_are_approximate(monkeypatch):
    system = pp.system("swap-standard", oracle="dynamic")
    rng = random.Random(4)
    golds = [pp.GoldTree(random_tree(30, rng)) for _ in range(5)]
    shares = []
    for limit in (8, 16):
        lowered = limited(system, limit, monkeypatch)
        references = [lowered.reference(gold) for gold in golds]
        _, states, _, _, approximated = _engine.walk(lowered.engine, references, 1, 2000, False, True)
        shares.append(approximated / states)
    assert 1 > shares[0] > shares[1] >= 0


@pytest.mark.parametrize("limit", [7, 27])
def test_the_limit_has_bounds(limit, monkeypatch):
    with pytest.raises(pp.errors.DeclarationError, match="limit of the potential"):
        limited(pp.system("swap-standard", oracle="dynamic"), limit, monkeypatch)


@each_variant(*ORACLES)
def test_costs_of_long_sentences_stay_bounded(system):
    """Some transition always costs nothing, and derivations end."""
    rng = random.Random(3)
    gold = random_tree(40, rng)
    state = system.initial(40)
    while not system.is_final(state):
        costs = system.costs(state, gold)
        assert min(costs.values()) == 0
        state = system.apply(state, rng.choice(system.legal(state)))
