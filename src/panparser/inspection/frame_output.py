"""Tables of pandas on the command line: printed, or written as CSV."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from panparser.cli.terminal import print_values
from panparser.errors import PanParserError

if TYPE_CHECKING:
    import pandas as pd


def import_with_pandas(module: str) -> Any:
    """Import a module of this package that needs pandas; raise PanParserError that says how to install it."""
    try:
        return import_module(f"panparser.inspection.{module}")
    except ImportError as error:
        raise PanParserError(f"{error}: pip install 'panparser[analysis]'") from None


def print_rows_or_csv(frame: pd.DataFrame, as_csv: bool) -> None:
    if as_csv:
        print(frame.to_csv(index=False), end="")
    else:
        print_rows(frame)


def print_rows(frame: pd.DataFrame) -> None:
    """A table with two digits after the point; columns of texts to the left."""
    print_values([str(name) for name in frame.columns], list(frame.itertuples(index=False, name=None)))
