"""Work in the background: once for all who asked."""

from __future__ import annotations

import threading

import pytest

import panparser as pp
from panparser.annotate.live_learning import BackgroundWorker, describe_error


def test_what_is_asked_for_meanwhile_is_done_once():
    started, go, done = threading.Event(), threading.Event(), []

    def work():
        started.set()
        go.wait(10)
        done.append(1)

    background = BackgroundWorker(work)
    background.request()
    started.wait(10)
    for _ in range(5):
        background.request()
    go.set()
    assert background.wait(10)
    assert len(done) == 2
    background.close()


def test_work_that_is_not_urgent_waits_until_nobody_asks():
    done = []
    background = BackgroundWorker(lambda: done.append(1), idle=60)
    background.request(urgent=False)
    assert not done
    assert background.wait(10)
    assert len(done) == 1
    background.request(urgent=False)
    background.close()
    assert len(done) == 1


@pytest.mark.parametrize("error", [MemoryError(), ValueError("odd"), pp.errors.AnnotationError("no")])
def test_an_error_ends_the_work_but_not_the_thread(error):
    outcomes, told = [error, None], []

    def work():
        if (outcome := outcomes.pop(0)) is not None:
            raise outcome

    def failed(found):
        told.append(describe_error(found))
        raise OSError("nobody listens")

    background = BackgroundWorker(work, failed=failed)
    for _ in range(2):
        background.request()
        assert background.wait(10)
    assert outcomes == []
    assert told == [{"MemoryError": "MemoryError", "ValueError": "ValueError: odd"}.get(type(error).__name__, "no")]
    background.close()
