"""Parsing: greedy, beams, k-best and exhaustive search agree with each other and with the slow reference."""

from __future__ import annotations

import math

import pytest

import panparser as pp
from learners import SMALL, examples, learn, short_sentences, treebank_of
from panparser.errors import SpecError
from reference.learning import ReferenceLearner
from variants import identify

FEW = pp.Templates.parse("S0.upos B0.upos\nB0.upos B1.upos\nS0.left_valency S0.upos\nS1.upos S0.upos")
SYSTEMS = [
    pp.system("arc-eager"),
    pp.system("arc-hybrid", root="first"),
    pp.system("arc-standard", single_root=True),
    pp.system("non-monotonic-arc-eager"),
    pp.system("arc-eager-partial"),
]
TINY = treebank_of(
    "the/D/2 dog/N/3 runs/V/0",
    "she/P/2 eats/V/0 red/A/4 figs/N/2",
    "a/D/2 man/N/4 who/P/2 ran/V/0 off/R/4",
    "go/V/0",
)
ENGLISH = short_sentences(30, 12)


def trained(system, templates=FEW, treebank=TINY, **options):
    spec = pp.ParserSpec(system=system, templates=templates, beam=2, labeled=False)
    return learn(spec, treebank, **{"epochs": 2, "strategy": pp.learning.EARLY_UPDATE, **options})


def quantised(learned):
    """A reference with the weights that the parser has: averaged, scaled so that the largest is 127, rounded."""
    expected = ReferenceLearner(learned.run.spec.system, beam=1)
    sentences, run = examples(learned.run.spec, learned.run.treebank), learned.run
    for epoch, sentence in learned.order:
        expected.beam = run.spec.beam
        expected.train_one_sentence(sentences[sentence], run.training.strategy_for(epoch, sentence))
    averages = {
        (feature, name): total / expected.actions.time
        for feature, row in expected.actions.totals.items()
        for name, total in row.items()
    }
    scale = 127 / max(map(abs, averages.values()))
    assert math.isclose(scale, learned.parser.layers[0].action_scale)
    expected.actions.weights.clear()
    for (feature, name), average in averages.items():
        weight = math.floor(abs(average) * scale + 0.5)
        expected.actions.change([feature], name, weight if average > 0 else -weight)
    return expected


def all_trees_by_score(learner, example):
    """The best score of every tree: all derivations, one by one."""
    best: dict[tuple[int, ...], int] = {}
    pending = [learner.initial(example)]
    while pending:
        hypothesis = pending.pop()
        if hypothesis.is_final:
            tree = tuple(hypothesis.at.state.heads[1:].tolist())
            best[tree] = max(best.get(tree, hypothesis.score), hypothesis.score)
            continue
        for before, action, score, loss in learner.next(hypothesis, example):
            pending.append(type(hypothesis)(before.at.follow(action), score, loss))
    return best


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_exhaustive_search_finds_what_brute_force_finds(system):
    learned = trained(system)
    brute = quantised(learned)
    scale = learned.parser.layers[0].action_scale
    for sentence, example in zip(TINY, examples(learned.run.spec, TINY), strict=True):
        expected = all_trees_by_score(brute, example)
        found = learned.parser.k_best(sentence, 10**6, beam=0)
        assert {tree.heads: round(tree.score * scale) for tree in found} == expected
        assert found[0].score * scale == pytest.approx(max(expected.values()))


@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
@pytest.mark.parametrize("beam", [1, 2, 4])
def test_beams_find_what_the_reference_finds(system, beam):
    learned = trained(system)
    expected = quantised(learned)
    expected.beam = beam
    heads, _ = learned.parser.predict(TINY, beam=beam)
    for number, example in enumerate(examples(learned.run.spec, TINY)):
        found = [expected.initial(example)]
        while not all(c.is_final for c in found):
            found = expected.best([s for c in found for s in expected.next(c, example)], beam, example)
        words = slice(int(TINY.offsets[number]), int(TINY.offsets[number + 1]))
        assert heads[words].tolist() == found[0].at.state.heads[1:].tolist()


@pytest.mark.parametrize("system", [*SYSTEMS, pp.system("swap-standard")], ids=identify)
@pytest.mark.parametrize(
    "templates", [SMALL, pp.templates("rich"), pp.templates("zn11")], ids=["small", "RICH", "ZN11"]
)
def test_the_greedy_shortcut_gives_the_trees_of_a_beam_of_one(system, templates):
    spec = pp.ParserSpec(system=system, templates=templates, beam=1)
    strategy = pp.STRATEGIES["dynamic" if system.has_dynamic_oracle else "static"]
    parser = pp.train(spec, ENGLISH, epochs=2, strategy=strategy)
    heads, labels = parser.predict(ENGLISH)
    for number, sentence in enumerate(ENGLISH):
        words = slice(int(ENGLISH.offsets[number]), int(ENGLISH.offsets[number + 1]))
        (tree,) = parser.k_best(sentence, 1, beam=1)
        assert tree.heads == tuple(heads[words].tolist())
        assert tree.labels == tuple(parser.label_names[i] if i >= 0 else "_" for i in labels[words])


@pytest.fixture(scope="module")
def parser():
    return pp.train(pp.ParserSpec(templates=SMALL, beam=4), ENGLISH, epochs=3)


def test_threads_do_not_matter(parser):
    alone = parser.predict(ENGLISH, threads=1)
    for threads in (2, 5):
        together = parser.predict(ENGLISH, threads=threads)
        assert [array.tolist() for array in together] == [array.tolist() for array in alone]


def test_several_trees_differ_come_best_first_and_begin_with_the_parse(parser):
    heads, _ = parser.predict(ENGLISH, beam=8)
    for number, sentence in enumerate(ENGLISH):
        trees = parser.k_best(sentence, 8, beam=8)
        assert len({(tree.heads, tree.labels) for tree in trees}) == len(trees) <= 8
        scores = [tree.score for tree in trees]
        assert scores == sorted(scores, reverse=True)
        words = slice(int(ENGLISH.offsets[number]), int(ENGLISH.offsets[number + 1]))
        assert trees[0].heads == tuple(heads[words].tolist())


def test_no_beam_finds_a_better_tree_than_exhaustive_search(parser):
    for sentence in short_sentences(6, 5):
        best = parser.k_best(sentence, 1, beam=0)[0].score
        assert all(parser.k_best(sentence, 1, beam=beam)[0].score <= best for beam in (1, 2, 4, 8, 16, 64))
        assert parser.k_best(sentence, 1, beam=1 << 14)[0].score == best


def test_trees_differ_once_arcs_are_put_back():
    """Lifted arcs that are put back, or cannot be, may make one tree out of two."""
    crossing = treebank_of(
        "a/A/3/x b/B/4/y c/C/0/root d/D/3/x", "a/A/2/x b/B/0/root c/C/1/z d/D/2/y", "a/A/0/root b/B/1/x"
    )
    spec = pp.ParserSpec(templates=SMALL, beam=16, nonprojective="pseudo")
    parser = pp.train(spec, crossing, epochs=2)
    for sentence in crossing:
        trees = parser.k_best(sentence, 16)
        assert len({(tree.heads, tree.labels) for tree in trees}) == len(trees)


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_a_count_of_trees_is_a_positive_integer(parser, count):
    with pytest.raises(SpecError, match="k_best: k must be an integer >= 1"):
        parser.k_best(ENGLISH[0], count)


@pytest.mark.parametrize("beam", [0, -1, True, False, 2.0])
def test_a_beam_is_a_positive_integer(parser, beam):
    with pytest.raises(SpecError, match="must be an integer >= 1"):
        parser.predict(ENGLISH, beam=beam)
    if beam != 0 or beam is False:
        with pytest.raises(SpecError, match="k_best: beam must be an integer >= 1"):
            parser.k_best(ENGLISH[0], 1, beam=beam)
