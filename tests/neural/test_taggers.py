"""Taggers and lemmatizers that are networks."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import panparser as pp
from nets import TINY, VECTORS
from panparser.networks.network import NetworkInput
from places import ENGLISH

pytest.importorskip("torch")
TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:60], TREEBANK[60:80]
COLUMNS = ("upos", "xpos", "feats", "lemma")
NETWORK = TINY.as_tagger(*COLUMNS)


def learn(network=NETWORK, treebank=TRAIN, epochs=2, **options):
    return pp.train_tagger(network, treebank, epochs=epochs, threads=1, **options)


@pytest.fixture(scope="module")
def tagger():
    return learn(dev=DEV, epochs=12)


def test_it_learns_from_words_alone(tagger):
    assert tagger.columns == COLUMNS
    assert tagger.classifier.network.columns == ("form", "characters")
    scores = tagger.accuracy(DEV)
    assert list(scores) == [*COLUMNS, "all"]
    assert scores["upos"] > 30
    assert min(scores.values()) == scores["all"]
    assert scores["all"] == pytest.approx(tagger.training.best.accuracy)
    found = tagger.tag(DEV)
    assert (found.heads == DEV.heads).all()
    blank = DEV.copy()
    for name in COLUMNS:
        blank.column(name)[:] = 0
    assert tagger.tag(blank).to_bytes() == found.to_bytes()
    assert tagger.tag(TREEBANK, threads=2).to_bytes() == tagger.tag(TREEBANK).to_bytes()


def test_accuracy_is_of_what_is_known(tagger):
    some = DEV.copy()
    some.column("xpos")[:] = 0
    scores = tagger.accuracy(some)
    assert scores["xpos"] == 0
    assert scores["upos"] == tagger.accuracy(DEV)["upos"]
    assert scores["all"] >= tagger.accuracy(DEV)["all"]


def test_the_same_seed_gives_the_same_bytes():
    first = learn()
    assert (
        learn().to_arrays()["classifier.tags.upos.weight"].tobytes()
        == first.to_arrays()["classifier.tags.upos.weight"].tobytes()
    )
    other = learn(seed=2).to_arrays()["classifier.tags.upos.weight"]
    assert other.tobytes() != first.to_arrays()["classifier.tags.upos.weight"].tobytes()


def test_files(tagger, tmp_path):
    tagger.save(tmp_path / "tagger")
    for loaded in (pp.load(tmp_path / "tagger"), pp.tagging.NetworkTagger.load(tmp_path / "tagger")):
        assert loaded.tag(DEV).to_bytes() == tagger.tag(DEV).to_bytes()
        assert loaded.training == tagger.training
    with pytest.raises(pp.ModelError, match="of kind 'tagger', found 'network-tagger'"):
        pp.Tagger.load(tmp_path / "tagger")
    content = bytearray((tmp_path / "tagger").read_bytes())
    (tmp_path / "cut").write_bytes(content[: len(content) // 2])
    with pytest.raises(pp.ModelError):
        pp.load(tmp_path / "cut")


def test_in_a_pipeline_without_torch(tagger, tmp_path):
    nlp = pp.Pipeline(tokenizer=pp.train_tokenizer(TRAIN, epochs=1), taggers=[tagger])
    assert nlp.columns == COLUMNS
    nlp.save(tmp_path / "model")
    text = "They ate the pizza. He saw it."
    code = (
        "import sys, panparser as pp; nlp = pp.load(sys.argv[1]); sys.stdout.write(nlp(sys.argv[2]).to_bytes()"
        ".decode()); assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model"), text]
    assert subprocess.run(command, check=True, capture_output=True).stdout == nlp(text).to_bytes()


def test_commands_take_it(tagger, tmp_path, run):
    tagger.save(tmp_path / "tagger")
    code, out, err = run("info", str(tmp_path / "tagger"))
    assert (code, err) == (0, "")
    assert "upos+xpos+feats+lemma" in out
    assert "BiLSTM, 1 layer of 2 x 12" in out
    pp.write_conllu(tmp_path / "dev.conllu", DEV)
    code, out, err = run("parse", "-m", str(tmp_path / "tagger"), "--stop-after", "tags", str(tmp_path / "dev.conllu"))
    assert (code, err) == (0, "")
    assert out == tagger.tag(DEV).to_bytes().decode()


def test_listeners_skip_sentences(tagger):
    class Skipping(pp.Listener):
        def before_sentence(self, epoch, sentence):
            return pp.SKIP if sentence else None

    assert learn(listeners=[Skipping()], epochs=1).training.history[-1].words == len(TRAIN[0])

    class Replacing(pp.Listener):
        def before_sentence(self, epoch, sentence):
            return pp.Replacement(sentence=DEV[0])

    with pytest.raises(pp.SpecError, match="skip sentences, but not replace them"):
        learn(listeners=[Replacing()], epochs=1)


def test_vectors_become_part_of_it(tmp_path):
    network = replace(NETWORK, inputs=(NetworkInput(column="vector", size=4), *NETWORK.inputs))
    found = learn(network, vectors=VECTORS, epochs=1)
    found.save(tmp_path / "tagger")
    loaded = pp.load(tmp_path / "tagger")
    assert loaded.vectors == VECTORS
    assert loaded.tag(DEV).to_bytes() == found.tag(DEV).to_bytes()


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        (TINY, {}, r"train_tagger: network must only predict tags, as network.as_tagger\('upos'\)"),
        (NETWORK, {"members": 4}, "train_tagger with a network has no option members"),
        (NETWORK, {"classifier": pp.Perceptron()}, "train_tagger takes a network or a classifier; got both"),
        (NETWORK, {"vectors": VECTORS}, "train_tagger: vectors are given, but no input is a vector"),
        (pp.TaggerSpec(), {"vectors": VECTORS}, "train_tagger: vectors require a network"),
        ("bilstm", {}, "train_tagger: spec must be a TaggerSpec, or a NetworkSpec that only predicts tags"),
    ],
)
def test_what_does_not_go_together(network, options, message):
    with pytest.raises(pp.SpecError, match=message):
        learn(network, **options)


def test_nothing_to_learn_from():
    blank = TRAIN.copy()
    blank.column("upos")[:] = 0
    with pytest.raises(pp.TreebankError, match="expected words with UPOS to learn from, found none"):
        learn(TINY.as_tagger("upos"), blank)
