"""Lazy public names: a package lists its own in `__init__.pyi`, for type checkers and for this module."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^from (panparser[\w.]*) import \(?\s*(\w+) as \2\b", re.MULTILINE)


def public_names(package: str) -> dict[str, str]:
    """Return the public names of a package with the module of each; for a subpackage, that is the package itself."""
    stub = Path(__file__).parent.joinpath(*package.split(".")[1:], "__init__.pyi")
    return {name: module for module, name in _IMPORT.findall(stub.read_text(encoding="utf-8"))}


def lazy(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package, whose modules are imported when a name is used."""
    modules = public_names(package)

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if modules[name] == package:
            value: Any = import_module(f"{package}.{name}")
        else:
            value = getattr(import_module(modules[name]), name)
        vars(sys.modules[package])[name] = value
        return value

    names = sorted(name for name, module in modules.items() if module != package)
    return names, find, lambda: sorted({*vars(sys.modules[package]), *modules})
