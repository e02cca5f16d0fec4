"""Help texts are what they were; whoever changes one writes tests/golden/snapshot/help.json again."""

from __future__ import annotations

import pytest

from panparser.cli.main import COMMANDS
from snapshots import compare, digest


@pytest.mark.unmeasured
def test_help_texts(run, monkeypatch):
    texts = {}
    for width in ("80", "100"):
        monkeypatch.setenv("COLUMNS", width)
        for name in ("", *sorted(name for section in COMMANDS.values() for name in section)):
            code, text, err = run(*name.split(), "-h")
            assert (code, err) == (0, "")
            texts[f"panparser {name}".strip() + f", {width}"] = digest(text)
    compare("help", texts)
