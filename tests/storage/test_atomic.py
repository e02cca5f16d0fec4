"""Files that appear whole or not at all, whatever fails, and whoever else writes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

import panparser as pp
from disks import FaultyDisk, PowerLoss
from panparser.storage import atomic as disk
from panparser.storage import atomic as files
from panparser.storage.atomic import Disk, check_writable, settle, whole_file, write_whole

OLD, NEW = b"what was there before", b"what is written now, a little longer"
STEPS = 8  # create, write, write, sync, replace, sync the folder, remove; one more, which is never reached


def _write(path):
    with whole_file(path, pp.ModelError) as stream:
        stream.write(NEW[:10])
        stream.write(NEW[10:])


@pytest.fixture(autouse=True)
def _as_if_started_now(monkeypatch):
    monkeypatch.setattr(files, "_cleared", set())


@pytest.fixture
def place(tmp_path):
    return tmp_path / "folder" / "model"


@pytest.fixture(params=[OLD, None], ids=["replaced", "new"])
def before(request, place):
    place.parent.mkdir()
    if request.param is not None:
        place.write_bytes(request.param)
    return request.param


def _content(path):
    return path.read_bytes() if path.exists() else None


@pytest.mark.parametrize("step", range(1, STEPS + 1))
def test_after_a_loss_of_power_there_is_the_old_file_or_the_new_one(monkeypatch, place, before, step):
    disk = FaultyDisk(step)
    monkeypatch.setattr(files, "disk", disk)
    try:
        _write(place)
    except PowerLoss:
        assert step < STEPS
    else:
        assert step == STEPS
    assert set(disk.outcomes(place, before)) <= {before, NEW}
    if step >= STEPS - 1:  # it had returned, or all but removed the temporary file: nothing is left to chance
        assert set(disk.outcomes(place, before)) == {NEW}
    assert _content(place) in (before, NEW)  # what others saw meanwhile
    monkeypatch.setattr(files, "disk", Disk())
    files._cleared.clear()
    write_whole(place, OLD)  # the next one removes what was left
    assert [path.name for path in place.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("step", range(1, STEPS))
def test_a_disk_that_fails_is_an_error_and_leaves_no_litter(monkeypatch, place, before, step, reason):
    monkeypatch.setattr(files, "disk", FaultyDisk(step, reason))
    if step == STEPS - 1:  # only the temporary name, which the file no longer has, was not removed
        _write(place)
    else:
        with pytest.raises(pp.ModelError, match=f"model: cannot be written: {errno.errorcode[reason]}"):
            _write(place)
    assert _content(place) == (before if step < STEPS - 2 else NEW)
    assert {path.name for path in place.parent.iterdir()} <= {"model"}


def test_a_file_system_that_cannot_sync_is_written_to(monkeypatch, place, before):
    def fsync(handle):
        raise OSError(errno.EINVAL, "not here")

    monkeypatch.setattr(os, "fsync", fsync)
    _write(place)
    assert place.read_bytes() == NEW


def test_a_failure_of_the_writer_leaves_the_old_file(place, before):
    with suppress(ZeroDivisionError), whole_file(place) as stream:
        stream.write(b"torn")
        stream.write(NEW * (1 // 0))
    assert _content(place) == before
    assert {path.name for path in place.parent.iterdir()} <= {"model"}


def test_write_protected_files_stay(tmp_path):
    place = tmp_path / "model"
    place.write_bytes(OLD)
    place.chmod(0o444)
    for write in (_write, lambda path: check_writable(path, pp.ModelError)):
        with pytest.raises(pp.ModelError, match="model: cannot be written: it is write-protected"):
            write(place)
    assert place.read_bytes() == OLD


def test_links_and_permissions_stay(tmp_path):
    (tmp_path / "real").write_bytes(OLD)
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == NEW
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_a_name_as_long_as_names_can_be(tmp_path):
    write_whole(tmp_path / ("n" * 255), NEW)
    assert (tmp_path / ("n" * 255)).read_bytes() == NEW


# --- Several who write ---

_WRITER = """
import sys, time
from pathlib import Path
from panparser.storage.atomic import whole_file
with whole_file(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def writer(place):
    """Another process, which has begun to write."""
    place.parent.mkdir(exist_ok=True)
    with subprocess.Popen([sys.executable, "-c", _WRITER, place], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        yield process
        process.kill()


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(place, writer):
    write_whole(place.parent / "other", NEW)
    assert len(list(place.parent.iterdir())) == 2  # the file of the living process, too
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    write_whole(place.parent / "other", NEW)
    assert len(list(place.parent.iterdir())) == 2  # one look at a folder is enough
    files._cleared.clear()
    write_whole(place.parent / "other", NEW)
    assert [path.name for path in place.parent.iterdir()] == ["other"]


def test_a_temporary_file_that_was_taken_for_an_abandoned_one_is_made_anew(monkeypatch, place, before):
    lock, taken = disk._lock, []

    def slow(stream, *, wait):
        if wait and len(taken) < 2:  # whoever clears up is faster
            taken.append(stream.name)
            os.unlink(stream.name)
        return lock(stream, wait=wait)

    monkeypatch.setattr(disk, "_lock", slow)
    _write(place)
    assert len(taken) == 2
    assert place.read_bytes() == NEW


_WRITERS = """
import sys
from pathlib import Path
from panparser.storage import atomic as files
for i in range(300):
    files._cleared.clear()  # as if it was started now
    files.write_whole(Path(sys.argv[1]), b"some bytes")
"""


def test_processes_that_write_and_clear_up_do_not_disturb_each_other(place):
    place.parent.mkdir()
    writers = [subprocess.Popen([sys.executable, "-c", _WRITERS, place]) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    assert [path.name for path in place.parent.iterdir()] == ["model"]


def test_what_another_machine_writes_stays_for_a_day(tmp_path):
    other = tmp_path / f".panparser-00000000-{'0' * 16}.part"
    other.touch()
    (tmp_path / f".panparser-{files._MACHINE}-{'1' * 16}.part").mkdir()  # whatever that is
    write_whole(tmp_path / "model", NEW)
    assert other.exists()
    files._cleared.clear()
    os.utime(other, (time.time() - 100_000,) * 2)
    write_whole(tmp_path / "model", NEW)
    assert not other.exists()


def test_a_pipe_with_the_name_of_a_temporary_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / f".panparser-{files._MACHINE}-{'2' * 16}.part")
    write_whole(tmp_path / "model", NEW)
    assert (tmp_path / "model").read_bytes() == NEW


def test_streams_that_are_open_are_written_to(tmp_path):
    code = (
        "from pathlib import Path; from panparser.storage.atomic import write_whole; write_whole(Path({}), b'new\\n')"
    )
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        with (tmp_path / "all").open("wb", buffering=0) as stream:
            stream.write(b"first\n")
            subprocess.run([sys.executable, "-c", code.format(repr(name))], stdout=stream, check=True)
            stream.write(b"last\n")
        assert (tmp_path / "all").read_bytes() == b"first\nnew\nlast\n"


def test_what_only_its_owner_may_read_is_not_shown_while_it_is_written(tmp_path):
    (tmp_path / "secret").touch(mode=0o600)
    with whole_file(tmp_path / "secret") as stream:
        assert os.fstat(stream.fileno()).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_threads_that_save_to_one_path_while_others_load(english, tmp_path, seconds):
    parser = pp.train(pp.ParserSpec(templates=pp.templates("fast"), beam=1), english[0][:10], epochs=1)
    path = tmp_path / "model"
    parser.save(path)
    end = time.monotonic() + seconds
    failures = []

    def work(action):
        try:
            while time.monotonic() < end:
                action()
        except Exception as error:
            failures.append(error)

    def load():
        assert pp.load(path).weight_bytes == parser.weight_bytes

    threads = [Thread(target=work, args=(action,)) for action in [lambda: parser.save(path), load] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


# --- Later ---


class Watched(Disk):
    """A disk that notes what it was asked to bring to itself; it may fail."""

    def __init__(self, error=0):
        self.synced, self.error = [], error

    def sync(self, stream):
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        self.synced.append(Path(stream.name).read_bytes())

    def sync_folder(self, folder):
        self.synced.append(folder)


def test_files_are_brought_to_the_disk_later(monkeypatch, tmp_path):
    disk = Watched()
    monkeypatch.setattr(files, "disk", disk)
    paths = [tmp_path / name for name in ("one", "two", "gone")]
    for path in paths:
        write_whole(path, path.name.encode(), lasting=False)
        assert path.read_bytes() == path.name.encode()  # others see it whole, at once
    assert disk.synced == []
    paths[2].unlink()
    settle(paths)
    assert disk.synced == [b"one", b"two", tmp_path]


def test_what_cannot_be_brought_to_the_disk_is_an_error(monkeypatch, tmp_path):
    path = tmp_path / "one"
    write_whole(path, b"one", lasting=False)
    monkeypatch.setattr(files, "disk", Watched(errno.ENOSPC))
    with pytest.raises(pp.SpecError, match="one: cannot be written: No space left"):
        settle([path], pp.SpecError)
