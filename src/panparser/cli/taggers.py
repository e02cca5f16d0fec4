"""What the command line shows of taggers."""

from __future__ import annotations

from panparser.cli.app import print_table
from panparser.sequences.tagger import Tagger


def show_tagger(tagger: Tagger, rows: list[tuple[str, str]]) -> None:
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
    if history := tagger.training.get("history"):
        best = tagger.training.get("best_epoch")
        print()
        epochs = [
            (
                f"{report['epoch']}{'*' if report['epoch'] == best else ''}",
                f"{report['updates']:,}",
                "" if report["accuracy"] is None else f"{report['accuracy']:.2f}",
            )
            for report in history
        ]
        print_table(("epoch", "updates", "accuracy"), epochs, "lrr")
