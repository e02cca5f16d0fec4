"""[network] of a recipe: what a parser's network is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from panparser.errors import SpecError
from panparser.networks.network import NetworkInput, NetworkSpec, NetworkTraining, named
from panparser.recipes.tables import check_names


def read_network(values: Any, place: str) -> NetworkSpec:
    """The network of a table, or of a name; raises SpecError, with table and key, if it is not a valid one."""
    try:
        if isinstance(values, str):
            return named(values)
        if isinstance(values, Mapping):
            _check_names(values, place)
        return NetworkSpec.from_values(values)
    except SpecError as error:
        message = str(error)
        raise SpecError(message if message.startswith(place) else f"{place}: {message}") from None


def _check_names(values: Mapping[str, Any], place: str) -> None:
    """Suggests the closest name for one that is unknown."""
    check_names(values, ["base", *(own.name for own in fields(NetworkSpec))], place)
    if isinstance(learning := values.get("learning"), Mapping):
        check_names(learning, [own.name for own in fields(NetworkTraining)], f"{place} learning")
    inputs = values.get("inputs")
    for number, one in enumerate(inputs if isinstance(inputs, list) else [], start=1):
        if isinstance(one, Mapping):
            check_names(one, [own.name for own in fields(NetworkInput)], f"{place} input {number}")
