"""Crash-safe storage of an annotated file, its lock and its journal."""

from __future__ import annotations

import gc
import json
import os
import platform
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from panparser.annotate import journal as history
from panparser.annotate import merging as replaying
from panparser.annotate.document import Document
from panparser.annotate.journal import Journal, kind_of
from panparser.errors import AnnotationError, JournalError
from panparser.storage.atomic import check_writable, whole_file, write_whole

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Lock:
    """Held from `take` to `release`, or until the process ends."""

    def __init__(self, file: Path) -> None:
        self.path = file.with_name(f"{file.name}.lock")
        self._file = file
        self._stream: IO[bytes] | None = None

    def take(self, address: str = "") -> None:
        """Raises AnnotationError, which says who has it and where, if somebody has."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise AnnotationError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        stream = open(handle, "r+b")  # noqa: SIM115 - until `release`
        owner = _owner(stream.read())
        if not self._is_free(stream, owner):
            stream.close()
            where = f" at {owner['address']}" if owner.get("address") else ""
            raise AnnotationError(
                f"{self._file}: is being annotated{where} "
                f"(process {owner.get('pid', '?')} on {owner.get('host', '?')}); "
                f"if that is no longer so, remove {self.path}"
            )
        if not self._is_current(stream):
            stream.close()
            self.take(address)
            return
        self._stream = stream
        self.write_address(address)

    def _is_current(self, stream: IO[bytes]) -> bool:
        """Is it still the file of that name? Whoever had it may have removed it just now."""
        try:
            return os.path.samestat(os.fstat(stream.fileno()), os.stat(self.path))
        except FileNotFoundError:
            return False

    @staticmethod
    def _is_free(stream: IO[bytes], owner: dict[str, Any]) -> bool:
        """Is nobody there? Locks tell, on one machine; a session of another machine leaves only its name."""
        if owner and owner.get("host") != platform.node():
            return False
        if fcntl is None:
            return not _lives(owner.get("pid"))
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # the file system has no locks
            return not _lives(owner.get("pid"))
        return True

    def write_address(self, address: str) -> None:
        """Write the address of the session, for those who open the file a second time."""
        if self._stream is None:
            return
        owner = {"pid": os.getpid(), "host": platform.node(), "address": address, "since": round(time.time())}
        with suppress(OSError):  # a full disk: the lock holds all the same
            self._stream.seek(0)
            self._stream.truncate()
            self._stream.write(json.dumps(owner).encode())
            self._stream.flush()

    def release(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self._stream.close()
            self._stream = None


def _owner(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lives(pid: object) -> bool:
    if type(pid) is not int or pid <= 0 or pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


MAX_SAVE_ATTEMPTS = 5  # to save while others write, too
MAX_LISTED_SENTENCES = 5  # sentences that are listed
Signature = tuple[int, int, int]


class AnnotationStore:
    """Document, journal and lock. Not safe for threads but for `save`, which works while others go on."""

    def __init__(self, path: Path, user: str, address: str, clock: Callable[[], float]) -> None:
        self.path, self._clock = path, clock
        self.notices: list[str] = []  # what should be said at the start
        self.read_only: str | None = None
        self.history = history.History()
        self.layout_version = (
            0  # increases when sentences get other places: they are split or joined, or the file is read again
        )
        self._saving = threading.Lock()
        self._lock = Lock(path)
        if not path.is_file():
            raise AnnotationError(f"{path}: cannot be read: there is no such file")
        check_writable(path, AnnotationError)
        self._lock.take(address)
        try:
            self._known = _signature(path)
            self.document = Document.open(path)
            self.journal = Journal(path.with_name(f"{path.name}.journal"), user)
            self._replay()
        except BaseException:
            self._lock.release()
            raise

    def _replay(self) -> None:
        """Opens the journal, and applies what the file lacks."""
        with _without_collection():
            records = list(self.journal.records())
            found = replaying.replay(self.journal, self.document, records) if records else replaying.JournalReplay()
        self._is_first_save = not any(kind_of(record) == "save_started" for record in records)
        self.history, self._replayed = found.history, records
        self.journal.begin(self.document.sha256, [] if records else self.document.all_keys(), self._clock())
        if self.journal.dropped:
            self.notices.append(self.journal.dropped)
        if found.reapplied:
            self.notices.append(
                f"{self.path}: is as it was some time ago; {found.reapplied} later edits were done again"
            )
        self._note_merged(found)
        self._note_broken()

    def _note_broken(self) -> None:
        """Sentences that can only be looked at."""
        broken = self.document.broken()
        if not broken:
            return
        count = "1 sentence is" if len(broken) == 1 else f"{len(broken):,} sentences are"
        self.notices.append(f"{self.path}: {count} no CoNLL-U, and can only be looked at:")
        self.notices += broken[:MAX_LISTED_SENTENCES]
        if len(broken) > MAX_LISTED_SENTENCES:
            self.notices.append(
                f"{len(broken) - MAX_LISTED_SENTENCES:,} more (`panparser validate {self.path}` lists them)"
            )

    def _note_merged(self, found: replaying.JournalReplay) -> None:
        """Others changed the file, perhaps: what was added to it is written down, and told."""
        if found.merged is None:
            return
        self.history = found.history
        self._append(found.merged)
        self.notices.append(f"{self.path}: was changed outside; it stays as it is, with what was annotated here added")
        if found.undo_ends:
            self.notices.append("what was done before that can no longer be undone")
        self.notices += found.conflicts

    # --- Edits ---

    def take_replayed(self) -> list[dict[str, Any]]:
        """What the journal had at the start; forgotten afterwards."""
        records, self._replayed = self._replayed, []
        return records

    def check_writable(self) -> None:
        if self.read_only is not None:
            raise AnnotationError(f"{self.path}: is read-only now: {self.read_only}")

    def note(self, record: dict[str, Any]) -> list[int]:
        """Writes an edit, its undo or its redo to the journal, then applies it; the sentences that it changed."""
        self.check_writable()
        number = self._append(record)
        whole = {"n": number, **record}
        self.history.take(whole)
        sentences = len(self.document)
        changed = history.take(self.document, whole, self.journal.record)
        self.layout_version += len(self.document) != sentences
        return changed

    def _append(self, record: dict[str, Any]) -> int:
        try:
            return self.journal.append(record, self._clock())
        except JournalError as error:
            self.read_only = str(error)
            raise

    def move_in_history(self, kind: str) -> list[int]:
        """Undoes (`undo`) or does again (`redo`) the last edit, if there is one; the sentences that it changed.

        Raises AnnotationError if others changed the sentence since.
        """
        numbers = self.history.done if kind == "undo" else self.history.undone
        if not numbers:
            return []
        self.check_writable()
        parts = self.journal.record(numbers[-1])["parts"]
        history.plan(self.document, parts, backwards=kind == "undo")
        return self.note({kind: numbers[-1]})

    # --- The file ---

    def save(self, lock: Any) -> tuple[bool, bool]:
        """Brings the file up to date; whether it was written, and whether what others wrote was merged.

        `lock`: held by those who change the store; it is not held while the file is written.
        """
        is_merged = False
        with self._saving:
            for _ in range(MAX_SAVE_ATTEMPTS):
                with lock:
                    is_merged |= self._merge_changes()
                    data = self.document.to_bytes()
                    digest = sha256(data).hexdigest()
                    if digest == self.document.sha256 and self.path.exists():
                        return False, is_merged
                    number = self._append({"save_started": digest})
                self._keep_first()
                written = self._replace(data)
                if written is not None:
                    with lock:
                        self.document.sha256, self._known = digest, written
                        self._append({"save_finished": number})
                    return True, is_merged
        raise AnnotationError(f"{self.path}: cannot be saved: others write to it all the time")

    def _keep_first(self) -> None:
        """Keeps the file as it was before the first save, beside it; a backup that is there already stays."""
        kept = self.path.with_name(f"{self.path.name}~")
        if self._is_first_save and not os.path.lexists(kept):
            with suppress(OSError):
                write_whole(kept, self.path.read_bytes(), AnnotationError)
        self._is_first_save = False

    def _replace(self, data: bytes) -> Signature | None:
        """Replaces the file; what it is known by now, or None if others changed it: then it stays.

        The last look at it is just before the new file gets its name. What others write between the two system calls is
        lost, and so is what they write later to a file that they had opened before: they write to the old one.
        """
        found: list[Signature] = []

        def look(stream: IO[bytes]) -> None:
            found.append(_signature_of(os.fstat(stream.fileno())))  # not of the name, which others may write to
            if _signature(self.path) not in (None, self._known):
                raise FileChangedError

        try:
            with whole_file(self.path, AnnotationError, ready=look) as stream:
                stream.write(data)
        except FileChangedError:
            return None
        return found[0] if found else _signature(self.path)

    def _merge_changes(self) -> bool:
        """Reads the file again if others changed it, and adds what was annotated here."""
        now = _signature(self.path)
        if now is None or now == self._known:
            return False
        document = Document.open(self.path)
        self._known = now
        if document.sha256 == self.document.sha256:
            return False
        records = list(Journal(self.journal.path, self.journal.user).records())
        try:
            found = replaying.replay(self.journal, document, records)
        except JournalError as error:
            self.read_only = f"the file was replaced by another one ({error})"
            raise
        self.document, self.layout_version = document, self.layout_version + 1
        self._note_merged(found)
        return True

    def write_address(self, address: str) -> None:
        self._lock.write_address(address)

    def close(self) -> None:
        self.journal.close()
        self._lock.release()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Without the search for cycles, which takes as long as reading 100,000 records does, and finds none in them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class FileChangedError(Exception):
    """Others changed the file."""


def _signature(path: Path) -> Signature | None:
    """What changes when others write to a file."""
    try:
        return _signature_of(os.stat(path))
    except OSError:
        return None


def _signature_of(found: os.stat_result) -> Signature:
    return found.st_ino, found.st_mtime_ns, found.st_size
