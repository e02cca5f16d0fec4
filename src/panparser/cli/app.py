"""The application and its global options."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Transition-based dependency parsing.

Examples:

  panparser train -t train.conllu -d dev.conllu -o en.panparser

  panparser parse -m en.panparser raw.conllu -o parsed.conllu

  panparser systems arc-hybrid

  panparser check arc-eager --root first

  panparser derive arc-hybrid

  panparser validate train.conllu

  panparser evaluate gold.conllu mine.conllu

  panparser analyze gold.conllu mine.conllu --by upos

  panparser combine a.conllu b.conllu c.conllu -o best.conllu
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
