"""Pages opened in a browser."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --virtual-time-budget=3000"


def installed() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def driven() -> Iterator[Any]:
    """Chromium, driven by playwright; the test is skipped where one of them is missing."""
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'panparser[browser]'")
    program = installed()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with driver.sync_playwright() as started:
        try:
            running = started.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        except driver.Error as error:
            pytest.skip(f"{program} does not run here: {error.message.splitlines()[:1]}")
        yield running
        running.close()


def opened(program: str, page: str, folder: Path, address: str = "", width: int = 1400) -> tuple[str, str]:
    """The elements of a page after its scripts ran, and what the browser says."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    options = [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000", "--dump-dom"]
    command = [program, *FLAGS.split(), *options, f"file://{path}{address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8")
    return done.stdout, done.stderr


def with_script(page: str, script: str) -> str:
    """A page with a script of the test after its own, which its policy then allows."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    return allowed.replace("</body>", f"<script>{script}</script></body>")


def attribute(dom: str, name: str) -> str:
    """An attribute of the whole page."""
    return re.search(rf'<html[^>]* {name}="([^"]*)"', dom)[1]
