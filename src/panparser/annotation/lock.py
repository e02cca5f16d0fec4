"""The lock beside a file that is annotated: one session at a time, and where it is."""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from panparser.errors import AnnotationError

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
