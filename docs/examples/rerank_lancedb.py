"""LanceDB (embedded): query, weigh by time, write back what was used, all in Arrow. Needs `pip install lancedb`."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

import lancedb
import pyarrow as pa

import timewalk as tw

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
STAMP = pa.timestamp("us", tz="UTC")
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "vector": pa.list_(pa.float32(), 3),
        "text": pa.string(),
        "created_at": STAMP,
        "last_access": STAMP,
        "recent_accesses": pa.list_(STAMP),
        "historical_count": pa.int64(),
    }
)


def store(folder: str) -> Any:
    """Two notes: the better match was used once, long ago."""
    notes = []
    for id, vector, text, ages in [
        ("once", [1.0, 0.0, 0.0], "Try the other parser", [300]),
        ("often", [1.0, 0.3, 0.0], "The parser fails on tabs", [30, 20, 10, 2]),
    ]:
        accesses = [NOW - timedelta(days=age) for age in ages]
        notes.append(
            {
                "id": id,
                "vector": vector,
                "text": text,
                "created_at": accesses[0],
                "last_access": accesses[-1],
                "recent_accesses": accesses,
                "historical_count": len(accesses),
            }
        )
    return lancedb.connect(folder).create_table("notes", pa.Table.from_pylist(notes, schema=SCHEMA))


def recall(table: Any, now: datetime, k: int = 1) -> pa.Table:
    """The best notes, weighed as people remember, and marked as used."""
    hits = table.search([1.0, 0.0, 0.0]).distance_type("cosine").limit(50).to_arrow()
    best = tw.rerank(hits, tw.ACTR(), now=now, k=k, similarity="_distance", distance="cosine", temporal_weight=0.2)
    used = tw.touch(best.select(SCHEMA.names).to_pylist(), now=now)
    table.merge_insert("id").when_matched_update_all().execute(pa.Table.from_pylist(used, schema=SCHEMA))
    return best


def main() -> None:
    """Two questions: the second sees that the first was answered."""
    with tempfile.TemporaryDirectory() as folder:
        table = store(folder)
        for hours in (0, 1):
            best = recall(table, NOW + timedelta(hours=hours)).to_pylist()[0]
            print(f"{best['score']:6.2f}  {best['text']}  (activation {best['temporal_weight']:.2f})")


if __name__ == "__main__":
    main()
