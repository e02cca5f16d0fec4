"""A client of UDPipe's interface, as others are: its requests are bytes put together by hand."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass

BOUNDARY = "===============7330845974216740156=="


class RefusedError(Exception):
    """What the server says instead of an answer."""


def form(fields: dict[str, str], boundary: str = BOUNDARY) -> tuple[str, bytes]:
    """A form as UDPipe's own client sends it: its Content-Type, and its bytes. Lines end with CR and LF."""
    body = b""
    for name, value in fields.items():
        headers = (
            "MIME-Version: 1.0",
            f'Content-Disposition: form-data; name="{name}"',
            "Content-Transfer-Encoding: 8bit",
            'Content-Type: text/plain; charset="utf-8"',
        )
        body += f"--{boundary}\r\n".encode() + "".join(f"{header}\r\n" for header in headers).encode()
        body += b"\r\n" + re.sub("\r\n|\r|\n", "\r\n", value).encode() + b"\r\n"
    return f'multipart/form-data; boundary="{boundary}"', body + f"--{boundary}--\r\n".encode()


@dataclass(frozen=True)
class Client:
    """`service` as users type it, be it with a slash at its end."""

    service: str

    def models(self) -> list[str]:
        """What --list_models prints."""
        found = self._fetch("models", None)
        return [*found["models"], f"default {found['default_model']}"]

    def process(self, data: str, **flags: str) -> tuple[str, str]:
        """The model that was used, and the result. Flags are those of the client that are given, even if empty."""
        found = self._fetch("process", {"data": data, **flags})
        return found["model"], found["result"]

    def _fetch(self, path: str, fields: dict[str, str] | None) -> dict:
        request = urllib.request.Request(f"{self.service}/{path}")
        if fields is not None:
            kind, request.data = form(fields)
            request.add_header("Content-Type", kind)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            raise RefusedError(refused.read().decode()) from None
