"""The bundled model, served without a network, and at a loopback port."""

from __future__ import annotations

import pytest

from panparser.serve.served_models import ModelRegistry, ServedModel


@pytest.fixture(scope="session")
def models():
    return ModelRegistry([ServedModel.from_argument("en")])


@pytest.fixture(scope="session")
def ask(models):
    from asking import Asking  # which needs the extra

    return Asking(models)


@pytest.fixture(scope="session")
def address(models):
    from asking import serving

    with serving(models, max_body_bytes=1 << 20) as place:
        yield place
