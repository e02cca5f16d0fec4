"""Public names, imported when they are first used; `__init__.pyi` lists them for type checkers and for this module."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^from (panparser[\w.]*) import \(?\s*(\w+) as \2\b", re.MULTILINE)
_LISTED = _IMPORT.findall(Path(__file__).with_name("__init__.pyi").read_text(encoding="utf-8"))
HOMES = {name: module for module, name in _LISTED if module != "panparser"}  # the module of each public name
ROOMS = tuple(name for module, name in _LISTED if module == "panparser")  # packages that need no explicit import


def lazy(package: str, **more: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package: its public names, and `more` of them by module."""
    homes = {name: module for name, module in HOMES.items() if module.startswith(f"{package}.")}
    homes |= {name: f"{package}.{module}" for module, names in more.items() for name in names.split()}

    def find(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif package == "panparser" and name in ROOMS:
            value = import_module(f"panparser.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        vars(sys.modules[package])[name] = value
        return value

    public = sorted(homes)
    return public, find, lambda: sorted({*vars(sys.modules[package]), *public})
