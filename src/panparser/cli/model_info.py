"""What `panparser info` shows of a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from panparser.batches.classifier import StoredClassifier
from panparser.cli.descriptions import show_parts
from panparser.cli.terminal import is_quiet, print_table
from panparser.learning.training_record import TrainingRecord
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import MODELS, find
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.tagging.tagger import Tagger
from panparser.text.lemmatizer import Lemmatizer
from panparser.text.tokenizer import Tokenizer

_NETWORK = "network"  # the name of classifiers that are networks


def show_model(path: str, as_json: bool) -> None:
    """Print what a model is made of, and how it was trained."""
    model = load(path, StoredClassifier)
    if isinstance(model, Tokenizer | Lemmatizer):
        model = Pipeline.from_model(model)
    manifest = model.manifest()
    place = Path(find(path))
    size, weights = place.stat().st_size if place.is_file() else None, model.weight_bytes
    if as_json:
        print(json.dumps(manifest | {"file_size": size, "weights_size": weights}, indent=2, ensure_ascii=False))
        return
    if is_quiet():
        return
    sizes = f"{weights:,} bytes of weights" if size is None else f"{size:,} bytes ({weights:,} of weights)"
    rows = [("file", f"{path}, format {manifest['format']}, {sizes}"), *_training_rows(model.training)]
    if isinstance(model, Parser):
        _show_parser(model, rows)
    elif isinstance(model, Tagger):
        _show_tagger(model, rows)
    elif model.kind == "network-tagger":
        print_table((), [rows[0], ("tagger", "+".join(model.columns)), *_classifier_rows(model), *rows[1:]], "ll")
        _print_epochs(model.training, {"accuracy": "accuracy"})
    else:
        card = place.with_suffix(".md")
        if card.parent == MODELS:
            rows.insert(1, ("card", f"{card} (data, scores, license)"))
        parser: Any = getattr(model, "parser", None)
        show_parts(model, [*rows, *(_classifier_rows(parser) if _is_network(parser) else [])])


def _show_parser(parser: Parser, rows: list[tuple[str, str]]) -> None:
    """What it is made of, between a first row and those of its training; then its epochs."""
    spec, (first, *rest) = parser.spec, rows
    single = "one child of Root" if spec.system.single_root else "any number of roots"
    own = [
        ("system", f"{spec.system.name}, Root {spec.system.root}, {single}"),
        *_classifier_rows(parser),
        (
            "beam",
            f"{spec.beam}, margin {parser.pruning_margin:,}" if parser.pruning_margin is not None else str(spec.beam),
        ),
        ("confidence", f"calibrated on {parser.calibration.words:,} words" if parser.calibration else "not calibrated"),
        *([] if _is_network(parser) else [("templates", str(len(spec.used_templates)))]),
        ("labels", " ".join(parser.label_names) if spec.labeled else "none: unlabeled"),
        ("crossing arcs", spec.crossing),
        *_voter_rows(parser),
    ]
    print_table((), [first, *own, *rest], "ll")
    _print_epochs(parser.training, {"UAS": "uas", "LAS": "las"})


def _is_network(model: object) -> bool:
    return getattr(getattr(model, "classifier", None), "name", None) == _NETWORK


def _classifier_rows(model: Any) -> list[tuple[str, str]]:
    """The name of the classifier, or what its network is made of."""
    if model.classifier is None:
        return []
    if not _is_network(model):
        return [("classifier", model.classifier.name)]
    from panparser.networks.encoding import count_weights
    from panparser.networks.network import NetworkSpec  # only here: most models have none

    network = NetworkSpec.from_values(model.classifier.to_values()["network"])
    return [
        *network.describe().items(),
        ("parameters", f"{count_weights(model.classifier.to_arrays()):,}, as {network.precision}"),
    ]


def _show_tagger(tagger: Tagger, rows: list[tuple[str, str]]) -> None:
    """What it tags and sees, between a first row and those of its training; then its epochs."""
    spec, (first, *rest) = tagger.spec, rows
    print_table(
        (),
        [
            first,
            ("tagger", f"{'+'.join(spec.columns)}, {len(tagger.tags):,} tags"),
            ("beam", str(spec.beam)),
            ("templates", str(len(spec.templates))),
            ("dictionary", f"{len(tagger.dictionary):,} words" if spec.dictionary else "none"),
            *rest,
        ],
        "ll",
    )
    _print_epochs(tagger.training, {"accuracy": "accuracy"})


def _voter_rows(parser: Parser) -> list[tuple[str, str]]:
    """Of each parser that votes: its weight, what it sees, what it was trained on."""
    rows = []
    for number, voter in enumerate(parser.voters, start=1):
        known = {name: voter.training.get(name) for name in ("seed", "words")}
        trained = "".join(f", {name} {value:,}" for name, value in known.items() if isinstance(value, int))
        seen = f"{len(voter.templates)} templates, {len(voter.labels)} labels"
        rows.append((f"voter {number}", f"weight {voter.weight:g}, {seen}{trained}"))
    return rows + ([("weights", str(parser.training.weights))] if rows else [])


def _training_rows(training: Mapping[str, Any]) -> list[tuple[str, str]]:
    shown: dict[str, Callable[[Any], str | None]] = {
        "strategy": lambda value: value if isinstance(value, str) else _pairs(value),
        "seed": str,
        "prune": lambda value: f"weights below {value:g} updates" if value else None,
        "max_size": lambda value: f"{value:,} bytes" if value else None,
        "batch": "{:,} sentences".format,
        "subsample": _pairs,
        "treebank_weights": lambda value: ", ".join(
            f"{each['weight']:g} ({each['sentences']:,} sentences)" for each in value or ()
        ),
        "restricted": lambda value: f"weights of {len(value)} templates only" if value else None,
        "init": lambda value: "went on from another model" if value else None,
        "self_training": _rounds,
        "constraints": lambda value: f"{value['share']:g} of the heads" if "share" in (value or {}) else "other heads",
        "given": lambda value: f"{value} arcs of the stages before",
        "interrupted": lambda value: "yes" if value else None,
        "sentences": "{:,}".format,
        "words": "{:,}".format,
    }
    rows = [(name.replace("_", " "), show(training[name])) for name, show in shown.items() if name in training]
    if training.get("transfer"):
        from panparser.recipes.sections import extension  # lazy: few models have such a record

        rows += extension("transfer")(training["transfer"])
    rows += [(f"{name} SHA-256", digest) for name, digest in training.get("data", {}).items()]
    return [(name, text) for name, text in rows if text]


def _rounds(record: Mapping[str, Any] | None) -> str | None:
    """The round of self-training that was kept."""
    if record is None:
        return None
    if not record["chosen"]:
        return "tried, and left out"
    words = record["rounds"][record["chosen"]]["words"]
    return f"round {record['chosen']}: {words:,} of {record['text']:,} words, confidence at least {record['least']:g}"


def _pairs(values: Mapping[str, Any] | None) -> str:
    return " ".join(f"{name}={_shown(value)}" for name, value in (values or {}).items())


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({_pairs(value)})"
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def _print_epochs(record: TrainingRecord, scores: Mapping[str, str]) -> None:
    """A row for each epoch, with scores by title and name; the epoch that was kept has a star."""
    if not record.history:
        return
    print()
    rows = []
    for report in record.history:
        found = [getattr(report, name, None) for name in scores.values()]
        star = "*" if report.epoch == record.best_epoch else ""
        cells = ("" if score is None else f"{score:.2f}" for score in found)
        rows.append((f"{report.epoch}{star}", f"{report.updates:,}", *cells))
    print_table(("epoch", "updates", *scores), rows)
