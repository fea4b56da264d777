"""The store: one SQLite file (or RAM), every write a transaction, every failure a clear error."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from timewalk.errors import ClosedError, StoreError
from timewalk.stores.schema import APPLICATION_ID, EDITS, TABLES, VERSION


class MemoryRow(NamedTuple):
    """One row of the table `memory`, as stored: times in microseconds, lists and metadata as JSON."""

    id: str
    namespace: str
    text: str
    fact_type: str | None
    thread: str | None
    author: str | None
    tags: str
    occurred_start: int | None
    occurred_end: int | None
    mentioned_at: int | None
    created_at: int
    recent_accesses: str
    historical_count: int
    invalid_at: int | None
    metadata: str


COLUMNS = ", ".join(MemoryRow._fields)
CHUNK = 500  # SQLite's default limit on variables is far higher; this keeps statements short


class Store:
    """The tables of one store file. Reads and writes are serialised by a lock, so threads may share it.

    A write that has returned survives a kill of the process; after a power cut too (`synchronous=FULL`).
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.wrote = False
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = _open(self.path)
        # A store that nobody closed is closed when it goes: what was written is safe either way.
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _close_in, self._owner, self._connection)

    @property
    def connection(self) -> sqlite3.Connection:
        """The open connection; raises `ClosedError` after `close`."""
        if self._connection is None:
            raise ClosedError("this Memory has been closed; open it again with timewalk.Memory(path)")
        if os.getpid() != self._owner:
            raise ClosedError(
                "this Memory was opened before the process forked, and belongs to the parent; "
                "open its file again in this process with timewalk.Memory(path)"
            )
        return self._connection

    @property
    def is_open(self) -> bool:
        """Whether this process may still use it."""
        return self._connection is not None and os.getpid() == self._owner

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        with self._lock:
            self._finalizer()
            self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write that happens as a whole or not at all, and raises the change counter."""
        with self.noting() as connection:
            before = connection.total_changes
            yield connection
            if connection.total_changes != before:
                connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'change'")
                self.wrote = True

    @contextmanager
    def noting(self) -> Iterator[sqlite3.Connection]:
        """A write about the store rather than into it: the change counter stays."""
        with self._lock, _typed_errors(self.path):
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Several reads that see one state of the store, whatever other processes write meanwhile."""
        with self._lock, _typed_errors(self.path):
            connection = self.connection
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("COMMIT")

    def query(self, sql: str, arguments: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a read."""
        with self._lock, _typed_errors(self.path):
            return self.connection.execute(sql, arguments).fetchall()

    def query_in(self, sql: str, values: Iterable[object]) -> list[tuple[Any, ...]]:
        """All rows of a read whose `{}` stands for a list of values, asked in chunks."""
        rows: list[tuple[Any, ...]] = []
        listed = list(values)
        for start in range(0, len(listed), CHUNK):
            chunk = listed[start : start + CHUNK]
            rows += self.query(sql.format(", ".join("?" * len(chunk))), chunk)
        return rows

    def meta(self, key: str) -> Any:
        """One value of the table `meta`, None if it is not there."""
        rows = self.query("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def count(self) -> int:
        """The number of memories."""
        return int(self.query("SELECT count(*) FROM memory")[0][0])

    def change(self) -> int:
        """A number that grows with every write, also with those of other processes."""
        return int(self.meta("change"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a whole copy to `path`: to a temporary file beside it first, then renamed over it."""
        target = Path(path)
        if self.path is not None and target.exists() and self.path.exists() and target.samefile(self.path):
            return
        if target.exists():
            Store(target).close()  # refuses to overwrite what is not a store
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with self._lock, _typed_errors(target):
            try:
                copy = sqlite3.connect(temporary)
                try:
                    self.connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
                finally:
                    copy.close()
                with open(temporary, "rb") as written:
                    os.fsync(written.fileno())
                os.replace(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)


def _close_in(owner: int, connection: sqlite3.Connection) -> None:
    # A child that was forked off must leave its parent's connection alone.
    if os.getpid() == owner:
        connection.close()


def _open(path: Path | None) -> sqlite3.Connection:
    if path is not None and path.is_dir():
        raise StoreError(f"{path} is a folder; a store is one file, such as {path / 'memory.tw'}")
    if path is not None and not path.parent.is_dir():
        raise StoreError(f"{path} cannot be written: the folder {path.parent} does not exist")
    with _typed_errors(path):
        connection = sqlite3.connect(
            ":memory:" if path is None else path, timeout=30, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path | None) -> None:
    # What the file is comes first: setting a journal mode would already write to somebody else's database.
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if application != APPLICATION_ID and not empty:
        raise StoreError(f"{path} is an SQLite database, but not a timewalk store; choose another path")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer timewalk (store version {version}, this one reads up to {VERSION}); "
            "upgrade timewalk to open it"
        )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if not empty and version == VERSION:
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
def _typed_errors(path: Path | None) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        name = "the store in RAM" if path is None else str(path)
        text = str(error)
        if "not a database" in text or "malformed" in text:
            raise StoreError(f"{name} is not a timewalk store, or is damaged ({text})") from error
        if "readonly" in text or "unable to open" in text or "disk" in text:
            raise StoreError(f"{name} cannot be written ({text}); check the path, its permissions and disk") from error
        if "locked" in text:
            raise StoreError(f"{name} is being written by another process; try again ({text})") from error
        raise StoreError(f"{name}: {text}") from error
