"""Mutations of text and of plain values; the same random numbers give the same inputs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

Change = list[Any]  # the name of an operation, the path of a value, and what else the operation needs

_DEEP = 20_000  # nested brackets
_ESCAPED = "\udbff"  # a lone surrogate that is written as an escape, which any encoding allows
_DEEP_LIST, _DEEP_TABLE = "\x01list", "\x01table"  # stand for nested values, which cannot be dumped as they are
ODD: dict[str, Any] = {  # values that hardly any reader expects, by name
    **{"null": None, "true": True, "false": False, "zero": 0, "one": 1, "minus one": -1, "two": 2, "hundred": 100},
    **{"2^20": 1 << 20, "2^31": 1 << 31, "2^32": 1 << 32, "2^63": 1 << 63, "10^30": 10**30, "-2^63": -(1 << 63)},
    **{"half": 0.5, "1e300": 1e300, "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "tiny": 1e-300},
    **{
        "no text": "",
        "text": "x",
        "surrogate": "a\ud800",
        "escape": _ESCAPED,
        "nul": "a\0b",
        "line feed": "a\nb",
        "digits": "9" * 5000,
    },
    **{"number": "12", "path": "/" + "a" * 5000, "folders": "a/" * 3000, "long text": "x" * 100_000, "quote": "'\"\\"},
    **{"no list": [], "nulls": [None, None], "texts": ["a", "b"], "numbers": [1, 2, 3], "lists": [[], [1]]},
    **{
        "long list": [0] * 10_000,
        "no table": {},
        "table": {"x": 1},
        "deep list": _DEEP_LIST,
        "deep table": _DEEP_TABLE,
    },
}


def dumped(value: Any) -> str:
    """JSON, in which values may be nested more deeply than Python's own writer allows."""
    text = json.dumps(value, ensure_ascii=False).replace(_ESCAPED, json.dumps(_ESCAPED)[1:-1])
    text = text.replace(json.dumps(_DEEP_LIST), "[" * _DEEP + "]" * _DEEP)
    return text.replace(json.dumps(_DEEP_TABLE), '{"x":' * _DEEP + "0" + "}" * _DEEP)


def as_toml(values: dict[str, Any]) -> str:
    """TOML, one line a key; what TOML cannot hold is left to the reader to refuse."""
    return "\n".join(f"{json.dumps(key)} = {_inline(value)}" for key, value in values.items()) + "\n"


def _inline(value: Any) -> str:
    if value in (_DEEP_LIST, _DEEP_TABLE):
        return "[" * _DEEP + "]" * _DEEP if value == _DEEP_LIST else "{x=" * _DEEP + "0" + "}" * _DEEP
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


# --- Values ---


def changes(rng: Random, value: Any) -> list[Change]:
    """One to three changes of a value; mostly one."""
    return [_change(rng, value) for _ in range(rng.choice((1, 1, 1, 1, 2, 3)))]


def _change(rng: Random, value: Any) -> Change:
    places = list(_places(value))
    # Short lists first: otherwise nearly every change would be one of a long list of words.
    path = rng.choice(_thinned(places)) if rng.random() < 0.9 else rng.choice(places)
    kind = rng.choice(("set", "set", "set", "set", "delete", "double", "nest", "copy", "rename", "scale"))
    if kind == "set":
        return [kind, path, rng.choice(list(ODD))]
    if kind == "copy":
        return [kind, path, rng.choice(_thinned(places))]
    if kind == "scale":
        return [kind, path, rng.choice((-1, 0.5, 2, 1000, 1 << 40))]
    return [kind, path]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Sequence[list[Any]]:
    found = [list(path)]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += _places(item, (*path, key))
    return found


def _thinned(places: Sequence[list[Any]]) -> list[list[Any]]:
    """The places without all but the first items of lists."""
    return [path for path in places if not any(isinstance(key, int) and key > 2 for key in path)]


def changed(value: Any, made: Sequence[Change]) -> Any:
    """A copy of a value with the changes; those whose place no longer exists do nothing."""
    whole = [deepcopy(value)]
    for kind, path, *more in made:
        *outer, last = (0, *path)
        try:
            at: Any = whole
            for key in outer:
                at = at[key]
            _OPERATIONS[kind](at, last, whole[0], *more)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError):
            continue
    return whole[0] if whole else None


def _set(at: Any, key: Any, whole: Any, name: str) -> None:
    at[key]  # a key that exists
    at[key] = deepcopy(ODD[name])


def _delete(at: Any, key: Any, whole: Any) -> None:
    del at[key]


def _double(at: Any, key: Any, whole: Any) -> None:
    if isinstance(at, list):
        at.insert(key, deepcopy(at[key]))
    elif isinstance(at[key], list):
        at[key] = at[key] * 2
    else:
        at[f"{key}2"] = deepcopy(at[key])


def _nest(at: Any, key: Any, whole: Any) -> None:
    at[key] = [at[key]]


def _copy(at: Any, key: Any, whole: Any, source: list[Any]) -> None:
    value = whole
    for step in source:
        value = value[step]
    at[key] = deepcopy(value)


def _rename(at: Any, key: Any, whole: Any) -> None:
    at[f"{key}x"] = at.pop(key)


def _scale(at: Any, key: Any, whole: Any, factor: float) -> None:
    if isinstance(at[key], int | float) and not isinstance(at[key], bool):
        at[key] = type(at[key])(at[key] * factor)


_OPERATIONS: dict[str, Callable[..., None]] = {
    **{"set": _set, "delete": _delete, "double": _double, "nest": _nest, "copy": _copy},
    **{"rename": _rename, "scale": _scale},
}


# --- Text ---

_BYTES = b"\0\t\n\r \"'#%()*+,-./0159:;<=>?@AZ[\\]_az{|}~\x7f\x80\xc3\xed\xf4\xff"
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_TOKEN = re.compile(rb"[^\s]+")
_PIECES = (
    *(b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\n\n\n", b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x80\xa9", b"\xf0\x9f\x92\xa9"),
    *(
        b"e\xcc\x81",
        b"\xef\xbf\xbd",
        b"\xd7\x90",
        b"'''",
        b'"""',
        b"null",
        b"nan",
        b"1e999",
        b"-0",
        b"0x1",
        b"#",
        b"# ",
    ),
    *(b"\t" * 9, b"_\t" * 9, b"9" * 5000, b"[" * 5000, b"(" * 5000, b"{x=" * 5000, b"not " * 3000, b"a" * 100_000),
)
_MOST = 50_000  # bytes, unless a seed has more
_NUMBERS = (b"0", b"-1", b"1", b"2", b"1.5", b"65536", b"2147483648", b"9223372036854775808", b"9" * 400, b"9" * 5000)


def mutated(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds after one to five mutations."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        data = rng.choice(_MUTATIONS)(rng, data, seeds)[: max(_MOST, len(data))]
    return data


def _span(rng: Random, data: bytes, most: int = 64) -> slice:
    start = rng.randrange(len(data) + 1)
    return slice(start, min(len(data), start + rng.randint(1, most)))


def _flip(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _byte(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    span = _span(rng, data, 1)
    return data[: span.start] + bytes([rng.choice(_BYTES)]) + data[span.stop :]


def _cut(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    span = _span(rng, data)
    return data[: span.start] + data[span.stop :]


def _end(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _insert(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(_PIECES) + data[at:]


def _repeat(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    span = _span(rng, data)
    return data[: span.start] + data[span] * rng.choice((2, 3, 10, 300)) + data[span.stop :]


def _lines(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Deletes, repeats or exchanges lines."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines[one] *= rng.choice((2, 2, 3, 500))
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _splice(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = rng.choice(seeds)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _number(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    return _replaced(rng, data, _NUMBER, rng.choice(_NUMBERS))


def _token(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Replaces a token by another one of the seeds."""
    others = _TOKEN.findall(rng.choice(seeds))
    return _replaced(rng, data, _TOKEN, rng.choice(others)) if others else data


def _replaced(rng: Random, data: bytes, pattern: re.Pattern[bytes], new: bytes) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    match = rng.choice(found)
    return data[: match.start()] + new + data[match.end() :]


_MUTATIONS = (_flip, _byte, _cut, _end, _insert, _repeat, _lines, _splice, _number, _number, _token, _token)
