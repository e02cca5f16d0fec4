"""A network's model file that is damaged is refused, and the message says what is wrong; whatever is loaded parses."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS
from panparser.storage.containers import decode, encode
from reference.networks import random_network_parser

PRECISIONS = {"all of it": "float32", "tags of the first layer": "int8", "characters by a BiLSTM": "float16"}
SENTENCE = TREEBANK[5:6]
SPEC = pp.ParserSpec(beam=1, templates=pp.Templates.parse("S0.form"))


def made(kind: str, precision: str) -> pp.Parser:
    network = replace(KINDS[kind], precision=precision)
    vectors = VECTORS if "vector" in network.columns else None
    return random_network_parser(SPEC, network, TREEBANK[:5], vectors=vectors)


@pytest.fixture(scope="module")
def contents():
    """Arrays and manifests."""
    found = {kind: made(kind, precision) for kind, precision in PRECISIONS.items()}
    return {kind: (parser.to_arrays(), parser.manifest()) for kind, parser in found.items()}


@pytest.fixture(params=PRECISIONS)
def content(contents, request):
    arrays, manifest = contents[request.param]
    return dict(arrays), copy.deepcopy(manifest)


def refusal(path, arrays, manifest) -> str:
    path.write_bytes(encode(arrays, manifest))
    with pytest.raises(pp.ModelError) as caught:
        pp.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: not a valid parser: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: not a valid parser: ")


def number(array, value):
    """The array with another number somewhere; bytes have none that is wrong, their scales do."""
    changed = np.array(array)
    changed.reshape(-1)[len(changed) // 2] = value
    return changed


DAMAGE = {
    "missing": lambda array: array,
    "transposed": lambda array: np.ascontiguousarray(array.T) if len(set(array.shape)) > 1 else None,
    "a row too many": lambda array: np.concatenate([array, array[:1]]),
    "empty": lambda array: array[:0],
    "flat": lambda array: array.reshape(-1) if array.ndim > 1 else array.reshape(1, -1),
    "one number": lambda array: array.reshape(-1)[0],
    **{
        kind: lambda array, kind=kind: array.astype(kind) for kind in ("float64", "int32", "float16", "int8", "float32")
    },
    **{
        text: lambda array, text=text: number(array, float(text)) if array.dtype.kind == "f" else None
        for text in ("nan", "-inf", "3e4")
    },
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_array_is_checked(content, damage, tmp_path):
    arrays, manifest = content
    count = 0
    for name, array in arrays.items():
        if not name.startswith("classifier."):
            continue
        changed = DAMAGE[damage](array)
        if changed is None or (changed.dtype == damage == array.dtype):  # nothing to damage
            continue
        count += 1
        own = arrays | {name: np.asarray(changed)}
        if damage == "missing":
            del own[name]
        message = refusal(tmp_path / "bad", own, manifest)
        assert f"array {name.removeprefix('classifier.').removesuffix('.scale')}" in message
        assert "expected" in message
    assert count or damage == manifest["classifier"]["values"]["network"]["precision"]


def of_network(**values):
    return lambda manifest: manifest["classifier"]["values"]["network"].update(values)


def of_values(**values):
    return lambda manifest: manifest["classifier"]["values"].update(values)


def of_vocabulary(change):
    return lambda manifest: change(manifest["classifier"]["values"]["vocabulary"])


HUGE = 1 << 60
VALUES = [
    (of_network(hidden=HUGE), r"network\.hidden: expected an integer between 1 and 4096"),
    (
        of_network(hidden=4096),
        r"array positions\.weight: expected one of float32 and shape \(4096, \d+\), found one of",
    ),
    (of_network(size=4096), "array absent: expected one of float32 and shape .8192,.*"),
    (of_network(layers=HUGE), r"network\.layers: expected an integer between 0 and 8"),
    (of_network(layers=8), r"array encoder\.\d\.weight_ih_l0: .*, found none"),
    (
        of_network(layers=0),
        "NetworkSpec: hidden_size must be > 0 if, and only if|NetworkSpec: tag_layer must be <= 0",
    ),
    (of_network(memory=77), r"array memory\.\w+\.weight_ih_l0: expected one of float32 and shape \(308, \d+\)"),
    (of_network(history=5), r"network\.history: expected an integer between 0 and 4"),
    (of_network(positions=["S0", "S0"]), "NetworkSpec: positions must be different"),
    (of_network(positions=["X9"]), "NetworkSpec: positions"),
    (of_network(positions=["S0"] * 100), "NetworkSpec: positions must be <= 64 addresses; got 100"),
    (of_network(positions=[]), "positions|array"),
    (of_network(labels_of=[7]), r"network\.labels_of\[0\]: expected a text"),
    (of_network(inputs=[]), r"network\.inputs: expected"),
    (of_network(inputs=[{"column": "poem"}]), r"network\.inputs\[0\]\.column: expected one of"),
    (of_network(precision="int4"), r"network\.precision: expected one of float32, float16, int8, found 'int4'"),
    (of_network(learning={"rate": float("nan")}), r"network\.learning\.rate: expected a number"),
    (of_network(tags=["form"]), "NetworkSpec: tags must be one of"),
    (of_network(tags=["upos", "upos"]), "NetworkSpec: tags must be different"),
    (of_network(color="red"), r"network\.color: "),
    (of_network(base="no such"), "expected the name of a network"),
    (of_values(actions=0), "array|actions"),
    (of_values(actions=HUGE), "array"),
    (of_values(labels=HUGE), "array"),
    (of_values(labels=-1), r"classifier\.values\.labels: expected an integer >= 0"),
    (of_values(local=1), r"classifier\.values\.local: expected"),
    (of_values(network=None), r"classifier\.values\.network: expected a table"),
    (of_values(vocabulary={}), "vocabulary: expected"),
    (of_values(classes={"xpos": ["a"]}), "classes: expected"),
    (of_values(classes=7), r"classifier\.values\.classes: expected a table"),
    (of_vocabulary(lambda own: own.update(extra=["a"])), "vocabulary: expected .*, found"),
    (of_vocabulary(lambda own: own[min(own)].append("🐍")), r"array \S+: expected .* shape"),
    (of_vocabulary(lambda own: own[min(own)].pop()), r"array \S+: expected .* shape"),
    (of_vocabulary(lambda own: own.update({min(own): own[min(own)][:1] * len(own[min(own)])})), "expected different"),
    (of_vocabulary(lambda own: own.update({min(own): [7]})), r"vocabulary\.\w+\[0\]: expected a text"),
    (lambda manifest: manifest["labels"].pop(), "its network scores .* the parser has"),
]


@pytest.mark.parametrize(("change", "message"), VALUES, ids=[message for _, message in VALUES])
def test_impossible_values_are_named(content, change, message, tmp_path):
    arrays, manifest = content
    change(manifest)
    found = refusal(tmp_path / "bad", arrays, manifest)
    assert re.search(message, found), found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda own: own.update(characters=["ab", *own["characters"][1:]]),
            "vocabulary of characters: expected single",
        ),
        (lambda own: own.update(characters=["", *own["characters"][1:]]), "vocabulary of characters: expected single"),
    ],
)
def test_characters_are_single_ones(contents, change, message, tmp_path):
    arrays, manifest = copy.deepcopy(contents["all of it"])
    change(manifest["classifier"]["values"]["vocabulary"])
    assert message in refusal(tmp_path / "bad", arrays, manifest)


def test_classes_are_those_of_the_network(contents, tmp_path):
    for change, message in (
        (lambda own: own["upos"].append("more"), "array tags.upos.weight: expected"),
        (lambda own: own.update(upos=own["upos"][:1] * len(own["upos"])), "classes of upos: expected different ones"),
        (lambda own: own.update(upos=[]), "classes.upos: expected"),
        (lambda own: own.update(lemma=["no script", *own["lemma"][1:]]), "classes of lemma: "),
        (lambda own: own.pop("upos"), "classes: expected lemma, xpos, upos, found lemma, xpos"),
    ):
        arrays, manifest = copy.deepcopy(contents["tags of the first layer"])
        change(manifest["classifier"]["values"]["classes"])
        assert message in refusal(tmp_path / "bad", arrays, manifest)


def test_a_network_for_another_system_is_refused(content, tmp_path):
    arrays, manifest = content
    manifest["spec"]["system"] = pp.system("arc-standard").to_values()
    assert "its network scores" in refusal(tmp_path / "bad", arrays, manifest)


def test_vectors_are_those_that_the_network_reads(contents, tmp_path):
    arrays, manifest = copy.deepcopy(contents["all of it"])
    fewer = pp.WordVectors.from_dict({"a": [1.0, 2.0], "<UNK>": [0.5, 1.0]})
    other = arrays | fewer.to_arrays()
    assert "its network cannot be used: array vectors.weight" in refusal(tmp_path / "bad", other, manifest)
    without = {key: value for key, value in manifest.items() if key != "vectors"}
    assert "the network reads vectors of words, and the model has none" in refusal(tmp_path / "bad", arrays, without)


def test_the_command_line_names_the_file(contents, run, tmp_path):
    arrays, manifest = copy.deepcopy(contents["all of it"])
    del arrays["classifier.absent"]
    (tmp_path / "bad").write_bytes(encode(arrays, manifest))
    pp.write_conllu(tmp_path / "some.conllu", TREEBANK)
    code, _, said = run("parse", "-m", tmp_path / "bad", tmp_path / "some.conllu")
    assert code == 2
    assert f"{tmp_path / 'bad'}: not a valid parser: array absent: expected" in said
    assert "Traceback" not in said


# --- At random ---


def refused_or_sound(data: bytes) -> bool:
    """Is it refused? What is not gives every word a head of its sentence, or says why it cannot."""
    try:
        parser = pp.Parser.from_file(*decode(data, "panparser model"))
    except pp.ModelError:
        return True
    try:
        parsed = parser.parse(SENTENCE)
    except pp.PanParserError:
        return False
    parsed.check()
    assert (parsed.heads >= 0).all()
    return False


@pytest.mark.parametrize("kind", PRECISIONS)
def test_bytes_that_changed_are_refused(contents, kind):
    data, rng = encode(*contents[kind]), Random(kind)
    for _ in range(1000):
        at, length = rng.randrange(len(data)), rng.choice((1, 1, 2, 8, 100))
        new = bytes(rng.randrange(256) for _ in range(length))
        damaged = rng.choice(
            (
                data[:at],
                data[:at] + data[at + length :],
                data[:at] + new + data[at:],
                data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :],
                data[:at] + new + data[at + length :],
            )
        )
        if not refused_or_sound(damaged):  # space in the header means nothing
            assert encode(*decode(damaged, "model")) == data


@pytest.mark.unmeasured
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("kind", PRECISIONS)
def test_arrays_and_values_that_changed_are_refused_or_parse(contents, kind):
    """Here the checksum is right."""
    whole, manifest = contents[kind]
    names, rng = sorted(name for name in whole if name.startswith("classifier.")), Random(kind)
    refusals = 0
    for turn in range(400):
        arrays, values = dict(whole), manifest
        if turn % 2:
            name = rng.choice(names)
            raw = bytearray(np.array(arrays[name]).tobytes())
            for _ in range(rng.choice((1, 3, 20))):
                raw[rng.randrange(len(raw))] = rng.choice((0, 1, 0x3F, 0x7F, 0x80, 0xFF))
            arrays[name] = np.frombuffer(bytes(raw), dtype=whole[name].dtype).reshape(whole[name].shape)
        else:
            values = copy.deepcopy(manifest)
            change_somewhere(values["classifier"], rng)
        refusals += refused_or_sound(encode(arrays, values))
    assert 100 < refusals < 400


def change_somewhere(table, rng: Random) -> None:
    """Another value somewhere in tables within tables."""
    while True:
        keys = list(table) if isinstance(table, dict) else range(len(table))
        key = rng.choice(keys)
        if not isinstance(table[key], dict | list) or not table[key] or rng.random() < 0.2:
            break
        table = table[key]
    new = rng.choice((None, True, 0, 1, 2, -1, 1 << 40, 0.5, float("inf"), "", "S0", "upos", "x", [], ["a"], {}, [[]]))
    table[key] = new
