"""The typed reader: what fits, what does not, and how the place is named."""

import json

import pytest

from panparser.base.checks import NON_NEGATIVE, POSITIVE
from panparser.base.kinds import (
    BOOLEAN,
    COUNT,
    NOTHING,
    NUMBER,
    TABLE,
    TEXT,
    ListOf,
    Nullable,
    OneOf,
    Row,
    Table,
    TableOf,
    check,
    integer,
    number,
    one_of,
    parse_json,
    parse_toml,
    path_exists,
    read_values,
    short_repr,
    text,
)
from panparser.errors import DeclarationError, ModelError, SpecError

TRAINING = Table({"epochs": integer(1), "name": TEXT}, {"seed": COUNT}, closed=True)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (integer(1), 3),
        (integer(), -3),
        (number(NON_NEGATIVE), 0),
        (number(NON_NEGATIVE), 1 << 100),
        (TEXT, ""),
        (BOOLEAN, False),
        (one_of("a", "b"), "b"),
        (Nullable(COUNT), None),
        (OneOf(TEXT, NOTHING), None),
        (ListOf(TEXT), []),
        (ListOf(Row(TEXT, Nullable(ListOf(TEXT)))), [["a", None], ["b", ["c"]]]),
        (Row(COUNT, TEXT, minimum=1), [1]),
        (Row(TEXT, rest=COUNT), ["a", 1, 2]),
        (TableOf(NUMBER), {"a": 1.5}),
        (TRAINING, {"epochs": 1, "name": "x", "seed": 0}),
    ],
)
def test_what_fits_is_returned_as_it_is(kind, value):
    assert check(value, kind, "place") is value


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (integer(1), 0, "x: expected an integer >= 1, found 0"),
        (integer(1), True, "x: expected an integer >= 1, found True"),
        (integer(1), 1.0, "x: expected an integer >= 1, found 1.0"),
        (integer(0, 9), 10, "x: expected an integer between 0 and 9, found 10"),
        (integer(1), 1 << 63, "x: expected an integer >= 1, found 9223372036854775808"),
        (COUNT, 10**4000, "x: expected an integer >= 0, found a number of hundreds of digits"),
        (number(NON_NEGATIVE), float("nan"), "x: expected a number >= 0, found nan"),
        (number(POSITIVE), 0, "x: expected a number > 0, found 0"),
        (NUMBER, 10**400, "x: expected a number, found a number of hundreds of digits"),
        (text(maximum=3), "four", "x: expected a text, found 'four'"),
        (TABLE, {1: 2}, "x: expected a table, found {1: 2}"),
        (ListOf(COUNT, minimum=1), [], "x: expected a list of 1 or more, found []"),
        (ListOf(COUNT, maximum=2), [1, 2, 3], "x: expected a list, found [1, 2, 3]"),
        (ListOf(ListOf(COUNT)), [[], [1, -1]], "x[1][1]: expected an integer >= 0, found -1"),
        (Row(COUNT, TEXT), [1], "x: expected a list of 2, found [1]"),
        (Row(COUNT, TEXT, minimum=1), [1, 2], "x[1]: expected a text, found 2"),
        (Row(TEXT, rest=COUNT), ["a", 1, "b"], "x[2]: expected an integer >= 0, found 'b'"),
        (TableOf(TEXT), {"a": None}, "x.a: expected a text, found None"),
        (TRAINING, {"name": "n"}, "x.epochs: expected an integer >= 1, found nothing"),
        (TRAINING, {"epochs": "x", "name": "n"}, "x.epochs: expected an integer >= 1, found 'x'"),
        (TRAINING, {"epochs": 1, "name": "n", "sed": 1}, "x.sed: unknown; expected one of epochs, name, seed"),
        (Nullable(TRAINING), [], "x: expected a table, found []"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(kind, value, said):
    with pytest.raises(SpecError) as error:
        check(value, kind, "x", SpecError)
    assert str(error.value) == said


def test_without_a_place_the_key_comes_first():
    with pytest.raises(ModelError, match=r"^epochs: expected an integer >= 1, found nothing$"):
        check({}, TRAINING, "")


def test_long_values_are_cut():
    assert len(short_repr("x" * 10**6)) == len(short_repr([0] * 10**4)) == 60


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("[" * 100_000, "t: expected JSON; it is nested too deeply"),
        ("9" * 5000, "t: expected JSON; a number has too many digits"),
        ('["\\ud800"]', "t: expected JSON; a text contains half a character (a lone surrogate)"),
        ("{", "t: expected JSON; line 1, column 2: Expecting property name enclosed in double quotes"),
    ],
)
def test_json_that_cannot_be_read(source, said):
    with pytest.raises(DeclarationError) as error:
        parse_json(source, "t", DeclarationError)
    assert str(error.value) == said


def test_whole_characters_may_be_escaped():
    assert parse_json(json.dumps("\U0001f4a9"), "t", DeclarationError) == "\U0001f4a9"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = " + "[" * 100_000, "t: expected TOML; "),
        ("x = " + "9" * 5000, "t: expected TOML; "),
        ("x", "t:1: expected TOML; "),
        ("x = 1\ny = = 2\n", "t:2: expected TOML; Invalid value (column 5)"),
        ("x = 1\ny = [1,\n2,\n\n", "t:3: expected TOML; "),
    ],
    ids=["nested", "digits", "bare", "line", "end"],
)
def test_toml_that_cannot_be_read(source, said):
    with pytest.raises(SpecError) as error:
        parse_toml(source, "t", SpecError)
    assert str(error.value).startswith(said)
    with pytest.raises(SpecError, match=r"^expected TOML; "):
        parse_toml(source, "", SpecError)


@pytest.mark.parametrize("name", ["a" * 5000, "a/" * 3000, "a\0b", "missing"], ids=str.__len__)
def test_names_that_no_file_has(name):
    assert not path_exists(name)
    with pytest.raises(SpecError, match="cannot be read"):
        read_values(name, "TOML", SpecError)
