"""Networks that learn from others, and networks that have little time."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences
from nets import TINY

pytest.importorskip("torch")
TRAIN = short_sentences(20, 9)
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=1)
NETWORK = TINY.joint("upos")


def network(**learning):
    return replace(NETWORK, training=replace(NETWORK.training, **learning))


def learn(chosen, treebank=TRAIN, teachers=(), epochs=2, **options):
    classifier = pp.networks.NetworkClassifier(chosen, teachers)
    return pp.train(SPEC, treebank, classifier=classifier, epochs=epochs, threads=1, **options)


@pytest.fixture(scope="module")
def teacher():
    return learn(network(learning_rate=0.02, warmup_updates=1, weight_averaging=0.9), epochs=30)


def upos(parser, treebank):
    return [parser.parse(treebank)[number].values("upos") for number in range(len(treebank))]


def right(found, expected):
    pairs = [pair for ours, theirs in zip(found, expected, strict=True) for pair in zip(ours, theirs, strict=True)]
    return sum(ours == theirs for ours, theirs in pairs) / len(pairs)


@pytest.mark.unmeasured
def test_advice_replaces_what_the_treebank_says(teacher):
    """All tags are shuffled: what is learned of them comes from teachers alone."""
    expected = upos(teacher, TRAIN)
    wrong = TRAIN.copy()
    wrong.column("upos")[:] = np.random.default_rng(1).permutation(wrong.column("upos"))
    pupils = {
        advice: learn(
            network(distillation_weight=advice, learning_rate=0.02, warmup_updates=1, weight_averaging=0.9),
            wrong,
            [teacher, teacher],
            epochs=20,
        )
        for advice in (0.0, 1.0)
    }
    agreement = {advice: right(upos(pupil, TRAIN), expected) for advice, pupil in pupils.items()}
    assert agreement[1.0] > 0.9
    assert agreement[0.0] < agreement[1.0] - 0.2


def test_no_share_no_influence(teacher):
    alone, taught = learn(NETWORK), learn(network(distillation_weight=0.0), teachers=[teacher])
    arrays = taught.to_arrays()
    assert all(np.allclose(array, arrays[name], atol=1e-6) for name, array in alone.to_arrays().items())
    other = learn(network(distillation_weight=0.5), teachers=[teacher]).to_arrays()
    assert not all(np.allclose(array, other[name], atol=1e-6) for name, array in alone.to_arrays().items())


def test_heads_and_labels_are_advised_on(teacher):
    """Without tags, too, advice changes what is learned."""
    plain = replace(TINY, training=replace(TINY.training, distillation_weight=1.0))
    first = learn(plain, epochs=1)
    second = learn(plain, teachers=[first], epochs=1)
    assert any(
        not np.allclose(array, second.to_arrays()[name], atol=1e-6)
        for name, array in first.to_arrays().items()
        if name.startswith("classifier.arcs")
    )


def test_teachers_must_know_the_same(teacher):
    with pytest.raises(pp.SpecError, match="NetworkClassifier: teachers must be parsers with networks"):
        pp.networks.NetworkClassifier(NETWORK, [pp.train(SPEC, TRAIN, epochs=1)])
    with pytest.raises(pp.SpecError, match="a teacher must predict lemma, with the classes of the treebank"):
        learn(TINY.joint("upos", "lemma"), teachers=[teacher])
    with pytest.raises(pp.SpecError, match=r"a teacher must know the \d+ actions and \d+ labels; got"):
        learn(NETWORK, short_sentences(3, 5), teachers=[teacher])
    with pytest.raises(pp.SpecError, match="NetworkTraining: distillation_weight must be a number in"):
        pp.NetworkTraining(distillation_weight=2)


def test_checkpoints_know_the_teachers(teacher, tmp_path):
    learn(NETWORK, teachers=[teacher], checkpoint=tmp_path / "state")
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        learn(NETWORK, checkpoint=tmp_path / "state", resume=True)


def test_pipelines_learn_from_teachers(teacher):
    spec = pp.PipelineSpec(parts=("tagger", "parser"), parser=SPEC)
    classifiers = [pp.networks.NetworkClassifier(NETWORK, teachers) for teachers in ((), (teacher,))]
    alone, taught = (pp.train_pipeline(spec, TRAIN, classifier=one, epochs=1, threads=1) for one in classifiers)
    assert any(not np.array_equal(array, taught.to_arrays()[name]) for name, array in alone.to_arrays().items())


def test_training_ends_in_time():
    start = time.monotonic()
    parser = learn(network(max_seconds=0.5, updates=100_000), epochs=10_000, dev=TRAIN)
    assert time.monotonic() - start < 30
    assert len(parser.training.history) < 10_000
    assert parser.training.history[-1].las is not None  # the last is scored, even if its turn has not come
    with pytest.raises(pp.SpecError, match="NetworkTraining: max_seconds must be a number >= 0"):
        pp.NetworkTraining(max_seconds=-1)
