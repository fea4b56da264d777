"""Answers as JSON: the same keys every time, times in ISO 8601 with zone, null where there is none."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

from timewalk.cli.story import place

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit, Hits
    from timewalk.windows import Window


def answer(hits: Hits) -> dict[str, Any]:
    """One recall: question, now, window, notes and hits, best first."""
    return {
        "question": hits.query,
        "now": _iso(hits.now),
        "window": window(hits.window),
        "notes": list(hits.notes),
        "hits": [_hit(hit, number, hits.window) for number, hit in enumerate(hits, 1)],
    }


def window(found: Window | None) -> dict[str, Any] | None:
    """A window: start and end (null where open), grain, the characters of the question, and its anchor."""
    if found is None:
        return None
    return {
        "start": _iso(found.start),
        "end": _iso(found.end),
        "grain": found.grain,
        "span": list(found.span),
        "anchor": getattr(found, "anchor", None),
    }


def write(value: Any) -> None:
    """Prints JSON to stdout, in UTF-8 whatever the terminal's encoding is good for."""
    text = json.dumps(value, ensure_ascii=not _speaks_utf8(), indent=2, allow_nan=False)
    sys.stdout.write(text + "\n")


def _hit(hit: Hit, number: int, found: Window | None) -> dict[str, Any]:
    return {
        "rank": number,
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "place": place(hit, found) if found is not None else None,
        "occurred_start": _iso(hit.occurred_start),
        "occurred_end": _iso(hit.occurred_end),
        "mentioned_at": _iso(hit.mentioned_at),
        "created_at": _iso(hit.created_at),
        "namespace": hit.namespace,
        "fact_type": hit.fact_type,
        "thread": hit.thread,
        "author": hit.author,
        "tags": list(hit.tags),
        "metadata": dict(hit.metadata),
        "proximity": hit.proximity,
        "arms": {
            arm: {"rank": rank, "score": hit.scores.get(arm)}
            for arm, rank in sorted(hit.ranks.items(), key=lambda pair: (pair[1], pair[0]))
        },
        "path": [
            {"source": step.source, "target": step.target, "relation": step.relation, "weight": step.weight}
            for step in hit.path
        ],
    }


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def _speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
