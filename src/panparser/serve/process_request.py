"""What a request asks for: UDPipe's parameters, and ours."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from panparser.pipeline.pipeline import KEEP
from panparser.serve.limits import Limits, RequestError
from panparser.text.udpipe_output import OPTIONS

_TOKENIZER = ("normalized_spaces", "presegmented", "ranges")
_PARSER = ("keep", "beam", "k_best", "confidence", "relax")
_KEEP = tuple(name for name in KEEP if name != "tokens")
_DEFAULT_KEEP = frozenset({"tags", "lemmas", "heads", "labels"})
_INPUTS = ("conllu", "generic_tokenizer", "horizontal", "vertical", "plaintext", "presegmented")
_MARK = "\ufeff"


@dataclass(frozen=True, kw_only=True)
class ProcessRequest:
    """What is to be done with a text; `named` is the input format as the request names it."""

    data: str
    input: str = "conllu"
    named: str = "conllu"
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
    has_header: bool = True  # is the output exactly CoNLL-U?

    @classmethod
    def of(cls, parameters: Mapping[str, str], limits: Limits) -> ProcessRequest:
        """Raises RequestError if something is missing, unknown, or too much."""
        if "data" not in parameters:
            raise RequestError("The parameter 'data' is required.")
        data = unicodedata.normalize("NFC", parameters["data"].removeprefix(_MARK))
        output = parameters.get("output", "conllu")
        return cls(
            data=data,
            **_input(parameters),
            tag=_is_on(parameters, "tagger"),
            **_parser(parameters, limits),
            **_output(output),
            has_header=output == "conllu",
        )


def _is_on(parameters: Mapping[str, str], name: str) -> bool:
    """Is a step asked for? A blank value does it; `none` is off, as in UDPipe 1."""
    return parameters.get(name, "none") != "none"


def _options(text: str, what: str, known: tuple[str, ...]) -> dict[str, str]:
    """Options such as `keep=heads,labels;beam=8`."""
    found = {}
    for option in filter(None, (each.strip() for each in text.split(";"))):
        name, _, value = option.partition("=")
        if name not in known:
            raise RequestError(f"Unknown option '{name}' of the {what}; known are {', '.join(known)}.")
        found[name] = value
    return found


def _flags(options: Mapping[str, str], what: str) -> None:
    for name, value in options.items():
        if value not in ("", "1"):
            raise RequestError(f"The option '{name}' of the {what} has no value; found '{value}'.")


def _input(parameters: Mapping[str, str]) -> dict[str, Any]:
    if _is_on(parameters, "tokenizer"):
        options = _options(parameters["tokenizer"], "tokenizer", _TOKENIZER)
        _flags(options, "tokenizer")
        kind = "presegmented" if "presegmented" in options else "plaintext"
        shared = {name: name in options for name in ("ranges", "normalized_spaces")}
        return {"input": kind, "named": kind, "tokenize": True, **shared}
    named = parameters.get("input", "conllu")
    kind, _, rest = named.partition("=")
    if kind not in _INPUTS or (rest and (kind, rest) != ("conllu", "v2") and kind != "generic_tokenizer"):
        raise RequestError(f"Cannot parse the input in '{named}' format.\nKnown are {', '.join(_INPUTS)}.")
    options = _options(rest, "generic tokenizer", ("normalized_spaces", "ranges")) if rest and kind != "conllu" else {}
    _flags(options, "generic tokenizer")
    shared = {name: name in options for name in ("ranges", "normalized_spaces")}
    return {"input": kind, "named": named, "tokenize": kind in ("plaintext", "presegmented"), **shared}


def _output(named: str) -> dict[str, Any]:
    kind, sign, option = named.partition("=")
    known = {"conllu": "v2", **OPTIONS}
    if kind not in known or (sign and option != known[kind]):
        raise RequestError(f"Unknown output format '{named}'.")
    return {"output": kind, "output_option": option if sign and kind != "conllu" else None}


def _parser(parameters: Mapping[str, str], limits: Limits) -> dict[str, Any]:
    if not _is_on(parameters, "parser"):
        return {}
    options = _options(parameters["parser"], "parser", _PARSER)
    _flags({name: options[name] for name in ("confidence", "relax") if name in options}, "parser")
    keep = _kept(options["keep"]) if "keep" in options else frozenset()
    found = {
        "parse": True,
        "keep": keep,
        "relax": "relax" in options,
        "beam": number(options, "beam", limits.beam, "option '{}' of the parser"),
        "k_best": number(options, "k_best", limits.k_best, "option '{}' of the parser"),
        "confidence": "confidence" in options,
    }
    if found["relax"] and not keep:
        raise RequestError("The option 'relax' of the parser needs 'keep', which names what to keep.")
    if found["confidence"] and ("keep" in options or "k_best" in options):
        raise RequestError("The option 'confidence' of the parser is for the best tree, without 'keep' and 'k_best'.")
    return found


def _kept(text: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in text.split(",")) if text else _DEFAULT_KEEP
    if unknown := sorted(names - set(_KEEP)):
        raise RequestError(f"The parser can keep {', '.join(_KEEP)}; found '{unknown[0]}'.")
    return names


def number(values: Mapping[str, str], name: str, most: int, called: str = "parameter '{}'") -> int | None:
    """A number from 1 to `most`, if there is one of that name. Raises RequestError for anything else."""
    if name not in values:
        return None
    text = values[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
        raise RequestError(f"The {called.format(name)} must be an integer between 1 and {most}; got '{text}'.")
    return int(text)
