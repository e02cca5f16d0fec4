"""Parameters of a processing request: those of UDPipe, and extensions."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panparser.pipeline.pipeline import KEEP
from panparser.serve.limits import Limits, RequestError
from panparser.text.udpipe_output import OPTIONS

TOKENIZER_OPTIONS = ("normalized_spaces", "presegmented", "ranges")
PARSER_OPTIONS = ("keep", "beam", "k_best", "confidence", "relax")
KEEP_CHOICES = tuple(name for name in KEEP if name != "tokens")
DEFAULT_KEEP = frozenset({"tags", "lemmas", "heads", "labels"})
INPUT_FORMATS = ("conllu", "generic_tokenizer", "horizontal", "vertical", "plaintext", "presegmented")
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, kw_only=True)
class ProcessRequest:
    """A parsed and validated `/process` request."""

    data: str
    input: str = "conllu"
    input_name: str = "conllu"  # the input format as spelled in the request
    tokenize: bool = False
    ranges: bool = False
    normalized_spaces: bool = False
    tag: bool = False
    parse: bool = False
    keep: frozenset[str] = frozenset()
    relax: bool = False
    beam: int | None = None
    k_best: int | None = None
    confidence: bool = False
    output: str = "conllu"
    output_option: str | None = None
    has_header: bool = True  # plain CoNLL-U output starts with header comments

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str], limits: Limits) -> ProcessRequest:
        """Parse the parameters of a request; raise RequestError if any is missing, unknown or out of range."""
        if "data" not in parameters:
            raise RequestError("The parameter 'data' is required.")
        output = parameters.get("output", "conllu")
        return cls(
            data=unicodedata.normalize("NFC", parameters["data"].removeprefix(BYTE_ORDER_MARK)),
            **_parse_input(parameters),
            tag=_is_enabled(parameters, "tagger"),
            **_parse_parser_options(parameters, limits),
            **_parse_output(output),
            has_header=output == "conllu",
        )


def _is_enabled(parameters: Mapping[str, str], step: str) -> bool:
    """Return whether a step is enabled: any value enables it except `none`, as in UDPipe 1."""
    return parameters.get(step, "none") != "none"


def _parse_options(text: str, component: str, allowed: tuple[str, ...]) -> dict[str, str]:
    """Parse options such as `keep=heads,labels;beam=8`."""
    options = {}
    for option in filter(None, map(str.strip, text.split(";"))):
        name, _, value = option.partition("=")
        if name not in allowed:
            raise RequestError(f"Unknown {component} option '{name}'; expected one of {', '.join(allowed)}.")
        options[name] = value
    return options


def _check_flags(options: Mapping[str, str], component: str) -> None:
    for name, value in options.items():
        if value not in ("", "1"):
            raise RequestError(f"The {component} option '{name}' takes no value; got '{value}'.")


def _parse_input(parameters: Mapping[str, str]) -> dict[str, Any]:
    if _is_enabled(parameters, "tokenizer"):
        options = _parse_options(parameters["tokenizer"], "tokenizer", TOKENIZER_OPTIONS)
        _check_flags(options, "tokenizer")
        format = input_name = "presegmented" if "presegmented" in options else "plaintext"
        tokenize = True
    else:
        input_name = parameters.get("input", "conllu")
        format, _, text = input_name.partition("=")
        if format not in INPUT_FORMATS or (
            text and (format, text) != ("conllu", "v2") and format != "generic_tokenizer"
        ):
            expected = ", ".join(INPUT_FORMATS)
            raise RequestError(f"Cannot parse the input in '{input_name}' format.\nExpected one of {expected}.")
        options = {}
        if format != "conllu":
            options = _parse_options(text, "generic tokenizer", ("normalized_spaces", "ranges"))
        _check_flags(options, "generic tokenizer")
        tokenize = format in ("plaintext", "presegmented")
    flags = {name: name in options for name in ("ranges", "normalized_spaces")}
    return {"input": format, "input_name": input_name, "tokenize": tokenize, **flags}


def _parse_output(name: str) -> dict[str, Any]:
    format, equals, option = name.partition("=")
    options = {"conllu": "v2", **OPTIONS}
    if format not in options or (equals and option != options[format]):
        raise RequestError(f"Unknown output format '{name}'.")
    return {"output": format, "output_option": option if equals and format != "conllu" else None}


def _parse_parser_options(parameters: Mapping[str, str], limits: Limits) -> dict[str, Any]:
    if not _is_enabled(parameters, "parser"):
        return {}
    options = _parse_options(parameters["parser"], "parser", PARSER_OPTIONS)
    _check_flags({name: options[name] for name in ("confidence", "relax") if name in options}, "parser")
    keep = _parse_keep(options["keep"]) if "keep" in options else frozenset()
    if "relax" in options and not keep:
        raise RequestError("The parser option 'relax' requires 'keep'.")
    if "confidence" in options and ("keep" in options or "k_best" in options):
        raise RequestError("The parser option 'confidence' cannot be combined with 'keep' or 'k_best'.")
    return {
        "parse": True,
        "keep": keep,
        "relax": "relax" in options,
        "beam": parse_count(options, "beam", limits.max_beam, "parser option '{}'"),
        "k_best": parse_count(options, "k_best", limits.max_k_best, "parser option '{}'"),
        "confidence": "confidence" in options,
    }


def _parse_keep(text: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in text.split(",")) if text else DEFAULT_KEEP
    if unknown := sorted(names - set(KEEP_CHOICES)):
        raise RequestError(f"The parser option 'keep' must list some of {', '.join(KEEP_CHOICES)}; got '{unknown[0]}'.")
    return names


def parse_count(values: Mapping[str, str], name: str, maximum: int, description: str = "parameter '{}'") -> int | None:
    """Return the number of that name, if there is one; raise RequestError unless it is between 1 and `maximum`."""
    if name not in values:
        return None
    text = values[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= maximum):
        raise RequestError(f"The {description.format(name)} must be an integer between 1 and {maximum}; got '{text}'.")
    return int(text)
