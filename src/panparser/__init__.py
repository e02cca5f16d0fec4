"""panparser: transition-based dependency parsing. Transition systems are tables; their oracles are exact."""

from __future__ import annotations

from typing import Any

from panparser.names import lazy

__all__, _find, _names = lazy("panparser")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("panparser")
    return _find(name)


def __dir__() -> list[str]:
    return [*_names(), "__version__"]
