"""What ends a command from outside: Ctrl-C, a signal, a terminal that closes, streams that nobody has open."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time

import pytest

import panparser as pp

PANPARSER = [sys.executable, "-m", "panparser"]
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)


@pytest.fixture(autouse=True)
def heard():
    """Commands hear signals, though the tests be started by nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def _until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@SIGNALS
def test_training_that_is_ended_keeps_the_best_model(data, number):
    command = [*PANPARSER, "train", "-t", "train.conllu", "-d", "dev.conllu", "-o", "model", "--epochs", "1000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()  # the first epoch is done
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "interrupted: model is the best model so far" in err
    assert pp.load("model").training.interrupted
    assert {"model", "model.toml", "model.checkpoint"} == {path.name for path in data.iterdir()} - {
        "train.conllu",
        "dev.conllu",
    }


@SIGNALS
def test_parsing_that_is_ended_leaves_nothing(data, model, number):
    sentences = (data / "dev.conllu").read_bytes()
    command = [*PANPARSER, "parse", "-m", model, "-", "-o", "out.conllu"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(sentences)
        process.stdin.flush()
        _until(lambda: any(path.name.endswith(".part") for path in data.iterdir()))
        time.sleep(0.5)  # the first one only shows that the folder can be written to
        process.send_signal(number)
        _until(lambda: process.poll() is not None)
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 128 + number
    assert {path.name for path in data.iterdir()} == {"train.conllu", "dev.conllu"}


def test_what_is_ignored_stays_ignored(data):
    command = ["nohup", *PANPARSER, "train", "-t", "train.conllu", "-o", "model", "--epochs", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert not pp.load("model").training.interrupted


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(data, model, closed):
    parse = shlex.join([*PANPARSER, "parse", "-m", str(model), "dev.conllu", "-o", "out.conllu"])
    assert subprocess.run(f"{parse} {closed}", shell=True, check=False).returncode == 0
    assert len(pp.read_conllu("out.conllu")) == len(pp.read_conllu("dev.conllu"))
    evaluate = shlex.join([*PANPARSER, "evaluate", "dev.conllu", "nowhere"])
    assert subprocess.run(f"{evaluate} {closed}", shell=True, check=False).returncode == 2


def test_ctrl_c_while_modules_load():
    code = "import os, signal, sys, panparser.cli; cli = sys.modules['panparser.cli.main']"
    code += "; cli._run = lambda _: os.kill(os.getpid(), signal.SIGINT)"
    done = subprocess.run([sys.executable, "-c", f"{code}; cli.main()"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("log", ["2>/dev/full", "2>&-"])
def test_a_log_that_cannot_be_written_does_not_end_training(data, log):
    train = shlex.join([*PANPARSER, "train", "-t", "train.conllu", "-o", "model", "--epochs", "2"])
    assert subprocess.run(f"{train} {log}", shell=True, check=False).returncode == 0
    assert len(pp.load("./model").training.history) == 2


def test_signals_that_follow_the_first_do_not_disturb_the_saving(data):
    command = [*PANPARSER, "train", "-t", "train.conllu", "-d", "dev.conllu", "-o", "model", "--epochs", "1000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.002)
    assert process.returncode == 128 + signal.SIGTERM
    assert pp.load("./model").training.interrupted
    assert (data / "model.toml").exists()


def test_output_to_a_closed_stream_is_an_error(data, model):
    parse = shlex.join([*PANPARSER, "parse", "-m", str(model), "dev.conllu"])
    done = subprocess.run(f"{parse} >&-", shell=True, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "<stdout>: cannot be written: it is closed" in done.stderr
