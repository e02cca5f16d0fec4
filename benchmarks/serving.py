"""How much does a server lose against `panparser parse`, and does it stand a thousand clients?

    python benchmarks/serving.py FILE [--clients 1000] [--sentences 30]    # CoNLL-U, whose text is sent

`panparser serve` and `panparser parse` have as many threads each. Text to trees by the bundled English model. All
clients connect, then send at the same time, each another piece of the text; every answer is compared with what the
model gives without a server. The clients are one process on the same machine, whose CPU time is not counted but whose
work takes its share of the cores, so words a second are given by the clock and by CPU time. Then four clients send
3.9 MiB each. Memory is the most that the process ever had (VmHWM).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from machine import heading

import panparser as pp
from panparser.base.threads import cores
from panparser.text.raw_text import extract_raw_text

RESULTS = Path(__file__).parent / "results" / "serving.txt"
THREADS = 2
LARGE = int(3.9 * (1 << 20))
COMMAND = [sys.executable, "-m", "panparser"]
RANGE = re.compile(r"TokenRange=\d+:\d+\|?|\|TokenRange=\d+:\d+")


@dataclass
class Server:
    pid: int
    port: int

    def cpu(self) -> float:
        """CPU seconds so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, name: str) -> float:
        """Megabytes: VmHWM is the most, VmRSS what is there now."""
        (found,) = re.findall(rf"{name}:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text())
        return int(found) / 1024


@contextmanager
def served() -> Iterator[Server]:
    command = [*COMMAND, "serve", "--port", "0", "--threads", str(THREADS), "--timeout", "300"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2].split()[0])
        try:
            yield Server(process.pid, port)
        finally:
            process.terminate()
    assert process.returncode == 0, process.returncode


def pieces(treebank: pp.Treebank, clients: int, sentences: int) -> list[str]:
    """A text for each client: none is sent twice unless the treebank is too short."""
    found = []
    for client in range(clients):
        start = client * sentences % max(len(treebank) - sentences, 1)
        found.append(f"Number {client}.\n\n{extract_raw_text(treebank[start : start + sentences]).text}")
    return found


async def ask(port: int, body: bytes, ready: asyncio.Event, connected: asyncio.Semaphore) -> tuple[bytes, float]:
    """The answer to a form, and how long it took to come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    connected.release()
    await ready.wait()
    start = time.perf_counter()
    head = f"POST /process HTTP/1.0\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    writer.write(head.encode() + b"Content-Type: application/x-www-form-urlencoded\r\n\r\n" + body)
    await writer.drain()
    answer = await reader.read()
    writer.close()
    return answer, time.perf_counter() - start


async def ask_all(port: int, bodies: list[bytes]) -> tuple[list[tuple[bytes, float]], float]:
    ready, connected = asyncio.Event(), asyncio.Semaphore(0)
    asked = [asyncio.create_task(ask(port, body, ready, connected)) for body in bodies]
    for _ in bodies:
        await connected.acquire()
    start = time.perf_counter()
    ready.set()
    answers = await asyncio.gather(*asked)
    return list(answers), time.perf_counter() - start


def result(answer: bytes) -> str:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], head
    return "".join(json.loads(body)["result"].split("\n", 3)[3:])  # without the three first comments


def expected(nlp: pp.Pipeline, text: str) -> str:
    lines = nlp(text).to_conllu().split("\n")
    return "\n".join(RANGE.sub("", line) + "_" * (RANGE.sub("", line)[-1:] == "\t") for line in lines)


def form(text: str) -> bytes:
    return urlencode({"tokenizer": "", "tagger": "", "parser": "", "data": text}).encode()


def parsed(texts: list[str], words: int) -> tuple[float, float]:
    """Words a second of `panparser parse`, by the clock and by CPU time, without the time of its start."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.txt"), Path(folder, "out.conllu")
        times = []
        for text in ("It is.", "\n\n".join(texts)):
            source.write_text(text, encoding="utf-8")
            before, start = os.times(), time.perf_counter()
            subprocess.run(
                [*COMMAND, "-q", "parse", str(source), "-o", str(target), "--threads", str(THREADS)], check=True
            )
            after = os.times()
            cpu = after.children_user + after.children_system - before.children_user - before.children_system
            times.append((time.perf_counter() - start, cpu))
    return words / (times[1][0] - times[0][0]), words / (times[1][1] - times[0][1])


@dataclass
class Load:
    """What came of many clients that sent at the same time."""

    words: int
    parse: tuple[float, float]  # words a second, by the clock and by CPU time
    serve: tuple[float, float]
    answers: int
    mixed: int
    median: float
    last: float

    def lines(self, clients: int) -> list[str]:
        name = f"{clients} x {self.words / clients:.0f} words"
        ratios = [own / other for own, other in zip(self.serve, self.parse, strict=True)]
        return [
            f"{name:26}{'parse':8}{self.parse[0]:10,.0f}{self.parse[1]:14,.0f}",
            f"{'':26}{'serve':8}{self.serve[0]:10,.0f}{self.serve[1]:14,.0f}",
            f"{'':26}{'ratio':8}{ratios[0]:10.2f}{ratios[1]:14.2f}",
            f"{'':26}answers {self.answers}, mixed up {self.mixed}, "
            f"seconds: median {self.median:.1f}, last {self.last:.1f}",
        ]


def load(server: Server, nlp: pp.Pipeline, texts: list[str]) -> Load:
    words = sum(each.words for each in nlp.pipe(texts, stop_after="tokens", threads=THREADS))
    parse, before = parsed(texts, words), server.cpu()
    answers, seconds = asyncio.run(ask_all(server.port, [form(text) for text in texts]))
    serve = words / seconds, words / (server.cpu() - before)
    mixed = sum(result(answer) != expected(nlp, text) for (answer, _), text in zip(answers, texts, strict=True))
    waits = sorted(seconds for _, seconds in answers)
    return Load(words, parse, serve, len(answers), mixed, waits[len(waits) // 2], waits[-1])


def large_bodies(texts: list[str]) -> bytes:
    text = ("\n\n".join(texts) * (1 + LARGE // sum(map(len, texts)))).encode()[: LARGE - 100]
    return (
        b"tokenizer=&tagger=&parser=&data="
        + text.replace(b"&", b"+").replace(b"%", b"+").decode("utf-8", "ignore").encode()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--sentences", type=int, nargs="+", default=[30, 120], help="of a client")
    parser.add_argument("--large", type=int, default=4, help="clients with 3.9 MiB; 0: results are not written")
    options = parser.parse_args()
    treebank, nlp = pp.read_conllu(options.file), pp.load("en")
    lines = [
        heading().replace("one thread", f"{THREADS} threads on {cores()} cores"),
        f"{options.clients} clients at the same time; text to trees by the bundled English model",
        "",
        f"{'':34}{'words/s':>10}{'words/CPU s':>14}",
    ]
    with served() as server:
        asyncio.run(ask_all(server.port, [form("It is.")]))
        idle = server.memory("VmRSS")
        for sentences in options.sentences:
            texts = pieces(treebank, options.clients, sentences)
            lines += load(server, nlp, texts).lines(options.clients)
        lines += ["", f"memory of the server, MB: {idle:.0f} idle, {server.memory('VmHWM'):.0f} at most"]
        if options.large:
            answered, took = asyncio.run(ask_all(server.port, [large_bodies(texts)] * options.large))
            same = len({answer.partition(b"\r\n\r\n")[2] for answer, _ in answered}) == 1
            count = result(answered[0][0]).count("\n")
            lines.append(f"{len(answered)} clients with 3.9 MiB: {took:.0f} s, {count:,} lines each, all equal: {same}")
            lines.append(f"memory of the server, MB: {server.memory('VmHWM'):.0f} at most")
    print("\n".join(lines))
    if options.large:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
