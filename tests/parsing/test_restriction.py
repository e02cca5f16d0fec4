"""Weights of some templates: a parser restricted to them, and training that goes on with more of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.batches.python_perceptron import Perceptron
from panparser.errors import SpecError
from panparser.inspection.model_weights import weights_of
from panparser.parsing.python_states import states_of
from trainings import DEV, SPEC, TRAIN, weights

LEXICAL = pp.Templates(tuple(each for each in SPEC.templates if each.uses("form")))
REST = SPEC.templates - LEXICAL
PARSER = pp.train(SPEC, TRAIN, epochs=3)
VECTORS = "\n".join(
    f"{form} {number % 7 - 3} {number % 5 - 2}" for number, form in enumerate(sorted(TRAIN.vocabulary("form")))
)


class SkipAll(pp.Listener):
    def before_sentence(self, epoch, sentence):
        return pp.SKIP


def found(parser, treebank=DEV):
    heads, labels = parser.predict(treebank)
    return heads.tolist(), [parser.label_names[label] for label in labels.tolist()]


def action_scores(parser, templates=None):
    """Scores of all actions in the first states of sentences, by looking up each feature of some templates."""
    states = states_of(parser.spec, DEV, parser.labels)
    states.start(np.arange(len(DEV)))
    keys = states.keys()
    inside = parser.model.inside
    rows = inside.action_weights(np.ascontiguousarray(keys).ravel()).reshape(*keys.shape, -1)
    chosen = [n for n, each in enumerate(parser.spec.key_templates) if templates is None or each in templates]
    return rows[:, chosen].sum(axis=1).tolist()


@settings(max_examples=15)
@given(st.sets(st.integers(0, len(SPEC.templates) - 1), min_size=1))
def test_a_restricted_parser_scores_by_the_features_that_are_kept(numbers):
    kept = pp.Templates(tuple(SPEC.templates[number] for number in numbers))
    restricted = PARSER.restricted_to(kept)
    assert action_scores(restricted) == action_scores(PARSER, kept)
    restricted.model.check()


def test_weights_of_labels_are_kept_and_dropped_likewise():
    restricted = PARSER.restricted_to(REST)
    for action in ("LEFT", "RIGHT"):
        kept = "S0.upos=NOUN B0.upos=VERB"
        assert weights_of(restricted, kept, action=action).tolist() == weights_of(PARSER, kept, action=action).tolist()
    dropped = [f"S0.form={form}" for form in TRAIN.vocabulary("form")]
    assert any(weights_of(PARSER, feature, action="LEFT").any() for feature in dropped)
    assert not any(weights_of(restricted, feature, action="LEFT").any() for feature in dropped)


def test_restriction_to_all_templates_changes_nothing():
    assert found(PARSER.restricted_to(SPEC.templates)) == found(PARSER)
    assert found(PARSER.restricted_to(LEXICAL)) != found(PARSER)


def test_a_restricted_parser_is_smaller_and_can_be_saved(tmp_path):
    restricted = PARSER.restricted_to(REST)
    assert restricted.weight_bytes < PARSER.weight_bytes
    assert len(restricted.layers[0].label_rows) < len(PARSER.layers[0].label_rows)
    restricted.save(tmp_path / "a.panparser")
    loaded = pp.load(tmp_path / "a.panparser")
    assert found(loaded) == found(restricted)
    assert loaded.training.restricted == [str(each) for each in REST]
    assert loaded.pruning_margin is None


def test_more_than_256_labels_are_two_bytes():
    names = iter(range(10**6))
    many = TRAIN.copy()
    many.column("deprel")[:] = [many.id_of("deprel", f"x{next(names) % 300}") for _ in range(many.words)]
    many.heads[:] = TRAIN.heads
    if TRAIN.words < 300:
        many = many + many
    parser = pp.train(replace(SPEC, nonprojective="as-is"), many, epochs=1, members=1)
    restricted = parser.restricted_to(REST)
    restricted.model.check()
    assert action_scores(restricted) == action_scores(parser, REST)


@pytest.mark.parametrize("layers", [1, 2])
def test_new_templates_begin_at_zero(layers):
    old = pp.train(replace(SPEC, templates=REST), TRAIN, epochs=2)
    if layers == 2:
        old = pp.train(old.spec, DEV, init=old, epochs=1)
    new = pp.train(SPEC, TRAIN, init=old, epochs=1, listeners=[SkipAll()])
    assert new.spec.templates == REST + LEXICAL
    assert found(new) == found(old)
    learned = pp.train(SPEC, TRAIN, init=old, epochs=2)
    assert found(learned) != found(old)
    assert any(weights_of(learned, f"S0.form={form}").any() for form in TRAIN.vocabulary("form"))
    assert found(learned.restricted_to(REST)) != found(old)  # the old ones were learned on, too


def test_training_goes_on_from_a_restricted_parser():
    delexicalized = PARSER.restricted_to(REST)
    again = pp.train(SPEC, TRAIN, init=delexicalized, epochs=1, listeners=[SkipAll()])
    assert found(again) == found(delexicalized)
    learned = pp.train(SPEC, TRAIN, init=delexicalized, epochs=2)
    assert learned.training.init.restricted == [str(each) for each in REST]
    assert "restricted" not in learned.training


def test_a_grown_parser_can_be_saved_and_grow_again(tmp_path):
    first = pp.train(replace(SPEC, templates=REST), TRAIN, epochs=1)
    second = pp.train(replace(SPEC, templates=REST + LEXICAL[:1]), TRAIN, init=first, epochs=1)
    third = pp.train(SPEC, TRAIN, init=second, epochs=1)
    third.save(tmp_path / "a.panparser")
    assert found(pp.load(tmp_path / "a.panparser")) == found(third)
    assert weights(pp.load(tmp_path / "a.panparser")) == weights(third)
    same = pp.train(SPEC, TRAIN, init=second, epochs=1)
    assert weights(same) == weights(third)


def test_labels_are_matched_by_name():
    names = {"nsubj": "aaa"}
    other = TRAIN.copy()
    ids = [other.id_of("deprel", names.get(label, label)) for label in other.vocabulary("deprel")]
    other.column("deprel")[:] = np.array(ids, dtype=np.int32)[TRAIN.column("deprel")]
    old = pp.train(replace(SPEC, templates=REST), other, epochs=2)
    new = pp.train(SPEC, TRAIN, init=old, epochs=1, listeners=[SkipAll()])
    assert new.labels.names[: len(old.labels.names)] == old.labels.names
    assert "nsubj" in new.labels.names
    assert found(new) == found(old)


def test_templates_that_cannot_be_added_to():
    with pytest.raises(SpecError, match=r"must have no templates but those of the new parser; got S0\.form"):
        pp.train(replace(SPEC, templates=REST), TRAIN, init=PARSER)
    lines = str(REST).splitlines()
    only = pp.Templates.parse("\n".join([f"actions: {lines[0]}", *lines[1:]]))
    old = pp.train(replace(SPEC, templates=only), TRAIN, epochs=1)
    with pytest.raises(SpecError, match="the new parser must have the same one"):
        pp.train(SPEC, TRAIN, init=old)


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        (pp.Templates.parse("S3.upos"), "got S3.upos, which it does not have"),
        (pp.Templates(()), "must be Templates, at least one"),
        ("S0.upos", "must be Templates, at least one"),
    ],
)
def test_templates_that_a_parser_cannot_be_restricted_to(templates, message):
    with pytest.raises(SpecError, match=message):
        PARSER.restricted_to(templates)


def test_only_one_perceptron_can_be_restricted():
    spec = replace(SPEC, beam=1)
    with pytest.raises(SpecError, match=r"got <Parser .*classifier perceptron"):
        pp.train(spec, TRAIN, classifier=Perceptron(), epochs=1).restricted_to(REST)
    with pytest.raises(SpecError, match=r"got <Parser .*a vote of 2"):
        pp.make_voting_parser([PARSER, pp.train(SPEC, TRAIN, epochs=1, seed=2)]).restricted_to(REST)


def test_vectors_are_dropped_likewise(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text(VECTORS, encoding="utf-8")
    vectors = pp.read_vectors(path)
    both = REST + pp.Templates.parse("S0.vector\nB0.vector")
    parser = pp.train(replace(SPEC, templates=both), TRAIN, vectors=vectors, epochs=2)
    one = parser.restricted_to(REST + pp.Templates.parse("B0.vector"))
    half = len(parser.layers[0].vectors.actions) // 2
    assert parser.layers[0].vectors.actions[:half].any()
    assert not one.layers[0].vectors.actions[:half].any()
    assert one.layers[0].vectors.actions[half:].tolist() == parser.layers[0].vectors.actions[half:].tolist()
    assert len(one.predict(DEV)[0]) == DEV.words
    more = pp.train(replace(SPEC, templates=both + LEXICAL), TRAIN, init=one, epochs=1, listeners=[SkipAll()])
    assert found(more) == found(one)
    with pytest.raises(SpecError, match="templates of vectors"):
        pp.train(replace(SPEC, templates=SPEC.templates + both), TRAIN, init=PARSER, vectors=vectors)
