"""Columns and parameters as the core takes them: Arrow arrays with a name for errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from timewalk import _core
from timewalk.arguments import ODD_VALUES, datetime64, is_list, is_number, number, text, text_or_none, whole
from timewalk.arrow import ArrowArray, ArrowArrayExportable, ArrowStreamExportable
from timewalk.decay.durations import Duration, seconds
from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.times import TimeLike, to_micros

TimeColumn: TypeAlias = ArrowArray | np.ndarray[Any, Any] | Sequence[TimeLike | None]
"""A column of times: Arrow (any unit and zone, dates, ISO strings), numpy datetime64, or a list."""
NumberColumn: TypeAlias = ArrowArray | np.ndarray[Any, Any] | Sequence[float | None]
Unit: TypeAlias = Literal["s", "ms", "us", "ns"]
FloatType: TypeAlias = Literal["float64", "float32"]
Named: TypeAlias = tuple[str, "ArrowArray | _core.Column"]
Options: TypeAlias = tuple[int, str, str | None, bool, int | None]

_MICROSECONDS = pa.timestamp("us", tz="UTC")
MOST_THREADS = 4096
"""More are as good as so many: no column is cut into more pieces."""


def options(
    now: TimeLike | np.datetime64, tz: str | tzinfo, unit: str | None, dtype: str, threads: int | None
) -> Options:
    """The settings that every engine takes, checked."""
    if str(dtype) not in ("float64", "float32"):
        raise InvalidValueError(f"dtype must be 'float64' or 'float32', not {dtype!r}")
    if threads is not None:
        threads = min(whole(threads, "threads", "at least 1, or None for all processors", least=1), MOST_THREADS)
    return moment(now, tz), zone_name(tz), text_or_none(unit, "unit"), str(dtype) == "float32", threads


def moment(now: TimeLike | np.datetime64, tz: str | tzinfo = "UTC") -> int:
    """Microseconds of a time; numpy's datetime64 counts as UTC."""
    if isinstance(now, np.datetime64):
        micros = datetime64(now, "the time")
        if micros is None:
            raise InvalidValueError("a time is expected, not NaT")
        return micros
    return to_micros(now, tz=tz)


def zone_name(tz: str | tzinfo) -> str:
    """The name by which the core knows a time zone."""
    if isinstance(tz, str):
        return text(tz, "tz")
    if tz is UTC:
        return "UTC"
    key = getattr(tz, "key", None)
    if isinstance(key, str):
        return key
    if isinstance(tz, timezone):
        offset = tz.utcoffset(None)
        minutes = offset // timedelta(minutes=1)
        sign = "-" if minutes < 0 else "+"
        return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    raise InvalidTypeError("a time zone is a name, a ZoneInfo or a fixed offset")


def time_column(values: TimeColumn, name: str, tz: str | tzinfo = "UTC") -> Named:
    """A column of times as an Arrow array."""
    return name, _arrow(values, name, tz, depth=0)


def list_column(values: TimeColumn | Sequence[Sequence[TimeLike] | None], name: str, tz: str | tzinfo = "UTC") -> Named:
    """A column of lists of times as an Arrow array."""
    return name, _arrow(values, name, tz, depth=1)


def number_column(values: NumberColumn, name: str) -> Named:
    """A column of numbers as an Arrow array."""
    if isinstance(values, (ArrowArrayExportable, ArrowStreamExportable)):
        return name, values
    try:
        return name, pa.array(values)
    except ODD_VALUES as error:
        if isinstance(values, Sequence):
            for row, value in enumerate(values):
                if value is not None and not is_number(value):
                    raise InvalidTypeError(
                        f"a number is expected, not {type(value).__name__} (column '{name}', row {row})",
                        column=name,
                        row=row,
                    ) from None
        raise InvalidTypeError(f"a column of numbers is expected: {error} (column '{name}')", column=name) from None


def parameter(value: Any, name: str, *, span: bool = False) -> float | Named:
    """A parameter: a number (or a span of time) for all rows, or a column with one for each."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and _is_arrow(value[1]):
        return value
    if span and isinstance(value, (timedelta, str, np.timedelta64)):
        return seconds(value, name)
    if is_number(value):
        return number(value, name)
    if not (_is_arrow(value) or isinstance(value, (Sequence, np.ndarray))) or isinstance(value, (str, bytes)):
        raise InvalidTypeError(f"{name} must be a number or a column of numbers, not {type(value).__name__}")
    if span and isinstance(value, Sequence):
        value = [None if one is None else seconds(one, name) for one in value]
    return number_column(value, name)


def _arrow(values: Any, name: str, tz: str | tzinfo, depth: int) -> Any:
    if isinstance(values, (ArrowArrayExportable, ArrowStreamExportable)):
        return values
    plain = values.to_numpy() if hasattr(values, "to_numpy") and not isinstance(values, Sequence) else values
    if isinstance(plain, np.ndarray) and plain.dtype.kind != "O":
        try:
            return pa.array(plain)
        except ODD_VALUES as error:
            raise InvalidTypeError(f"a column of times is expected: {error} (column '{name}')", column=name) from None
    if isinstance(plain, (str, bytes, date)) or not isinstance(plain, (Sequence, np.ndarray)):
        raise InvalidTypeError(f"a column of times is expected, not {type(values).__name__} (column '{name}')")
    values = plain
    if depth == 0:
        return pa.array([_micros(value, name, row, tz) for row, value in enumerate(values)], type=_MICROSECONDS)
    return pa.array([_list(row, name, at, tz) for at, row in enumerate(values)], type=pa.list_(_MICROSECONDS))


def _list(values: Any, name: str, row: int, tz: str | tzinfo) -> list[int | None] | None:
    if values is None:
        return None
    if not is_list(values):
        raise InvalidTypeError(
            f"a list of times is expected, not {type(values).__name__} (column '{name}', row {row})",
            column=name,
            row=row,
        )
    return [_micros(value, name, row, tz) for value in values]


def _micros(value: Any, name: str, row: int, tz: str | tzinfo) -> int | None:
    if value is None:
        return None
    if isinstance(value, np.datetime64):
        return datetime64(value, f"row {row} of column '{name}'")
    if not isinstance(value, (datetime, date, str)):
        if _is_missing(value):
            return None
        raise InvalidTypeError(
            f"a time is a datetime, a date or an ISO string, not {type(value).__name__} (column '{name}', row {row})",
            column=name,
            row=row,
        )
    return to_micros(value, tz=tz, column=name, row=row)


def _is_missing(value: Any) -> bool:
    """NaN, and NaT of numpy and pandas, which alone are not equal to themselves."""
    return isinstance(value, (float, np.generic)) and bool(value != value)


def _is_arrow(value: Any) -> bool:
    return isinstance(value, (ArrowArrayExportable, ArrowStreamExportable, _core.Column))


SpanParameter: TypeAlias = Duration | NumberColumn
NumberParameter: TypeAlias = float | NumberColumn
