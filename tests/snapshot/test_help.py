"""Help texts are what they were; whoever changes one writes tests/golden/snapshot/help.json again."""

from __future__ import annotations

import pytest
from panparser.cli.app import app

from panparser import cli
from snapshots import compare, digest


@pytest.mark.unmeasured
def test_help_texts(run, monkeypatch):
    cli.import_commands([])
    names = sorted(command.name or command.callback.__name__ for command in app.registered_commands)
    texts = {}
    for width in ("80", "100"):
        monkeypatch.setenv("COLUMNS", width)
        for name in ("", *names):
            code, text, err = run(*name.split(), "-h")
            assert (code, err) == (0, "")
            texts[f"panparser {name}".strip() + f", {width}"] = digest(text)
    compare("help", texts)
