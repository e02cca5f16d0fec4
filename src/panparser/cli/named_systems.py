"""The transition system that a command is about: a built-in one, a file, or a class of Python."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from panparser.cli.terminal import RootPlace, SwapOracle
from panparser.errors import UnknownSystemError
from panparser.systems.python_system import PythonSteps, PythonSystem
from panparser.systems.registry import system as as_system
from panparser.systems.transition_system import TransitionSystem


def find_system(
    name: str, root: RootPlace | None, single_root: bool | None, k: int | None, oracle: SwapOracle | None
) -> TransitionSystem | PythonSteps:
    given = {
        "root": root.value if root else None,
        "single_root": single_root,
        "k": k,
        "oracle": oracle.value if oracle else None,
    }
    options = {key: value for key, value in given.items() if value is not None}
    return as_system(_python_system(name) if ":" in name else name, **options)


def _python_system(name: str) -> PythonSystem:
    module, _, attribute = name.rpartition(":")
    path = Path(module)
    folder, module = (path.parent, path.stem) if path.suffix == ".py" else (Path.cwd(), module)
    sys.path.insert(0, str(folder.resolve()))
    try:
        declared = getattr(importlib.import_module(module), attribute)
        if isinstance(declared, type) and issubclass(declared, PythonSystem):
            return declared()
    except (Exception, SystemExit) as error:
        raise UnknownSystemError(f"cannot import {name}: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(str(folder.resolve()))
    if isinstance(declared, PythonSystem):
        return declared
    raise UnknownSystemError(f"{name} must be a subclass of panparser.PythonSystem; got {declared!r}")
