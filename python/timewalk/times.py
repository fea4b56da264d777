"""Scalars and columns of time: int64 microseconds since the epoch in UTC inside, aware datetimes outside."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from timewalk.errors import InvalidTypeError, InvalidValueError

TimeLike: TypeAlias = datetime | date | str
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def zone(tz: str | tzinfo | None) -> tzinfo:
    """A `tzinfo` from an IANA name, "UTC", an offset such as "+08:00", a `tzinfo`, or None (UTC).

    Raises `InvalidValueError` for a name that no zone has.
    """
    if tz is None:
        return UTC
    if isinstance(tz, tzinfo):
        return tz
    if not isinstance(tz, str):
        raise InvalidTypeError(f"a time zone is a name or a tzinfo, not {type(tz).__name__}")
    if tz.upper() in ("UTC", "Z"):
        return UTC
    if tz[:1] in "+-":
        try:
            offset = datetime.strptime(tz, "%z").utcoffset()
        except ValueError:
            offset = None
        if offset is not None:
            return timezone(offset)
    else:
        try:
            return ZoneInfo(tz)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise InvalidValueError(
        f"unknown time zone {tz!r}; use an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as '+08:00'"
    )


def to_micros(
    time: TimeLike, *, tz: str | tzinfo | None = None, column: str | None = None, row: int | None = None
) -> int:
    """Microseconds since the epoch in UTC of a datetime, a date (its midnight) or an ISO 8601 string.

    A time without zone is read in `tz` (UTC unless told otherwise). Strings may stop at the year or month and then
    mean its first instant. Raises `InvalidTypeError` for numbers, whose unit would be a guess, and
    `InvalidValueError` for strings that are no time.
    """
    if isinstance(time, str):
        time = _parse(time, column, row)
    if not isinstance(time, datetime):
        if not isinstance(time, date):
            raise InvalidTypeError(
                f"a time is a datetime, a date or an ISO string, not {type(time).__name__}; "
                "the unit of a bare number would be a guess",
                column=column,
                row=row,
            )
        time = datetime(time.year, time.month, time.day)
    if time.tzinfo is None:
        time = time.replace(tzinfo=zone(tz))
    return (time - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware datetime (UTC) of int64 microseconds, held to the years 1 to 9999 that datetimes can have."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if micros > 0 else datetime.min.replace(tzinfo=UTC)


def now_micros(now: TimeLike | None, *, tz: str | tzinfo | None = None) -> int:
    """`now` in microseconds, read in `tz` if it carries no zone; the wall clock only where `now` is None."""
    return to_micros(datetime.now(UTC) if now is None else now, tz=tz)


def _parse(text: str, column: str | None, row: int | None) -> datetime:
    trimmed = text.strip()
    try:
        if len(trimmed) == 4 and trimmed.isascii() and trimmed.isdigit():
            return datetime(int(trimmed), 1, 1)
        if len(trimmed) == 7 and trimmed[4] == "-":
            return datetime(int(trimmed[:4]), int(trimmed[5:]), 1)
        return datetime.fromisoformat(trimmed)
    except ValueError:
        raise InvalidValueError(
            f"{text!r} is not an ISO 8601 time such as 2024-05-01T09:30:00Z", column=column, row=row
        ) from None
