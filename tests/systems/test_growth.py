"""How long a proof will take."""

from __future__ import annotations

import pytest

from panparser.systems.proof.growth import Growth, spelled


def test_times_grow_as_they_grew():
    growth = Growth()
    for words, seconds in ((1, 0.001), (2, 0.002), (3, 0.1), (4, 1.0), (5, 12.0)):
        growth.add(words, seconds)
    assert growth.expected(6) == pytest.approx(12 * 14.4)  # 10 times, 12 times, 14.4 times
    assert growth.expected(7) == pytest.approx(12 * 14.4 * 17.28)


def test_what_takes_no_time_says_little():
    growth = Growth()
    growth.add(1, 0.0)
    assert not growth.is_measured
    assert 0 < growth.expected(2) < 1 < growth.expected(5) < growth.expected(6)


def test_shrinking_factors_are_not_trusted():
    growth = Growth()
    for words, seconds in ((3, 0.1), (4, 2.0), (5, 10.0)):
        growth.add(words, seconds)
    assert growth.expected(6) == pytest.approx(50)


@pytest.mark.parametrize(
    ("seconds", "text"), [(40, "40 seconds"), (200, "3 minutes"), (18000, "5 hours"), (864000, "10 days")]
)
def test_times_are_spelled(seconds, text):
    assert spelled(seconds) == text
