"""The command line."""

from __future__ import annotations

import io
import os
import sys

from panparser.cli import (
    analysis,
    calibrating,
    curves,
    ensembles,
    information,
    inside,
    learning,
    parsing,
    systems,
    treebanks,
)
from panparser.cli.app import app
from panparser.errors import CheckFailed, PanParserError

__all__ = [
    "analysis",
    "app",
    "calibrating",
    "curves",
    "ensembles",
    "information",
    "inside",
    "learning",
    "main",
    "parsing",
    "systems",
    "treebanks",
]


def _quiet_first(arguments: list[str]) -> list[str]:
    """--quiet may stand anywhere."""
    quiet = [argument for argument in arguments if argument in ("--quiet", "-q")]
    return [*quiet[:1], *(argument for argument in arguments if argument not in quiet)]


def main() -> None:
    """Runs the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by whoever started us
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character gets a ?
    try:
        app(_quiet_first(sys.argv[1:]), prog_name="panparser")
    except CheckFailed as error:
        print(error)
        sys.exit(1)
    except PanParserError as error:
        print(f"panparser: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads what is left
        sys.exit(141)
    except OSError as error:
        print(f"panparser: cannot write: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
