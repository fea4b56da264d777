"""The Apollo events as records that `Memory.add` takes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol

from timewalk.errors import InvalidValueError
from timewalk.times import from_micros, to_micros

NOW = datetime(1975, 12, 31, 12, tzinfo=UTC)
"""The day from which the demo looks back: after the last event."""

QUESTION = "What happened around the Apollo 13 launch in April 1970?"
"""What the demo asks unless told otherwise."""


class Adds(Protocol):
    """What `load` needs of a memory."""

    def add(self, records: list[dict[str, Any]], /) -> Any:
        """Take the records."""


def records() -> list[dict[str, Any]]:
    """All events, oldest first: id, text, occurred_start, occurred_end, tags, source, and `caused_by` where known.

    Times are aware datetimes in UTC. An event known to the second or minute has no end; one known to the day, month
    or year spans all of it, so that a vague date is not mistaken for the first instant of it.
    """
    text = files("timewalk.demo").joinpath("apollo.jsonl").read_text(encoding="utf-8")
    return [_dated(json.loads(line)) for line in text.splitlines() if line]


def load(memory: Adds) -> int:
    """Add all events to a `Memory` and return how many there are."""
    events = records()
    memory.add(events)
    return len(events)


def span(time: str) -> tuple[datetime, datetime | None]:
    """First and last second of "1965", "1970-03" or "1970-03-23"; an instant with a clock time has no end (None).

    Raises `InvalidValueError` for anything that is no ISO 8601 time.
    """
    start = from_micros(to_micros(time))
    if "T" in time:
        return start, None
    if len(time) == 4:
        after = start.replace(year=start.year + 1)
    elif len(time) == 7:
        after = (start + timedelta(days=31)).replace(day=1)
    elif len(time) == 10:
        after = start + timedelta(days=1)
    else:
        raise InvalidValueError(f"{time!r} is not a year, month, day or instant", column="occurred_start")
    return start, after - timedelta(seconds=1)


def _dated(event: dict[str, Any]) -> dict[str, Any]:
    start, end = span(event["occurred_start"])
    if "occurred_end" in event:
        first, last = span(event["occurred_end"])
        end = last or first
    return {**event, "occurred_start": start, "occurred_end": end}
