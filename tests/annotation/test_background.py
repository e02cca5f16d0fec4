"""Work in the background: once for all who asked."""

from __future__ import annotations

import threading

from panparser.annotation.background import Background


def test_what_is_asked_for_meanwhile_is_done_once():
    started, go, done = threading.Event(), threading.Event(), []

    def work():
        started.set()
        go.wait(10)
        done.append(1)

    background = Background(work)
    background.ask()
    started.wait(10)
    for _ in range(5):
        background.ask()
    go.set()
    assert background.wait(10)
    assert len(done) == 2
    background.close()


def test_work_that_is_not_urgent_waits_until_nobody_asks():
    done = []
    background = Background(lambda: done.append(1), idle=60)
    background.ask(urgent=False)
    assert not done
    assert background.wait(10)
    assert len(done) == 1
    background.ask(urgent=False)
    background.close()
    assert len(done) == 1
