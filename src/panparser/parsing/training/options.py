"""Keyword options of `train`, for functions that pass them on."""

from __future__ import annotations

from typing import TypedDict

from panparser.features.vectors import WordVectors
from panparser.learning.classifiers import Classifier
from panparser.learning.options import SeedlessOptions, TrainingOptions
from panparser.networks.network import NetworkSpec
from panparser.parsing.parser import Parser


class _Arguments(TypedDict, total=False):
    vectors: WordVectors | None
    classifier: Classifier | None
    network: NetworkSpec | None
    init: Parser | None
    constraints: float | None  # a share of the gold heads


class ParserTrainingOptions(TrainingOptions, _Arguments, total=False):
    """Options of `train` for one parser, except its data."""


class SeedlessParserTrainingOptions(SeedlessOptions, _Arguments, total=False):
    """The same without the seed, which is given separately."""
