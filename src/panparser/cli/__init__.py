"""The command line."""

from __future__ import annotations

import sys

from panparser.cli import systems, treebanks
from panparser.cli.app import app
from panparser.errors import CheckFailed, PanParserError

__all__ = ["app", "main", "systems", "treebanks"]


def main() -> None:
    """Runs the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    try:
        app(prog_name="panparser")
    except CheckFailed as error:
        print(error)
        sys.exit(1)
    except PanParserError as error:
        print(f"panparser: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
