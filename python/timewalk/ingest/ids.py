"""Ids for memories that came without one: a hash of what they say, so that ingesting again changes nothing."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from hashlib import blake2b

import pyarrow as pa
import pyarrow.compute as pc

from timewalk.ingest.schema import bad_value

_HASHED = ("namespace", "thread", "author", "text", "occurred_start", "occurred_end", "mentioned_at", "created_at")


def fill_ids(ids: pa.Array, columns: dict[str, pa.Array], seen: MutableMapping[str, int] | None = None) -> pa.Array:
    """Gives rows without id the BLAKE2b hash (128 bit, hexadecimal) of namespace, thread, author, text and times.

    `created_at` counts as the caller gave it, not as it was filled in. The second of two equal records becomes
    "hash-2", and so on. `seen` counts hashes across the batches of one stream, so that the size of the batches does
    not change the ids; it is updated only when all went well. Ids that the caller gave twice are an error.
    """
    if ids.null_count:
        wanted = ids.is_null().to_pylist()
        given = ids.to_pylist()
        parts = [
            columns[name].to_pylist() if pa.types.is_string(columns[name].type) else _micros(columns[name])
            for name in _HASHED
        ]
        counts: dict[str, int] = {}
        for row, record in enumerate(zip(*parts, strict=True)):
            if wanted[row]:
                key = blake2b(json.dumps(record).encode(), digest_size=16).hexdigest()
                number = counts[key] = counts.get(key, (seen or {}).get(key, 0)) + 1
                given[row] = key if number == 1 else f"{key}-{number}"
        ids = pa.array(given, pa.string())
        refuse_duplicates(ids)
        if seen is not None:
            seen.update(counts)
    else:
        refuse_duplicates(ids)
    return ids


def _micros(column: pa.Array) -> list[int | None]:
    return list(column.cast(pa.int64()).to_pylist())


def refuse_duplicates(ids: pa.Array) -> None:
    """Raises `InvalidValueError` that names the second row of an id, if there is one."""
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    first: dict[str, int] = {}
    for row, name in enumerate(ids.to_pylist()):
        if name in first:
            raise bad_value(f"the id {name!r} is already the id of row {first[name]}", "id", row)
        first[name] = row
