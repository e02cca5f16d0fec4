"""Writes the parts of the documentation that follow from something else, so that they cannot drift.

    python tools/render_docs.py            write them
    python tools/render_docs.py --check    say which are out of date (exit code 1)

docs/reference/cli.md comes from the commands themselves. Tables between <!-- table NAME --> and <!-- end -->, in
README.md and docs/, come from benchmarks/results, and those of the rules of validation from their declarations; those
between <!-- results FOLDER OPTIONS --> and <!-- end --> from runs of grids, as `panparser results --update` has them.
The pages of docs/lessons are those of `panparser step --lesson`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from enum import Enum
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
CLI_PAGE = ROOT / "docs" / "reference" / "cli.md"
LESSON_PAGES = ROOT / "docs" / "lessons"
_TABLE = re.compile(r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_CLI_HEAD = """\
# Command line

<!-- Written by tools/render_docs.py from the commands: edit their docstrings, and src/panparser/cli/examples.toml. -->

`panparser COMMAND -h` prints the same.
Everywhere, - is standard input or output, and files that end in .gz, .xz or .zst are compressed.
`-q` or `--quiet`, anywhere on the line, prints errors only; `panparser --version` prints the version.
[Exit codes](errors.md#exit-codes) are 0, 1 for a negative answer, 2 for bad input, 130 after Ctrl-C.
"""


def commands() -> dict[str, Any]:
    """All commands of the application, by name."""
    from panparser.cli.main import make_application

    return dict(make_application().commands)


def cli_page() -> str:
    """The page about the command line."""
    from panparser.cli.main import COMMANDS

    overview = ["| | command | |", "|---|---|---|"]
    for title, section in COMMANDS.items():
        first, *others = (f"| [`{name}`](#panparser-{name}) | {each.summary} |" for name, each in section.items())
        overview += [f"| {title} {first}", *(f"| {other}" for other in others)]
    sections = [_section(name, command) for name, command in commands().items()]
    return "\n".join([_CLI_HEAD, *overview, *sections]) + "\n"


def _section(name: str, command: Any) -> str:
    from panparser.cli.help import paragraphs, read_examples

    prose = [" ".join(paragraph.split()) for paragraph in paragraphs(command.help)]
    shown = "\n".join(["Examples:", "", *(f"- `{line}`" for line in read_examples()[name])])
    choices = _choices(command.callback)
    rows = [_row(parameter, choices) for parameter in command.params if "--help" not in parameter.opts]
    options = "\n".join(["| option | default | |", "|---|---|---|", *rows])
    return "\n" + "\n\n".join(part for part in (f"## panparser {name}", *prose, shown, options) if part)


def _choices(callback: Callable[..., Any]) -> dict[str, str]:
    """The values that parameters of a command may have, where these are few."""
    found = {}
    for name, annotation in get_type_hints(callback).items():
        for kind in (annotation, *get_args(annotation)):
            if isinstance(kind, type) and issubclass(kind, Enum):
                found[name] = ", ".join(f"`{each.value}`" for each in kind)
    return found


def _row(parameter: Any, choices: dict[str, str]) -> str:
    """An argument or option: its names, its default, its help."""
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        value = f" {parameter.metavar}" if parameter.metavar else ""
        names = " / ".join(f"`{', '.join(opts)}{value}`" for opts in (parameter.opts, parameter.secondary_opts) if opts)
    shown, default = parameter.show_default, parameter.default
    if isinstance(shown, str):
        default = shown
    elif callable(default) or default is None or shown is False or default in ((), [], False):
        default = ""
    elif parameter.secondary_opts:
        default = parameter.opts[0].lstrip("-")
    default = getattr(default, "value", default)
    text = " ".join((parameter.help or "").split())
    text += f" One of {choices[parameter.name]}." if parameter.name in choices else ""
    return f"| {names} | {_cell(str(default))} | {_cell(text)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _lines(name: str) -> list[str]:
    return (RESULTS / name).read_text(encoding="utf-8").splitlines()


def _fields(line: str) -> list[str]:
    return re.split(r" {2,}", line.strip())


def _plain(file: str, starts: str, head: list[str]) -> list[list[str]]:
    """The lines of a table in a result, from the one after its header to the next that is no row."""
    lines = _lines(file)
    first = next(number for number, line in enumerate(lines) if line.startswith(starts)) + 1
    rows = [head]
    for line in lines[first:]:
        fields = _fields(line)
        if len(fields) < 2:
            break
        rows.append(fields)
    return rows


def _rules(group: str) -> list[list[str]]:
    """The rules of validation that are declared together."""
    from panparser.validation import rules

    found = [[f"`{rule.name}`", _cell(rule.expected) + " (a warning)" * rule.warning] for rule in getattr(rules, group)]
    return [["rule", "what is expected"], *found]


def _keys(place: str, head: str = "key") -> list[list[str]]:
    """The keys of a section of recipes, or of a class of options in recipes, from their declarations."""
    module, _, name = place.partition(":")
    declared = getattr(import_module(f"panparser.{module}"), name)
    options = getattr(declared, "keys", None) or {
        option.recipe.key: option for option in declared.declarations.values() if option.recipe
    }
    return [[head, "default", ""], *([f"`{key}`", _default(option), option.help] for key, option in options.items())]


def _default(option: Any) -> str:
    """The default of an option in a recipe, in words if they are declared."""
    if option.usual or option.is_required:
        return str(option.usual)
    default = option.default_value()
    if default in (None, ()):
        return "none"
    plain = option.recipe.encode(default)
    if isinstance(plain, dict):
        return ""
    return f"`{json.dumps(plain)}`" if isinstance(plain, str) else json.dumps(plain)


_SECTIONS = {
    "data": "recipes.sections:DataSection",
    "sources": "recipes.sections:SourceSection",
    "parser": "recipes.sections:ParserSection",
    "network": "networks.network:NetworkSpec",
    "network-inputs": "networks.network:NetworkInput",
    "network-training": "networks.network:NetworkTraining",
    "training": "recipes.sections:TrainingSection",
    "subsample": "learning.training:Subsampling",
    "cross-validation": "recipes.sections:CrossValidationSection",
    "constraints": "recipes.sections:ConstraintsSection",
    "pipeline": "recipes.sections:PipelineSection",
    "cascade": "recipes.cascade_recipe:CascadeSection",
    "stages": "recipes.cascade_recipe:StageSection",
}
_MEASURES = ("learnability", "hardness", "complexity")  # of classes
RULES = ("rules-shape", "rules-words", "rules-trees", "rules-metadata")
WORDS = frozenset({*RULES, *(f"recipe-{name}" for name in _SECTIONS)})  # tables without figures
TABLES: dict[str, Callable[[], list[list[str]]]] = {
    **{f"recipe-{name}": partial(_keys, place) for name, place in _SECTIONS.items()},
    "rules-shape": lambda: _rules("LEVEL_1"),
    "rules-words": lambda: _rules("WORDS"),
    "rules-trees": lambda: _rules("TREES"),
    "rules-metadata": lambda: _rules("METADATA"),
    "glossed": lambda: _plain(
        "glossed.txt",
        "language ",
        ["", "sentences", "tagged", "headed", "heads UAS", "parser UAS", "from gold", "10 gold", "both", "CPU s"],
    ),
    "projected": lambda: _plain("projection.txt", "pair ", ["", "one to one", "same tag", "≥ 50 %", "≥ 80 %"]),
    "projection-votes": lambda: _plain("projection.txt", "sources ", ["", "1 vote", "2 votes", "3 votes"]),
    "projection-parsers": lambda: _plain(
        "projection.txt", "learned from ", ["learned from", "en-fr (fr_sequoia)", "en-tr (tr_imst)"]
    ),
    "predicted-tags": lambda: _plain("low_resource.txt", "predicted tags ", ["sentences", "10", "20", "50", "100"]),
    "low-resource": lambda: _plain("low_resource.txt", "UAS, ", ["sentences", "10", "20", "50", "100"]),
    "little": lambda: _plain("little.txt", "panparser transfer ", ["", "sentences", "UAS", "LAS", "by all", "methods"]),
    "sample-worth": lambda: _plain(
        "sample_worth.txt",
        "break-even, ",
        ["sentences", "transfer", "rewritten", "median language", "least", "most", "thesis, transfer"],
    ),
    "sample-curves": lambda: _plain(
        "sample_worth.txt",
        "UAS, ",
        ["sentences", "2", "5", "10", "20", "50", "100", "200", "500", "transfer", "rewritten"],
    ),
    "class-measures": lambda: _plain(
        "sample_worth.txt",
        "tag and direction ",
        ["", "share", *_MEASURES, "break-even", *(f"{name}, thesis" for name in _MEASURES)],
    ),
    "tag-models": lambda: _plain(
        "tag_models.txt",
        "UAS of ",
        ["", "min", "median", "max", "mean", "gain", "better", "worse", "thesis"],
    ),
    "reuse": lambda: _plain(
        "cascades_over_languages.txt", "reuse: UAS", ["", "fr_sequoia", "en_lines", "hu", "mean", "slides, French"]
    ),
    "self-training": lambda: _plain("cascades_over_languages.txt", "3 targets ", ["sentences", "10", "50"]),
    "plans": lambda: _plain("cascades_over_languages.txt", "5 targets ", ["sentences", "10", "20", "50"]),
    "partial-words": lambda: _plain(
        "cascades_over_languages.txt", "words of regions ", ["", "complete, kept", "partial training", "partial parser"]
    ),
    "partial-uas": lambda: _plain(
        "cascades_over_languages.txt", "UAS under arcs of ", ["", "gold", "complete, kept", "partial parser"]
    ),
}


def with_tables(text: str) -> str:
    """A page with its tables as the results have them."""

    def write(match: re.Match[str]) -> str:
        head, *rows = TABLES[match[2]]()
        rule = ["---", *["---" if match[2] in WORDS else "---:"] * (len(head) - 1)]
        return match[1] + "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows)) + match[3]

    return _TABLE.sub(write, text)


def outdated() -> dict[Path, str]:
    """Pages that are not what they should be, with what they should be."""
    from panparser.inspection.lessons import LESSONS, show_lesson
    from panparser.lab.figures import with_results

    found = {CLI_PAGE: cli_page()}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if page != CLI_PAGE:
            found[page] = with_results(with_tables(page.read_text(encoding="utf-8")), page)
    for name in LESSONS:
        found[LESSON_PAGES / f"{name}.html"] = show_lesson(name).to_html()
    return {page: text for page, text in found.items() if not page.exists() or page.read_text(encoding="utf-8") != text}


def main() -> int:
    pages = outdated()
    for page, text in pages.items():
        print(
            f"{page.relative_to(ROOT)} is out of date" if "--check" in sys.argv else f"writes {page.relative_to(ROOT)}"
        )
        if "--check" not in sys.argv:
            page.parent.mkdir(exist_ok=True)
            page.write_text(text, encoding="utf-8")
    return int(bool(pages) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
