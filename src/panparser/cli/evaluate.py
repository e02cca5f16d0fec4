"""`panparser evaluate`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from panparser.base.threads import cores
from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    JsonOption,
    SeedOption,
    is_quiet,
    print_table,
    progress,
    read_to_score,
)
from panparser.errors import SpecError
from panparser.evaluation.metrics import DESCRIPTIONS, Difference, Evaluation, compare_evaluations
from panparser.evaluation.metrics import evaluate as score
from panparser.text.raw_text import extract_raw_text
from panparser.treebank.treebank import Treebank


def evaluate(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Gold treebank.")],
    predicted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PREDICTED]...", help="Predictions for the same text; two are compared."),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Model whose predictions to score; repeatable."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--from-raw-text", help="Parse the raw text of GOLD instead of its tokens (with --model).")
    ] = False,
    samples: Annotated[
        int,
        typer.Option("--bootstrap-samples", min=0, max=1_000_000, help="Number of bootstrap samples; 0: no intervals."),
    ] = 1000,
    seed: SeedOption = 1,
    format: InputFormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """Score predictions with the CoNLL 2018 metrics.

    Words are aligned through the text, so tokenization may differ. Confidence intervals (95 %) are computed by
    bootstrap over sentences; two predictions are compared with a paired bootstrap and approximate randomization (1000
    samples, also with --bootstrap-samples 0).

    LAS ignores label subtypes, as in the shared task. Training selects epochs by full labels: FullLAS.

    With --model, a pipeline gets the tokens of GOLD (or its raw text, with --from-raw-text) and predicts everything
    else; a single parser reads the tags of GOLD.
    """
    names = [*(models or ()), *(predicted or ())]
    if not 1 <= len(names) <= 2:
        raise SpecError(f"expected one or two predictions, as files or with --model; got {len(names)}")
    if raw and not models:
        raise SpecError("--from-raw-text requires --model")
    with progress() as report:
        report("reading", 0, 0)
        reference = read_to_score(gold, format.value)
        files = []
        for model in models or ():
            report(f"parsing with {model}", 0, 0)
            files.append(_parsed(model, reference, raw))
        files += [read_to_score(path, format.value) for path in predicted or ()]
        report("scoring", 0, 0)
        results = [score(reference, file, bootstrap_samples=samples, seed=seed) for file in files]
        differences = (
            compare_evaluations(*results, bootstrap_samples=samples or 1000, seed=seed) if len(results) > 1 else {}
        )
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

    pipeline = Pipeline.from_model(load(model))
    if raw:
        if pipeline.tokenizer is None:
            raise SpecError(f"--from-raw-text: {model} has no tokenizer")
        return pipeline(extract_raw_text(reference).text, threads=cores())
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
