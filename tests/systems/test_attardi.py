"""Attardi's system: its loss against the paper's algorithm, its oracle, training and parsing with it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.proofs.system_proof import check_system
from panparser.training.corpus import TrainingCorpus
from panparser.trees.enumeration import all_trees, random_projective_tree, random_tree
from reference.attardi import reduced_buffer, tabular_loss
from variants import ROOTS, each_variant, walk

SH, LA, RA, LA2, RA2 = "SHIFT", "LEFT", "RIGHT", "LEFT2", "RIGHT2"


# --- Exact ---


@each_variant("attardi")
def test_exact_for_every_part_of_every_tree(system):
    check_system(system, max_words=4, golds="any")
    row = check_system(system, max_words=4, golds="all").rows[-1]
    assert (row.golds, row.relaxed) == (64 if system.single_root else 125, 0)


@pytest.mark.slow
@each_variant("attardi")
def test_exact_for_every_part_of_every_tree_of_five_words(system):
    row = check_system(system, max_words=5, golds="any").rows[-1]
    assert row.outputs == {"first": 1011, "last": 939, "none": 1011}[system.root] or system.single_root


@pytest.mark.parametrize(("root", "outputs"), [("first", 117), ("last", 113), ("none", 117)])
def test_most_trees_can_be_derived(root, outputs):
    """of the 125 of four words; a static derivation builds each of them, and no other."""
    system = pp.system("attardi", root=root)
    row = check_system(system, max_words=4, exact_cost=False).rows[-1]
    assert (row.derivations, row.outputs) == (256, outputs)
    built = [tree for tree in all_trees(4) if tuple(run(system, tree).heads[1:]) == tree]
    assert len(built) == outputs
    assert built == [tree for tree in all_trees(4) if system.lost_arcs(tree) == 0]


def run(system, gold):
    return walk((system, len(gold)), *pp.static_derivation(system, gold))


@st.composite
def states(draw):
    """A state somewhere in a sentence of up to eight words, and a tree of which some heads are known."""
    system = pp.system("attardi", root=draw(st.sampled_from(ROOTS)), single_root=draw(st.booleans()))
    rng = random.Random(draw(st.integers(0, 10**6)))
    words = draw(st.integers(5, 8))
    heads = random_tree(words, rng, single_root=system.single_root)
    if draw(st.booleans()):  # a tree like those of treebanks: few arcs cross
        heads = list(random_projective_tree(words, rng, single_root=system.single_root))
        for _ in range(2):
            word, head = rng.randint(1, words), rng.randint(1, words)
            changed = [*heads[: word - 1], head, *heads[word:]]
            if heads[word - 1] and _is_tree(changed):
                heads = changed
    known = draw(st.sampled_from([1.0, 1.0, 0.7]))
    gold = [head if rng.random() < known else None for head in heads]
    state = system.initial(words)
    for _ in range(draw(st.integers(0, 2 * words))):
        if not system.is_final(state):
            state = system.apply(state, rng.choice(system.legal(state)))
    return system, state, gold


def _is_tree(heads):
    try:
        return bool(pp.GoldTree(heads))
    except pp.errors.GoldError:
        return False


@given(states())
def test_costs_are_those_of_the_tabular_algorithm(case):
    system, state, gold = case
    if system.is_final(state):
        return
    root = len(gold) + 1 if system.root == "last" else 0
    heads = {word: head or root for word, head in enumerate(gold, start=1) if head is not None}

    def loss(state):
        stack, buffer = ([token or root for token in tokens] for tokens in (state.stack, state.buffer))
        gone = {word: max(0, state.heads[word]) or root for word in heads if word not in (*stack, *buffer)}
        wrong = sum(heads[word] != head for word, head in gone.items())
        if system.root == "none":
            stack = [root, *stack]
        return wrong + tabular_loss(stack, buffer, heads, root, system.single_root)

    before = loss(state)
    expected = {name: loss(system.apply(state, name)) - before for name in system.legal(state)}
    assert system.costs(state, gold) == expected


def test_the_buffer_of_the_paper_is_reduced():
    """Section 5.4: under 7 hangs all from 5 to 12, and word 1, which is on the stack."""
    heads = {3: 0, 1: 7, 4: 3, 5: 7, 6: 5, 7: 3, 8: 7, 9: 8, 10: 9, 11: 12, 12: 7, 13: 0}
    assert reduced_buffer([0, 1, 3, 4], range(5, 14), heads) == [7, 13]


@pytest.mark.parametrize(
    ("gold", "right"),
    [
        # 1 <- 2 is lost, and 3 <- 1 with it, though 3 stands in the buffer: printed, RIGHT costs 1.
        ([2, 0, 1], 2),
        # 3 <- 1 is lost, and nothing else: printed, RIGHT costs 2.
        ([0, 0, 1, 2], 1),
    ],
)
def test_printed_algorithm_corrected(gold, right):
    """In [0 1 | 2 3 ...]; the numbers are those of the exhaustive search too."""
    system = pp.system("attardi", root="first")
    state = walk((system, len(gold)), SH, SH)
    assert system.costs(state, gold) == {SH: 0, RA: right}


def test_a_tree_that_cannot_be_derived_loses_what_it_must():
    """{1 <- 0, 2 <- 1, 3 <- 0, 4 <- 2}: the printed reduction of the buffer finds nothing to lose."""
    system = pp.system("attardi", root="first")
    assert system.lost_arcs([0, 1, 0, 2]) == 1
    assert sum(run(system, [0, 1, 0, 2]).heads[1:] == (0, 1, 0, 2)) == 3


# --- The static oracle ---


def test_arcs_are_made_as_soon_as_possible():
    assert pp.static_derivation("attardi", [2, 0, 2]) == (SH, SH, LA, SH, RA, SH, LA)


def test_left_comes_before_left2():
    """Where S2 and S1 both hang from S0."""
    assert pp.static_derivation("attardi", [3, 3, 0]) == (SH, SH, SH, LA, LA, SH, LA)


def test_crossing_arcs():
    system = pp.system("attardi")
    assert pp.static_derivation(system, [3, 4, 0, 3]) == (SH, SH, SH, LA2, SH, LA2, RA, SH, LA)
    assert system.crosses
    assert pp.system("swap-standard").crosses
    assert not any(pp.system(name).crosses for name in ("arc-eager", "arc-hybrid", "arc-standard"))


def test_losses_are_known_of_two_systems():
    assert pp.system("arc-standard").lost_arcs([3, 4, 0, 3]) == 1
    assert pp.system("arc-eager").lost_arcs([3, 4, 0, 3]) is None


# --- Training and parsing ---

CROSSING = [3, 4, 0, 3]
UNDERIVABLE = [0, 1, 0, 2]


def treebank(*trees):
    """Sentences that differ in their words."""
    lines = []
    for number, tree in enumerate(trees):
        for word, head in enumerate(tree, start=1):
            cells = [word, f"w{number}.{word}", "_", "X", "_", "_", head, "dep" if head else "root", "_", "_"]
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return pp.parse_conllu("\n".join([*lines, ""]))


@each_variant("attardi")
@pytest.mark.parametrize("beam", [1, 4])
def test_crossing_arcs_are_learned_and_written_as_they_are(system, beam, tmp_path):
    gold = treebank(CROSSING, [2, 0, 2, 3], [2, 0])
    spec = pp.ParserSpec(system=system, beam=beam)
    assert spec.crossing == "as-is"
    strategy = pp.STRATEGIES["dynamic"] if beam == 1 else pp.learning.MAX_VIOLATION
    parser = pp.train(spec, gold, strategy=strategy, epochs=10)
    parser.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").parse(gold).to_bytes() == gold.to_bytes()
    assert list(parser.k_best(gold[0], 2)[0].heads) == CROSSING


def test_sentences_that_cannot_be_derived_can_be_left_out():
    system = pp.system("attardi", root="first")
    gold = treebank(CROSSING, UNDERIVABLE, [2, 0])
    words = {}
    for way in ("as-is", "leave-out"):
        parser = pp.train(
            pp.ParserSpec(system=system, beam=1, nonprojective=way),
            gold,
            epochs=1,
            members=1,
            listeners=[Words(words, way)],
        )
        assert parser.training["losses"]["approximate"] == 0
        kept = TrainingCorpus(parser.spec, gold)
        assert kept.heads.tolist() == gold.heads.tolist()  # what is kept stays as it is
        assert set(parser.labels.names) == set(gold.vocabulary("deprel")) - {"_"}
    assert words == {"as-is": 10, "leave-out": 6}


class Words(pp.Listener):
    def __init__(self, words, key):
        self.words, self.key = words, key

    def after_epoch(self, report):
        self.words[self.key] = report.words


def test_commands(run, tmp_path):
    pp.write_conllu(tmp_path / "gold.conllu", treebank(CROSSING, [2, 0]))
    code, out, _ = run(
        "train", "-t", tmp_path / "gold.conllu", "-o", tmp_path / "m", "--system", "attardi", "--beam", 2
    )
    assert (code, "approximate in 0 of" in out) == (0, True)
    assert 'templates = "rich-stack"' in (tmp_path / "m.toml").read_text()
    code, out, _ = run("parse", "-m", tmp_path / "m", tmp_path / "gold.conllu")
    assert (code, out) == (0, (tmp_path / "gold.conllu").read_text())
    assert run("check", "attardi", "--gold-kinds", "all", "--max-words", 3)[0] == 0
    assert "LEFT2" in run("info", "attardi")[1]


# --- Long sentences ---


def test_the_share_of_approximate_costs_is_told():
    """Trees drawn at random are far from anything that people say."""
    gold = treebank(random_tree(60, random.Random(1)))
    parser = pp.train(pp.ParserSpec(system=pp.system("attardi"), beam=1), gold, epochs=1, members=1)
    losses = parser.training["losses"]
    assert 0 < losses["approximate"] < losses["states"]
    assert pp.train(pp.ParserSpec(beam=1), gold, epochs=1).training["losses"] is None


def test_so_is_that_of_arc_standard():
    """Above 64 words it counts against the largest projective part."""
    gold = treebank(random_tree(70, random.Random(1)), [2, 0, 2])
    spec = pp.ParserSpec(system=pp.system("arc-standard"), beam=1, nonprojective="as-is")
    parser = pp.train(spec, gold, epochs=1, members=1)
    losses = parser.training["losses"]
    assert 0 < losses["approximate"] < losses["states"]


@each_variant("attardi")
def test_costs_of_long_sentences_stay_bounded(system):
    """Beyond the limit of work costs are approximate; some transition still costs nothing, and derivations end."""
    rng = random.Random(3)
    gold = random_tree(60, rng)
    state = system.initial(60)
    while not system.is_final(state):
        costs = system.costs(state, gold)
        assert min(costs.values()) == 0
        state = system.apply(state, rng.choice(system.legal(state)))
