"""load: the model of a file, of any kind."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from panparser.batches.classifier import Classifier, StoredClassifier, check_class, classes_inside
from panparser.errors import ModelError, SpecError
from panparser.parsing.parser import Parser
from panparser.parsing.spec import Functions
from panparser.pipeline.bundled_models import find
from panparser.storage.containers import read_arrays
from panparser.storage.stored import MULTI_PARSER_KINDS, ModelSource, class_of
from panparser.systems.python_system import PythonSystem

if TYPE_CHECKING:
    from panparser.ensembles.cascade import Cascade
    from panparser.ensembles.combination import CombinedParser
    from panparser.pipeline.pipeline import Pipeline
    from panparser.tagging.network_tagger import NetworkTagger
    from panparser.tagging.tagger import Tagger
    from panparser.text.lemmatizer import Lemmatizer
    from panparser.text.tokenizer import Tokenizer


@overload
def load(path: Literal["en"]) -> Pipeline: ...


@overload  # what the file holds: json.load has no other type
def load(
    path: str | os.PathLike[str],
    classifier: type[Classifier] | None = None,
    system: PythonSystem | None = None,
    functions: Functions | None = None,
) -> Any: ...


def load(
    path: str | os.PathLike[str],
    classifier: type[Classifier] | None = None,
    system: PythonSystem | None = None,
    functions: Functions | None = None,
) -> Parser | Cascade | CombinedParser | Pipeline | Tagger | NetworkTagger | Tokenizer | Lemmatizer:
    """What a model file holds: pipeline, parser, cascade, combination, tagger, tokenizer or lemmatizer. "en" is the
    bundled English pipeline (a file of that name is "./en"). `Pipeline.load` and its like expect a kind, and have its
    type.

    A file holds no code. Classifiers and Python systems are found by the names under which packages register them
    (entry points `panparser.classifiers` and `panparser.systems`), unless the class of the classifier, or the system,
    is given; functions that templates call must be given.
    """
    if classifier is not None:
        check_class(classifier)
    if system is not None and not isinstance(system, PythonSystem):
        raise SpecError(f"load: system must be a PythonSystem, such as {_name(system)}(); got {system!r}")
    place = find(path)
    arrays, manifest = read_arrays(place, "panparser model")
    source = ModelSource(place, {"classifier": classifier, "system": system, "functions": functions})
    found = class_of(manifest.get("kind"), place).from_manifest(arrays, manifest, source)
    _check_use(found, place, classifier, {"system": system, "functions": functions})
    return cast("Parser | Cascade | CombinedParser | Pipeline | Tagger | NetworkTagger | Tokenizer | Lemmatizer", found)


def _name(system: object) -> str:
    return system.__name__ if isinstance(system, type) else "MySystem"


def _check_use(found: Any, place: str, classifier: type[Classifier] | None, code: Mapping[str, Any]) -> None:
    """Raises SpecError where code was given that the model has no use for."""
    parser = getattr(found, "parser", found)
    if not isinstance(parser, Parser):
        for name in (name for name, given in code.items() if given is not None):
            raise SpecError(f"{place}: expected a parser for the {name} of load, found {found!r}")
    elif code["functions"] and not parser.spec.calls:
        raise SpecError(f"{place}: expected templates that call the functions of load, found none")
    if classifier in (None, StoredClassifier):
        return
    models = [getattr(part, "model", None) for part in (found, *getattr(found, "taggers", ()))]
    scorers = [getattr(model, "scorer", None) for model in models]
    classifiers = [getattr(scorer, "classifier", None) for scorer in (parser, *scorers)]
    if not any(inner is not None and classifier in classes_inside(inner).values() for inner in classifiers):
        raise SpecError(f"{place}: expected a parser or tagger for the classifier of load, found {found!r}")


def load_parser(path: str | os.PathLike[str]) -> Parser:
    """The parser of a model file, or of the pipeline in it. Raises ModelError if there is none."""
    return parser_in(load(path), os.fspath(path))


def load_any_parser(path: str | os.PathLike[str]) -> Parser | Cascade | CombinedParser:
    """The parser of a model file, which may be several in one, or of the pipeline in it."""
    model: Any = load(path)
    parser = getattr(model, "parser", model)
    if getattr(parser, "kind", None) in MULTI_PARSER_KINDS:
        return cast("Cascade | CombinedParser", parser)
    return parser_in(model, os.fspath(path))


def parser_in(model: object, path: str) -> Parser:
    """The model itself if it is a parser, else its parser. Raises ModelError if it has none."""
    parser = getattr(model, "parser", model)
    if not isinstance(parser, Parser):
        raise ModelError(f"{path}: expected a parser, or a pipeline with one, found {model!r}")
    return parser
