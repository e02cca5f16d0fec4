"""The same seed, the same bytes, whatever the threads; another seed, other bytes; what was cut short is no whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from learners import SMALL
from places import ENGLISH
from spies import spy_on

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:30], TREEBANK[30:45]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)
PIPELINE = pp.PipelineSpec(
    parser=GREEDY, folds=2, tokenizer_epochs=2, tagger_epochs=2, lemmatizer_epochs=2
)  # every part


def saved(model, folder) -> bytes:
    model.save(folder / "model")
    return (folder / "model").read_bytes()


DRIVERS = {
    "parser": lambda folder, seed, threads: saved(pp.train(GREEDY, TRAIN, dev=DEV, epochs=2, seed=seed), folder),
    "beam": lambda folder, seed, threads: saved(
        pp.train(replace(GREEDY, beam=4), TRAIN, dev=DEV, epochs=2, seed=seed, constraints=0.3), folder
    ),
    "tagger": lambda folder, seed, threads: saved(
        pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=DEV, epochs=2, seed=seed), folder
    ),
    "lemmatizer": lambda folder, seed, threads: saved(pp.train_lemmatizer(TRAIN, dev=DEV, epochs=2, seed=seed), folder),
    "tokenizer": lambda folder, seed, threads: saved(pp.train_tokenizer(TRAIN, dev=DEV, epochs=2, seed=seed), folder),
    "pipeline": lambda folder, seed, threads: saved(
        pp.train_pipeline(PIPELINE, TRAIN, dev=DEV, epochs=2, seed=seed, threads=threads), folder
    ),
    "cascade": lambda folder, seed, threads: saved(
        pp.train_cascade(STAGES, TRAIN, dev=DEV, epochs=2, seed=seed, threads=threads, folds=3), folder
    ),
    "seeds": lambda folder, seed, threads: b"".join(
        saved(parser, folder)
        for parser in pp.lab.train_seeds(GREEDY, TRAIN, [seed, seed + 5], dev=DEV, epochs=2, threads=threads)
    ),
    "jackknife": lambda folder, seed, threads: pp.lab.jackknife(
        GREEDY, TRAIN, 3, epochs=2, seed=seed, threads=threads
    ).to_bytes(),
    "cross-validation": lambda folder, seed, threads: pp.lab.cross_validate(
        GREEDY, TRAIN, 3, epochs=2, seed=seed, threads=threads
    ),
    "curve": lambda folder, seed, threads: pp.lab.learning_curve(
        GREEDY, TRAIN, DEV, [5, 30], epochs=2, seed=seed, threads=threads
    ),
}


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_seed_decides_and_threads_do_not(driver, tmp_path):
    learn = DRIVERS[driver]
    one, again, other = (learn(tmp_path, seed, threads) for seed, threads in ((1, 1), (1, 2), (2, 1)))
    assert one == again
    assert one != other


def test_regions_are_the_same_whatever_the_threads():
    found = [
        pp.ensembles.estimate_regions(TREEBANK, min_count=5, precision=0.7, folds=3, epochs=1, threads=n)
        for n in (1, 2)
    ]
    assert found[0] == found[1] != ()


def test_the_seed_reaches_every_part(monkeypatch):
    calls = {
        function.__name__: spy_on(monkeypatch, function)
        for function in (pp.train, pp.train_tagger, pp.train_lemmatizer, pp.train_tokenizer)
    }
    pp.train_pipeline(PIPELINE, TRAIN, dev=DEV, epochs=1, seed=7)
    assert {name: len(found) for name, found in calls.items()} == {
        "train": 1,
        "train_tagger": 3,
        "train_lemmatizer": 3,
        "train_tokenizer": 1,
    }
    assert {call.options["seed"] for found in calls.values() for call in found} == {7}
    calls["train"].clear()
    pp.train_cascade(STAGES, TRAIN, folds=2, epochs=1, seed=7)
    pp.lab.jackknife(GREEDY, TRAIN, 2, epochs=1, seed=7)
    pp.lab.learning_curve(GREEDY, TRAIN, DEV, [5], epochs=1, seed=7)
    assert [call.options["seed"] for call in calls["train"]] == [7] * (4 + 2 + 1)


# --- What was cut short ---


class Stop(pp.Listener):
    """Ctrl-C after the first epoch of the stage or part of some number."""

    def __init__(self, number: int) -> None:
        self.number, self.begun = number, 0

    def before(self, *_) -> None:
        self.begun += 1

    def after_epoch(self, report) -> None:
        if self.begun == self.number and report.epoch == 1:
            raise KeyboardInterrupt


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("given", ["predicted", "none"])
def test_a_stage_that_was_cut_short_gives_no_cascade(number, given):
    stop = Stop(number)
    with pytest.raises(KeyboardInterrupt):
        pp.train_cascade(
            STAGES,
            TRAIN,
            dev=DEV,
            epochs=3,
            folds=2,
            stage_constraints=given,
            listeners=[stop],
            on_stage_start=stop.before,
        )
    assert stop.begun == number


def test_a_parser_that_was_cut_short_says_so_and_is_the_best_so_far():
    stop = Stop(1)
    stop.before()
    parser = pp.train(GREEDY, TRAIN, dev=DEV, epochs=5, listeners=[stop])
    assert parser.training["interrupted"] is True
    assert len(parser.training["history"]) == 1
    assert pp.train(GREEDY, TRAIN, dev=DEV, epochs=1).training["interrupted"] is False
    whole = pp.train(GREEDY, TRAIN, dev=DEV, epochs=1)
    assert all((array == whole.to_arrays()[name]).all() for name, array in parser.to_arrays().items())


def test_a_cascade_that_was_cut_short_is_not_written(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", TRAIN)
    pp.write_conllu("dev.conllu", DEV)
    (tmp_path / "cascade.toml").write_text(
        '[data]\ntrain = ["train.conllu"]\ndev = "dev.conllu"\n'
        '[parser]\ntemplates = "fast"\nbeam = 1\n[training]\nepochs = 2\n'
        '[[stages]]\nname = "near"\nregions = [{max_length = 1}]\n'
        '[[stages]]\nname = "rest"\n'
    )
    real = pp.Parser.predict
    calls = []

    def interrupting(self, *arguments, **options):
        calls.append(self)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, *arguments, **options)

    monkeypatch.setattr(pp.Parser, "predict", interrupting)
    code, _, errors = run("train", "--recipe", "cascade.toml", "-o", "model")
    assert code == 130, errors
    assert not (tmp_path / "model").exists()
