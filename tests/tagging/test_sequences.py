"""Sequences: the engine learns and predicts what a slow labeling in Python does."""

from __future__ import annotations

import itertools
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from learners import ENGLISH, PERCEPTRON_STRATEGIES, Recorder, short_sentences
from panparser import _engine
from panparser.learning.training import sequence_training
from panparser.tagging.sequence_training import EngineSequenceRun
from panparser.tagging.sequences import shape
from reference.labeling import Labeling
from reference.tasks import TaskLearner

TEMPLATES = pp.Templates.parse("""
    W0.a
    W-1.a W0.b
    W1.a
    W2.b W-2.b
    T-1
    T-2 T-1 W0.a
    T-1.kind W1.a
""")
WINDOW = pp.tagging.SequenceFeatures(templates=TEMPLATES, columns=("a", "b"), parts=("kind",))


def random_items(seed: int, classes: int, sequences: int = 6, allowed: bool = False, unknown: float = 0.0):
    """Items with two columns of few numbers, classes that depend on them now and then, and perhaps sets of classes."""
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *rng.integers(0, 6, sequences)]).astype(np.int64)
    size = int(offsets[-1])
    columns = {name: rng.integers(-2, 4, size).astype(np.int32) for name in ("a", "b")}
    right = ((columns["a"] + columns["b"] + rng.integers(0, 2, size)) % classes).astype(np.int32)
    right[rng.random(size) < unknown] = -1
    sets = None
    if allowed:
        members = [sorted(rng.choice(classes, rng.integers(1, classes + 1), replace=False)) for _ in range(3)]
        sets = pp.tagging.AllowedLabels(
            rng.integers(-1, 3, size).astype(np.int32), [list(map(int, chosen)) for chosen in members]
        )
    return pp.tagging.SequenceItems(offsets, columns, allowed=sets), right


def run_of(window, items, right, classes, beam, listeners=(), **options) -> EngineSequenceRun:
    training = sequence_training(beam, {"members": 1, "epochs": 3, **options})
    return EngineSequenceRun(
        window=window,
        items=items,
        gold=right,
        classes=classes,
        beam=beam,
        dev=None,
        names=None,
        listeners=listeners,
        training=training,
    )


def both(window, items, right, classes, beam, **options):
    """The same training by the engine and in Python: (run, recorder, model, learner)."""
    recorder = Recorder()
    run = run_of(window, items, right, classes, beam, [recorder], **options)
    model = run.run()
    unit = 1 if run.training.strategy.focus == 1 else 256
    labeling = Labeling(window, items, classes.size, dict(classes.parts))
    learner = TaskLearner(labeling, beam, run.training.seed, unit)
    for epoch, sequence in recorder.order:
        strategy = run.training.strategy_for(epoch, sequence)
        gold = right[items.offsets[sequence] : items.offsets[sequence + 1]].tolist()
        learner.train(sequence, gold, strategy, strategy.exploration(epoch))
    return run, recorder, model, learner


def engine_rows(run: EngineSequenceRun) -> Counter:
    (learner,) = run.learners
    found = learner.weights()
    classes, weights, dated = found.labels.tolist(), found.weights.tolist(), found.dated.tolist()
    rows, at = Counter(), 0
    for count in found.counts.tolist():
        cells = [(str(classes[i]), weights[i], dated[i]) for i in range(at, at + count) if weights[i] or dated[i]]
        rows[frozenset(cells)] += 1
        at += count
    return rows


def python_rows(learner: TaskLearner) -> Counter:
    rows = Counter()
    for feature, row in learner.weights.items():
        dated = learner.dated[feature]
        rows[frozenset((name, row[name], dated[name]) for name in row if row[name] or dated[name])] += 1
    return rows


def kinds(classes: int) -> pp.tagging.LabelSet:
    return pp.tagging.LabelSet(classes, {"kind": [c // 2 for c in range(classes)]})


@pytest.mark.unmeasured
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("strategy", list(PERCEPTRON_STRATEGIES))
def test_every_strategy_learns_the_same_as_in_python(strategy, classes):
    for beam in (1, 3):
        items, right = random_items(classes, classes)
        run, recorder, _, learner = both(
            WINDOW, items, right, kinds(classes), beam, strategy=PERCEPTRON_STRATEGIES[strategy]
        )
        assert recorder.updates == learner.updates
        assert recorder.updates
        assert engine_rows(run) == python_rows(learner)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    classes=st.integers(1, 6),
    beam=st.integers(1, 4),
    name=st.sampled_from([name for name, strategy in PERCEPTRON_STRATEGIES.items() if strategy.oracle == "dynamic"]),
    focus=st.sampled_from([1.0, 0.5, 2.0]),
)
def test_sets_of_classes_and_unknown_ones_are_learned_from_as_in_python(seed, classes, beam, name, focus):
    items, right = random_items(seed, classes, allowed=True, unknown=0.2)
    if not items.size or (right < 0).all():
        return
    strategy = pp.TrainingStrategy.from_values({"base": name, "focus": focus})
    run, recorder, model, learner = both(WINDOW, items, right, kinds(classes), beam, strategy=strategy, seed=seed % 7)
    assert recorder.updates == learner.updates
    assert engine_rows(run) == python_rows(learner)
    found = model.predict(items)
    for item, number in enumerate(items.allowed.sets_of_items.tolist()):
        assert number < 0 or found[item] in items.allowed.sets[number]


def test_words_of_a_treebank_are_read_as_in_python():
    treebank = short_sentences(12)
    templates = pp.Templates.parse("""
        W0.form
        W0.lower W-1.lower
        W0.prefix[2] W0.suffix[2]
        W0.lower_prefix[1]
        W0.lower_suffix[3]
        W1.shape
        W0.lemma W1.xpos
        W0.feats W0.number
        T-1 W0.shape
    """)
    window = pp.tagging.SequenceFeatures(templates=templates, columns=("number",))
    numbers = np.arange(treebank.words, dtype=np.int32) % 5
    items = pp.tagging.SequenceItems.from_treebank(treebank, {"number": numbers})
    right = np.array(treebank.column("upos"))
    run, recorder, _, learner = both(window, items, right, pp.tagging.LabelSet(len(treebank.vocabulary("upos"))), 2)
    assert recorder.updates == learner.updates
    assert engine_rows(run) == python_rows(learner)


SHAPES = [
    "Peter",
    "Élodie",
    "Пётр",
    "peter",
    "пётр",
    "iPhone",
    "NATO",
    "10:30",
    "9:05",
    "1st",
    "o'clock",
    "U.S.",
    "...",
]


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(SHAPES, 2)))
def test_shapes_are_those_of_python(first, second):
    rows = "".join(f"{i}\t{word}" + "\t_" * 8 + "\n" for i, word in enumerate((first, second), 1))
    items = pp.tagging.SequenceItems.from_treebank(pp.parse_conllu(rows + "\n"))
    window = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.shape"))
    model = pp.tagging.train_sequence_model(window, items, np.array([0, 1], dtype=np.int32), 2, epochs=3)
    a, b = model.predict(items).tolist()
    assert (a == b) == (shape(first) == shape(second))


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_exhaustive_search_is_brute_force(seed, classes):
    items, right = random_items(seed, classes, allowed=True)
    model = pp.tagging.train_sequence_model(WINDOW, items, right, kinds(classes), beam=2, epochs=2)
    labeling = Labeling(WINDOW, items, classes, dict(kinds(classes).parts))
    for sequence in range(len(items)):
        length = int(np.diff(items.offsets)[sequence])
        options = []
        state = labeling.initial(sequence)
        for _ in range(length):
            options.append([int(name) for name in labeling.legal(state)])
            state = labeling.apply(state, labeling.legal(state)[0])
        every = list(itertools.product(*options))
        found = model.best(items, sequence, 10**6, beam=0)
        assert sorted(classes for classes, _ in found) == sorted(every)
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        for classes_of_items, score in found:
            chosen = np.full(items.size, -1, dtype=np.int32)
            chosen[items.offsets[sequence] : items.offsets[sequence + 1]] = classes_of_items
            forced = pp.tagging.SequenceItems(
                items.offsets, items.columns, allowed=pp.tagging.AllowedLabels(chosen, [[c] for c in range(classes)])
            )
            assert model.best(forced, sequence, 1, beam=1) == [(classes_of_items, score)]
        assert model.best(items, sequence, 3, beam=len(every) + 1) == found[:3]


@pytest.mark.parametrize("classes", [2, 7])
def test_greedy_is_a_beam_of_one(classes):
    items, right = random_items(3, classes, sequences=30, allowed=True)
    model = pp.tagging.train_sequence_model(WINDOW, items, right, kinds(classes), epochs=2)
    greedy = model.predict(items)
    for sequence in range(len(items)):
        first, end = items.offsets[sequence : sequence + 2]
        assert (
            model.scorer.engine.best(items.to_engine(WINDOW, classes), sequence, 1, 1)[0][0]
            == greedy[first:end].tolist()
        )


def test_threads_and_seeds_change_nothing_but_what_they_should():
    items, right = random_items(1, 7, sequences=60)
    models = [
        pp.tagging.train_sequence_model(WINDOW, items, right, kinds(7), epochs=2, seed=seed) for seed in (1, 1, 2)
    ]
    arrays = [{name: array.tobytes() for name, array in model.to_arrays().items()} for model in models]
    assert arrays[0] == arrays[1] != arrays[2]
    for beam in (1, 4):
        one = models[0].predict(items, beam=beam)
        assert (one == models[0].predict(items, beam=beam, threads=3)).all()


def test_a_model_comes_back_from_its_arrays():
    for classes in (2, 300):
        items, right = random_items(1, classes)
        parts = kinds(classes)
        model = pp.tagging.train_sequence_model(WINDOW, items, right, parts, epochs=2, beam=2)
        again = pp.tagging.SequenceModel.from_file(model.to_arrays("x."), model.to_values(), "x.")
        assert (again.predict(items) == model.predict(items)).all()
        assert again.to_values() == model.to_values()
        with pytest.raises(pp.ModelError):
            pp.tagging.SequenceModel.from_file(
                model.to_arrays("x."), model.to_values() | {"classes": classes + 1}, "x."
            )
        with pytest.raises(pp.ModelError):
            pp.tagging.SequenceModel.from_file({}, model.to_values(), "x.")


def test_a_development_set_chooses_the_epoch_and_counts_other_classes_as_wrong():
    items, right = random_items(2, 3, sequences=40)
    other = right.copy()
    other[::2] = -2
    model = pp.tagging.train_sequence_model(
        WINDOW, items, right, kinds(3), dev=(items, other), epochs=4, prune_threshold=0.5
    )
    history = model.training["history"]
    assert all(0 < report["accuracy"] <= 50 for report in history)
    assert max(history, key=lambda report: report["accuracy"])["epoch"] <= model.training["best_epoch"]
    assert history[-1]["pruning"] is None or history[-1]["pruning"]["size"] <= history[-1]["pruning"]["whole_size"]


BAD = {
    "no such attribute": lambda: pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.nothing")),
    "no such part": lambda: pp.tagging.SequenceFeatures(templates=pp.Templates.parse("T-1.upos")),
    "a parser's state": lambda: pp.tagging.SequenceFeatures(templates=pp.Templates.parse("S0.form")),
    "no treebank": lambda: pp.tagging.train_sequence_model(
        pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.form")),
        random_items(1, 2)[0],
        random_items(1, 2)[1],
        2,
    ),
    "no column": lambda: pp.tagging.train_sequence_model(
        WINDOW, pp.tagging.SequenceItems(np.array([0, 1])), np.zeros(1, np.int32), pp.tagging.LabelSet(1, {"kind": [0]})
    ),
    "no part of classes": lambda: pp.tagging.train_sequence_model(WINDOW, *random_items(1, 2), 2),
    "a class too many": lambda: pp.tagging.train_sequence_model(WINDOW, *random_items(1, 4), kinds(3)),
    "too few classes": lambda: pp.tagging.train_sequence_model(
        WINDOW, random_items(1, 4)[0], np.zeros(1, np.int32), kinds(4)
    ),
    "nothing known": lambda: pp.tagging.train_sequence_model(
        WINDOW, random_items(1, 4)[0], random_items(1, 4)[1] * 0 - 1, kinds(4)
    ),
    "an empty set": lambda: pp.tagging.SequenceItems(
        np.array([0, 1]),
        {"a": np.zeros(1, np.int32), "b": np.zeros(1, np.int32)},
        allowed=pp.tagging.AllowedLabels(np.zeros(1, np.int32), [[]]),
    ).to_engine(WINDOW, 2),
    "an option for parsers": lambda: pp.tagging.train_sequence_model(WINDOW, *random_items(1, 4), kinds(4), margin=0.1),
    "a column of another length": lambda: pp.tagging.SequenceItems(np.array([0, 1]), {"a": np.zeros(2, np.int32)}),
    "no classes": lambda: pp.tagging.LabelSet(0),
    "numbers that are too large": lambda: pp.tagging.SequenceItems(np.array([0, 1]), {"a": np.array([1 << 40])}),
    "numbers that are far too large": lambda: pp.tagging.SequenceItems(np.array([0, 1]), {"a": [1 << 70]}),
    "numbers with fractions": lambda: pp.tagging.SequenceItems(np.array([0, 1]), {"a": np.array([0.5])}),
    "texts": lambda: pp.tagging.SequenceItems(np.array([0, 1]), {"a": ["x"]}),
    "a part that is too large": lambda: pp.tagging.LabelSet(1, {"kind": [1 << 40]}),
    "a right class that would wrap": lambda: pp.tagging.train_sequence_model(
        WINDOW, random_items(1, 4)[0], random_items(1, 4)[1].astype(np.int64) + (1 << 32), kinds(4)
    ),
    "a set that would wrap": lambda: pp.tagging.SequenceItems(
        np.array([0, 1]),
        {"a": np.zeros(1, np.int32), "b": np.zeros(1, np.int32)},
        allowed=pp.tagging.AllowedLabels(np.array([1 << 32]), [[1]]),
    ).to_engine(WINDOW, 2),
    "no such sequence": lambda: pp.tagging.train_sequence_model(WINDOW, *random_items(1, 4), kinds(4), epochs=1).best(
        random_items(1, 4)[0], 10_000, 2
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused(bad):
    with pytest.raises(pp.SpecError) as error:
        bad()
    assert "\n" not in str(error.value)


def test_the_engine_refuses_what_it_cannot_read():
    items, right = random_items(1, 4)
    model = pp.tagging.train_sequence_model(WINDOW, items, right, kinds(4), epochs=1)
    other = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.a"), columns=("a",), parts=("kind",))
    with pytest.raises(ValueError, match="prepared for other templates"):
        model.scorer.engine.predict(items.to_engine(other, 4), 1, 1)
    lowered = items.to_engine(WINDOW, 4)
    sets = np.zeros(items.size, np.int32)
    with pytest.raises(ValueError, match="allowed some class"):
        lowered.allow(sets, np.array([0, 1 << 20, 2], np.int32), np.array([0, 1], np.int32), 4)


def test_a_manifest_that_is_damaged():
    model = pp.tagging.train_sequence_model(WINDOW, *random_items(1, 4), kinds(4), epochs=1)
    for damage in ({"parts": None}, {"parts": []}, {"classes": "x"}, {"window": {}}, {"layer": None}):
        with pytest.raises(pp.ModelError):
            pp.tagging.SequenceModel.from_file(model.to_arrays(), model.to_values() | damage)


def test_a_parser_refuses_templates_of_sequences():
    with pytest.raises(pp.SpecError, match=r"W0\.form"):
        pp.ParserSpec(templates=pp.Templates.parse("S0.form\nW0.form"))


@pytest.mark.parametrize("text", ["W17.form", "T-5", "W-.form", "T0", "W0.class", "W0", "W0.label", "T-1.feats[Case]"])
def test_places_outside_the_window_are_refused(text):
    with pytest.raises(pp.errors.TemplateError):
        pp.Templates.parse(text)


def test_templates_of_sequences_print_as_they_are_read():
    text = "W-16.form W16.char\nT-1 T-4.upos\nW0.lower_suffix[3] W0.shape"
    templates = pp.Templates.parse(text)
    assert str(templates) == text
    assert pp.Templates.from_json(templates.to_json()) == templates


def test_an_empty_treebank_is_labeled():
    window = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.form"))
    model = pp.tagging.train_sequence_model(
        window, pp.tagging.SequenceItems.from_treebank(ENGLISH), np.array(ENGLISH.column("upos")), 30, epochs=1
    )
    assert len(model.predict(pp.tagging.SequenceItems.from_treebank(pp.parse_conllu("")))) == 0


def test_long_sequences_take_time_by_their_length():
    """Each update looks back to where the search last started, not to the beginning."""
    rng = np.random.default_rng(1)
    size = 200_000
    columns = {name: rng.integers(0, 50, size).astype(np.int32) for name in ("a", "b")}
    items, right = pp.tagging.SequenceItems(np.array([0, size]), columns), rng.integers(0, 2, size).astype(np.int32)
    began = time.process_time()
    model = pp.tagging.train_sequence_model(WINDOW, items, right, kinds(2), epochs=1)
    assert model.training["history"][0]["updates"] > size / 10
    assert len(model.predict(items)) == size
    assert time.process_time() - began < 20


def test_a_treebank_is_checked_before_the_engine_sees_it():
    treebank = ENGLISH[:5].copy()
    window = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.form"))
    items = pp.tagging.SequenceItems(treebank.offsets, treebank=treebank)
    model = pp.tagging.train_sequence_model(window, items, np.zeros(treebank.words, np.int32), 2, epochs=1)
    treebank.column("form")[0] = 2_000_000_000
    for changed in (
        items,
        pp.tagging.SequenceItems(treebank.offsets, treebank=treebank),
        pp.tagging.SequenceItems.from_treebank(treebank),
    ):
        with pytest.raises(pp.TreebankError):
            model.predict(changed)


def test_columns_of_the_engine_are_of_its_own_type():
    with pytest.raises(TypeError, match="int32"):
        _engine.Sequences(WINDOW._program, np.array([0, 1]), None, [np.array([2**40 + 5])] * 2)
