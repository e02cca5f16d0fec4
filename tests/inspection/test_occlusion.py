"""What inputs of a network contribute: what the slow network loses without them, in the tables of any explanation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS, situation
from panparser.inspection.contributions import REST
from panparser.inspection.derivations import Derivations
from panparser.inspection.explaining import Explanation
from panparser.parsing.parser import classifier_model
from reference.networks import ReferenceNetwork, random_network_parser

SENTENCE = max(TREEBANK, key=len)
SOME = ("words alone", "labels and history", "all of it", "tags of the first layer", "one position")


def made(kind, beam=1, system="arc-eager") -> pp.Parser:
    return of_network(KINDS[kind], beam, system)


def of_network(network, beam=1, system="arc-eager", change=lambda arrays: None) -> pp.Parser:
    spec = pp.ParserSpec(system=pp.system(system), beam=beam)
    vectors = VECTORS if "vector" in network.columns else None
    parser = random_network_parser(spec, network, TREEBANK[:5], vectors=vectors)
    arrays = {name: np.array(array) for name, array in parser.classifier.to_arrays().items()}
    change(arrays)
    classifier = pp.networks.NetworkClassifier.from_arrays(arrays, parser.classifier.to_values())
    return replace(parser, model=classifier_model(spec, parser.labels, classifier, vectors))


def open_steps(found: Explanation) -> list[int]:
    """Steps that had several choices."""
    return [step for step in range(1, len(found) + 1) if len(found.legal(step)) > 1]


def slow_network(parser) -> ReferenceNetwork:
    values, arrays = parser.classifier.to_values(), parser.classifier.to_arrays()
    return ReferenceNetwork(parser.classifier.network, values["vocabulary"], arrays, parser.vectors)


@pytest.mark.parametrize("kind", SOME)
@pytest.mark.parametrize("which", [1, 4])
def test_contributions_are_what_the_slow_network_loses(kind, which):
    parser = made(kind)
    found, slow = Explanation.from_sentence(parser, SENTENCE), slow_network(parser)
    step = open_steps(found)[which]
    actions, labels = found.actions(step), found.labels(step)
    states = parser.model.states(found.derivations.treebank)
    states.start()
    for action, label in list(zip(found.derivations.actions, found.derivations.labels, strict=True))[: step - 1]:
        states.apply(np.array([action], dtype=np.int32), np.array([label], dtype=np.int32))
    network = parser.classifier.network
    seen = situation(network, states, 0)
    legal = np.flatnonzero(states.legal()[0]).astype(np.int32)
    heads, dependents = states.arcs(np.zeros(len(legal), dtype=np.int32), legal)
    arcs = {
        int(action): (int(head), int(word)) if head >= 0 and word > 0 else None
        for action, head, word in zip(legal, heads, dependents, strict=True)
    }
    chosen = int(found.derivations.actions[step - 1])

    def scores(hidden=None, situation=seen):
        slow.hidden_inputs = {hidden} if hidden else set()
        encoded = slow.encode(found.sentence)
        label_confidence = slow.labels(encoded, situation, chosen, *arcs[chosen]) if arcs[chosen] else None
        return list(slow.actions(encoded, situation, arcs).values()), label_confidence

    whole, whole_labels = scores()
    assert actions.scores == pytest.approx(np.array(whole), abs=1e-4)
    assert actions.features[-1] == REST
    assert (labels is None) == (arcs[chosen] is None)
    for row, name in enumerate(actions.features[:-1]):
        without = scores(*changed(network, seen, name))
        assert actions.weights[row] == pytest.approx(np.array(whole) - without[0], abs=2e-4), name
        if labels is not None:
            allowed = [parser.labels.names.index(label) for label in labels.columns]
            difference = np.array(whole_labels)[allowed] - np.array(without[1])[allowed]
            assert labels.weights[row] == pytest.approx(difference, abs=2e-4), name


def changed(network, seen, name):
    """What is hidden of the words, and the rest of what is seen of the state."""
    address, _, attribute = name.partition("=")[0].rpartition(".")
    if name.startswith("history"):
        ago = int(name[8])
        return None, replace(seen, history=[None if i == ago else one for i, one in enumerate(seen.history)])
    if attribute == "label":
        place = network.label_inputs.index(address)
        return None, replace(seen, labels=[None if i == place else one for i, one in enumerate(seen.labels)])
    return (seen.words[network.positions.index(address)], attribute), seen


@pytest.mark.parametrize("kind", SOME)
def test_all_steps_at_once_are_those_one_by_one(kind):
    found = Explanation.from_sentence(made(kind), SENTENCE)
    together = list(found.all_actions())
    assert len(together) == len(found)
    for step, actions in enumerate(together, start=1):
        alone, labels = found.actions(step), found.labels(step)
        assert (actions.features, actions.columns, actions.chosen) == (alone.features, alone.columns, alone.chosen)
        assert actions.weights == pytest.approx(alone.weights, abs=1e-5)
        scores = found.label_scores(step)
        assert list(scores) == list(labels.columns if labels else ())
        assert list(scores.values()) == pytest.approx(list(labels.scores) if labels else [], abs=1e-4)


def test_an_input_without_weights_contributes_nothing():
    def cut(arrays):
        arrays["embeddings.xpos.weight"][:] = 0
        arrays["positions.weight"][:, :8] = 0  # of S1

    network = replace(KINDS["words alone"], inputs=tuple(pp.NetworkInput(column=c, size=4) for c in ("form", "xpos")))
    found = Explanation.from_sentence(of_network(network, change=cut), SENTENCE)
    seen = set()
    for step in range(1, len(found) + 1):
        actions = found.actions(step)
        for row, name in enumerate(actions.features):
            if ".xpos=" in name or name.startswith("S1."):
                assert (actions.weights[row] == 0).all()
            elif name != REST and len(actions.columns) > 1:
                seen.add(name)
                assert (actions.weights[row] != 0).any()
    assert len(seen) > 5


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("kind", SOME)
def test_derivations_are_those_of_parsing(kind, beam):
    parser = made(kind, beam, "arc-hybrid")
    derivations = Derivations.from_treebank(parser, TREEBANK)
    parsed = parser.parse(TREEBANK)
    for number, sentence in enumerate(parsed):
        end = derivations.replay(number)
        assert sentence.heads.tolist() == [int(head) for head in end.state.heads[1:]]
        labels = {arc.dependent: arc.label for arc in end.arcs}
        assert [token.label for token in sentence] == [labels[word + 1] for word in range(len(sentence))]


def test_tables_are_those_of_any_explanation():
    pytest.importorskip("pandas")
    parser = made("all of it")
    frame = pp.inspection.explain(parser, SENTENCE)
    assert list(frame.columns) == "step stack buffer action label score lead cost correct".split()
    assert (frame["score"] <= 0).all()
    assert (frame["lead"].dropna() >= 0).all()  # it was greedy
    at = int(frame["lead"].notna().to_numpy().nonzero()[0][2])
    step = pp.inspection.explain(parser, SENTENCE, at + 1)
    assert list(step.columns) == ["of", "class", "feature", "contribution"]
    taken = step[(step["of"] == "action") & (step["class"] == frame["action"][at])]
    assert taken["contribution"].sum() == pytest.approx(frame["score"][at])
    assert taken["contribution"].abs().is_monotonic_decreasing
    found = Explanation.from_sentence(parser, SENTENCE).actions(at + 1)
    other = found.columns[found.ranking[1]]
    against = pp.inspection.explain(parser, SENTENCE, at + 1, compare_with=other)
    assert list(against.columns) == ["feature", frame["action"][at], other, "difference"]
    assert against["difference"].sum() == pytest.approx(frame["lead"][at])


def test_the_command(run, tmp_path):
    parser = made("all of it")
    parser.save(tmp_path / "m.panparser")
    pp.write_conllu(tmp_path / "some.conllu", TREEBANK)
    given = ("explain", "-m", tmp_path / "m.panparser", tmp_path / "some.conllu", "--sentence", SENTENCE.position + 1)
    code, out, _ = run(*given)
    steps = Explanation.from_sentence(parser, SENTENCE)
    assert (code, len(out.splitlines())) == (0, len(steps) + 1)
    step = open_steps(steps)[4]
    code, out, _ = run(*given, "--step", step, "--limit", 3)
    assert code == 0
    assert "<- chosen" in out
    assert "more)" in out
    code, out, _ = run(*given, "--step", step, "--csv")
    assert out.splitlines()[0] == "of,class,feature,contribution"
    assert "history[0]=" in out
    assert REST in out


def test_what_cannot_be_looked_into():
    parser = made("words alone")
    with pytest.raises(pp.SpecError, match="this parser has the classifier vote"):
        pp.inspection.explain(pp.make_voting_parser([parser, parser]), SENTENCE)


def test_errors_are_traced():
    analysis = pytest.importorskip("panparser.lab.analysis")
    parser = made("all of it", system="arc-hybrid")
    summary = analysis.propagation(parser, TREEBANK).summary()
    wrong = int((parser.parse(TREEBANK).heads != TREEBANK.heads).sum())
    assert summary["wrong words"] == wrong > 10
