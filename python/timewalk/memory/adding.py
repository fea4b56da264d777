"""Writing a table of records into a store: vectors, mentions and links first, then one transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.embedders import Embedder
from timewalk.errors import EmbedderError, InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.entities import EntityExtractor, Mention
from timewalk.ingest.identity import entity_key
from timewalk.memory.linking import Relations
from timewalk.stores.memories import (
    LinkRow,
    MentionRow,
    add_links,
    note_edits,
    rows_of,
    set_mentions,
    set_vectors,
    stored,
    upsert,
)
from timewalk.stores.sqlite import MemoryRow, Store

Progress = Callable[[int, int], None]
"""Called with the number of records done and of all."""

_BATCH = 1024  # texts a call to the embedder and to the extractor, so that progress moves
_AUTHOR_TYPE = "person"


@dataclass(frozen=True)
class Addition:
    """Everything that one `add` will write, worked out before the first write."""

    rows: list[MemoryRow]
    vectors: list[npt.NDArray[np.float32] | None]
    mentions: list[list[MentionRow]]
    changed: list[int]
    links: list[tuple[int, str, str, str]]  # position, other id, relation, column


class Added(list[str]):
    """The ids of what was added, in order, and how many of them were `new`, `changed` and `unchanged`.

    One whose text and columns are as they were counts as unchanged, though it may have gained links.
    """

    def __init__(self, ids: Sequence[str] = (), *, new: int = 0, changed: int = 0) -> None:
        super().__init__(ids)
        self.new = new
        self.changed = changed

    @property
    def unchanged(self) -> int:
        """How many were in the store already, just so."""
        return len(self) - self.new - self.changed


def prepare(
    store: Store,
    table: pa.Table,
    *,
    now: int,
    embedder: Embedder | None,
    extractor: EntityExtractor | None,
    progress: Progress | None,
) -> Addition:
    """Works out the rows to write; `changed` holds the positions that differ from what is stored.

    Texts that have not changed are neither embedded nor read for entities again.
    """
    columns = {name: table[name].to_pylist() for name in ("id", "namespace", "text", "fact_type", "thread", "author")}
    before = stored(store, columns["id"])
    rows = _memory_rows(table, columns, before, now)
    embedded = (
        {id for (id,) in store.query_in("SELECT id FROM memory JOIN vector ON memory = row WHERE id IN ({})", before)}
        if before
        else set()
    )
    given = table["embedding"].to_pylist()
    changed = [
        position
        for position, row in enumerate(rows)
        if before.get(row.id) != row or given[position] is not None or (embedder is not None and row.id not in embedded)
    ]
    texts = [rows[position].text for position in changed]
    entities = table["entities"].to_pylist()
    vectors: list[npt.NDArray[np.float32] | None] = []
    mentions: list[list[MentionRow]] = []
    dimension = store.meta("dimension")
    for start in range(0, len(texts), _BATCH):
        part = slice(start, start + _BATCH)
        vectors += _embed(embedder, dimension, texts[part], [given[p] for p in changed[part]], changed[part])
        dimension = dimension or next((len(v) for v in vectors if v is not None), None)
        found = _extract(extractor, texts[part])
        for position, extracted in zip(changed[part], found, strict=True):
            mentions.append(_mentions(extracted, entities[position], rows[position].author))
        if progress is not None:
            progress(min(start + _BATCH, len(texts)), len(texts))
    links = [
        (position, other, relation, relation)
        for relation in ("causes", "caused_by")
        for position, others in enumerate(table[relation].to_pylist())
        for other in others or ()
    ]
    return Addition(rows, vectors, mentions, changed, links)


def _extract(extractor: EntityExtractor | None, texts: list[str]) -> Sequence[Sequence[Mention]]:
    if extractor is None:
        return [[] for _ in texts]
    found = extractor(texts)
    if not isinstance(found, Sequence) or len(found) != len(texts):
        given = f"{len(found)} lists" if isinstance(found, Sequence) else type(found).__name__
        raise InvalidValueError(f"an extractor gives one list of mentions a text: {len(texts)} texts, but {given}")
    for mentions in found:
        if not isinstance(mentions, Sequence) or not all(isinstance(mention, Mention) for mention in mentions):
            raise InvalidTypeError(f"an extractor gives lists of Mention (timewalk.ingest.mentions), not {mentions!r}")
    return found


def write(store: Store, addition: Addition, *, embedder: Embedder | None, relations: Relations) -> Added:
    """Writes an addition in one transaction and counts; on any error nothing of it is stored."""
    with store.transaction() as connection:
        changed = [addition.rows[position] for position in addition.changed]
        taken = rows_of(store, [row.id for row in changed])
        for position, row in zip(addition.changed, changed, strict=True):
            _, namespace = taken.get(row.id, (0, row.namespace))
            if namespace != row.namespace:
                raise InvalidValueError(
                    f"the id {row.id!r} belongs to the namespace {namespace!r} already (column 'id', row {position}); "
                    "ids are unique in a store",
                    column="id",
                    row=position,
                )
        numbers = upsert(connection, changed)
        note_edits(connection, (row for row, _ in taken.values()))
        remember_vectors(store, connection, addition.vectors, embedder)
        set_vectors(connection, numbers, addition.vectors)
        set_mentions(connection, numbers, [row.namespace for row in changed], addition.mentions)
        add_links(connection, _links(store, addition, relations))
    return Added([row.id for row in addition.rows], new=len(changed) - len(taken), changed=len(taken))


def remember_vectors(
    store: Store,
    connection: sqlite3.Connection,
    vectors: Sequence[npt.NDArray[np.float32] | None],
    embedder: Embedder | None,
) -> None:
    """Fixes the store's dimension with its first vector, and its embedder with the first one used."""
    dimension = store.meta("dimension")
    for vector in vectors:
        if vector is None:
            continue
        if dimension is None:
            dimension = len(vector)
            connection.execute("INSERT INTO meta VALUES ('dimension', ?)", (dimension,))
        if len(vector) != dimension:
            raise InvalidValueError(
                f"the vectors of this store have {dimension} dimensions, not {len(vector)} (column 'embedding')",
                column="embedding",
            )
    if embedder is not None and store.meta("embedder") is None:
        connection.execute("INSERT INTO meta VALUES ('embedder', ?)", (embedder.name,))


def _memory_rows(
    table: pa.Table, columns: dict[str, list[str]], before: dict[str, MemoryRow], now: int
) -> list[MemoryRow]:
    times = {
        name: table[name].cast(pa.int64()).to_pylist()
        for name in ("occurred_start", "occurred_end", "mentioned_at", "created_at")
    }
    accesses = table["recent_accesses"].cast(pa.list_(pa.int64())).to_pylist()
    counts = table["historical_count"].to_pylist()
    tags = table["tags"].to_pylist()
    metadata = table["metadata"].to_pylist()
    rows = []
    for position, id in enumerate(columns["id"]):
        old = before.get(id)
        created = times["created_at"][position]
        seen = accesses[position]
        count = counts[position]
        rows.append(
            MemoryRow(
                id,
                columns["namespace"][position],
                columns["text"][position],
                columns["fact_type"][position],
                columns["thread"][position],
                columns["author"][position],
                json.dumps(tags[position] or [], ensure_ascii=False),
                times["occurred_start"][position],
                times["occurred_end"][position],
                times["mentioned_at"][position],
                # What a record leaves out, a memory keeps: adding it again must not make it young or forget its use.
                old.created_at if old and created == now else created,
                json.dumps(seen) if seen is not None else old.recent_accesses if old else "[]",
                count if count is not None else old.historical_count if old else len(seen or ()),
                old.invalid_at if old else None,
                metadata[position],
            )
        )
    return rows


def _embed(
    embedder: Embedder | None,
    dimension: int | None,
    texts: Sequence[str],
    given: Sequence[list[float] | None],
    positions: Sequence[int],
) -> list[npt.NDArray[np.float32] | None]:
    vectors: list[npt.NDArray[np.float32] | None] = [
        None if vector is None else np.asarray(vector, np.float32) for vector in given
    ]
    for vector, position in zip(vectors, positions, strict=True):
        if vector is not None and dimension is not None and len(vector) != dimension:
            raise InvalidValueError(
                f"the vectors of this store have {dimension} dimensions, not {len(vector)} "
                f"(column 'embedding', row {position})",
                column="embedding",
                row=position,
            )
    if embedder is None:
        return vectors
    missing = [at for at, vector in enumerate(vectors) if vector is None]
    try:
        made = embedder([texts[at] for at in missing], dimension=dimension)
    except EmbedderError as error:
        if error.row is None:
            raise
        raise EmbedderError(error.message, column="text", row=positions[missing[error.row]]) from error
    for at, vector in zip(missing, made, strict=True):
        vectors[at] = vector
    return vectors


def _mentions(
    extracted: Sequence[Mention], given: Sequence[dict[str, str]] | None, author: str | None
) -> list[MentionRow]:
    found: dict[str, MentionRow] = {}
    # What the caller says comes first and is certain; what was read in the text fills up.
    named = [(entity["name"], entity["type"] or "thing", 1.0) for entity in given or ()]
    if author:
        named.append((author, _AUTHOR_TYPE, 1.0))
    named += [(mention.name, mention.type, mention.confidence) for mention in extracted]
    for name, kind, confidence in named:
        key = entity_key(name)
        if key and key not in found:
            found[key] = MentionRow(key, name, kind, confidence)
    return list(found.values())


def _links(store: Store, addition: Addition, relations: Relations) -> list[LinkRow]:
    ids = {row.id for row in addition.rows} | {other for _, other, _, _ in addition.links}
    rows = rows_of(store, ids) if addition.links else {}
    links = []
    for position, other, relation, column in addition.links:
        own = addition.rows[position]
        if other not in rows:
            raise UnknownIdError(
                f"there is no memory {other!r} (column '{column}', row {position}); add it first or in the same call",
                column=column,
                row=position,
            )
        number, namespace = rows[other]
        relations.check_ends(own.id, own.namespace, other, namespace, column=column, row=position)
        links.append(LinkRow(rows[own.id][0], number, relation, 1.0, "record"))
    return links
