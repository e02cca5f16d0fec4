"""Votes of classifiers, and actions predicted together with labels or tags."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from covington import Covington
from learners import SMALL, short_sentences
from linear import EXPLORE, GREEDY, Linear
from panparser.parsing.joint_states import JointActionStates
from panparser.parsing.python_states import states_of
from panparser.storage.containers import read_arrays, write_arrays

TRAIN = short_sentences(30, 9)
DYNAMIC = pp.STRATEGIES["dynamic"]


@pytest.fixture(scope="module")
def linears(english):
    return [
        pp.train(GREEDY, english[0], classifier=Linear(), strategy=EXPLORE, epochs=2, seed=seed) for seed in (1, 2, 3)
    ]


def scores_of(parser, states):
    return np.where(states.legal(), parser.model.as_classifier().score(states), -np.inf)


def test_a_vote_by_scores_is_the_weighted_sum(linears, english, tmp_path):
    vote = pp.make_voting_parser(linears, weights=[1, 2, 0.5])
    states = pp.parsing.StateBatch(GREEDY.system, english[1], templates=GREEDY.used_templates, labels=linears[0].labels)
    states.apply(states.legal().argmax(axis=1).astype(np.int32))
    own = [parser.classifier.score(states) for parser in linears]
    assert vote.classifier.score(states) == pytest.approx(own[0] + 2 * own[1] + 0.5 * own[2])
    vote.save(tmp_path / "vote")
    with pytest.raises(pp.ModelError, match="needs the classifier 'linear'"):
        pp.load(tmp_path / "vote")


def test_a_vote_by_choices_breaks_ties_by_order(linears, english):
    one, two, three = linears
    states = pp.parsing.StateBatch(GREEDY.system, english[1], templates=GREEDY.used_templates, labels=one.labels)
    ties = 0
    while len(states):
        tops = np.array([scores_of(parser, states).argmax(axis=1) for parser in linears])
        found = scores_of(pp.make_voting_parser(linears, method="choices"), states).argmax(axis=1)
        for row, (choices, winner) in enumerate(zip(tops.T.tolist(), found.tolist(), strict=True)):
            most = max(map(choices.count, choices))
            assert winner == next(choice for choice in choices if choices.count(choice) == most), row
            ties += len(set(choices)) > 1
        pair = scores_of(pp.make_voting_parser([two, three], method="choices"), states).argmax(axis=1)
        assert pair.tolist() == tops[1].tolist()
        states.apply(found.astype(np.int32))
    assert ties > 5


def test_perceptrons_of_the_engine_vote_by_choices(english, tmp_path):
    spec = pp.ParserSpec(templates=SMALL, beam=1)
    parsers = [pp.train(spec, english[0], epochs=1, members=1, seed=seed) for seed in (1, 2, 3)]
    vote = pp.make_voting_parser(parsers, method="choices")
    vote.save(tmp_path / "vote")
    parsed = vote.parse(english[1])
    assert pp.load(tmp_path / "vote").parse(english[1]).to_bytes() == parsed.to_bytes()
    assert (
        pp.make_voting_parser(parsers[:1], method="choices").parse(english[1]).to_bytes()
        == parsers[0].parse(english[1]).to_bytes()
    )
    heads = np.array([parser.predict(english[1])[0] for parser in parsers])
    agreed = (heads == heads[0]).all(axis=0)
    assert (parsed.heads[agreed] == heads[0][agreed]).mean() > 0.9


def test_votes_that_cannot_be(linears, english):
    other = pp.train(pp.ParserSpec(templates=SMALL, beam=1), english[0], epochs=1)
    with pytest.raises(pp.SpecError, match="the transition system of number 2 differ"):
        pp.make_voting_parser([linears[0], other])
    with pytest.raises(pp.SpecError, match="VotingClassifier: method must be one of scores, choices; got 'dice'"):
        pp.make_voting_parser(linears, method="dice")
    with pytest.raises(pp.SpecError, match="make_voting_parser: dev requires perceptrons of the engine"):
        pp.make_voting_parser(linears, dev=english[1])


@pytest.mark.unmeasured
@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", [pp.system("arc-hybrid"), pp.system("arc-eager", single_root=True), Covington()])
def test_actions_and_labels_with_one_score(system, beam, tmp_path):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam, nonprojective="as-is")
    strategy = DYNAMIC if beam == 1 else pp.learning.MAX_VIOLATION
    parser = pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron()), strategy=strategy, epochs=6)
    scores = pp.evaluate(TRAIN, parser.parse(TRAIN), bootstrap_samples=0)
    assert scores.las > 80  # of what it learned from
    if beam == 1 and not isinstance(system, Covington):
        parser.save(tmp_path / "joint")
        assert pp.load(tmp_path / "joint").parse(TRAIN).to_bytes() == parser.parse(TRAIN).to_bytes()
        assert all(tree.score >= 0 for tree in parser.k_best(TRAIN[0], 1, beam=2))


def test_what_joint_actions_cost():
    """The cost of the transition, and 1 for a wrong label of a gold arc."""
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=SMALL, beam=1)
    names = sorted({label for sentence in TRAIN for label in sentence.labels})
    labels = pp.parsing.StateBatch(spec.system, TRAIN, labels=names).labels
    states = JointActionStates(states_of(spec, TRAIN, labels, gold=True), ("label",))
    states.start([0])
    gold = TRAIN[0].labels
    while len(states):
        costs, legal, action = states.costs()[0], states.legal()[0], states.oracle()[0]
        assert costs[action] == costs[legal].min() == 0
        base = states.base.costs()[0]
        heads, dependents = states.arcs(np.zeros(1, dtype=np.int32), np.array([action], dtype=np.int32))
        for number, name in enumerate(states.names):
            plain, _, label = name.partition(":")
            lost = base[spec.system.names.index(plain)]
            if legal[number]:
                is_gold = states.base.gold_labels(
                    np.zeros(1, dtype=np.int32), np.array([spec.system.names.index(plain)], dtype=np.int32)
                )[0]
                assert costs[number] == lost + (is_gold >= 0 and names[is_gold] != label)
        if heads[0] >= 0:
            assert states.names[action].endswith(f":{gold[dependents[0] - 1]}")
        states.apply(np.array([action], dtype=np.int32))


def test_actions_and_tags_with_one_score(tmp_path):
    templates = pp.Templates.parse(
        "S0.form B0.form\nB0.form\nB0.suffix[2]\nS0.form\nhistory[0] B0.form\nB0.form B1.form"
    )
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=templates, beam=2)
    parser = pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"), epochs=6)
    bare = TRAIN.copy()
    bare.column("upos")[:] = bare.id_of("upos", "_")
    parsed = parser.parse(bare)
    scores = pp.evaluate(TRAIN, parsed, bootstrap_samples=0)
    assert scores.scores["UPOS"].f1 > 90
    assert scores.las > 60
    parser.save(tmp_path / "joint")
    assert pp.load(tmp_path / "joint").parse(bare).to_bytes() == parsed.to_bytes()
    with pytest.raises(pp.SpecError, match="Covington is not a table"):
        pp.train(
            replace(spec, system=Covington()),
            TRAIN,
            classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"),
        )
    with pytest.raises(pp.SpecError, match="JointClassifier: outputs must be some of label, tag"):
        pp.batches.JointClassifier(pp.Perceptron(), outputs="colour")


def test_what_is_combined_need_not_be_registered(linears, english, tmp_path):
    vote = pp.make_voting_parser(linears)
    parsed = vote.parse(english[1]).to_bytes()
    assert vote.parse(english[1], threads=2).to_bytes() == parsed
    vote.save(tmp_path / "vote")
    assert pp.load(tmp_path / "vote", classifier=Linear).parse(english[1]).to_bytes() == parsed
    joint = pp.train(GREEDY, TRAIN, classifier=pp.batches.JointClassifier(Linear()), epochs=1)
    joint.save(tmp_path / "joint")
    loaded = pp.load(tmp_path / "joint", classifier=Linear)
    assert loaded.parse(TRAIN).to_bytes() == joint.parse(TRAIN).to_bytes()

    class Other(Linear):
        name = "other"

    with pytest.raises(pp.ModelError, match="needs the classifier 'linear'"):
        pp.load(tmp_path / "joint", classifier=Other)


def test_joint_classifiers_do_not_vote():
    joint = pp.train(GREEDY, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron()), epochs=1)
    for by in ("scores", "choices"):
        with pytest.raises(pp.SpecError, match="got a JointClassifier"):
            pp.make_voting_parser([joint, joint], method=by)


def test_classifiers_that_vote_have_the_same_vectors(tmp_path):
    parsers = []
    for number in (1, 2):
        (tmp_path / "vectors").write_text("".join(f"{form} {number}.5 1.0\n" for form in ("the", "a", "of")))
        vectors = pp.read_vectors(tmp_path / "vectors")
        parsers.append(pp.train(GREEDY, TRAIN, classifier=Linear(), vectors=vectors, epochs=1))
    with pytest.raises(pp.SpecError, match="must see the same; the vectors of number 2 differ"):
        pp.make_voting_parser(parsers)


def test_confidence_writes_tags_too():
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=pp.Templates.parse("S0.form B0.form\nB0.form"))
    parser = pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"), epochs=2)
    parser = pp.calibrate(parser, TRAIN)
    bare = TRAIN.copy()
    bare.column("upos")[:] = bare.id_of("upos", "_")
    tags = [word.upos for sentence in parser.parse(bare) for word in sentence]
    assert [word.upos for sentence in parser.parse(bare, confidence=True) for word in sentence] == tags
    assert "_" not in tags


def test_templates_must_not_read_the_tags_that_are_predicted():
    spec = pp.ParserSpec(templates=pp.Templates.parse("S0.form\nB0.upos B0.form"))
    with pytest.raises(pp.SpecError, match=r"templates must not read tags .*; got B0\.upos"):
        pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"))


def test_joint_classifiers_go_on_with_what_they_know():
    """New labels bring new actions; old ones keep their numbers, and what was learned is not forgotten."""
    few, spec = TRAIN[:8], replace(GREEDY, templates=SMALL)
    first = pp.train(spec, few, classifier=pp.batches.JointClassifier(pp.Perceptron()), strategy=DYNAMIC, epochs=8)
    assert pp.evaluate(few, first.parse(few), bootstrap_samples=0).las > 90
    again = pp.train(spec, TRAIN, init=first, strategy=DYNAMIC, epochs=1)
    assert len(again.labels.names) > len(first.labels.names)
    new = pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron()), strategy=DYNAMIC, epochs=1)
    assert again.training.history[0].updates < new.training.history[0].updates
    las = [pp.evaluate(few, parser.parse(few), bootstrap_samples=0).las for parser in (again, new)]
    assert las[0] > las[1] + 5
    same = pp.train(spec, few, init=first, strategy=DYNAMIC, epochs=1)
    assert pp.evaluate(few, same.parse(few), bootstrap_samples=0).las > 90


def test_a_trained_perceptron_as_a_classifier_begins_anew():
    first = pp.train(GREEDY, TRAIN, classifier=pp.Perceptron(), epochs=1)
    again = pp.train(GREEDY, TRAIN, classifier=first.classifier, epochs=1)
    assert again.parse(TRAIN).to_bytes() == first.parse(TRAIN).to_bytes()
    assert again.k_best(TRAIN[0], 2, beam=4) == first.k_best(TRAIN[0], 2, beam=4)


def test_a_perceptron_that_is_stopped_at_once_scores_in_updates():
    class Stop(pp.Listener):
        def after_update(self, update):
            raise pp.StopTraining

    parser = pp.train(GREEDY, TRAIN, classifier=pp.Perceptron(), strategy=DYNAMIC, listeners=[Stop()])
    score = parser.k_best(TRAIN[0], 1, beam=2)[0].score
    assert score == int(score) != 0


@pytest.mark.parametrize("system", [GREEDY.system, Covington()])
def test_the_perceptron_in_python_reads_no_vectors(system, tmp_path):
    (tmp_path / "vectors").write_text("the 1.5 1.0\na 0.5 1.0\n")
    spec = pp.ParserSpec(system=system, templates=pp.Templates.parse("S0.form\nB0.vector"), beam=1)
    vectors = pp.read_vectors(tmp_path / "vectors")
    with pytest.raises(pp.SpecError, match="Perceptron: vectors are not supported"):
        pp.train(spec, TRAIN, classifier=pp.Perceptron(), vectors=vectors, epochs=1)


def test_damaged_tags_of_a_joint_classifier(tmp_path):
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=pp.Templates.parse("S0.form\nB0.form"), beam=1)
    pp.train(spec, TRAIN, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"), epochs=1).save(
        tmp_path / "joint"
    )
    arrays, manifest = read_arrays(tmp_path / "joint", "model")
    manifest["classifier"]["values"]["tags"][0] = None
    write_arrays(tmp_path / "damaged", {name: np.array(array) for name, array in arrays.items()}, manifest)
    with pytest.raises(pp.ModelError, match=r"classifier.values.tags\[0\]: expected a text, found None"):
        pp.load(tmp_path / "damaged")
