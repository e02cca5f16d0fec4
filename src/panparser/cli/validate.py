"""`panparser validate`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FilesArgument, FormatOption, JsonOption
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.errors import ConlluError
from panparser.treebank.conllu import iter_conllu
from panparser.treebank.treebank import Problem


@app.command()
def validate(
    files: FilesArgument,
    single_root: Annotated[
        bool, typer.Option("--single-root/--multi-root", help="Must a sentence have one word with HEAD 0?")
    ] = True,
    most: Annotated[int | None, typer.Option(min=0, help="Show at most this many problems of each file.")] = None,
    format: FormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """List all problems in the format and the trees of files.

    Exit code 1 if there are any, 2 if a file cannot be read at all.

    Examples:

      panparser validate train.conllu dev.conllu

      zcat big.conllu.gz | panparser validate - --most 20
    """
    results = []
    with progress() as report:
        for path in files:
            result: dict[str, Any] = {"file": path, "sentences": 0, "words": 0, "unreadable": 0, "problems": []}
            results.append(result)
            options: dict[str, Any] = {"lenient": True, "single_root": single_root, "thorough": True}
            try:
                for part in iter_conllu(path, format=format.value, **options):
                    result["sentences"] += len(part)
                    result["words"] += part.words
                    result["unreadable"] += part.dropped
                    result["problems"] += part.problems
                    report(path, result["words"], 0)
            except ConlluError as error:
                result["error"] = str(error)
    valid = not any(result["problems"] or "error" in result for result in results)
    if as_json:
        values = [result | {"problems": [vars(problem) for problem in result["problems"]]} for result in results]
        print(json.dumps({"valid": valid, "files": values}, indent=2))
    elif not is_quiet():
        _print_problems(results, most)
    if any("error" in result for result in results):
        raise typer.Exit(2)
    if not valid:
        raise typer.Exit(1)


def _print_problems(results: list[dict[str, Any]], most: int | None) -> None:
    for result in results:
        problems: list[Problem] = result["problems"]
        for problem in problems[:most]:
            print(f"{problem} [{problem.rule}]")
        if most is not None and len(problems) > most:
            print(f"... and {len(problems) - most} more in {result['file']}")
        if "error" in result:
            print(f"panparser: {result['error']}", file=sys.stderr)
    if any(result["problems"] for result in results):
        print()
    rows = []
    for result in results:
        counts = Counter(problem.rule for problem in result["problems"])
        kinds = ", ".join(f"{number} {rule}" for rule, number in counts.most_common()) or "none"
        numbers = (f"{result['sentences']:,}", f"{result['words']:,}", f"{result['unreadable']:,}")
        rows.append((result["file"], *numbers, "not read" if "error" in result else kinds))
    print_table(("file", "sentences", "words", "unreadable", "problems"), rows, "lrrrl")
