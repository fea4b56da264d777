"""Times and texts in the few characters that a terminal has for them."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """Text on one line, without characters that would steer the terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())


def headline(text: str, width: int) -> str:
    """The beginning of a text, at most `width` characters, cut between words and marked with "…"."""
    text = plain(text)
    if len(text) <= width:
        return text
    cut = text[: max(width - 1, 1)]
    space = cut.rfind(" ")
    return cut[: space if space > width // 2 else len(cut)].rstrip(" ,;:.–-") + "…"


def when(start: datetime | None, end: datetime | None = None) -> str:
    """A time, or a span from first to last second, no finer than it is: "1965", "1970-03", "1970-03-28 14:00"."""
    if start is None:
        return "undated" if end is None else f"until {when(end)}"
    if end is None or end <= start:
        return _instant(start)
    whole = _whole(start, end)
    if whole is not None:
        return whole
    if _starts_day(start) and _ends_day(end):
        return f"{start:%Y-%m-%d} to {end:%Y-%m-%d}"
    first, last = _instant(start), _instant(end)
    return f"{first} to {last[11:] if first[:10] == last[:10] and len(last) > 10 else last}"


def month(time: datetime) -> str:
    """A month as a tick on an axis of time: "Apr 1970"."""
    return f"{_MONTHS[time.month - 1]} {time.year}"


def day(start: datetime, end: datetime | None = None) -> str:
    """A time beside an axis that shows the months: "1965", "Mar 1970", "23 Mar", "11 Apr 19:13"."""
    whole = _whole(start, end) if end is not None else None
    if whole is not None and len(whole) == 4:
        return whole
    if whole is not None and len(whole) == 7:
        return month(start)
    date = f"{start.day} {_MONTHS[start.month - 1]}"
    return date if _starts_day(start) else f"{date} {start:%H:%M}"


def _instant(time: datetime) -> str:
    return f"{time:%Y-%m-%d}" if _starts_day(time) else f"{time:%Y-%m-%d %H:%M}"


def _whole(start: datetime, end: datetime) -> str | None:
    """The year, month or day that runs from `start` to `end`, if there is one."""
    if not (_starts_day(start) and _ends_day(end)):
        return None
    if start.date() == end.date():
        return f"{start:%Y-%m-%d}"
    if start.day != 1 or start.year != end.year or end.day != monthrange(end.year, end.month)[1]:
        return None
    if start.month == end.month:
        return f"{start:%Y-%m}"
    return f"{start:%Y}" if (start.month, end.month) == (1, 12) else None


def _starts_day(time: datetime) -> bool:
    return time.hour == time.minute == time.second == time.microsecond == 0


def _ends_day(time: datetime) -> bool:
    return (time.hour, time.minute, time.second) == (23, 59, 59)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
