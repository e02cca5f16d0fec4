"""Every reader with a thousand damaged inputs, and with those that once failed; `make fuzz` has many more."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READERS = (
    *("glossed", "gloss-tables", "links"),
    *("conllu", "conllx", "validation", "constraints", "text", "recipes", "tables-toml", "tables-json", "templates"),
    *("journals", "edits", "documents"),
    *("grids", "outcomes", "vectors", "conditions", "criteria", "strategies", "weights", "typologies", "rewriting"),
    *("models", "models-header", "models-content", "models-arrays", "checkpoints", "checkpoints-arrays"),
    *("networks-header", "networks-content", "networks-arrays"),
)


def run(*arguments):
    command = (sys.executable, "-m", "fuzz", *arguments)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("readers", [READERS[first::8] for first in range(8)], ids=" ".join)
def test_only_errors_of_the_project_come_out(readers):
    found = run(*readers, "--count", "1000")
    assert len(found.stdout.splitlines()) == len(readers)
    assert found.returncode == 0, found.stdout + found.stderr
    assert " 0 accepted" not in found.stdout  # the seeds are valid, and some survive


def test_every_reader_is_tested():
    assert "there are " + ", ".join(sorted(READERS)) in run("no such reader").stderr.replace("\n", " ")


def test_what_fails_is_reported_and_made_small(tmp_path):
    program = f"""
import sys
from pathlib import Path
from fuzz import __main__ as fuzz
from fuzz.running import Target, smaller_text
fuzz.FAILED = Path({str(tmp_path)!r})

def check(data):
    if b"bad" in data:
        raise KeyError("bad")
    if b"large" in data:
        bytearray(2 << 30)

texts = [b"fine", b"one\\ntwo bad three\\nfour", b"large\\n"]
fuzz.TARGETS["toy"] = Target("toy", lambda rng: texts[rng.randrange(3)], check, smaller_text)
sys.argv = ["fuzz", "toy", "--count", "12"]
sys.exit(fuzz.main())
"""
    found = subprocess.run(
        (sys.executable, "-c", program), cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 1
    for kind in ("KeyError", "MemoryError"):
        assert kind in found.stdout
    assert b"bad" in [path.read_bytes() for path in tmp_path.iterdir()]
    assert "once more: python -m fuzz toy --input" in found.stdout
