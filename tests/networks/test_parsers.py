"""What any parser can do, networks do: every system, beams, trees, threads, votes, files. Their weights are random."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS
from reference.networks import random_network_parser
from variants import each_variant

TRAIN, TEST = TREEBANK[:5], TREEBANK[3:]


def made(system="arc-hybrid", kind="labels and history", beam=1, seed=1, **options) -> pp.Parser:
    system = pp.system(system) if isinstance(system, str) else system
    spec = pp.ParserSpec(system=system, beam=beam, **options)
    vectors = VECTORS if "vector" in KINDS[kind].columns else None
    return random_network_parser(spec, KINDS[kind], TRAIN, seed=seed, vectors=vectors)


def check_trees(treebank: pp.Treebank, system) -> None:
    for sentence in treebank:
        heads = sentence.heads.tolist()
        assert all(0 <= head <= len(heads) and head != word for word, head in enumerate(heads, start=1))
        for word in range(1, len(heads) + 1):
            path = [word]
            while path[-1] and len(path) <= len(heads) + 1:
                path.append(heads[path[-1] - 1])
            assert path[-1] == 0
        assert heads.count(0) == 1 or not system.single_root
        assert 0 in heads


@pytest.mark.unmeasured
@each_variant(focus="fixed")
@pytest.mark.parametrize("beam", [1, 4])
def test_every_system_makes_trees(system, beam):
    if system.partial:
        return
    found = [made(system, "memory", beam, seed).parse(TEST) for seed in range(4)]
    for parsed in found:
        check_trees(parsed, system)
    assert len({parsed.heads.tobytes() for parsed in found}) > 1


@pytest.mark.parametrize("kind", ["memory", "all of it", "tags of the first layer", "words alone"])
@pytest.mark.parametrize("beam", [1, 3])
def test_threads_change_nothing(kind, beam, monkeypatch):
    monkeypatch.setattr("panparser.networks.network_classifier.PARSED_WORDS", 60)
    parser, many = made(kind=kind, beam=beam), TREEBANK[[*range(len(TREEBANK))] * 4]
    once = parser.parse(many)
    assert parser.parse(many, threads=3).to_bytes() == once.to_bytes()
    assert np.array_equal(np.tile(parser.parse(TREEBANK).heads, 4), once.heads)  # batches do not matter, either


@pytest.mark.parametrize("kind", ["memory", "all of it"])
def test_the_best_trees_are_those_of_the_beam(kind):
    parser = made(kind=kind, beam=6)
    parsed = parser.parse(TEST)
    for sentence in TEST:
        found = parser.k_best(sentence, 5)
        assert found[0].heads == tuple(parsed[sentence.position].heads.tolist())
        assert len({(tree.heads, tree.labels) for tree in found}) == len(found) == 5
        scores = [tree.score for tree in found]
        assert scores == sorted(scores, reverse=True)
        assert max(scores) <= 0  # logarithms of probabilities


def test_all_derivations_of_a_short_sentence_have_probability_one():
    every = made(labeled=False).model.best(pp.parse_conllu(SHORT)[0], 0, 0, None)
    assert sum(np.exp(score) for _, _, score in every) == pytest.approx(1, abs=1e-4)


SHORT = "".join(f"{word}\tw{word}" + "\t_" * 4 + "\t0\t_\t_\t_\n" for word in range(1, 4)) + "\n"


def test_constraints_are_kept():
    given = pp.Constraints.from_treebank(TEST, keep={"heads"})
    given.heads[np.arange(len(given.heads)) % 3 == 1] = -1
    known = given.heads >= 0
    for system in ("arc-eager", "arc-hybrid", "attardi"):
        for beam in (1, 4):
            parser = made(system, "all of it", beam)
            assert not np.array_equal(parser.predict(TEST)[0][known], TEST.heads[known])
            assert np.array_equal(parser.predict(TEST, constraints=given)[0][known], TEST.heads[known])


def test_confidence_is_a_probability():
    parser = made(beam=3)
    with pytest.raises(pp.PanParserError, match="which this model lacks: train with a development set"):
        parser.confidence(TEST)
    parser = pp.calibrate(parser, TREEBANK)
    found = parser.confidence(TEST)
    for own in (found.head_confidence, found.label_confidence):
        assert own.shape == (TEST.words,)
        assert ((own >= 0) & (own <= 1)).all()
    assert found.head_confidence.mean() == pytest.approx((found.heads == TEST.heads).mean(), abs=0.25)


def test_arcs_of_long_sentences_are_scored_in_parts(monkeypatch):
    parser = made(kind="all of it")
    states = parser.model.states(TREEBANK)
    found = []
    for at_once in (1 << 22, 30, 1):
        monkeypatch.setattr("panparser.networks.network_scoring._AT_ONCE", at_once)
        states.start(np.array([2, 0, 7]))
        found.append(parser.classifier.encode(states).words.arcs)
    assert found[1] == pytest.approx(found[0], abs=1e-5)
    assert found[2] == pytest.approx(found[0], abs=1e-5)
    assert (found[0] > -29).any()
