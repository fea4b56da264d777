"""The decay engines as functions from columns to weights."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import numpy as np
import pyarrow as pa

from timewalk import _core
from timewalk.arguments import is_number, number
from timewalk.decay.columns import (
    FloatType,
    NumberColumn,
    NumberParameter,
    SpanParameter,
    TimeColumn,
    Unit,
    list_column,
    moment,
    number_column,
    options,
    parameter,
    time_column,
)
from timewalk.decay.durations import Duration, seconds
from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.times import TimeLike

__all__ = ["actr", "ebbinghaus", "exp", "gauss", "half_life", "linear", "power_law", "simd"]


def half_life(
    last_access: TimeColumn,
    *,
    now: TimeLike | np.datetime64,
    half_life: SpanParameter,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """Exponential decay by half-life: (1/2)^(age / half_life), with age = max(0, now - t).

    Args:
        last_access: column of n times: Arrow (any unit, zone, dates, ISO strings, dictionaries, chunks, slices), numpy
            datetime64 (UTC), or a list of datetimes, dates, ISO strings and None.
        now: the present; nothing reads the clock.
        half_life: a timedelta, a number of seconds, a text such as "30d", or a column of n (seconds, or Arrow
            durations). Above 0.
        tz: zone of times (and of `now`) that carry none.
        unit: unit of integer epochs; without it integers are refused, floats always are.
        dtype: "float64" or "float32".
        threads: at most so many; None means all processors. The result is the same to the bit.

    Returns:
        `pyarrow.DoubleArray` (or `FloatArray`) of n weights in [0, 1]; `.to_numpy(zero_copy_only=False)` gives numpy,
        with NaN for null. Null where the time or the half-life is null. A time in the future has age 0 and weight 1.
        Relative error within 3e-16·(1 + age/half_life). O(n).

    Raises:
        InvalidValueError: a half-life of 0 or less, naming the row.
        InvalidTypeError: a column that is no time.
    """
    return _core.decay_half_life(
        time_column(last_access, "last_access", tz),
        parameter(half_life, "half_life", span=True),
        options(now, tz, unit, dtype, threads),
    ).to_pyarrow()


def ebbinghaus(
    last_access: TimeColumn,
    *,
    now: TimeLike | np.datetime64,
    strength: SpanParameter,
    floor: NumberParameter = 0.0,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """Ebbinghaus' forgetting curve: floor + (1 - floor)·e^(-age / strength), with age = max(0, now - t).

    `strength` is the age at which e^-1 of the part above the floor is left: a span of time as in `half_life`, above 0;
    a stronger memory forgets slower. `floor` in [0, 1) is what is never forgotten. Both may be columns. Other
    arguments, nulls, errors and the result are as in `half_life`; weights lie in [floor, 1].

    Source: Ebbinghaus, Über das Gedächtnis (1885), in the exponential form common since.
    """
    return _core.decay_ebbinghaus(
        time_column(last_access, "last_access", tz),
        parameter(strength, "strength", span=True),
        parameter(floor, "floor"),
        options(now, tz, unit, dtype, threads),
    ).to_pyarrow()


def power_law(
    last_access: TimeColumn,
    *,
    now: TimeLike | np.datetime64,
    stability: SpanParameter,
    decay: NumberParameter = 0.5,
    factor: NumberParameter | None = None,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """The power law of forgetting: (1 + factor·age / stability)^(-decay), with age = max(0, now - t).

    `stability` is a span of time as in `half_life`: FSRS keeps it in days, so give `timedelta(days=s)`, or a column of
    seconds or Arrow durations. `decay` is the exponent without its sign: 0.5 in FSRS-4.5 and 5, 0.1542 by default in
    FSRS-6. `factor=None` is 0.9^(-1/decay) - 1 (19/81 at 0.5), with which the weight at age = stability is 0.9. All may
    be columns. Ages are fractions: the reference implementation of FSRS floors them to whole days, this does not. Other
    arguments, nulls, errors and the result are as in `half_life`; weights lie in (0, 1], relative error within 1e-14.

    Source: the open spaced repetition project, "The Algorithm" (FSRS-4.5 to 6).
    """
    return _core.decay_power_law(
        time_column(last_access, "last_access", tz),
        parameter(stability, "stability", span=True),
        parameter(decay, "decay"),
        None if factor is None else parameter(factor, "factor"),
        options(now, tz, unit, dtype, threads),
    ).to_pyarrow()


def gauss(
    values: TimeColumn | NumberColumn,
    *,
    scale: SpanParameter,
    origin: TimeLike | np.datetime64 | float | None = None,
    now: TimeLike | np.datetime64 | None = None,
    offset: SpanParameter = 0.0,
    decay: NumberParameter = 0.5,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """Bell-shaped decay: decay^(x²), with x = max(0, distance - offset) / scale.

    Args:
        values: n times (as in `half_life`) or n numbers.
        scale: distance beyond the offset at which the weight is exactly `decay`; a span of time for times. Above 0.
        origin: where the distance is 0: a time or a number. The distance counts both ways.
        now: for times, instead of `origin`: the distance is the age max(0, now - t), so the future has weight 1.
        offset: distance up to which the weight is 1. At least 0.
        decay: weight at offset + scale, above 0 and below 1.
        tz: zone of times that carry none.
        unit: unit of integer epochs, for a time `origin` or `now`.
        dtype: "float64" or "float32".
        threads: at most so many; None means all processors.

    Returns:
        n weights in [0, 1], null where the value or a parameter is null; relative error within 1e-14.

    Source: the decay functions of Elasticsearch, Qdrant and Milvus.
    """
    return _curve("gauss", values, scale, origin, now, offset, decay, tz, unit, dtype, threads)


def exp(
    values: TimeColumn | NumberColumn,
    *,
    scale: SpanParameter,
    origin: TimeLike | np.datetime64 | float | None = None,
    now: TimeLike | np.datetime64 | None = None,
    offset: SpanParameter = 0.0,
    decay: NumberParameter = 0.5,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """Exponential decay from an origin: decay^x, with x = max(0, distance - offset) / scale.

    Arguments, result and source as in `gauss`.
    """
    return _curve("exp", values, scale, origin, now, offset, decay, tz, unit, dtype, threads)


def linear(
    values: TimeColumn | NumberColumn,
    *,
    scale: SpanParameter,
    origin: TimeLike | np.datetime64 | float | None = None,
    now: TimeLike | np.datetime64 | None = None,
    offset: SpanParameter = 0.0,
    decay: NumberParameter = 0.5,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """Linear decay from an origin: max(0, 1 - x·(1 - decay)), with x = max(0, distance - offset) / scale.

    Arguments, result and source as in `gauss`.
    """
    return _curve("linear", values, scale, origin, now, offset, decay, tz, unit, dtype, threads)


def actr(
    recent_accesses: TimeColumn | Sequence[Sequence[TimeLike] | None],
    *,
    now: TimeLike | np.datetime64,
    historical_count: NumberColumn | None = None,
    created_at: TimeColumn | None = None,
    decay: NumberParameter = 0.5,
    min_age: Duration = 1.0,
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    dtype: FloatType = "float64",
    threads: int | None = None,
) -> pa.DoubleArray:
    """ACT-R's base-level activation: B = ln Σ t_j^(-decay), ages t_j in seconds.

    The recent accesses count exactly. The n - k older ones (`historical_count` less the k recent) are spread evenly
    from `created_at` to the oldest recent access: Petrov's hybrid, in a form that neither cancels at t_n = t_k nor has
    a hole at decay = 1.

    Args:
        recent_accesses: n lists of times, in any order: an Arrow list column, or a list of lists. Nulls within a list
            are skipped.
        now: the present.
        historical_count: n counts of all accesses, the recent included. A count below k is taken as k. Without it, or
            without `created_at`, only the recent accesses count.
        created_at: n creation times; one after the oldest recent access is taken as that access.
        decay: exponent from 0 to 1000, one or a column.
        min_age: smallest age in seconds (or a timedelta), at least 1e-6; younger accesses and those of the future count
            as so old.
        tz: zone of times that carry none.
        unit: unit of integer epochs.
        dtype: "float64" or "float32".
        threads: at most so many; None means all processors.

    Returns:
        n activations, finite. Null where the list is null, or empty and without count and creation. An empty list with
        both gives the optimised form ln(n / (1 - decay)) - decay·ln L (for decay of 1 and more, the accesses are spread
        from `min_age` on).

    Raises:
        InvalidValueError: a decay, count or minimum age out of range, naming the row.
        InvalidTypeError: a column of the wrong type.

    Source: Anderson and Schooler (1991); Petrov, Computationally Efficient Approximation of the Base-Level Learning
    Equation in ACT-R (2006), equation 6.
    """
    return _core.decay_actr(
        list_column(recent_accesses, "recent_accesses", tz),
        None if historical_count is None else number_column(historical_count, "historical_count"),
        None if created_at is None else time_column(created_at, "created_at", tz),
        parameter(decay, "decay"),
        seconds(min_age, "min_age"),
        options(now, tz, unit, dtype, threads),
    ).to_pyarrow()


def simd() -> str:
    """The instruction set of the kernels: "scalar", "neon", "avx2" or "avx512".

    Chosen once at the first use: the best of this processor, or what the environment variable TIMEWALK_SIMD names.
    """
    return _core.decay_simd()


def _curve(
    shape: str,
    values: Any,
    scale: Any,
    origin: Any,
    now: Any,
    offset: Any,
    decay: Any,
    tz: str | tzinfo,
    unit: str | None,
    dtype: str,
    threads: int | None,
) -> pa.DoubleArray:
    if (origin is None) == (now is None):
        raise InvalidTypeError(f"{shape}: give either origin= (distance both ways) or now= (age)")
    if isinstance(origin, bool):
        raise InvalidTypeError("origin must be a time or a number, not bool")
    counted = is_number(origin)
    if counted:
        column = number_column(values, "values")
        at: tuple[str, float, int] = ("number", number(origin, "origin"), 0)
        settings = options("1970", tz, None, dtype, threads)
        if isinstance(scale, str) or isinstance(offset, str):
            raise InvalidValueError("the origin is a number, so scale and offset are numbers too")
    else:
        column = time_column(values, "values", tz)
        at = ("now", 0.0, 0) if origin is None else ("time", 0.0, moment(origin, tz))
        settings = options(now if origin is None else origin, tz, unit, dtype, threads)
    return _core.decay_curve(
        shape,
        column,
        at,
        parameter(scale, "scale", span=not counted),
        parameter(offset, "offset", span=not counted),
        parameter(decay, "decay"),
        settings,
    ).to_pyarrow()
