"""Draws docs/images/annotate-light.png and annotate-dark.png: the page of `panparser annotate` in chromium.

    python tools/annotate_images.py [FOLDER]    # needs playwright and chromium

Thirty sentences of the tests' treebank are annotated as its trees say, so that the parser has learned and there is
progress to show, an edit every six seconds; the next long one is begun.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import panparser as pp
from panparser.annotate.page_process import listen_near, make_server, page_address
from panparser.annotate.page_service import AnnotationService
from panparser.annotate.page_support import Authenticator
from panparser.annotate.session import AnnotationSession
from panparser.treebank.sentences import Token

ROOT = Path(__file__).parents[1]
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
SIZE = {"width": 1400, "height": 940}
DONE, TEACHERS, LENGTH = 60, 60, range(11, 15)
BEGUN = 5  # words of the sentence that is shown
PACE = 6.0  # seconds between edits


def annotated(file: Path, gold: pp.Treebank) -> Iterator[AnnotationSession]:
    """A session in which the first sentences are done."""
    parser = pp.train(pp.ParserSpec(beam=4), gold[-TEACHERS:], epochs=3, members=1)
    times = count(1_700_000_000, PACE)
    session = AnnotationSession(file, model=parser, annotator="ann", clock=lambda: next(times))
    for index in range(DONE):
        correct(session, index, gold[index])
        session.edit(index, session.view(index)["version"], {"edit": "done"})
    session.wait(60)
    yield session
    session.close()


def correct(session: AnnotationSession, index: int, tokens: Iterable[Token]) -> None:
    """Decides words as the gold tree has them, where the parser has not; and that all so far are right."""
    last = 1
    for token in tokens:
        view = session.view(index)
        word, last = view["words"][token.id - 1], token.id
        if (word["head"], word["label"]) != (token.head, token.label):
            arc = {"edit": "arc", "word": token.id, "head": token.head, "label": token.label}
            session.edit(index, view["version"], arc)
    session.edit(index, session.view(index)["version"], {"edit": "right", "word": last})


@contextmanager
def served(session: AnnotationSession) -> Iterator[str]:
    with listen_near("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        service = AnnotationService(session, Authenticator.create("127.0.0.1", port))
        server = make_server(service)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        server.capture_signals = contextmanager(lambda: iter([None]))  # type: ignore[method-assign]
        thread.start()
        yield page_address("127.0.0.1", port, service.authenticator.token)
        server.should_exit = True
        thread.join()
        service.close()


def main() -> None:
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    gold = pp.read_conllu(ROOT / "tests" / "data" / "english.conllu")
    bare = gold.copy()
    bare.heads[:] = -1
    bare.column("deprel")[:] = bare.id_of("deprel", "_")
    program = next(path for path in BROWSERS if Path(path).exists())
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "village.conllu"
        pp.write_conllu(file, bare)
        shown = next(i for i in range(DONE, len(gold)) if len(gold[i]) in LENGTH)
        for session in annotated(file, gold):
            correct(session, shown, list(gold[shown])[:BEGUN])
            with served(session) as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
                for theme in ("light", "dark"):
                    page = browser.new_context(viewport=SIZE, color_scheme=theme).new_page()  # type: ignore[arg-type]
                    page.goto(f"{address}#{shown + 1}")
                    page.wait_for_selector('html[data-ready="yes"]', state="attached")
                    page.keyboard.press(".")
                    page.wait_for_timeout(400)
                    page.screenshot(path=str(folder / f"annotate-{theme}.png"))
                browser.close()


if __name__ == "__main__":
    main()
