"""The built-in templates of taggers."""

from __future__ import annotations

from collections.abc import Sequence

from panparser.features.templates import Templates

# Chosen on the development sets of en_ewt, hu, ta, fr_sequoia and ko. {T1}, {T2}: the tags before, or their first part.
_TAGGING = """
    W0.form
    W0.lower
    W0.lower_suffix[1]
    W0.lower_suffix[2]
    W0.lower_suffix[3]
    W0.lower_suffix[4]
    W0.lower_suffix[5]
    W0.lower_prefix[1]
    W0.lower_prefix[2]
    W0.lower_prefix[3]
    W0.lower_prefix[4]
    W0.shape
    W-2.lower
    W-1.lower
    W1.lower
    W2.lower
    W-1.lower W0.lower
    W0.lower W1.lower
    W-1.lower_suffix[3]
    W1.lower_suffix[3]
    W1.lower_suffix[2]
    W-1.shape
    W1.shape
    T-1
    {T2} {T1}
    {T1} W0.lower
    {T2} W0.lower
    {T1} W0.lower_suffix[3]
    {T1} W1.lower
"""


def tagging_templates(columns: Sequence[str] = ("upos",)) -> Templates:
    """The templates for tags of these columns: where a tag is several, most look at the first of them."""
    part = f".{columns[0]}" if len(columns) > 1 else ""
    return Templates.parse(_TAGGING.replace("{T1}", f"T-1{part}").replace("{T2}", f"T-2{part}"))


TAGGING = tagging_templates()
