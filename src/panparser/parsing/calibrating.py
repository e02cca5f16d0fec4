"""Calibration of a parser's confidence on sentences with known heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from panparser.base.types import IntArray
from panparser.errors import SpecError, TreebankError
from panparser.parsing.confidence import ENSEMBLE, SOURCES, Calibration, ConfidenceSignals, calibration_from_signals
from panparser.parsing.parser import Parser
from panparser.treebank.treebank import Treebank


def calibrate(
    parser: Parser,
    dev: Treebank,
    *,
    ensemble: Sequence[Parser] = (),
    beam: int | None = None,
    sources: Sequence[str] | None = None,
) -> Parser:
    """Return the parser with confidence fitted to a treebank that it was not trained on.

    `ensemble`: other parsers, whose agreement is also evidence; computing confidence then needs as many of them.
    `sources`: the evidence to use, instead of all.
    """
    if not isinstance(dev, Treebank):
        raise TreebankError(f"calibrate: dev must be a Treebank; got {dev!r}")
    if not isinstance(parser, Parser):
        raise SpecError(f"calibrate: parser must be a Parser; got {parser!r}")
    evidence = parser.gather_evidence(dev, beam=beam, ensemble=ensemble)
    calibration = calibration_from_evidence(parser, evidence, dev, beam, len(ensemble), sources)
    if calibration is None:
        raise TreebankError(f"{dev.path}: expected words with known heads to calibrate confidence on, found none")
    return replace(parser, calibration=calibration)


def calibration_from_evidence(
    parser: Parser,
    evidence: ConfidenceSignals,
    gold: Treebank,
    beam: int | None = None,
    ensemble: int = 0,
    sources: Sequence[str] | None = None,
) -> Calibration | None:
    """Return the calibration that fits the evidence; None if there is nothing to fit it to."""
    known = evidence.heads >= 0
    if not parser.spec.system.partial:  # in partial systems, a head that the reference lacks is wrong
        known &= gold.heads >= 0
    if not known.any():
        return None
    chosen = tuple((*SOURCES, *(ENSEMBLE if ensemble else ())) if sources is None else sources)
    if not chosen or not set(chosen) <= set(evidence.values):
        raise SpecError(f"calibrate: sources must be some of {', '.join(evidence.values)}; got {chosen!r}")
    same = (evidence.labels == gold_labels(parser, gold))[known] if parser.spec.labeled else None
    return calibration_from_signals(
        {name: evidence.values[name][known] for name in chosen},
        (evidence.heads == gold.heads)[known],
        same,
        beam=parser.spec.beam if beam is None else beam,
        ensemble=ensemble,
    )


def gold_labels(parser: Parser, gold: Treebank) -> IntArray:
    """Return gold labels, as the parser learns them, as numbers of its labels; -2 for those that it does not have."""
    index = {name: number for number, name in enumerate(parser.label_names)}
    numbers = np.array(
        [index.get(parser.spec.learned_label(name), -2) for name in gold.vocabulary("deprel")], dtype=np.int32
    )
    return numbers[gold.column("deprel")]
