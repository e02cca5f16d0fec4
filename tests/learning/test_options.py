"""Options of training: one list of them, typed as keyword arguments, checked when they are used."""

from __future__ import annotations

from functools import partial
from typing import get_type_hints

import pytest

import panparser as pp
from panparser.lab.curves import parse_sizes
from panparser.lab.validation import ExperimentOptions
from panparser.learning import training as of
from panparser.training.training_parsers import jackknife as parser_jackknife

NAMES = set(of.TrainingConfig.declarations)
SPEC = pp.ParserSpec(templates=pp.templates("fast"), beam=1)


def test_keyword_arguments_are_the_fields_of_training():
    hints = get_type_hints(of.TrainingConfig)
    for kind, left_out in (
        (of.TrainingOptions, set()),
        (of.SequenceOptions, {"max_model_bytes", "subsample", "margin"}),
        (of.TaskOptions, {"max_model_bytes", "subsample", "margin", "members", "prune_threshold", "batch_size"}),
    ):
        assert get_type_hints(kind) == {name: hints[name] for name in NAMES - left_out}
    assert set(get_type_hints(ExperimentOptions)) > NAMES


@pytest.mark.parametrize(
    "function",
    [
        pp.train,
        pp.lab.train_seeds,
        pp.lab.cross_validate,
        pp.lab.jackknife,
        parser_jackknife,
        pp.lab.learning_curve,
        parse_sizes,
        pp.train_cascade,
        pp.train_pipeline,
        pp.train_tagger,
        pp.tagging.train_sequence_model,
        pp.train_task,
    ],
)
def test_no_function_takes_whatever_it_is_given(function):
    assert function.__annotations__["options"].startswith("Unpack[")


def learners(treebank):
    items = pp.tagging.SequenceItems.from_treebank(treebank)
    right = treebank.column("upos")
    window = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.form"))
    stages = [
        pp.CascadeStage(name="first", regions=(pp.ArcRegion(upos=("DET",)),)),
        pp.CascadeStage(name="rest", spec=SPEC),
    ]
    return {
        "train": partial(pp.train, SPEC, treebank),
        "train_pipeline": partial(pp.train_pipeline, pp.PipelineSpec(parser=SPEC), treebank),
        "train_cascade": partial(pp.train_cascade, stages, treebank),
        "train_tagger": partial(pp.train_tagger, pp.TaggerSpec(), treebank),
        "train_sequences": partial(pp.tagging.train_sequence_model, window, items, right, 20),
        "train_task": partial(pp.train_task, object(), [(1, 1)]),
    }


@pytest.mark.parametrize(
    "owner", ["train", "train_pipeline", "train_cascade", "train_tagger", "train_sequences", "train_task"]
)
def test_a_slip_is_told_apart_from_an_option(english, owner):
    learn = learners(english[0][:4])[owner]
    with pytest.raises(pp.SpecError, match=f"^{owner} has no option epocs; did you mean epochs\\?$"):
        learn(epocs=3)
    with pytest.raises(pp.SpecError, match=f"^{owner} has no option zzz; options are .*epochs"):
        learn(zzz=3)


def test_other_arguments_are_suggested_too(english):
    with pytest.raises(pp.SpecError, match="did you mean listeners"):
        pp.train(SPEC, english[0], listener=[])


def test_slips_are_found_in_folds(english):
    for experiment in (pp.lab.cross_validate, pp.lab.jackknife):
        with pytest.raises(pp.SpecError, match="did you mean epochs"):
            experiment(SPEC, english[0], 2, epocs=3)
    with pytest.raises(pp.SpecError, match="its seeds are an argument"):
        pp.lab.train_seeds(SPEC, english[0], [1], seed=3)
