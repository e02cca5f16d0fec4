"""A small writer of TOML, which Python can read but not write."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100  # longer lists get a line for each item


def to_toml(values: Mapping[str, Any]) -> str:
    """Plain values as TOML; what is None is left out."""
    return "\n".join(_table(values, ())).strip("\n") + "\n"


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    given = {key: value for key, value in values.items() if value is not None}
    plain = {key: value for key, value in given.items() if not isinstance(value, Mapping)}
    lines = [f"\n[{'.'.join(map(_key, path))}]"] if path and (plain or not given) else []
    lines += [f"{_key(key)} = {_value(value, split=True)}" for key, value in plain.items()]
    for key, value in given.items():
        if isinstance(value, Mapping):
            lines += _table(value, (*path, key))
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any, *, split: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None)
        return f"{{ {', '.join(pairs)} }}"
    items = [_value(item) for item in value]
    line = f"[{', '.join(items)}]"
    return line if not split or len(line) <= _WIDTH else "[\n    " + ",\n    ".join(items) + ",\n]"
