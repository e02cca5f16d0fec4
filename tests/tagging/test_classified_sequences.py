"""Sequences and taggers with any classifier."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences
from linear import Linear

TRAIN = short_sentences(25, 9)
WINDOW = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.a\nW-1.a W0.a\nT-1 W0.a\nW1.a"), columns=("a",))


def sequences(count=20, seed=0):
    """The class of an item is its number plus that of the item before, modulo 3."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, count)
    values = rng.integers(0, 3, int(lengths.sum())).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    before = np.concatenate([[0], values[:-1]])
    before[offsets[:-1]] = 0
    return pp.tagging.SequenceItems(offsets, {"a": values}), ((values + before) % 3).astype(np.int32)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("classifier", [pp.Perceptron(), Linear()], ids=["perceptron", "linear"])
def test_sequences_are_learned(classifier, beam):
    items, right = sequences()
    model = pp.tagging.train_sequence_model(
        WINDOW, items, right, 3, beam=beam, dev=(items, right), classifier=classifier, epochs=6
    )
    assert (model.predict(items) == right).mean() > 0.9
    assert model.training.history[-1].accuracy > 90
    classes, _ = model.best(items, 0, 1)[0]
    assert list(classes) == model.predict(items).tolist()[: len(classes)]
    assert len(model.best(items, 0, 3, beam=0)) == min(3, 3 ** len(classes))
    with pytest.raises(pp.SpecError, match=r"members requires the engine.s perceptron"):
        pp.tagging.train_sequence_model(WINDOW, items, right, 3, classifier=classifier, members=3)


def test_a_perceptron_in_python_makes_the_updates_of_the_engine():
    items, right = sequences(12, 3)

    class Recorder(pp.Listener):
        def __init__(self):
            self.updates = []

        def after_update(self, update):
            self.updates.append((update.sentence, update.positive, update.negative))

    recorders = Recorder(), Recorder()
    for recorder, more in zip(recorders, ({"members": 1}, {"classifier": pp.Perceptron()}), strict=True):
        pp.tagging.train_sequence_model(WINDOW, items, right, 3, beam=2, epochs=3, listeners=[recorder], **more)
    assert recorders[0].updates == recorders[1].updates
    assert len(recorders[0].updates) > 3


def test_a_tagger_with_a_classifier(tmp_path):
    spec = pp.TaggerSpec(columns=("upos",))
    tagger = pp.train_tagger(spec, TRAIN, dev=TRAIN, classifier=pp.Perceptron(), epochs=3)
    tagged = TRAIN.copy()
    tagged.column("upos")[:] = tagged.id_of("upos", "_")
    tagger.annotate(tagged)
    assert pp.evaluate(TRAIN, tagged, bootstrap_samples=0).scores["UPOS"].f1 > 90
    tagger.save(tmp_path / "tagger")
    again = TRAIN.copy()
    pp.load(tmp_path / "tagger").annotate(again)
    assert again.to_bytes() == tagged.to_bytes()


def test_a_tagger_with_a_class_that_is_not_registered(tmp_path, run):
    tagger = pp.train_tagger(pp.TaggerSpec(), TRAIN, classifier=Linear(), epochs=1)
    tagger.save(tmp_path / "tagger")
    with pytest.raises(pp.ModelError, match="needs the classifier 'linear'"):
        pp.load(tmp_path / "tagger")
    loaded = pp.load(tmp_path / "tagger", classifier=Linear)
    assert loaded.tag(TRAIN).to_bytes() == tagger.tag(TRAIN).to_bytes()
    assert run("info", tmp_path / "tagger")[0] == 0


def test_what_taggers_with_a_classifier_refuse():
    items, right = sequences(4)
    with pytest.raises(pp.SpecError, match=r"prune_threshold requires the engine.s perceptron"):
        pp.tagging.train_sequence_model(WINDOW, items, right, 3, classifier=pp.Perceptron(), prune_threshold=1)

    class Wrong(pp.Listener):
        def before_sentence(self, epoch, sentence):
            return pp.Replacement(gold=7)

    with pytest.raises(pp.SpecError, match="the right classes must be"):
        pp.tagging.train_sequence_model(WINDOW, items, right, 3, classifier=pp.Perceptron(), listeners=[Wrong()])


@pytest.mark.parametrize("classifier", [None, pp.Perceptron()], ids=["engine", "classifier"])
def test_items_without_a_column_of_the_window_are_refused_before_training(classifier):
    items, right = sequences(4)
    bare = pp.tagging.SequenceItems(items.offsets)

    class Never(pp.Listener):
        def before_epoch(self, epoch):
            raise AssertionError("training began")

    options = {"classifier": classifier, "listeners": [Never()]}
    for chosen, dev in ((bare, None), (items, (bare, right))):
        with pytest.raises(pp.SpecError, match="not a column of the items"):
            pp.tagging.train_sequence_model(WINDOW, chosen, right, 3, dev=dev, **options)
