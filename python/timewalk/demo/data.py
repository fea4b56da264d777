"""The Apollo events as records that `Memory.add` takes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Protocol

NOW = datetime(1975, 12, 31, 12, tzinfo=UTC)
"""The day from which the demo looks back: after the last event."""

QUESTION = "What happened around the Apollo 13 launch in April 1970?"
"""What the demo asks unless told otherwise."""


class Adds(Protocol):
    """What `load` needs of a memory."""

    def add(self, records: list[dict[str, Any]], /, *, now: datetime) -> Any:
        """Take the records, as stored at `now`."""


def records() -> list[dict[str, Any]]:
    """All events, oldest first: id, text, occurred_start, occurred_end, tags, source, and `caused_by` where known.

    Times are ISO 8601 strings in UTC. One known to the second or minute is an instant; one known to the day, month or
    year ("1970-03") names all of it, and `Memory.add` reads it so.
    """
    text = files("timewalk.demo").joinpath("apollo.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def load(memory: Adds, *, now: datetime = NOW) -> int:
    """Add all events to a `Memory` and return how many there are."""
    events = records()
    memory.add(events, now=now)
    return len(events)
