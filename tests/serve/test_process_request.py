"""What requests ask for."""

from __future__ import annotations

import pytest

from panparser.serve.limits import Limits, RequestError
from panparser.serve.process_request import ProcessRequest

LIMITS = Limits(max_beam=8, max_k_best=5)


def asked(**parameters: str) -> ProcessRequest:
    return ProcessRequest.from_parameters({"data": "x", **parameters}, LIMITS)


def test_by_default_conllu_goes_through():
    assert asked() == ProcessRequest(data="x")


def test_text_is_normalized_and_has_no_mark():
    assert asked(data="\ufeffe\u0301\ufeff").data == "é\ufeff"


@pytest.mark.parametrize("name", ["tagger", "parser"])
def test_steps_are_on_if_present_but_for_none(name):
    on = {"tagger": "tag", "parser": "parse"}[name]
    assert getattr(asked(**{name: ""}), on)
    assert not getattr(asked(**{name: "none"}), on)
    assert not getattr(asked(), on)


def test_a_tokenizer_goes_before_the_input_format():
    found = asked(tokenizer="ranges;presegmented", input="vertical")
    assert (found.input, found.tokenize, found.ranges, found.normalized_spaces) == ("presegmented", True, True, False)
    assert asked(tokenizer="").input == "plaintext"
    assert asked(tokenizer="normalized_spaces").normalized_spaces
    assert not asked(tokenizer="none").tokenize


@pytest.mark.parametrize("input", ["conllu", "conllu=v2", "horizontal", "vertical", "generic_tokenizer"])
def test_input_formats(input):
    assert asked(input=input).input == input.partition("=")[0]
    assert asked(input="generic_tokenizer=ranges").ranges


def test_only_plain_conllu_has_a_header():
    assert asked(output="conllu").has_header
    assert not asked(output="conllu=v2").has_header
    found = asked(output="plaintext=normalized_spaces")
    assert (found.output, found.output_option) == ("plaintext", "normalized_spaces")


def test_options_of_the_parser():
    assert asked(parser="keep").keep == {"tags", "lemmas", "heads", "labels"}
    found = asked(parser="keep=heads,labels; beam=8;k_best=5;relax")
    assert (found.keep, found.beam, found.k_best, found.relax) == ({"heads", "labels"}, 8, 5, True)
    assert asked(parser="confidence").confidence


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"input": "epe"}, "Cannot parse the input in 'epe' format."),
        ({"input": "conllu=v1"}, "Cannot parse the input in 'conllu=v1' format."),
        ({"input": "generic_tokenizer=x"}, "Unknown generic tokenizer option 'x'"),
        ({"output": "epe"}, "Unknown output format 'epe'."),
        ({"output": "matxin=x"}, "Unknown output format 'matxin=x'."),
        ({"tokenizer": "joint_with_parsing"}, "Unknown tokenizer option 'joint_with_parsing'; expected one of normal"),
        ({"tokenizer": "ranges=2"}, "The tokenizer option 'ranges' takes no value; got '2'."),
        ({"parser": "x"}, "Unknown parser option 'x'; expected one of keep"),
        (
            {"parser": "keep=tokens"},
            "The parser option 'keep' must list some of tags, lemmas, heads, labels, constraints; got 'tokens'.",
        ),
        ({"parser": "beam=9"}, "The parser option 'beam' must be an integer between 1 and 8; got '9'."),
        ({"parser": "beam=0"}, "The parser option 'beam' must be an integer between 1 and 8"),
        ({"parser": "k_best"}, "The parser option 'k_best' must be an integer between 1 and 5; got ''."),
        ({"parser": "k_best=²"}, "The parser option 'k_best' must be"),
        ({"parser": "relax"}, "The parser option 'relax' requires 'keep'"),
        ({"parser": "confidence;keep"}, "The parser option 'confidence' cannot be combined"),
    ],
)
def test_what_is_unknown_or_too_much_is_refused(parameters, message):
    with pytest.raises(RequestError) as refused:
        asked(**parameters)
    assert refused.value.message.startswith(message)


def test_data_is_required():
    with pytest.raises(RequestError, match=r"The parameter 'data' is required\."):
        ProcessRequest.from_parameters({}, LIMITS)
