"""Files of the models that come with panparser."""

from __future__ import annotations

import os
import re
from pathlib import Path

from panparser.errors import ModelError

MODELS = Path(__file__).parents[1] / "models"
SUFFIX = ".panparser"
DEFAULT = "en"  # the default model


def bundled() -> list[str]:
    """Names of the models that come with panparser."""
    return sorted(path.name.removesuffix(SUFFIX) for path in MODELS.glob(f"*{SUFFIX}"))


def find(name: str | os.PathLike[str]) -> str:
    """The file of a model: a bundled one of this name, else the path itself.

    A file in the current folder that has the name of a bundled model is `./en`, or a `Path`. Raises ModelError for a
    bare name that is neither a file nor a bundled model.
    """
    path = os.fspath(name)
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", path):
        return path
    known = bundled()
    if path in known:
        return str(MODELS / f"{path}{SUFFIX}")
    if path != "-" and not os.path.exists(path):
        raise ModelError(f"{path}: expected a model file, or the name of a bundled model: {', '.join(known)}")
    return path
