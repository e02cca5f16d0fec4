"""Networks vote together, and with perceptrons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import SMALL, short_sentences
from nets import ALONE, REMEMBERING, TINY, VECTORS
from panparser.batches.batch_search import BatchSearch
from panparser.networks.network import NetworkInput

pytest.importorskip("torch")
TRAIN, TEST = short_sentences(14, 9), short_sentences(8, 6)
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=1)
OPTIONS = {"epochs": 2, "threads": 1}
TAGGING = replace(TINY.without("feats", "xpos", "lemma", "upos"), tags=("upos",))


@pytest.fixture(scope="module")
def parsers():
    return {
        "network": pp.train(SPEC, TRAIN, network=TINY, **OPTIONS),
        "memory": pp.train(SPEC, TRAIN, network=REMEMBERING, **OPTIONS),
        "tagging": pp.train(SPEC, TRAIN, network=TAGGING, **OPTIONS),
        "perceptron": pp.train(replace(SPEC, templates=SMALL), TRAIN, epochs=2, members=1),
    }


@pytest.mark.parametrize("names", ["network memory", "perceptron network", "network perceptron memory"])
@pytest.mark.parametrize("by", ["scores", "choices"])
def test_votes_are_counted(parsers, names, by, tmp_path):
    chosen = [parsers[name] for name in names.split()]
    together = pp.make_voting_parser(chosen, method=by)
    together.save(tmp_path / "vote")
    for parser in (together, pp.load(tmp_path / "vote")):
        assert parser.parse(TEST).to_bytes() == together.parse(TEST).to_bytes()
        assert parser.parse(TEST, beam=3, threads=2).to_bytes() == together.parse(TEST, beam=3).to_bytes()
    assert (together.parse(TEST).heads >= 0).all()


def test_scores_are_weighted_sums(parsers):
    one, other = parsers["perceptron"], parsers["memory"]
    together = pp.make_voting_parser([one, other], weights=[0.5, 2])
    found = []
    for classifier in (one.model.as_classifier(), other.classifier, together.classifier):
        states = together.model.states(TEST)
        BatchSearch(states, classifier).start(np.arange(3))
        found.append((np.array(classifier.score(states)) / classifier.unit)[np.array(states.legal())])
    assert found[2] == pytest.approx(0.5 * found[0] + 2 * found[1], abs=1e-4)


def test_a_vote_of_one_parses_as_it_does(parsers):
    for parser in parsers.values():
        assert pp.make_voting_parser([parser], method="choices").parse(TEST).to_bytes() == parser.parse(TEST).to_bytes()
    left_out = pp.make_voting_parser([parsers["network"], parsers["memory"]], weights=[0, 1])
    assert left_out.parse(TEST).to_bytes() == parsers["memory"].parse(TEST).to_bytes()


def test_tags_are_those_of_the_first_that_predicts_any(parsers):
    together = pp.make_voting_parser([parsers["network"], parsers["tagging"]])
    expected = parsers["tagging"].parse(TEST)
    assert np.array_equal(together.parse(TEST).column("upos"), expected.column("upos"))
    assert not np.array_equal(expected.column("upos"), TEST.column("upos"))
    alone = (parser.classifier.tag(TEST) for parser in (together, parsers["tagging"]))
    assert np.array_equal(*alone)


def test_what_must_be_the_same(parsers):
    seeing = replace(ALONE, inputs=(NetworkInput(column="vector", size=4),))
    with_vectors = pp.train(SPEC, TRAIN, network=seeing, vectors=VECTORS, **OPTIONS)
    assert (pp.make_voting_parser([parsers["network"], with_vectors]).parse(TEST).heads >= 0).all()
    more = pp.WordVectors.from_dict({"a": [1.0, 2.0, 3.0], "<UNK>": [0.0, 1.0, 0.0]})
    others = pp.train(SPEC, TRAIN, network=seeing, vectors=more, **OPTIONS)
    eager = pp.train(pp.ParserSpec(beam=1), TRAIN, network=ALONE, **OPTIONS)
    fewer = pp.train(SPEC, TRAIN[:3], network=ALONE, **OPTIONS)
    rich = pp.train(replace(SPEC, templates=pp.templates("fast")), TRAIN, epochs=1, members=1)
    for wrong, what in (
        ([with_vectors, others], "vectors of number 2"),
        ([parsers["network"], eager], "transition system of number 2"),
        ([parsers["network"], parsers["memory"], fewer], "labels of number 3"),
        ([parsers["perceptron"], parsers["network"], rich], "templates of number 3"),
    ):
        with pytest.raises(pp.SpecError, match=f"make_voting_parser: parsers must see the same; the {what} differ"):
            pp.make_voting_parser(wrong)
