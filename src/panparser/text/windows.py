"""Windows of the classifiers of texts, from templates with `|` between them."""

from __future__ import annotations

from panparser.features.templates import Templates
from panparser.sequences.model import Window


def window(text: str, columns: tuple[str, ...]) -> Window:
    """The window that a text spells; names without `W` or `T` are read at the item."""
    templates = [template.split() for line in text.strip().splitlines() for template in line.split("|")]
    lines = [" ".join(atom if atom[0] in "WT" else f"W0.{atom}" for atom in template) for template in templates]
    return Window(templates=Templates.parse("\n".join(lines)), columns=columns)
