"""Parts of HTML; every text that comes from a file is escaped here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A text that links to the sentences that it is about."""

    text: str
    target: str | None

    def __str__(self) -> str:
        return self.text


def html_select(name: str, title: str, options: Iterable[tuple[str, str]]) -> str:
    inner = "".join(f'<option value="{html.escape(value)}">{html.escape(text)}</option>' for value, text in options)
    return f'<label>{title}<select id="{name}">{inner}</select></label>'


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """A table; the first `texts` columns are words, the others numbers."""

    def cell(tag: str, place: int, value: object) -> str:
        text = html.escape(f"{value:,}" if isinstance(value, int) else str(value))
        if isinstance(value, Link) and value.target:
            text = f'<a href="{html.escape(value.target)}">{text}</a>'
        kind = ' class="text" dir="auto"' if place < texts else ""
        return f"<{tag}{kind}>{text}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(header))
    body = "".join("<tr>" + "".join(cell("td", i, v) for i, v in enumerate(row)) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def html_note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'
