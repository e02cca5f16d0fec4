"""Predictions to report on, and a browser to open reports in."""

from __future__ import annotations

import pytest

import browser


@pytest.fixture(scope="module")
def two(parser, english):
    """Gold, what a parser found, and what the same found without a beam."""
    gold = english[1]
    return gold, parser.parse(gold), parser.parse(gold, beam=1)


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    """Opens a page: its elements after the script ran. `then` is a script that runs after the page's own."""
    program = browser.installed()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(browser.BROWSERS)} is installed")
    folder = tmp_path_factory.mktemp("browser")

    def call(page, address="", then="", width=1400):
        page = browser.with_script(page, then)
        elements, said = browser.opened(program, page, folder, address, width)
        if not elements.strip():
            pytest.skip(f"{program} does not run here: {said.strip().splitlines()[-1:]}")
        return elements

    return call
