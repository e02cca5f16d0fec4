"""Names of models."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from panparser.serve.limits import RequestError
from panparser.serve.served_models import ModelRegistry, ServedModel

ENGLISH = ServedModel.from_argument("en")


def named(*names: str) -> ServedModel:
    return replace(ENGLISH, names=names)


def test_a_model_goes_by_the_codes_of_its_language():
    models = ModelRegistry([ENGLISH])
    for name in ("en", "eng", "english", None):
        assert models.find(name) is ENGLISH
    with pytest.raises(RequestError, match=r"The requested model 'de' does not exist\."):
        models.find("de")


def test_beginnings_of_names_are_names_and_the_first_wins():
    first, second = named("english-ewt-ud-2.10", "mine"), named("english-gum-ud-2.10")
    models = ModelRegistry([first, second], "mine")
    for name in ("english-ewt-ud", "english-ewt", "english", "en", "mine", None):
        assert models.find(name) is first
    assert models.find("english-gum") is second
    assert models.list_models() == {
        "models": {each.id: ["tokenizer", "tagger", "parser"] for each in (first, second)},
        "default_model": "mine",
    }


def test_own_names_go_before_those_of_languages():
    first, second = named("english-ewt"), named("en")
    assert ModelRegistry([first, second]).find("en") is second


def test_the_command_line_names_models(tmp_path):
    path = tmp_path / "mine.panparser"
    ENGLISH.pipeline.save(path)
    assert ServedModel.from_argument(str(path)).names == ("mine",)
    assert ServedModel.from_argument(f"hungarian:hu={path}").names == ("hungarian", "hu")
    assert ServedModel.from_argument(str(path)).licence == "not stated"
    assert ENGLISH.licence == "CC BY-SA 4.0"
    with pytest.raises(pp.SpecError, match="expected names of letters"):
        ServedModel.from_argument(f"a b={path}")


def test_parts_that_a_model_lacks_are_not_listed():
    parser = replace(ENGLISH, pipeline=pp.Pipeline(parser=ENGLISH.pipeline.parser))
    assert parser.steps == ["parser"]


def test_models_can_be_told_apart():
    with pytest.raises(pp.SpecError, match="en: expected a different name for each model"):
        ModelRegistry([ENGLISH, named("en")])
    with pytest.raises(pp.SpecError, match="--default-model: expected one of en"):
        ModelRegistry([ENGLISH], "de")
