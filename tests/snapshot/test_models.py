"""Files of models, and what models make of sentences, are what they were.

All arithmetic of training is in integers, so the bytes are those of every machine, and of any number of threads. What
is not in integers is left out: networks and vectors as they learn, strategies that draw states by their scores, and
classifiers with real numbers. The weights of calibrations are compared up to rounding.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from chunking import Chunking, chunks_of
from covington import Covington
from learners import SMALL, short_sentences, without_heads
from linear import EXPLORE, Linear
from places import ENGLISH
from snapshots import compare, digest, digest_of_model, saved

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:24], TREEBANK[24:34]
SHORT = short_sentences(16, 9)
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
QUICK = {"epochs": 2, "members": 1}
STATIC, DYNAMIC = pp.STRATEGIES["static"], pp.STRATEGIES["dynamic"]
SYSTEMS = (
    *("arc-eager", "arc-hybrid", "arc-standard", "attardi", "easy-first", "non-monotonic-arc-eager", "swap-standard"),
    *("arc-swift", "covington", "covington-projective", "arc-eager-partial", "arc-hybrid-span"),
)
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)
PAIRS = [(tuple(zip(each.forms, each.values("upos"), strict=True)), chunks_of(each)) for each in TRAIN]


def parser(spec=GREEDY, treebank=TRAIN, **options):
    return pp.train(spec, treebank, **QUICK | options)


def learner(classifier, spec=GREEDY, **options):
    """A parser that a classifier in Python learns for."""
    return pp.train(spec, SHORT, classifier=classifier, **{"epochs": 1} | options)


def system(name):
    return pp.system(name, k=2) if name.endswith("span") else pp.system(name)


def annotated(model):
    """What a model makes of words without tags and trees."""
    sentences = ["".join(f"{i}\t{form}" + "\t_" * 8 + "\n" for i, form in enumerate(each.forms, 1)) for each in DEV]
    treebank = pp.parse_conllu("\n".join(sentences) + "\n")
    model.annotate(treebank)
    return treebank


def pipeline(**parts):
    spec = pp.PipelineSpec(parser=GREEDY, folds=2, tokenizer_epochs=1, tagger_epochs=1, lemmatizer_epochs=1, **parts)
    return pp.train_pipeline(spec, TRAIN, dev=DEV, **(QUICK if "parser" in spec.parts else {}))


MODELS = {
    **{name: lambda name=name: parser(replace(GREEDY, system=system(name), templates=None)) for name in SYSTEMS},
    **{
        f"{name}, beam": lambda name=name: parser(replace(BEAM, system=system(name)), epochs=1)
        for name in SYSTEMS
        if name != "easy-first"
    },
    **{
        f"strategy {name}": lambda strategy=strategy: parser(BEAM, strategy=strategy)
        for name, strategy in pp.STRATEGIES.items()
        if strategy.competitor == "best"
    },
    **{
        f"nonprojective {crossing}": lambda crossing=crossing: parser(replace(BEAM, nonprojective=crossing))
        for crossing in ("as-is", "leave-out", "reduce", "pseudo")
    },
    **{
        f"subsample by {by}": lambda by=by: parser(subsample=pp.Subsampling(share=0.5, criterion=by), dev=DEV)
        for by in ("share", "frequency", "accuracy", "accuracy-once")
    },
    "default": lambda: pp.train(pp.ParserSpec(), TRAIN, dev=DEV, epochs=2),
    "calibrated": lambda: parser(BEAM, dev=DEV),
    "no margin": lambda: parser(BEAM, dev=DEV, margin=0),
    "margin": lambda: parser(BEAM, dev=DEV, margin=0.25),
    "four members": lambda: parser(BEAM, members=4),
    "another seed": lambda: parser(BEAM, seed=2),
    "patience": lambda: parser(BEAM, dev=DEV, epochs=8, patience=1),
    "pruned": lambda: parser(BEAM, dev=DEV, prune_threshold=1.5),
    "of a size": lambda: parser(BEAM, max_model_bytes=12_000),
    "batches": lambda: parser(BEAM, batch_size=8),
    "unlabeled": lambda: parser(replace(BEAM, labeled=False), dev=DEV),
    "universal labels": lambda: parser(replace(BEAM, labels="universal")),
    "delexicalized": lambda: parser(replace(BEAM, templates=SMALL.delexicalized())),
    "weighted treebanks": lambda: parser(treebank=[TRAIN, DEV], treebank_weights=[1, 2.5]),
    "strategy by a function": lambda: parser(strategy=lambda epoch, sentence: STATIC if sentence % 2 else DYNAMIC),
    "partial annotations": lambda: parser(treebank=without_heads(TRAIN, 0.4)),
    "constraints": lambda: parser(BEAM, constraints=0.3),
    "two layers": lambda: parser(treebank=DEV, init=parser()),
    "restricted": lambda: parser().restricted_to(SMALL.without("form")),
    "vote": lambda: pp.make_voting_parser([parser(BEAM, seed=seed) for seed in (1, 2)]),
    "learned vote": lambda: pp.make_voting_parser([parser(BEAM, seed=seed) for seed in (1, 2)], dev=DEV),
    "cascade": lambda: pp.train_cascade(STAGES, TRAIN, dev=DEV, folds=2, **QUICK),
    "cascade, gold": lambda: pp.train_cascade(STAGES, TRAIN, stage_constraints="gold", **QUICK),
    "combination": lambda: pp.CombinedParser([parser(BEAM, part) for part in (TRAIN, DEV)], [2, 1], ["a", "b"]),
    "tagger": lambda: pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=DEV, epochs=2),
    "tagger, beam": lambda: pp.train_tagger(pp.TaggerSpec(columns=("upos", "feats"), beam=3), TRAIN, epochs=1),
    "tokenizer": lambda: pp.train_tokenizer(TRAIN, dev=DEV, epochs=1),
    "lemmatizer": lambda: pp.train_lemmatizer(TRAIN, dev=DEV, epochs=1),
    "pipeline": pipeline,
    "pipeline, tags one by one": lambda: pipeline(parts=("tagger",), joint_tagger=False),
    "task": lambda: pp.train_task(Chunking(), PAIRS, dev=PAIRS[:5], epochs=2),
    "task, beam": lambda: pp.train_task(Chunking(), PAIRS, beam=3, epochs=2),
    "linear": lambda: learner(Linear(), strategy=EXPLORE, dev=DEV),
    "linear, beam": lambda: learner(Linear(), BEAM),
    "vote of linears": lambda: pp.make_voting_parser([learner(Linear(), seed=seed) for seed in (1, 2)], weights=[2, 1]),
    "perceptron in Python": lambda: learner(pp.Perceptron(), dev=DEV),
    "perceptron in Python, beam": lambda: learner(pp.Perceptron(), BEAM),
    "perceptron of labels": lambda: learner(pp.batches.JointClassifier(pp.Perceptron(), outputs="label")),
    "perceptron of tags": lambda: learner(
        pp.batches.JointClassifier(pp.Perceptron(), outputs="tag"), replace(BEAM, templates=SMALL.without("upos"))
    ),
    "system in Python": lambda: learner(None, pp.ParserSpec(system=Covington(), templates=SMALL, beam=2)),
    "tagger by a perceptron in Python": lambda: pp.train_tagger(
        pp.TaggerSpec(beam=2), SHORT, classifier=pp.Perceptron(), epochs=1
    ),
    "bundled": lambda: pp.load("en"),
    "bundled network": lambda: pp.load("en-neural"),
}


@pytest.fixture(scope="module")
def files():
    return {name: digest_of_model(saved(make())) for name, make in MODELS.items()}


@pytest.mark.unmeasured
def test_files_of_models(files):
    compare("models", {name: found for name, (found, _) in files.items()})


@pytest.mark.unmeasured
def test_calibrations(files):
    compare("calibrations", {name: numbers for name, (_, numbers) in files.items() if numbers}, tolerance=1e-3)


@pytest.mark.unmeasured
def test_trees():
    """Whatever makes trees of sentences, by models in integers."""
    beam, crossing = parser(BEAM, dev=DEV), parser(replace(BEAM, system=pp.system("swap-standard")))
    gold = pp.Constraints.from_treebank(TRAIN, keep={"heads"})
    for sentence in range(0, len(TRAIN), 3):  # a cycle
        gold.heads[gold.word_slice(sentence)][:2] = 2, 1
    constrained = TRAIN.copy()
    parsed = beam.annotate(constrained, constraints=gold, relax=True)
    dropped = [(each.sentence, each.constraint.word) for each in parsed.dropped]
    assert dropped
    nlp = pp.load("en")
    compare(
        "trees",
        {
            "greedy": digest(parser().parse(DEV).to_bytes()),
            "beam": digest(beam.parse(DEV).to_bytes()),
            "crossing": digest(crossing.parse(DEV).to_bytes()),
            "constraints": digest(constrained.to_bytes()),
            "dropped": dropped,
            "jackknife": digest(pp.lab.jackknife(GREEDY, TRAIN, 3, **QUICK).to_bytes()),
            "cascade": digest(MODELS["cascade"]().parse(DEV).to_bytes()),
            "text": digest(nlp("They ate the pizza. Nobody came, though; it wasn't Mr. Smith's.").to_bytes()),
            "bundled": digest(annotated(nlp).to_bytes()),
        },
    )
