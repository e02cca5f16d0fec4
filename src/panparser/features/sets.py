"""The built-in sets of feature templates: the text files of the folder `sets`, each read when it is first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from panparser.features.templates import Templates

_FILES = Path(__file__).with_name("sets")
_CONSTANTS = {
    "EASY": "easy",
    "FAST": "fast",
    "GIVEN": "given",
    "ASIDE": "aside",
    "LEAN": "lean",
    "RICH": "rich",
    "RICH_STACK": "rich-stack",
    "ZN11": "zn11",
}

# Found by `__getattr__`; declared for type checkers and the documentation.
RICH: Templates
"""Words, tags, morphology and lemmas of S0 and B0: the default of systems whose arcs also join S1 and S0."""
RICH_STACK: Templates
"""RICH shifted one place to the left: the default of systems whose arcs join words of the stack."""
LEAN: Templates
"""RICH without what brings nothing to ArcEager: the default of systems whose arcs join S0 and B0."""
EASY: Templates
"""LEAN for a free focus: as much of what is left of it as of what is right; the default of EasyFirst."""
ZN11: Templates
"""Zhang & Nivre (2011): all templates of their two tables, and three for the transition history."""
FAST: Templates
"""Two fifths of RICH, for large corpora."""
GIVEN: Templates
"""Templates that read constraints; to be added to another set."""
ASIDE: Templates
"""What systems with a list know in addition; to be added to another set."""
TAGGING: Templates
"""The default of taggers, over a window of words."""


def __getattr__(name: str) -> Templates:
    if name == "TAGGING":
        return tagging_templates()
    if name in _CONSTANTS:
        return template_set(_CONSTANTS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@lru_cache
def template_set(name: str) -> Templates:
    """The templates of a file: rich, rich-stack, lean, easy, aside, zn11, fast, given; tokenizer, splitter, ..."""
    return Templates.parse(_text(name))


@lru_cache
def _tagging(part: str) -> Templates:
    return Templates.parse(_text("tagging").replace("{T1}", f"T-1{part}").replace("{T2}", f"T-2{part}"))


def tagging_templates(columns: Sequence[str] = ("upos",)) -> Templates:
    """The templates for tags of these columns: if there are several, most templates read the first of them."""
    return _tagging(f".{columns[0]}" if len(columns) > 1 else "")


def _text(name: str) -> str:
    return _FILES.joinpath(f"{name}.txt").read_text(encoding="utf-8")
