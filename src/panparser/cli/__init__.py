"""The command line."""

from __future__ import annotations

import gc
import io
import os
import sys
from importlib import import_module

from panparser.cli.app import app
from panparser.errors import CheckFailed, PanParserError

__all__ = ["COMMANDS", "app", "main"]

# Modules and models are objects that stay: to look for garbage among them, as often as usual, takes a good part of the
# time that a command needs to start.
_OBJECTS = 100_000
COMMANDS = {  # by the module that has them: only that of the command is imported, so that it starts at once
    "analysis": "analyze",
    "calibrating": "calibrate",
    "curves": "curves",
    "ensembles": "combine vote",
    "information": "info",
    "inside": "explain weights propagation",
    "learning": "train",
    "parsing": "parse",
    "systems": "systems check derive",
    "treebanks": "validate stats evaluate",
}


def import_commands(arguments: list[str]) -> None:
    """Imports what the command at hand needs; everything if it is none, for the help and for hints."""
    asked = next((argument for argument in arguments if not argument.startswith("-")), "")
    found = [module for module, commands in COMMANDS.items() if asked in commands.split()]
    for module in found or COMMANDS:
        import_module(f"panparser.cli.{module}")


def _quiet_first(arguments: list[str]) -> list[str]:
    """--quiet may stand anywhere."""
    quiet = [argument for argument in arguments if argument in ("--quiet", "-q")]
    return [*quiet[:1], *(argument for argument in arguments if argument not in quiet)]


def main() -> None:
    """Runs the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    gc.set_threshold(_OBJECTS)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by whoever started us
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character gets a ?
    try:
        import_commands(sys.argv[1:])
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
