"""Help: usage, one sentence and the options first, explanations and examples below them."""

from __future__ import annotations

import inspect
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from panparser.cli.terminal import set_quiet

EXAMPLES_FILE = Path(__file__).with_name("examples.toml")
MAX_NAMES_WIDTH = 30  # columns of names of options; longer ones have a line of their own
# Parts of a command line that stay together: an option or an operator of the shell with its value, a text in quotes.
_PART = re.compile(r"""(?:(?:-+\w[\w-]*|[|<>])\s+)?(?:"[^"]*"|'[^']*'|[^\s-]\S*)|\S+""")
_KINDS = {"<int( range)?>|INTEGER( RANGE)?": "N", "<float( range)?>|FLOAT( RANGE)?": "X", "<str>": "NAME"}  # of values
_QUOTED = re.compile("`[^`]+`")

Summaries = Mapping[str, Mapping[str, str]]  # of commands, by name, in sections
Load = Callable[[str], Callable[..., None]]


@cache
def read_examples() -> dict[str, list[str]]:
    """Return the examples of each command; those of `panparser` itself are what to try first."""
    examples: dict[str, list[str]] = tomllib.loads(EXAMPLES_FILE.read_text(encoding="utf-8"))
    return examples


# --- Commands ---


class CommandWithHelp(TyperCommand):
    """A command whose help begins with its arguments and options."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        short, *long = paragraphs(self.help)
        width = formatter.width
        self.format_usage(ctx, formatter)
        blocks = [_wrapped(short, width, "  ")]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            parameters = [each for each in self.get_params(ctx) if each.param_type_name == kind]
            if rows := [row for parameter in parameters if (row := parameter.get_help_record(ctx))]:
                blocks.append(f"{title}:\n{_table(rows, width)}")
        blocks += [_wrapped(text, width, "") for text in long]
        if lines := read_examples().get(str(self.name)):
            blocks.append("Examples:\n" + "\n".join(_command_line(line, width) for line in lines))
        formatter.write("\n" + "\n\n".join(blocks) + "\n")


class CommandGroup(TyperGroup):
    """All commands, in sections."""

    summaries: Summaries  # set by make_group

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        width = formatter.width
        self.format_usage(ctx, formatter)
        blocks = ["\n".join(_command_line(line, width) for line in read_examples()["panparser"])]
        column = max(map(len, self.commands))
        blocks += [f"{title}:\n{_table([*rows.items()], width, column)}" for title, rows in self.summaries.items()]
        options = [row for parameter in self.get_params(ctx) if (row := parameter.get_help_record(ctx))]
        blocks += [f"Options:\n{_table(options, width)}", str(self.help)]
        formatter.write("\n" + "\n\n".join(blocks) + "\n")


class LazyCommands(Mapping[str, Any]):
    """Commands by name, each imported when it is looked up."""

    def __init__(self, summaries: Summaries, load: Load) -> None:
        self._names = [name for section in summaries.values() for name in section]
        self._load = load

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name, cls=CommandWithHelp)(self._load(name))
        return typer.main.get_command(single)


def make_group(summaries: Summaries, load: Load) -> CommandGroup:
    """Return the command `panparser`, with a summary of each subcommand and a function that imports it."""
    group = cast(CommandGroup, typer.main.get_command(_APPLICATION))
    group.summaries = summaries
    group.commands = cast(Any, LazyCommands(summaries, load))  # click only reads it
    return group


_APPLICATION = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="COMMAND [OPTIONS]",
    options_metavar="",
    help="`panparser COMMAND -h` explains a command.",
)


@_APPLICATION.callback(invoke_without_command=True)
def _set_options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    set_quiet(quiet)
    if version:
        from panparser import __version__

        print(f"panparser {__version__}")
        raise typer.Exit


# --- Layout ---


def paragraphs(docstring: str | None) -> list[str]:
    """Return the paragraphs of a docstring."""
    return inspect.cleandoc(docstring or "").split("\n\n")


def _wrapped(text: str, width: int, indent: str, first: str | None = None) -> str:
    """Break lines at spaces only, and not inside backticks, so that names of options stay whole."""
    text = " ".join(text.split()) if first is None else text
    return textwrap.fill(
        _QUOTED.sub(lambda quoted: quoted[0].replace(" ", "\xa0"), text),
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    ).replace("\xa0", " ")


def _table(rows: list[tuple[str, str]], width: int, names_width: int | None = None) -> str:
    """Return names and their texts in two columns."""
    column = (names_width or min(MAX_NAMES_WIDTH, max(len(names) for names, _ in rows))) + 2
    lines = []
    for names, text in rows:
        for kind, name in _KINDS.items():
            names = re.sub(kind, name, names)
        start = f"  {names:<{column}}"
        if len(names) > column - 2:
            lines.append(f"  {names}")
            start = " " * (column + 2)
        lines.append(_wrapped(text, width, " " * (column + 2), start).rstrip())
    return "\n".join(lines)


def _command_line(text: str, width: int) -> str:
    """Break a command line so that the shell still reads it as one."""
    lines, indent = [""], "  "
    for part in _PART.findall(text):
        if lines[-1] and len(f"{indent}{lines[-1]} {part} \\") > width:
            lines.append("")
            indent = "      "
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n      ".join(lines).join(["  ", ""])
