"""The page as a process: a free port, the browser, an end that loses nothing."""

from __future__ import annotations

import asyncio
import html
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from panparser.annotate.page_service import AnnotationService
from panparser.annotate.page_support import LOOPBACK
from panparser.errors import SpecError
from panparser.serve.http_process import Server, listen, make_config
from panparser.storage.atomic import remove

_REDIRECTION = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={0}">
<title>panparser annotate</title>
<p><a href="{0}">Annotate</a></p>
</html>
"""
MAX_TRIED_PORTS = 20  # ports, from the one that is asked for


class AnnotationServer(Server):
    """A server that ends the streams of its pages before it waits for them."""

    def __init__(self, config: Any, service: AnnotationService) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.stop()
        await super().shutdown(sockets)


def listen_near(host: str, port: int) -> socket.socket:
    """A socket at a port, or at the next that is free. Raises SpecError if there is none."""
    if port == 0:
        return listen(host, port)
    for tried in range(port, min(port + MAX_TRIED_PORTS, 65536)):
        try:
            return listen(host, tried)
        except SpecError:
            if tried in (port + MAX_TRIED_PORTS - 1, 65535):
                raise
    raise AssertionError("a port was tried")


def page_address(host: str, port: int, token: str | None = None) -> str:
    """The address to open in a browser."""
    name = "127.0.0.1" if host in ("0.0.0.0", "") else "::1" if host == "::" else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + ("" if token is None else f"?token={token}")


def is_local(host: str) -> bool:
    return host in LOOPBACK


def make_server(service: AnnotationService) -> AnnotationServer:
    return AnnotationServer(make_config(service, service.limits), service)


def run(service: AnnotationService, listening: socket.socket, *, browser_address: str | None = None) -> None:
    """Serves until a signal comes; `browse` is an address to open in a browser."""
    with _redirection(browser_address, service.session.path.resolve().parent) as opened:
        if opened is not None:
            threading.Thread(target=webbrowser.open, args=(opened.as_uri(),), daemon=True).start()
        try:
            asyncio.run(make_server(service).serve(sockets=[listening]))
        finally:
            service.close()
            listening.close()


@contextmanager
def _redirection(address: str | None, folder: Path) -> Iterator[Path | None]:
    """A page that leads to an address, and that nobody else can read, for a while.

    All users of a machine see the arguments of its programs, and so of a browser: it is told the name of this file, not
    the address, which has a token. It is beside the file that is annotated, since some browsers (those in packages that
    are shut off from the system) see no temporary folders, but those of documents.
    """
    if address is None:
        yield None
        return
    try:
        number, name = tempfile.mkstemp(".html", "panparser-", folder)  # for its owner alone
    except OSError:
        number, name = tempfile.mkstemp(".html", "panparser-")
    try:
        with open(number, "w", encoding="utf-8") as stream:
            stream.write(_REDIRECTION.format(html.escape(address)))
        yield Path(name)
    finally:
        remove(Path(name))
