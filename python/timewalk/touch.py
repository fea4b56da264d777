"""Reinforcement: the payload that a memory must be stored with after it has been used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from timewalk.arguments import datetime64, is_list, is_number, text, text_or_none, whole
from timewalk.decay.columns import moment
from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.times import EPOCH, TimeLike, from_micros, to_micros

Form: TypeAlias = Literal["same", "datetime", "iso", "s", "ms", "us", "ns"]
_PER_UNIT = {"s": 1_000_000, "ms": 1_000, "us": 1}


@overload
def touch(
    payloads: Mapping[str, Any],
    *,
    now: TimeLike,
    keep: int = ...,
    form: Form = ...,
    unit: Literal["s", "ms", "us", "ns"] | None = ...,
    tz: str | tzinfo = ...,
    last_access: str = ...,
    recent_accesses: str = ...,
    historical_count: str = ...,
) -> dict[str, Any]: ...
@overload
def touch(
    payloads: Sequence[Mapping[str, Any]],
    *,
    now: TimeLike,
    keep: int = ...,
    form: Form = ...,
    unit: Literal["s", "ms", "us", "ns"] | None = ...,
    tz: str | tzinfo = ...,
    last_access: str = ...,
    recent_accesses: str = ...,
    historical_count: str = ...,
) -> list[dict[str, Any]]: ...
def touch(
    payloads: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    now: TimeLike,
    keep: int = 10,
    form: Form = "same",
    unit: Literal["s", "ms", "us", "ns"] | None = None,
    tz: str | tzinfo = "UTC",
    last_access: str = "last_access",
    recent_accesses: str = "recent_accesses",
    historical_count: str = "historical_count",
) -> Any:
    """New payloads for memories that have just been used, to be written back by the caller.

    Pure: nothing is changed and no database is written. In each new payload `last_access` is the latest access,
    `recent_accesses` the latest `keep` in ascending order, and `historical_count` the count of all, those that no
    longer fit included. Every other key passes through, the same object.

    Args:
        payloads: one dict, or a list of them, as they are stored.
        now: time of this access.
        keep: how many access times are kept, at least 1.
        form: how times are written: as in the payload ("same": datetimes where it has none yet), "datetime", "iso", or
            integers of a unit.
        unit: unit of integer times in the payload; without it they are refused.
        tz: zone of times that carry none.
        last_access: key of the latest access.
        recent_accesses: key of the list of accesses; where it is missing, the latest access is taken as the only one.
        historical_count: key of the count; where it is missing or below, the known accesses count.

    Returns:
        A new dict, or a list of them in the same order.

    Raises:
        InvalidValueError: keep below 1, a negative count, a text that is no time.
        InvalidTypeError: a time or a payload of the wrong type.
    """
    keep = whole(keep, "keep", "a whole number of at least 1", least=1)
    if text(form, "form") not in ("same", "datetime", "iso", "s", "ms", "us", "ns"):
        raise InvalidValueError(f"unknown form {form!r}; use 'same', 'datetime', 'iso', 's', 'ms', 'us' or 'ns'")
    names = (
        text(last_access, "last_access"),
        text(recent_accesses, "recent_accesses"),
        text(historical_count, "historical_count"),
    )
    written = text_or_none(unit, "unit")
    at = moment(now, tz)
    if isinstance(payloads, Mapping):
        return _touched(payloads, 0, at, keep, form, written, tz, names)
    if isinstance(payloads, (str, bytes)) or not isinstance(payloads, Sequence):
        raise InvalidTypeError(f"a payload is a dict, or a list of dicts, not {type(payloads).__name__}")
    return [_touched(payload, row, at, keep, form, written, tz, names) for row, payload in enumerate(payloads)]


def _touched(
    payload: Mapping[str, Any],
    row: int,
    now: int,
    keep: int,
    form: str,
    unit: str | None,
    tz: str | tzinfo,
    names: tuple[str, str, str],
) -> dict[str, Any]:
    if not isinstance(payload, Mapping):
        raise InvalidTypeError(f"payload {row} is {type(payload).__name__}, not a dict", row=row)
    last_access, recent_accesses, historical_count = names
    stored, last = payload.get(recent_accesses), payload.get(last_access)
    if stored is None:
        stored = []
    if not is_list(stored):
        raise InvalidTypeError(
            f"a list of times is expected, not {type(stored).__name__} (column '{recent_accesses}', row {row})",
            column=recent_accesses,
            row=row,
        )
    times = [_micros(value, unit, tz, recent_accesses, row) for value in stored if value is not None]
    if not times and last is not None:
        times = [_micros(last, unit, tz, last_access, row)]
    known = [time for time in times if time is not None]
    count = payload.get(historical_count)
    if count is None:
        count = 0
    if not is_number(count) or not isinstance(count, (int, np.integer)):
        raise InvalidTypeError(
            f"a count is a whole number, not {count!r} (column '{historical_count}', row {row})",
            column=historical_count,
            row=row,
        )
    if count < 0:
        raise InvalidValueError(
            f"a count is at least 0, not {count} (column '{historical_count}', row {row})",
            column=historical_count,
            row=row,
        )
    all_known = sorted([*known, now])
    example = next((value for value in [*stored, last] if value is not None), None)
    write = _writer(form, example, unit)
    return {
        **payload,
        last_access: write(all_known[-1]),
        recent_accesses: [write(micros) for micros in all_known[-keep:]],
        historical_count: max(int(count), len(known)) + 1,
    }


def _micros(value: Any, unit: str | None, tz: str | tzinfo, column: str, row: int) -> int | None:
    if isinstance(value, np.datetime64):
        return datetime64(value, f"row {row} of column '{column}'")
    if isinstance(value, (int, np.integer)) and is_number(value) and unit is not None:
        if unit == "ns":
            return int(value) // 1_000
        if unit in _PER_UNIT:
            return int(value) * _PER_UNIT[unit]
        raise InvalidValueError(f"unknown unit {unit!r} of integer times; use 's', 'ms', 'us' or 'ns'")
    if not isinstance(value, (datetime, date, str)):
        raise InvalidTypeError(
            f"a time is a datetime, a date or an ISO string, not {type(value).__name__}; integers need unit= "
            f"(column '{column}', row {row})",
            column=column,
            row=row,
        )
    return to_micros(value, tz=tz, column=column, row=row)


def _writer(form: str, example: Any, unit: str | None) -> Any:
    if form == "same":
        if isinstance(example, str):
            form = "iso"
        elif isinstance(example, (int, np.integer)) and unit is not None:
            form = unit
        else:
            form = "datetime"
    if form == "datetime":
        return _exact
    if form == "iso":
        return lambda micros: _exact(micros).isoformat()
    if form == "ns":
        return lambda micros: micros * 1_000
    return lambda micros: micros // _PER_UNIT[form]


def _exact(micros: int) -> datetime:
    try:
        return EPOCH.astimezone(UTC) + timedelta(microseconds=micros)
    except OverflowError:
        return from_micros(micros)
