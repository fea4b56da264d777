"""Reading and writing memories, their vectors, mentions and links inside a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from timewalk.stores.sqlite import CHUNK, COLUMNS, MemoryRow, Store

CONTENT, LINKS = 0, 1
"""Kinds of edits."""


class MentionRow(NamedTuple):
    """An entity mentioned by a memory: identity key, display name, type and confidence in [0, 1]."""

    key: str
    name: str
    type: str
    confidence: float


class LinkRow(NamedTuple):
    """A directed link between two memories, by their rows."""

    source: int
    target: int
    relation: str
    weight: float
    origin: str


def rows_of(store: Store, ids: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Row and namespace of those ids that exist."""
    found = store.query_in("SELECT id, row, namespace FROM memory WHERE id IN ({})", ids)
    return {id: (row, namespace) for id, row, namespace in found}


def stored(store: Store, ids: Iterable[str]) -> dict[str, MemoryRow]:
    """The stored rows of those ids that exist."""
    found = store.query_in(f"SELECT {COLUMNS} FROM memory WHERE id IN ({{}})", ids)
    return {row[0]: MemoryRow(*row) for row in found}


def upsert(connection: sqlite3.Connection, rows: Sequence[MemoryRow]) -> list[int]:
    """Inserts memories or replaces those of the same id; returns their row numbers in order."""
    updates = ", ".join(f"{name} = excluded.{name}" for name in MemoryRow._fields if name != "id")
    marks = ", ".join("?" * len(MemoryRow._fields))
    connection.executemany(
        f"INSERT INTO memory ({COLUMNS}) VALUES ({marks}) ON CONFLICT (id) DO UPDATE SET {updates}", rows
    )
    numbers: dict[str, int] = {}
    for start in range(0, len(rows), CHUNK):
        ids = [row.id for row in rows[start : start + CHUNK]]
        marks = ", ".join("?" * len(ids))
        numbers.update(connection.execute(f"SELECT id, row FROM memory WHERE id IN ({marks})", ids))
    return [numbers[row.id] for row in rows]


def set_vectors(
    connection: sqlite3.Connection, rows: Sequence[int], vectors: Sequence[npt.NDArray[np.float32] | None]
) -> None:
    """Stores or replaces the vectors of memories; None removes one."""
    connection.executemany("DELETE FROM vector WHERE memory = ?", [(row,) for row in rows])
    connection.executemany(
        "INSERT INTO vector VALUES (?, ?)",
        [(row, vector.tobytes()) for row, vector in zip(rows, vectors, strict=True) if vector is not None],
    )


def set_mentions(
    connection: sqlite3.Connection,
    rows: Sequence[int],
    namespaces: Sequence[str],
    mentions: Sequence[Sequence[MentionRow]],
) -> None:
    """Replaces the mentions of memories. An entity keeps the first display name and type it was seen with."""
    connection.executemany("DELETE FROM mention WHERE memory = ?", [(row,) for row in rows])
    wanted = {
        (namespace, mention.key): mention
        for namespace, found in zip(reversed(namespaces), reversed(mentions), strict=True)
        for mention in reversed(found)
    }
    connection.executemany(
        "INSERT OR IGNORE INTO entity (namespace, key, name, type) VALUES (?, ?, ?, ?)",
        [(namespace, key, mention.name, mention.type) for (namespace, key), mention in reversed(wanted.items())],
    )
    connection.executemany(
        "INSERT INTO mention SELECT ?, row, ? FROM entity WHERE namespace = ? AND key = ? "
        "ON CONFLICT DO UPDATE SET confidence = max(confidence, excluded.confidence)",
        [
            (row, mention.confidence, namespace, mention.key)
            for row, namespace, found in zip(rows, namespaces, mentions, strict=True)
            for mention in found
        ],
    )
    drop_unmentioned(connection)


def drop_unmentioned(connection: sqlite3.Connection) -> None:
    """Removes entities that no memory mentions any more."""
    connection.execute("DELETE FROM entity WHERE row NOT IN (SELECT entity FROM mention)")


def add_links(connection: sqlite3.Connection, links: Sequence[LinkRow]) -> None:
    """Adds links; of two with the same ends and relation the larger weight stays."""
    before = connection.total_changes
    connection.executemany(
        "INSERT INTO link VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET weight = excluded.weight WHERE excluded.weight > weight",
        links,
    )
    if connection.total_changes != before:
        note_edits(connection, {link.source for link in links}, LINKS)


def note_edits(connection: sqlite3.Connection, rows: Iterable[int], kind: int = CONTENT) -> None:
    """Records that these memories were changed or deleted (`CONTENT`), or links from them added (`LINKS`)."""
    connection.executemany(
        "INSERT INTO edit SELECT ?, ?, value + 1 FROM meta WHERE key = 'change' "
        "ON CONFLICT DO UPDATE SET change = excluded.change",
        [(row, kind) for row in rows],
    )
