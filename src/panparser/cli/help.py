"""Help texts: usage, one sentence and the options first, explanations and examples below them."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_MAX_NAMES = 30  # columns of names of options; longer ones have a line of their own
# Parts of a command line that stay together: an option or an operator of the shell with its value, a text in quotes.
_PART = re.compile(r"""(?:(?:-+\w[\w-]*|[|<>])\s+)?(?:"[^"]*"|'[^']*'|[^\s-]\S*)|\S+""")
_KINDS = {"<int( range)?>|INTEGER( RANGE)?": "N", "<float( range)?>|FLOAT( RANGE)?": "X", "<str>": "NAME"}  # of values
_QUOTED = re.compile("`[^`]+`")


class Command(TyperCommand):
    """A command whose help begins with what it takes."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _write_help(self, ctx, formatter)


class Group(TyperGroup):
    """All commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        listed = [(name, _paragraphs(command.help)[0]) for name, command in self.commands.items()]
        _write_help(self, ctx, formatter, sorted(listed))


class App(typer.Typer):
    """An application of such commands."""

    def command(self, name: str | None = None, **options: Any) -> Callable[..., Any]:
        return super().command(name, cls=Command, **options)


def _write_help(
    command: TyperCommand | TyperGroup, ctx: Any, formatter: Any, commands: Iterable[tuple[str, str]] = ()
) -> None:
    short, *long = _paragraphs(command.help)
    parameters = command.get_params(ctx)
    sections = {
        "Commands": commands,
        "Arguments": [each.get_help_record(ctx) for each in parameters if each.param_type_name == "argument"],
        "Options": [each.get_help_record(ctx) for each in parameters if each.param_type_name == "option"],
    }
    command.format_usage(ctx, formatter)
    blocks = [_wrapped(short, formatter.width, "  ")]
    for title, records in sections.items():
        if rows := [row for row in records if row]:
            blocks.append(f"{title}:\n{_table(rows, formatter.width)}")
    examples = [text for text in long if text.startswith(" ")]
    blocks += [_wrapped(text, formatter.width, "") for text in long if text not in examples]
    if examples:
        blocks[-1] += "\n" + "\n".join(_command_line(text.strip(), formatter.width) for text in examples)
    formatter.write("\n" + "\n\n".join(blocks) + "\n")


def _paragraphs(text: str | None) -> list[str]:
    """The paragraphs of a docstring; examples are indented."""
    return inspect.cleandoc(text or "").split("\n\n")


def _wrapped(text: str, width: int, indent: str, first: str | None = None) -> str:
    """Lines that break at spaces alone, and not inside backticks: names of options stay whole."""
    text = " ".join(text.split()) if first is None else text
    return textwrap.fill(
        _QUOTED.sub(lambda quoted: quoted[0].replace(" ", "\xa0"), text),
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    ).replace("\xa0", " ")


def _table(rows: list[tuple[str, str]], width: int) -> str:
    """Names and what they mean, in two columns."""
    column = min(_MAX_NAMES, max(len(names) for names, _ in rows)) + 2
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
    """An example, which the shell reads as one line even where it is broken."""
    lines, indent = [""], "  "
    for part in _PART.findall(text):
        if lines[-1] and len(f"{indent}{lines[-1]} {part} \\") > width:
            lines.append("")
            indent = "      "
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n      ".join(lines).join(["  ", ""])
