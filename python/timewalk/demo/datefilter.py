"""What most memories offer: everything dated inside a window, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any


def by_date(
    events: Iterable[Mapping[str, Any]], start: datetime | None, end: datetime | None
) -> list[Mapping[str, Any]]:
    """The events whose span touches the half-open window [start, end), oldest first; an open end is None.

    Events without a date are left out, as a date filter does.
    """
    inside = [event for event in events if _touches(event, start, end)]
    return sorted(inside, key=lambda event: (event["occurred_start"], event["id"]))


def _touches(event: Mapping[str, Any], start: datetime | None, end: datetime | None) -> bool:
    first = event.get("occurred_start")
    if first is None:
        return False
    last = event.get("occurred_end") or first
    return bool((end is None or first < end) and (start is None or last >= start))
