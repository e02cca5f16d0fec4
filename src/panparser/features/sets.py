"""The built-in sets of feature templates: the text files of the folder `sets`, each read when it is first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from panparser.errors import TemplateError
from panparser.features.templates import Templates

_FOLDER = Path(__file__).with_name("sets")


@lru_cache
def templates(name: str) -> Templates:
    """Return a built-in set of feature templates.

    rich: words, tags, morphology and lemmas of S0 and B0; the default of systems whose arcs also join S1 and S0.
    rich-stack: `rich` shifted one place to the left; the default of systems whose arcs join words of the stack.
    lean: `rich` without what adds nothing to arc-eager; the default of systems whose arcs join S0 and B0.
    easy: `lean` for a free focus: as much of the left of the focus as of its right; the default of easy-first.
    zn11: all templates of the two tables of Zhang & Nivre (2011), and three for the transition history.
    fast: two fifths of `rich`, for large corpora.
    given, aside: templates that read constraints, or the list of systems that have one; to be added to another set.
    tokenizer, splitter, lemmatizer: the defaults of these models. `tagging_templates` has those of taggers.
    """
    path = _FOLDER / f"{name}.txt"
    if name not in _names():
        raise TemplateError(f"templates: name must be one of {', '.join(_names())}; got {name!r}")
    return Templates.parse(path.read_text(encoding="utf-8"))


@lru_cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.txt") if path.stem != "tagging"))


@lru_cache
def _tagging(part: str) -> Templates:
    text = (_FOLDER / "tagging.txt").read_text(encoding="utf-8")
    return Templates.parse(text.replace("{T1}", f"T-1{part}").replace("{T2}", f"T-2{part}"))


def tagging_templates(columns: Sequence[str] = ("upos",)) -> Templates:
    """Return the templates for tags of these columns: if there are several, most templates read the first of them."""
    return _tagging(f".{columns[0]}" if len(columns) > 1 else "")
