"""Weights in fewer bits: how much they lose, and that they lose nothing more when they are stored again."""

from __future__ import annotations

import numpy as np
import pytest

from panparser.networks.encoding import count_weights, restored, stored

RNG = np.random.default_rng(1)
ARRAYS = {
    "matrix": RNG.normal(size=(300, 17)).astype(np.float32),
    "cube": (RNG.normal(size=(5, 4, 3)) * np.array([1e-6, 1, 50, 0, 3])[:, None, None]).astype(np.float32),
    "vector": RNG.normal(size=9).astype(np.float32),
}
LOSS = {"float32": 0.0, "float16": 2**-11, "int8": 0.51 / 127}  # of the largest number of a row


@pytest.mark.parametrize("precision", LOSS)
def test_what_is_lost(precision):
    kept = stored(ARRAYS, precision)
    found = restored(kept, precision)
    assert set(found) == set(ARRAYS)
    assert (found["vector"] == ARRAYS["vector"]).all()
    assert count_weights(kept) == sum(array.size for array in ARRAYS.values())
    for name, array in ARRAYS.items():
        assert found[name].dtype == np.float32
        largest = np.abs(array.reshape(len(array), -1)).max(axis=1, initial=0)
        lost = np.abs(found[name] - array).reshape(len(array), -1).max(axis=1, initial=0)
        assert (lost <= LOSS[precision] * largest + 1e-7).all()


@pytest.mark.parametrize("precision", LOSS)
def test_nothing_more_is_lost_when_stored_again(precision):
    kept = stored(ARRAYS, precision)
    again = stored(dict(reversed(restored(kept, precision).items())), precision)
    assert list(again) == list(kept)
    for name, array in kept.items():
        assert again[name].dtype == array.dtype
        assert again[name].tobytes() == array.tobytes()


def test_bytes_take_a_quarter_of_the_room():
    sizes = {precision: stored(ARRAYS, precision)["matrix"].nbytes for precision in LOSS}
    assert sizes["float32"] == 2 * sizes["float16"] == 4 * sizes["int8"]
