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
