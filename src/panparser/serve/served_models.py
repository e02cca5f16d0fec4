"""The served models and their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from panparser import __version__
from panparser.errors import SpecError
from panparser.inspection.derivations import network, perceptron
from panparser.parsing.parser import Parser
from panparser.pipeline.bundled_models import SUFFIX, bundled
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.serve.limits import RequestError

_NAMED = re.compile(r"([^/\\=]+)=(.+)")  # such as english:en=models/en.panparser
_LICENCE, _TREEBANK = "CC BY-SA 4.0", "https://universaldependencies.org/treebanks/en_ewt/"  # of bundled models


@dataclass(frozen=True)
class ServedModel:
    """A model, the names that requests may have for it, and what is to be said of it."""

    names: tuple[str, ...]
    pipeline: Pipeline
    licence: str
    acknowledgements: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.names[0]

    @property
    def steps(self) -> list[str]:
        """What it can do, in the words of UDPipe."""
        has = {
            "tokenizer": self.pipeline.tokenizer,
            "tagger": self.pipeline.columns,
            "parser": self.pipeline.parser,
        }
        return [name for name, part in has.items() if part]

    @property
    def is_calibrated(self) -> bool:
        return isinstance(self.pipeline.parser, Parser) and self.pipeline.parser.calibration is not None

    @property
    def shows_derivations(self) -> bool:
        """Can its derivations be shown?"""
        parser = self.pipeline.parser
        if not isinstance(parser, Parser):
            return False
        try:
            return network(parser) is not None or perceptron(parser) is not None
        except SpecError:
            return False

    @classmethod
    def from_argument(cls, text: str) -> ServedModel:
        """The model that a command line names: a file, or a bundled model, maybe with `NAME:ALIAS=` before it."""
        named = _NAMED.fullmatch(text)
        path = named[2] if named else text
        names = named[1].split(":") if named else [PurePath(path).name.removesuffix(SUFFIX)]
        if not all(re.fullmatch(r"[\w.+-]+", name) for name in names):
            raise SpecError(f"{text}: expected names of letters, digits, . + - and _, joined by colons; got {names}")
        own = path in bundled()
        about = (_LICENCE, (_TREEBANK,)) if own else ("not stated", ())
        return cls(tuple(names), Pipeline.from_model(load(path)), *about)


class ModelRegistry:
    """All models by name: by its own names, their beginnings up to a hyphen, and codes of its language.

    Where several have a name, it is that of the first.
    """

    def __init__(self, served: Sequence[ServedModel], default: str | None = None) -> None:
        self.served = tuple(served)
        self._by_name: dict[str, ServedModel] = {}
        for model in self.served:
            if model.id in (other.id for other in self.served if other is not model):
                raise SpecError(f"{model.id}: expected a different name for each model; name them as NAME=FILE")
        for names in (_own_names, _language_names):  # names of its own go before those of languages
            for model in self.served:
                for name in names(model):
                    self._by_name.setdefault(name, model)
        self.default = default or self.served[0].id
        if self.default not in self._by_name:
            raise SpecError(f"--default-model: expected one of {', '.join(self._by_name)}; got {self.default!r}")

    def find(self, name: str | None) -> ServedModel:
        """Raises RequestError if there is none of that name."""
        wanted = self.default if name is None else name
        if wanted not in self._by_name:
            raise RequestError(f"The requested model '{wanted}' does not exist.")
        return self._by_name[wanted]

    def list_models(self) -> dict[str, object]:
        """What `/models` answers."""
        return {"models": {model.id: model.steps for model in self.served}, "default_model": self.default}

    def describe(self) -> dict[str, object]:
        """What `/about` answers: for pages, which offer what a model can do."""
        models = [
            {
                "id": model.id,
                "names": list(model.names),
                "licence": model.licence,
                "steps": model.steps,
                "confidence": model.is_calibrated,
                "derivations": model.shows_derivations,
            }
            for model in self.served
        ]
        return {"version": __version__, "models": models, "default_model": self.find(None).id}


def _own_names(model: ServedModel) -> list[str]:
    """Every name, each followed by its beginnings, the longest first."""
    return [
        "-".join(parts[:length])
        for parts in (name.split("-") for name in model.names)
        for length in range(len(parts), 0, -1)
    ]


def _language_names(model: ServedModel) -> list[str]:
    """Codes and name of the language that the model is named for: en, eng, english."""
    from panparser.transfer.wals import languages

    found = []
    for first in (re.split(r"[-_]", name)[0].lower() for name in model.names):
        for language in languages():
            codes = [*language.ud, *language.iso, language.name.lower()]
            if len(first) > 1 and first in codes:
                found += [code for code in (*codes, language.code) if re.fullmatch(r"[\w.+-]+", code)]
                break
    return found
