"""StoredModel: the base class of models in files; tables of the kinds of models, classifiers and trainers."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from panparser.base.kinds import TABLE, Kind, check
from panparser.errors import ModelError, PanParserError
from panparser.storage.containers import Arrays, check_kind, decode, encode, read_arrays, write_arrays

MODEL_MODULES = {  # modules of kinds of models, imported when a file of the kind is read
    "parser": "panparser.parsing.parser",
    "cascade": "panparser.ensembles.cascade",
    "combination": "panparser.ensembles.combination",
    "pipeline": "panparser.pipeline.pipeline",
    "tagger": "panparser.tagging.tagger",
    "network-tagger": "panparser.tagging.network_tagger",
    "tokenizer": "panparser.text.tokenizer",
    "lemmatizer": "panparser.text.lemmatizer",
}
MULTI_PARSER_KINDS = ("cascade", "combination")  # kinds of models that parse like one parser
CLASSIFIER_CLASSES = {  # classes of the classifiers in models, by name
    "perceptron": "panparser.batches.python_perceptron:Perceptron",
    "vote": "panparser.batches.combined_classifiers:VotingClassifier",
    "joint": "panparser.batches.combined_classifiers:JointClassifier",
    "layers": "panparser.parsing.engine_model:LayerScores",
    "network": "panparser.networks.network_classifier:NetworkClassifier",
}
NETWORK_TRAINER = "panparser.neural.torch_training:Trainer"  # needs torch

_CLASSES: dict[str, type[StoredModel]] = {}  # by kind
# What restoring may raise although all values fit their declarations: arrays that are missing, or of another form.
_DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class ModelSource:
    """Where a model is restored from: the file, for messages, and code, which files do not hold.

    `code` by name: the class of a "classifier", a Python "system", "functions" of templates, a "task".
    """

    path: str = ""
    code: Mapping[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> ModelSource:
        """The source of a part of the model."""
        return replace(self, path=f"{self.path}: {name}" if self.path else name)


class StoredModel(ABC):
    """A model of some kind: arrays by name and plain values, which one file holds.

    A subclass names its kind, the newest format that it reads, and the prefix of its arrays in a separate file:
    `class Tagger(StoredModel, kind="tagger", newest=1, prefix="tagger.")`; and `declared` its plain values.
    """

    declared: ClassVar[Kind] = TABLE
    kind: ClassVar[str]
    newest: ClassVar[int]
    prefix: ClassVar[str]

    def __init_subclass__(cls, *, kind: str = "", newest: int = 1, prefix: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            cls.kind, cls.newest, cls.prefix = kind, newest, prefix
            _CLASSES[kind] = cls

    # --- Hooks for subclasses ---

    @abstractmethod
    def to_arrays(self) -> Arrays:
        """What was learned."""

    @abstractmethod
    def to_values(self) -> dict[str, Any]:
        """The rest, in plain values."""

    @classmethod
    @abstractmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Self:
        """Restores the results of `to_arrays` and `to_values`, which fit the declaration.

        Any Python error means that the arrays are damaged, or do not fit.
        """

    def external_code(self) -> dict[str, Any]:
        """What a file does not hold and `from_parts` needs: see `Source`."""
        return {}

    @property
    def format(self) -> int:
        """The oldest format that can hold this model."""
        return self.newest

    # --- Files ---

    def manifest(self) -> dict[str, Any]:
        """The manifest of the model file, in plain values."""
        return {"format": self.format, "kind": self.kind, **self.to_values()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to one file; the same model gives the same bytes."""
        write_arrays(Path(path), prefixed(self.prefix, self.to_arrays()), self.manifest())

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and what goes to another process: the bytes of a file, never what they were made by."""
        data = encode(prefixed(self.prefix, self.to_arrays()), self.manifest())
        return _decoded, (type(self), data, self.external_code())

    @property
    def weight_bytes(self) -> int:
        """The size of the weights in bytes."""
        return sum(array.nbytes for array in self.to_arrays().values())

    @classmethod
    def from_file(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource | None = None) -> Self:
        """The model of arrays and values. Raises ModelError, which names the source, if they are not valid."""
        source = source or ModelSource()
        with restoring(cls.kind, source.path):
            return cls.from_parts(arrays, check(values, cls.declared, ""), source)

    @classmethod
    def from_manifest(cls, arrays: Arrays, manifest: Mapping[str, Any], source: ModelSource) -> Self:
        """Like `from_file`, but from a whole manifest: kind and format are checked."""
        check_kind(manifest, cls.kind, source.path, cls.newest)
        return cls.from_file(without_prefix(cls.prefix, arrays), manifest, source)

    @classmethod
    def read(cls, path: str | os.PathLike[str], **code: Any) -> Self:
        """The model of a file; raises ModelError if the file is not a valid model of this kind."""
        arrays, manifest = read_arrays(path, "panparser model")
        return cls.from_manifest(arrays, manifest, ModelSource(os.fspath(path), code))


def _decoded(kind: type[StoredModel], data: bytes, code: Mapping[str, Any]) -> StoredModel:
    return kind.from_manifest(*decode(data, "panparser model"), ModelSource("", code))


def import_name(name: str) -> Any:
    """Return an attribute of a module by its name, `module:attribute`."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def class_of(kind: Any, path: str = "") -> type[StoredModel]:
    """Return the class of a kind of model; raise ModelError if the kind is unknown."""
    if kind == "task":
        raise ModelError(f"{path}: expected a model that can be loaded alone, found one of a task: see TaskModel.load")
    if not isinstance(kind, str) or kind not in MODEL_MODULES:
        raise ModelError(f"{path}: expected a panparser model ({', '.join(MODEL_MODULES)}), found {kind!r}")
    import_module(MODEL_MODULES[kind])
    return _CLASSES[kind]


def class_of_kind(kind: str) -> type[StoredModel] | None:
    """The class of a kind, if the module that defines it has been imported."""
    return _CLASSES.get(kind)


@contextmanager
def restoring(what: str, path: str = "") -> Iterator[None]:
    """Turns errors about the content of a file into ModelError, with its path."""
    place = f"{path}: " if path else ""
    try:
        yield
    except ModelError as error:
        is_placed = path and str(error).startswith(path)
        raise ModelError(str(error) if is_placed else f"{place}not a valid {what}: {error}") from None
    except (PanParserError, *_DAMAGE) as error:
        reason = str(error) if isinstance(error, PanParserError | ValueError) else "its arrays are damaged"
        raise ModelError(f"{place}not a valid {what}: {reason}") from error


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays of a part of a model, with the names that they have in the whole."""
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays of a part of a model, with the names that they have in the part."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
