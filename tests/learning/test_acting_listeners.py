"""Listeners that act: sentences left out or changed, another gold, an early end; in every loop that learns."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from covington import Covington
from learners import SMALL, short_sentences
from linear import Linear

TRAIN = short_sentences(12, 9)
TABLE = pp.ParserSpec(system=pp.system("arc-hybrid"), templates=SMALL, beam=1, labeled=True, nonprojective="as-is")
PYTHON = pp.ParserSpec(system=Covington(), templates=SMALL, beam=1)
WAYS = {
    "perceptron": lambda treebank, **options: pp.train(TABLE, treebank, members=1, **options),
    "classifier": lambda treebank, **options: pp.train(TABLE, treebank, classifier=Linear(), **options),
    "Python system": lambda treebank, **options: pp.train(PYTHON, treebank, **options),
}
DYNAMIC = pp.STRATEGIES["dynamic"]


@pytest.fixture(params=WAYS)
def learn(request):
    way = WAYS[request.param]

    def run(treebank, *listeners, epochs=1):
        parser = way(treebank, strategy=DYNAMIC, epochs=epochs, listeners=listeners)
        return parser, {name: array.tobytes() for name, array in parser.to_arrays().items()}

    return run


class Acting(pp.Listener):
    """Does the same to some sentences, and counts what came after."""

    def __init__(self, decisions):
        self.decisions = decisions
        self.after = []

    def before_sentence(self, epoch, sentence):
        return self.decisions.get(sentence)

    def after_sentence(self, epoch, sentence):
        self.after.append(sentence)


def test_who_only_listens_changes_nothing(learn):
    assert learn(TRAIN, Acting({}))[1] == learn(TRAIN, pp.Listener())[1]


def test_skipped_sentences_teach_nothing(learn):
    listener = Acting(dict.fromkeys(range(1, len(TRAIN)), pp.SKIP))
    parser, _ = learn(TRAIN, listener)
    assert listener.after == [0]
    assert parser.training.history[-1].words == len(TRAIN[0])


def test_the_same_gold_in_its_place_is_no_change():
    """One by one, a perceptron learns from the replaced sentence just what it would have learned from the other."""
    same = {
        i: pp.Replacement(gold=pp.GoldTree(TRAIN[i].heads.tolist(), TRAIN[i].labels)) for i in range(0, len(TRAIN), 2)
    }
    for name in ("perceptron", "Python system"):
        arrays = [
            WAYS[name](TRAIN, strategy=DYNAMIC, epochs=2, listeners=listeners).to_arrays()
            for listeners in ([], [Acting(same)])
        ]
        for key, array in arrays[0].items():
            np.testing.assert_array_equal(array, arrays[1][key])


def test_another_gold_or_sentence_is_learned(learn):
    flat = pp.GoldTree([0, *[1] * (len(TRAIN[0]) - 1)], ["root", *["dep"] * (len(TRAIN[0]) - 1)])
    plain = learn(TRAIN, epochs=2)[1]
    assert learn(TRAIN, Acting({0: pp.Replacement(gold=flat)}), epochs=2)[1] != plain
    every = {number: pp.Replacement(sentence=TRAIN[0]) for number in range(len(TRAIN))}
    parser, _ = learn(TRAIN, Acting(every), epochs=6)
    assert parser.parse(TRAIN[:1])[0].heads.tolist() == TRAIN[0].heads.tolist()


@pytest.mark.parametrize("event", ["before_sentence", "after_sentence", "after_epoch"])
def test_training_stops_when_a_listener_says_so(learn, event):
    class Stopping(pp.Listener):
        pass

    def stop(self, *values):
        raise pp.StopTraining

    setattr(Stopping, event, stop)
    parser, _ = learn(TRAIN, Stopping(), epochs=5)
    assert [report.epoch for report in parser.training.history] == [1]
    assert parser.training.interrupted is False
    assert (parser.parse(TRAIN).heads >= 0).all()


def test_what_listeners_may_return(learn):
    for decision, message in (
        (3, "before_sentence of Acting must return None, SKIP or a Replacement; got 3"),
        (pp.Replacement(sentence="text"), "Replacement: sentence must be a Sentence"),
        (pp.Replacement(gold=[0]), "Replacement: gold must have"),
    ):
        with pytest.raises(pp.SpecError, match=message):
            learn(TRAIN, Acting({0: decision}))


def test_sequences_and_tasks():
    spec = pp.TaggerSpec(columns=("upos",))
    skipping = Acting(dict.fromkeys(range(1, len(TRAIN)), pp.SKIP))
    tagger = pp.train_tagger(spec, TRAIN, epochs=1, members=1, listeners=[skipping])
    assert skipping.after
    assert set(skipping.after) == {0}
    assert tagger.training.history[-1].words == len(TRAIN[0])
    changed = Acting({0: pp.Replacement(gold=[0] * len(TRAIN[0]))})
    other = pp.train_tagger(spec, TRAIN, epochs=2, members=1, listeners=[changed])
    assert other.to_arrays().keys() == tagger.to_arrays().keys()

    class Same:
        def initial(self, word):
            return word, ""

        def legal(self, state):
            return tuple("ab") if len(state[1]) < len(state[0]) else ()

        def apply(self, state, action):
            return state[0], state[1] + action

        def cost(self, state, action, gold):
            return int(gold[len(state[1])] != action)

        def features(self, state):
            return [f"letter {state[0][len(state[1])]}"]

    words = [("ab", "ab"), ("ba", "ba"), ("bb", "bb")]
    swapped = {i: pp.Replacement(gold=word.translate(str.maketrans("ab", "ba"))) for i, (word, _) in enumerate(words)}
    assert pp.train_task(Same(), words, epochs=4).predict("aab").actions == tuple("aab")
    assert pp.train_task(Same(), words, epochs=4, listeners=[Acting(swapped)]).predict("aab").actions == tuple("bba")
    listener = Acting({0: pp.SKIP, 1: pp.Replacement(sentence="bbb", gold="bbb")})
    model = pp.train_task(Same(), words, epochs=2, listeners=[listener])
    assert model.predict("b").actions == ("b",)
    assert 0 not in listener.after
