"""`panparser evaluate`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from panparser._threads import cores
from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption, JsonOption
from panparser.cli.inputs import read_to_score
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.errors import SpecError
from panparser.evaluation.metrics import DESCRIPTIONS, Difference, Evaluation, compare
from panparser.evaluation.metrics import evaluate as score
from panparser.text.raw import raw_text
from panparser.treebank.treebank import Treebank


@app.command()
def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The reference.")],
    predicted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PREDICTED]...", help="What a parser made of the same text; two are compared."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Score what this model makes of GOLD; it may come twice."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Give the model the raw text of GOLD, in place of its tokens.")
    ] = False,
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

    LAS is that of the shared task: subtypes of labels do not count. Training selects by full labels; FullLAS has that.

    With -m, a pipeline is given the tokens of GOLD and predicts the rest (with --raw, its text alone); a parser alone
    reads the tags of GOLD.

    Examples:

      panparser evaluate gold.conllu predicted.conllu

      panparser evaluate gold.conllu ours.conllu theirs.conllu --json

      panparser evaluate -m en.panparser test.conllu --raw

      panparser evaluate -m ours.panparser -m theirs.panparser test.conllu
    """
    names = [*(models or ()), *(predicted or ())]
    if not 1 <= len(names) <= 2:
        raise SpecError(f"expected one or two predictions, as files or with -m MODEL, found {len(names)}")
    if raw and not models:
        raise SpecError("--raw is for models: expected -m MODEL")
    with progress() as report:
        report("reading", 0, 0)
        reference = read_to_score(gold, format.value)
        files = []
        for model in models or ():
            report(f"parsing with {model}", 0, 0)
            files.append(_parsed(model, reference, raw))
        files += [read_to_score(path, format.value) for path in predicted or ()]
        report("scoring", 0, 0)
        results = [score(reference, file, samples=samples, seed=seed) for file in files]
        differences = compare(*results, samples=samples or 1000, seed=seed) if len(results) > 1 else {}
    if as_json:
        values = results[0].to_values()
        if len(results) > 1:
            values["second"] = results[1].to_values()
            values["comparison"] = {name: vars(difference) for name, difference in differences.items()}
        print(json.dumps(values, indent=2))
    elif not is_quiet():
        for name, result in zip(names, results, strict=True):
            print(f"{name}\n")
            _print_scores(result)
            print()
        if len(results) > 1:
            _print_differences(names[0], names[1], differences)


def _parsed(model: str, reference: Treebank, raw: bool) -> Treebank:
    """What a model makes of a treebank, or of its text."""
    from panparser.pipeline.loading import load  # which takes time, and is not needed to compare files
    from panparser.pipeline.pipeline import Pipeline

    pipeline = Pipeline.of(load(model))
    if raw:
        if pipeline.tokenizer is None:
            raise SpecError(f"--raw: {model} has no tokenizer")
        return pipeline(raw_text(reference).text, threads=cores())
    found = reference.copy()
    found.heads[:] = -1
    found.column("deprel")[:] = found.id_of("deprel", "_")
    pipeline.annotate(found, threads=cores())
    return found


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
