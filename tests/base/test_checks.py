"""Checks of arguments: what passes, and the one wording of all bounds."""

import pytest

from panparser.base.checks import (
    MAX_BEAM,
    NON_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    RATE,
    SHARE,
    Interval,
    check_beam,
    check_choice,
    check_count,
    check_number,
    check_range,
    integers,
)
from panparser.errors import ModelError, SpecError


@pytest.mark.parametrize(
    ("interval", "inside", "outside", "words"),
    [
        (POSITIVE, [1e-300, 1, float("inf")], [0, -1, float("nan"), True, "1", None], "> 0"),
        (NON_NEGATIVE, [0, 0.0, 5], [-1e-9, float("nan"), False], ">= 0"),
        (SHARE, [0.1, 1], [0, 1.1], "in (0, 1]"),
        (PROBABILITY, [0, 1], [-0.1, 1.1], "in [0, 1]"),
        (RATE, [0, 0.99], [1, -1], "in [0, 1)"),
        (Interval(0, ends="()"), [1, 1e300], [0, float("inf")], "> 0"),
        (Interval(0, 1_000_000, "(]"), [1, 1_000_000], [0, 1_000_001], "in (0, 1,000,000]"),
        (Interval(-1.5, 0.5), [-1.5, 0.5], [-2, 1], "in [-1.5, 0.5]"),
    ],
)
def test_intervals_contain_numbers_and_name_their_bounds(interval, inside, outside, words):
    assert all(value in interval for value in inside)
    assert not any(value in interval for value in outside)
    assert str(interval) == words


def test_integers_within_bounds():
    assert integers(1) == "an integer >= 1"
    assert integers(-3, 3) == "an integer between -3 and 3"


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_number("train: margin", 2, RATE), "train: margin must be in [0, 1); got 2"),
        (lambda: check_number("train: margin", "x", RATE), "train: margin must be a number in [0, 1); got 'x'"),
        (lambda: check_number("train: prune", True, POSITIVE), "train: prune must be a number > 0; got True"),
        (lambda: check_count("train: seed", -1, minimum=0), "train: seed must be an integer >= 0; got -1"),
        (lambda: check_count("train: seed", 1.0), "train: seed must be an integer >= 1; got 1.0"),
        (lambda: check_count("f: k", 9, maximum=8), "f: k must be <= 8; got 9"),
        (lambda: check_beam(1 << 20, "parse"), f"parse: beam must be <= {MAX_BEAM}; got {1 << 20}"),
        (lambda: check_range("f: k", 9, 1, 8), "f: k must be an integer between 1 and 8; got 9"),
        (lambda: check_choice("f: by", "x", ("a", "b")), "f: by must be one of a, b; got 'x'"),
    ],
)
def test_messages_name_function_parameter_bounds_and_value(check, message):
    with pytest.raises(SpecError) as info:
        check()
    assert str(info.value) == message


def test_values_within_bounds_pass():
    check_number("f: x", 0.5, RATE)
    check_count("f: k", 8, maximum=8)
    check_range("f: k", 1, 1, 8)
    check_choice("f: by", "a", ("a", "b"))


def test_the_class_of_the_error_is_chosen():
    with pytest.raises(ModelError):
        check_range("f: k", 0, 1, 2, ModelError)
    with pytest.raises(ValueError, match="one of a"):
        check_choice("f: by", "x", ("a",), ValueError)
