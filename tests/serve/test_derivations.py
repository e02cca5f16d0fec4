"""Derivations from the server, from any action on."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

import panparser as pp

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from conllu_lines import line
from panparser.serve.served_models import ModelRegistry, ServedModel

TEXT = {"tokenizer": "", "tagger": "", "data": "He slept. They ate the pizza."}
GOLD = line(1, "They", upos="PRON", head=2, deprel="nsubj") + line(2, "ate", upos="VERB", head=0, deprel="root") + "\n"


def taken(run: dict) -> list[str]:
    return [run["texts"][step["choices"][0][0]] for step in run["steps"] if "choices" in step]


def found(answer) -> dict:
    assert answer.status == 200, answer.text
    return json.loads(answer.body)


def test_a_derivation_is_that_of_the_model(ask):
    values = found(ask.post("/derivation", **TEXT, sentence="2", beam="4"))
    nlp = pp.load("en")
    (sentence,) = [each for each in nlp(TEXT["data"]) if each.forms[0] == "They"]
    assert (values["title"], values["forms"]) == ("They ate the pizza.", sentence.forms)
    (run,) = values["runs"]
    assert (run["name"], run["beam"], run["note"]) == ("en", 4, "")
    heads = {}
    for step in run["steps"]:
        heads |= {word: head for word, head, _ in step.get("arcs", ())}
    assert [heads[word] for word in range(1, 6)] == sentence.heads.tolist()
    assert values["gold"] is None
    assert (
        ask.get("/derivation", **TEXT, sentence="2", beam="4").body
        == ask.post("/derivation", **TEXT, sentence="2", beam="4").body
    )


def test_it_goes_on_from_other_actions(ask):
    (run,) = found(ask.post("/derivation", **TEXT, beam="1"))["runs"]
    usual = taken(run)
    rivals = [run["texts"][one[0]] for one in run["steps"][1]["choices"][1:]]
    for rival in rivals:
        (other,) = found(ask.post("/derivation", **TEXT, beam="1", actions=f"{usual[0]} {rival}"))["runs"]
        assert taken(other)[:2] == [usual[0], rival]
        assert other["note"] == "the first 2 actions were given"
    (same,) = found(ask.post("/derivation", **TEXT, beam="1", actions=" ".join(usual)))["runs"]
    assert taken(same) == usual


def test_a_tree_of_the_input_is_the_gold_tree(ask):
    values = found(ask.post("/derivation", data=GOLD))
    assert values["gold"] == {"heads": [2, 0], "labels": ["nsubj", "root"]}
    assert values["tags"] == ["PRON", "VERB"]
    assert all(choice[2] is not None for step in values["runs"][0]["steps"] for choice in step.get("choices", ()))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "The parameter 'data' is required."),
        ({**TEXT, "model": "nix"}, "The requested model 'nix' does not exist."),
        ({**TEXT, "sentence": "3"}, "The input has 2 sentences; got 'sentence=3'."),
        ({**TEXT, "sentence": "0"}, "The parameter 'sentence' must be an integer between 1 and 1000000; got '0'."),
        ({**TEXT, "beam": "17"}, "The parameter 'beam' must be an integer between 1 and 16; got '17'."),
        ({**TEXT, "actions": "UP"}, "Cannot show the derivation.\naction 1: expected one that is legal, SHIFT"),
        ({**TEXT, "actions": "SHIFT " * 1000}, "A sentence of 3 words has fewer than 1000 actions."),
        ({"data": "w " * 201, "input": "horizontal"}, "Derivations are limited to sentences of at most 200 words."),
        ({"data": "", "tokenizer": ""}, "The input has 0 sentences; got 'sentence=1'."),
        ({"data": "x"}, "Cannot parse the input in 'conllu' format."),
    ],
)
def test_what_cannot_be_shown_is_told(ask, parameters, message):
    answer = ask.post("/derivation", **parameters)
    assert (answer.status, answer.text[: len(message)]) == (400, message)


def test_models_say_what_they_can_do(ask, models):
    about = json.loads(ask.get("/about").body)
    assert (about["version"], about["default_model"]) == (pp.__version__, "en")
    (english,) = about["models"]
    assert (english["id"], english["confidence"], english["derivations"]) == ("en", True, True)
    tokens = replace(models.served[0], pipeline=pp.Pipeline(tokenizer=models.served[0].pipeline.tokenizer))
    only = type(ask)(ModelRegistry([tokens]))
    assert json.loads(only.get("/about").body)["models"][0]["derivations"] is False
    assert only.post("/derivation", **TEXT).text.startswith("The required model does not contain a parser")


@pytest.mark.unmeasured
def test_many_clients_get_the_derivations_of_a_network_that_one_gets():
    from asking import serving  # which needs the extra

    texts = ("He slept.", "They ate the pizza with anchovies.", "Who saw that?", "The old man sleeps here.")
    given = [{"data": text, "tokenizer": "", "beam": beam} for text in texts for beam in ("1", "2")]

    with serving(ModelRegistry([ServedModel.from_argument("en-neural")]), parser_threads=4) as (host, port):

        def fetch(parameters: dict[str, str], path: str = "derivation") -> bytes:
            with urlopen(f"http://{host}:{port}/{path}?{urlencode(parameters)}", timeout=60) as answer:
                return answer.read()

        trees = {"data": texts[1], "tokenizer": "", "tagger": "", "parser": ""}
        expected, parsed = [fetch(parameters) for parameters in given], fetch(trees, "process")
        with ThreadPoolExecutor(16) as clients:
            trees_beside = [clients.submit(fetch, trees, "process") for _ in range(16)]
            assert [*clients.map(fetch, given * 6)] == expected * 6
            assert all(answer.result() == parsed for answer in trees_beside)
