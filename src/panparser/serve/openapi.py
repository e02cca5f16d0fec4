"""The OpenAPI description of the interface, served as `/openapi.json`."""

from __future__ import annotations

from typing import Any

from panparser import __version__

_PROCESS = {
    "data": "The text, or the sentences; UTF-8.",
    "model": "Name of the model, as /models has it, or an alias; the default model if absent.",
    "tokenizer": "Present: data is text. Options, joined by semicolons: normalized_spaces, presegmented, ranges.",
    "input": "Format of data: conllu, generic_tokenizer, horizontal, vertical, plaintext, presegmented.",
    "tagger": "Present (and not `none`): tags and lemmas are predicted.",
    "parser": "Present (and not `none`): heads and labels are predicted. Options, joined by semicolons: keep, "
    "keep=heads,labels, relax, beam=8, k_best=3, confidence.",
    "output": "Format of the result: conllu, horizontal, vertical, plaintext, matxin.",
}
_WEBLICHT = {
    "tokenize": "Text to tokens.",
    "tag": "CoNLL-U to CoNLL-U with tags and lemmas.",
    "parse": "CoNLL-U to CoNLL-U with heads and labels.",
}


_DERIVATION = {
    **{name: _PROCESS[name] for name in ("data", "model", "tokenizer", "input", "tagger")},
    "sentence": "Which sentence of data, from 1; the first if absent.",
    "beam": "Hypotheses kept, at most 16; those of the model if absent.",
    "actions": "First actions, separated by spaces: the parser goes on from there.",
}


def _answers(kind: str, schema: dict[str, Any], *, can_fail: bool = True) -> dict[str, Any]:
    text = {"text/plain": {"schema": {"type": "string"}}}
    failing = {
        "400": {"description": "A sentence that says what is wrong.", "content": text},
        "503": {"description": "The server is busy: try again after `Retry-After` seconds.", "content": text},
    }
    done = {"200": {"description": "Done.", "content": {kind: {"schema": schema}}}}
    return {"responses": {**done, **(failing if can_fail else {})}}


def _parameters(described: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": name == "data", "description": text, "schema": {"type": "string"}}
        for name, text in described.items()
    ]


def _form(summary: str, described: dict[str, str], result: dict[str, Any]) -> dict[str, Any]:
    """A path that is asked by URL or by form."""
    properties = {name: {"type": "string", "description": text} for name, text in described.items()}
    form = {"schema": {"type": "object", "properties": properties, "required": ["data"]}}
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
    answers = _answers("application/json", result)
    return {
        "get": {"summary": summary, "parameters": _parameters(described), **answers},
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": dict.fromkeys(kinds, form)},
            **answers,
        },
    }


def _process() -> dict[str, Any]:
    result = {
        "type": "object",
        "properties": {
            "model": {"type": "string"},
            "acknowledgements": {"type": "array", "items": {"type": "string"}},
            "result": {"type": "string"},
        },
    }
    return _form("Tokenizes, tags and parses, as far as asked for.", _PROCESS, result)


def openapi() -> dict[str, Any]:
    """The interface, as OpenAPI 3.1 describes it."""
    models = {
        "type": "object",
        "properties": {
            "models": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
            "default_model": {"type": "string"},
        },
    }
    text = {"type": "string"}
    paths: dict[str, Any] = {
        "/models": {
            "get": {
                "summary": "The models, and what each of them can do.",
                **_answers("application/json", models, can_fail=False),
            }
        },
        "/process": _process(),
        "/derivation": _form(
            "How a model derives the tree of a sentence, step by step.", _DERIVATION, {"type": "object"}
        ),
        "/about": {
            "get": {
                "summary": "The version, and what the models can do beyond UDPipe: confidence, derivations.",
                **_answers("application/json", {"type": "object"}, can_fail=False),
            }
        },
    }
    for name, summary in _WEBLICHT.items():
        body = {"required": True, "content": {"text/plain": {"schema": text}}}
        model = _parameters({"model": _PROCESS["model"]})
        answers = _answers("application/conllu", text)
        paths[f"/weblicht/{name}"] = {"post": {"summary": summary, "parameters": model, "requestBody": body, **answers}}
    for path, summary in (
        ("/healthz", "Is the server alive?"),
        ("/readyz", "Does it accept requests?"),
        ("/metrics", "Counts, as Prometheus reads them."),
    ):
        paths[path] = {"get": {"summary": summary, **_answers("text/plain", text, can_fail=False)}}
    info = {"title": "panparser", "version": __version__, "description": "Dependency parsing; as UDPipe's REST API."}
    return {"openapi": "3.1.0", "info": info, "paths": paths}
