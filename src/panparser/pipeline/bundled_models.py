"""The models that come with panparser, and the module that defines each kind of model."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from panparser.errors import ModelError
from panparser.storage.stored import StoredModel, class_of_kind

MODELS = Path(__file__).parents[1] / "models"
SUFFIX = ".panparser"
DEFAULT = "en"  # the default model
SEVERAL_IN_ONE = ("cascade", "combination")  # kinds of models that parse like one parser
_MODULES = {  # imported when a file of the kind is read
    "parser": "panparser.parsing.parser",
    "cascade": "panparser.ensembles.cascade",
    "combination": "panparser.ensembles.combination",
    "pipeline": "panparser.pipeline.pipeline",
    "tagger": "panparser.tagging.tagger",
    "network-tagger": "panparser.tagging.network_tagger",
    "tokenizer": "panparser.text.tokenizer",
    "lemmatizer": "panparser.text.lemmatizer",
}


def bundled() -> list[str]:
    """Names of the models that come with panparser."""
    return sorted(path.name.removesuffix(SUFFIX) for path in MODELS.glob(f"*{SUFFIX}"))


def find(name: str | os.PathLike[str]) -> str:
    """The file of a model: a bundled one of this name, else the path itself.

    A file in the current folder that has the name of a bundled model is `./en`, or a `Path`. Raises ModelError for a
    bare name that is neither a file nor a bundled model.
    """
    path = os.fspath(name)
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", path):
        return path
    known = bundled()
    if path in known:
        return str(MODELS / f"{path}{SUFFIX}")
    if path != "-" and not os.path.exists(path):
        raise ModelError(f"{path}: expected a model file, or the name of a bundled model: {', '.join(known)}")
    return path


def class_of(kind: Any, path: str = "") -> type[StoredModel]:
    """The class of a kind of model. Raises ModelError if the kind is unknown."""
    if kind == "task":
        raise ModelError(f"{path}: expected a model that can be loaded alone, found one of a task: see TaskModel.load")
    if not isinstance(kind, str) or kind not in _MODULES:
        raise ModelError(f"{path}: expected a panparser model ({', '.join(_MODULES)}), found {kind!r}")
    import_module(_MODULES[kind])
    found = class_of_kind(kind)
    assert found is not None
    return found
