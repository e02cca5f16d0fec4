"""Runs: by processes, threads and Dask; stopped, killed and gone on with; failed and late."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

import panparser as pp
from grids import small_grid, write_treebanks
from panparser.errors import PanParserError, ResultWarning
from panparser.lab.outcomes import RunOutcome
from panparser.lab.results import finished_outcomes, pack, read_outcomes
from panparser.work import pool as pools
from panparser.work.pool import TimeLimitExceeded, Worker
from processes import children_of, is_alive, wait_until

TIMES = ("started", "seconds", "cpu_seconds", "facts")  # that differ from run to run


class Watch(pp.lab.GridListener):
    def __init__(self):
        self.ended, self.waiting, self.finished = [], None, None

    def before_grid(self, pending, finished, workers):
        self.waiting, self.finished = [run.name for run in pending], finished

    def after_run(self, run, outcome):
        self.ended.append(run.name)


def figures(folder):
    """What came of all runs, but for times."""
    return {
        key: {name: value for name, value in outcome.values.items() if name not in TIMES}
        for key, outcome in read_outcomes(folder)
    }


def key_of(call):
    """The key of the run that a call runs."""
    _, (task,) = pickle.loads(call)
    return task["key"]


def line_of(results, key):
    return next(row.outcome.to_json_line() for row in results.rows if row.key == key)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("grid")
    write_treebanks(place / "treebanks")
    return place


@pytest.fixture(scope="module")
def finished(folder):
    """A grid that was run by two processes, and its results."""
    watch = Watch()
    grid = small_grid(folder)
    results = pp.lab.run_grid(grid, jobs=2, listeners=[watch])
    assert (len(watch.waiting), watch.finished) == (8, 0)
    assert sorted(watch.ended) == sorted(run.name for run in grid.runs)
    return grid, results


def test_each_run_is_what_the_recipe_makes(finished, folder):
    grid, results = finished
    assert len(results.finished_runs) == 8
    run, row = grid.runs[3], results.rows[3]
    own = folder / "treebanks" / "t1"
    test = pp.read_conllu(own / "test.conllu")
    model = pp.run_recipe(pp.Recipe.from_values(run.values)).model
    parsed = test.copy()
    model.annotate(parsed)
    expected = pp.evaluate(test, parsed, bootstrap_samples=0)
    assert row.outcome.score("test", "LAS") == pytest.approx(expected.las)
    counts = row.outcome.counts("test", "UAS")
    assert counts.tolist() == expected.counts["UAS"].tolist()
    assert row.outcome.facts["sentences"] == 15
    assert row.outcome.values["data"].keys() == set(run.files.values())
    assert "t1/train.conllu" in row.outcome.values["data"].values()


def test_what_is_finished_is_not_run_again(finished, folder):
    grid, results = finished
    watch = Watch()
    again = pp.lab.run_grid(grid, jobs=2, listeners=[watch])
    assert (watch.waiting, watch.finished) == ([], 8)
    assert [row.outcome.values for row in again.rows] == [row.outcome.values for row in results.rows]
    other = small_grid(folder, name="other", axes={"treebank": ["treebanks/t2"], "training": {"strategy": ["static"]}})
    watch = Watch()
    pp.lab.run_grid(replace(other), jobs=1, listeners=[watch])  # its seed is 1: the same run, in another grid
    assert (watch.waiting, watch.finished) == ([], 1)
    assert pp.lab.GridResults.read(folder / "results", "other").finished_runs[0].key in {
        row.key for row in results.rows
    }


def test_any_executor_gives_the_same(finished, tmp_path):
    grid, _ = finished
    with ThreadPoolExecutor(1) as executor:
        pp.lab.run_grid(replace(grid, results=tmp_path / "r", runs=grid.runs[:2]), executor=executor)
    known = figures(grid.results)
    found = figures(tmp_path / "r")
    assert len(found) == 2
    assert found == {key: known[key] for key in found}


@pytest.mark.unmeasured
def test_a_local_cluster_gives_the_same_and_listens_at_the_loopback_address_alone(finished, tmp_path):
    pytest.importorskip("distributed", reason="needs the extra grid")
    import psutil

    listening = set()

    class Addresses(pp.lab.GridListener):
        def before_grid(self, pending, finished, workers):
            own = psutil.Process()
            for each in (own, *own.children(recursive=True)):
                places = each.net_connections(kind="inet")
                listening.update(place.laddr.ip for place in places if place.status == psutil.CONN_LISTEN)

    grid, _ = finished
    pp.lab.run_grid(replace(grid, results=tmp_path / "r"), cluster="local", jobs=2, listeners=[Addresses()])
    assert figures(tmp_path / "r") == figures(grid.results)
    assert listening == {"127.0.0.1"}


def test_models_are_kept_if_wanted(finished, tmp_path):
    grid, _ = finished
    one = replace(grid, results=tmp_path / "r", runs=grid.runs[:1])
    pp.lab.run_grid(one, jobs=1, model_folder=tmp_path / "models")
    parser = pp.load(tmp_path / "models" / f"{grid.runs[0].key}.panparser")
    assert parser.training.seed == 1


def test_a_run_that_fails_is_a_row_with_its_message(folder, tmp_path):
    (folder / "bad").mkdir(exist_ok=True)
    for part in ("train", "test"):
        (folder / "bad" / f"{part}.conllu").write_text("1\tx\n\n")
    grid = small_grid(folder, results=str(tmp_path / "r"), axes={"treebank": ["bad", "treebanks/t1"]})
    results = pp.lab.run_grid(grid, jobs=1)
    assert len(results.finished_runs) == len(results.failed_runs) == 1
    assert "expected 10" in results.failed_runs[0].outcome.error
    watch = Watch()
    pp.lab.run_grid(grid, jobs=1, listeners=[watch])
    assert watch.waiting == []  # it would fail again
    pp.lab.run_grid(grid, jobs=1, listeners=[watch], retry_failed=True)
    assert watch.waiting == ["treebank bad"]
    pp.lab.run_grid(grid, jobs=1, listeners=[watch], force=True)
    assert len(watch.waiting) == 2


@pytest.fixture
def slow(folder, tmp_path):
    """A grid of one run that takes long, and one that does not."""
    settings = {"long": {"training": {"epochs": 100_000, "patience": 0}}, "short": {}}
    return small_grid(folder, results=str(tmp_path / "r"), axes={"treebank": ["treebanks/t1"], "setting": settings})


def test_a_run_that_takes_too_long_is_stopped(slow):
    start = time.monotonic()
    results = pp.lab.run_grid(replace(slow, seconds=2.0), jobs=1)
    assert time.monotonic() - start < 20
    assert results.failed_runs[0].outcome.error == "it took longer than 2 s"
    assert len(results.finished_runs) == 1


def test_a_process_that_dies_is_replaced_and_its_run_tried_again(slow, monkeypatch):
    """The long run is killed as often as it may be tried; the short one is not disturbed."""
    killed = []
    call = Worker.call

    def killing(worker, data, seconds):
        if pickle.loads(data)[1][0]["name"].endswith("long"):
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)
        return call(worker, data, seconds)

    monkeypatch.setattr(Worker, "call", killing)
    results = pp.lab.run_grid(replace(slow, retries=1), jobs=1)
    assert len(killed) == len(set(killed)) == 2
    assert results.failed_runs[0].outcome.error == "its process ended: killed by signal 9 (tried 2 times)"
    assert len(results.finished_runs) == 1


def test_data_that_change_meanwhile_are_noticed(folder, tmp_path):
    write_treebanks(tmp_path / "own", 1)
    grid = small_grid(tmp_path, results=str(tmp_path / "r"), axes={"treebank": ["own/t1"]})
    path = tmp_path / "own" / "t1" / "dev.conllu"
    path.write_bytes(path.read_bytes() * 2)
    assert "has changed since the grid began" in pp.lab.run_grid(grid, jobs=1).failed_runs[0].outcome.error


def test_a_damaged_file_is_run_again(finished, tmp_path):
    grid, _ = finished
    one = replace(grid, results=tmp_path / "r", runs=grid.runs[:1])
    pp.lab.run_grid(one, jobs=1)
    path = tmp_path / "r" / f"{grid.runs[0].key}.json"
    whole = path.read_text()
    path.write_text(whole[:100])
    watch = Watch()
    with pytest.warns(ResultWarning, match="expected JSON"):
        pp.lab.run_grid(one, jobs=1, listeners=[watch])
    assert len(watch.ended) == 1
    assert json.loads(path.read_text())["scores"] == json.loads(whole)["scores"]


def test_a_full_disk_ends_the_grid_with_a_message_and_repeats_nothing_that_fitted(finished, tmp_path, monkeypatch):
    """Files of workers do not fit; then that of the third run, which the grid itself writes."""
    grid = replace(finished[0], results=tmp_path / "results")
    write, room = RunOutcome.write, [2]
    ran = []

    class AtOnce(Executor):
        def submit(self, function, call, *options):
            ran.append(key_of(call))
            future = Future()
            future.set_result((line_of(finished[1], ran[-1]), None, 1.0))  # and no file
            return future

    def limited(outcome, folder, **options):
        if not room[0]:
            raise pp.SpecError(f"{folder}: cannot be written: No space left on device")
        room[0] -= 1
        write(outcome, folder, **options)

    monkeypatch.setattr(RunOutcome, "write", limited)
    with pytest.raises(pp.SpecError, match="No space left"):
        pp.lab.run_grid(grid, executor=AtOnce())
    there = {path.stem for path in grid.results.glob("*.json")}
    assert len(there) == 2
    room[0], ran[:] = 100, []
    assert len(pp.lab.run_grid(grid, executor=AtOnce()).finished_runs) == 8
    assert not there & set(ran)


def test_a_forced_run_that_is_stopped_is_not_finished(finished, tmp_path):
    """Whether what came of it was in a file of its own or of many."""
    grid, results = finished
    grid = replace(grid, results=tmp_path / "r")
    replace(results, folder=grid.results).write(grid.results)
    pack(grid.results)
    kept = replace(grid, runs=grid.runs[:3])

    class Gone(Executor):
        def submit(self, function, *rest):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pp.lab.run_grid(kept, executor=Gone(), force=True)
    assert finished_outcomes(grid.results).keys() == {run.key for run in grid.runs[3:]}


class Late(Executor):
    """Replies of all calls come too late."""

    def submit(self, function, call, *options):
        future = Future()
        future.set_result((None, TimeLimitExceeded("it took longer than 1 s"), 1.25))
        return future


def test_a_run_that_was_written_in_time_has_not_failed(finished, tmp_path):
    grid, results = finished
    row = results.rows[0]
    row.outcome.write(tmp_path)
    grid = replace(grid, results=tmp_path, runs=grid.runs[:2])
    found = pp.lab.run_grid(grid, executor=Late(), force=True)
    assert [row.outcome.is_finished for row in found.rows] == [False, False]
    (tmp_path / f"{row.key}.json").unlink()

    class Writing(Late):
        def submit(self, function, call, *options):
            if key_of(call) == row.key:
                row.outcome.write(tmp_path)
            return super().submit(function, call, *options)

    found = pp.lab.run_grid(grid, executor=Writing(), retry_failed=True)
    assert [row.outcome.is_finished for row in found.rows] == [True, False]
    assert RunOutcome.read(tmp_path / f"{row.key}.json").is_finished
    late = found.failed_runs[0].outcome
    assert (late.error, late.seconds) == ("it took longer than 1 s", 1.25)


def test_an_unexpected_error_is_a_row_and_says_how_often_it_was_tried(finished, tmp_path, monkeypatch):
    """As that of a worker of another build, which tests of `perform` raise."""
    grid = replace(finished[0], results=tmp_path / "r", runs=finished[0].runs[:1], retries=1)
    task = grid.runs[0].task(tmp_path / "r")
    monkeypatch.setattr(
        type(grid.runs[0]), "task", lambda *_: task | {"described": {**task["described"], "build": "x"}}
    )
    failed = pp.lab.run_grid(grid, jobs=1).failed_runs[0].outcome
    assert failed.error.startswith("OSError: a worker has another build of panparser")
    assert failed.error.endswith("(tried 2 times)")


def test_what_another_build_finished_counts_if_one_says_so(finished, monkeypatch, tmp_path):
    grid, results = finished
    monkeypatch.setattr("panparser.lab.grid_runs.own_build", lambda: "another")
    other = replace(small_grid(grid.results.parent), name="later")
    assert not {run.key for run in other.runs} & {run.key for run in grid.runs}
    watch = Watch()
    found = pp.lab.run_grid(other, accept_other_builds=True, listeners=[watch])
    assert watch.waiting == []
    assert {row.outcome.key for row in found.finished_runs} == {row.key for row in results.rows}
    read = pp.lab.GridResults.read(grid.results, "later")
    assert len(read.finished_runs) == 8
    (grid.results / "grids" / "later.json").unlink()


def test_only_one_kind_of_workers(finished, tmp_path):
    grid = replace(finished[0], results=tmp_path / "r")
    with pytest.raises(pp.errors.SpecError, match="which has its own workers"):
        pp.lab.run_grid(grid, cluster="tcp://127.0.0.1:1", jobs=2)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(pp.errors.SpecError, match="cannot be combined with jobs or cluster"),
    ):
        pp.lab.run_grid(grid, executor=executor, jobs=2)
    with pytest.raises(pp.errors.SpecError, match="run_grid: jobs must be"):
        pp.lab.run_grid(grid, jobs=0)


@pytest.mark.unmeasured
def test_a_scheduler_that_does_not_answer(finished, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra grid")
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 1.0)
    with pytest.raises(PanParserError, match="no scheduler answers"):
        pp.lab.run_grid(replace(finished[0], results=tmp_path / "r"), cluster="tcp://127.0.0.1:9")


def test_a_cluster_that_is_lost_ends_the_grid_and_keeps_what_is_there(finished, tmp_path):
    """The first run ends well, then nobody answers."""
    grid, results = finished

    class Lost(Executor):
        def submit(self, function, call, *options):
            self.submit = self.fail
            future = Future()
            future.set_result((line_of(results, key_of(call)), None, 1.0))
            return future

        def fail(self, function, call, *options):
            future = Future()
            future.set_exception(ConnectionError("the scheduler is gone"))
            return future

    with pytest.raises(PanParserError, match=r"the cluster is lost \(the scheduler is gone\) after 1 of 8 runs"):
        pp.lab.run_grid(replace(grid, results=tmp_path / "r"), executor=Lost())
    assert len(pp.lab.GridResults.read(tmp_path / "r").finished_runs) == 1


# --- Real processes, killed ---


GRID = """
results = "results"

[recipe.parser]
beam = 1
templates = "zn11"

[recipe.training]
epochs = 20
members = 1
patience = 0

[axes]
treebank = "treebanks"
training.seed = [1, 2, 3, 4, 5, 6]
"""


COMMAND = """
import signal
from panparser.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background ignores it
main()
"""


def start(folder, *more):
    command = [sys.executable, "-c", COMMAND, "grid", str(folder / "grid.toml"), "-j", "2", *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.unmeasured
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs /proc")
def test_a_grid_that_is_killed_goes_on_and_repeats_nothing(tmp_path):
    write_treebanks(tmp_path / "treebanks")
    (tmp_path / "grid.toml").write_text(GRID)
    results = tmp_path / "results"

    def done():
        return sorted(path.name for path in results.glob("*.json"))

    process = start(tmp_path)
    wait_until(lambda: len(done()) >= 3)
    workers = children_of(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)  # one worker: its run is tried again by another
    count = len(done())
    wait_until(lambda: len(done()) >= count + 2)
    workers = children_of(process.pid)
    process.kill()  # the grid itself: its workers end with it
    process.communicate()
    wait_until(lambda: not any(map(is_alive, workers)))
    before = {name: (results / name).stat().st_mtime_ns for name in done()}
    assert 5 <= len(before) < 12
    process = start(tmp_path)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert f"{12 - len(before)} runs by 2 workers, {len(before)} are finished" in errors
    assert len(done()) == 12
    assert {name: (results / name).stat().st_mtime_ns for name in before} == before
    assert all(outcome.is_finished for _, outcome in read_outcomes(results))
    assert not list(results.glob("*.part")) + list(results.glob(".*.part"))


@pytest.mark.unmeasured
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_ends_at_once_and_says_how_to_go_on(tmp_path):
    write_treebanks(tmp_path / "treebanks")
    (tmp_path / "grid.toml").write_text(GRID.replace("epochs = 20", "epochs = 100000"))
    process = start(tmp_path)
    wait_until(lambda: (tmp_path / "results" / "grids" / "grid.json").exists() and len(children_of(process.pid)) == 2)
    time.sleep(0.5)
    workers = children_of(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "panparser: interrupted: 0 of 12 runs have ended; the same command resumes"
    wait_until(lambda: not any(map(is_alive, workers)))
    assert not list((tmp_path / "results").glob("*.json"))
