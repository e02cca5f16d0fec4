"""`panparser parse`: folders, and work that processes share."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from panparser.corpora import corpus_run as running
from places import ENGLISH
from processes import children_of, is_alive, wait_until


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("texts/sub").mkdir(parents=True)
    Path("texts/a.txt").write_text("The birds sing. They stop.\n")
    Path("texts/sub/b.txt").write_text("The road disappeared.\n")
    Path("texts/c.pdf").write_text("")
    return tmp_path


def outputs(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*.conllu")}


def test_a_folder(run, texts, pipeline_file):
    code, out, err = run("parse", "-m", pipeline_file, "texts", "-o", "parsed/")
    assert (code, out) == (0, "")
    said = err.splitlines()
    assert said[0].endswith("1 file left out, since the ending of its name does not name a format: texts/c.pdf")
    assert said[1].startswith("panparser: 2 files parsed (11 words in 0:00:0")
    assert run("parse", "-m", pipeline_file, "texts/a.txt", "-o", "a.conllu") == (0, "", "")
    assert outputs("parsed") == {
        "a.conllu": Path("a.conllu").read_bytes(),
        "sub/b.conllu": outputs("parsed")["sub/b.conllu"],
    }
    code, _, err = run("parse", "-m", pipeline_file, "texts", "-o", "parsed")
    assert "0 files parsed (0 words in 0:00:00); 2 files finished before" in err
    code, _, err = run("parse", "-m", pipeline_file, "texts", "-o", "parsed", "--force")
    assert "2 files parsed (11 words" in err
    assert run("-q", "parse", "-m", pipeline_file, "texts", "-o", "parsed", "--stop-after", "tags") == (0, "", "")
    code, _, err = run("parse", "-m", pipeline_file, "texts", "-o", "all", "--input-format", "lines")
    assert (code, "3 files parsed" in err) == (0, True)


def test_a_bad_file_is_named_at_the_end(run, texts, pipeline_file):
    Path("texts/bad.txt").write_bytes(b"caf\xe9")
    code, _, err = run("parse", "-m", pipeline_file, "texts/bad.txt", "texts/a.txt", "none.txt", "-o", "parsed")
    assert code == 2
    said = err.splitlines()
    assert said[0].startswith("panparser: 1 file parsed")
    assert said[1].startswith("panparser: texts/bad.txt:1: expected UTF-8, found the byte 0xe9")
    assert said[2].startswith("panparser: none.txt: cannot be read: No such file")
    assert said[3] == "panparser: 2 of 3 files could not be parsed"
    assert list(outputs("parsed")) == ["a.conllu"]


def test_a_link_that_leads_nowhere_is_named(run, texts, pipeline_file):
    Path("texts/lost.txt").symlink_to("nowhere.txt")
    code, _, err = run("parse", "-m", pipeline_file, "texts", "-o", "parsed")
    assert code == 2
    assert "texts/lost.txt: cannot be read: No such file or directory" in err
    assert "a.conllu" in outputs("parsed")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["texts"], "expected a file or a folder as --output; got standard output"),
        (["texts", "-", "-o", "out"], "expected files or folders; got standard input"),
        (["--jobs", "2", "-o", "out"], "expected files or folders; got standard input"),
        (["--text", "a", "--jobs", "2", "-o", "out"], "--text cannot be used with a folder"),
        (["texts/a.txt", "-o", "x", "--force"], "--force requires a folder"),
        (["texts/a.txt", "-o", "x", "--jobs", "2", "--threads", "2"], "--threads cannot be used with --jobs"),
        (
            ["texts/a.txt", "-o", "x", "--cluster", "tcp://x"],
            "expected processes, local or an address such as tcp://127",
        ),
        (["texts/a.txt", "-o", "none/x", "--jobs", "1"], "none/x: cannot be written: No such file"),
        (["texts", "-o", "texts/parsed"], "texts/parsed: is in texts, which is read"),
        (["sub", "-o", "parsed"], "sub: expected files with names such as a.txt or a.conllu, found 1 file with other"),
        (["texts", "-o", "texts/a.txt"], "texts/a.txt"),
    ],
)
def test_what_is_refused(run, texts, pipeline_file, arguments, said):
    Path("sub").mkdir()
    Path("sub/a.pdf").touch()
    before = sorted(texts.rglob("*"))
    code, out, err = run("parse", "-m", pipeline_file, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert sorted(texts.rglob("*")) == before


def test_warnings_and_problems_are_told_once(run, texts, model):
    Path("one.conllu").write_bytes(ENGLISH.read_bytes()[:3000].rpartition(b"\n\n")[0] + b"\n")
    Path("two.conllu").write_bytes(b"1\ta\n\n" + Path("one.conllu").read_bytes())
    code, _, err = run("parse", "-m", model, "one.conllu", "two.conllu", "-o", "parsed", "--skip-errors")
    assert code == 0
    assert err.count("one.conllu:") == err.count("panparser: warning: one.conllu:") == 1
    assert "panparser: two.conllu:1: expected" in err


def command(*arguments):
    return [sys.executable, "-m", "panparser", "parse", *map(str, arguments)]


def test_processes_share_the_work(texts, pipeline_file):
    subprocess.run(command("-m", pipeline_file, "texts", "-o", "one"), check=True, capture_output=True)
    done = subprocess.run(
        command("-m", pipeline_file, "texts", "-o", "two", "--jobs", 1), check=True, capture_output=True, text=True
    )
    assert "2 files parsed" in done.stderr
    assert outputs("one") == outputs("two") != {}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no kill -9")
def test_workers_end_with_whoever_gives_the_work(texts, pipeline_file):
    Path("large.txt").write_text("The birds sing. They stop.\n\n" * (5 * running.PART_BYTES // 28))
    arguments = ["-m", pipeline_file, "large.txt", "-o", "out.conllu", "--jobs", 1]
    with subprocess.Popen(command(*arguments), stderr=subprocess.DEVNULL) as started:
        parts = Path("out.conllu.parts")
        wait_until(lambda: parts.exists() and any(parts.iterdir()) and children_of(started.pid))
        workers = children_of(started.pid)
        started.send_signal(signal.SIGKILL)
    assert len(workers) == 1
    wait_until(lambda: not any(map(is_alive, workers)))
    assert not Path("out.conllu").exists()


def test_a_cluster_of_dask(texts, pipeline_file):
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'panparser[grid]')")
    arguments = ["-m", pipeline_file, "texts", "-o"]
    subprocess.run(command(*arguments, "one"), check=True, capture_output=True)
    done = subprocess.run(
        command(*arguments, "two", "--cluster", "local", "--jobs", 1), check=True, capture_output=True, text=True
    )
    assert outputs("one") == outputs("two") != {}
    assert len(done.stderr.splitlines()) == 2  # Dask says nothing


def test_a_scheduler_that_is_not_there(texts, pipeline_file):
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'panparser[grid]')")
    program = "from panparser import cli; from panparser.work import pool; pool.CONNECT_SECONDS = 0.2; cli.main()"
    arguments = ["parse", "-m", str(pipeline_file), "texts", "-o", "out", "--cluster", "tcp://127.0.0.1:1"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("panparser: --cluster tcp://127.0.0.1:1: no scheduler answers: ")
