"""Classifiers in Python: they are saved, loaded, refused."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata

import numpy as np
import pytest

import panparser as pp
from covington import Covington
from learners import SMALL, short_sentences, treebank_of
from linear import EXPLORE, GREEDY, Linear
from panparser.batches.batch_learner import needed_method
from panparser.parsing.parser import classifier_model
from panparser.storage.containers import encode, read_arrays
from places import ENGLISH

SENTENCES = short_sentences(12, 9)

# --- Files ---


def test_a_model_file_needs_the_class(linear, english, tmp_path, run):
    path = tmp_path / "model"
    linear.save(path)
    parser = pp.load(path, classifier=Linear)
    assert parser.parse(english[1]).to_bytes() == linear.parse(english[1]).to_bytes()
    parser.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    with pytest.raises(pp.ModelError, match=r"model: needs the classifier 'linear', which no .*pp.load\(.*classifier="):
        pp.load(path)
    with pytest.raises(pp.ModelError, match="with the classifier 'dictionary', found one with 'linear'"):
        pp.load(path, classifier=type("Dictionary", (Linear,), {"name": "dictionary"}))
    code, _, err = run("parse", "-m", path, ENGLISH)
    assert code == 2
    assert "needs the classifier 'linear'" in err


def test_info_needs_no_class(linear, tmp_path, run):
    linear.save(tmp_path / "model")
    code, out, _ = run("info", tmp_path / "model")
    assert code == 0
    assert "classifier" in out
    assert "linear" in out
    values = json.loads(run("info", tmp_path / "model", "--json")[1])
    assert values["classifier"] == {"name": "linear", "values": {}}
    arrays = linear.classifier.to_arrays()
    assert values["weights_size"] == sum(array.nbytes for array in arrays.values())


def test_a_model_of_the_perceptron_has_no_classifier(parser, tmp_path):
    parser.save(tmp_path / "model")
    with pytest.raises(pp.ModelError, match="expected a model with the classifier 'linear', found the perceptron's"):
        pp.load(tmp_path / "model", classifier=Linear)


@pytest.mark.parametrize("wrong", [object, 3, "linear"])
def test_what_loads_a_model_is_a_class(linear, tmp_path, wrong):
    linear.save(tmp_path / "model")
    with pytest.raises(pp.SpecError, match="load: classifier must be a class with a name and from_arrays"):
        pp.load(tmp_path / "model", classifier=wrong)


@pytest.mark.parametrize("said", [{"classifier": {"name": 5, "values": {}}}, {"training": None}, {"training": 3}])
def test_odd_manifests_are_refused_by_commands(linear, tmp_path, run, said):
    linear.save(tmp_path / "model")
    arrays, manifest = read_arrays(tmp_path / "model", "model")
    (tmp_path / "odd").write_bytes(encode(arrays, manifest | said))
    code, _, err = run("info", tmp_path / "odd")
    assert code == 2
    assert re.search("odd: .*expected", " ".join(err.split()))


def test_a_broken_classifier_in_a_file(linear, tmp_path):
    class Other(Linear):
        def to_arrays(self):
            return {"actions": self.actions}

    other = Other.from_arrays(linear.classifier.to_arrays(), {})
    pp.Parser(model=classifier_model(linear.spec, linear.labels, other)).save(tmp_path / "model")
    with pytest.raises(pp.ModelError, match="not a valid parser"):
        pp.load(tmp_path / "model", classifier=Linear)


def test_every_kind_of_number_is_kept(linear, tmp_path):
    kinds = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64".split()

    class Kinds(Linear):
        def to_arrays(self):
            return {kind: np.ones((2, 3), dtype=kind) for kind in kinds}

        @classmethod
        def from_arrays(cls, arrays, values):
            assert {name: str(array.dtype) for name, array in arrays.items()} == {kind: kind for kind in kinds}
            assert all(array.shape == (2, 3) and array.all() for array in arrays.values())
            return cls()

    pp.Parser(model=classifier_model(linear.spec, linear.labels, Kinds())).save(tmp_path / "model")
    assert isinstance(pp.load(tmp_path / "model", classifier=Kinds).classifier, Kinds)


def test_what_a_file_cannot_hold(linear, tmp_path):
    class Texts(Linear):
        def to_arrays(self):
            return {"words": np.array(["a"])}

    class Objects(Linear):
        def to_values(self):
            return {"what": object()}

    for kind, message in ((Texts, "to_arrays of linear: expected arrays of"), (Objects, "linear: to_values must")):
        classifier = kind.from_arrays(linear.classifier.to_arrays(), {})
        with pytest.raises(pp.SpecError, match=message):
            pp.Parser(model=classifier_model(linear.spec, linear.labels, classifier)).save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


# --- What is refused ---


def without(*methods, **attributes):
    """A classifier that lacks some methods."""
    empty = {method: getattr(pp.Classifier, method) for method in methods}
    return type("Lacking", (Linear,), empty | attributes)()


REFUSED = [
    ({"classifier": Linear}, "must be a Classifier, not its class; got Linear"),
    ({"classifier": object()}, "classifier must have a method prepare; object has none"),
    ({"classifier": without("score")}, "classifier must have a method score; Lacking has none"),
    ({"classifier": without("from_arrays")}, "must have a method from_arrays"),
    ({"classifier": without("update", "update_pair")}, "a method update_pair, for this strategy"),
    (
        {"classifier": without("update_pair"), "strategy": pp.learning.MAX_VIOLATION},
        "a method update_pair, for this strategy",
    ),
    ({"classifier": without("update_labels")}, "a method update_labels, for labels .or train an unlabeled parser"),
    ({"classifier": without(name="")}, "Lacking: name must be a text; got ''"),
    ({"classifier": without(batch=0)}, "Lacking: batch must be an integer >= 1; got 0"),
    ({"members": 2}, "train: members requires the engine's perceptron"),
    ({"prune_threshold": 1.0}, "train: prune_threshold requires the engine's perceptron"),
    ({"max_model_bytes": 10**6}, "train: max_model_bytes requires the engine's perceptron"),
    ({"checkpoint": "x"}, "a method training_state, for checkpoints; Linear has none"),
    ({"init": 3}, "train: init must be a parser with a classifier; got 3"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_training_refuses(options, message):
    with pytest.raises(pp.SpecError, match=message):
        pp.train(GREEDY, SENTENCES, **({"classifier": Linear(), "strategy": EXPLORE} | options))


def test_a_classifier_without_labels_trains_an_unlabeled_parser():
    spec = pp.ParserSpec(system=GREEDY.system, templates=SMALL, beam=1, labeled=False)
    parser = pp.train(spec, SENTENCES, classifier=without("update_labels", "score_labels"), strategy=EXPLORE, epochs=1)
    assert parser.parse(SENTENCES)[0].heads.min() >= 0


def test_templates_with_vectors_need_vectors():
    spec = pp.ParserSpec(templates=pp.Templates.parse("S0.vector\nS0.form"), beam=1)
    with pytest.raises(pp.SpecError, match="train: vectors are missing"):
        pp.train(spec, SENTENCES, classifier=Linear(), strategy=EXPLORE)


def test_strategies_choose_how_a_classifier_learns():
    both, pairs = Linear(), without("update")
    for name in ("static", "dynamic", "dynamic-explore"):
        assert needed_method(pp.STRATEGIES[name], 1, both) == "update"
        assert needed_method(pp.STRATEGIES[name], 2, both) == "update_pair"
        assert needed_method(pp.STRATEGIES[name], 1, pairs) == "update_pair"
    assert needed_method(pp.learning.EARLY_UPDATE, 1, both) == "update_pair"


def test_threads_change_nothing(linear):
    assert linear.parse(SENTENCES, threads=2).to_bytes() == linear.parse(SENTENCES).to_bytes()
    assert linear.parse(SENTENCES, threads=3, beam=2).to_bytes() == linear.parse(SENTENCES, beam=2).to_bytes()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            lambda shape: np.zeros((1, 1)),
            r"score of linear must give an array of numbers of shape \(8, 3\); got",
        ),
        (lambda shape: np.full(shape, "a"), "got one of <U1"),
        (lambda shape: np.full(shape, np.nan), "score of linear must give finite numbers; got nan"),
        (lambda shape: None, "got one of object"),
    ],
)
def test_scores_that_are_none(scores, message):
    class Wrong(Linear):
        def score(self, states):
            return scores((len(states), 3))

    with pytest.raises(pp.errors.BatchError, match=message):
        pp.train(GREEDY, SENTENCES, classifier=Wrong(), strategy=EXPLORE)


def test_an_empty_treebank_and_long_words(linear):
    empty = pp.parse_conllu("")
    assert linear.parse(empty).words == 0
    one = linear.parse(treebank_of("word/X/0/root"))
    assert one[0].heads.tolist() == [0]
    assert linear.parse(treebank_of("word/X/0/root"), beam=4)[0].labels == ["root"]


def test_the_example_parses_well():
    """As in examples/: trains greedily, parses greedily and with a beam, from a file."""
    import runpy

    folder, before = ENGLISH.parents[2] / "examples", "torch" in sys.modules
    found = runpy.run_path(str(folder / "logistic_regression.py"), run_name="__main__")
    for beam in (1, 4):
        scores = pp.evaluate(found["dev"], found["parser"].parse(found["dev"], beam=beam))
        assert scores.uas > 80
        assert scores.las > 75
    assert ("torch" in sys.modules) == before


def test_a_pipeline_with_a_classifier(linear, english, tmp_path, run):
    nlp = pp.Pipeline(parser=linear)
    nlp.save(tmp_path / "model")
    expected, found = english[1].copy(), english[1].copy()
    nlp.annotate(expected)
    pp.load(tmp_path / "model", classifier=Linear).annotate(found)
    assert found.to_bytes() == expected.to_bytes()
    with pytest.raises(pp.ModelError, match="model: parser: needs the classifier 'linear'"):
        pp.load(tmp_path / "model")
    assert run("info", tmp_path / "model")[0] == 0


def test_what_has_no_parser_takes_no_classifier(english, tmp_path):
    pp.train_lemmatizer(english[0][:20], epochs=1).save(tmp_path / "lemmatizer")
    with pytest.raises(pp.SpecError, match="expected a parser or tagger for the classifier"):
        pp.load(tmp_path / "lemmatizer", classifier=Linear)


def test_code_that_a_model_has_no_use_for(linear, english, tmp_path):
    linear.save(tmp_path / "parser")
    pp.train_tagger(pp.TaggerSpec(), english[0], epochs=1, members=1).save(tmp_path / "tagger")
    with pytest.raises(pp.SpecError, match="expected templates that call the functions of load, found none"):
        pp.load(tmp_path / "parser", classifier=Linear, functions={"size": lambda state, sentence: 1})
    with pytest.raises(pp.SpecError, match="expected a parser for the system of load, found <Tagger"):
        pp.load(tmp_path / "tagger", system=Covington())
    with pytest.raises(pp.SpecError, match=r"load: system must be a PythonSystem, such as Covington\(\); got <class"):
        pp.load(tmp_path / "parser", system=Covington)


def test_a_checkpoint_belongs_to_one_way_of_learning(tmp_path):
    options = {"epochs": 1, "checkpoint": tmp_path / "checkpoint"}
    train = short_sentences(5)
    pp.train(GREEDY, train, classifier=pp.Perceptron(), **options)
    for other in (pp.Perceptron(batch=8), pp.batches.JointClassifier(pp.Perceptron())):
        with pytest.raises(pp.SpecError, match="belongs to another run"):
            pp.train(GREEDY, train, classifier=other, resume=True, **options)


def test_packages_that_cannot_be_imported(linear, tmp_path, run, monkeypatch):
    linear.save(tmp_path / "linear")
    spec = pp.ParserSpec(system=Covington(), templates=SMALL, beam=1)
    pp.train(spec, short_sentences(3), epochs=1).save(tmp_path / "covington")

    def broken(group):
        name = "linear" if group == "panparser.classifiers" else "Covington"
        return [metadata.EntryPoint(name, "no_such_module:Thing", group)]

    monkeypatch.setattr(metadata, "entry_points", broken)
    for name in ("linear", "covington"):
        code, _, errors = run("parse", "-m", tmp_path / name, ENGLISH)
        assert code == 2
        assert "no_such_module:Thing, cannot be imported" in errors


def test_a_checkpoint_belongs_to_one_start_and_one_setting(tmp_path):
    train, options = short_sentences(5), {"epochs": 1, "checkpoint": tmp_path / "checkpoint"}
    first, second = (pp.train(GREEDY, train, classifier=pp.Perceptron(), epochs=1, seed=seed) for seed in (1, 2))
    pp.train(GREEDY, train, init=first, **options)
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        pp.train(GREEDY, train, init=second, resume=True, **options)
    pp.train(GREEDY, train, init=first, resume=True, **options)
    slow, fast = pp.Perceptron(), pp.Perceptron()
    slow.rate, fast.rate = 0.1, 0.2
    pp.train(GREEDY, train, classifier=slow, **options)
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        pp.train(GREEDY, train, classifier=fast, resume=True, **options)
    pp.train(GREEDY, train, classifier=slow, resume=True, **options)
