"""`panparser serve`."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from panparser.base.threads import cores
from panparser.cli.terminal import is_quiet
from panparser.errors import SpecError
from panparser.pipeline.bundled_models import DEFAULT

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODEL]...", help="Models, as files, bundled names or NAME:ALIAS=FILE.  [default: en]"),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 is every interface.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 is any free port.")] = 8001,
    default: Annotated[
        str | None,
        typer.Option(
            "--default-model", metavar="NAME", help="Model for requests without `model`.  [default: the first]"
        ),
    ] = None,
    max_body: Annotated[str, typer.Option(metavar="SIZE", help="Maximum request body in bytes, such as 4M.")] = "4M",
    max_words: Annotated[int, typer.Option(min=1, help="Maximum number of words per request.")] = 1_000_000,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Number of threads.  [default: all cores]")
    ] = None,
    max_active: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum number of requests processed at once.  [default: 32 per thread]"),
    ] = None,
    max_requests: Annotated[
        int, typer.Option(min=1, help="Maximum number of open requests, including waiting ones.")
    ] = 2000,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Time limit in seconds, for receiving a body and for processing it.")
    ] = 60.0,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Print a line per request, without its text.")
    ] = False,
) -> None:
    """Serve models over HTTP, compatible with UDPipe.

    Clients of UDPipe's REST service work unchanged: /models and /process, also under /api and /services/udpipe/api.
    Beyond UDPipe, parser=keep keeps annotations of the input and fills the gaps, parser=confidence writes confidences,
    and parser=k_best=3 writes several trees. /openapi.json describes the interface; /healthz, /readyz and /metrics are
    for monitoring. In a browser, / parses and draws a text, and /step shows derivations step by step.

    The default address is only reachable from this machine; there are no passwords. Ctrl-C, SIGTERM and SIGUSR1 stop
    the server when all accepted requests are answered. Requires `pip install 'panparser[server]'`.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("serve requires starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.serve.http_process import listen, run
    from panparser.serve.limits import Limits
    from panparser.serve.served_models import ModelRegistry, ServedModel
    from panparser.serve.service import ServerApp

    count = threads or cores()
    limits = Limits(
        max_body_bytes=_size(max_body),
        max_words=max_words,
        timeout_seconds=timeout,
        max_requests=max_requests,
        max_active_requests=max_active or 32 * count,
        parser_threads=count,
    )
    served = ModelRegistry([ServedModel.from_argument(text) for text in models or [DEFAULT]], default)
    listening = listen(host, port)
    if not is_quiet():
        shown = f"[{host}]" if ":" in host else host
        names = ", ".join(model.id for model in served.served)
        place = f"http://{shown}:{listening.getsockname()[1]}"
        print(f"panparser: serving {names} at {place} (Ctrl-C stops)", file=sys.stderr, flush=True)
        if host not in _LOOPBACK:
            print(
                "panparser: warning: anyone who can reach this address can use the server", file=sys.stderr, flush=True
            )
    run(ServerApp(served, limits, _print if access_log else None), listening)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _size(text: str) -> int:
    """Bytes of a size such as 4M."""
    found = re.fullmatch(r"(\d{1,12})([KMG]?)", text.strip().upper())
    if found is None or not int(found[1]):
        raise SpecError(f"--max-body: expected a size such as 4M; got {text!r}")
    return int(found[1]) * _UNITS[found[2]]
