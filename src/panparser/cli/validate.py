"""`panparser validate`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FilesArgument, FormatOption, JsonOption
from panparser.cli.inputs import listed
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.errors import ConlluError
from panparser.treebank.validation.rules import RULES
from panparser.treebank.validation.validator import Validation, Validator


@app.command()
def validate(
    files: FilesArgument,
    level: Annotated[
        int, typer.Option(min=1, max=2, help="1: lines, columns, numbers; 2: also annotations, trees and comments.")
    ] = 2,
    ignore: Annotated[
        str | None, typer.Option(metavar="RULES", help="Rules that do not matter, joined by commas.")
    ] = None,
    single_root: Annotated[
        bool, typer.Option("--single-root/--multi-root", help="Must a sentence have one word with HEAD 0?")
    ] = True,
    most: Annotated[int, typer.Option(min=0, help="Show at most this many problems of each rule in each file.")] = 20,
    format: FormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """List all problems in the format, the trees and the annotations of files.

    The rules are those of Universal Dependencies' own validator, under its names, for levels 1 and 2; the files of one
    call are one treebank, in which each sent_id comes once. A parser needs level 1; level 2 is the default because it
    is what makes trees and tags comparable across treebanks, and all that can be asked without knowing the language.
    CoNLL-X has rules of its own.

    Exit code 1 if there are any problems (warnings do not count), 2 if a file cannot be read at all.

    Examples:

      panparser validate train.conllu dev.conllu test.conllu

      panparser validate --level 1 train.conllu

      panparser validate parsed.conllu --ignore missing-text,missing-sent-id

      zcat big.conllu.gz | panparser validate - --most 5
    """
    ignored = {*(listed(ignore) if ignore else ()), *(() if single_root else ("multiple-roots",))}
    validator = Validator(level=level, ignore=ignored, most=most)
    results: list[Validation] = []
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
    valid = not errors and all(result.valid for result in results)
    if as_json:
        print(json.dumps(_values(results, errors, valid), indent=2))
    elif not is_quiet():
        _print_problems(results, errors)
    if not valid:
        raise typer.Exit(2 if errors else 1)


def _values(results: list[Validation], errors: dict[str, str], valid: bool) -> dict[str, Any]:
    values: list[dict[str, Any]] = []
    for result in results:
        problems = [vars(problem) for problem in result.problems]
        values.append({"file": result.path} | vars(result) | {"valid": result.valid, "problems": problems})
        del values[-1]["path"]
    values += [{"file": path, "valid": False, "error": error} for path, error in errors.items()]
    return {"valid": valid, "files": values}


def _print_problems(results: list[Validation], errors: dict[str, str]) -> None:
    for result in results:
        for problem in result.problems:
            warning = ", a warning" if problem.rule in RULES and RULES[problem.rule].warning else ""
            print(f"{problem} [{problem.rule}{warning}]")
        if (hidden := result.counts.total() - len(result.problems)) > 0:
            print(f"... and {hidden:,} more in {result.path} (--most shows more)")
    for error in errors.values():
        print(f"panparser: {error}", file=sys.stderr)
    counts = sum((result.counts for result in results), Counter[str]())
    if counts:
        print()
        print_table(("rule", "level", "problems", ""), [_row(*count) for count in counts.most_common()], "lrrl")
        print()
    rows = [
        (result.path, *(f"{n:,}" for n in (result.sentences, result.words, result.unreadable, result.counts.total())))
        for result in results
    ]
    rows += [(path, "", "", "", "not read") for path in errors]
    print_table(("file", "sentences", "words", "unreadable", "problems"), rows, "lrrrr")


def _row(name: str, count: int) -> tuple[str, str, str, str]:
    rule = RULES.get(name)  # those of CoNLL-X are not among them
    return name, str(rule.level) if rule else "", f"{count:,}", rule.expected if rule else ""
