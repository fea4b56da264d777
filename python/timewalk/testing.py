"""Hypothesis strategies for hits and access histories, for tests of code that weighs memories by time.

Needs `pip install hypothesis`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from timewalk.errors import MissingDependencyError

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingDependencyError("timewalk.testing needs a package: pip install hypothesis") from None

__all__ = ["access_histories", "hits", "moments"]

NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""The present of the strategies, unless told otherwise."""


def moments(*, now: datetime = NOW, oldest: timedelta = timedelta(days=3650), future: bool = True) -> Any:
    """Aware datetimes in UTC before `now`, with `future` up to a day after it too."""
    latest = now + timedelta(days=1) if future else now
    bounds = (now - oldest).replace(tzinfo=None), latest.replace(tzinfo=None)
    return st.datetimes(min_value=bounds[0], max_value=bounds[1], timezones=st.just(UTC))


@st.composite
def access_histories(
    draw: Any,
    *,
    now: datetime = NOW,
    keep: int = 10,
    oldest: timedelta = timedelta(days=3650),
    max_count: int = 10_000,
    empty: bool = True,
) -> dict[str, Any]:
    """Payloads of memories as `timewalk.touch` keeps them, consistent in themselves.

    `created_at` is not after any access; `recent_accesses` are at most `keep`, ascending; `last_access` is the latest;
    `historical_count` is at least their number, and larger only if `keep` are kept. With `empty`, some memories have
    never been accessed.
    """
    times = sorted(
        draw(st.lists(moments(now=now, oldest=oldest, future=False), min_size=0 if empty else 1, max_size=keep))
    )
    created = draw(moments(now=times[0] if times else now, oldest=oldest, future=False))
    count = draw(st.integers(keep, max(keep, max_count))) if len(times) == keep else len(times)
    return {
        "created_at": created,
        "last_access": times[-1] if times else None,
        "recent_accesses": times,
        "historical_count": count,
    }


@st.composite
def hits(
    draw: Any,
    *,
    now: datetime = NOW,
    min_size: int = 0,
    max_size: int = 30,
    queries: int = 3,
    missing: bool = True,
    keep: int = 10,
) -> list[dict[str, Any]]:
    """Lists of hits for `timewalk.rerank`: dicts with unique ids, a query, a similarity in [-1, 1] and a history.

    With `missing`, some have no similarity, no query or no times. A payload of their own rides along.
    """
    size = draw(st.integers(min_size, max_size))
    similarity = st.floats(-1.0, 1.0)
    query = st.integers(0, max(queries - 1, 0))
    out = []
    for number in range(size):
        hit = {
            "id": f"m{number}",
            "query_id": draw(st.none() | query if missing else query),
            "similarity": draw(st.none() | similarity if missing else similarity),
            "payload": {"text": draw(st.text(max_size=10))},
            **draw(access_histories(now=now, keep=keep, empty=missing)),
        }
        out.append(hit)
    return draw(st.permutations(out)) if out else out
