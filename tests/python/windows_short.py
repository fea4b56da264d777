"""Windows as tests like to read them."""

from __future__ import annotations

from datetime import datetime

import timewalk as tw


def reading(text: str, now: datetime | str, **options: object) -> tuple[str | None, str | None] | None:
    """Start and end of the window of a text as short strings, None for an open end; None if there is no window."""
    window = tw.find_window(text, now=now, **options)  # type: ignore[arg-type]
    return None if window is None else (_short(window.start), _short(window.end))


def _short(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")
