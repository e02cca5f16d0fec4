"""Batches: sentences that are searched by the same weights, whatever the number of threads."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from linear import EXPLORE, Linear
from panparser.learning import engine_run as native
from panparser.learning.strategies import DYNAMIC
from panparser.training.engine_parser_run import PerceptronRun
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:70], TREEBANK[70:90]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
TRAININGS = {
    "parser": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=3, members=1, **options),
    "members": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=2, **options),
    "exploration": lambda **options: pp.train(
        GREEDY, TRAIN, epochs=3, members=1, strategy=replace(DYNAMIC, exploration=0.7), **options
    ),
    "tagger": lambda **options: pp.train_tagger(pp.TaggerSpec(), TRAIN, epochs=2, members=1, **options),
}


def saved(model, path) -> bytes:
    model.save(path)
    return path.read_bytes()


def run_of(treebank, **options) -> PerceptronRun:
    training = pp.TrainingConfig(members=1, **options)
    given = {"vectors": None, "init": None, "checkpoint": None, "listeners": ()}
    return PerceptronRun(spec=BEAM, treebank=treebank, dev=None, training=training, threads=2, **given)


def weights_of(learner) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int, int]]]:
    actions, labels = learner.actions(), learner.labels()
    rows = np.array(actions.weights).reshape(len(actions.keys), -1)
    by_action = Counter({(int(actions.keys[i]), a): int(rows[i, a]) for i, a in np.ndindex(rows.shape)})
    pairs = zip(np.repeat(labels.keys, labels.counts).tolist(), labels.labels.tolist(), strict=True)
    return by_action, Counter(dict(zip(pairs, labels.weights.tolist(), strict=True)))


@pytest.mark.parametrize("name", TRAININGS)
@pytest.mark.parametrize("batch", [3, 8, 200])
def test_no_byte_depends_on_threads(name, batch, tmp_path):
    one, *others = (
        saved(TRAININGS[name](batch_size=batch, threads=threads), tmp_path / "model") for threads in (1, 2, 3)
    )
    assert others == [one, one]
    assert one != saved(TRAININGS[name](), tmp_path / "model")


def test_a_batch_of_one_is_none(tmp_path):
    assert saved(TRAININGS["parser"](batch_size=1), tmp_path / "model") == saved(
        TRAININGS["parser"](), tmp_path / "model"
    )


def test_what_a_batch_learns_is_the_sum_of_what_its_sentences_teach():
    """All searches see the same weights, here none: as if each sentence had a learner of its own."""
    together = run_of(TRAIN[:6], batch_size=6)
    together.train_epoch(1)
    actions, labels = Counter(), Counter()
    for sentence in range(6):
        alone = run_of(TRAIN[:6])
        alone._train(alone.learners[0], np.array([sentence]), alone.training.strategy.lowered(1), None, 1)
        for sums, found in zip((actions, labels), weights_of(alone.learners[0]), strict=True):
            sums.update(found)
    found = weights_of(together.learners[0])
    assert {key: w for key, w in found[0].items() if w} == {key: w for key, w in actions.items() if w}
    assert {key: w for key, w in found[1].items() if w} == {key: w for key, w in labels.items() if w}
    assert together.learners[0].time == 6


def test_they_are_whole_whatever_the_progress_reported(monkeypatch, tmp_path):
    before = saved(TRAININGS["parser"](batch_size=5), tmp_path / "model")
    monkeypatch.setattr(native, "CHUNK_SENTENCES", 7)
    assert saved(TRAININGS["parser"](batch_size=5), tmp_path / "model") == before


def test_they_are_recorded_if_they_are_more_than_one(tmp_path):
    parser = TRAININGS["parser"](batch_size=8)
    parser.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").training["batch"] == 8
    assert pp.load(tmp_path / "model").training.batch == 8
    assert "batch" not in TRAININGS["parser"]().training
    assert TRAININGS["parser"]().training.batch == 1


@pytest.mark.parametrize("batch", [0, -1, 1.5, True, "8", None])
def test_their_size_is_checked(batch):
    with pytest.raises(pp.SpecError, match="train: batch_size must be an integer between 1 and 1048576; got"):
        pp.train(GREEDY, TRAIN, batch_size=batch)


def test_where_they_cannot_be():
    class Updates(pp.Listener):
        def after_update(self, update): ...

    class Sentences(pp.Listener):
        is_passive = True

        def before_sentence(self, epoch, sentence): ...

    for listener in (Updates(), Sentences()):
        with pytest.raises(pp.SpecError, match="train: batch must be 1 if listeners follow sentences or updates"):
            pp.train(GREEDY, TRAIN, batch_size=2, listeners=[listener])
    with pytest.raises(pp.SpecError, match="train: batch must be 1 if the strategy is a function"):
        pp.train(GREEDY, TRAIN, batch_size=2, strategy=lambda epoch, sentence: DYNAMIC)
    with pytest.raises(pp.SpecError, match="train: batch_size requires the engine's perceptron"):
        pp.train(GREEDY, TRAIN, batch_size=2, classifier=Linear(), strategy=EXPLORE)
    with pytest.raises(pp.SpecError, match="batch"):
        pp.train_tagger(pp.TaggerSpec(), TRAIN, batch_size=2, classifier=Linear())


def test_recipes_have_them(tmp_path):
    pp.write_conllu(tmp_path / "train.conllu", TRAIN)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'[data]\ntrain = ["{tmp_path}/train.conllu"]\n[parser]\nbeam = 1\ntemplates = "fast"\n'
        "[training]\nepochs = 1\nbatch = 4\n"
    )
    result = pp.run_recipe(recipe)
    assert result.model.training.batch == 4
    assert result.recipe.training.batch == 4
