"""The bundled model, served without a network, and at a loopback port."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from asking import Asking, serving
from panparser.server.models import Models, Served


@pytest.fixture(scope="session")
def models():
    return Models([Served.of("en")])


@pytest.fixture(scope="session")
def ask(models):
    return Asking(models)


@pytest.fixture(scope="session")
def address(models):
    with serving(models, body=1 << 20, seconds=2.0) as place:
        yield place
