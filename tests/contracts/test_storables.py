"""Model files of every kind: the same bytes when saved again, the same behavior when loaded, and damage is refused."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

import nets
import panparser as pp
from learners import SMALL
from linear import EXPLORE, Linear
from panparser.storage.containers import encode, read_arrays
from places import ENGLISH
from reference.networks import random_network_parser, random_network_tagger

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:16], TREEBANK[16:22]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
QUICK = {"epochs": 1, "members": 1}
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)


def with_vectors() -> pp.Parser:
    rng = np.random.default_rng(1)
    vectors = pp.WordVectors.from_dict({form: rng.normal(size=3) for form in TRAIN.vocabulary("form")})
    spec = replace(BEAM, templates=SMALL + pp.Templates.parse("S0.vector\nB0.vector"))
    return pp.train(spec, TRAIN, dev=DEV, vectors=vectors, **QUICK)


def pipeline(**parts) -> pp.Pipeline:
    spec = pp.PipelineSpec(parser=GREEDY, folds=2, tokenizer_epochs=1, tagger_epochs=1, lemmatizer_epochs=1, **parts)
    return pp.train_pipeline(spec, TRAIN, dev=DEV, **(QUICK if "parser" in spec.parts else {}))


def network(kind: str, precision: str) -> pp.Parser:
    own = replace(nets.KINDS[kind], precision=precision)
    vectors = nets.VECTORS if "vector" in own.columns else None
    return random_network_parser(BEAM, own, TRAIN, vectors=vectors)


def network_tagger() -> pp.tagging.NetworkTagger:
    own = replace(nets.KINDS["all of it"].as_tagger("upos", "lemma"), precision="float16")
    return random_network_tagger(own, TRAIN, vectors=nets.VECTORS)


KINDS = {
    "parser": lambda: pp.train(GREEDY, TRAIN, **QUICK),
    "beam, calibrated": lambda: pp.train(BEAM, TRAIN, dev=DEV, **QUICK),
    "unlabeled": lambda: pp.train(replace(GREEDY, labeled=False), TRAIN, **QUICK),
    "vectors": with_vectors,
    "two layers": lambda: pp.train(GREEDY, DEV, init=pp.train(GREEDY, TRAIN, **QUICK), **QUICK),
    "vote": lambda: pp.make_voting_parser([pp.train(BEAM, TRAIN, seed=seed, **QUICK) for seed in (1, 2)], dev=DEV),
    "classifier": lambda: pp.train(GREEDY, TRAIN, classifier=Linear(), strategy=EXPLORE, epochs=1),
    "network": lambda: network("all of it", "float32"),
    "network that tags, in bytes": lambda: network("tags of the first layer", "int8"),
    "network tagger": network_tagger,
    "cascade": lambda: pp.train_cascade(STAGES, TRAIN, dev=DEV, folds=2, **QUICK),
    "combination": lambda: pp.CombinedParser(
        [pp.train(BEAM, part, **QUICK) for part in (TRAIN, DEV)], [2, 1], ["a", "b"]
    ),
    "tagger": lambda: pp.train_tagger(pp.TaggerSpec(columns=("upos", "feats")), TRAIN, dev=DEV, **QUICK),
    "tokenizer": lambda: pp.train_tokenizer(TRAIN, dev=DEV, epochs=1),
    "lemmatizer": lambda: pp.train_lemmatizer(TRAIN, dev=DEV, epochs=1),
    "pipeline": pipeline,
    "pipeline of taggers": lambda: pipeline(parts=("tagger",), joint_tagger=False),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def models():
    return {kind: make() for kind, make in KINDS.items()}


@pytest.fixture(scope="module")
def files(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for number, model in enumerate(models.values()):
        model.save(folder / str(number))
    return {kind: folder / str(number) for number, kind in enumerate(models)}


def loaded(path, kind: str):
    return pp.load(path, Linear) if kind == "classifier" else pp.load(path)


def behavior(model) -> bytes:
    """What a model does with some sentences."""
    if isinstance(model, pp.Tokenizer):
        return model.tokenize(pp.extract_raw_text(DEV).text).to_bytes()
    found = DEV.copy()
    if isinstance(model, pp.Pipeline):
        model.annotate(found)
        return found.to_bytes() + (model(pp.extract_raw_text(DEV).text).to_bytes() if model.tokenizer else b"")
    model.annotate(found)
    sure = b""
    if isinstance(model, pp.Parser) and model.calibration is not None:
        sure = model.confidence(DEV).head_confidence.tobytes()
    return found.to_bytes() + sure


# --- What is saved comes back ---


@each_kind
def test_a_model_that_is_loaded_behaves_as_the_one_that_was_saved(kind, models, files):
    found = loaded(files[kind], kind)
    assert type(found) is type(models[kind])
    assert behavior(found) == behavior(models[kind])
    assert repr(found) == repr(models[kind])
    assert json.loads(json.dumps(dict(found.training))) == json.loads(json.dumps(dict(models[kind].training)))


@each_kind
def test_a_model_that_is_saved_again_gives_the_same_bytes(kind, models, files, tmp_path):
    before = files[kind].read_bytes()
    models[kind].save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == before
    found = loaded(tmp_path / "again", kind)
    found.save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == before
    found.save(tmp_path / "again")  # over the file that it was read from
    assert (tmp_path / "again").read_bytes() == before
    assert behavior(found) == behavior(models[kind])


@each_kind
def test_a_file_says_what_it_is(kind, models, files):
    _, manifest = read_arrays(files[kind], "model")
    assert list(manifest)[:2] == ["format", "kind"]
    kinds = {"parser", "cascade", "combination", "tagger", "network-tagger", "tokenizer", "lemmatizer", "pipeline"}
    assert manifest["kind"] in kinds
    assert type(manifest["format"]) is int


@each_kind
def test_the_loader_of_a_class_refuses_files_of_another(kind, models, files):
    for other in (pp.Parser, pp.Cascade, pp.CombinedParser, pp.Tagger, pp.Tokenizer, pp.Lemmatizer, pp.Pipeline):
        if not isinstance(models[kind], other):
            with pytest.raises(pp.ModelError) as caught:
                other.load(files[kind])
            assert str(files[kind]) in str(caught.value)


@each_kind
def test_a_copy_of_a_model_behaves_as_it(kind, models):
    found = copy.deepcopy(models[kind])
    assert found is not models[kind]
    assert behavior(found) == behavior(models[kind])


def test_models_and_sentences_go_to_other_processes_and_back(models):
    sentences = [TREEBANK[3], TREEBANK[4]]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        parsed = list(pool.map(models["parser"].parse, [TRAIN, DEV]))
        tokens = list(pool.map(len, sentences))
        texts = list(pool.map(models["pipeline"], ["They ate."]))
    assert [found.to_bytes() for found in parsed] == [models["parser"].parse(part).to_bytes() for part in (TRAIN, DEV)]
    assert tokens == list(map(len, sentences))
    assert texts[0].to_bytes() == models["pipeline"]("They ate.").to_bytes()


def test_copies_of_treebanks_are_their_own():
    treebank = TRAIN.copy()
    found, sentence, token = copy.deepcopy(treebank), copy.deepcopy(treebank[2]), copy.deepcopy(treebank[2][1])
    treebank.heads[:] = 0
    assert found.to_bytes() == TRAIN.to_bytes()
    assert (found.path, found.format) == (treebank.path, treebank.format)
    assert sentence.heads.tolist() == TRAIN[2].heads.tolist()
    assert (token.form, token.head) == (TRAIN[2][1].form, TRAIN[2][1].head)


# --- What is damaged is refused ---


def refused(path, kind: str) -> None:
    """Loading raises ModelError, and the message is one line that names the file."""
    with pytest.raises(pp.ModelError) as caught:
        loaded(path, kind)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert len(message) < 1000


@each_kind
def test_a_file_that_is_cut_off_is_refused(kind, files, tmp_path):
    whole = files[kind].read_bytes()
    for length in (0, 3, 8, 9, 200, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:length])
        refused(tmp_path / "cut", kind)


@each_kind
def test_a_file_with_a_changed_byte_is_refused(kind, files, tmp_path):
    whole = bytearray(files[kind].read_bytes())
    length = int.from_bytes(whole[:8], "little")
    header = whole[8 : 8 + length].rstrip(b" ")
    middle = header.index(b"crc32") // 2
    for place in (0, 7, 8, 8 + middle, 8 + length, 8 + length + (len(whole) - 8 - length) // 2, len(whole) - 1):
        damaged = whole.copy()
        damaged[place] ^= 0x41
        (tmp_path / "damaged").write_bytes(damaged)
        refused(tmp_path / "damaged", kind)


@pytest.mark.parametrize("content", [b"", b"\0" * 64, b"not a model" * 20, b"{}" * 100, b"\xff" * 100])
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "other").write_bytes(content)
    refused(tmp_path / "other", "parser")
    with pytest.raises(pp.ModelError, match="cannot be read"):
        pp.load(tmp_path / "none")
    with pytest.raises(pp.ModelError, match="cannot be read"):
        pp.load(tmp_path)


@each_kind
def test_a_file_of_a_newer_format_or_of_no_kind_is_refused(kind, files, tmp_path):
    arrays, manifest = read_arrays(files[kind], "model")
    for change, word in (
        ({"format": 999}, "newer"),
        ({"format": "x"}, "expected"),
        ({"kind": "no such"}, "expected"),
        ({"kind": 3}, "expected"),
    ):
        (tmp_path / "changed").write_bytes(encode(arrays, manifest | change))
        with pytest.raises(pp.ModelError, match=word) as caught:
            loaded(tmp_path / "changed", kind)
        assert str(caught.value).startswith(str(tmp_path / "changed"))


def is_usable(path, kind: str) -> bool:
    """Is a file loaded? One that is not is refused by name; one that is does its work, or says why it cannot."""
    try:
        found = loaded(path, kind)
    except pp.ModelError as error:
        refusal = str(error)
    else:
        with suppress(pp.PanParserError):
            behavior(found)
        return True
    assert str(path) in refusal
    return False


def places(value, path=()):
    """Every key of a manifest, with those of tables within tables."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            if key not in ("training", "history"):
                yield from places(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from places(value[0], (*path, 0))


def changed(manifest, path, change):
    """A copy with another value at a place; `change` gets the table and the key."""
    result = copy.deepcopy(manifest)
    at = result
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return result


CHANGES = {
    "dropped": lambda table, key: table.pop(key),
    "none": lambda table, key: table.update({key: None}),
    "number": lambda table, key: table.update({key: -3}),
    "large number": lambda table, key: table.update({key: 2**70}),
    "text": lambda table, key: table.update({key: "no such"}),
    "list": lambda table, key: table.update({key: [[]]}),
    "table": lambda table, key: table.update({key: {"x": 1}}),
}


@pytest.mark.unmeasured
@each_kind
def test_a_manifest_with_any_value_changed_is_refused_or_does_no_harm(kind, files, tmp_path):
    arrays, manifest = read_arrays(files[kind], "model")
    count = refusals = 0
    names = list(CHANGES)
    for number, path in enumerate(places(manifest)):
        tried = ["dropped", names[number % len(names)], names[3 * number % len(names)]]
        for name in dict.fromkeys(tried if "parser" not in path else tried[1:2]):  # parsers alone have the others
            change = CHANGES[name]
            (tmp_path / "changed").write_bytes(encode(arrays, changed(manifest, path, change)))
            count += 1
            refusals += not is_usable(tmp_path / "changed", kind)
    assert refusals > 0.5 * count


ARRAYS = {
    "dropped": lambda arrays, name: arrays.pop(name),
    "empty": lambda arrays, name: arrays.update({name: arrays[name].reshape(-1)[:0]}),
    "shorter": lambda arrays, name: arrays.update({name: arrays[name].reshape(-1)[:-1]}),
    "longer": lambda arrays, name: arrays.update(
        {name: np.append(arrays[name].reshape(-1), arrays[name].dtype.type(1))}
    ),
    "other type": lambda arrays, name: arrays.update({name: arrays[name].astype(np.float64)}),
    "ones": lambda arrays, name: arrays.update({name: ones(arrays[name])}),
    "noise": lambda arrays, name: arrays.update({name: noise(arrays[name])}),
}


def ones(array):
    """All bits set."""
    return np.full(array.nbytes, 255, dtype=np.uint8).view(array.dtype).reshape(array.shape)


def noise(array):
    bits = np.random.default_rng(1).integers(0, 256, array.nbytes, dtype=np.uint8)
    return bits.view(array.dtype).reshape(array.shape)


@pytest.mark.unmeasured
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "classifier"])  # whose arrays are its author's
def test_arrays_that_are_not_those_of_the_model_are_refused_or_do_no_harm(kind, files, tmp_path):
    whole, manifest = read_arrays(files[kind], "model")
    for name, array in whole.items():
        for what, change in ARRAYS.items():
            if what in ("shorter", "ones", "noise") and not array.size:
                continue
            arrays = dict(whole)
            with np.errstate(all="ignore"):
                change(arrays, name)
            (tmp_path / "changed").write_bytes(encode(arrays, manifest))
            with np.errstate(all="ignore"):
                usable = is_usable(tmp_path / "changed", kind)
            assert not (usable and what == "dropped"), name


# --- What is written appears whole ---


@each_kind
def test_a_place_that_cannot_be_written_is_named(kind, models, tmp_path):
    with pytest.raises(pp.ModelError) as caught:
        models[kind].save(tmp_path / "no such folder" / "model")
    assert "no such folder" in str(caught.value)
    assert not list(tmp_path.iterdir())
