"""Runs of training: defaults, seeds, checkpoints, what listeners do, and what networks learn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences, without_heads
from nets import ALONE, REMEMBERING, TINY, VECTORS
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, STATIC
from panparser.networks.network import NetworkInput
from panparser.training.batch_parser_run import ClassifierRun

pytest.importorskip("torch")
TRAIN, DEV = short_sentences(14, 9), short_sentences(8, 6)
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid", root="last", single_root=True), beam=1)
KNOWN = {"TINY": TINY, "ALONE": ALONE, "REMEMBERING": REMEMBERING}


def learn(treebank=TRAIN, spec=SPEC, network=TINY, epochs=2, **options):
    options = {"dev": DEV, "threads": 1, **options}
    return pp.train(spec, treebank, network=network, epochs=epochs, **options)


def same(first, second) -> bool:
    one, other = first.to_arrays(), second.to_arrays()
    return one.keys() == other.keys() and all(one[name].tobytes() == other[name].tobytes() for name in one)


@pytest.fixture(scope="module")
def parser():
    return learn()


# --- Defaults ---


def test_a_network_is_short_for_its_classifier(parser):
    found = pp.train(
        SPEC, TRAIN, dev=DEV, classifier=pp.networks.NetworkClassifier(TINY), epochs=2, threads=1, strategy=DYNAMIC
    )
    assert same(found, parser)
    for options, message in (
        ({"network": TINY, "classifier": pp.Perceptron()}, "train takes a network or a classifier; got both"),
        ({"network": "bilstm"}, "train: network must be a Network; got 'bilstm'; pp.BILSTM is one"),
        ({"network": TINY, "members": 2}, "train: members requires the engine's perceptron"),
        ({"network": TINY, "vectors": VECTORS}, "train: vectors are given, but no input of the network is a vector"),
    ):
        with pytest.raises(pp.SpecError, match=message):
            pp.train(SPEC, TRAIN, **options)


def test_what_is_not_said_takes_the_defaults_of_the_network():
    network = replace(ALONE, training=replace(ALONE.training, epochs=3, patience=1))
    record = pp.train(SPEC, TRAIN[:4], network=network, threads=1).training
    assert (record.epochs, record.patience, len(record.history)) == (3, 1, 3)
    assert record.strategy == DYNAMIC.to_values()
    for spec, expected in (
        (replace(SPEC, system=pp.system("swap-standard")), STATIC),
        (replace(SPEC, beam=2), MAX_VIOLATION),
    ):
        found = pp.train(spec, TRAIN[:2], network=network, epochs=1, threads=1).training
        assert found.strategy == expected.to_values()
        assert found.epochs == 1


def test_a_development_set_calibrates(parser):
    found = parser.confidence(DEV).head_confidence
    assert ((found >= 0) & (found <= 1)).all()
    assert learn(dev=None).calibration is None


# --- The same seed, the same model ---


def test_the_same_seed_gives_the_same_bytes(parser):
    assert same(learn(), parser)
    assert not same(learn(seed=2), parser)


def test_seeds_that_are_trained_at_once_are_those_trained_alone(parser):
    options = {"dev": DEV, "network": TINY, "epochs": 2}
    found = pp.lab.train_seeds(SPEC, TRAIN, [1, 2, 3], threads=3, **options)
    assert same(found[0], parser)
    assert same(found[1], learn(seed=2))


def test_folds_and_curves():
    treebank = TRAIN[:8]
    options = {"network": ALONE, "epochs": 1, "threads": 2}
    scores = pp.lab.cross_validate(SPEC, treebank, 2, **options)
    assert len(scores) == 2
    assert all(0 <= score.uas <= 100 for score in scores)
    assert len(pp.lab.learning_curve(SPEC, treebank, DEV, [4, 8], **options)) == 2


# --- Checkpoints ---


class Killed(BaseException):
    pass


class KillAfter(pp.Listener):
    def __init__(self, epoch):
        self.epoch = epoch

    def after_epoch(self, report):
        if report.epoch == self.epoch:
            raise Killed


@pytest.mark.parametrize("network", KNOWN)
@pytest.mark.parametrize("epoch", [1, 2])
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(network, epoch, tmp_path, monkeypatch):
    monkeypatch.setattr(ClassifierRun, "is_checkpoint_due", lambda self: True)
    options = {"network": KNOWN[network], "epochs": 3, "checkpoint": tmp_path / "checkpoint"}
    with pytest.raises(Killed):
        learn(listeners=[KillAfter(epoch)], **options)
    found = learn(resume=True, **options)
    whole = learn(**options | {"checkpoint": None})
    assert same(found, whole)
    assert found.training == whole.training


def test_a_checkpoint_is_of_its_own_network(tmp_path):
    checkpoint = tmp_path / "checkpoint"
    learn(checkpoint=checkpoint, epochs=1)
    for options in (
        {"network": replace(TINY, hidden=17)},
        {"network": replace(TINY, training=replace(TINY.training, learning_rate=0.02))},
        {"epochs": 2},  # by which the rate falls
    ):
        with pytest.raises(pp.SpecError, match="belongs to another run"):
            learn(checkpoint=checkpoint, resume=True, **{"epochs": 1} | options)
    content = bytearray(checkpoint.read_bytes())
    content[len(content) // 2 :] = content[len(content) // 2 : -8]
    checkpoint.write_bytes(content)
    with pytest.raises(pp.ModelError):
        learn(checkpoint=checkpoint, resume=True, epochs=1)


def test_ctrl_c_keeps_the_best_so_far(parser):
    class Interrupting(pp.Listener):
        def after_sentence(self, epoch, sentence):
            if epoch == 3:
                raise KeyboardInterrupt

    found = learn(epochs=4, listeners=[Interrupting()])
    assert found.training.interrupted
    assert [report.epoch for report in found.training.history] == [1, 2]
    assert (found.parse(DEV).heads >= 0).all()


# --- Going on from a parser ---


@pytest.mark.parametrize("name", KNOWN)
def test_a_warm_start_keeps_what_was_learned_and_adds_the_new(name, tmp_path):
    frozen = replace(KNOWN[name].training, learning_rate=1e-12)
    old = learn(TRAIN[:6], network=KNOWN[name])
    old.save(tmp_path / "old")
    more = pp.parse_conllu(TRAIN.to_bytes().decode().replace("\tnsubj\t", "\tnsubj:new\t"))
    network = replace(KNOWN[name], training=frozen)
    new = learn(more, network=network, init=pp.load(tmp_path / "old"), epochs=1)
    assert "nsubj:new" in new.label_names
    words = [each.classifier.to_values()["vocabulary"]["form"] for each in (old, new)]
    assert words[1][: len(words[0])] == words[0]
    assert len(words[1]) > len(words[0])
    arrays, known = new.classifier.to_arrays(), old.classifier.to_arrays()
    for key, array in known.items():
        own = arrays[key]
        if key.startswith("labels."):  # of each action
            rows = len(new.labels.names)
            own = own.reshape(-1, rows, *own.shape[1:])[:, : len(old.labels.names)].reshape(array.shape)
        np.testing.assert_allclose(own[tuple(map(slice, array.shape))], array, atol=1e-5)


def test_what_may_change_in_a_warm_start(parser):
    assert learn(network=None, init=parser, epochs=1).classifier.network == TINY
    half = replace(TINY, precision="float16")
    assert learn(network=half, init=parser, epochs=1).classifier.to_arrays()["actions.weight"].dtype == np.float16
    with pytest.raises(pp.SpecError, match="train: network must be that of init, except for learning and precision"):
        learn(network=replace(TINY, hidden=8), init=parser)
    perceptron = pp.train(SPEC, TRAIN[:2], epochs=1, members=1)
    with pytest.raises(pp.SpecError, match="train: init must be a parser with a classifier"):
        learn(init=perceptron)


# --- What it learns from ---


def test_partial_trees():
    half = without_heads(TRAIN, 0.5)
    assert (learn(half).parse(DEV).heads >= 0).all()
    with pytest.raises(pp.TreebankError):
        learn(without_heads(TRAIN, 1.1))


def test_what_is_not_annotated_is_not_learned():
    """Words without a head in one sentence: any other sentence with them, and the known heads, teach the same."""
    hidden = without_heads(TRAIN[:1], 0.4)
    other = hidden.copy()
    other.column("deprel")[other.heads < 0] = other.id_of("deprel", "dep")
    options = {"network": ALONE, "dev": None, "epochs": 1}
    one, two = learn(hidden, **options), learn(other, **options)
    assert one.labels.names == two.labels.names
    assert same(one, two)


def test_constraints():
    network = TINY.with_given_head()
    free, bound = learn(network=network), learn(network=network, constraints=0.5)
    assert not same(free, bound)
    given = pp.Constraints.from_treebank(DEV, keep={"heads"})
    heads, _ = bound.predict(DEV, constraints=given)
    assert (heads == DEV.heads).all()


def test_subsampled_annotation(parser):
    assert not same(learn(subsample=pp.Subsampling(share=0.5)), parser)
    assert learn(subsample=pp.Subsampling(share=0.5, criterion="accuracy"), epochs=2).training.subsample is not None


class Acting(pp.Listener):
    def __init__(self, **decisions):
        self.decisions, self.lines, self.updates = decisions, [], []

    def before_sentence(self, epoch, sentence):
        return self.decisions.get(f"sentence_{sentence}")

    def after_sentence(self, epoch, sentence):
        self.lines.append(sentence)

    def before_update(self, update):
        self.updates.append(update)

    def after_update(self, update):
        assert update == self.updates[-1] or update in self.updates


def test_listeners_hear_of_updates_and_change_nothing(parser):
    acting = Acting()
    assert same(learn(listeners=[acting]), parser)
    assert len(acting.lines) == 2 * len(TRAIN)
    assert len(acting.updates) == parser.training.history[-1].updates
    names = set(SPEC.system.names)
    for update in acting.updates:
        assert {*update.positive, *update.negative} <= names
        assert update.positive[: update.started] == update.negative[: update.started]
        assert update.negative_score >= update.positive_score


def test_listeners_skip_and_replace_sentences(parser):
    skipping = Acting(**{f"sentence_{number}": pp.SKIP for number in range(1, len(TRAIN))})
    assert learn(listeners=[skipping], epochs=1).training.history[-1].words == len(TRAIN[0])
    assert skipping.lines == [0]
    flat = pp.GoldTree([0, *[1] * (len(TRAIN[0]) - 1)], ["root", *["dep"] * (len(TRAIN[0]) - 1)])
    for instead in (pp.Replacement(gold=flat), pp.Replacement(sentence=DEV[0])):
        found = learn(listeners=[Acting(sentence_0=instead)])
        assert not same(found, parser)
        assert (found.parse(DEV).heads >= 0).all()


def test_vectors_become_part_of_the_parser(tmp_path):
    network = replace(TINY, inputs=(NetworkInput(column="vector", size=4), *TINY.inputs))
    parser = learn(network=network, vectors=VECTORS)
    parser.save(tmp_path / "model")
    loaded = pp.load(tmp_path / "model")
    assert loaded.vectors == VECTORS
    assert (loaded.parse(DEV).heads == parser.parse(DEV).heads).all()
    assert learn(network=network, init=loaded, epochs=1).vectors == VECTORS
    with pytest.raises(pp.SpecError, match="train: vectors are missing, and the network reads them"):
        learn(network=network)


def test_threads_share_sentences(parser):
    more = short_sentences(400, 12)
    one, two = parser.predict(more), parser.predict(more, threads=2)
    assert (one[0] == two[0]).all()
    assert (one[1] == two[1]).all()
