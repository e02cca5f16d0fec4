"""Events of trainings, their values and their order are what they were, whatever learns."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

import panparser as pp
from chunking import Chunking, chunks_of
from covington import Covington
from learners import SMALL
from linear import EXPLORE, Linear
from places import ENGLISH
from snapshots import EventDigest, compare

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:16], TREEBANK[16:22]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)
PIPELINE = pp.PipelineSpec(parser=GREEDY, folds=2, tokenizer_epochs=1, tagger_epochs=1, lemmatizer_epochs=1)
PAIRS = [(tuple(zip(each.forms, each.values("upos"), strict=True)), chunks_of(each)) for each in TREEBANK[:22]]
STRATEGIES = (pp.STRATEGIES["static"], pp.STRATEGIES["dynamic"])
SEARCHES = (pp.learning.EARLY_UPDATE, pp.learning.MAX_VIOLATION)


def parser(spec=GREEDY, **options):
    pp.train(spec, TRAIN, dev=DEV, **{"epochs": 2} | options)


def tagger(**options):
    pp.train_tagger(pp.TaggerSpec(beam=2), TRAIN, dev=DEV, **{"epochs": 2} | options)


class ListedChunking(Chunking):
    actions = ("B", "I", "O")


def task(**options):
    pp.train_task(ListedChunking(), PAIRS[:16], dev=PAIRS[16:], epochs=2, **options)


def another_tree(sentence):
    """Another sentence, or heads of which every third is unknown."""
    if sentence % 2:
        return pp.Replacement(sentence=TRAIN[sentence])
    heads = TRAIN[sentence].heads.tolist()
    return pp.Replacement(gold=pp.GoldTree([head if i % 3 else None for i, head in enumerate(heads)]))


def other_tags(sentence):
    return pp.Replacement(gold=[0] * len(TRAIN[sentence]))


def other_chunks(sentence):
    return pp.Replacement(gold=PAIRS[sentence][1])


LEARNERS = {
    "parser": (partial(parser, members=1), another_tree),
    "parser, beam": (partial(parser, BEAM, members=1), another_tree),
    "parser, members": (partial(parser, BEAM, members=2), another_tree),
    "parser, function": (
        partial(parser, BEAM, members=1, strategy=lambda epoch, sentence: SEARCHES[sentence % 2]),
        another_tree,
    ),
    "parser, linear": (partial(parser, classifier=Linear(), strategy=EXPLORE), another_tree),
    "parser, linear, beam": (partial(parser, BEAM, classifier=Linear()), another_tree),
    "parser, function, linear": (
        partial(parser, classifier=Linear(), strategy=lambda epoch, sentence: STRATEGIES[sentence % 2]),
        another_tree,
    ),
    **{
        f"parser, {name}, beam {beam}": (
            partial(parser, replace(GREEDY, system=pp.system(name), beam=beam), classifier=pp.Perceptron(), epochs=1),
            another_tree,
        )
        for name in ("arc-eager", "arc-hybrid", "arc-standard")
        for beam in (1, 3)
    },
    "parser, joint label": (
        partial(parser, classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="label"), epochs=1),
        None,
    ),
    "parser, joint tag": (
        partial(
            parser,
            replace(BEAM, templates=SMALL.without("upos")),
            classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"),
            epochs=1,
        ),
        None,
    ),
    "parser, system in Python": (partial(parser, replace(BEAM, system=Covington(), beam=2), epochs=1), another_tree),
    "tagger": (partial(tagger, members=1), other_tags),
    "tagger, perceptron": (partial(tagger, classifier=pp.Perceptron(), epochs=1), other_tags),
    "tokenizer": (lambda **options: pp.train_tokenizer(TRAIN, dev=DEV, epochs=1, **options), None),
    "lemmatizer": (lambda **options: pp.train_lemmatizer(TRAIN, dev=DEV, epochs=2, **options), None),
    "task": (task, other_chunks),
    "task, beam": (partial(task, beam=3), other_chunks),
    "task, perceptron": (partial(task, classifier=pp.Perceptron()), None),
    "cascade": (lambda **options: pp.train_cascade(STAGES, TRAIN, dev=DEV, folds=2, epochs=2, **options), None),
    "pipeline": (lambda **options: pp.train_pipeline(PIPELINE, TRAIN, dev=DEV, epochs=2, **options), None),
}


@pytest.mark.unmeasured
def test_events():
    events = {}
    for name, (train, replacement) in LEARNERS.items():
        for acting in (None, replacement) if replacement else (None,):
            listener = EventDigest(acting)
            train(listeners=[listener])
            events[f"{name}, acting" if acting else name] = listener.text
    compare("events", events)
