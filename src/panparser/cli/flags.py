"""Errors about the arguments of a function, in terms of the flags of its command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from panparser.errors import PanParserError


@contextmanager
def in_flags(owner: str, **flags: str) -> Iterator[None]:
    """Turns `method of OWNER` into `--method`, in errors, and `(raw)` into `(--raw)`, if `flags` has that name.

    A flag has the name of the argument, with hyphens, unless `flags` has another.
    """
    try:
        yield
    except PanParserError as error:
        text = re.sub(rf"\b(\w+) of {owner}\b", lambda found: _flag(found[1], flags), str(error))
        text = re.sub(r"\((\w+)\)", lambda found: f"({flags[found[1]]})" if found[1] in flags else found[0], text)
        if text == str(error):
            raise
        raise type(error)(text) from None


def _flag(argument: str, flags: dict[str, str]) -> str:
    return flags.get(argument, f"--{argument.replace('_', '-')}")
