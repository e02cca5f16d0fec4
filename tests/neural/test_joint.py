"""Networks inside of Joint: an action and what comes with it by one score."""

from __future__ import annotations

import pytest

import panparser as pp
from learners import short_sentences
from nets import ALONE, REMEMBERING, TINY
from panparser.storage.containers import encode

pytest.importorskip("torch")
TRAIN = short_sentences(10, 9)
SPEC = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=2, templates=pp.Templates.parse("S0.form"))
NETWORKS = {"arcs": TINY, "memory": REMEMBERING}


def learn(network, of):
    classifier = pp.batches.JointClassifier(pp.networks.NetworkClassifier(network), outputs=of)
    return pp.train(SPEC, TRAIN, classifier=classifier, epochs=2, threads=1)


@pytest.mark.parametrize("of", ["label", "tag", ("label", "tag")])
@pytest.mark.parametrize("network", NETWORKS)
def test_a_network_learns_joint_actions(network, of, tmp_path):
    chosen = NETWORKS[network].without("upos", "xpos", "feats", "lemma") if "tag" in of else NETWORKS[network]
    parser = learn(chosen, of)
    parser.save(tmp_path / "joint")
    parsed = pp.load(tmp_path / "joint").parse(TRAIN)
    assert parsed.to_bytes() == parser.parse(TRAIN).to_bytes()
    assert (parsed.heads >= 0).all()
    arrays, manifest = parser.to_arrays(), parser.manifest()
    manifest["labels"].pop()
    (tmp_path / "bad").write_bytes(encode(arrays, manifest))
    with pytest.raises(pp.ModelError, match=r"its joint scores \d+ actions and \d+ labels; the parser has \d+ and \d+"):
        pp.load(tmp_path / "bad")


def test_labels_are_not_seen_where_they_are_parts_of_actions():
    with pytest.raises(pp.SpecError, match="the network must not have label inputs"):
        learn(ALONE, "label")
