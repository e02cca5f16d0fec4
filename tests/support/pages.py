"""The pages of the documentation, and the fenced blocks in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(?P<info>\S.*)\n(?P<code>(?s:.*?))^```$", re.MULTILINE)
_OPTION = re.compile(r' +([\w-]+)="([^"]*)"')


@dataclass(frozen=True)
class Block:
    """A fenced block: ```kind key="value", the code, the line of its fence."""

    kind: str
    code: str
    line: int
    options: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        return "no-run" not in self.options


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        kind, *options = re.split(r"(?= )", match["info"], maxsplit=1)
        pairs = _OPTION.findall("".join(options))
        assert "".join(f' {key}="{value}"' for key, value in pairs) == "".join(options), f"{page}: {match['info']}"
        found.append(Block(kind, match["code"], text.count("\n", 0, match.start()) + 1, dict(pairs)))
    return found
