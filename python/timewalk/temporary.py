"""Folders for what a process unpacks: gone with it, or, if it was killed, with the next one to need such a folder.

Beside each lies a file that its owner holds locked. A lock goes with its process, however that ends; so a folder whose
lock is free has been left behind.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

_PREFIX, _LOCK = "timewalk-", ".lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class Folder:
    """A new folder at `path`, in the system's folder for temporary files; `close` removes it. Raises `OSError`."""

    def __init__(self) -> None:
        sweep()
        self._owner = os.getpid()
        self._handle, self._file = _locked()
        self.path = self._file.with_suffix("")
        try:
            self.path.mkdir(mode=0o700)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Removes the folder and all that is in it; a second call, and one in a forked child, does nothing."""
        if self._owner == os.getpid():
            self._owner = -1
            _remove(self._handle, self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def sweep() -> None:
    """Removes the folders that this user's dead processes have left behind."""
    for file in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*{_LOCK}"):
        try:
            handle = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            continue  # another user's, or gone by now
        if _is_own(handle) and _lock(handle) and _is_there(handle, file):
            _remove(handle, file)
        else:
            os.close(handle)


def _locked() -> tuple[int, Path]:
    while True:
        handle, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_LOCK)
        # Before it was locked, another process may have taken it for one that was left behind.
        if _lock(handle) and _is_there(handle, Path(name)):
            return handle, Path(name)
        os.close(handle)


def _is_own(handle: int) -> bool:
    return sys.platform == "win32" or os.fstat(handle).st_uid == os.getuid()


def _is_there(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(file, follow_symlinks=False))
    except OSError:
        return False


def _remove(handle: int, file: Path) -> None:
    # The lock goes last: as long as it is there, what could not be removed is tried again.
    folder = file.with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    gone = not folder.exists()
    if sys.platform == "win32":
        os.close(handle)
    if gone:
        file.unlink(missing_ok=True)
    if sys.platform != "win32":
        os.close(handle)
