"""Spans of time as seconds: timedeltas, numbers of seconds, and words such as "30d" or "PT12H"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TypeAlias

import numpy as np

from timewalk.arguments import number
from timewalk.errors import InvalidValueError

Duration: TypeAlias = timedelta | float | int | str | np.timedelta64
"""A span of time; a bare number is seconds."""

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_ISO = re.compile(r"P(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?", re.IGNORECASE)


def seconds(value: Duration, name: str = "duration") -> float:
    """Seconds of a span: a timedelta, a number of seconds, "90s", "1d 12h", or ISO 8601 ("P30D", "PT12H").

    Months and years have no fixed length and are refused. Raises `InvalidTypeError` or `InvalidValueError` naming
    `name`.
    """
    if isinstance(value, timedelta):
        return value / timedelta(seconds=1)
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "us")) / 1e6
    if isinstance(value, str):
        return _words(value, name)
    return number(value, name, "a timedelta, a number of seconds or a text such as '30d'")


def _words(text: str, name: str) -> float:
    trimmed = text.strip()
    if iso := _ISO.fullmatch(trimmed):
        parts = [float(part) if part and part.count(".") < 2 and part != "." else 0.0 for part in iso.groups()]
        if any(iso.groups()):
            return sum(part * size for part, size in zip(parts, (604800.0, 86400.0, 3600.0, 60.0, 1.0), strict=True))
    total, end = 0.0, 0
    for part in _PART.finditer(trimmed.lower()):
        if trimmed[end : part.start()].strip() or part[2] not in _SECONDS:
            break
        total += float(part[1]) * _SECONDS[part[2]]
        end = part.end()
    if end == 0 or end != len(trimmed):
        raise InvalidValueError(f"{name}={text!r} is not a span such as '30d', '1d 12h' or 'PT12H'")
    return total
