"""Requests that are annotated together get what they would get alone."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import quote

import pytest

from conllu_lines import line
from panparser.serve.batching import BatchQueue, StartedRequest
from panparser.serve.limits import Limits, RequestError
from panparser.serve.process_request import ProcessRequest
from panparser.serve.processing import RequestProcessor

LIMITS = Limits()
TEXTS = [f"Number {number} ate the pizza. He slept." for number in range(12)]


def works(models, **parameters: str) -> list[RequestProcessor]:
    each = {"tokenizer": "", "parser": "", **parameters}
    return [
        RequestProcessor(models.served[0], ProcessRequest.from_parameters({**each, "data": text}, LIMITS), LIMITS)
        for text in TEXTS
    ]


def written(works: list[RequestProcessor], monkeypatch) -> tuple[list, int]:
    """What comes of works that wait for one thread at the same time; and how often it annotated."""
    calls = []
    annotate = RequestProcessor.annotate
    monkeypatch.setattr(
        RequestProcessor, "annotate", lambda self, treebank: calls.append(treebank) or annotate(self, treebank)
    )

    async def run():
        with ThreadPoolExecutor(1) as pool:
            batches = BatchQueue(pool, 1)
            all_wait = threading.Event()
            pool.submit(all_wait.wait)
            waiting = [batches.write(work, next(work.read())) for work in works]
            all_wait.set()
            found = await asyncio.gather(*waiting, return_exceptions=True)
        assert not batches._waiting
        return found

    found = asyncio.run(run())
    monkeypatch.undo()
    return found, len(calls)


@pytest.mark.parametrize("parameters", [{"tagger": ""}, {"output": "matxin"}, {"parser": "confidence", "tagger": ""}])
def test_together_is_as_alone(models, monkeypatch, parameters):
    expected = [work.write(next(work.read())) for work in works(models, **parameters)]
    found, calls = written(works(models, **parameters), monkeypatch)
    assert ["".join(each) for each in found] == ["".join(each) for each in expected]
    assert calls == 1


def test_different_wishes_are_kept_apart(models, monkeypatch):
    mixed = works(models)[:3] + works(models, tagger="")[:3] + works(models, parser="keep")[:3]
    found, calls = written(mixed, monkeypatch)
    assert ["".join(each) for each in found] == ["".join(work.write(next(work.read()))) for work in mixed]
    assert calls == 2 + 3  # what is kept is that of one request


def test_who_fails_fails_alone(models, monkeypatch):
    together = works(models)
    render = RequestProcessor.render

    def fails(self, *place):
        if self is together[5]:
            raise RequestError("no")
        return render(self, *place)

    monkeypatch.setattr(RequestProcessor, "render", fails)
    found, _ = written(together, monkeypatch)
    assert [isinstance(each, RequestError) for each in found] == [number == 5 for number in range(12)]


BEGUN = [("tagger=&parser=", "# own\n{}"), ("tagger=&parser=", "{}\n\n\n"), ("parser=", "\n\n{}")]
BEGUN += [("tagger=&output=vertical", "{}"), ("parser=k_best=2", "{}"), ("parser=", "no conllu"), ("parser=", "")]


def test_short_requests_that_come_together_get_what_they_would_get_alone(ask):
    words = line(1, "They", upos="PRON") + line(2, "ate", upos="VERB") + "\n"
    requests = [
        ("POST", f"/process?{query}", f"data={quote(data.format(words))}".encode(), {}) for query, data in BEGUN
    ] * 4
    one = type(ask)(ask.models, parser_threads=1)
    alone = [one.all([request])[0] for request in requests[: len(BEGUN)]]
    assert [answer.status for answer in alone] == [200, 200, 200, 200, 200, 400, 200]
    for number, answer in enumerate(one.all(requests)):
        assert (answer.status, answer.body) == (alone[number % len(BEGUN)].status, alone[number % len(BEGUN)].body)


def test_threads_are_called_as_long_as_somebody_waits(models):
    async def run():
        with ThreadPoolExecutor(2) as pool:
            batches = BatchQueue(pool, 2)
            asked = works(models) * 10
            sizes = [1 << 16] * len(asked)  # two at a time

            def begin(work):
                return StartedRequest(work, iter(()), deque(work.read()), lambda work, text: text.encode())

            waiting = [batches.begin(partial(begin, work), size) for work, size in zip(asked, sizes, strict=True)]
            found = await asyncio.gather(*waiting)
        assert (batches._called, len(batches._new)) == (0, 0)
        return [each.content for each in found]

    found = asyncio.run(run())
    alone = [work.assemble(work.write(next(work.read()))).encode() for work in works(models)]
    assert found == alone * 10
