"""Combination: several parsers as one model, whose trees are combined."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from languages import language
from panparser.errors import ConstraintError, ModelError, SpecError, TagWarning

GOLD = language("one", 60, adjective_first=True, verb_last=True)
OTHER = language("two", 60, adjective_first=False, verb_last=False)
TEST = language("one", 30, adjective_first=True, verb_last=True, seed=2)
SPEC = pp.ParserSpec(beam=1)
PARSERS = [pp.train(SPEC, part, epochs=2, seed=seed) for seed, part in enumerate((GOLD[:10], GOLD[10:], OTHER))]
WEIGHTS = [1.0, 0.75, 0.5]
MODEL = pp.CombinedParser(PARSERS, WEIGHTS, ["ten", "fifty", "other"])


def as_text(treebank):
    return "\n".join(str(sentence) for sentence in treebank)


def test_it_parses_as_the_combined_trees_of_its_parsers():
    expected = pp.combine_trees([parser.parse(TEST) for parser in PARSERS], weights=WEIGHTS)
    found = MODEL.parse(TEST)
    assert np.array_equal(found.heads, expected.heads)
    assert as_text(found) == as_text(expected)
    heads, labels = MODEL.predict(TEST)
    assert np.array_equal(heads, expected.heads)
    assert [MODEL.label_names[label] for label in labels] == [word.label for one in expected for word in one]


def test_weights_matter():
    alone = pp.CombinedParser(PARSERS, [0, 0, 1]).parse(TEST)
    assert np.array_equal(alone.heads, PARSERS[2].parse(TEST).heads)
    assert not np.array_equal(alone.heads, MODEL.parse(TEST).heads)


def test_threads_change_nothing():
    assert all(np.array_equal(*pair) for pair in zip(MODEL.predict(TEST), MODEL.predict(TEST, threads=2), strict=True))


def test_it_is_saved_and_loaded(tmp_path):
    paths = [tmp_path / name for name in ("a.panparser", "b.panparser")]
    MODEL.save(paths[0])
    loaded = pp.load(paths[0])
    assert isinstance(loaded, pp.CombinedParser)
    assert (loaded.names, loaded.weights) == (MODEL.names, MODEL.weights)
    assert np.array_equal(loaded.parse(TEST).heads, MODEL.parse(TEST).heads)
    loaded.save(paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(ModelError, match="combination"):
        pp.Parser.load(paths[0])


def test_it_is_a_part_of_a_pipeline(tmp_path):
    pipeline = pp.Pipeline(parser=MODEL)
    pipeline.save(tmp_path / "p.panparser")
    found = TEST.copy()
    pp.load(tmp_path / "p.panparser").annotate(found)
    assert np.array_equal(found.heads, MODEL.parse(TEST).heads)
    with pytest.raises(SpecError, match="confidence"):
        pipeline.annotate(found, confidence=True)


def test_given_heads_are_kept():
    known = TEST.copy()
    generator = np.random.default_rng(1)
    known.heads[generator.random(known.words) < 0.5] = -1
    given = known.heads >= 0
    constraints = pp.Constraints.from_treebank(known, keep=["heads"])
    found = known.copy()
    parsed = MODEL.annotate(found, constraints=constraints)
    assert np.array_equal(found.heads[given], known.heads[given])
    assert not parsed.dropped


def test_what_no_tree_keeps_is_refused_or_dropped():
    wrong = TEST.copy()
    wrong.heads[:] = -1
    wrong.heads[:2] = [2, 1]
    with pytest.raises(ConstraintError):
        MODEL.parse(wrong, constraints=pp.Constraints.from_treebank(wrong, keep=["heads"]))
    constraints = pp.Constraints.from_treebank(wrong, keep=["heads"])
    found = wrong.copy()
    assert len(MODEL.annotate(found, constraints=constraints, relax=True).dropped) == 1
    assert (found.heads[:2] == [2, 1]).sum() == 1


def test_spans_are_kept():
    spans = [pp.GoldTree([None] * len(sentence), spans=[pp.Span(1, 2)]) for sentence in TEST]
    constraints = pp.Constraints.from_treebank(TEST, golds=spans)
    found = MODEL.parse(TEST, constraints=constraints)
    for number, own in constraints.other_constraints.items():
        heads = found.heads[constraints.word_slice(number)]
        assert all(each.is_satisfied(heads, SPEC.system.root, False) for each in own)


def test_several_trees_begin_with_the_combined_one():
    combined = MODEL.parse(TEST)
    several = 0
    for number, sentence in enumerate(TEST):
        trees = MODEL.k_best(sentence, 3)
        assert list(trees[0].heads) == list(combined[number].heads)
        assert len({tree.heads for tree in trees}) == len(trees) <= 3
        scores = [tree.score for tree in trees]
        assert scores == sorted(scores, reverse=True)
        several += len(trees) > 1
    assert several


def test_unknown_tags_are_told():
    other = TEST.copy()
    other.set_column("upos", ["X"], np.zeros(other.words, dtype=np.int32))
    with pytest.raises(pp.TreebankError, match="tags"):
        MODEL.parse(other)
    other = TEST.copy()
    ids = np.where(np.arange(other.words) % 8 == 0, other.id_of("upos", "X"), other.column("upos"))
    other.column("upos")[:] = ids
    with pytest.warns(TagWarning, match="X"):
        MODEL.parse(other)


def test_what_cannot_be_combined_is_refused():
    hybrid = pp.train(pp.ParserSpec(system=pp.system("arc-hybrid"), beam=1), GOLD[:10], epochs=1)
    with pytest.raises(SpecError, match="one transition system"):
        pp.CombinedParser([PARSERS[0], hybrid])
    with pytest.raises(SpecError, match="must be Parsers"):
        pp.CombinedParser([MODEL])
    with pytest.raises(SpecError, match="list of 1 to"):
        pp.CombinedParser([])
    for weights in ([1.0], [0, 0, 0], [1, -1, 1], [1, float("nan"), 1]):
        with pytest.raises(SpecError, match="CombinedParser: weights"):
            pp.CombinedParser(PARSERS, weights)
    with pytest.raises(SpecError, match="CombinedParser: names"):
        pp.CombinedParser(PARSERS, names=["one"])
    with pytest.raises(SpecError, match="listeners"):
        MODEL.parse(TEST, listeners=[pp.SearchListener()])
