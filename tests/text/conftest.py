"""The bundled model, loaded once."""

from __future__ import annotations

import pytest

import panparser as pp


@pytest.fixture(scope="session")
def english_pipeline():
    return pp.load("en")
