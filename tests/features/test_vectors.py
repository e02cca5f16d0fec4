"""Vectors: scaling, and parsers that read them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.storage.containers import read_arrays, write_arrays
from panparser.training import parser_run as training

WORDS = {"the": [0.5, -1.0, 0.25], "Cat": [2.0, 0.0, 1.0], "naïve": [-0.5, 0.5, 1e-3]}
NUMBERS = st.floats(-1e6, 1e6, width=32)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n", exclude_categories=["Zs", "Cc"]), min_size=1)


# --- Values ---


@given(st.dictionaries(TEXTS, st.tuples(NUMBERS, NUMBERS), min_size=2), st.sampled_from([0.125, 1, 64]))
def test_vectors_keep_their_directions_whatever_their_scale(vectors, factor):
    one = pp.WordVectors.from_dict(vectors)
    other = pp.WordVectors.from_dict({word: [factor * x for x in values] for word, values in vectors.items()})
    assert (one.matrix == other.matrix).all()
    assert one.bits == other.bits
    floats = np.array([vectors[word] for word in one.words], np.float32).astype(float)
    norms = np.linalg.norm(floats, axis=1)
    if norms.any():
        scaled = floats / norms[norms > 0].mean() * 2**one.bits
        assert (np.abs(one.matrix[1:] - np.clip(scaled, -127, 127)) <= 0.5001).all()


def test_lookup_is_by_form_then_lower_case_then_unknown():
    vectors = pp.WordVectors.from_dict({"<UNK>": [0, 1.0], "the": [1.0, 0], "IT": [1.0, 0], "it": [-1.0, 0]})
    assert vectors["the"].tolist() == vectors["The"].tolist() == vectors["IT"].tolist() == [1, 0]
    assert vectors["It"].tolist() == [-1, 0]
    assert vectors["cat"].tolist() == [0, 1]
    assert (vectors["cat"] * 2**vectors.bits == vectors.unknown).all()
    assert "The" in vectors
    assert "cat" not in vectors
    assert pp.WordVectors.from_dict({"the": [1.0]})["cat"].tolist() == [0]
    assert repr(vectors) == "<Vectors: 3 words, 2 dimensions>"
    assert len(vectors) == len(vectors.words) == 3
    assert hash(vectors) != hash(pp.WordVectors.from_dict({"the": [1.0]}))


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ({}, "expected a dict with the vectors of one or more words"),
        ([1], "expected a dict with the vectors"),
        ({"a": [1], "b": [1, 2]}, "vector of 'b': expected 1 numbers as before; got 2"),
        ({"a": [float("nan")]}, "expected a word and a list of finite numbers; got 'a'"),
        ({"a": [1e300]}, "expected a word and a list of finite numbers; got 'a'"),
        ({"": [1]}, "expected a word and a list of finite numbers; got ''"),
        ({3: [1]}, "expected a word and a list of finite numbers; got 3"),
        ({"a": "x"}, "expected a word and a list of finite numbers; got 'a'"),
        ({"a": []}, "1 to 2048 columns; got 2 and 0"),
        ({"<UNK>": [1]}, "WordVectors: words must be one or more different texts"),
    ],
)
def test_bad_dicts_are_refused(vectors, message):
    with pytest.raises(pp.errors.VectorError, match=message.replace("[", r"\[").replace("(", r"\(")):
        pp.WordVectors.from_dict(vectors)


def test_bad_values_are_refused():
    good = pp.WordVectors.from_dict(WORDS)
    with pytest.raises(pp.errors.VectorError, match="must be an array of int8"):
        replace(good, matrix=good.matrix.astype(float))
    with pytest.raises(pp.errors.VectorError, match="must have 2 rows"):
        replace(good, words=("a",))
    with pytest.raises(pp.errors.VectorError, match="WordVectors: bits must be an integer"):
        replace(good, bits=13)
    with pytest.raises(pp.errors.VectorError, match="one or more different"):
        replace(good, words=("a", "a", "b"))


# --- Parsers ---


def toy(words: list[str], kinds: str) -> pp.Treebank:
    """Sentences of three words; the middle one hangs from the first or the last, as its kind says, and nothing else."""
    lines = []
    for word, kind in zip(words, kinds, strict=True):
        head, label = (1, "left") if kind == "l" else (3, "right")
        lines += [f"1\tx\t_\tX\t_\t_\t3\ta\t_\t_\n2\t{word}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n"]
        lines += ["3\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n"]
    return pp.parse_conllu("".join(lines))


KINDS = "lrrllrlrlrllrrlrrrll"
SEEN = [f"seen{i}" for i in range(20)]
NEW = [f"new{i}" for i in range(20)]
PLAIN = pp.Templates.parse("S0.form B0.form\nS0.upos B0.upos\nS1.form\nB1.form\nS0.left[0].form")
READING = PLAIN + pp.Templates.parse("S0.vector\nB0.vector\nS0.left[0].vector\nS1.vector")


def informative(seed=1, dimensions=6) -> pp.WordVectors:
    """Vectors whose third number alone tells the kind of a word."""
    rng = np.random.default_rng(seed)
    vectors = {"x": rng.normal(size=dimensions), "<UNK>": np.zeros(dimensions)}
    for words in (SEEN, NEW):
        for word, kind in zip(words, KINDS, strict=True):
            vectors[word] = rng.normal(size=dimensions) * 0.3
            vectors[word][2] = 1 if kind == "l" else -1
    return pp.WordVectors.from_dict(vectors)


def spec_of(templates, **options) -> pp.ParserSpec:
    return pp.ParserSpec(system=pp.system("arc-hybrid", root="last"), templates=templates, **options)


def trained(seed=1, epochs=6, templates=READING, beam=2, **options) -> pp.Parser:
    return pp.train(spec_of(templates, beam=beam), toy(SEEN, KINDS), epochs=epochs, seed=seed, **options)


def test_what_only_vectors_tell_is_learned_from_them_alone():
    gold = toy(NEW, KINDS)
    with_vectors = trained(vectors=informative())
    without = trained(templates=PLAIN)
    assert training.score(with_vectors, gold) == (100, 100)
    assert training.score(without, gold)[0] < 90
    shuffled = pp.WordVectors.from_dict({word: informative()[NEW[0]] for word in [*SEEN, *NEW, "x"]})
    assert training.score(trained(vectors=shuffled), gold)[0] < 90


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "swap-standard"])
@pytest.mark.parametrize("labeled", [True, False])
def test_other_systems_learn_from_vectors_too(system, labeled):
    spec = pp.ParserSpec(system=pp.system(system), templates=READING, beam=4, labeled=labeled)
    parser = pp.train(spec, toy(SEEN, KINDS), vectors=informative(), epochs=8)
    uas, las = training.score(parser, toy(NEW, KINDS))
    assert uas >= 95
    assert las is None if not labeled else las >= 95


def test_parsing_is_the_same_with_threads_and_greedy_search_with_a_beam_of_one():
    parser, treebank = trained(vectors=informative(), beam=1), toy(NEW + SEEN, KINDS + KINDS)
    heads, labels = parser.predict(treebank)
    assert all((a == b).all() for a, b in zip(parser.predict(treebank, threads=3), (heads, labels), strict=True))
    best = [parser.k_best(sentence, 1)[0] for sentence in treebank]
    assert np.concatenate([tree.heads for tree in best]).tolist() == heads.tolist()
    assert [label for tree in best for label in tree.labels] == [parser.label_names[label] for label in labels]


def test_templates_and_vectors_must_be_given_together():
    with pytest.raises(pp.SpecError, match=r"train: vectors are missing, and the templates read them \(S0.vector\)"):
        trained()
    with pytest.raises(pp.SpecError, match="train: vectors are given, but no template reads them"):
        trained(templates=PLAIN, vectors=informative())
    with pytest.raises(pp.SpecError, match="train: vectors must be WordVectors"):
        trained(vectors={"x": [1.0]})


def test_files_carry_vectors_and_the_same_parser_gives_the_same_bytes(tmp_path):
    parser, treebank = trained(vectors=informative()), toy(NEW, KINDS)
    parser.save(tmp_path / "one")
    trained(vectors=informative()).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    loaded = pp.load(tmp_path / "one")
    assert loaded.vectors == parser.vectors
    assert loaded.parse(treebank).to_bytes() == parser.parse(treebank).to_bytes()
    loaded.save(tmp_path / "three")
    assert (tmp_path / "three").read_bytes() == (tmp_path / "one").read_bytes()
    trained(templates=PLAIN).save(tmp_path / "plain")
    assert not any(name.startswith("vector") for name in read_arrays(tmp_path / "plain", "model")[0])


DAMAGE = {
    "vectors.text": lambda array: array[:-1],
    "vectors.starts": lambda array: array[::-1],
    "vectors.matrix": lambda array: array[1:],
    "vector_actions.0": lambda array: array[1:],
    "vector_labels.0": lambda array: array[:0],
}


@pytest.mark.parametrize("name", [*DAMAGE, "bits", "shift", "none", "missing"])
def test_models_with_bad_vectors_are_refused(tmp_path, name):
    trained(vectors=informative(), epochs=1).save(tmp_path / "model")
    arrays, manifest = read_arrays(tmp_path / "model", "model")
    if name in DAMAGE:
        arrays[name] = np.array(DAMAGE[name](arrays[name]))
    elif name == "bits":
        manifest["vectors"]["bits"] = 99
    elif name == "shift":
        manifest["layers"][0][3] = 99
    elif name == "none":
        manifest["layers"][0] = manifest["layers"][0][:3]
    else:
        del manifest["vectors"], arrays["vectors.text"]
    write_arrays(tmp_path / "bad", arrays, json.loads(json.dumps(manifest)))
    with pytest.raises(pp.ModelError, match="bad: not a valid parser"):
        pp.load(tmp_path / "bad")


class Stop(pp.Listener):
    def after_epoch(self, report):
        if report.epoch == 2:
            raise RuntimeError("stop")


def test_resumed_training_ends_with_the_same_bytes(tmp_path):
    options = {"vectors": informative(), "epochs": 5, "dev": toy(NEW, KINDS), "patience": None}
    trained(**options).save(tmp_path / "whole")
    with pytest.raises(RuntimeError, match="stop"):
        trained(**options, checkpoint=tmp_path / "state", listeners=[Stop()])
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        trained(**options | {"vectors": informative(2)}, checkpoint=tmp_path / "state", resume=True)
    trained(**options, checkpoint=tmp_path / "state", resume=True).save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_training_goes_on_from_a_parser_with_vectors(tmp_path):
    first = trained(vectors=informative(), epochs=1)
    second = trained(init=first, epochs=4)
    assert second.vectors == first.vectors
    assert training.score(second, toy(NEW, KINDS)) == (100, 100)
    second.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").parse(toy(NEW, KINDS)).to_bytes() == second.parse(toy(NEW, KINDS)).to_bytes()
    with pytest.raises(pp.SpecError, match="must have the vectors of the new parser"):
        trained(init=first, vectors=informative(2))


# --- Against numpy ---

ADDRESSES = ("S0", "B0", "S1", "B1")
ALONE = pp.Templates.parse("\n".join(f"{address}.vector" for address in ADDRESSES))


def rows_at(state, words, vectors):
    """The row of the vector at each address, None where there is no word."""
    stack, buffer = state.stack[::-1], state.buffer
    places = {"S0": stack[:1], "S1": stack[1:2], "B0": buffer[:1], "B1": buffer[1:2]}
    tokens = [next(iter(places[address]), 0) for address in ADDRESSES]
    return [vectors.row(words[token - 1]) if token else None for token in tokens]


def steps(system, words, vectors, derivation):
    """(rows, action) for each transition."""
    state = system.initial(len(words))
    for name in derivation:
        yield rows_at(state, words, vectors), system.names.index(name)
        state = system.apply(state, name)


def test_scores_are_those_that_numpy_computes():
    vectors, system = informative(), pp.system("arc-hybrid", root="last")
    spec = spec_of(ALONE, labeled=False, beam=3)
    parser = pp.train(spec, toy(SEEN, KINDS), vectors=vectors, epochs=3)
    layer = parser.layers[0]
    weights = layer.vectors.actions.reshape(len(ADDRESSES), len(system.names), -1).astype(np.int64)
    for sentence in toy(NEW[:4], KINDS[:4]):
        best = {}
        for derivation in derivations(system, system.initial(len(sentence))):
            score, state = 0, system.initial(len(sentence))
            for rows, action in steps(system, sentence.forms, vectors, derivation):
                for address, row in enumerate(rows):
                    if row is not None:
                        score += int(weights[address, action] @ vectors.matrix[row]) >> layer.vectors.action_shift
            for name in derivation:
                state = system.apply(state, name)
            heads = tuple(int(head) for head in state.heads[1:])
            best[heads] = max(score, best.get(heads, score))
        found = {tree.heads: round(tree.score * layer.action_scale) for tree in parser.k_best(sentence, 99, beam=0)}
        assert found == best


def derivations(system, state):
    if system.is_final(state):
        yield ()
        return
    for name in system.legal(state):
        for rest in derivations(system, system.apply(state, name)):
            yield (name, *rest)


class Recorder(pp.Listener):
    def __init__(self):
        self.events, self.seen = [], -1

    def before_sentence(self, epoch, sentence):
        self.seen += 1

    def after_update(self, update):
        self.events.append((self.seen, update))


def test_weights_are_averaged_updates_as_numpy_computes_them():
    vectors, treebank = informative(), toy(SEEN, KINDS)
    recorder = Recorder()
    spec = spec_of(ALONE, labeled=False, beam=2)
    parser = pp.train(spec, treebank, vectors=vectors, epochs=3, listeners=[recorder])
    sums = np.zeros((len(ADDRESSES), len(spec.system.names), vectors.dimensions), dtype=np.int64)
    total = 3 * len(treebank)
    for time, update in recorder.events:
        forms = treebank[update.sentence].forms
        pairs = zip(update.positive, update.negative, strict=False)
        common = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
        for sign, derivation in ((1, update.positive), (-1, update.negative)):
            for rows, action in list(steps(spec.system, forms, vectors, derivation))[common:]:
                for address, row in enumerate(rows):
                    if row is not None:
                        sums[address, action] += sign * 16 * (total - time) * vectors.matrix[row].astype(np.int64)
    weights, layer = parser.layers[0].vectors, parser.layers[0]
    scale = layer.action_scale / 256 * 2.0 ** (weights.action_shift - (2 * vectors.bits - 4))
    assert recorder.events
    assert np.abs(weights.actions).max() > 16383  # all 15 bits are used
    assert np.abs(sums / total * scale - weights.actions.reshape(sums.shape)).max() <= 0.5001


def test_rounded_vectors_have_fewer_bits():
    vectors = pp.WordVectors.from_dict({f"w{n}": np.random.default_rng(n).normal(size=50) for n in range(40)})
    found = vectors.rounded(vectors.bits - 3)
    assert (found.words, found.bits) == (vectors.words, vectors.bits - 3)
    step = 2.0**-found.bits
    assert all(np.abs(found[word] - vectors[word]).max() <= step / 2 for word in vectors.words)
    assert len(np.unique(found.matrix)) < len(np.unique(vectors.matrix)) / 4
    assert vectors.rounded(vectors.bits) == vectors
    for bits in (1, vectors.bits + 1, 4.0):
        with pytest.raises(pp.errors.VectorError, match=r"WordVectors.rounded: bits must be an integer"):
            vectors.rounded(bits)
