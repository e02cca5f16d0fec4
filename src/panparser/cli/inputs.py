"""Files that commands read."""

from __future__ import annotations

import sys
from typing import Any

from panparser.cli.app import is_quiet
from panparser.errors import SpecError
from panparser.treebank.conllu import accept, read_conllu
from panparser.treebank.treebank import Treebank


def read_to_score(path: str, format: Any = "auto") -> Treebank:
    """Reads a file leniently: problems are summarized in one line, unless a sentence cannot be read at all."""
    treebank = read_conllu(path, format=format, lenient=True)
    accept(treebank.problems, fatal_only=True)
    problems = [problem for problem in treebank.problems if not problem.harmless]
    if problems and not is_quiet():
        print(
            f"panparser: {path}: {len(problems)} problem{'s' * (len(problems) > 1)}; the first: {problems[0]}",
            file=sys.stderr,
        )
    return treebank


def read_sentences(source: str, format: Any = "auto") -> Treebank:
    """Reads a file that must have sentences."""
    treebank = read_conllu(source, format=format)
    if not len(treebank):
        raise SpecError(f"{source}: expected sentences, found none")
    return treebank


def listed(text: str) -> list[str]:
    """The names in an option, which are separated by commas."""
    return [part.strip() for part in text.split(",")]


def parse_numbers(text: str) -> list[float]:
    """The numbers of an option such as --weights 1,0.5."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"--weights: expected numbers with commas between them, found {text!r}") from None
