"""How a store's file is opened: for writing where that is possible, else for reading; what is no store is refused."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from timewalk.errors import StoreError
from timewalk.stores.schema import APPLICATION_ID, EDITS, TABLES, VERSION
from timewalk.temporary import Folder

_State = tuple[tuple[int, int, int] | None, ...]


class Opened:
    """The connection to a store's file, or to tables in RAM.

    `refusal` says why nothing can be written; None where it can.

    SQLite keeps two files beside one that is being written, its log and an index of the log. Where these cannot be
    made, a file without a log is read as it lies there, which holds as long as nobody writes to it: `catch_up` opens it
    anew when somebody has. A file whose writer died and left a log behind is read in a temporary copy.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._copy: Folder | None = None
        self._seen: _State | None = None
        self.refusal: str | None = None
        with typed_errors(path):
            if path is not None:
                self.refusal = _refusal(path)
            if path is not None and self.refusal is not None:
                self.connection = self._for_reading(path)
            else:
                self.connection = self._for_writing()

    def close(self) -> None:
        """Closes the connection; a second call does nothing."""
        self.connection.close()
        if self._copy is not None:
            self._copy.close()
            self._copy = None

    def catch_up(self) -> None:
        """Opens a file anew that can only be read as it lies there, and that another process has written since."""
        if self._path is not None and not self.is_current() and not self.connection.in_transaction:
            self.close()
            self.connection = self._for_reading(self._path)

    def is_current(self) -> bool:
        """Whether what is read now is what the file holds."""
        return self._seen is None or self._seen == self._state()

    def _for_writing(self) -> sqlite3.Connection:
        connection = _connect(":memory:" if self._path is None else str(self._path))
        try:
            _prepare(connection, self._path)
        except sqlite3.OperationalError as error:
            connection.close()
            # A full disk, or a right that only the attempt could show to be missing.
            if not _is_unwritable(str(error)) or self._path is None or not _holds_something(self._path):
                raise
            self.refusal = f"nothing can be written there ({error})"
            return self._for_reading(self._path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _for_reading(self, path: Path) -> sqlite3.Connection:
        state = self._state()
        log = state[1]
        if log is None or log[1] == 0:
            self._seen = state
            return _read_only(path, "immutable=1")
        try:
            # Another process has it open, or has died; only with the index of the log can one tell, and read.
            self._seen = None
            return _read_only(path, "mode=ro")
        except sqlite3.OperationalError:
            self._seen = state
        self._copy = _copy_of(path)
        try:
            return _read_only(self._copy.path / path.name, "mode=rw")
        except BaseException:
            self._copy.close()
            raise

    def _state(self) -> _State:
        return tuple(_stat(f"{self._path}{suffix}") for suffix in ("", "-wal"))


def _copy_of(path: Path) -> Folder:
    """A folder of its own with the file and its log."""
    try:
        folder = Folder()
        try:
            for suffix in ("", "-wal"):
                shutil.copyfile(f"{path}{suffix}", folder.path / f"{path.name}{suffix}")
        except BaseException:
            folder.close()
            raise
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    return folder


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _refusal(path: Path) -> str | None:
    """Why a store that is there cannot be written; raises `StoreError` where none can be read or made."""
    try:
        mode = "folder" if path.is_dir() else "file" if path.exists() else None
        parent = path.parent.is_dir()
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror or error}") from error
    if mode == "folder":
        raise StoreError(f"{path} is a folder; a store is one file, such as {path / 'memory.tw'}")
    if not parent:
        raise StoreError(f"{path} cannot be written: the folder {path.parent} does not exist")
    if mode is None or not _holds_something(path):
        return None
    if not os.access(path, os.R_OK):
        raise StoreError(f"{path} cannot be read: {os.strerror(errno.EACCES)}")
    if not os.access(path, os.W_OK):
        return "the file may not be written to"
    if not os.access(path.parent, os.W_OK):
        return f"the folder {path.parent} may not be written to, where SQLite keeps its log"
    return None


def _holds_something(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _is_unwritable(text: str) -> bool:
    return any(word in text for word in ("readonly", "unable to open", "disk"))


def _read_only(path: Path, how: str) -> sqlite3.Connection:
    connection = _connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    try:
        if _check(connection, path) < VERSION:
            # What is not there yet is empty; it is made for this connection alone.
            _create(connection, EDITS.replace("CREATE TABLE", "CREATE TEMP TABLE"))
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False, uri=uri)


def _check(connection: sqlite3.Connection, path: Path | None) -> int:
    """The version of a store, 0 for an empty file; raises `StoreError` for what this library cannot read."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if application != APPLICATION_ID and not empty:
        raise StoreError(f"{path} is an SQLite database, but not a timewalk store; choose another path")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer timewalk (store version {version}, this one reads up to {VERSION}); "
            "upgrade timewalk to open it"
        )
    return 0 if empty else version


def _prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    # What the file is comes first: setting a journal mode would already write to somebody else's database.
    version = _check(connection, path)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have created the tables between the look and the lock.
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
        _create(connection, TABLES)
        connection.execute("INSERT INTO meta VALUES ('change', 0)")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    elif connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
        _create(connection, EDITS)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _create(connection: sqlite3.Connection, tables: str) -> None:
    for statement in tables.split(";"):
        if statement.strip():
            connection.execute(statement)


@contextmanager
def typed_errors(path: Path | None) -> Iterator[None]:
    """Turns what SQLite raises into a `StoreError` that says what would be right."""
    try:
        yield
    except sqlite3.Error as error:
        name = "the store in RAM" if path is None else str(path)
        text = str(error)
        if "not a database" in text or "malformed" in text:
            raise StoreError(f"{name} is not a timewalk store, or is damaged ({text})") from error
        if _is_unwritable(text):
            raise StoreError(f"{name} cannot be written ({text}); check the path, its permissions and disk") from error
        if "locked" in text:
            raise StoreError(f"{name} is being written by another process; try again ({text})") from error
        raise StoreError(f"{name}: {text}") from error
