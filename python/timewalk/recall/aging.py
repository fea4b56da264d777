"""Recalled memories weighed by time: the last step before the cut, so that no other score can undo it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from timewalk.decay import Engine
from timewalk.recall.combine import Combined
from timewalk.reranking import rerank
from timewalk.stores.sqlite import MemoryRow
from timewalk.times import from_micros


def weigh(
    pool: Sequence[Combined], rows: Mapping[str, MemoryRow], engine: Engine | Sequence[Engine], *, now: int
) -> list[Combined]:
    """A pool after `rerank` by an engine, best first; the temporal weight joins the scores under "decay".

    A memory that lacks the engine's times comes after all that have them, with its score as it was.
    """
    if not pool:
        return []
    weighed = rerank([_hit(entry, rows[entry.id]) for entry in pool], engine, now=from_micros(now))
    return [
        hit["entry"]._replace(
            score=hit["similarity"] if hit["score"] is None else hit["score"],
            scores=hit["entry"].scores
            if hit["temporal_weight"] is None
            else {**hit["entry"].scores, "decay": hit["temporal_weight"]},
        )
        for hit in weighed
    ]


def _hit(entry: Combined, row: MemoryRow) -> dict[str, Any]:
    accesses = [from_micros(micros) for micros in json.loads(row.recent_accesses)]
    created = from_micros(row.created_at)
    times = {
        name: None if micros is None else from_micros(micros)
        for name, micros in (
            ("occurred_start", row.occurred_start),
            ("occurred_end", row.occurred_end),
            ("mentioned_at", row.mentioned_at),
        )
    }
    return {
        "id": entry.id,
        "entry": entry,
        "similarity": entry.score,
        "last_access": accesses[-1] if accesses else created,
        # Being stored is the first access: a memory that was never used has a history of one.
        "recent_accesses": accesses or [created],
        "historical_count": max(row.historical_count, 1),
        "created_at": created,
        **times,
    }
