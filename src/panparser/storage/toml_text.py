"""A small TOML writer; the standard library has only a reader."""

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
    plain = {key: value for key, value in given.items() if not isinstance(value, Mapping) and not _is_rows(value)}
    lines = [f"\n[{'.'.join(map(_key, path))}]"] if path and (plain or not given) else []
    lines += _plain(plain)
    for key, value in given.items():
        if isinstance(value, Mapping):
            lines += _table(value, (*path, key))
        elif _is_rows(value):
            for row in value:
                lines += [f"\n[[{'.'.join(map(_key, (*path, key)))}]]", *_plain(row)]
    return lines


def _is_rows(value: Any) -> bool:
    """A list of tables that hold no tables, such as the transitions of a system."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, Mapping) and not any(map(_holds_table, row.values())) for row in value)
    )


def _holds_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(map(_holds_table, value)))


def _plain(values: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value, split=True)}" for key, value in values.items() if value is not None]


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
