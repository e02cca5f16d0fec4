"""The application and its global options."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.help import App, Group

app = App(
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Transition-based dependency parsing: text to trees, and parsers from treebanks.

`panparser COMMAND -h` explains a command.

Examples:

  panparser parse --text "They ate the pizza with anchovies." --output-format tree

  panparser parse novel.txt -o novel.conllu

  panparser train --pipeline -t train.conllu -d dev.conllu -o my.panparser

  panparser parse -m my.panparser test.conllu -o parsed.conllu

  panparser evaluate test.conllu parsed.conllu

  panparser analyze test.conllu parsed.conllu --report report.html

  panparser check arc-eager
""",
)


_state = {"quiet": False}


def is_quiet() -> bool:
    """Was --quiet given?"""
    return _state["quiet"]


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    _state["quiet"] = quiet
    if version:
        from panparser import __version__

        print(f"panparser {__version__}")
        raise typer.Exit
