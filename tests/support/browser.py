"""Pages opened in a browser."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --virtual-time-budget=3000"


def installed() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def opened(program: str, page: str, folder: Path, address: str = "", width: int = 1400) -> tuple[str, str]:
    """The elements of a page after its scripts ran, and what the browser says."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    options = [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000", "--dump-dom"]
    command = [program, *FLAGS.split(), *options, f"file://{path}{address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, encoding="utf-8")
    return done.stdout, done.stderr


def watched(page: Any) -> Any:
    """A page of playwright; what the browser complains about is in `page.complaints`, its requests in `page.asked`."""
    page.complaints, page.asked = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    return page


def until(page: Any, condition: str, seconds: float = 20.0) -> None:
    """Waits until a condition holds; `page.wait_for_function` would need `eval`, which policies of pages forbid."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def with_script(page: str, script: str) -> str:
    """A page with a script of the test after its own, which its policy then allows."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    return allowed.replace("</body>", f"<script>{script}</script></body>")


def attribute(dom: str, name: str) -> str:
    """An attribute of the whole page."""
    return re.search(rf'<html[^>]* {name}="([^"]*)"', dom)[1]
