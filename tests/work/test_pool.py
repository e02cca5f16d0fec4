"""Pools: time limits, retries, workers that die, and what is left when the pool is stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest

import calls
from panparser.errors import SpecError
from panparser.work import pool as pools
from panparser.work.pool import ClusterLostError, TimeLimitExceeded, WorkerDied, open_pool
from processes import is_alive, wait_until

needs_signals = pytest.mark.skipif(os.name == "nt", reason="needs signals")


@pytest.fixture(scope="module")
def pool():
    with open_pool(2) as opened:
        assert opened.count == 2
        yield opened


def error_of(pool, function, *values, **options):
    return pool.submit(function, *values, **options).exception()


def test_results_come_back(pool):
    assert [pool.submit(calls.add, i, i).result() for i in range(5)] == [0, 2, 4, 6, 8]
    assert pool.submit(calls.say, "in the middle of frames").result() == "in the middle of frames"
    large = b"x" * (1 << 24)
    assert len(pool.submit(calls.add, large, b"y").result()) == 1 + (1 << 24)


def test_workers_are_used_again(pool):
    assert len({pool.submit(calls.pid).result() for _ in range(20)} - {os.getpid()}) <= 2


def test_workers_have_one_thread_and_the_flags_and_path_of_this_interpreter(pool):
    for name in pools.SINGLE_THREADED:
        assert pool.submit(calls.environment, name).result() == "1"
    assert pool.submit(calls.flags).result() == (sys.flags.dont_write_bytecode, sys.path)


def test_errors_come_back_with_their_type_and_traceback(pool):
    error = error_of(pool, calls.fail, "no")
    assert (type(error), str(error)) == (LookupError, "no")
    assert "in fail" in error.__notes__[0]
    assert type(error_of(pool, calls.time_out)) is TimeoutError  # neither the limit, nor a cluster that is lost


def test_results_and_errors_that_cannot_be_pickled_are_errors_of_their_call(pool):
    assert str(error_of(pool, calls.raise_two_values)) == "TwoValuesError: 1 2"
    assert isinstance(error_of(pool, calls.unpicklable), RuntimeError)
    assert pool.submit(calls.add, 1, 1).result() == 2
    with pytest.raises(Exception, match=r"(?i)pickle|local object"):
        pool.submit(lambda: 1)


def test_a_call_that_takes_too_long_is_killed_and_never_retried(pool):
    start = time.monotonic()
    error = error_of(pool, calls.wait, 60, seconds=0.3, retries=5)
    assert isinstance(error, TimeLimitExceeded)
    assert str(error) == "it took longer than 0.3 s"
    assert time.monotonic() - start < 30
    assert pool.submit(calls.add, 1, 1, seconds=30).result() == 2


def test_the_start_of_a_worker_does_not_count(monkeypatch):
    monkeypatch.setattr(pools, "_PROGRAM", "import time; time.sleep(2.5); " + pools._PROGRAM)
    with open_pool(1) as opened:
        assert opened.submit(calls.add, 1, 1, seconds=2).result() == 2


def test_a_limit_that_ends_with_the_call_harms_no_other_call(pool):
    for _ in range(10):
        late = pool.submit(calls.wait, 0.05, seconds=0.05)
        assert late.exception() is None or isinstance(late.exception(), TimeLimitExceeded)
        assert [pool.submit(calls.add, i, 1).result() for i in range(3)] == [1, 2, 3]


@needs_signals
def test_the_reason_of_a_death_is_reported(pool):
    error = error_of(pool, calls.die)
    assert isinstance(error, WorkerDied)
    assert str(error) == "killed by signal 9; it printed: printed"
    assert str(error_of(pool, calls.leave)) == "exit code 3"


@pytest.mark.parametrize("function", [calls.die_once, calls.fail_once])
def test_deaths_and_errors_are_retried(pool, function, tmp_path):
    assert error_of(pool, function, str(tmp_path / "first")) is not None
    assert pool.submit(function, str(tmp_path / "second"), retries=1).result() == "second"


def test_a_call_whose_worker_dies_hurts_no_other_call(pool):
    waiting = [pool.submit(calls.wait, 0.1) for _ in range(4)]
    died = pool.submit(calls.leave)
    waiting += [pool.submit(calls.wait, 0.1) for _ in range(4)]
    assert isinstance(died.exception(), WorkerDied)
    assert all(future.exception() is None for future in waiting)


def test_a_worker_that_was_killed_while_idle_is_replaced(pool):
    for process in {pool.submit(calls.pid).result() for _ in range(10)}:
        os.kill(process, 9)
        wait_until(lambda process=process: not is_alive(process))
    assert pool.submit(calls.add, 1, 1).result() == 2


def test_a_module_that_cannot_be_imported(pool, monkeypatch):
    monkeypatch.setattr(calls.add, "__module__", "calls_not_there")
    monkeypatch.setitem(sys.modules, "calls_not_there", calls)
    with open_pool(1) as opened:
        assert "ModuleNotFoundError: No module named 'calls_not_there'" in str(error_of(opened, calls.add, 1, 1))


def test_a_worker_that_cannot_be_started(monkeypatch):
    def refuse(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(pools.subprocess, "Popen", refuse)
    with open_pool(1) as opened:
        error = error_of(opened, calls.add, 1, 1)
    assert isinstance(error, WorkerDied)
    assert "it cannot be started" in str(error)


def test_completed_tasks_come_in_lists_and_few_are_submitted_ahead(pool):
    submitted, completed = [], []

    def submit(number):
        submitted.append(number)
        assert len(submitted) - len(completed) <= 3
        return pool.submit(calls.add, number, 1)

    for batch in pool.completed(range(20), submit, ahead=lambda: 3):
        completed += [(number, future.result()) for number, future in batch]
    assert sorted(completed) == [(number, number + 1) for number in range(20)]
    assert submitted == list(range(20))


def test_an_empty_list_tells_that_time_has_passed(pool, monkeypatch):
    monkeypatch.setattr(pools, "TICK_SECONDS", 0.05)
    batches = list(pool.completed([0.5], lambda seconds: pool.submit(calls.wait, seconds), ahead=lambda: 1))
    assert len(batches) > 3
    assert [len(batch) for batch in batches if batch] == [1]


def test_stopped_workers_are_started_again(pool):
    before = {pool.submit(calls.pid).result() for _ in range(10)}
    pool.stop_workers()
    assert not any(map(is_alive, before))
    assert pool.submit(calls.pid).result() not in before


def test_no_worker_is_left_when_a_pool_is_closed():
    with open_pool(2) as opened:
        futures = [opened.submit(calls.wait, 0.2) for _ in range(4)]
    assert not any(is_alive(future.result()) for future in futures)


def test_an_error_ends_all_calls_at_once(tmp_path):
    futures = []

    def interrupted():
        with open_pool(2) as opened:
            futures.extend(opened.submit(calls.write_and_wait, str(tmp_path / str(i)), 600) for i in range(4))
            wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
            raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - start < 30
    assert all(isinstance(future.exception(timeout=0), WorkerDied) for future in futures)
    assert len(list(tmp_path.iterdir())) == 2


def test_one_pool_does_not_stop_another():
    def interrupted():
        with open_pool(1) as other:
            assert other.submit(calls.add, 1, 1).result() == 2
            raise KeyboardInterrupt

    with open_pool(1) as one:
        waiting = one.submit(calls.wait, 0.5)
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert waiting.exception() is None


PARENT = """
import calls, sys
from panparser.work.pool import open_pool
with open_pool(1) as pool:
    print(pool.submit(calls.pid).result(), flush=True)
    pool.submit(calls.wait, 600).result()
"""


def test_workers_end_with_their_parent():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=environment) as parent:
        worker = int(parent.stdout.readline())
        assert is_alive(worker)
        parent.kill()
    wait_until(lambda: not is_alive(worker))


# --- Other executors ---


def test_any_executor_runs_calls(tmp_path):
    futures = []

    def interrupted(executor):
        with open_pool(1, executor=executor) as opened:
            futures.extend(opened.submit(calls.write_and_wait, str(tmp_path / "waits"), 600) for _ in range(3))
            wait_until((tmp_path / "waits").exists)
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor:
        with open_pool(1, executor=executor) as opened:
            assert opened.count == 1
            worker = opened.submit(calls.pid).result()
            assert worker != os.getpid()
            assert opened.submit(calls.die_once, str(tmp_path / "first"), retries=1).result() == "second"
        assert not is_alive(worker)
        with pytest.raises(KeyboardInterrupt):
            interrupted(executor)
        assert all(isinstance(future.exception(timeout=10), WorkerDied) for future in futures)
        with open_pool(1, executor=executor) as opened:
            assert opened.submit(calls.add, 1, 1).result() == 2


class Broken(Executor):
    """Fails with an error after the first call."""

    def __init__(self, error):
        self.error, self.calls = error, 0

    def submit(self, function, *values):
        future = Future()
        self.calls += 1
        if self.calls == 1:
            future.set_result((1, None, 0.0))
        elif self.error is None:
            future.cancel()
        else:
            future.set_exception(self.error)
        return future


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionError("gone"), "gone"),
        (RuntimeError("broken"), "RuntimeError: broken"),
        (None, "CancelledError: the call was canceled"),
    ],
)
def test_an_executor_that_fails(error, expected):
    with open_pool(1, executor=Broken(error)) as opened:
        assert opened.submit(calls.add, 1, 0).result() == 1
        raised = error_of(opened, calls.add, 1, 0)
    assert type(raised) is (ClusterLostError if isinstance(error, ConnectionError) else WorkerDied)
    assert str(raised) == expected


def test_what_is_completed_comes_before_a_cluster_that_is_lost():
    with open_pool(1, executor=Broken(ConnectionError("gone"))) as opened:
        batches = opened.completed(range(5), lambda i: opened.submit(calls.add, i, i), ahead=lambda: 5)
        assert [task for task, _ in next(batches)] == [0]
        with pytest.raises(ClusterLostError, match="gone"):
            next(batches)


def test_an_address_that_is_none():
    with pytest.raises(SpecError, match="expected processes, local or an address"), open_pool(1, "tcp://x"):
        pass


# --- Dask ---


@pytest.mark.unmeasured
def test_dask_runs_calls_and_makes_calls_of_one_key_once(tmp_path):
    pytest.importorskip("distributed", reason="needs the extra grid")
    with open_pool(1, "local") as opened:
        assert opened.count == 1
        assert opened.submit(calls.add, 1, 1).result(timeout=60) == 2
        assert isinstance(error_of(opened, calls.wait, 60, seconds=0.2), TimeLimitExceeded)
        assert isinstance(error_of(opened, calls.leave), WorkerDied)
        assert type(error_of(opened, calls.time_out)) is TimeoutError
        assert opened.submit(calls.die_once, str(tmp_path / "first"), retries=1).result() == "second"
        same = [opened.submit(calls.is_first, str(tmp_path / "same"), key="one") for _ in range(2)]
        assert [future.result() for future in same] == [True, True]
        other = [opened.submit(calls.is_first, str(tmp_path / "other")) for _ in range(2)]
        assert sorted(future.result() for future in other) == [False, True]


# --- What it imports ---


def test_a_pool_needs_the_standard_library_alone():
    code = "import sys; import panparser.work.pool; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = set(done.stdout.split()) - set(sys.stdlib_module_names)
    assert not names & {"numpy", "distributed", "typer", "fsspec"}
    names = "(name for name in sys.modules if name.partition('.')[0] == 'panparser')"
    code = f"import sys; import panparser.work.pool; print(*{names})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = {"panparser", "panparser.names", "panparser.errors", "panparser.work", "panparser.work.pool"}
    expected |= {"panparser.base", "panparser.base.checks", "panparser.base.threads"}
    assert set(done.stdout.split()) == expected
