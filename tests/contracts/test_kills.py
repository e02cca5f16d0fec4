"""Processes that are killed at random moments: nothing torn, the same bytes after `--resume`, no litter."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import panparser as pp

PANPARSER = [sys.executable, "-m", "panparser", "--quiet"]
KILLS = pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.slow)])
RECIPE = """
[data]
train = ["train.conllu"]
dev = "dev.conllu"
[parser]
beam = 2
templates = "fast"
[training]
epochs = 6
members = 2
"""
MORE = {
    "parser": "",
    "pipeline": "[pipeline]\nfolds = 3\n",
    "cascade": '[cascade]\nfolds = 3\n[[stages]]\nregions = { upos = ["DET"] }\n[[stages]]\nname = "rest"\n',
}
SAVING = """
import sys
import panparser as pp
models = [pp.load(path) for path in sys.argv[1:3]]
print("saving", flush=True)
while True:
    for model in models:
        model.save(sys.argv[3])
"""


@pytest.fixture
def folder(english, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", english[0][:40])
    pp.write_conllu("dev.conllu", english[1][:10])
    return tmp_path


def _run(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def _killed(command, seconds):
    """Was the process killed, or had it ended before?"""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
    return process.returncode == -signal.SIGKILL


@KILLS
@pytest.mark.parametrize("kind", MORE)
def test_training_that_is_killed_again_and_again_ends_with_the_same_bytes(folder, kind, kills):
    (folder / "own.toml").write_text(RECIPE + MORE[kind])
    train = [*PANPARSER, "train", "--recipe", "own.toml", "-o"]
    seconds = _run([*train, "whole"])
    known = {path.name for path in folder.iterdir()} | {"model", "model.toml"}
    moments = random.Random(kind)
    killed = 0
    while killed < kills:
        if _killed([*train, "model", "--resume"], moments.uniform(0.1, 1) * seconds):
            killed += 1
        if (folder / "model").exists():  # it was complete, whether or not it was killed while it cleared up
            assert (folder / "model").read_bytes() == (folder / "whole").read_bytes()
            (folder / "model").unlink()
    _run([*train, "model", "--resume"])
    assert (folder / "model").read_bytes() == (folder / "whole").read_bytes()
    assert {path.name for path in folder.iterdir()} == known


@KILLS
def test_parsing_into_a_file_that_is_killed_leaves_the_old_file(folder, parser, kills):
    parser.save("model")
    (folder / "many.conllu").write_bytes((folder / "train.conllu").read_bytes() * 60)
    parse = [*PANPARSER, "parse", "-m", "model", "many.conllu", "-o", "out.conllu"]
    seconds = _run(parse)
    whole = (folder / "out.conllu").read_bytes()
    moments = random.Random("parse")
    killed = 0
    while killed < kills:
        old = b"what was there" if killed % 2 else None
        (folder / "out.conllu").unlink(missing_ok=True)
        if old is not None:
            (folder / "out.conllu").write_bytes(old)
        killed += _killed(parse, moments.uniform(0.2, 1) * seconds)
        found = (folder / "out.conllu").read_bytes() if (folder / "out.conllu").exists() else None
        assert found in (old, whole)
    _run(parse)
    assert (folder / "out.conllu").read_bytes() == whole
    assert {path.name for path in folder.iterdir()} == {
        *("train.conllu", "dev.conllu", "many.conllu"),
        *("model", "out.conllu"),
    }


@KILLS
def test_saving_that_is_killed_leaves_a_whole_model(folder, kills):
    spec = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
    for name, sentences in (("first", 10), ("second", 30)):
        pp.train(spec, pp.read_conllu("train.conllu")[:sentences], epochs=1).save(name)
    either = {(folder / name).read_bytes() for name in ("first", "second")}
    moments = random.Random("save")
    (folder / "model").write_bytes((folder / "first").read_bytes())
    for _ in range(kills):
        command = [sys.executable, "-c", SAVING, "first", "second", "model"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(moments.uniform(0, 0.2))
            process.kill()
        assert (folder / "model").read_bytes() in either
    _run([*PANPARSER, "train", "-t", "train.conllu", "-o", "last", "--epochs", "1"])  # removes what they left
    known = {"train.conllu", "dev.conllu", "first", "second", "model", "last", "last.toml"}
    assert {path.name for path in folder.iterdir()} == known
