"""Transition systems by name: the built-in ones, files, and those written in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, overload

from panparser.base.checks import check_choice
from panparser.base.kinds import path_exists
from panparser.errors import DeclarationError, UnknownSystemError
from panparser.systems.builtin import (
    arc_eager,
    arc_eager_partial,
    arc_eager_span,
    arc_hybrid,
    arc_hybrid_partial,
    arc_hybrid_span,
    arc_standard,
    arc_swift,
    attardi,
    covington,
    covington_projective,
    easy_first,
    non_monotonic_arc_eager,
    swap_standard,
)
from panparser.systems.python_system import PythonSteps, PythonSystem
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.gold import ROOTS

BUILT_IN: dict[str, Callable[..., TransitionSystem]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        arc_eager,
        arc_hybrid,
        arc_standard,
        attardi,
        easy_first,
        non_monotonic_arc_eager,
        arc_eager_partial,
        arc_hybrid_partial,
        arc_eager_span,
        arc_hybrid_span,
        swap_standard,
        arc_swift,
        covington,
        covington_projective,
    )
}


@overload
def system(name: str | Path | TransitionSystem, **options: Any) -> TransitionSystem: ...
@overload
def system(name: PythonSystem | PythonSteps, **options: Any) -> PythonSteps: ...
def system(
    name: str | Path | TransitionSystem | PythonSystem | PythonSteps, **options: Any
) -> TransitionSystem | PythonSteps:
    """A transition system to step through: a built-in by name, a .json or .toml file, or your own.

    `system("arc-hybrid", root="first", single_root=True)`; names ignore case and hyphens (`ArcHybrid`). The Span
    systems take `k` (the longest arc, 3), `swap-standard` takes `oracle` ("lazy", "eager", "dynamic" or
    "static-dynamic").
    """
    if isinstance(name, TransitionSystem | PythonSteps | PythonSystem):
        if options:
            raise DeclarationError(f"{name.name} is complete as it is; got {', '.join(options)}")
        return PythonSteps(name) if isinstance(name, PythonSystem) else name
    if not isinstance(name, str | Path):
        hint = "; make an instance: MySystem()" if isinstance(name, type) and issubclass(name, PythonSystem) else ""
        raise DeclarationError(f"expected the name of a system, a file, or a system; got {name!r}{hint}")
    if Path(name).suffix.lower() in (".json", ".toml"):
        return _from_file(name, options)
    function = _built_in(name)
    names = inspect.signature(function).parameters
    if "single_root" not in names and not options.get("single_root", True):
        del options["single_root"]  # it is the default of the system
    if options.get("single_root") and "single_root" not in names:
        raise DeclarationError(f"{name} may leave several words without a head, so it has no single-root variant")
    for option in options:
        if option not in names:
            raise DeclarationError(f"{name} takes {', '.join(names)}; got {option}")
    check_choice(f"{name}: root", options.get("root", "last"), ROOTS, DeclarationError)
    return function(**options)


def has_single_root(name: str) -> bool:
    """Whether a built-in system has a variant with one child of Root; not if it may leave several words headless."""
    return "single_root" in inspect.signature(_built_in(name)).parameters


def _built_in(name: str | Path) -> Callable[..., TransitionSystem]:
    known = {_plain(key): function for key, function in BUILT_IN.items()}
    if _plain(str(name)) not in known:
        near = get_close_matches(str(name), BUILT_IN, 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BUILT_IN)}"
        if ":" in str(name):
            hint = "a system in Python is trained in Python: pp.train(pp.ParserSpec(system=MySystem()), treebank)"
        elif path_exists(name, Path.is_file):
            hint = "there is a file of that name; a table's ends in .toml or .json"
        raise UnknownSystemError(f"no transition system is called {str(name)!r}; {hint}")
    return known[_plain(str(name))]


def _from_file(path: str | Path, options: dict[str, Any]) -> TransitionSystem:
    table = TransitionSystem.load(path)
    for option, value in options.items():
        if getattr(table, option, None) != value:
            raise DeclarationError(f"{path} defines the whole system; got {option}={value}")
    return table


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
