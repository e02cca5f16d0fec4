"""A file to annotate, and a browser."""

from __future__ import annotations

import pytest


@pytest.fixture
def file(tmp_path):
    """A file to annotate."""
    from annotating import conllu  # which needs the extra

    path = tmp_path / "work.conllu"
    path.write_text(conllu(), encoding="utf-8")
    return path


@pytest.fixture
def context(chromium):
    """Tabs that share their cookies."""
    opened = chromium.new_context(viewport={"width": 1300, "height": 900})
    yield opened
    opened.close()
