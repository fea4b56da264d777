"""Languages that are not built in, through the optional package dateparser: points in time only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from timewalk import _core
from timewalk.errors import InvalidValueError, MissingDependencyError
from timewalk.times import from_micros, to_micros, zone
from timewalk.windows.window import Window

_PREFER = {"past": "past", "future": "future", "nearest": "current_period"}


@cache
def built_in(locale: str) -> bool:
    """Whether the core knows a language; a region such as "-GB" does not matter."""
    return locale.replace("_", "-").split("-")[0].lower() in _core.window_languages()


def foreign_windows(text: str, now: int, tz: str, prefer: str, locale: str) -> list[Window]:
    """What dateparser finds in a text: a day where no time of day is said, else the minute.

    Ranges, open ends, months and years as such are beyond it. Raises `MissingDependencyError` without the package and
    `InvalidValueError` for a language that it does not know either.
    """
    try:
        from dateparser.search import search_dates
    except ImportError:
        known = ", ".join(_core.window_languages())
        raise MissingDependencyError(
            f"no language {locale!r} is built in; there are {known}; others need the package dateparser: "
            "pip install dateparser"
        ) from None
    if prefer not in _PREFER:
        raise InvalidValueError(f"prefer is 'past', 'future' or 'nearest', not {prefer!r}")
    local = from_micros(now).astimezone(zone(tz))
    settings: dict[str, Any] = {
        "RELATIVE_BASE": local.replace(tzinfo=None),
        "PREFER_DATES_FROM": _PREFER[prefer],
        "RETURN_TIME_AS_PERIOD": True,
    }
    try:
        found = search_dates(text, languages=[locale.split("-")[0]], settings=settings) or []
    except ValueError as error:
        raise InvalidValueError(f"no language {locale!r}: {error}") from None
    windows: list[Window] = []
    place = 0
    for said, time in found:
        at = text.find(said, place)
        if at < 0:
            continue
        place = at + len(said)
        windows.append(_point(time, said, at, local, tz))
    return windows


def _point(time: datetime, said: str, at: int, base: datetime, tz: str) -> Window:
    # What dateparser was not told, it takes from the base.
    clock = time.time() not in (base.time(), datetime.min.time())
    step = timedelta(minutes=1) if clock else timedelta(days=1)
    start = time.replace(second=0, microsecond=0) if clock else datetime(time.year, time.month, time.day)
    start = start if start.tzinfo is not None else start.replace(tzinfo=zone(tz))
    return Window.from_micros(
        to_micros(start),
        to_micros((start + step).astimezone(UTC)),
        grain="minute" if clock else "day",
        span=(at, at + len(said)),
        text=said,
    )
