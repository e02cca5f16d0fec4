"""Public names exist, are documented, and are those that outsiders were promised."""

from __future__ import annotations

import inspect

import panparser as pp
from panparser import errors, testing

PROMISED = {"system", "TransitionSystem", "Transition", "Gold", "EMPTY", "PythonSystem", "static_derivation"}


def test_public_names():
    assert set(pp.__all__) >= PROMISED
    assert pp.__all__ == sorted(pp.__all__, key=str) or set(pp.__all__) == set(dir(pp)) & set(pp.__all__)
    for name in pp.__all__ + [f"testing.{name}" for name in testing.__all__]:
        owner = testing if name.startswith("testing.") else pp
        value = getattr(owner, name.removeprefix("testing."))
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name


def test_every_error_is_a_panparser_error_and_a_builtin():
    for name, value in vars(errors).items():
        if inspect.isclass(value) and value is not errors.PanParserError:
            assert issubclass(value, errors.PanParserError)
            builtins = [base for base in value.__mro__ if base.__module__ == "builtins"]
            assert len(builtins) > 3, name
            assert name in (errors.__doc__ or "")


def test_the_version_is_that_of_the_package():
    assert pp.__version__.count(".") == 2
