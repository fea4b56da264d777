"""Time columns: instants, and the intervals that a date, a month or a year stands for."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk import _core
from timewalk.errors import TimewalkError
from timewalk.ingest.columns import Column, is_listing, is_text, plain, spelled
from timewalk.ingest.schema import TIMESTAMP, bad_type, bad_value, is_missing
from timewalk.times import to_micros, zone

Span: TypeAlias = tuple[int | None, int | None]
"""First instant, and the end (exclusive) of what was named; the end is None where an instant was named."""

_PARTIAL = re.compile(r"(?a:(\d{4})(?:-?W(\d\d)|-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))?)")
_LONGEST_PARTIAL = 10  # "2024-05-01"
_LIMIT = 2**63


def span(value: Any, zone_: tzinfo, column: str, row: int | None = None) -> Span:
    """The interval of one value: a datetime, a date, an ISO 8601 string (also a year, month, week or day)."""
    if isinstance(value, np.datetime64):
        value = str(value)
    try:
        if isinstance(value, str):
            text = value.strip()
            if not text or text == "NaT":
                return None, None
            part = _PARTIAL.fullmatch(text)
            if part is None:
                return _held(to_micros(text, tz=zone_), column, row), None
            first, after = _days_of(part)
        elif is_missing(value):
            return None, None
        elif isinstance(value, date) and not isinstance(value, datetime):
            first, after = value, _plus_days(value, 1)
        else:
            return _held(to_micros(value, tz=zone_), column, row), None
    except TimewalkError as error:
        raise (bad_type if isinstance(error, TypeError) else bad_value)(error.message, column, row) from None
    except ValueError:
        raise bad_value(f"{value!r} is no date of the calendar", column, row) from None
    except OverflowError:
        raise bad_value(f"{value!r} is outside the years 1 to 9998", column, row) from None
    return to_micros(first, tz=zone_), to_micros(after, tz=zone_)


def _held(micros: int, column: str, row: int | None) -> int:
    if not -_LIMIT < micros < _LIMIT:
        raise bad_value("the time is outside the range of 64-bit microseconds", column, row)
    return micros


def _days_of(part: re.Match[str]) -> tuple[date, date]:
    """First day of a year, month, week or day, and the first day after it."""
    year, week = int(part[1]), part[2]
    month, day = part[3] or part[5], part[4] or part[6]
    if week:
        first = date.fromisocalendar(year, int(week), 1)
        return first, _plus_days(first, 7)
    if day:
        first = date(year, int(month), int(day))
        return first, _plus_days(first, 1)
    if month:
        first = date(year, int(month), 1)
        return first, date(year + 1, 1, 1) if first.month == 12 else date(year, first.month + 1, 1)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _plus_days(day: date, count: int) -> date:
    return day + timedelta(days=count)


def spans(values: Column, column: str, tz: str | tzinfo) -> tuple[pa.Array, pa.Array]:
    """First instants and ends of a column, as timestamps in UTC; ends are null where an instant was given."""
    where = zone(tz)
    if isinstance(values, list):
        kinds = set(map(type, values))
        if kinds <= {str, type(None)}:
            values = pa.array(values, pa.string())
        else:
            pairs = [span(value, where, column, row) for row, value in enumerate(values)]
            return _stamps([pair[0] for pair in pairs]), _stamps([pair[1] for pair in pairs])
    if is_text(values.type):
        return _text_spans(values.cast(pa.string()), column, where)
    first = _instants(values, column, where)
    if not pa.types.is_date(values.type):
        return first, pa.nulls(len(values), TIMESTAMP)
    days = values.cast(pa.date32()).cast(pa.int32())
    return first, _instants(pc.add(days, pa.scalar(1, pa.int32())).cast(pa.date32()), column, where)


def _text_spans(texts: pa.Array, column: str, where: tzinfo) -> tuple[pa.Array, pa.Array]:
    texts = pc.utf8_trim_whitespace(texts)
    short = pc.less_equal(pc.utf8_length(texts), _LONGEST_PARTIAL)
    first = _instants(pc.if_else(short, pa.scalar(None, pa.string()), texts), column, where)
    if not pc.any(short).as_py():
        return first, pa.nulls(len(texts), TIMESTAMP)
    coded = pc.if_else(short, texts, pa.scalar(None, pa.string())).dictionary_encode()
    names = coded.dictionary.to_pylist()
    # Dates repeat, so each is read once; a bad one is named by the first row that holds it.
    pairs = [_named_span(name, where, column, texts) for name in names]
    starts = _stamps([pair[0] for pair in pairs]).take(coded.indices)
    ends = _stamps([pair[1] for pair in pairs]).take(coded.indices)
    return pc.coalesce(first, starts), ends


def _named_span(name: str, where: tzinfo, column: str, texts: pa.Array) -> Span:
    try:
        return span(name, where, column)
    except TimewalkError:
        return span(name, where, column, pc.index(texts, name).as_py())


def _instants(values: pa.Array, column: str, where: tzinfo) -> pa.Array:
    name = _zone_name(where)
    if name is None:  # a caller's own tzinfo class, which only Python can read
        return _stamps([span(value, where, column, row)[0] for row, value in enumerate(values.to_pylist())])
    return _core.micros(values, column=column, tz=name).cast(TIMESTAMP)


def _zone_name(where: tzinfo) -> str | None:
    """A name by which the core knows the zone: an IANA key or a fixed offset."""
    key = getattr(where, "key", None)
    if isinstance(key, str):
        return key
    if where is UTC:
        return "UTC"
    offset = where.utcoffset(None)
    if offset is None or offset.seconds % 60 or offset.microseconds:
        return None
    minutes = int(offset.total_seconds()) // 60
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _stamps(micros: list[int | None]) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(TIMESTAMP)


def instant_lists(values: Column, column: str, tz: str | tzinfo) -> pa.Array:
    """A column of lists of instants, such as the last accesses; dates mean their first instant."""
    kind = pa.list_(TIMESTAMP)
    if not isinstance(values, list):
        if pa.types.is_null(values.type):
            return pa.nulls(len(values), kind)
        if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
            return _flat_instants(values, column, tz)
        if not (is_listing(values.type) or is_text(values.type)):
            raise bad_type(f"a list of times is expected, not {values.type}", column)
        values = values.to_pylist()
    if not any(value is not None for value in values):
        return pa.nulls(len(values), kind)
    where = zone(tz)
    lists = [None if value is None else _instant_list(value, where, column, row) for row, value in enumerate(values)]
    return pa.array(lists, pa.list_(pa.int64())).cast(kind)


def _instant_list(value: Any, where: tzinfo, column: str, row: int) -> list[int]:
    items = [value] if isinstance(value, date) else spelled(value, column, row)
    found = [span(item, where, column, row)[0] for item in items]
    if None in found:
        raise bad_value("a list must not hold missing times", column, row)
    return [item for item in found if item is not None]


def _flat_instants(values: pa.Array, column: str, tz: str | tzinfo) -> pa.Array:
    rows = pc.list_parent_indices(values)
    flat = plain(values.flatten())
    if flat.null_count:
        raise bad_value("a list must not hold missing times", column, rows[pc.index(flat.is_null(), True)].as_py())
    try:
        first, _ = spans(flat, column, tz)
    except TimewalkError as error:
        if error.row is None:
            raise
        at = rows[error.row].as_py()
        raise type(error)(error.message.replace(f"row {error.row})", f"row {at})"), column=column, row=at) from None
    sizes = pc.fill_null(pc.list_value_length(values), 0)
    offsets = np.concatenate([[0], np.cumsum(sizes.to_numpy(zero_copy_only=False))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), first, mask=values.is_null())
