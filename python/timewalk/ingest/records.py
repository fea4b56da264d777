"""Records of any form to the canonical table of memories: validated as a whole, or refused as a whole."""

from __future__ import annotations

from collections.abc import MutableMapping
from datetime import tzinfo
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timewalk.ingest.columns import counts, entities, string_lists, strings
from timewalk.ingest.ids import fill_ids
from timewalk.ingest.instants import instant_lists, spans
from timewalk.ingest.schema import ENTITY, SCHEMA, TIMESTAMP, bad_value
from timewalk.ingest.sources import Columns, columns_of
from timewalk.ingest.vectors import vectors
from timewalk.times import TimeLike, to_micros

DEFAULT_NAMESPACE = "default"


def to_table(
    records: Any,
    *,
    tz: str | tzinfo = "UTC",
    now: TimeLike | None = None,
    seen: MutableMapping[str, int] | None = None,
) -> pa.Table:
    """The canonical table (`timewalk.ingest.schema.SCHEMA`) of records of any form.

    `records`: a mapping, an iterable of mappings, an Arrow table, batch, reader or struct array (any object with the
    PyCapsule interface), a pandas or a polars frame. Only `text` is required. What each column takes:

    - `id`: string or integer (its decimal string). Missing: a hash of namespace, thread, author, text and times, the
      same on every run; a second equal record of the batch gets "-2", and so on (`seen` carries these counts from
      one batch of a stream to the next).
    - `namespace`: missing or blank is "default". `fact_type`, `thread`, `author`: blank is null.
    - `occurred_start`, `occurred_end`: a datetime, date, Arrow time or ISO 8601 string. A naive time is read in `tz`.
      A year, month, week or day ("1970", "1970-04", "1970-W15", "1970-04-11", a date) names the whole of it: as
      start without an end it gives both, and as end it means the end of what it names. A date alone gives the day of
      `tz`. An end without start is a point in time (or all of what it names). An end before its start is an error.
    - `mentioned_at`, `created_at`, `recent_accesses` (a list): the same forms, read as their first instant.
      `created_at` is `now` where missing; where `now` is None too it stays null, so that a store can keep the time
      of the memory it already has. The wall clock is never read.
    - `embedding`: finite numbers, one size for all rows that have one. `historical_count`: a whole number from 0.
    - `tags`, `causes`, `caused_by`: lists of strings; a lone string is one item. A memory is not its own cause.
    - `entities`: names, (name, type) pairs or mappings of `name` and `type`.
    - `metadata`: a mapping or the JSON of one. Every key without a column of its own joins it. `files`, a list of
      names, stays there and also counts as entities of type "file".

    Raises `InvalidTypeError` or `InvalidValueError`, with `row` and `column`, and then has changed nothing.
    """
    given = columns_of(records)
    columns: dict[str, pa.Array] = {
        "namespace": pc.fill_null(strings(given.get("namespace"), "namespace"), DEFAULT_NAMESPACE),
        "text": _texts(given),
        "fact_type": strings(given.get("fact_type"), "fact_type"),
        "thread": strings(given.get("thread"), "thread", numbers=True),
        "author": strings(given.get("author"), "author"),
        "tags": string_lists(given.get("tags"), "tags"),
        "mentioned_at": spans(given.get("mentioned_at"), "mentioned_at", tz)[0],
        "created_at": spans(given.get("created_at"), "created_at", tz)[0],
        "embedding": vectors(given.get("embedding")),
        "entities": _with_files(entities(given.get("entities"), "entities"), string_lists(given.get("files"), "files")),
        "causes": string_lists(given.get("causes"), "causes"),
        "caused_by": string_lists(given.get("caused_by"), "caused_by"),
        "recent_accesses": instant_lists(given.get("recent_accesses"), "recent_accesses", tz),
        "historical_count": counts(given.get("historical_count"), "historical_count"),
        "metadata": given.metadata,
    }
    columns["occurred_start"], columns["occurred_end"] = _occurrence(given, tz)
    ids = strings(given.get("id"), "id", numbers=True)
    for name in ("causes", "caused_by"):
        _refuse_own(ids, columns[name], name)
    columns["id"] = fill_ids(ids, columns, seen)
    if now is not None:
        stamp = pa.scalar(to_micros(now), pa.int64()).cast(TIMESTAMP)
        columns["created_at"] = pc.fill_null(columns["created_at"], stamp)
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _texts(given: Columns) -> pa.Array:
    if "text" not in given.known and given.rows:
        raise bad_value("every memory needs a text", "text", 0)
    texts = strings(given.get("text"), "text")
    if texts.null_count:
        raise bad_value("every memory needs a text that is not blank", "text", pc.index(texts.is_null(), True).as_py())
    return texts


def _occurrence(given: Columns, tz: str | tzinfo) -> tuple[pa.Array, pa.Array]:
    start, whole = spans(given.get("occurred_start"), "occurred_start", tz)
    until, after = spans(given.get("occurred_end"), "occurred_end", tz)
    end = pc.coalesce(after, until)
    # An end named by its day ends with that day, which must reach past the start.
    wrong = pc.or_kleene(pc.less(end, start), pc.less_equal(after, start))
    at = pc.index(pc.fill_null(wrong, False), True).as_py()
    if at >= 0:
        raise bad_value(f"the end ({until[at]}) is before the start ({start[at]})", "occurred_end", at)
    start = pc.coalesce(start, until)
    end = pc.coalesce(end, whole)
    return start, end


def _refuse_own(ids: pa.Array, lists: pa.Array, column: str) -> None:
    if lists.null_count == len(lists):
        return
    rows = pc.list_parent_indices(lists)
    own = pc.index(pc.equal(ids.take(rows), lists.flatten()), True).as_py()
    if own >= 0:
        row = rows[own].as_py()
        raise bad_value(f"the memory {ids[row].as_py()!r} is given as its own cause", column, row)


def _with_files(found: pa.Array, files: pa.Array) -> pa.Array:
    if files.null_count == len(files):
        return found
    if found.null_count < len(found):
        both = [_joined(own, names) for own, names in zip(found.to_pylist(), files.to_pylist(), strict=True)]
        return pa.array(both, found.type)
    names = files.flatten()
    kinds = pa.repeat(pa.scalar("file"), len(names))
    items = pa.StructArray.from_arrays([names, kinds], fields=list(ENTITY))
    return pa.ListArray.from_arrays(files.offsets, items, mask=files.is_null())


def _joined(own: list[dict[str, str | None]] | None, names: list[str] | None) -> list[dict[str, str | None]] | None:
    if not names:
        return own
    known = {item["name"] for item in own or []}
    added: list[dict[str, str | None]] = [{"name": name, "type": "file"} for name in names if name not in known]
    return [*(own or []), *added]
