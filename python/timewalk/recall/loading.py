"""What the indexes read of a store: memories with their vectors and mentions, links, and what has changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.graph import MEMORY
from timewalk.stores.memories import CONTENT, LINKS
from timewalk.stores.sqlite import Store

ENTITY = "entity\x1f"
"""Start of an entity's node id in the graph; memories may not use it."""

GRAPH_COLUMNS = [name for name in MEMORY.names if name != "embedding"]
"""What the graph takes of `COLUMNS`."""

_STORED = pa.schema(
    [
        ("row", pa.int64()),
        *(MEMORY.field(name) for name in GRAPH_COLUMNS),
        ("text", pa.string()),
        ("invalid_at", pa.int64()),
    ]
)
COLUMNS = _STORED.append(pa.field("entities", pa.list_(pa.string()))).append(
    pa.field("confidences", pa.list_(pa.float64()))
)
"""Columns of memories as recall keeps them; `entities` holds node ids, `row` is the order of arrival."""

LINK = pa.schema([("source", pa.int64()), ("target", pa.int64()), ("relation", pa.string()), ("weight", pa.float64())])
"""Explicit links, by rows."""

ENTITIES = pa.schema(
    [("row", pa.int64()), ("id", pa.string()), ("namespace", pa.string()), ("key", pa.string()), ("type", pa.string())]
)
"""Entities by row and node id."""

_LAST = np.iinfo(np.int64).max
_FIRST = np.iinfo(np.int64).min
_PORTION = 50_000  # memories read at once
_MANY = 20_000  # links of more rows than this are read as a whole


@dataclass(frozen=True)
class Edits:
    """Rows of known memories that were changed or deleted, and of those whose links from them may have grown."""

    memories: set[int] = field(default_factory=set)
    sources: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Fresh:
    """Memories (`COLUMNS`, in the order of arrival), their vectors (null where there is none), and all entities that
    they mention: id, namespace, key and type.
    """

    memories: pa.Table
    vectors: pa.Array
    entities: pa.Table

    @classmethod
    def none(cls) -> Fresh:
        """No memories."""
        return cls(COLUMNS.empty_table(), _vectors(np.zeros(0, np.int64), ()), ENTITIES.empty_table())

    def take(self, places: npt.NDArray[np.int64]) -> Fresh:
        """The memories at these places."""
        at = pa.array(places)
        return Fresh(self.memories.take(at), self.vectors.take(at), self.entities)


def node(namespace: str, key: str) -> str:
    """The graph's node id of an entity."""
    return f"{ENTITY}{namespace}\x1f{key}"


def edits(store: Store, change: int) -> Edits:
    """What has changed since the store had this change number."""
    found = store.query("SELECT memory, kind FROM edit WHERE change > ?", (change,))
    return Edits(
        {memory for memory, kind in found if kind == CONTENT}, {memory for memory, kind in found if kind == LINKS}
    )


def memories(store: Store, last: int, edited: Iterable[int]) -> Fresh:
    """Memories of rows above `last`, and of those of the edited rows that exist."""
    older = sorted(row for row in edited if row <= last)

    def read(select: str, row: str, order: str) -> list[tuple[Any, ...]]:
        found = store.query_in(f"{select} WHERE {row} IN ({{}}) ORDER BY {order}", older) if older else []
        return found + store.query(f"{select} WHERE {row} > ? ORDER BY {order}", (last,))

    return _fresh(store, read)


def portions(store: Store) -> Iterator[Fresh]:
    """All memories, some at a time, so that what is read never is in memory as a whole."""
    last = -_LAST
    while True:
        numbered = "SELECT max(row) FROM (SELECT row FROM memory WHERE row > ? ORDER BY row LIMIT ?)"
        end = store.query(numbered, (last, _PORTION))[0][0]
        if end is None:
            return

        def read(select: str, row: str, order: str, bounds: tuple[int, int] = (last, end)) -> list[tuple[Any, ...]]:
            return store.query(f"{select} WHERE {row} > ? AND {row} <= ? ORDER BY {order}", bounds)

        yield _fresh(store, read)
        last = end


def _fresh(store: Store, read: Callable[[str, str, str], list[tuple[Any, ...]]]) -> Fresh:
    names = ", ".join(_STORED.names)
    table = _table(read(f"SELECT {names} FROM memory", "row", "row"))
    rows = table["row"].to_numpy()
    mentions = read("SELECT memory, entity, confidence FROM mention", "memory", "memory, entity")
    owners = np.asarray([mention[0] for mention in mentions], np.int64)
    numbers = pa.array([mention[1] for mention in mentions], pa.int64())
    entities = _entities(store, numbers)
    lists = _offsets(rows, owners)
    named = entities["id"].combine_chunks().take(pc.index_in(numbers, entities["row"].combine_chunks()))
    sure = pa.array([mention[2] for mention in mentions], pa.float64())
    table = table.append_column(COLUMNS.field("entities"), pa.ListArray.from_arrays(lists, named))
    table = table.append_column(COLUMNS.field("confidences"), pa.ListArray.from_arrays(lists, sure))
    vectors = read("SELECT memory, data FROM vector", "memory", "memory")
    return Fresh(table, _vectors(rows, vectors), entities)


def links(store: Store, sources: Iterable[int]) -> pa.Table:
    """Explicit links from these rows: source, target (rows), relation, weight."""
    wanted = list(sources)
    select = "SELECT source, target, relation, weight FROM link"
    if not wanted or not store.query("SELECT 1 FROM link LIMIT 1"):
        return LINK.empty_table()
    found = store.query(select) if len(wanted) > _MANY else store.query_in(f"{select} WHERE source IN ({{}})", wanted)
    columns = list(zip(*found, strict=True)) if found else [()] * len(LINK)
    return pa.table([pa.array(column, kind.type) for column, kind in zip(columns, LINK, strict=True)], schema=LINK)


def spans(table: pa.Table) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Earliest and latest date of each row. One without a date lies after every window, and so in none."""
    times = [table[name].cast(pa.int64()) for name in ("occurred_start", "occurred_end", "mentioned_at")]

    def joined(missing: int) -> list[npt.NDArray[np.int64]]:
        return [pc.fill_null(column, missing).to_numpy() for column in times]

    return np.minimum.reduce(joined(_LAST)), np.maximum.reduce(joined(_FIRST))


def _table(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(_STORED)
    arrays = []
    for column, kind in zip(columns, _STORED, strict=True):
        if kind.name == "tags":
            # Most memories have the same few sets of tags: each is read once.
            coded = pa.array(column, pa.string()).dictionary_encode()
            lists = pa.array([json.loads(text) for text in coded.dictionary.to_pylist()], kind.type)
            arrays.append(lists.take(coded.indices))
        elif pa.types.is_timestamp(kind.type):
            arrays.append(pa.array(column, pa.int64()).cast(kind.type))
        else:
            arrays.append(pa.array(column, kind.type))
    return pa.table(arrays, schema=_STORED)


def _entities(store: Store, numbers: pa.Array) -> pa.Table:
    wanted = pc.unique(numbers).to_pylist()
    select = "SELECT row, namespace, key, type FROM entity"
    many = len(wanted) > _MANY
    found = store.query(select) if many else store.query_in(f"{select} WHERE row IN ({{}})", wanted)
    if many:
        known = set(wanted)
        found = [entity for entity in found if entity[0] in known]
    rows, namespaces, keys, kinds = zip(*found, strict=True) if found else ((), (), (), ())
    ids = [node(namespace, key) for namespace, key in zip(namespaces, keys, strict=True)]
    columns = (rows, ids, namespaces, keys, kinds)
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, ENTITIES, strict=True)]
    return pa.table(arrays, schema=ENTITIES)


def _offsets(rows: npt.NDArray[np.int64], owners: npt.NDArray[np.int64]) -> pa.Array:
    """Where the list of each row begins among values sorted by owner."""
    return pa.array(np.append(np.searchsorted(owners, rows), len(owners)).astype(np.int32))


def _vectors(rows: npt.NDArray[np.int64], found: Sequence[tuple[int, bytes]]) -> pa.Array:
    if not found:
        return pa.nulls(len(rows), pa.list_(pa.float32(), 1))
    dense = np.frombuffer(b"".join(data for _, data in found), np.float32).reshape(len(found), -1)
    missing = np.ones(len(rows), np.bool_)
    places = np.searchsorted(rows, np.asarray([row for row, _ in found], np.int64))
    missing[places] = False
    if missing.any():
        flat = np.zeros((len(rows), dense.shape[1]), np.float32)
        flat[places] = dense
        dense = flat
    mask = pa.array(missing) if missing.any() else None
    return pa.FixedSizeListArray.from_arrays(pa.array(dense.reshape(-1)), dense.shape[1], mask=mask)
