"""The server application: routes, responses, metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from panparser.errors import PanParserError
from panparser.inspection.derivations import alone
from panparser.inspection.stepping import DerivationView, TracedDerivation
from panparser.pages.page import LivePage, site
from panparser.parsing.parser import Parser
from panparser.serve.batching import BatchQueue, StartedRequest
from panparser.serve.http_body import decode_text, parse_form, parse_query
from panparser.serve.http_exchange import HttpExchange
from panparser.serve.limits import INTERNAL_ERROR, AdmissionController, ClientDisconnectedError, Limits, RequestError
from panparser.serve.openapi import openapi
from panparser.serve.process_request import ProcessRequest, parse_count
from panparser.serve.processing import RequestProcessor
from panparser.serve.served_models import ModelRegistry, ServedModel
from panparser.text.udpipe_output import DocumentWriter
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

_HELP = {
    "requests_total": ("counter", "Requests that were answered, by path and code."),
    "words_total": ("counter", "Words that were processed."),
    "received_bytes_total": ("counter", "Bytes of bodies that were received."),
    "seconds_total": ("counter", "Seconds from the first to the last byte of requests, all together."),
    "left_total": ("counter", "Clients that left before their answer was complete."),
    "requests": ("gauge", "Requests that are in."),
    "working": ("gauge", "Requests that are processed."),
    "held_bytes": ("gauge", "Bytes of bodies that are in memory."),
}


class Metrics:
    """Counted in the thread of the event loop, so without a lock."""

    def __init__(self, admission: AdmissionController) -> None:
        self._admission = admission
        self.answers: Counter[tuple[str, int]] = Counter()
        self.words = self.received = self.disconnected = 0
        self.seconds = 0.0

    def __str__(self) -> str:
        values = {
            "words_total": self.words,
            "received_bytes_total": self.received,
            "seconds_total": round(self.seconds, 6),
            "left_total": self.disconnected,
            "requests": self._admission.request_count,
            "working": self._admission.active_count,
            "held_bytes": self._admission.pending_bytes,
        }
        lines = []
        for name, (kind, text) in _HELP.items():
            lines += [f"# HELP panparser_{name} {text}", f"# TYPE panparser_{name} {kind}"]
            if name == "requests_total":
                answers = sorted(self.answers.items())
                lines += (f'panparser_{name}{{path="{path}",code="{code}"}} {n}' for (path, code), n in answers)
            else:
                lines.append(f"panparser_{name} {values[name]}")
        return "\n".join(lines) + "\n"


MAX_ACTIONS_PER_WORD = 20  # for each word: more than any system takes


def derivation(model: ServedModel, parameters: Mapping[str, str], limits: Limits) -> str:
    """The derivation as JSON. Raises RequestError if there is none that is as asked for.

    Parameters are those of `/process` that say what `data` is, and `sentence`, `beam`, `actions`: the first actions,
    from where the parser goes on.
    """
    parser = model.pipeline.parser
    if not isinstance(parser, Parser):
        raise RequestError("The required model does not contain a parser whose derivations can be shown!")
    asked = ProcessRequest.from_parameters({**parameters, "parser": ""}, limits)
    sentence = _sentence(
        RequestProcessor(model, asked, limits), parse_count(parameters, "sentence", limits.max_words) or 1, limits
    )
    actions = parameters.get("actions", "").split()
    if len(actions) > MAX_ACTIONS_PER_WORD * len(sentence):
        raise RequestError(f"A sentence of {len(sentence)} words has fewer than {len(actions)} actions.")
    beam = parse_count(parameters, "beam", limits.max_derivation_beam)
    width = min(parser.spec.beam, limits.max_derivation_beam) if beam is None else beam
    try:
        run = TracedDerivation.from_parser(parser, sentence, beam=width, actions=actions, name=model.id)
    except PanParserError as error:
        raise RequestError(f"Cannot show the derivation.\n{error}") from None
    found = DerivationView.from_runs(sentence, [run])
    return json.dumps({"title": found.title, **found.to_values()}, ensure_ascii=False, separators=(",", ":"))


def _sentence(work: RequestProcessor, wanted: int, limits: Limits) -> Sentence:
    """The wanted sentence, as the model tags it if that is asked for, or if it has no tags."""
    before = 0
    for treebank in work.read():
        if wanted <= before + len(treebank):
            one = alone(treebank[wanted - before - 1])
            if one.words > limits.max_derivation_words:
                raise RequestError(
                    f"Derivations are limited to sentences of at most {limits.max_derivation_words} words."
                )
            tags = work.request.tag or work.request.tokenize or set(one[0].values("upos")) <= {"_"}
            if tags and work.model.pipeline.columns:
                work.model.pipeline.annotate_words(one)
            return one[0]
        before += len(treebank)
    raise RequestError(f"The input has {before} sentences; got 'sentence={wanted}'.")


WEBSITE = site(
    {
        "/": LivePage("panparser", "serve", includes=("form",), skip_targets=("result",)),
        "/step": LivePage("Step through a derivation", "live", includes=("form", "step"), skip_targets=("step",)),
    }
)


_PREFIXES = ("/services/udpipe/api", "/api")
_CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}
_WEBLICHT = {"tokenize": ("tokenizer",), "tag": ("tagger",), "parse": ("parser",)}
_BROKEN = "\n!error: "  # no JSON goes on like this
READ_AHEAD_BLOCKS = 4  # blocks that are read at a time
Result = TypeVar("Result")
_log = logging.getLogger("panparser.serve")


class ServerApp:
    """UDPipe's REST interface to some models; `log` is called with a line for each request, without its text."""

    def __init__(self, models: ModelRegistry, limits: Limits, log: Callable[[str], None] | None = None) -> None:
        self.models, self.limits = models, limits
        self.admission = AdmissionController(limits)
        self.metrics = Metrics(self.admission)
        self.is_ready = True
        self._log = log
        self._pool = ThreadPoolExecutor(limits.parser_threads, thread_name_prefix="parse")
        self._batches = BatchQueue(self._pool, limits.parser_threads)

    def close(self) -> None:
        """Waits for the threads."""
        self.is_ready = False
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"expected an HTTP request; got {scope['type']}")
        exchange = HttpExchange(scope, receive, send, self.limits)
        started = time.perf_counter()
        path = _path(scope["path"])
        try:
            await self._answer(exchange, path)
        except RequestError as refused:
            await exchange.send_error(refused)
        except (ClientDisconnectedError, ClientDisconnect, OSError):
            self.metrics.disconnected += 1
        except Exception:
            _log.exception("%s", INTERNAL_ERROR)
            await exchange.send_error(RequestError(INTERNAL_ERROR))
        seconds = time.perf_counter() - started
        known = path if path in _PATHS else "other"
        self.metrics.answers[known, exchange.status] += 1
        self.metrics.seconds += seconds
        if self._log is not None:
            sizes = f"{exchange.received} bytes in, {exchange.sent} bytes out"
            self._log(f"{scope['method']} {known} {exchange.status} {sizes}, {1000 * seconds:.0f} ms")

    async def _answer(self, exchange: HttpExchange, path: str) -> None:
        method = exchange.request.method
        if method == "OPTIONS":
            await exchange.respond("", status=204, headers=_CORS)
        elif method not in ("GET", "POST"):
            raise RequestError("Only GET and POST are supported.", 405)
        elif path not in _PATHS:
            raise RequestError(f"No handler for the given URL '{path}'", 404)
        elif path in WEBSITE:
            known = exchange.request.headers.get("if-none-match")
            await exchange.send_resource(*WEBSITE[path].respond(known))
        elif path == "/models":
            await exchange.respond(_json(self.models.list_models()), "application/json")
        elif path == "/about":
            await exchange.respond(_json(self.models.describe()), "application/json")
        elif path == "/openapi.json":
            await exchange.respond(_json(openapi()), "application/json")
        elif path == "/metrics":
            await exchange.respond(str(self.metrics), "text/plain; version=0.0.4")
        elif path == "/healthz":
            await exchange.respond("alive\n")
        elif path == "/readyz":
            if not self.is_ready:
                raise RequestError("The server is about to stop.", 503, 1)
            await exchange.respond("ready\n")
        else:
            await self._process(exchange, path)

    # --- /process, /weblicht and /derivation ---

    async def _process(self, exchange: HttpExchange, path: str) -> None:
        parameters = parse_query(exchange.request.scope["query_string"])
        size = exchange.content_length()
        with self.admission.admit(size):
            body = await exchange.read_body(size)
            self.metrics.received += len(body)
            async with self.admission.slot(size or len(exchange.request.scope["query_string"])):
                await self._work(exchange, path, parameters, body)

    async def _work(self, exchange: HttpExchange, path: str, query: dict[str, str], body: bytes) -> None:
        """What a request does in its turn, within the limit of time."""
        try:
            async with asyncio.timeout(self.limits.timeout_seconds):
                await exchange.check_connected()
                if path == "/derivation":
                    found = await self._run(self._derive, exchange.request, query, body)
                    await exchange.respond(found, "application/json")
                    return
                size = len(body) or len(exchange.request.scope["query_string"])
                begin = partial(self._begin, exchange.request, path, query, body)
                begun = await self._batches.begin(begin, size)
                del body, query, begin
                work, blocks, treebanks = begun.processor, begun.blocks, begun.treebanks
                if begun.content is not None:
                    self.metrics.words += work.words
                    await exchange.send_response(begun.content, *_kind(path, work))
                    return
                while len(treebanks) % READ_AHEAD_BLOCKS == 0 and (more := await self._run(_some, blocks)):
                    await exchange.check_connected()
                    treebanks += more
                self.metrics.words += work.words
                await self._write(exchange, path, work, treebanks)
        except TimeoutError:
            late = (
                f"The processing took longer than {self.limits.timeout_seconds:g} seconds; please send less at a time."
            )
            if exchange.has_begun:  # who does not read would not read this, either
                exchange.abort()
                raise ClientDisconnectedError from None
            raise RequestError(late) from None

    def _begin(self, request: Request, path: str, query: dict[str, str], body: bytes) -> StartedRequest:
        """What is to be done, and the first sentences: all of them, in most cases."""
        if path.startswith("/weblicht/"):
            parameters = {"output": "conllu", **dict.fromkeys(_WEBLICHT[path.rpartition("/")[2]], "")}
            parameters |= {name: query[name] for name in ("model",) if name in query}
            if request.method == "POST":
                parameters["data"] = decode_text(body)
            elif "data" in query:
                parameters["data"] = query["data"]
        else:
            parameters = _merged(request, query, body)
        if "data" not in parameters:
            raise RequestError("The parameter 'data' is required.")
        model = self.models.find(parameters.get("model"))
        work = RequestProcessor(model, ProcessRequest.from_parameters(parameters, self.limits), self.limits)
        blocks = work.read()
        return StartedRequest(work, blocks, deque(_some(blocks)), _json_answer if path == "/process" else _text_answer)

    def _derive(self, request: Request, query: dict[str, str], body: bytes) -> str:
        parameters = _merged(request, query, body)
        return derivation(self.models.find(parameters.get("model")), parameters, self.limits)

    async def _write(
        self, exchange: HttpExchange, path: str, work: RequestProcessor, treebanks: deque[Treebank]
    ) -> None:
        as_text = path != "/process"
        start, end = ("", "") if as_text else _envelope(work)
        encoded: Callable[[str], str] = str if as_text else _escaped
        pieces = self._pieces(work, treebanks)
        if work.request.keep:  # that no tree may keep: so nothing is sent before all trees are found
            pieces = _again([piece async for piece in pieces])
        first = await anext(pieces, "")
        await exchange.begin(*_kind(path, work))
        try:
            await exchange.send(start + encoded(work.header() + first))
            async for piece in pieces:
                await exchange.check_connected()
                await exchange.send(encoded(piece))
        except (ClientDisconnectedError, TimeoutError, asyncio.CancelledError, OSError):
            raise
        except Exception as error:
            message = error.message if isinstance(error, RequestError) else INTERNAL_ERROR
            if not isinstance(error, RequestError):
                _log.exception("%s", INTERNAL_ERROR)
            await exchange.send(f"{_BROKEN}{message}\n", is_last=True)
            return
        finally:
            await pieces.aclose()
        await exchange.send(end, is_last=True)

    async def _pieces(self, work: RequestProcessor, treebanks: deque[Treebank]) -> AsyncGenerator[str, None]:
        """What is to be written, piece by piece; threads are a few pieces ahead."""
        output: Any = work.request.output
        document = None if output == "conllu" else DocumentWriter(output)
        pending: deque[asyncio.Future[list[str]]] = deque()
        try:
            while treebanks or pending:
                while treebanks and len(pending) < self.limits.parser_threads:
                    pending.append(self._batches.write(work, treebanks.popleft()))
                found = await pending.popleft()
                yield "".join(found) if document is None else document.add(found)
            if document is not None:
                yield document.end()
        finally:
            for future in pending:
                future.cancel()
                future.add_done_callback(_forget)

    async def _run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)


_PATHS = frozenset(
    "/models /process /about /derivation /openapi.json /metrics /healthz /readyz".split()
    + [f"/weblicht/{name}" for name in _WEBLICHT]
    + list(WEBSITE)
)


def _path(path: str) -> str:
    """A path without doubled slashes, and without what it may begin with."""
    path = re.sub("/+", "/", path)
    for prefix in _PREFIXES:
        if path.startswith(f"{prefix}/"):
            return path.removeprefix(prefix)
    return path


def _merged(request: Request, query: dict[str, str], body: bytes) -> dict[str, str]:
    """The parameters of URL and form; those of the form win."""
    return {**query, **(parse_form(request.headers.get("content-type"), body) if request.method == "POST" else {})}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _envelope(work: RequestProcessor) -> tuple[str, str]:
    """What stands around the result."""
    model = work.model
    values = {"model": model.id, "acknowledgements": list(model.acknowledgements), "result": ""}
    return _json(values).removesuffix('"\n}'), '"\n}\n'


def _json_answer(work: RequestProcessor, text: str) -> bytes:
    start, end = _envelope(work)
    return f"{start}{_escaped(text)}{end}".encode()


def _text_answer(work: RequestProcessor, text: str) -> bytes:
    return text.encode()


def _kind(path: str, work: RequestProcessor) -> tuple[str, dict[str, str]]:
    """The type of an answer, and its own headers."""
    kind = "application/json" if path == "/process" else "application/conllu"
    return kind, {"X-Billing-Input-NFC-Len": str(work.characters)}


def _some(blocks: Iterator[Treebank]) -> list[Treebank]:
    return list(islice(blocks, READ_AHEAD_BLOCKS))


async def _again(pieces: list[str]) -> AsyncGenerator[str, None]:
    for piece in pieces:
        yield piece


def _forget(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()  # nobody waits for it
