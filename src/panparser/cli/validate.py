"""`panparser validate`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Annotated, Any

import typer

from panparser.cli.terminal import (
    FileFormat,
    FilesArgument,
    InputFormatOption,
    JsonOption,
    is_quiet,
    listed,
    print_table,
    progress,
)
from panparser.errors import ConlluError
from panparser.validation.rules import RULES
from panparser.validation.validator import ValidationReport, Validator


def validate(
    files: FilesArgument,
    level: Annotated[
        int,
        typer.Option(
            min=1, max=2, help="Level: 1 for lines, columns, numbers; 2 also for annotation, trees, comments."
        ),
    ] = 2,
    ignore: Annotated[
        str | None, typer.Option("--ignore-rules", metavar="RULES", help="Rules to ignore, comma-separated.")
    ] = None,
    single_root: Annotated[
        bool, typer.Option("--single-root/--multi-root", help="Require exactly one word with HEAD 0 per sentence.")
    ] = True,
    most: Annotated[
        int, typer.Option("--max-problems", min=0, help="Maximum number of problems listed per rule and file.")
    ] = 20,
    format: InputFormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """List all errors in the format, trees and annotation of files.

    The rules are levels 1 and 2 of the validator of Universal Dependencies, under its names. All files of one call form
    one treebank, in which each sent_id must be unique. Level 1 is what a parser needs; level 2 makes trees and tags
    comparable across treebanks, without rules of single languages. CoNLL-X has rules of its own.

    Exit code 1 if there are problems other than warnings, 2 if a file cannot be read.
    """
    ignored = {*(listed(ignore) if ignore else ()), *(() if single_root else ("multiple-roots",))}
    validator = Validator(level=level, ignore=ignored, max_problems=most)
    results: list[ValidationReport] = []
    errors: dict[str, str] = {}
    with progress() as report:
        for path in files:
            try:
                check = validator.check(
                    path, format=format.value, progress=lambda found: report(found.path, found.words, 0)
                )
                results.append(check)
            except ConlluError as error:
                errors[path] = str(error)
    valid = not errors and all(result.is_valid for result in results)
    if as_json:
        print(json.dumps(_values(results, errors, valid), indent=2))
    elif not is_quiet():
        _print_problems(results, errors)
    if not valid:
        raise typer.Exit(2 if errors else 1)


def _values(results: list[ValidationReport], errors: dict[str, str], valid: bool) -> dict[str, Any]:
    values: list[dict[str, Any]] = []
    for result in results:
        problems = [vars(problem) for problem in result.problems]
        values.append({"file": result.path} | vars(result) | {"valid": result.is_valid, "problems": problems})
        del values[-1]["path"]
    values += [{"file": path, "valid": False, "error": error} for path, error in errors.items()]
    return {"valid": valid, "files": values}


def _print_problems(results: list[ValidationReport], errors: dict[str, str]) -> None:
    for result in results:
        for problem in result.problems:
            warning = ", a warning" if problem.rule in RULES and RULES[problem.rule].warning else ""
            print(f"{problem} [{problem.rule}{warning}]")
        if (hidden := result.counts.total() - len(result.problems)) > 0:
            print(f"... and {hidden:,} more in {result.path} (see --max-problems)")
    for error in errors.values():
        print(f"panparser: {error}", file=sys.stderr)
    counts = sum((result.counts for result in results), Counter[str]())
    if counts:
        print()
        print_table(("rule", "level", "problems", ""), [_row(*count) for count in counts.most_common()], "lrrl")
        print()
    rows = [
        (
            result.path,
            *(f"{n:,}" for n in (result.sentences, result.words, result.unreadable_sentences, result.counts.total())),
        )
        for result in results
    ]
    rows += [(path, "", "", "", "not read") for path in errors]
    print_table(("file", "sentences", "words", "unreadable", "problems"), rows, "lrrrr")


def _row(name: str, count: int) -> tuple[str, str, str, str]:
    rule = RULES.get(name)  # those of CoNLL-X are not among them
    return name, str(rule.level) if rule else "", f"{count:,}", rule.expected if rule else ""
