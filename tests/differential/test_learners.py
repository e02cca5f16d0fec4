"""Every learner gives the bytes and the events, in order, that a reviewed file has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import panparser as pp
from chunking import Chunking, chunks_of
from linear import EXPLORE, Linear
from panparser.learning.strategies import DYNAMIC, EARLY_UPDATE, MAX_VIOLATION, STATIC
from panparser.storage.containers import encode
from places import ENGLISH
from variants import golden

LEAN = pp.templates("lean")

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:16], TREEBANK[60:66]
SYSTEMS = ("arc-hybrid", "arc-eager", "arc-standard")


def examples(treebank: pp.Treebank) -> list[tuple[Any, Any]]:
    """Inputs of the task of `chunking`, with their gold."""
    forms_and_tags = [tuple(zip(s.forms, s.values("upos"), strict=True)) for s in treebank]
    return list(zip(forms_and_tags, map(chunks_of, treebank), strict=True))


EXAMPLES = examples(TRAIN)


def other_gold(sentence: int, kind: str) -> pp.Replacement:
    """What an acting listener puts in the place of a sentence."""
    if kind == "task":
        return pp.Replacement(gold=EXAMPLES[sentence][1][::-1])
    if kind == "tagger":
        return pp.Replacement(gold=[0] * len(TRAIN[sentence]))
    if sentence % 2:
        return pp.Replacement(sentence=TRAIN[sentence + 1])
    heads = TRAIN[sentence].heads.tolist()
    return pp.Replacement(gold=pp.GoldTree([int(head) if i % 3 else None for i, head in enumerate(heads)]))


class Trace(pp.Listener):
    """A hash over all events, in order; may skip sentences and replace others."""

    def __init__(self, kind: str, acts: bool) -> None:
        self.kind, self.acts = kind, acts
        self.hash, self.count = hashlib.sha256(), 0

    def add(self, *event: Any) -> None:
        self.hash.update(repr(event).encode())
        self.count += 1

    def before_epoch(self, epoch):
        self.add("before_epoch", epoch)

    def after_epoch(self, report):
        self.add("after_epoch", vars(report))

    def before_sentence(self, epoch, sentence):
        self.add("before_sentence", epoch, sentence)
        if self.acts and sentence % 5 == 0:
            return pp.SKIP
        return other_gold(sentence, self.kind) if self.acts and sentence % 4 == 1 + epoch % 2 else None

    def after_sentence(self, epoch, sentence):
        self.add("after_sentence", epoch, sentence)

    def before_update(self, update):
        self.add("before_update", *(vars(update)[name] for name in update.__dataclass_fields__))

    def after_update(self, update):
        self.add("after_update", update.epoch, update.sentence, update.positive, update.negative)

    def on_progress(self, epoch, words, updates):
        self.add("on_progress", epoch, words, updates)

    def before_evaluation(self, epoch):
        self.add("before_evaluation", epoch)

    def after_evaluation(self, report):
        self.add("after_evaluation", report.epoch, report.score)

    def after_training_pass(self, epoch, parser):
        self.add("after_training_pass", epoch)


def train_task(beam: int = 1, **options: Any) -> pp.TaskModel:
    return pp.train_task(Chunking(), EXAMPLES, beam=beam, dev=examples(DEV), epochs=2, **options)


def train_tagger(beam: int = 1, **options: Any) -> pp.Tagger:
    return pp.train_tagger(pp.TaggerSpec(beam=beam), TRAIN, dev=DEV, **({"epochs": 2} | options))


def train_parser(beam: int = 1, system: str = "arc-hybrid", templates: Any = LEAN, **options: Any) -> pp.Parser:
    spec = pp.ParserSpec(system=pp.system(system, root="last"), beam=beam, templates=templates)
    return pp.train(spec, options.pop("treebank", TRAIN), dev=DEV, epochs=2, **options)


def by_perceptron(train: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda **options: train(classifier=pp.Perceptron(), **fixed, **options)


def by_engine(train: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **options: train(members=2, threads=1, **options)


HEARD = {
    "task": ("task", train_task),
    "tagger": ("tagger", by_perceptron(train_tagger)),
    "engine's tagger": ("tagger", by_engine(train_tagger)),
    **{f"parser, {system}": ("parser", by_perceptron(train_parser, system=system)) for system in SYSTEMS},
    "engine's parser": ("parser", by_engine(train_parser)),
}
GREEDY_FUNCTION = {"strategy": lambda _, sentence: STATIC if sentence % 2 else DYNAMIC}
BEAM_FUNCTION = {"strategy": lambda _, sentence: EARLY_UPDATE if sentence % 2 else MAX_VIOLATION}
WEIGHTED = {"treebank": [TREEBANK[:8], TREEBANK[8:20]], "treebank_weights": [2, 1]}
ALONE = {
    "task, a function": lambda: train_task(**GREEDY_FUNCTION),
    "task, a classifier": lambda: pp.train_task(Listed(), EXAMPLES, classifier=pp.Perceptron(4), epochs=2),
    "tagger, a function": lambda: train_tagger(classifier=pp.Perceptron(), **GREEDY_FUNCTION),
    "tagger, batches": lambda: train_tagger(classifier=pp.Perceptron(4)),
    "engine's tagger, pruned": lambda: train_tagger(members=1, prune_threshold=1.0, epochs=3),
    "parser, a greedy function": lambda: train_parser(classifier=pp.Perceptron(), **GREEDY_FUNCTION),
    "parser, a function with a beam": lambda: train_parser(beam=3, classifier=pp.Perceptron(), **BEAM_FUNCTION),
    "parser, weights": lambda: train_parser(classifier=pp.Perceptron(4), **WEIGHTED),
    "parser, explored": lambda: train_parser(classifier=Linear(), strategy=EXPLORE),
    "parser, tags": lambda: train_parser(
        beam=2,
        templates=pp.templates("lean").without("upos"),
        classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"),
    ),
    "parser, labels": lambda: train_parser(classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="label")),
    "engine's parser": lambda: train_parser(beam=3, members=1),
}


class Listed(Chunking):
    """A task for classifiers: all its actions are known before."""

    actions = ("B", "I", "O")


def bytes_of(model: Any) -> str:
    """A hash of all that a file of the model would have, but for calibration: its last digits are the machine's."""
    manifest = {name: value for name, value in model.manifest().items() if name != "calibration"}
    return hashlib.sha256(encode(model.to_arrays(), manifest)).hexdigest()[:16]


def cases() -> Iterator[tuple[str, str]]:
    """Each training by name, and its hashes."""
    for name, (kind, train) in HEARD.items():
        for beam in (1, 3):
            for acts in (False, True):
                trace = Trace(kind, acts)
                model = train(beam=beam, listeners=[trace])
                title = f"{name}, beam {beam}{', acting listener' if acts else ''}"
                yield title, f"{bytes_of(model)} {trace.count} {trace.hash.hexdigest()[:16]}"
    for name, train_alone in ALONE.items():
        yield name, bytes_of(train_alone())


@pytest.mark.unmeasured
def test_models_and_events_are_those_of_the_reviewed_file():
    golden("learners.txt", "\n".join(f"{name}: {hashes}" for name, hashes in cases()))
