"""The command line."""

from panparser.cli.main import main

__all__ = ["main"]
