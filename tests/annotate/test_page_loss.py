"""Nothing is lost and nothing is done twice, whatever happens to the server between two keystrokes."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from annotating import annotating, settle, visited
from panparser.annotate.session import AnnotationSession


class Process:
    """`panparser annotate` as a process of its own, at the same port each time."""

    def __init__(self, file, *options):
        self.command = [
            sys.executable,
            "-m",
            "panparser",
            "annotate",
            str(file),
            "--no-browser",
            "--no-train",
            *options,
        ]
        self.port, self.running = "0", None

    def start(self):
        self.running = subprocess.Popen(
            [*self.command, "--port", self.port], stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        for line in self.running.stderr:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", line):
                self.port = found[1]
                return found[0]
        raise AssertionError(f"it did not start: {self.running.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.running is not None and self.running.poll() is None:
            self.kill()

    def kill(self):
        os.kill(self.running.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        self.running.wait()
        self.running.stderr.close()


KEYS = ["r", "s", "o", "d", "N", "V", "Enter", "Delete", "PageDown", "PageUp", "Control+z", "Control+y"]


ROWS = """[...document.querySelectorAll('#words tr[data-row]')].map((row) =>
  [...row.querySelectorAll('button')].map((cell) => cell.textContent))"""


def whole(answer):
    """What was answered; None if the server was killed before it had sent all of it."""
    with suppress(Exception):  # of playwright, which may not be installed
        return answer.json()
    return None


def press_and_kill(context, file, keys, kills, seed):
    """Types keys, and kills the server between some of them: what the page shows in the end, and what was answered."""
    chosen = random.Random(seed)
    moments = set(chosen.sample(range(1, keys), kills))
    answered, pressed = [], 0
    with Process(file) as process:
        page = visited(context, process.start(), may_complain=True)
        page.on("response", lambda answer: answered.append(answer) if answer.request.method == "POST" else None)
        for number in range(keys):
            if number in moments:
                process.kill()
                if chosen.random() < 0.5:
                    page.keyboard.press(chosen.choice(["r", "s", "N"]))  # nobody is there to hear it
                    pressed += 1
                visited(context, process.start(), may_complain=True).close()
                page.locator("#banner").wait_for(state="hidden", timeout=20_000)
            page.keyboard.press("ArrowRight" if chosen.random() < 0.4 else chosen.choice(KEYS))
            pressed += 1
            if chosen.random() < 0.5:
                settle(page)
        settle(page)
        index = int(page.input_value("#number")) - 1
        shown = page.evaluate(f"fetch('api/sentence/{index}').then((answer) => answer.json())")
        values = [value for answer in answered if answer.status == 200 and (value := whole(answer)) is not None]
        versions = [(value.get("view", value) or {"version": 0})["version"] for value in values]
        return shown, page.evaluate(ROWS), versions, pressed


def check_kept(file, shown, rows, versions, pressed):
    """What the page shows is what the journal has; all that was answered is there, and nothing more than was typed."""
    for word, row in zip(shown["words"], rows, strict=True):
        assert row[2] == word["upos"]
        assert row[5:7] == [str(word["head"]), word["label"]]
    lines = file.with_name("work.conllu.journal").read_text().splitlines()
    changes = [record for record in map(json.loads, lines) if record.keys() & {"edit", "undo", "redo"}]
    numbers = {record["n"] for record in changes}
    assert set(versions) - {0} <= numbers
    assert len(changes) <= pressed
    with AnnotationSession(file, train=False) as session:
        found = session.view(shown["index"])
    for name in ("version", "words", "done", "note"):
        assert found[name] == shown[name], name


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_between_keystrokes_nothing_is_lost(context, file):
    check_kept(file, *press_and_kill(context, file, keys=30, kills=2, seed=1))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("seed", range(100))
def test_killed_at_any_of_200_keystrokes(context, file, seed):
    check_kept(file, *press_and_kill(context, file, keys=200, kills=1, seed=seed))


@pytest.mark.parametrize("key", ["r", "s", "N", "Enter", "Control+Enter"])
def test_an_edit_whose_answer_is_lost_is_not_done_twice(context, file, key):
    with annotating(file, train=False) as (address, session):
        page = visited(context, address, may_complain=True)
        page.keyboard.press("Home")

        def lose(route):
            route.fetch()  # the server does it, and nobody hears that it did
            route.fulfill(status=200, content_type="application/json", body='{"index": 0, "wor')

        page.route("**/edit", lose, times=1)
        page.keyboard.press(key)
        page.locator("#saved", has_text="saved").wait_for(timeout=10_000)
        settle(page)
        page.locator("#banner").wait_for(state="hidden", timeout=10_000)
        assert page.locator("#told.trouble").count() == 0
        lines = file.with_name("work.conllu.journal").read_text().splitlines()
        assert len([line for line in lines if '"edit":{' in line]) == 1
        page.keyboard.press("Control+z")
        settle(page)
        assert not session.summary()["can_undo"]
        assert page.complaints == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_an_edit_that_nobody_heard_is_shown_and_sent_later(context, file):
    with Process(file) as process:
        page = visited(context, process.start(), may_complain=True)
        page.route("**/edit", lambda route: route.abort())
        page.keyboard.press("Home")
        page.keyboard.press("r")
        page.locator("#banner", has_text="Not saved yet").wait_for()
        page.keyboard.press("s")  # not possible now
        process.kill()
        page.unroute("**/edit")
        visited(context, process.start(), may_complain=True)
        page.locator("#banner").wait_for(state="hidden", timeout=20_000)
        settle(page)
    journal = file.with_name("work.conllu.journal").read_text()
    assert journal.count('"edit":"head"') == 1
    assert '"edit":"label"' not in journal
