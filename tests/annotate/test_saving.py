"""Stores: whatever stops, fails or comes between, the file and its journal have the old state or the new one."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from annotated import FILE, edits, write
from disks import FaultyDisk, PowerLoss
from panparser.annotate.journal import Journal
from panparser.annotate.saving import Lock
from panparser.storage import atomic as files
from panparser.storage.atomic import Disk
from stores import do, opened, save, state


def test_edits_survive_without_saving_and_undo_survives_with(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    do(store, 2, edit="span", first=2, last=3)
    do(store, 0, edit="done", done=False)
    known = state(store)
    store.close()
    assert path.read_text() == FILE
    store = opened(path)
    assert state(store) == known
    assert save(store) == (True, False)
    assert path.with_name("file.conllu~").read_text() == FILE
    assert save(store) == (False, False)
    store.close()
    store = opened(path)
    assert state(store) == known  # spans and `done`, too, which the file has no place for
    for _ in range(3):
        store.move_in_history("undo")
    assert store.document.to_bytes().decode() == FILE
    assert not store.document.draft(2).spans
    assert store.move_in_history("undo") == []
    store.close()
    store = opened(path)
    assert store.document.to_bytes().decode() == FILE
    for _ in range(3):
        store.move_in_history("redo")
    assert state(store) == known
    store.close()


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 4), edits() | st.sampled_from(["undo", "redo", "save", "crash"])), max_size=14)
)
def test_any_history_is_replayed(tmp_path_factory, steps):
    path = write(tmp_path_factory.mktemp("any"))
    store = opened(path)
    for index, step in steps:
        if step in ("undo", "redo"):
            store.move_in_history(step)
        elif step == "save":
            save(store)
        elif step == "crash":
            known, done = state(store), (list(store.history.done), list(store.history.undone))
            store.close()
            store = opened(path)
            assert state(store) == known
            assert (store.history.done, store.history.undone) == done
            assert not store.notices
        else:
            try:
                do(store, index % len(store.document), **step)
            except pp.errors.AnnotationError:
                continue
    known, taken_back = state(store), 0
    while store.move_in_history("undo"):
        taken_back += 1
    assert store.document.to_bytes().decode() == FILE
    for _ in range(taken_back):
        store.move_in_history("redo")
    assert state(store) == known
    store.close()


# --- Disks that fail ---


def _work(path, heard):
    """Edits and saving; what was answered is heard."""
    store = opened(path)
    try:
        heard.append(store.document.to_bytes())
        steps = (
            (1, {"edit": "head", "word": 1, "head": 2}),
            (2, {"edit": "split_sentence", "word": 3}),
            (1, {"edit": "label", "word": 1, "label": "obj"}),
        )
        for number, (index, value) in enumerate(steps):
            do(store, index, **value)
            heard.append(store.document.to_bytes())
            if number != 1:
                save(store)
        store.move_in_history("undo")
        heard.append(store.document.to_bytes())
        save(store)
    finally:
        store._lock.release()
        store.journal.close()


def _number_of_steps(folder, monkeypatch):
    disk = FaultyDisk()
    monkeypatch.setattr(files, "disk", disk)
    _work(write(folder), [])
    monkeypatch.setattr(files, "disk", Disk())
    return disk.step


def test_after_a_crash_at_any_step_there_is_the_old_state_or_the_new_one(tmp_path, monkeypatch):
    (tmp_path / "count").mkdir()
    steps = _number_of_steps(tmp_path / "count", monkeypatch)
    assert steps > 40
    states = []
    for step in range(1, steps + 1):
        folder = tmp_path / str(step)
        folder.mkdir()
        path, heard = write(folder), []
        monkeypatch.setattr(files, "_cleared", set())
        monkeypatch.setattr(files, "disk", FaultyDisk(step))
        with pytest.raises(PowerLoss):
            _work(path, heard)
        monkeypatch.setattr(files, "disk", Disk())
        store = opened(path)
        found = store.document.to_bytes()
        states.append((heard, found))
        save(store)
        assert path.read_bytes() == found
        store.close()
    whole = []
    _work(write(tmp_path), whole)
    for heard, found in states:
        known = whole.index(heard[-1]) if heard else 0
        assert found in whole[known : known + 2] or found in whole[: 1 if not heard else 0], len(heard)


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_makes_it_read_only_or_is_told_and_loses_nothing(tmp_path, monkeypatch, reason):
    (tmp_path / "count").mkdir()
    steps = _number_of_steps(tmp_path / "count", monkeypatch)
    whole = []
    _work(write(tmp_path), whole)
    for step in range(1, steps + 1):
        folder = tmp_path / str(step)
        folder.mkdir()
        path, heard = write(folder), []
        monkeypatch.setattr(files, "_cleared", set())
        monkeypatch.setattr(files, "disk", FaultyDisk(step, reason))
        with suppress(pp.PanParserError):
            _work(path, heard)
        monkeypatch.setattr(files, "disk", Disk())
        store = opened(path)
        known = whole.index(heard[-1]) if heard else 0
        assert store.document.to_bytes() in whole[known : known + 2]
        store.close()


def test_a_full_disk_makes_it_read_only_and_says_why(tmp_path, monkeypatch):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    known = state(store)
    monkeypatch.setattr(files, "disk", FaultyDisk(1, errno.ENOSPC))
    with pytest.raises(pp.errors.JournalError, match="journal: cannot be written: ENOSPC"):
        do(store, 1, edit="head", word=2, head=0)
    monkeypatch.setattr(files, "disk", Disk())
    assert "ENOSPC" in store.read_only
    assert state(store) == known
    with pytest.raises(pp.errors.AnnotationError, match=r"is read-only now: .*ENOSPC"):
        do(store, 1, edit="head", word=2, head=0)
    store.close()
    store = opened(path)
    assert state(store) == known
    assert not store.notices
    store.close()


# --- Others ---


def test_only_one_session_at_a_time(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    with pytest.raises(
        pp.errors.AnnotationError, match=rf"is being annotated at http://here \(process {os.getpid()} on "
    ):
        opened(path)
    store.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.conllu", "file.conllu.journal"]
    opened(path).close()


def test_the_lock_of_a_process_that_was_killed_is_no_lock(tmp_path):
    path = write(tmp_path)
    path.with_name("file.conllu.lock").write_text('{"pid": 1, "host": "' + os.uname().nodename + '"}')
    opened(path).close()
    path.with_name("file.conllu.lock").write_text('{"pid": 1, "host": "another"}')
    with pytest.raises(pp.errors.AnnotationError, match="process 1 on another"):
        opened(path)


def test_a_lock_that_was_removed_just_now_is_taken_anew(tmp_path, monkeypatch):
    path, answers = write(tmp_path), iter([False, True])
    monkeypatch.setattr(Lock, "_is_current", lambda self, stream: next(answers))
    store = opened(path)
    assert next(answers, "asked twice") == "asked twice"
    store.close()


def test_a_file_that_others_changed_is_merged(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    do(store, 2, edit="span", first=2, last=3)
    do(store, 2, edit="label", word=5, label="obj")
    do(store, 2, edit="head", word=4, head=5)
    store.close()
    theirs = "1\tnew\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + FILE.replace("5\te\te\tX", "5\te\te\tY").replace(
        "4\td\td\tX\t_\t_\t_", "4\td\td\tX\t_\t_\t1"
    )
    path.write_text(theirs)
    store = opened(path)
    assert "was changed outside" in store.notices[0]
    assert store.notices[1] == "what was done before that can no longer be undone"
    assert "head of word 4: the file has 1, the journal 5" in store.notices[2]
    assert len(store.document) == 4
    second, third = store.document.draft(2), store.document.draft(3)
    assert second.words[0].head == 2
    assert third.spans == ((2, 3),)
    assert (third.words[4].upos, third.words[4].label, third.words[3].head) == ("Y", "obj", 1)
    known = state(store)
    save(store)
    store.close()
    store = opened(path)
    assert state(store) == known
    assert not store.notices
    assert store.move_in_history("undo") == []  # what was done before others changed the file
    store.close()


def test_a_file_that_others_change_while_it_is_open_is_merged_before_it_is_saved(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    save(store)
    path.write_text(path.read_text().replace("5\te\te\tX", "5\te\te\tY"))
    do(store, 1, edit="head", word=2, head=0)
    assert save(store) == (True, True)
    text = path.read_text()
    assert "5\te\te\tY" in text
    assert "1\tThey\tthey\tPRON\t_\tNumber=Plur\t2\t" in text
    assert "VERB\t_\t_\t0\troot" in text
    assert store.notices[1:] == ["what was done before that can no longer be undone"]
    assert store.move_in_history("undo") == []
    do(store, 1, edit="head", word=2, head=1)
    store.move_in_history("undo")
    assert store.document.draft(1).words[1].head == 0
    assert store.move_in_history("undo") == []
    store.close()


def test_an_older_version_of_the_file_gets_what_it_lacks(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    save(store)
    known = path.read_text()
    store.close()
    path.write_text(FILE)
    store = opened(path)
    assert "is as it was some time ago; 1 later edits were done again" in store.notices[0]
    assert store.document.to_bytes().decode() == known
    store.close()


def test_the_journal_of_another_file_is_refused(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    store.close()
    other = "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    path.write_text(other)
    with pytest.raises(pp.errors.JournalError, match="is the journal of another file"):
        opened(path)
    assert path.read_text() == other
    shutil.move(tmp_path / "file.conllu.journal", tmp_path / "kept")
    opened(path).close()


def test_a_torn_line_is_dropped_and_told(tmp_path):
    path = write(tmp_path)
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    known = state(store)
    store.close()
    journal = tmp_path / "file.conllu.journal"
    journal.write_bytes(journal.read_bytes() + b'{"crc":"0000')
    store = opened(path)
    assert store.notices == [f"{journal}:3: dropped an incomplete last line of 12 bytes"]
    assert state(store) == known
    store.close()
    assert len(list(Journal(journal, "me").records())) == 2


def test_links_stay_links(tmp_path):
    (tmp_path / "real").write_text(FILE)
    path = tmp_path / "file.conllu"
    path.symlink_to("real")
    store = opened(path)
    do(store, 1, edit="head", word=1, head=2)
    save(store)
    store.close()
    assert path.is_symlink()
    assert "\t2\t_\t_\t_\n" in (tmp_path / "real").read_text()


# --- Others write while the file is saved ---

OTHERS = "# sent_id = others\n1\tz\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


class SharedDisk(Disk):
    """A disk where others write to the file, once, at a step of its replacement."""

    def __init__(self, path, step):
        self.path, self.step = path, step

    def _others(self, step):
        if step == self.step:
            self.step = None
            self.path.write_bytes(self.path.read_bytes() + OTHERS.encode())

    def sync(self, stream):
        self._others("before the rename")
        super().sync(stream)

    def sync_folder(self, folder):
        super().sync_folder(folder)
        self._others("after the rename")


@pytest.mark.parametrize("step", ["before the rename", "after the rename"])
def test_what_others_write_while_the_file_is_saved_is_merged(tmp_path, monkeypatch, step):
    path = write(tmp_path)
    (tmp_path / "file.conllu~").write_bytes(b"")  # only the file itself is written
    store = opened(path)
    do(store, 1, edit="label", word=1, label="nsubj")
    monkeypatch.setattr(files, "disk", SharedDisk(path, step))
    save(store)
    do(store, 2, edit="label", word=1, label="dep")
    save(store)
    text = path.read_text()
    assert "sent_id = others" in text
    assert "\tnsubj\t" in text
    assert "\tdep\t" in text
    assert any("changed outside" in notice for notice in store.notices)
    store.close()
    again = opened(path)
    assert len(again.document) == 4
    again.close()


def test_a_file_that_others_write_all_the_time_is_not_replaced(tmp_path, monkeypatch):
    path = write(tmp_path)
    (tmp_path / "file.conllu~").write_bytes(b"")
    store = opened(path)
    do(store, 1, edit="label", word=1, label="nsubj")

    class Busy(SharedDisk):
        def sync(self, stream):
            self.step = "before the rename"
            super().sync(stream)

    monkeypatch.setattr(files, "disk", Busy(path, None))
    with pytest.raises(pp.errors.AnnotationError, match="others write to it all the time"):
        save(store)
    assert path.read_text().count("sent_id = others") > 1
    assert "\tnsubj\t" not in path.read_text()
    monkeypatch.undo()
    save(store)
    assert "\tnsubj\t" in path.read_text()
    store.close()


@pytest.mark.parametrize("had_backup", [False, True])
def test_a_backup_that_is_there_already_stays(tmp_path, had_backup):
    path = write(tmp_path)
    backup = tmp_path / "file.conllu~"
    if had_backup:
        backup.write_text("an editor's own")
    store = opened(path)
    for label in ("nsubj", "obj"):
        do(store, 1, edit="label", word=1, label=label)
        save(store)
    assert backup.read_text() == ("an editor's own" if had_backup else FILE)
    store.close()
