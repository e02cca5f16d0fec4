"""`panparser evaluate`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption, JsonOption
from panparser.cli.inputs import read_to_score
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.evaluation.metrics import DESCRIPTIONS, Difference, Evaluation, compare
from panparser.evaluation.metrics import evaluate as score


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
    format: FormatOption = FileFormat.auto,
    as_json: JsonOption = False,
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
