"""What training and parsing refuse, and what they end: damaged checkpoints, endless derivations, large numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import panparser as pp
from learners import SMALL, short_sentences, treebank_of
from panparser.errors import ModelError, NoLegalTransitionError, SpecError, StrategyError, TreebankError
from panparser.learning import listeners
from panparser.storage.containers import read_arrays, write_arrays

SPEC = pp.ParserSpec(templates=SMALL, beam=2)
TRAIN, DEV = short_sentences(20, 10), short_sentences(8, 6)


def damage(name, change):
    def apply(arrays, manifest):
        arrays[name] = change(arrays[name].copy())

    return apply


def first(value):
    def change(array):
        if array.dtype.kind == "i":
            array = array.astype(np.int32)  # checkpoints have narrower numbers
        array[0] = value
        return array

    return change


def forget(name):
    def apply(arrays, manifest):
        del arrays[name]

    return apply


def another_format(arrays, manifest):
    manifest["format"] = 0


@pytest.mark.parametrize(
    "spoil",
    [
        damage("state.actions.0.keys", first(0)),
        damage("state.actions.0.keys", first(511)),
        damage("state.actions.0.keys", lambda keys: keys[::-1]),
        damage("state.actions.0.weights", lambda weights: weights[:-1]),
        damage("state.labels.0.keys", first(0)),
        damage("state.labels.0.labels", first(-1)),
        damage("state.labels.0.labels", first(1 << 20)),
        damage("state.labels.0.counts", first(0)),
        damage("best.label_rows", lambda rows: np.full_like(rows, 255)),
        forget("best.tables"),
        forget("state.labels.0.dated"),
        another_format,
    ],
)
def test_a_checkpoint_that_says_what_cannot_be_is_refused(tmp_path, spoil):
    path = tmp_path / "run.checkpoint"
    pp.train(SPEC, TRAIN, epochs=1, members=1, checkpoint=path)
    arrays, manifest = read_arrays(path, "checkpoint")
    arrays = {name: array.copy() for name, array in arrays.items()}
    spoil(arrays, manifest)
    write_arrays(path, arrays, manifest)  # with a checksum that fits
    with pytest.raises(ModelError, match="checkpoint"):
        pp.train(SPEC, TRAIN, epochs=2, members=1, checkpoint=path, resume=True)


def test_a_derivation_that_never_ends_is_ended():
    values = pp.system("swap-standard").to_values()
    for row in values["transitions"]:
        row["when"] = [term for term in row["when"] if not term.startswith("precedes")]
    values["transitions"].sort(key=lambda row: row["name"] != "SWAP")  # of equals, the first is taken
    endless = replace(SPEC, system=pp.TransitionSystem.from_values(values), beam=1)
    parser = pp.train(endless, treebank_of("a/A/0/root"), strategy=pp.STRATEGIES["static"], epochs=1)
    with pytest.raises(NoLegalTransitionError, match="does not end"):
        parser.predict(DEV)


def test_a_system_that_gets_stuck_says_so():
    table = pp.system("arc-hybrid").to_values()
    table["transitions"] = [row for row in table["transitions"] if row["name"] != "LEFT"]
    table["ties"] = [name for name in table["ties"] if name != "LEFT"]
    stuck = pp.TransitionSystem.from_values(table)
    with pytest.raises(NoLegalTransitionError, match="arc-hybrid: no legal transition"):
        pp.train(replace(SPEC, system=stuck), TRAIN, epochs=1)


def test_labels_that_look_like_marks_are_left_alone():
    treebank = treebank_of("a/A/2/x^y b/B/0/root c/C/2/z|")
    parser = pp.train(SPEC, treebank, epochs=5)
    assert parser.spec.crossing == "as-is"
    assert parser.parse(treebank)[0].labels == ["x^y", "root", "z|"]
    with pytest.raises(TreebankError, match="label 'x\\^y': expected neither"):
        pp.train(replace(SPEC, nonprojective="pseudo"), treebank)


def test_numbers_that_are_too_large_are_refused():
    parser = pp.train(SPEC, TRAIN, epochs=1)
    for call in (
        lambda: pp.ParserSpec(beam=1 << 40),
        lambda: parser.parse(DEV, beam=1 << 31),
        lambda: parser.parse(DEV, threads=1 << 31),
        lambda: parser.k_best(DEV[0], 1 << 31),
        lambda: pp.train(SPEC, TRAIN, seed=1 << 40),
        lambda: pp.train(SPEC, TRAIN, prune_threshold="much"),
    ):
        with pytest.raises(SpecError):
            call()
    with pytest.raises(StrategyError):
        pp.TrainingStrategy(search_horizon=1 << 40)
    assert parser.parse(DEV, threads=1000).to_bytes() == parser.parse(DEV).to_bytes()


def test_sentences_that_are_too_long_are_refused():
    parser = pp.train(SPEC, TRAIN, epochs=1)
    line = "{}\tx\tx\tX\tX\t_\t{}\tx\t_\t_\n"
    text = "".join(line.format(word, 0 if word == 1 else 1) for word in range(1, 16_002)) + "\n"
    long = pp.parse_conllu(text)
    for call in (lambda: parser.parse(long), lambda: parser.k_best(long[0], 2), lambda: pp.train(SPEC, long)):
        with pytest.raises(TreebankError, match="expected at most 16000 words in a sentence, found 16001"):
            call()


class Interrupt(listeners.Listener):
    def after_epoch(self, report):
        if report.epoch == 2:
            raise KeyboardInterrupt


def test_an_interrupted_experiment_reports_nothing():
    def interrupt(epoch, sentence):
        if epoch == 2:
            raise KeyboardInterrupt
        return pp.learning.MAX_VIOLATION

    with pytest.raises(KeyboardInterrupt):
        pp.lab.train_seeds(SPEC, TRAIN, [1, 2], epochs=3, strategy=interrupt)


def test_an_interrupted_training_keeps_the_best_parser():
    parser = pp.train(SPEC, TRAIN, epochs=3, listeners=[Interrupt()])
    assert parser.training["interrupted"]
    assert len(parser.training["history"]) == 2


def test_model_size_counts_everything(tmp_path: Path):
    parser = pp.train(SPEC, TRAIN, epochs=2, max_model_bytes=30_000)
    parser.save(tmp_path / "m")
    assert (tmp_path / "m").stat().st_size <= 30_000
