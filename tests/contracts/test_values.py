"""Values: what is declared compares, hashes, prints, is never changed in place, and comes back from plain values."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import pytest

import panparser as pp
from learners import SMALL
from panparser.learning.training import Subsampling
from panparser.treebank.arc_regions import ArcRegion

PARTIAL = pp.ParserSpec(system=pp.system("arc-eager-partial", root="last"), templates=SMALL)


@dataclass(frozen=True)
class Kind:
    """Different values of a kind, and how they become plain values and come back; None: they do not."""

    values: tuple[Any, ...]
    to_plain: Callable[[Any], Any] | None = None
    from_plain: Callable[[Any], Any] | None = None
    hashes: bool = True


def through(kind: type) -> dict[str, Any]:
    """By `to_values` and `from_values`."""
    return {"to_plain": lambda value: value.to_values(), "from_plain": kind.from_values}


RECIPE = {"data": {"train": ["a.conllu"]}, "parser": {"beam": 4}, "training": {"epochs": 2}}
CASCADE = RECIPE | {"stages": [{"name": "easy", "regions": [{"upos": "DET"}]}, {"name": "rest"}]}
ZN11, GIVEN, FAST, RICH = map(pp.templates, ("zn11", "given", "fast", "rich"))
KINDS = {
    "ParserSpec": Kind(
        (pp.ParserSpec(), pp.ParserSpec(beam=2), pp.ParserSpec(labeled=False), pp.ParserSpec(templates=ZN11),
         pp.ParserSpec(system=pp.system("arc-hybrid")), pp.ParserSpec(nonprojective="reduce"), PARTIAL),
        **through(pp.ParserSpec),
    ),
    "Strategy": Kind(
        (*dict.fromkeys(pp.STRATEGIES.values()), pp.TrainingStrategy(focus=0.5), pp.TrainingStrategy(search_horizon=3)),
        **through(pp.TrainingStrategy),
    ),
    "Schedule": Kind((pp.EpochSchedule(), pp.EpochSchedule(((1, 0.5),)), pp.EpochSchedule(((1, 0.0), (3, 0.9))))),
    "Subsample": Kind(
        (
            Subsampling(share=0.5), Subsampling(share=0.4), Subsampling(share=0.5, criterion="accuracy"),
            Subsampling(share=0, region=ArcRegion(upos="DET")),
        ),
        lambda value: value.to_values(), Subsampling.restore,
    ),
    "Training": Kind(
        tuple(pp.TrainingConfig(**options) for options in ({}, {"epochs": 3}, {"seed": 2}, {"patience": None}))),
    "TransitionSystem": Kind(
        tuple(pp.system(name, root=root) for name in ("arc-eager", "attardi") for root in ("first", "last")),
        lambda value: json.loads(value.to_json()), lambda values: pp.TransitionSystem.from_json(json.dumps(values)),
    ),
    "Transition": Kind(pp.system("arc-eager").transitions),
    "Templates": Kind(
        (RICH, ZN11, FAST, GIVEN, SMALL, RICH.without("form"), FAST + GIVEN),
        lambda value: json.loads(value.to_json()), lambda values: pp.Templates.from_json(json.dumps(values)),
    ),
    "Template": Kind(tuple(SMALL), str, pp.Template.parse),
    "Atom": Kind(tuple(dict.fromkeys(SMALL.atoms))),
    "Gold": Kind((pp.GoldTree([2, 0]), pp.GoldTree([0, 1]), pp.GoldTree([None, 0]), pp.GoldTree([2, 0], ["a", "b"]))),
    "Region": Kind(
        (pp.ArcRegion(), pp.ArcRegion(upos="DET"), pp.ArcRegion(upos=("DET", "ADP")), pp.ArcRegion(label="nsubj"),
         pp.ArcRegion(direction="left"), pp.ArcRegion(direction="left", max_length=3), pp.ArcRegion(min_length=2)),
        **through(pp.ArcRegion),
    ),
    "Stage": Kind(
        (pp.CascadeStage(), pp.CascadeStage(name="a"), pp.CascadeStage(name="a", regions=(pp.ArcRegion(upos="DET"),)),
         pp.CascadeStage(spec=PARTIAL))
    ),
    "TaggerSpec": Kind(
        (pp.TaggerSpec(), pp.TaggerSpec(columns="xpos"), pp.TaggerSpec(columns=("upos", "feats")),
         pp.TaggerSpec(beam=2), pp.TaggerSpec(dictionary=None),
         pp.TaggerSpec(dictionary=pp.tagging.TagDictionaryThresholds(5, 0.1))),
        **through(pp.TaggerSpec),
    ),
    "DictionaryRule": Kind(tuple(pp.tagging.TagDictionaryThresholds(*values) for values in ((), (5,), (5, 0.1)))),
    "PipelineSpec": Kind(
        (pp.PipelineSpec(), pp.PipelineSpec(folds=0), pp.PipelineSpec(parts=("tagger",)),
         pp.PipelineSpec(joint_tagger=False))
    ),
    "Window": Kind((pp.TaggerSpec().window, pp.TaggerSpec(columns="xpos").window),
                   **through(pp.tagging.SequenceFeatures)),
    "Weights": Kind(
        (pp.ensembles.ArcWeights((1.0, 2.0)), pp.ensembles.ArcWeights((1.0, 3.0)),
         pp.ensembles.ArcWeights((1.0, 2.0), "upos", {"NOUN": (2.0, 1.0)})),
        lambda value: tomllib.loads(value.to_toml()), pp.ensembles.ArcWeights.from_values, hashes=False,
    ),
    "Recipe": Kind(
        (pp.Recipe(), pp.Recipe.from_values(RECIPE), pp.Recipe.from_values(RECIPE | {"parser": {"beam": 1}}),
         pp.Recipe.from_values(RECIPE | {"training": {"seeds": [1, 2]}})),
        lambda value: tomllib.loads(value.to_toml()), pp.Recipe.from_values, hashes=False,
    ),
    "CascadeRecipe": Kind(
        (pp.recipes.CascadeRecipe.from_values(CASCADE),
         pp.recipes.CascadeRecipe.from_values(CASCADE | {"cascade": {"folds": 3}})),
        lambda value: value.to_values(), pp.recipes.CascadeRecipe.from_values, hashes=False,
    ),
    "CurvePoint": Kind((pp.lab.LearningCurvePoint(1, 2, 3.0, None), pp.lab.LearningCurvePoint(1, 2, 3.0, 4.0))),
    "FoldScore": Kind((pp.lab.FoldScore(1, 2, 3, 4.0, None), pp.lab.FoldScore(2, 2, 3, 4.0, None))),
    "ScoredTree": Kind((pp.ScoredTree((0,), ("a",), 1.0), pp.ScoredTree((0,), ("b",), 1.0))),
}  # fmt: skip
each_kind = pytest.mark.parametrize("name", KINDS)


@each_kind
def test_values_are_equal_to_their_likes_and_to_nothing_else(name):
    values = KINDS[name].values
    for number, value in enumerate(values):
        assert value == copy.deepcopy(value)
        assert value != object()
        assert value != None  # noqa: E711 - that is the question
        for other in values[number + 1 :]:
            assert value != other, (value, other)


@each_kind
def test_values_that_are_equal_have_the_same_hash(name):
    kind = KINDS[name]
    if not kind.hashes:
        return
    for value in kind.values:
        assert hash(value) == hash(copy.deepcopy(value))
    assert len(set(kind.values)) == len(kind.values)


@each_kind
def test_values_print_what_tells_them_apart(name):
    texts = [repr(value) for value in KINDS[name].values]
    assert all("object at 0x" not in text for text in texts)
    if name != "TransitionSystem":  # which prints its name
        assert len(set(texts)) == len(texts)


@each_kind
def test_values_cannot_be_changed(name):
    value = KINDS[name].values[0]
    field = next(iter(value.__dataclass_fields__))
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(value, field, getattr(value, field))
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        value.no_such_field = 1


@each_kind
def test_a_changed_copy_leaves_the_value_as_it_was(name):
    value = KINDS[name].values[0]
    before = repr(value)
    assert replace(value) == value
    assert repr(value) == before


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.to_plain])
def test_values_come_back_from_plain_values(name):
    kind = KINDS[name]
    for value in kind.values:
        plain = kind.to_plain(value)
        again = kind.from_plain(json.loads(json.dumps(plain)))
        assert again == value
        assert type(again) is type(value)
        assert kind.to_plain(again) == plain
    plain = [json.dumps(kind.to_plain(value)) for value in kind.values]
    assert len(set(plain)) == len(plain)


@pytest.mark.parametrize(
    "name", ["Strategy", "Region", "Recipe", "CascadeRecipe", "Weights", "Templates", "TransitionSystem"]
)
def test_plain_values_of_something_else_are_refused(name):
    with pytest.raises(pp.PanParserError):
        KINDS[name].from_plain({"no such": 1})


# --- Parsers ---

PARSED = pp.parse_conllu("1\ta\t_\tA\t_\t_\t2\tx\t_\t_\n2\tb\t_\tB\t_\t_\t0\troot\t_\t_\n\n")


@pytest.fixture(scope="module")
def parser():
    return pp.train(pp.ParserSpec(beam=2, templates=SMALL), PARSED, dev=PARSED, epochs=1)


@pytest.mark.parametrize(
    "name", ["model", "spec", "labels", "layers", "vectors", "classifier", "voters", "label_names", "training",
             "pruning_margin", "training_tags", "calibration", "update_size", "weight_bytes", "no_such_field"]
)  # fmt: skip
def test_parsers_cannot_be_changed(parser, name):
    before = parser.manifest()
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(parser, name, getattr(parser, name, 1))
    assert parser.manifest() == before


def test_a_changed_copy_of_a_parser_shares_its_model(parser):
    changed = replace(parser, training_tags=None, pruning_margin=7)
    assert changed.model is parser.model
    assert (changed.training_tags, changed.pruning_margin) == (None, 7)
    assert (parser.training_tags, changed.calibration) == (("A", "B"), parser.calibration)
    values = parser.to_values() | {"margin": 7}
    del values["tags"]
    assert changed.to_values() == values


def test_parsing_and_calibrating_leave_a_parser_and_its_constraints_as_they_are(parser):
    before = parser.manifest()
    constraints = pp.Constraints.from_treebank(PARSED, keep=["heads"])
    heads = constraints.heads.copy()
    assert parser.annotate(PARSED.copy(), constraints=constraints, relax=True).dropped == ()
    assert pp.calibrate(replace(parser, calibration=None), PARSED).calibration is not None
    assert parser.manifest() == before
    assert constraints.heads.tolist() == heads.tolist()
    assert not hasattr(constraints, "dropped")
