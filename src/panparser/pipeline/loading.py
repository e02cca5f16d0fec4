"""load: whatever a model file holds; find: the models that come with panparser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panparser.errors import ModelError, SpecError
from panparser.learning.classifiers import Classifier, StoredClassifier
from panparser.parsing.parser import Parser
from panparser.storage.arrays import Arrays, read_arrays

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.pipeline.pipeline import Pipeline
    from panparser.sequences.tagger import Tagger
    from panparser.text import Lemmatizer, Tokenizer

MODELS = Path(__file__).parents[1] / "models"
SUFFIX = ".panparser"
DEFAULT = "en"  # the model where none is named


def bundled() -> list[str]:
    """Names of the models that come with panparser."""
    return sorted(path.name.removesuffix(SUFFIX) for path in MODELS.glob(f"*{SUFFIX}"))


def find(name: str | os.PathLike[str]) -> str:
    """The file of a model: the path itself, or that of the model with this name in the box if there is no such file."""
    path = os.fspath(name)
    return str(MODELS / f"{path}{SUFFIX}") if not os.path.isfile(path) and path in bundled() else path


def load(
    path: str | os.PathLike[str], classifier: type[Classifier] | None = None
) -> Parser | Cascade | Pipeline | Tagger | Tokenizer | Lemmatizer:
    """What a model file holds: pipeline, parser, cascade, tagger, tokenizer or lemmatizer. "en" is the English pipeline
    that comes with panparser, unless a file has that name.

    A file holds no code: `classifier` is the class of the one that was trained, if one was.
    """
    place = find(path)
    found = _loaded(place, classifier)
    if classifier not in (None, StoredClassifier) and not isinstance(getattr(found, "parser", found), Parser):
        raise SpecError(f"{place}: expected a parser for the classifier of load, found {found!r}")
    return found


def _loaded(
    place: str, classifier: type[Classifier] | None
) -> Parser | Cascade | Pipeline | Tagger | Tokenizer | Lemmatizer:
    arrays, manifest = read_arrays(place, "panparser model")
    kind = manifest.get("kind")
    if kind == "pipeline":
        from panparser.pipeline.pipeline import Pipeline

        return Pipeline.from_file(arrays, manifest, place, classifier)
    if kind == "tagger":
        from panparser.sequences.tagger import Tagger

        return Tagger.from_file(arrays, manifest, path=place)
    if kind in ("tokenizer", "lemmatizer"):
        from panparser.text import Lemmatizer, Tokenizer

        return (Tokenizer if kind == "tokenizer" else Lemmatizer).load(place)
    return parser_from_file(arrays, manifest, place, classifier)


def load_parser(path: str | os.PathLike[str]) -> Parser:
    """The parser of a model file, or that of the pipeline which it holds; `ModelError` if it has none."""
    return parser_in(load(path), os.fspath(path))


def parser_in(model: object, path: str) -> Parser:
    """The parser that a model is, or has; `ModelError` if it has none."""
    parser = getattr(model, "parser", model)
    if not isinstance(parser, Parser):
        raise ModelError(f"{path}: expected a parser, or a pipeline with one, found {model!r}")
    return parser


def parser_from_file(
    arrays: Arrays, manifest: dict[str, Any], path: str, classifier: type[Classifier] | None = None
) -> Parser | Cascade:
    """The parser, or the cascade of several, of the arrays and the manifest of a file."""
    if manifest.get("kind") == "cascade":
        from panparser.ensembles.cascade import Cascade

        return Cascade.from_file(arrays, manifest, path)
    return Parser.from_file(arrays, manifest, path, classifier)
