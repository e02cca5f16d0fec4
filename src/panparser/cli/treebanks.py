"""`panparser evaluate`, `panparser validate` and `panparser stats`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Annotated, Any

import typer

from panparser.cli.app import FileFormat, app, is_quiet, print_table, progress
from panparser.errors import ConlluError
from panparser.evaluation.metrics import DESCRIPTIONS, Difference, Evaluation, compare
from panparser.evaluation.metrics import evaluate as score
from panparser.treebank.conllu import iter_conllu, read_conllu, refusal
from panparser.treebank.statistics import stats as count
from panparser.treebank.treebank import Problem, Treebank

_SHOWN = 20  # rows of a distribution that a person wants to see at once


_File = typer.Argument(metavar="FILE", help="A CoNLL-U or CoNLL-X file; - is standard input; gzip, xz and zstd work.")
_Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files; - is standard input.")]
_Format = Annotated[FileFormat, typer.Option(help="CoNLL-X (2006) is recognized where the file leaves no doubt.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The reference.")],
    predicted: Annotated[str, typer.Argument(metavar="PREDICTED", help="What a parser made of the same text.")],
    second: Annotated[
        str | None, typer.Argument(metavar="[PREDICTED2]", help="Another prediction, to be compared with the first.")
    ] = None,
    samples: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Bootstrap samples; 0: no intervals (comparing takes 1000).")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 1,
    format: _Format = FileFormat.auto,
    as_json: _Json = False,
) -> None:
    """Score predictions: the metrics of the CoNLL 2018 shared task, and more.

    Words are aligned through the text, so tokenization may differ. Intervals (95 %) are by bootstrap over sentences;
    two predictions are compared with a paired bootstrap and with approximate randomization.

    Examples:

      panparser evaluate gold.conllu predicted.conllu

      panparser evaluate gold.conllu ours.conllu theirs.conllu --json
    """
    with progress() as report:
        report("reading", 0, 0)
        files = [read_to_score(path, format.value) for path in (gold, predicted, second) if path is not None]
        report("scoring", 0, 0)
        results = [score(files[0], file, samples=samples, seed=seed) for file in files[1:]]
        differences = compare(*results, samples=samples or 1000, seed=seed) if second is not None else {}
    if as_json:
        values = results[0].to_values()
        if second is not None:
            values["second"] = results[1].to_values()
            values["comparison"] = {name: vars(difference) for name, difference in differences.items()}
        print(json.dumps(values, indent=2))
    elif not is_quiet():
        for path, result in zip((predicted, second), results, strict=False):
            print(f"{path}\n")
            _print_scores(result)
            print()
        if second is not None:
            _print_differences(predicted, second, differences)


def read_to_score(path: str, format: Any = "auto") -> Treebank:
    """A file, whatever is wrong with it as long as every sentence can be read; what is wrong is said in one line."""
    treebank = read_conllu(path, format=format, lenient=True)
    problems = treebank.problems
    if fatal := [problem for problem in problems if problem.fatal]:
        raise refusal(fatal)
    if problems and not is_quiet():
        print(f"panparser: {path}: {len(problems)} problems; the first: {problems[0]}", file=sys.stderr)
    return treebank


def _print_scores(result: Evaluation) -> None:
    rows = []
    for name, each in result.scores.items():
        accuracy = "" if each.aligned_accuracy is None else f"{each.aligned_accuracy:.2f}"
        interval = "" if each.interval is None else f"{each.interval[0]:.2f} - {each.interval[1]:.2f}"
        scores = (f"{each.precision:.2f}", f"{each.recall:.2f}", f"{each.f1:.2f}", accuracy, interval)
        rows.append((name, *scores, DESCRIPTIONS.get(name, "")))
    print_table(("metric", "precision", "recall", "F1", "aligned", "95 % of F1", ""), rows, "lrrrrrl")
    if result.coverage < 100:
        print(f"\n{result.coverage:.2f} % of the predicted words have a head; precision is that of these words")


def _print_differences(first: str, second: str, differences: dict[str, Difference]) -> None:
    print(f"{second} minus {first}\n")
    rows = [
        (
            name,
            f"{each.difference:+.2f}",
            f"{each.interval[0]:+.2f} - {each.interval[1]:+.2f}",
            f"{each.p_bootstrap:.4f}",
            f"{each.p_randomization:.4f}",
        )
        for name, each in differences.items()
    ]
    print_table(("metric", "F1", "95 %", "p (bootstrap)", "p (randomization)"), rows)


@app.command()
def validate(
    files: _Files,
    single_root: Annotated[
        bool, typer.Option("--single-root/--multi-root", help="Must a sentence have one word with HEAD 0?")
    ] = True,
    most: Annotated[int | None, typer.Option(min=0, help="Show at most so many problems of each file.")] = None,
    format: _Format = FileFormat.auto,
    as_json: _Json = False,
) -> None:
    """List all that is wrong with the format and the trees of files.

    Exit code 1 if anything is, 2 if a file cannot be read at all.

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


@app.command()
def stats(files: _Files, format: _Format = FileFormat.auto, as_json: _Json = False) -> None:
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
        top = [key for key, _ in total.most_common(_SHOWN)]
        rows = [(key, *(f"{each[name].get(key, 0):,}" for each in values.values())) for key in top]
        print_table((name, *values), rows)
        if len(total) > len(top):
            print(f"... and {len(total) - len(top)} more")
