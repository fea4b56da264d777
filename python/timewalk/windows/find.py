"""Finding the windows that a text speaks of."""

from __future__ import annotations

from datetime import timedelta, tzinfo
from typing import Literal, TypeAlias

from timewalk import _core
from timewalk.errors import InvalidTypeError
from timewalk.times import TimeLike, to_micros, zone
from timewalk.windows.foreign import built_in, foreign_windows
from timewalk.windows.window import Window

Prefer: TypeAlias = Literal["past", "future", "nearest"]


def find_window(
    text: str,
    *,
    now: TimeLike,
    tz: str | tzinfo = "UTC",
    prefer: Prefer = "past",
    locale: str = "en",
) -> Window | None:
    """The window that governs a text, or None where it speaks of no time.

    Of several expressions the one governs that says most about a date: lengths of time and open ends ("the last three
    weeks", "since March"), then dates of several parts or relative to now ("3 May", "last week"), then a lone month,
    weekday, year or holiday, then a time of day, then "now". Among equals the first in the text does.

    `now` is what the text is read from; nothing else is: the same call gives the same window anywhere. Days are
    days of `tz`, also where clocks change. `prefer` chooses where the text leaves the year, month or day open.
    `locale` is one of the built-in languages (`timewalk._core.window_languages()`), with a region where it matters:
    "en-GB" writes the day first; other languages go through the package dateparser, which finds days and times
    only. Any text gives a window or None; errors come from bad arguments only.
    """
    if not built_in(checked_locale(locale)):
        return next(
            iter(foreign_windows(checked_text(text), to_micros(now, tz=tz), zone_name(tz), _checked(prefer), locale)),
            None,
        )
    row = _core.find_window(checked_text(text), to_micros(now, tz=tz), zone_name(tz), _checked(prefer), locale)
    return None if row is None else _window(text, row)


def find_windows(
    text: str,
    *,
    now: TimeLike,
    tz: str | tzinfo = "UTC",
    prefer: Prefer = "past",
    locale: str = "en",
) -> list[Window]:
    """Every window that a text speaks of, in order of the text; arguments as for `find_window`."""
    if not built_in(checked_locale(locale)):
        return foreign_windows(checked_text(text), to_micros(now, tz=tz), zone_name(tz), _checked(prefer), locale)
    rows = _core.find_windows(checked_text(text), to_micros(now, tz=tz), zone_name(tz), _checked(prefer), locale)
    return [_window(text, row) for row in rows]


def zone_name(tz: str | tzinfo) -> str:
    """A name that the core knows for a zone: an IANA name, "UTC", or an offset such as "+08:00"."""
    if isinstance(tz, str):
        zone(tz)
        return tz
    key = getattr(tz, "key", None)
    if isinstance(key, str):
        return key
    offset = tz.utcoffset(None) if isinstance(tz, tzinfo) else None
    if offset is None:
        raise InvalidTypeError(
            "a time zone is an IANA name, an offset such as '+08:00', a ZoneInfo or a fixed timezone"
        )
    sign = "-" if offset < timedelta(0) else "+"
    minutes = abs(offset) // timedelta(minutes=1)
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}"


def checked_text(text: str) -> str:
    """The text as the core takes it: half a surrogate pair is replaced, places stay."""
    if not isinstance(text, str):
        raise InvalidTypeError(f"text is a string, not {type(text).__name__}")
    # Half of a surrogate pair is no character; the places of the others stay.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def checked_locale(locale: str) -> str:
    """The locale, if it is a string."""
    if not isinstance(locale, str):
        raise InvalidTypeError(f"locale is a language such as 'en', 'en-GB' or 'de', not {type(locale).__name__}")
    return locale


def _checked(prefer: Prefer) -> Prefer:
    if not isinstance(prefer, str):
        raise InvalidTypeError(f"prefer is 'past', 'future' or 'nearest', not {type(prefer).__name__}")
    return prefer


def _window(text: str, row: tuple[int | None, int | None, str, int, int, int, int]) -> Window:
    start, end, grain, first, last, margin, _ = row
    return Window.from_micros(start, end, grain=grain, span=(first, last), text=text[first:last], margin=margin)
