"""What the site needs beyond the pages: files outside docs/ that pages link to, and plain fences.

A page links to a file of the project by its path, so that the link works in a checkout; in the site, the file is copied
to files/PATH and the link leads there. Options of fences that only the tests read (`no-run`) are taken out.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, InclusionLevel

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"\]\(((?:\.\./)+[^)#]+)")
_FENCE = re.compile(r'^(```\w+.*?) no-run="[^"\n]*"', re.MULTILINE)


def on_files(files: Any, *, config: Any) -> Any:
    """Adds the files that pages link to outside docs/."""
    outside = {
        target
        for page in files.documentation_pages()
        for target in (_outside(page, link) for link in _LINK.findall(page.content_string))
        if target
    }
    for target in sorted(outside):
        file = File.generated(config, f"files/{target}", abs_src_path=str(ROOT / target))
        file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Leads links that leave docs/ to the copies."""

    def lead(match: re.Match[str]) -> str:
        target = _outside(page.file, match[1])
        folder = posixpath.dirname(page.file.src_uri)
        return f"]({posixpath.relpath(f'files/{target}', folder)}" if target else match[0]

    return _FENCE.sub(r"\1", _LINK.sub(lead, markdown))


def _outside(page: Any, link: str) -> str | None:
    """The path in the project of a file that a page links to, if it is not in docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.src_uri), link))
    return path if not path.startswith(("docs/", "..")) and (ROOT / path).is_file() else None
