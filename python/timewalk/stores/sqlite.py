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
from timewalk.stores.opening import Opened, typed_errors


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

    A write that has returned survives a kill of the process; after a power cut too (`synchronous=FULL`). A file that
    is there and cannot be written is opened for reading; `refusal` then says why.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.wrote = False
        self._lock = threading.RLock()
        opened = Opened(self.path)
        self._opened: Opened | None = opened
        self.refusal = opened.refusal
        # A store that nobody closed is closed when it goes: what was written is safe either way.
        self._owner = os.getpid()
        self._finalizer = weakref.finalize(self, _close_in, self._owner, opened)

    @property
    def connection(self) -> sqlite3.Connection:
        """The open connection; raises `ClosedError` after `close`."""
        return self._current().connection

    def _current(self) -> Opened:
        if self._opened is None:
            raise ClosedError("this Memory has been closed; open it again with timewalk.Memory(path)")
        if os.getpid() != self._owner:
            raise ClosedError(
                "this Memory was opened before the process forked, and belongs to the parent; "
                "open its file again in this process with timewalk.Memory(path)"
            )
        self._opened.catch_up()
        return self._opened

    @property
    def is_open(self) -> bool:
        """Whether this process may still use it."""
        return self._opened is not None and os.getpid() == self._owner

    def close(self) -> None:
        """Closes the file; a second call does nothing."""
        with self._lock:
            self._finalizer()
            self._opened = None

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
        with self._lock, typed_errors(self.path):
            connection = self.connection
            self.require_writable()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def require_writable(self) -> None:
        """Raises `StoreError` where the file was opened for reading only, and says why it was."""
        if self.refusal is not None:
            raise StoreError(
                f"{self.path} was opened for reading only, since {self.refusal}; "
                "make that possible and open it again, or save a copy elsewhere"
            )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Several reads that see one state of the store, whatever other processes write meanwhile."""
        with self._lock, typed_errors(self.path):
            opened = self._current()
            if opened.connection.in_transaction:
                yield
                return
            opened.connection.execute("BEGIN")
            try:
                yield
            except Exception as error:
                opened.connection.execute("COMMIT")
                self._refuse_torn(opened, error)
                raise
            except BaseException:
                opened.connection.execute("COMMIT")
                raise
            opened.connection.execute("COMMIT")
            self._refuse_torn(opened, None)

    def _refuse_torn(self, opened: Opened, error: Exception | None) -> None:
        if not opened.is_current():
            raise StoreError(f"{self.path} was written by another process while it was read; ask again") from error

    def query(self, sql: str, arguments: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows of a read."""
        with self._lock, typed_errors(self.path):
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
            there = Store(target)  # refuses to overwrite what is not a store
            there.close()
            if there.refusal is not None:
                raise StoreError(f"{target} cannot be written: {there.refusal}")
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with self._lock, typed_errors(target):
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
            except StoreError:
                raise
            except OSError as error:
                raise StoreError(f"{target} cannot be written: {error.strerror or error}") from error
            finally:
                temporary.unlink(missing_ok=True)


def _close_in(owner: int, opened: Opened) -> None:
    # A child that was forked off must leave its parent's connection alone.
    if os.getpid() == owner:
        opened.close()
