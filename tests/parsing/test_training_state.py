"""Checkpoints of both kinds of parser training: the same format, and damage is found."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import panparser as pp
from learners import SMALL, short_sentences
from panparser.storage.containers import encode, read_arrays
from panparser.training.training_state import BEST, LEARNER

SPEC = pp.ParserSpec(templates=SMALL, beam=1)
TRAIN = short_sentences(6)
LEARNERS = {"engine": {"members": 2}, "classifier": {"classifier": pp.Perceptron()}}
SHARED_KEYS = {"kind", "format", "identity", "epoch", "history", "best"}


@pytest.fixture(params=LEARNERS, scope="module")
def trained(request, tmp_path_factory):
    """Options of a training, and the arrays and the manifest of its checkpoint after an epoch."""
    options = LEARNERS[request.param]
    path = tmp_path_factory.mktemp("run") / "checkpoint"
    pp.train(SPEC, TRAIN, epochs=1, checkpoint=path, **options)
    return options, *read_arrays(path, "checkpoint")


def resume(path, options, arrays, manifest) -> pp.Parser:
    path.write_bytes(encode(arrays, manifest))
    return pp.train(SPEC, TRAIN, epochs=2, checkpoint=path, resume=True, **options)


def test_checkpoints_have_one_format(trained, tmp_path):
    options, arrays, manifest = trained
    assert manifest.keys() >= SHARED_KEYS
    assert {name[: name.index(".") + 1] for name in arrays} == {LEARNER, BEST}
    whole = pp.train(SPEC, TRAIN, epochs=2, **options)
    resumed = resume(tmp_path / "same", options, arrays, manifest)
    for name, array in whole.to_arrays().items():
        assert np.array_equal(array, resumed.to_arrays()[name])


def test_a_missing_or_another_value_is_refused(trained, tmp_path):
    options, arrays, manifest = trained
    for key in manifest.keys() - {"kind", "format", "identity"}:
        for value in (None, -1, "x"):
            damaged = copy.deepcopy(manifest)
            damaged[key] = value
            with pytest.raises(pp.ModelError, match=f"bad: not a valid checkpoint: {key}"):
                resume(tmp_path / "bad", options, arrays, damaged)
        with pytest.raises(pp.ModelError, match="bad: not a valid checkpoint: "):
            resume(tmp_path / "bad", options, arrays, {k: v for k, v in manifest.items() if k != key})
    with pytest.raises(pp.ModelError, match="bad: not a valid checkpoint: best: expected"):
        resume(tmp_path / "bad", options, arrays, manifest | {"best": 1})
    with pytest.raises(pp.ModelError, match="of this version"):
        resume(tmp_path / "bad", options, arrays, manifest | {"format": 4})


def test_a_missing_or_shorter_array_is_refused(trained, tmp_path):
    options, arrays, manifest = trained
    for name in arrays:
        if "dated" in name and "classifier" in options:
            continue  # sums that are missing are 0
        others = {key: array for key, array in arrays.items() if key != name}
        with pytest.raises(pp.ModelError, match="bad: not a valid checkpoint: "):
            resume(tmp_path / "bad", options, others, manifest)


def test_a_checkpoint_of_the_other_kind_belongs_to_another_run(trained, tmp_path):
    options, arrays, manifest = trained
    (other,) = (known for known in LEARNERS.values() if known is not options)
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        resume(tmp_path / "other", other, arrays, manifest)
