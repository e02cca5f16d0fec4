"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import signal
import sys

# A shell that starts the tests in the background lets them ignore Ctrl-C, and all that they start with them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from panparser.base.threads import SINGLE_THREADED

# One core for each process of the tests: libraries that start a thread for each get into each other's way, by a factor
# of ten where two processes train networks. Before numpy and torch are imported, which read it then.
os.environ.update(SINGLE_THREADED)

import pytest
from hypothesis import settings

import browser
import panparser as pp
from linear import EXPLORE, GREEDY, Linear
from panparser import cli
from places import ENGLISH

settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


LONGEST = ("docs/test_pages.py", "serve/test_http_process.py", "fuzz/test_fuzz.py", "neural/", "parsing/", "contracts/")


def pytest_collection_modifyitems(items):
    """Files with long tests go first: no process is left alone with one of them at the end."""
    items.sort(key=lambda item: not any(f"tests/{name}" in item.path.as_posix() for name in LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Runs tests marked `unmeasured` without coverage, which takes twice the time where Python does the work."""
    tracer = sys.gettrace()
    if item.get_closest_marker("unmeasured"):
        sys.settrace(None)  # the marker no_cover of pytest-cov does nothing in the processes of pytest-xdist
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a command in this process: (exit code, output, errors)."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["panparser", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def english():
    """Sentences to learn from, and others to be tested on."""
    treebank = pp.read_conllu(ENGLISH)
    return treebank[:80], treebank[80:110]


@pytest.fixture(scope="session")
def parser(english):
    """A small parser."""
    treebank, dev = english
    return pp.train(pp.ParserSpec(beam=4), treebank, dev=dev, epochs=2)


@pytest.fixture(scope="session")
def pipeline_file(english, tmp_path_factory):
    """The file of a small pipeline."""
    path = tmp_path_factory.mktemp("pipeline") / "nlp"
    spec = pp.PipelineSpec(parser=pp.ParserSpec(beam=1, templates=pp.templates("zn11")), folds=2, tagger_epochs=2)
    pp.train_pipeline(spec, english[0], epochs=2, members=1).save(path)
    return path


@pytest.fixture(scope="session")
def linear(english):
    """A parser with a classifier in Python."""
    treebank, dev = english
    return pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), strategy=EXPLORE, epochs=4)


@pytest.fixture(scope="session")
def gold():
    """All sentences of the tests' treebank."""
    return pp.read_conllu(ENGLISH)


@pytest.fixture(scope="session")
def parsed():
    """What two parsers made of them."""
    return tuple(pp.read_conllu(ENGLISH.with_name(f"english-{name}.conllu")) for name in ("greedy", "beam"))


@pytest.fixture(scope="session")
def frame(gold, parsed):
    return pp.lab.analysis.make_frame(gold, *parsed, names=["greedy", "beam"], train=gold[:100])


@pytest.fixture(scope="module")
def chromium():
    """Chromium, driven by playwright; not for a whole session, since its event loop would be in the way of others."""
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'panparser[browser]'")
    program = browser.installed()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(browser.BROWSERS)} is installed")
    with driver.sync_playwright() as started:
        try:
            running = started.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        except driver.Error as error:
            pytest.skip(f"{program} does not run here: {error.message.splitlines()[:1]}")
        yield running
        running.close()


@pytest.fixture
def visit(chromium, tmp_path):
    """Opens a page, from an address or, without a network, from a file with its text.

    The test fails if the browser complained, unless the test has looked at `page.complaints` and cleared them.
    """
    contexts, pages = [], []

    def call(page, fragment="", **options):
        is_file = not page.startswith("http://")
        if is_file:
            path = tmp_path / f"page{len(contexts)}.html"
            path.write_text(page, encoding="utf-8")
            page = f"file://{path}"
        size = {"width": 1300, "height": 900}
        contexts.append(chromium.new_context(**{"offline": is_file, "viewport": size, **options}))
        pages.append(browser.watched(contexts[-1].new_page()))
        pages[-1].goto(page + fragment)
        pages[-1].wait_for_selector("html[data-ready]", state="attached", timeout=20_000)
        return pages[-1]

    yield call
    for context in contexts:
        context.close()
    assert [page.complaints for page in pages] == [[] for _ in pages]


@pytest.fixture(scope="session")
def english_pipeline():
    return pp.load("en")
