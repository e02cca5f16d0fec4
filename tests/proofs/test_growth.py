"""How long a proof will take."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.proofs.system_proof import Growth, check_system, format_seconds


def test_time_grows_as_the_work_grew():
    """Short times are mostly overhead: how much there is to do tells more than how long it took."""
    growth = Growth()
    for words, seconds, work in ((1, 0.001, 1), (2, 0.3, 10), (3, 0.5, 120), (4, 12.0, 1728)):
        growth.add(words, seconds, work)
    assert growth.expected(5) == pytest.approx(12 * 17.28)  # 12 times, 14.4 times, 17.28 times
    assert growth.expected(6) == pytest.approx(12 * 17.28 * 20.736)


def test_what_takes_no_time_says_little():
    growth = Growth()
    growth.add(1, 0.0, 1)
    assert not growth.is_measured
    assert 0 < growth.expected(2) < 1 < growth.expected(5) < growth.expected(6)


def test_shrinking_factors_are_not_trusted():
    growth = Growth()
    for words, seconds, work in ((3, 0.1, 1), (4, 2.0, 20), (5, 10.0, 100)):
        growth.add(words, seconds, work)
    assert growth.expected(6) == pytest.approx(50)


def test_the_estimate_is_of_the_right_size():
    """From lengths up to 4, the work of 5 words is told within a factor of two."""
    report = check_system(pp.system("arc-hybrid"), max_words=5)
    growth = Growth()
    for row in report.rows[:4]:
        growth.add(row.words, 1.0, row.work)
    assert 0.5 < growth.expected(5) / (report.rows[4].work / report.rows[3].work) < 2


@pytest.mark.parametrize(
    ("seconds", "text"), [(40, "40 seconds"), (200, "3 minutes"), (18000, "5 hours"), (864000, "10 days")]
)
def test_times_are_spelled(seconds, text):
    assert format_seconds(seconds) == text
