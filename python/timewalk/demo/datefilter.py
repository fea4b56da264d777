"""What most memories offer: everything dated inside a window, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from timewalk.ingest.records import to_table
from timewalk.recall.places import touches
from timewalk.times import from_micros


def by_date(events: Iterable[Mapping[str, Any]], start: datetime | None, end: datetime | None) -> list[str]:
    """Ids of the records whose time touches the half-open window [start, end), oldest first; an open end is None.

    Records without a date are left out, as a date filter does.
    """
    table = to_table(list(events), now=from_micros(0))
    rows = zip(*(table[name].to_pylist() for name in ("occurred_start", "id", "occurred_end")), strict=True)
    return [id for first, id, last in sorted(filter(_dated, rows), key=_order) if touches(first, last, start, end)]


def _dated(row: tuple[Any, ...]) -> bool:
    return row[0] is not None


def _order(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[:2]
