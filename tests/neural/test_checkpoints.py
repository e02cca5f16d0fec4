"""A checkpoint of a network's training that is damaged is refused, and the message says what is wrong."""

from __future__ import annotations

import copy
import re
from random import Random

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences
from nets import ALONE
from panparser.storage.containers import encode, read_arrays
from panparser.training.batch_parser_run import ClassifierRun

pytest.importorskip("torch")
TRAIN = short_sentences(6, 7)
SPEC = pp.ParserSpec(beam=1)


class Keep(pp.Listener):
    """Copies the checkpoint of the first epoch."""

    def __init__(self, path):
        self.path, self.data = path, b""

    def after_epoch(self, report):
        self.data = self.data or (self.path.read_bytes() if self.path.exists() else b"")


def learn(path, **options):
    return pp.train(SPEC, TRAIN, dev=TRAIN, network=ALONE, epochs=3, threads=1, checkpoint=path, **options)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "checkpoint"
    patched = pytest.MonkeyPatch()
    patched.setattr(ClassifierRun, "is_checkpoint_due", lambda self: True)
    keeper = Keep(path)
    learn(path, listeners=[keeper])
    patched.undo()
    path.write_bytes(keeper.data)
    return read_arrays(path, "checkpoint")


def resumed(path, arrays, manifest):
    path.write_bytes(encode(arrays, manifest))
    return learn(path, resume=True)


def refusal(path, arrays, manifest) -> str:
    with pytest.raises(pp.ModelError) as caught:
        resumed(path, arrays, manifest)
    message = str(caught.value)
    assert message.startswith(f"{path}: not a valid checkpoint: ")
    assert "\n" not in message
    return message


DAMAGE = {
    "missing": None,
    "a row too many": lambda array: np.concatenate([array, array[:1]]),
    "one number": lambda array: array.reshape(-1)[:1],
    "float64": lambda array: array.astype(np.float64),
    "nan": lambda array: np.full(array.shape, np.nan, dtype=array.dtype) if array.dtype.kind == "f" else -1 - array,
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("damage", DAMAGE)
def test_every_array_is_checked(content, damage, tmp_path):
    arrays, manifest = content
    assert {name.split(".")[1] for name in arrays if name.startswith("state.")} >= {
        *("weights", "average", "first", "second", "updates", "random")
    }
    for name, array in arrays.items():
        if damage == "nan" and name == "state.random":
            continue  # as good as any
        changed = {key: value for key, value in arrays.items() if key != name}
        if damage != "missing":
            changed[name] = DAMAGE[damage](array)
        if damage == "missing" and name.startswith("state.first."):
            continue  # Adam begins anew
        assert f"array {name.partition('.')[2]}: expected" in refusal(tmp_path / "bad", changed, manifest)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("epoch", 0, "epoch: expected an integer >= 1, found 0"),
        ("epoch", "1", "epoch: expected an integer"),
        ("history", [], "history: expected"),
        ("history", [{}], r"history\[0\]"),
        ("best", 99, "best: expected an integer between 0 and 0|best: expected 0, found 99"),
        ("values", {}, "network: expected"),
        ("words", -1, "words: expected an integer >= 0"),
        ("updates", None, "updates: expected an integer"),
        ("random", "x", "random: expected the digits of a number of 64 bits, found 'x'"),
        ("random", str(1 << 64), "random: expected the digits of a number of 64 bits"),
        ("random", 7, "random: expected"),
    ],
)
def test_every_value_is_checked(content, key, value, message, tmp_path):
    arrays, manifest = copy.deepcopy(content)
    manifest[key] = value
    assert re.search(message, refusal(tmp_path / "bad", arrays, manifest))


@pytest.mark.unmeasured
def test_bytes_at_random(content, tmp_path):
    """Whatever the checksum does not find is refused by what is read, or goes on."""
    arrays, manifest = content
    rng, refusals = Random(1), []
    for _ in range(40):
        changed = dict(arrays)
        name = rng.choice(sorted(changed))
        raw = bytearray(changed[name].tobytes())
        for _ in range(rng.choice((1, 5, 50))):
            raw[rng.randrange(len(raw))] = rng.choice((0, 127, 128, 255))
        changed[name] = np.frombuffer(bytes(raw), dtype=changed[name].dtype).reshape(changed[name].shape)
        try:
            resumed(tmp_path / "bad", changed, manifest)
        except pp.ModelError as error:
            refusals.append(str(error))
    assert len(refusals) > 5
    assert all(message.startswith(f"{tmp_path / 'bad'}: not a valid checkpoint: array ") for message in refusals)
