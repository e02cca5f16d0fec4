"""`panparser stats`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FilesArgument, FormatOption, JsonOption
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.treebank.conllu import read_conllu
from panparser.treebank.statistics import stats as count

_ROWS_SHOWN = 20  # rows of a distribution that a person wants to see at once


@app.command()
def stats(files: FilesArgument, format: FormatOption = FileFormat.auto, as_json: JsonOption = False) -> None:
    """Count sentences, words, tags and labels, and measure the trees.

    Examples:

      panparser stats train.conllu

      panparser stats train.conllu dev.conllu test.conllu --json
    """
    with progress() as report:
        values = {}
        for path in files:
            report(path, 0, 0)
            values[path] = count(read_conllu(path, format=format.value))
    if as_json:
        print(json.dumps(values, indent=2))
    elif not is_quiet():
        _print_stats(values)


def _print_stats(values: dict[str, dict[str, Any]]) -> None:
    percent = ("annotated", "head to the right", "non-projective sentences", "non-projective arcs")
    first = next(iter(values.values()))
    rows = []
    for name, sample in first.items():
        if name in ("upos", "labels"):
            continue
        if isinstance(sample, dict):
            cells = ["{mean:.2f} (median {median:.0f}, max {max})".format(**each[name]) for each in values.values()]
        else:
            unit = " %" if name in percent else ""
            cells = [f"{each[name]:.2f}{unit}" if unit else f"{each[name]:,}" for each in values.values()]
        rows.append((name, *cells))
    print_table(("", *values), rows)
    for name in ("upos", "labels"):
        print()
        total = Counter[str]()
        for each in values.values():
            total.update(each[name])
        top = [key for key, _ in total.most_common(_ROWS_SHOWN)]
        rows = [(key, *(f"{each[name].get(key, 0):,}" for each in values.values())) for key in top]
        print_table((name, *values), rows)
        if len(total) > len(top):
            print(f"... and {len(total) - len(top)} more")
