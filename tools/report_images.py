"""Draws docs/images/report-light.png and report-dark.png: the report of `panparser analyze` in chromium.

    python tools/report_images.py [FOLDER]    # needs playwright and chromium

Of the report of the README, two charts and the sentences are shown, at a sentence with errors of each kind.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = {"width": 1280, "height": 1440}
CHARTS = ("By distance from the head", "By depth in the tree")
SENTENCE = "collects umbrellas"  # what the shown one is searched by

# Leaves out the other charts, and the sections between them and the sentences.
SHORTEN = """charts => {
  for (const tile of document.querySelectorAll(".tiles > div")) {
    if (!charts.includes(tile.querySelector("h3").textContent)) tile.remove();
  }
  let isLeftOut = false;
  for (const part of [...document.querySelector("main").children]) {
    if (part.tagName === "H2") isLeftOut = !["Summary", "Scores", "Sentences"].includes(part.textContent);
    if (isLeftOut) part.remove();
  }
}"""


def main() -> None:
    from playwright.sync_api import sync_playwright

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    program = next(filter(None, map(shutil.which, BROWSERS)))
    data = ROOT / "tests" / "data"
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        report = Path(place) / "report.html"
        files = [str(data / name) for name in ("english.conllu", "english-beam.conllu")]
        analyze = [sys.executable, "-m", "panparser", "--quiet", "analyze", *files, "--report", str(report)]
        subprocess.run(analyze, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            page = browser.new_context(viewport=SIZE, color_scheme=theme).new_page()  # type: ignore[arg-type]
            page.goto(f"{report.as_uri()}#kind=heads")
            page.evaluate(SHORTEN, CHARTS)
            page.locator("#list li", has_text=SENTENCE).click()
            page.evaluate("scrollTo(0, 0)")
            page.wait_for_timeout(400)
            page.screenshot(path=str(folder / f"report-{theme}.png"))
        browser.close()


if __name__ == "__main__":
    main()
