"""Lines of CoNLL-U to be read."""

from __future__ import annotations


def line(*cells: object, **named: object) -> str:
    """A line of 10 cells, `_` where none is given; named ones by column."""
    names = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]
    values = [*cells, *["_"] * (10 - len(cells))]
    for name, value in named.items():
        values[names.index(name)] = value
    return "\t".join(map(str, values)) + "\n"


WORDS = line(1, "a", head=2) + line(2, "b", head=0) + line(3, "c", head=2)
GOOD = "# text = abc\n" + WORDS + "\n"
