"""Parsers: what they predict, model files, and what happens with files that are none."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.parsing.model_protocol import Search
from panparser.parsing.parser import FORMAT
from panparser.storage.containers import encode, read_arrays
from places import ENGLISH


@pytest.fixture(scope="session")
def small(english, tmp_path_factory):
    """A model file of a few kilobytes."""
    spec = pp.ParserSpec(templates=pp.Templates.parse("S0.upos B0.upos\nB0.upos B1.upos"), beam=2)
    path = tmp_path_factory.mktemp("small") / "en"
    pp.train(spec, english[0][:20], epochs=1).save(path)
    return path


def read(path):
    """Uses a model file: loads it and parses with it."""
    parser = pp.load(path)
    parsed = parser.parse(pp.read_conllu(ENGLISH)[:3])
    parser.k_best(parsed[0], 2)
    repr(parser)
    return parsed


def test_an_unlabeled_parser_leaves_no_label_of_its_input(english):
    spec = pp.ParserSpec(templates=pp.Templates.parse("S0.upos B0.upos"), beam=1, labeled=False)
    parser = pp.train(spec, english[0][:20], epochs=1)
    gold = english[1]
    parsed = parser.parse(gold)
    assert {label for sentence in parsed for label in sentence.labels} == {"_"}
    assert pp.evaluate(gold, parsed).las < pp.evaluate(gold, parsed).uas
    given = pp.Constraints.from_treebank(gold, keep=("heads", "labels"))
    assert [s.labels for s in parser.parse(gold, constraints=given)] == [s.labels for s in gold]


def test_words_without_a_head_have_no_label(english):
    spec = pp.ParserSpec(system=pp.system("arc-eager-span", k=1), beam=1)
    parsed = pp.train(spec, english[0][:20], epochs=1).parse(english[1])
    arcs = [(head, label) for s in parsed for head, label in zip(s.heads, s.labels, strict=True)]
    assert {label for head, label in arcs if head < 0} == {"_"}
    assert all(label != "_" for head, label in arcs if head >= 0)


def test_what_is_saved_is_what_is_loaded(parser, english, tmp_path):
    parser.save(tmp_path / "a")
    loaded = pp.load(tmp_path / "a")
    assert loaded.spec == parser.spec
    assert (loaded.labels, loaded.pruning_margin) == (parser.labels, parser.pruning_margin)
    assert loaded.training == json.loads(json.dumps(parser.training.to_values()))
    assert loaded.parse(english[1]).to_bytes() == parser.parse(english[1]).to_bytes()
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded.save(tmp_path / "a")  # over the file that it was read from
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_is_safetensors(parser, tmp_path):
    safetensors = pytest.importorskip("safetensors")
    parser.save(tmp_path / "a")
    with safetensors.safe_open(tmp_path / "a", framework="numpy") as file:
        manifest = json.loads(file.metadata()["panparser"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    assert (manifest["kind"], manifest["format"]) == ("parser", 1)
    assert pp.ParserSpec.from_values(manifest["spec"]) == parser.spec
    assert np.array_equal(arrays["lines.0"], parser.layers[0].lines)


def test_same_seed_same_bytes(english, tmp_path):
    treebank, dev = english
    saved = []
    for seed in (1, 1, 2):
        pp.train(pp.ParserSpec(templates=pp.templates("zn11"), beam=2), treebank, dev=dev, epochs=1, seed=seed).save(
            tmp_path / "m"
        )
        saved.append((tmp_path / "m").read_bytes())
    assert saved[0] == saved[1] != saved[2]


def test_threads_change_nothing(parser, english):
    assert len({parser.parse(english[1], threads=threads).to_bytes() for threads in (1, 2, 3)}) == 1


def test_greedy_is_a_beam_of_one(parser, english):
    greedy = parser.parse(english[1], beam=1)
    for sentence, parsed in zip(english[1], greedy, strict=True):
        (tree,) = parser.k_best(sentence, 1, beam=1)
        assert (tree.heads, tree.labels) == (tuple(parsed.heads), tuple(parsed.labels))


def test_parse_leaves_its_argument_alone_and_annotate_does_not(parser, english):
    before = english[1].to_bytes()
    parsed = parser.parse(english[1])
    assert english[1].to_bytes() == before
    copied = pp.parse_conllu(before)
    parser.annotate(copied)
    assert copied.to_bytes() == parsed.to_bytes()


def test_best_trees_differ_and_fall(parser, english):
    trees = parser.k_best(english[1][2], 4)
    assert len({(tree.heads, tree.labels) for tree in trees}) == len(trees) == 4
    assert [tree.score for tree in trees] == sorted((tree.score for tree in trees), reverse=True)
    assert trees[0].heads == tuple(parser.parse(english[1])[2].heads)


def test_models_of_a_given_size(english, tmp_path):
    treebank, dev = english
    spec = pp.ParserSpec(templates=pp.templates("zn11"), beam=1)
    sizes = []
    for size in (None, 90_000, 30_000):
        parser = pp.train(spec, treebank, dev=dev, epochs=3, max_model_bytes=size)
        parser.save(tmp_path / "m")
        sizes.append((tmp_path / "m").stat().st_size)
        best = parser.training["history"][parser.training["best_epoch"] - 1]
        assert (best["pruning"] is None) == (size is None)
        assert size is None or sizes[-1] <= size
        assert size is None or best["pruning"]["whole_size"] > best["pruning"]["size"]
    assert sizes[0] > sizes[1] > sizes[2]
    with pytest.raises(pp.SpecError, match="train: max_model_bytes is too small"):
        pp.train(spec, treebank, epochs=1, max_model_bytes=100)
    with pytest.raises(pp.SpecError, match="train: max_model_bytes must be an integer"):
        pp.TrainingConfig(max_model_bytes=0)


# --- Beams as wide as they need be ---


@pytest.fixture(scope="session")
def beamed(english):
    return pp.train(
        pp.ParserSpec(templates=pp.templates("zn11")), english[0], dev=english[1], epochs=2, members=1, margin=0.1
    )


def trees(parser, treebank, margin, beam=None):
    narrowed = replace(parser, pruning_margin=margin)
    return [column.tolist() for column in narrowed.predict(treebank, beam=beam)]


def test_the_margin_loses_no_more_winners_than_it_may(beamed, english):
    behind = beamed.model.find(english[1], Search(beam=beamed.spec.beam)).behind
    assert len(behind) == len(english[1])
    assert behind.min() == 0 < behind.max()
    lost = (behind > beamed.pruning_margin).sum()
    assert 0 < lost <= 0.1 * len(behind)
    assert (behind >= beamed.pruning_margin).sum() >= 0.1 * len(behind)  # and hardly fewer


def test_what_a_wide_margin_finds_is_what_the_whole_beam_finds(beamed, english):
    dev = english[1]
    whole = trees(beamed, dev, None)
    assert trees(beamed, dev, 1 << 40) == whole
    assert trees(beamed, dev, 0) != whole
    assert trees(beamed, dev, 0, beam=1) == trees(beamed, dev, None, beam=1)


def test_nothing_but_the_best_is_left_without_a_margin(beamed, english):
    """A beam in which only the best stay is a greedy parser, but for ties."""
    greedy, narrow = (trees(beamed, english[1], 0, beam=beam) for beam in (1, 8))
    same = sum(a == b for a, b in zip(greedy[0], narrow[0], strict=True))
    assert same >= 0.99 * len(greedy[0])


def test_margins_are_chosen_where_there_is_something_to_choose_from(english):
    treebank, dev = english[0][:30], english[1]
    spec = pp.ParserSpec(templates=pp.templates("zn11"), beam=2)
    assert pp.train(spec, treebank, dev=dev, epochs=1).pruning_margin > 0
    assert pp.train(spec, treebank, dev=dev, epochs=1, margin=0).pruning_margin is None
    assert pp.train(spec, treebank, epochs=1).pruning_margin is None
    greedy = pp.ParserSpec(templates=pp.templates("zn11"), beam=1)
    assert pp.train(greedy, treebank, dev=dev, epochs=1).pruning_margin is None
    for wrong in (1, -0.1, "x"):
        with pytest.raises(pp.SpecError, match="train: margin must be a number in \\[0, 1\\)"):
            pp.TrainingConfig(margin=wrong)


@pytest.mark.parametrize("wrong", [-1, 0.5, "1", True, 1 << 70])
def test_a_margin_is_checked(beamed, wrong):
    with pytest.raises(pp.SpecError, match="margin must be an integer >= 0 or None"):
        replace(beamed, pruning_margin=wrong)


@pytest.mark.parametrize("wrong", [-1, 0.5, "1", True, 1 << 70])
def test_a_margin_in_a_file_is_checked(small, tmp_path, wrong):
    arrays, manifest = read_arrays(small, "model")
    (tmp_path / "x").write_bytes(encode(arrays, manifest | {"margin": wrong}))
    with pytest.raises(pp.ModelError, match="margin: expected an integer between 0 and"):
        pp.load(tmp_path / "x")


# --- Files that are no models ---


def test_files_that_are_cut_off(small, tmp_path):
    data = small.read_bytes()
    for end in {*range(0, 200), *range(200, len(data), max(1, len(data) // 300)), len(data) - 1}:
        (tmp_path / "cut").write_bytes(data[:end])
        with pytest.raises(pp.ModelError):
            pp.load(tmp_path / "cut")


def test_every_flipped_bit_is_found(small, tmp_path):
    data = small.read_bytes()
    rng = np.random.default_rng(1)
    for place in rng.integers(0, len(data), 500):
        damaged = bytearray(data)
        damaged[place] ^= 1 << int(rng.integers(0, 8))
        (tmp_path / "flipped").write_bytes(damaged)
        try:
            loaded = pp.load(tmp_path / "flipped")
        except pp.ModelError:
            continue
        loaded.save(tmp_path / "again")  # a space in the header, say: nothing that matters
        assert (tmp_path / "again").read_bytes() == data


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 7, b"\0" * 8, b"\x02" + b"\0" * 7 + b"{}", b"\xff" * 64, b"PK\3\4" * 99]
)
def test_foreign_files(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(pp.ModelError) as error:
        pp.load(tmp_path / "x")
    assert str(error.value).startswith(str(tmp_path / "x"))


def test_folders_and_files_that_are_not_there(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(pp.ModelError, match="cannot be read"):
            pp.load(path)


def test_a_newer_format_is_refused(small, tmp_path):
    arrays, manifest = read_arrays(small, "model")
    (tmp_path / "new").write_bytes(encode(arrays, manifest | {"format": FORMAT + 1}))
    with pytest.raises(pp.ModelError, match=f"newer panparser .format {FORMAT + 1}; this one reads up to {FORMAT}"):
        pp.load(tmp_path / "new")


def _places(values, path=()):
    """Paths to all values within a value."""
    yield path
    items = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for key, value in items:
        yield from _places(value, (*path, key))


_junk = st.sampled_from([None, True, -1, 0, 1, 2, 255, 10**6, 2**63, 1e300, -0.5, "", "x", "SHIFT", [], [0], [[]], {}])


@pytest.mark.unmeasured
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=st.data())
def test_wrong_manifests_never_crash(small, tmp_path_factory, chosen):
    """A file with a right checksum and a wrong content gives ModelError, or a parser that works."""
    arrays, manifest = read_arrays(small, "model")
    manifest = copy.deepcopy(manifest)
    path = chosen.draw(st.sampled_from([path for path in _places(manifest) if path and path[0] != "training"]))
    owner = manifest
    for key in path[:-1]:
        owner = owner[key]
    if chosen.draw(st.booleans()):
        owner[path[-1]] = chosen.draw(_junk)
    else:
        del owner[path[-1]]
    _check(tmp_path_factory.getbasetemp() / "junk", encode(arrays, manifest))


@pytest.mark.unmeasured
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=st.data())
def test_wrong_arrays_never_crash(small, tmp_path_factory, chosen):
    arrays, manifest = read_arrays(small, "model")
    name = chosen.draw(st.sampled_from(sorted(arrays)))
    array = np.array(arrays[name])
    way = chosen.draw(st.sampled_from(["value", "cut", "longer", "type", "shape", "gone"]))
    if way == "value":
        for _ in range(chosen.draw(st.integers(1, 8))):
            value = chosen.draw(st.integers(0, np.iinfo(array.dtype).max))
            array[chosen.draw(st.integers(0, len(array) - 1))] = value
    elif way == "cut":
        array = array[: chosen.draw(st.integers(0, len(array)))]
    elif way == "longer":
        array = np.concatenate([array, array[: chosen.draw(st.integers(1, 100))]])
    elif way == "type":
        array = array.astype(np.int64)
    elif way == "shape":
        array = array[None]
    arrays = {key: value for key, value in arrays.items() if key != name}
    if way != "gone":
        arrays[name] = array
    _check(tmp_path_factory.getbasetemp() / "junk", encode(arrays, manifest))


def test_arrays_that_begin_anywhere_are_aligned(tmp_path):
    odd = {"lines": np.arange(3, dtype=np.uint8), "tables": np.arange(5, dtype=np.uint32)}
    (tmp_path / "odd").write_bytes(encode(odd, {}))
    arrays, _ = read_arrays(tmp_path / "odd", "model")
    for name, array in arrays.items():
        assert array.flags.aligned
        np.testing.assert_array_equal(array, odd[name])


def _check(path, content):
    path.write_bytes(content)
    try:
        read(path)
    except pp.errors.NoLegalTransitionError:  # a system that is well-formed, and wrong: `panparser check` would find it
        return
    except pp.ModelError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 - most, not all, are refused


def test_only_treebanks_are_parsed(parser, english):
    with pytest.raises(pp.TreebankError, match="expected a Treebank to parse; got 'They ate'; a Pipeline parses text"):
        parser.parse("They ate")
    with pytest.raises(pp.TreebankError, match="expected a Treebank to parse"):
        parser.parse(english[0][0])
    with pytest.raises(pp.TreebankError, match="expected a Sentence, such as treebank"):
        parser.k_best(english[0], 2)
