"""`panparser serve`."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from panparser._threads import cores
from panparser.cli.app import app, is_quiet
from panparser.errors import SpecError
from panparser.pipeline.bundled import DEFAULT

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@app.command()
def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Files, or names of bundled models; NAME:ALIAS=FILE names them.  [default: en]",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0: all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0: any.")] = 8001,
    default: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model of requests that name none.  [default: the first]")
    ] = None,
    max_request: Annotated[
        str, typer.Option(metavar="SIZE", help="Largest body of a request, in bytes; K, M and G work.")
    ] = "4M",
    max_words: Annotated[int, typer.Option(min=1, help="Most words of a request.")] = 1_000_000,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Threads that parse.  [default: all cores]")
    ] = None,
    concurrent: Annotated[
        int | None,
        typer.Option(min=1, help="Requests that are processed at a time.  [default: 32 for each thread]"),
    ] = None,
    queue: Annotated[int, typer.Option(min=1, help="Requests that are read, wait or are processed at a time.")] = 2000,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds for the body of a request to arrive, and for processing it.")
    ] = 60.0,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Print a line for each request, without its text.")
    ] = False,
) -> None:
    """Serve models over HTTP, as UDPipe does.

    Clients of UDPipe's REST service work unchanged: /models and /process, also under /api and /services/udpipe/api.
    Beyond UDPipe, parser=keep keeps the annotations of the input and fills the gaps, parser=confidence writes how
    probable heads and labels are right, parser=k_best=3 writes several trees. /openapi.json describes everything;
    /healthz, /readyz and /metrics are for those who watch over servers. In a browser, / is a page that parses and draws
    what is typed, and /step shows derivations, which go on from any action that is chosen.

    It listens at the loopback address, where only programs of this machine reach it: there are no passwords. Ctrl-C,
    SIGTERM and SIGUSR1 stop it when the requests that it has are answered. It needs: pip install 'panparser[server]'

    Examples:

      panparser serve

      panparser serve en hungarian:hu=hu.panparser --default hu --port 8002

      curl --data-urlencode "data=They ate the pizza." -d "tokenizer=&tagger=&parser=" http://localhost:8001/process
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("serve needs starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.server.limits import Limits
    from panparser.server.models import Models, Served
    from panparser.server.running import listen, run
    from panparser.server.service import Service

    count = threads or cores()
    limits = Limits(
        body=_size(max_request),
        words=max_words,
        seconds=timeout,
        queue=queue,
        concurrent=concurrent or 32 * count,
        threads=count,
    )
    served = Models([Served.of(text) for text in models or [DEFAULT]], default)
    listening = listen(host, port)
    if not is_quiet():
        shown = f"[{host}]" if ":" in host else host
        names = ", ".join(model.id for model in served.served)
        place = f"http://{shown}:{listening.getsockname()[1]}"
        print(f"panparser: serving {names} at {place} (Ctrl-C stops)", file=sys.stderr, flush=True)
        if host not in _LOOPBACK:
            print("panparser: warning: whoever can reach this address can use it", file=sys.stderr, flush=True)
    run(Service(served, limits, _print if access_log else None), listening)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _size(text: str) -> int:
    """Bytes of a size such as 4M."""
    found = re.fullmatch(r"(\d{1,12})([KMG]?)", text.strip().upper())
    if found is None or not int(found[1]):
        raise SpecError(f"--max-request: expected a size such as 4M; got {text!r}")
    return int(found[1]) * _UNITS[found[2]]
