"""Times and texts in the few characters that a line or a label has for them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_DAY = timedelta(days=1)


def plain(text: str) -> str:
    """Text on one line, without characters that would steer the terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())


def headline(text: str, width: int) -> str:
    """The beginning of a text, at most `width` characters, cut between words and marked with "…"."""
    text = plain(text)
    return text if len(text) <= width else cut(text, width)


def cut(line: str, width: int) -> str:
    """A line that goes on, with "…" in place of what lies beyond `width` and of a word that would be broken."""
    if len(line) < width:
        return line.rstrip(" ,;:.-") + "…"
    kept = line[: max(width - 1, 1)]
    space = kept.rfind(" ")
    return kept[: space if space > width // 3 and line[len(kept)] != " " else len(kept)].rstrip(" ,;:.-") + "…"


def when(start: datetime | None, end: datetime | None = None) -> str:
    """A time, or a span, no finer than it is: "1965", "1970-07 to 1970-12", "1970-03-23", "1970-03-28 14:00".

    An end at midnight is taken as exclusive, the way whole days, months and years end.
    """
    if start is None:
        return "undated" if end is None else f"until {_last(end)}"
    if end is None or end <= start:
        return _instant(start)
    whole = _whole(start, end)
    if whole is not None:
        return whole
    first, last = _instant(start), _last(end)
    return f"{first} to {last[11:] if first[:10] == last[:10] and len(last) > 10 else last}"


def month(time: datetime) -> str:
    """A month as a tick on an axis of time: "Apr 1970"."""
    return f"{_MONTHS[time.month - 1]} {time.year}"


def day(start: datetime, end: datetime | None = None) -> str:
    """A time beside an axis that shows months: "23 Mar", "11 Apr 19:13", "27-28 Mar", "31 Mar-10 Apr"; a whole month
    or year, or several, is "", as the axis says it.
    """
    name = _MONTHS[start.month - 1]
    if not _starts_day(start):
        return f"{start.day} {name} {start:%H:%M}"
    if end is None or end <= start:
        return f"{start.day} {name}"
    if _whole_months(start, end):
        return ""
    last = end - _DAY if _starts_day(end) else end
    if last.date() == start.date():
        return f"{start.day} {name}"
    if (last.year, last.month) == (start.year, start.month):
        return f"{start.day}-{last.day} {name}"
    return f"{start.day} {name}-{last.day} {_MONTHS[last.month - 1]}"


def _instant(time: datetime) -> str:
    return f"{time:%Y-%m-%d}" if _starts_day(time) else f"{time:%Y-%m-%d %H:%M}"


def _last(end: datetime) -> str:
    return f"{end - _DAY:%Y-%m-%d}" if _starts_day(end) and end.date() > date.min else _instant(end)


def _whole(start: datetime, end: datetime) -> str | None:
    """The years, months or the one day from `start` up to `end`, if it is made of whole ones."""
    if _starts_day(start) and end - start == _DAY:
        return f"{start:%Y-%m-%d}"
    if not _whole_months(start, end):
        return None
    last = end - _DAY
    style = "%Y" if start.month == 1 and last.month == 12 else "%Y-%m"
    first, final = start.strftime(style), last.strftime(style)
    return first if first == final else f"{first} to {final}"


def _whole_months(start: datetime, end: datetime) -> bool:
    return start.day == end.day == 1 and end > start and _starts_day(start) and _starts_day(end)


def _starts_day(time: datetime) -> bool:
    return time.hour == time.minute == time.second == time.microsecond == 0


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
