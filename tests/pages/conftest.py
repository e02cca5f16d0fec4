"""A browser that a test drives."""

from __future__ import annotations

import pytest

import browser


@pytest.fixture(scope="module")
def chromium():
    """Chromium, driven by playwright."""
    with browser.driven() as running:
        yield running


@pytest.fixture
def visit(chromium, tmp_path):
    """Opens a page from a file; what the browser complains about is in `page.complaints`."""
    contexts = []

    def call(text, address="", **options):
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(text, encoding="utf-8")
        contexts.append(chromium.new_context(offline=True, viewport={"width": 1300, "height": 900}, **options))
        page = contexts[-1].new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"file://{path}{address}")
        page.wait_for_selector("html[data-ready]", state="attached", timeout=20_000)
        return page

    yield call
    for context in contexts:
        context.close()
