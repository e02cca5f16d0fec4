"""Calls that are repeated need no more memory than the first ones did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from places import ENGLISH

_SCRIPT = """
import gc, sys
from pathlib import Path
import panparser as pp

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

nlp = pp.load("en")
treebank = pp.read_conllu(sys.argv[1])[:10]
sentences = [treebank[[i]] for i in range(10)]
CALLS = {
    "text": lambda i: nlp(f"They ate pizza number {i % 100}."),
    "parse": lambda i: nlp.parser.parse(sentences[i % 10]),
    "best": lambda i: nlp.parser.k_best(treebank[i % 10], 2),
    "threads": lambda i: nlp.parser.parse(treebank, threads=2),
    "read": lambda i: pp.read_conllu(sys.argv[1])[:1],
}
call, count = CALLS[sys.argv[2]], int(sys.argv[3])
for i in range(count // 4):  # caches fill
    call(i)
before = resident()
for i in range(count):
    call(i)
print(resident() - before)
"""


@pytest.mark.memory
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is read from /proc")
@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("text", 400),
        ("parse", 400),
        pytest.param("text", 10_000, marks=pytest.mark.slow),
        pytest.param("parse", 10_000, marks=pytest.mark.slow),
        pytest.param("best", 10_000, marks=pytest.mark.slow),
        pytest.param("threads", 1_000, marks=pytest.mark.slow),
        pytest.param("read", 200, marks=pytest.mark.slow),
    ],
)
def test_many_calls_take_no_more_memory(call, count):
    command = [sys.executable, "-c", _SCRIPT, ENGLISH, call, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(done.stdout) < 3 << 20
