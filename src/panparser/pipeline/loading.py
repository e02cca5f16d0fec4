"""load: the model of a file, of any kind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from panparser.errors import ModelError, SpecError
from panparser.learning.classifiers import Classifier, StoredClassifier, check_class
from panparser.parsing.parser import Parser
from panparser.parsing.spec import Functions
from panparser.pipeline.bundled import class_of, find
from panparser.storage.arrays import read_arrays
from panparser.storage.models import Source
from panparser.systems.python import PythonSystem

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.pipeline.pipeline import Pipeline
    from panparser.sequences.tagger import Tagger
    from panparser.text import Lemmatizer, Tokenizer


def load(
    path: str | os.PathLike[str],
    classifier: type[Classifier] | None = None,
    system: PythonSystem | None = None,
    functions: Functions | None = None,
) -> Parser | Cascade | Pipeline | Tagger | Tokenizer | Lemmatizer:
    """What a model file holds: pipeline, parser, cascade, tagger, tokenizer or lemmatizer. "en" is the bundled English
    pipeline, unless a file has that name.

    A file holds no code. Classifiers and Python systems are found by the names under which packages register them
    (entry points `panparser.classifiers` and `panparser.systems`), unless the class of the classifier, or the system,
    is given; functions that templates call must be given.
    """
    if classifier is not None:
        check_class(classifier)
    place = find(path)
    arrays, manifest = read_arrays(place, "panparser model")
    source = Source(place, {"classifier": classifier, "system": system, "functions": functions})
    found = class_of(manifest.get("kind"), place).from_manifest(arrays, manifest, source)
    if classifier not in (None, StoredClassifier) and not isinstance(getattr(found, "parser", found), Parser):
        raise SpecError(f"{place}: expected a parser for the classifier of load, found {found!r}")
    return cast("Parser | Cascade | Pipeline | Tagger | Tokenizer | Lemmatizer", found)


def load_parser(path: str | os.PathLike[str]) -> Parser:
    """The parser of a model file, or of the pipeline in it. Raises ModelError if there is none."""
    return parser_in(load(path), os.fspath(path))


def parser_in(model: object, path: str) -> Parser:
    """The model itself if it is a parser, else its parser. Raises ModelError if it has none."""
    parser = getattr(model, "parser", model)
    if not isinstance(parser, Parser):
        raise ModelError(f"{path}: expected a parser, or a pipeline with one, found {model!r}")
    return parser
