"""[[sources]] and [typology] of a recipe, and `transfer_recipe`: a transferred model as a recipe."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from panparser.base.kinds import check, text
from panparser.errors import SpecError
from panparser.learning.strategies import TrainingStrategy
from panparser.parsing.parser import Parser
from panparser.recipes.recipe import Recipe
from panparser.recipes.sections import (
    DataSection,
    ParserSection,
    PipelineSection,
    SourceSection,
    TrainingSection,
    describe_strategy,
)
from panparser.transfer.rewriting import rewrite_word_order
from panparser.transfer.source_files import blanked
from panparser.transfer.transferring import TransferResult
from panparser.transfer.typology import Typology
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, sample_sentences

_LANGUAGES = ("language", "like")
_BY_ONE_TRAINING = ("joint", "all", "pool", "sample")  # methods


def read_source_treebanks(
    sources: Sequence[SourceSection], typology: Mapping[str, Any] | None, *, seed: int, format: Any
) -> list[Treebank]:
    """Read the treebanks of [[sources]]: sampled, in the word order of the typology, and blanked, as each states."""
    target = None if typology is None else recipe_typology(typology)
    treebanks = []
    for source in sources:
        treebank = read_conllu(str(source.path), format=format)
        if source.sentences is not None:
            treebank = sample_sentences(treebank, source.sentences, seed=seed)
        if target is not None and len(target):
            treebank = rewrite_word_order(treebank, target, seed=seed)[0]
        treebanks.append(treebank if source.blank is False else blanked(treebank))
    return treebanks


def recipe_typology(values: Mapping[str, Any]) -> Typology:
    """Return the typology of a recipe: WALS for `language` or its relative `like`, overruled by the other values."""
    language, related_language = (
        check(values[name], text("a language", minimum=1), name, SpecError) if name in values else None
        for name in _LANGUAGES
    )
    features = {name: value for name, value in values.items() if name not in _LANGUAGES}
    return Typology.combine_sources(language, related_language) | Typology.from_values(features, "the recipe")


def transfer_recipe(
    result: TransferResult,
    *,
    sample: str | os.PathLike[str] | None = None,
    dev: str | os.PathLike[str] | None = None,
    typology: Typology | None = None,
    lexicon: Sequence[str | os.PathLike[str]] = (),
    format: str = "auto",
) -> Recipe | None:
    """The recipe of a transferred model, which needs no comparison, and learns from the same files in the same way.

    Files are those of the sample and development set that it learned from, and of the words of the tagger's lexicon.
    None for what is not made by one training: votes, combinations, cascades, self-training. Weights are the same as
    those of the model, trees likewise; what was compared, and why the method was chosen, is only in the first model's
    record.
    """
    report, parser = result.report, result.parser
    if report.method not in _BY_ONE_TRAINING or report.self_training is not None or not isinstance(parser, Parser):
        return None
    if (sample is None) != (report.sentences == 0):
        raise SpecError(f"transfer_recipe: sample must be the file of the sample, if there is one; got {sample!r}")
    has_sample = report.method in ("joint", "sample")
    record = parser.training
    weights = [each["weight"] for each in record.treebank_weights or ()]
    sources = tuple(
        SourceSection(path=each.path, weight=each.weight if weights else 1.0, sentences=each.used, blank=has_sample)
        for each in (report.used if report.method != "sample" else ())
    )
    train = (os.fspath(sample),) if sample is not None and (has_sample or result.tagger is not None) else None
    training = TrainingSection(
        strategy=describe_strategy(TrainingStrategy.from_values(record["strategy"])),
        epochs=record.epochs,
        seed=report.seed,
        members=record.members,
    )
    pipeline = None
    if result.tagger is not None:
        files = tuple(os.fspath(each) for each in lexicon) or None
        pipeline = PipelineSection(parts=("tagger", "parser"), columns=("upos",), lexicon=files, folds=0)
    return Recipe(
        data=DataSection(
            train=train,
            weights=(weights[-1],) if has_sample and sources and weights else None,
            dev=None if dev is None else os.fspath(dev),
            format=format,
        ),
        parser=ParserSection.of(parser.spec),
        training=training,
        pipeline=pipeline,
        sources=sources,
        typology=typology.to_values() if typology is not None and len(typology) and sources else None,
    )
