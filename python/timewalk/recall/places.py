"""Where a hit lies beside the window, and the window in words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from timewalk.recall.words import when

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit
    from timewalk.windows import Window

Place: TypeAlias = Literal["before", "inside", "after", "undated"]


def place(hit: Hit, window: Window | None) -> Place:
    """Where a hit lies: its span, or else its mention, touches the half-open window, or is over before it, or later.

    Without a window every dated hit counts as inside.
    """
    first = hit.when
    if first is None:
        return "undated"
    if window is None:
        return "inside"
    if window.end is not None and first >= window.end:
        return "after"
    return "inside" if touches(first, hit.occurred_end, window.start, window.end) else "before"


def touches(first: datetime, last: datetime | None, start: datetime | None, end: datetime | None) -> bool:
    """Whether a point in time, or a span from `first` up to and not including `last`, has a part in [start, end)."""
    if end is not None and first >= end:
        return False
    return start is None or first >= start or (last is not None and last > start)


def window_words(window: Window | None) -> str:
    """The window as people say it: first and last day (or instant) and the grain."""
    if window is None:
        return "none in the question"
    start, end = window.start, window.end
    if start is None and end is None:
        return "all time"
    if start is None:
        return f"before {when(end)}"
    if end is None:
        return f"from {when(start)} on"
    return f"{when(start, end)} ({window.grain})"


def dated(hit: Hit) -> str:
    """When a hit was, in the few characters of `when`."""
    if hit.occurred_start is None and hit.mentioned_at is not None:
        return when(hit.mentioned_at)
    return when(hit.occurred_start, hit.occurred_end)
