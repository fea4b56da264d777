"""The indexes over a store, kept in step with it: columns, keywords, vectors and the memory graph."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk._core import MemoryGraph
from timewalk.indexes.keyword import KeywordDocument, KeywordIndex
from timewalk.indexes.vectors import VectorIndex
from timewalk.ingest.identity import entity_key
from timewalk.ingest.inference import LinkRules
from timewalk.stores.sqlite import Store

ENTITY = "entity\x1f"
"""Start of an entity's node id in the graph; memories may not use it."""

_TIME = pa.timestamp("us", "UTC")
_COLUMNS = pa.schema(
    [
        ("row", pa.int64()),
        ("id", pa.string()),
        ("namespace", pa.string()),
        ("text", pa.string()),
        ("fact_type", pa.string()),
        ("thread", pa.string()),
        ("author", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("occurred_start", _TIME),
        ("occurred_end", _TIME),
        ("mentioned_at", _TIME),
        ("created_at", _TIME),
        ("invalid_at", pa.int64()),
    ]
)
_LAST = np.iinfo(np.int64).max
_FIRST = np.iinfo(np.int64).min


class Index:
    """What recall reads. `refresh` brings it up to the store; until then it answers from what it last saw.

    `columns` has one row a memory in the order of arrival; a memory's position in it is its place in the masks.
    """

    def __init__(self, store: Store, rules: LinkRules) -> None:
        self._store = store
        self._rules = rules
        self._change = -1
        self._rewrite: Any = None
        self._links: Any = None
        self._clear()

    def _clear(self) -> None:
        self.columns = _COLUMNS.empty_table()
        self.ids: list[str] = []
        self._positions: dict[str, int] = {}
        self.rows = np.zeros(0, np.int64)
        self.starts = np.zeros(0, np.int64)
        self.ends = np.zeros(0, np.int64)
        self.happened = np.zeros(0, np.bool_)
        self.authors: dict[str, str] = {}
        self.keywords = KeywordIndex()
        self.vectors: VectorIndex | None = None
        self.vector_positions = np.zeros(0, np.int64)
        self.entities: dict[tuple[str, str], str] = {}
        self.entity_keys: set[str] = set()
        self.namespaces: tuple[str, ...] = ()
        self.graph = MemoryGraph()

    def refresh(self) -> None:
        """Reads what the store has gained since the last call; starts anew where something old was changed."""
        if self._store.change() == self._change:
            return
        try:
            # Other processes may write between two queries: all of them must see one state.
            with self._store.reading():
                self._read()
        except BaseException:
            self._change, self._rewrite = -1, None
            self._clear()
            raise

    def _read(self) -> None:
        change = self._store.change()
        rewrite, links = self._store.meta("rewrite"), self._store.meta("links")
        if rewrite != self._rewrite:
            self._clear()
        last = int(self.rows[-1]) if len(self.rows) else 0
        fresh = _columns(self._store, last)
        if len(fresh) or rewrite != self._rewrite or links != self._links:
            self._extend(fresh, last)
        self._change, self._rewrite, self._links = change, rewrite, links

    def node(self, namespace: str, key: str) -> str:
        """The graph's node id of an entity."""
        return f"{ENTITY}{namespace}\x1f{key}"

    def position(self, id: str) -> int:
        """A memory's place in `columns` and the masks."""
        return self._positions[id]

    def author_key(self, id: str) -> str | None:
        """The identity key of a memory's author."""
        return self.authors.get(id)

    def _extend(self, fresh: pa.Table, last: int) -> None:
        start = len(self.ids)
        self.columns = pa.concat_tables([self.columns, fresh]).combine_chunks()
        self.ids += fresh["id"].to_pylist()
        self._positions.update((id, position) for position, id in enumerate(self.ids[start:], start))
        self.rows = np.concatenate([self.rows, fresh["row"].to_numpy()])
        documents = _documents(fresh, start)
        self.starts = np.concatenate([self.starts, np.asarray([document.start for document in documents], np.int64)])
        self.ends = np.concatenate([self.ends, np.asarray([document.end for document in documents], np.int64)])
        dated = pc.or_(pc.is_valid(fresh["occurred_start"]), pc.is_valid(fresh["occurred_end"]))
        self.happened = np.concatenate([self.happened, dated.to_numpy().astype(np.bool_)])
        self.authors.update(
            (id, entity_key(author))
            for id, author in zip(fresh["id"].to_pylist(), fresh["author"].to_pylist(), strict=True)
            if author is not None
        )
        self.keywords.add(documents)
        self._extend_vectors(last)
        self._build_graph()

    def _extend_vectors(self, last: int) -> None:
        found = self._store.query("SELECT memory, data FROM vector WHERE memory > ? ORDER BY memory", (last,))
        if not found:
            return
        vectors = np.frombuffer(b"".join(data for _, data in found), np.float32).reshape(len(found), -1)
        if self.vectors is None:
            self.vectors = VectorIndex(vectors.shape[1])
        positions = np.searchsorted(self.rows, np.asarray([row for row, _ in found], np.int64))
        self.vectors.add(vectors)
        self.vector_positions = np.concatenate([self.vector_positions, positions])

    def _build_graph(self) -> None:
        graph = MemoryGraph()
        for name, inverse, kind, boost in self._store.query("SELECT name, inverse, kind, boost FROM relation"):
            graph.register_relation(name, inverse=inverse, kind=kind, boost=boost)
        memories = self.columns.drop_columns(["row", "text", "invalid_at"])
        if self.vectors is not None:
            memories = memories.append_column("embedding", self._embeddings())
        graph.add_memories(memories)
        entities = self._store.query("SELECT row, namespace, key, type FROM entity ORDER BY row")
        nodes = {row: self.node(namespace, key) for row, namespace, key, _ in entities}
        self.entities = {(namespace, key): nodes[row] for row, namespace, key, _ in entities}
        self.entity_keys = {key for _, key in self.entities}
        self.namespaces = tuple(pc.unique(self.columns["namespace"]).to_pylist())
        graph.add_entities(
            pa.table(
                {
                    "id": pa.array(nodes.values(), pa.string()),
                    "namespace": pa.array([namespace for _, namespace, _, _ in entities], pa.string()),
                    "type": pa.array([kind for _, _, _, kind in entities], pa.string()),
                }
            )
        )
        for edges in self._edges(nodes):
            if len(edges):
                graph.add_edges(edges.select(["source", "target", "relation", "weight"]))
        self.graph = graph

    def _edges(self, nodes: dict[int, str]) -> list[pa.Table]:
        id_of = dict(zip(self.rows.tolist(), self.ids, strict=True))
        links = self._store.query("SELECT source, target, relation, weight FROM link")
        mentions = self._store.query("SELECT memory, entity, confidence FROM mention ORDER BY memory, entity")
        mentioning = pa.table(
            {
                "memory": pa.array([id_of[memory] for memory, _, _ in mentions], pa.string()),
                "entity": pa.array([nodes[entity] for _, entity, _ in mentions], pa.string()),
                "confidence": pa.array([confidence for _, _, confidence in mentions], pa.float64()),
            }
        )
        explicit = pa.table(
            {
                "source": pa.array([id_of[source] for source, _, _, _ in links], pa.string()),
                "target": pa.array([id_of[target] for _, target, _, _ in links], pa.string()),
                "relation": pa.array([relation for _, _, relation, _ in links], pa.string()),
                "weight": pa.array([weight for _, _, _, weight in links], pa.float64()),
            }
        )
        return [explicit, self._rules.infer(self.columns, mentioning)]

    def _embeddings(self) -> pa.Array:
        assert self.vectors is not None
        units = self.vectors.units
        flat = np.zeros((len(self.ids), units.shape[1]), np.float32)
        flat[self.vector_positions] = units
        missing = np.ones(len(self.ids), np.bool_)
        missing[self.vector_positions] = False
        return pa.FixedSizeListArray.from_arrays(
            pa.array(flat.reshape(-1)), units.shape[1], mask=pa.array(missing) if missing.any() else None
        )


def _columns(store: Store, last: int) -> pa.Table:
    names = ", ".join(_COLUMNS.names)
    rows = store.query(f"SELECT {names} FROM memory WHERE row > ? ORDER BY row", (last,))
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(_COLUMNS)
    arrays = []
    for column, field in zip(columns, _COLUMNS, strict=True):
        values = [json.loads(value) for value in column] if field.name == "tags" else list(column)
        if field.type == _TIME:
            arrays.append(pa.array(values, pa.int64()).cast(_TIME))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.table(arrays, schema=_COLUMNS)


def _documents(table: pa.Table, start: int) -> list[KeywordDocument]:
    """Documents by position. One without a date lies after every window, and so in none."""
    times = {
        name: table[name].cast(pa.int64()).to_pylist() for name in ("occurred_start", "occurred_end", "mentioned_at")
    }
    documents = []
    rows = zip(
        *(table[name].to_pylist() for name in ("text", "namespace", "fact_type", "tags", "invalid_at")),
        *times.values(),
        strict=True,
    )
    for position, (text, namespace, fact_type, tags, invalid, begin, end, mentioned) in enumerate(rows, start):
        dates = [date for date in (begin, end, mentioned) if date is not None]
        documents.append(
            KeywordDocument(
                position,
                text,
                namespace,
                fact_type,
                tags,
                min(dates, default=_LAST),
                max(dates, default=_FIRST),
                _LAST if invalid is None else invalid,
            )
        )
    return documents
