"""Spies: what the functions of panparser are called with, wherever they were imported."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
import threading
from dataclasses import dataclass, field
from typing import Any

import panparser as pp

# All modules and all their lazy names are there before any function is replaced: none may keep a spy for good.
for _found in pkgutil.walk_packages(pp.__path__, "panparser."):
    if _found.name not in (
        "panparser.__main__",
        "panparser.pipeline.spacy_component",
    ):  # which needs what is not always there
        _module = importlib.import_module(_found.name)
        for _name in getattr(_module, "__all__", ()):
            getattr(_module, _name)


@dataclass
class Call:
    """One call of a function that is spied on."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]
    result: Any = None


def spy_on(monkeypatch, function) -> list[Call]:
    """Records the calls of a function of panparser, in whatever module it is used."""
    calls: list[Call] = []

    @functools.wraps(function)
    def recorded(*arguments, **options):
        call = Call(arguments, options)
        calls.append(call)
        call.result = function(*arguments, **options)
        return call.result

    put_in_place(monkeypatch, function, recorded)
    return calls


def put_in_place(monkeypatch, function, other) -> None:
    """Replaces a function in every module of panparser that has it."""
    places = [
        (module, name)
        for module in list(sys.modules.values())
        if module.__name__.partition(".")[0] == "panparser"
        for name, value in list(vars(module).items())
        if value is function
    ]
    assert places, f"{function} is in no module of panparser"
    for module, name in places:
        monkeypatch.setattr(module, name, other)


def sentence_ids(treebank: pp.Treebank) -> list[str]:
    """The `sent_id` of each sentence."""
    return [
        next(line.partition("=")[2].strip() for line in sentence.comments if line.startswith("# sent_id"))
        for sentence in treebank
    ]


@dataclass
class Witness:
    """What each model learned from, and what it predicted, while it was trained and afterwards.

    `trained`: (kind, sentences learned from, sentences of the development set); `predicted`: (kind, sentences that the
    model learned from, sentences that it predicted).
    """

    trained: list[tuple[str, list[str], list[str] | None]] = field(default_factory=list)
    predicted: list[tuple[str, list[str], list[str]]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)  # of trainings, in order of their beginning

    def of(self, kind: str) -> list[Call]:
        return [call for call in self.calls if call.options["kind"] == kind]

    def check(self) -> None:
        """No model ever predicts a sentence that it learned from."""
        assert self.predicted
        for kind, learned, found in self.predicted:
            assert not set(learned) & set(found), f"a {kind} predicts what it learned from"


_TRAININGS = {"parser": pp.train, "tagger": pp.train_tagger, "lemmatizer": pp.train_lemmatizer}
_CLASSES = {"parser": pp.Parser, "tagger": pp.Tagger, "lemmatizer": pp.Lemmatizer}


def watch(monkeypatch) -> Witness:
    """A witness of all trainings of parsers, taggers and lemmatizers, and of all that they predict."""
    witness = Witness()
    learned_from: dict[int, list[str]] = {}
    now = threading.local()

    def watched(kind, train):
        @functools.wraps(train)
        def recorded(*arguments, **options):
            treebank = next(value for value in arguments if isinstance(value, pp.Treebank))
            dev = options.get("dev")
            call = Call((treebank, dev), {"kind": kind, **options})
            witness.calls.append(call)
            witness.trained.append((kind, sentence_ids(treebank), None if dev is None else sentence_ids(dev)))
            before, now.learning = getattr(now, "learning", None), sentence_ids(treebank)
            try:
                call.result = train(*arguments, **options)
            finally:
                now.learning = before
            learned_from[id(call.result)] = sentence_ids(treebank)
            return call.result

        return recorded

    def watched_prediction(kind, predict):
        @functools.wraps(predict)
        def recorded(self, treebank, **options):
            learned = learned_from.get(id(self), getattr(now, "learning", None))
            if learned is not None and not getattr(now, "predicting", False):  # one of the two may call the other
                witness.predicted.append((kind, learned, sentence_ids(treebank)))
            before, now.predicting = getattr(now, "predicting", False), True
            try:
                return predict(self, treebank, **options)
            finally:
                now.predicting = before

        return recorded

    for kind, train in _TRAININGS.items():
        put_in_place(monkeypatch, train, watched(kind, train))
        for name in ("predict", "annotate"):
            monkeypatch.setattr(_CLASSES[kind], name, watched_prediction(kind, getattr(_CLASSES[kind], name)))
    return witness
