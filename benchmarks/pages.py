"""How long does the page of a derivation take to open, and a step in it? And the server, to go on from another action?

    python benchmarks/pages.py FILE    # CoNLL-U; needs the extras `browser` and `server`, and chromium

For sentences of about 10, 40 and 100 words, by the bundled English model with its beam: the size of the page in one
file; milliseconds from its request to its `load` event; of a step (240 of them, forth and, from the end, again), those
of script, style and layout, by the clock, the median and the 95th percentile, and those that the main thread is busy
until the step is painted, the mean; and of an answer of the server that goes on from another action, from click to
layout, the median of 15. Of three runs, the best, since other programs only make it slower.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from machine import heading
from playwright.sync_api import Browser, Page, sync_playwright

import panparser as pp
from panparser.serve.http_process import listen, make_server
from panparser.serve.limits import Limits
from panparser.serve.served_models import ModelRegistry, ServedModel
from panparser.serve.service import ServerApp

RESULTS = Path(__file__).parent / "results" / "pages.txt"
CHROMIUM = "/usr/bin/chromium"
LENGTHS = (10, 40, 100)
RUNS, STEPS, CHOICES = 3, 240, 15
READY = "html[data-ready]"
OPENED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"
STEPPED = f"""async () => {{
  const times = [], next = document.getElementById("next"), first = document.getElementById("first");
  for (let i = 0; i < {STEPS}; i++) {{
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const start = performance.now();
    (next.disabled ? first : next).click();
    document.body.offsetHeight;
    times.push(performance.now() - start);
  }}
  return times.sort((a, b) => a - b);
}}"""
CHOSEN = f"""async () => {{
  const times = [], root = document.documentElement;
  for (let i = 0; i < {CHOICES}; i++) {{
    while (!document.querySelector(".run button.other")) document.getElementById("next").click();
    delete root.dataset.changed;
    const start = performance.now();
    document.querySelector(".run button.other").click();
    while (!root.dataset.changed) await new Promise((done) => setTimeout(done, 1));
    document.body.offsetHeight;
    times.push(performance.now() - start);
    document.getElementById("next").click();
  }}
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}}"""


@contextmanager
def served() -> Iterator[str]:
    service = ServerApp(ModelRegistry([ServedModel.from_argument("en")]), Limits())
    listening = listen("127.0.0.1", 0)
    server = make_server(service)
    thread = threading.Thread(target=lambda: asyncio.run(server._serve([listening])))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        service.close()
        listening.close()


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(address)
    page.wait_for_selector(READY, state="attached")
    try:
        yield page
    finally:
        page.close()


def busy(page: Page) -> tuple[list[float], float]:
    """Times of steps, and how long the main thread was busy for one."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def total() -> float:
        values = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(values["TaskDuration"])

    before = total()
    times: list[float] = page.evaluate(STEPPED)
    return times, (total() - before) / STEPS


def measured(browser: Browser, server: str, sentence: pp.Sentence, path: Path) -> str:
    parser = pp.load("en").parser
    assert isinstance(parser, pp.Parser)
    pp.inspection.step_through(parser, sentence).save(path)
    found: list[tuple[float, ...]] = []
    for _ in range(RUNS):
        with opened(browser, f"file://{path}") as page:
            ready = page.evaluate(OPENED)
            times, task = busy(page)
        with opened(browser, f"{server}/step#text={quote(sentence.text or ' '.join(sentence.forms))}") as page:
            found.append((ready, times[STEPS // 2], times[STEPS * 95 // 100], task, page.evaluate(CHOSEN)))
    ready, median, late, task, choice = (min(column) for column in zip(*found, strict=True))
    size = path.stat().st_size / 1000
    return f"{len(sentence):6}{size:10.0f}{ready:10.0f}{median:10.1f}{late:10.1f}{task:12.1f}{choice:12.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    treebank = pp.read_conllu(parser.parse_args().file)
    lines = [heading(), "derivations by the bundled English model, in chromium without a graphics card; ms", ""]
    lines.append(f"{'words':>6}{'kB':>10}{'opens':>10}{'step':>10}{'95 %':>10}{'with paint':>12}{'another':>12}")
    with TemporaryDirectory() as folder, served() as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for length in LENGTHS:
            sentence = min(treebank, key=lambda each: abs(len(each) - length))
            lines.append(measured(browser, server, sentence, Path(folder, f"{length}.html")))
        browser.close()
    print("\n".join(lines))
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
