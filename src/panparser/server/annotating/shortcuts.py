"""Shortcuts: keys that set relations, tags and features; those of ConlluEditor's `shortcuts.json` are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from panparser.errors import SpecError
from panparser.storage.values import TABLE, Kind, Table, check, read_values

COLUMNS = ("DEP", "UPOS", "XPOS", "FEATS", "LEMMA", "MISC")
_RELATIONS = (
    "a amod b obl c case d det e cop f flat g acl h aux i iobj j conj k mark l advcl m nmod n compound o obj p punct "
    "q cc s nsubj t parataxis u nummod v advmod w ccomp y xcomp z appos"
)
_TAGS = (
    "A ADJ B ADV C CCONJ D DET E PROPN I INTJ K SCONJ M NUM N NOUN O PRON P ADP S SYM T PART U PUNCT V VERB X AUX Z X"
)
_MOST = 500
_VALUE = Kind("a text, or a list of them", lambda value: _texts(value) is not None)
_FIRST = {"deplabel": "DEP", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS"}  # of the first version


def _pairs(text: str, column: str) -> dict[str, dict[str, Any]]:
    words = text.split()
    return {key: {column: value} for key, value in zip(words[::2], words[1::2], strict=True)}


DEFAULT: dict[str, dict[str, Any]] = _pairs(_RELATIONS, "DEP") | _pairs(_TAGS, "UPOS")


def read_shortcuts(path: str | Path) -> dict[str, dict[str, Any]]:
    """The shortcuts of a file of ConlluEditor's. Raises SpecError, which names what is wrong in it."""
    values = check(read_values(path, "JSON", SpecError), TABLE, str(path), SpecError)
    if "shortcuts" in values:
        known = check(values["shortcuts"], TABLE, f"{path}: shortcuts", SpecError)
        found = {key: _columns(path, key, each) for key, each in known.items()}
    else:
        found = {}
        for name, column in _FIRST.items():
            for key, value in check(values.get(name, {}), TABLE, f"{path}: {name}", SpecError).items():
                found.setdefault(key, {}).update(_first(path, key, column, value))
    if not found or len(found) > _MOST:
        raise SpecError(f"{path}: expected 1 to {_MOST} shortcuts, found {len(found)}")
    return found


_ALL = Table({}, dict.fromkeys(COLUMNS, _VALUE))


def _columns(path: str | Path, key: str, value: Any) -> dict[str, Any]:
    check(value, _ALL, f"{path}: {key}", SpecError)
    found = {name: value[name] for name in COLUMNS if name in value}
    return {name: _texts(each) if name == "FEATS" else (_texts(each) or [""])[0] for name, each in found.items()}


def _first(path: str | Path, key: str, column: str, value: Any) -> dict[str, Any]:
    """Of the first version, where two texts for XPOS are XPOS and UPOS."""
    texts = _texts(check(value, _VALUE, f"{path}: {key}", SpecError)) or []
    if column == "FEATS":
        return {column: texts}
    return {column: texts[0]} | ({"UPOS": texts[1]} if column == "XPOS" and len(texts) > 1 else {})


def _texts(value: Any) -> list[str] | None:
    texts = [value] if isinstance(value, str) else value
    fits = isinstance(texts, list) and texts and all(isinstance(each, str) and each for each in texts)
    return texts if fits else None
