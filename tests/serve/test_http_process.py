"""The server at a loopback port, and as a process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import quote

import pytest

import panparser as pp

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from asking import serving
from panparser.serve import http_process as running
from panparser.serve.http_process import listen

LIMIT = 5.0  # seconds, of servers that lose patience: enough for what is asked of them on a busy machine


def exchanged(address: tuple[str, int], data: bytes, *, wait: float = 60.0) -> bytes:
    """What comes back until the connection is closed."""
    with socket.create_connection(address, timeout=wait) as connection:
        connection.sendall(data)
        found = b""
        while piece := connection.recv(1 << 16):
            found += piece
    return found


def result(answer: bytes) -> str:
    return json.loads(answer.partition(b"\r\n\r\n")[2])["result"]


def fetched(address: tuple[str, int], path: str, data: bytes | None = None) -> str:
    with urllib.request.urlopen(f"http://{address[0]}:{address[1]}{path}", data) as answer:
        return json.loads(answer.read())["result"]


def test_urls_may_hold_raw_utf8(address):
    request = "GET /process?input=horizontal&output=vertical&data=Děti HTTP/1.0\r\nHost: x\r\n\r\n".encode()
    assert result(exchanged(address, request)) == "Děti\n\n"
    with socket.create_connection(address, timeout=60) as connection:
        for place in range(0, len(request), 7):  # wherever it is cut
            connection.sendall(request[place : place + 7])
            time.sleep(0.001)
        assert "Děti".encode() in connection.recv(1 << 16) + connection.recv(1 << 16)


def test_a_url_may_be_long(address):
    text = "ě" * 10_000
    found = fetched(address, f"/process?input=horizontal&output=vertical&data={quote(text)}")
    assert found == f"{text}\n\n"


def test_large_bodies(address):
    data = ("They ate the pizza .\n" * 40_000).encode()
    assert len(fetched(address, "/process?input=horizontal&output=horizontal", b"data=" + data)) == len(data)
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetched(address, "/process?input=horizontal", b"data=" + data * 3)
    assert refused.value.read() == b"The payload size is too large."


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01",
        b"GET /x HTTP/9.9\r\n\r\n",
        b"POST /process HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /process HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /" + b"x" * 300_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://other/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_request_harms_nobody(address, data, caplog):
    answer = exchanged(address, data)
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 404")), answer[:80]
    assert fetched(address, "/process?input=horizontal&output=vertical&data=a") == "a\n\n"


def test_a_slow_client_is_answered_and_delays_nobody(models):
    head = b"POST /process HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with serving(models, timeout_seconds=LIMIT) as address, socket.create_connection(address, timeout=60) as slow:
        slow.sendall(head + b"Content-Length: 100\r\n\r\ndata=")
        begin = time.perf_counter()
        assert fetched(address, "/process?input=horizontal&output=vertical&data=a") == "a\n\n"
        assert time.perf_counter() - begin < LIMIT
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


def test_a_client_that_does_not_read_is_left(models):
    data = b"data=" + b"They ate the pizza .\n" * 40_000
    head = "POST /process?input=horizontal&tagger=none HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    with serving(models, timeout_seconds=LIMIT) as address, socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        silent.settimeout(60)
        silent.connect(address)
        silent.sendall(head.format(len(data)).encode() + data)
        time.sleep(LIMIT + 1)
        found = b""
        while piece := silent.recv(1 << 16):
            found += piece
    assert found.startswith(b"HTTP/1.1 200")
    assert not found.endswith(b"0\r\n\r\n")  # the last chunk


def test_headers_must_come_soon(models, monkeypatch):
    monkeypatch.setattr(running, "HEADER_TIMEOUT_SECONDS", 0.1)
    with serving(models) as place, socket.create_connection(place, timeout=5) as slow:
        slow.sendall(b"GET / HT")
        assert slow.recv(1) == b""


def test_a_port_that_is_taken_is_told():
    with listen("127.0.0.1", 0) as first, pytest.raises(pp.SpecError, match="cannot listen on this address"):
        listen("127.0.0.1", first.getsockname()[1])
    with pytest.raises(pp.SpecError, match="--host 256"):
        listen("256.1.1.1", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that can be handled")
def test_sigterm_during_a_stream_ends_cleanly():
    command = [sys.executable, "-m", "panparser", "serve", "--port", "0", "--threads", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2].split()[0])
        sentences = 2_000
        data = b"data=" + b"They ate the pizza .\n" * sentences
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/process?input=horizontal&tagger=&parser=", data, timeout=30
        ) as stream:
            begun = stream.read(100)
            os.kill(process.pid, signal.SIGTERM)
            found = json.loads(begun + stream.read())["result"]
        assert found.count("# sent_id") == sentences
        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == ""
