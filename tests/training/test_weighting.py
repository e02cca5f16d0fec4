"""Weights of treebanks: an epoch learns from sentences as often as they say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from linear import Linear
from panparser.batches.python_perceptron import Perceptron
from panparser.errors import SpecError, TreebankError
from panparser.training.corpus import TreebankWeights, pooled
from trainings import SPEC, TRAIN, Diary, weights

FIRST, SECOND = TRAIN[:12], TRAIN[12:]


def seen(parts, numbers, **options):
    """How often each sentence is learned from, in each epoch."""
    diary = Diary()
    pp.train(SPEC, parts, treebank_weights=numbers, listeners=[diary], members=1, **options)
    starts = [place for place, (event, _) in enumerate(diary.lines) if event == "before epoch"]
    epochs = [diary.lines[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
    return [Counter(sentence for event, sentence in lines if event == "after sentence") for lines in epochs]


@pytest.mark.parametrize(
    ("numbers", "repeated"), [((1, 3), [FIRST, SECOND, SECOND, SECOND]), ((2, 1), [FIRST, SECOND, FIRST])]
)
def test_a_whole_weight_is_the_same_as_repetition(numbers, repeated):
    weighted = pp.train(SPEC, [FIRST, SECOND], treebank_weights=numbers, epochs=2)
    assert weights(weighted) == weights(pp.train(SPEC, repeated, epochs=2))
    assert weights(weighted) != weights(pp.train(SPEC, [FIRST, SECOND], epochs=2))


def test_members_are_as_many_as_if_sentences_were_repeated():
    factor = 10_000 / TRAIN.words
    assert pp.train(SPEC, TRAIN, treebank_weights=[factor * 0.99], epochs=1).training.members == 4
    assert pp.train(SPEC, TRAIN, treebank_weights=[factor * 1.01], epochs=1).training.members == 2


def test_epochs_learn_from_each_sentence_as_often_as_its_weight():
    for epoch in seen([FIRST, SECOND], [1, 4], epochs=2):
        assert epoch == Counter({number: 1 if number < len(FIRST) else 4 for number in range(len(TRAIN))})


def test_a_fraction_is_drawn_anew_in_each_epoch():
    epochs = seen([FIRST, SECOND], [0.5, 2.25], epochs=8, patience=None)
    assert len({tuple(sorted(epoch.items())) for epoch in epochs}) > 1
    assert all(
        epoch[number] in (0, 1) if number < len(FIRST) else epoch[number] in (2, 3)
        for epoch in epochs
        for number in range(len(TRAIN))
    )
    assert seen([FIRST, SECOND], [0.5, 2.25], epochs=2) == epochs[:2]


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 20), st.floats(0.01, 6)), min_size=1, max_size=4), st.integers(0, 99))
def test_times_are_the_whole_numbers_around_the_weight(parts, seed):
    sizes, numbers = zip(*parts, strict=True)
    given_weights = TreebankWeights(sizes, numbers)
    used = np.random.default_rng(seed).random(sum(sizes)) < 0.8
    chosen = given_weights.sample(used, np.random.default_rng(seed))
    times = np.bincount(chosen, minlength=sum(sizes))
    expected = given_weights.per_sentence()
    assert (times[~used] == 0).all()
    assert (np.abs(times - expected)[used] < 1).all()
    assert len(chosen) == 0 or times.max() <= given_weights.maximum


def test_half_of_the_sentences_come_on_average():
    counts = [
        len(TreebankWeights((1000,), (1.5,)).sample(np.full(1000, True), np.random.default_rng(seed)))
        for seed in range(20)
    ]
    assert abs(np.mean(counts) - 1500) < 20


@pytest.mark.parametrize("classifier", [Perceptron(), Linear()])
def test_classifiers_learn_from_repeated_sentences(classifier):
    spec = pp.ParserSpec(templates=SPEC.templates, beam=1)
    parser = pp.train(spec, [FIRST, SECOND], treebank_weights=[1, 5], classifier=classifier, epochs=2)
    words = FIRST.words + 5 * SECOND.words
    assert [report.words for report in parser.training.history] == [words, 2 * words]
    assert parser.training.treebank_weights == [{"sentences": 12, "weight": 1.0}, {"sentences": 8, "weight": 5.0}]


def test_the_record_has_weights_only_if_they_matter(tmp_path):
    parser = pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 2.5], epochs=1)
    parser.save(tmp_path / "a.panparser")
    loaded = pp.load(tmp_path / "a.panparser")
    assert loaded.training.treebank_weights == [{"sentences": 12, "weight": 1.0}, {"sentences": 8, "weight": 2.5}]
    assert loaded.training.sentences == len(TRAIN)
    plain = pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 1], epochs=1)
    assert "treebank_weights" not in plain.training
    assert weights(plain) == weights(pp.train(SPEC, TRAIN, epochs=1))


def test_a_checkpoint_belongs_to_its_weights(tmp_path):
    checkpoint = tmp_path / "checkpoint"
    pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 2], epochs=1, checkpoint=checkpoint)
    with pytest.raises(SpecError, match="belongs to another run"):
        pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 3], epochs=2, checkpoint=checkpoint, resume=True)
    resumed = pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 2], epochs=2, checkpoint=checkpoint, resume=True)
    assert weights(resumed) == weights(pp.train(SPEC, [FIRST, SECOND], treebank_weights=[1, 2], epochs=2))


@pytest.mark.parametrize(
    "numbers", [[1], [1, 2, 3], 3, [1, 0], [1, -1], [1, float("nan")], [1, 10_001], [1, "2"], [1, True]]
)
def test_weights_that_are_none(numbers):
    with pytest.raises(SpecError, match="train: treebank_weights must be"):
        pooled([FIRST, SECOND], numbers)


@pytest.mark.parametrize("treebank", [[], "train.conllu", [FIRST, "x"], 3])
def test_what_is_no_treebank(treebank):
    with pytest.raises(TreebankError, match="train: treebank must be a Treebank, or a list of them"):
        pp.train(SPEC, treebank)
