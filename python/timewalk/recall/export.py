"""Hits as Arrow tables and as plain dicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit, Hits, Step
    from timewalk.windows import Window

_TIME = pa.timestamp("us", "UTC")
_STEP = pa.struct(
    [("source", pa.string()), ("target", pa.string()), ("relation", pa.string()), ("weight", pa.float64())]
)
_NUMBERS = pa.map_(pa.string(), pa.float64())
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("score", pa.float64()),
        ("scores", _NUMBERS),
        ("ranks", pa.map_(pa.string(), pa.int32())),
        ("occurred_start", _TIME),
        ("occurred_end", _TIME),
        ("mentioned_at", _TIME),
        ("created_at", _TIME),
        ("namespace", pa.string()),
        ("fact_type", pa.string()),
        ("thread", pa.string()),
        ("author", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("path", pa.list_(_STEP)),
        ("proximity", pa.float64()),
        ("activation", pa.float64()),
        ("factors", _NUMBERS),
    ]
)


def table(hits: Sequence[Hit]) -> pa.Table:
    """One row a hit."""
    return pa.Table.from_pylist([row(hit) for hit in hits], schema=SCHEMA)


def row(hit: Hit) -> dict[str, Any]:
    """A hit as Python values, times as datetimes."""
    return {
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "scores": dict(hit.scores),
        "ranks": dict(hit.ranks),
        "occurred_start": hit.occurred_start,
        "occurred_end": hit.occurred_end,
        "mentioned_at": hit.mentioned_at,
        "created_at": hit.created_at,
        "namespace": hit.namespace,
        "fact_type": hit.fact_type,
        "thread": hit.thread,
        "author": hit.author,
        "tags": list(hit.tags),
        "path": [_step(step) for step in hit.path],
        "proximity": hit.proximity,
        "activation": hit.activation,
        "factors": dict(hit.factors),
    }


def answer(hits: Hits) -> dict[str, Any]:
    """All of an answer, ready for JSON."""
    return {
        **_head(hits),
        "hits": [
            {
                "rank": rank,
                "id": hit.id,
                "text": hit.text,
                "occurred_start": iso(hit.occurred_start),
                "occurred_end": iso(hit.occurred_end),
                "mentioned_at": iso(hit.mentioned_at),
                "created_at": iso(hit.created_at),
                "namespace": hit.namespace,
                "fact_type": hit.fact_type,
                "thread": hit.thread,
                "author": hit.author,
                "tags": list(hit.tags),
                "metadata": dict(hit.metadata),
                **reasons(hit),
            }
            for rank, hit in enumerate(hits, 1)
        ],
    }


def explanation(hits: Hits) -> dict[str, Any]:
    """The reasons of all hits, ready for JSON."""
    return {**_head(hits), "hits": [{"rank": rank, **reasons(hit)} for rank, hit in enumerate(hits, 1)]}


def reasons(hit: Hit) -> dict[str, Any]:
    """Why a hit is there, ready for JSON."""
    return {
        "id": hit.id,
        "score": hit.score,
        "arms": {
            arm: {"rank": rank, "score": hit.scores.get(arm)}
            for arm, rank in sorted(hit.ranks.items(), key=lambda pair: (pair[1], pair[0]))
        },
        "seed": hit.seed,
        "path": [_step(step) for step in hit.path],
        "activation": hit.activation,
        "proximity": hit.proximity,
        "factors": factors(hit),
    }


def factors(hit: Hit) -> dict[str, float]:
    """What the score was made with besides the arms, the temporal weight of an engine among it."""
    return {**hit.factors, **{name: score for name, score in hit.scores.items() if name not in hit.ranks}}


def iso(time: datetime | None) -> str | None:
    """A time in UTC as ISO 8601."""
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def window(found: Window | None) -> dict[str, Any] | None:
    """A window as it was read: start and end (null where open), grain, the words and where they stand, its anchor."""
    if found is None:
        return None
    return {
        "start": iso(found.start),
        "end": iso(found.end),
        "grain": found.grain,
        "text": found.text,
        "span": list(found.span),
        "margin_seconds": found.margin.total_seconds(),
        "anchor": found.anchor,
    }


def _head(hits: Hits) -> dict[str, Any]:
    return {
        "question": hits.query,
        "now": iso(hits.now),
        "window": window(hits.window),
        "notes": list(hits.notes),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"source": step.source, "target": step.target, "relation": step.relation, "weight": step.weight}
