"""Checks of arguments: each gives the value as it is used, or an error of timewalk that says what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa

from timewalk.errors import InvalidTypeError, InvalidValueError

ODD_VALUES = (TypeError, ValueError, OverflowError, pa.ArrowException)
"""What Python, numpy and Arrow raise where a value is not of the kind that was expected."""


def text(value: Any, name: str) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise InvalidTypeError(f"{name} must be a text, not {type(value).__name__}")
    if not encodable(value):
        raise InvalidValueError(f"{name}={value!r} is no text: it holds one half of a surrogate pair")
    return value


def text_or_none(value: Any, name: str) -> str | None:
    """A text, or None."""
    return None if value is None else text(value, name)


def texts(value: Any, name: str) -> list[str]:
    """A list of texts; one text alone, or None, counts as a list of one or of none."""
    if value is None:
        return []
    if isinstance(value, str):
        return [text(value, name)]
    if isinstance(value, bytes) or not isinstance(value, Sequence):
        raise InvalidTypeError(f"{name} must be a text or a list of texts, not {type(value).__name__}")
    return [text(one, name) for one in value]


def items(value: Any, expected: str) -> Iterable[Any]:
    """Anything that can be gone through, but for a text."""
    try:
        iter(value)
        plain = isinstance(value, (str, bytes))
    except TypeError:
        plain = True
    if plain:
        raise InvalidTypeError(f"{expected}, not {type(value).__name__}")
    return cast(Iterable[Any], value)


def is_list(value: Any) -> bool:
    """Whether a value is a list, tuple or flat array; texts and mappings are none."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def encodable(value: str) -> bool:
    """Whether a text has no lone surrogates, which UTF-8 and so Arrow have no place for."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_number(value: Any) -> bool:
    """Whether a value is a whole or real number; truth values and spans of time are none."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.timedelta64))


def number(value: Any, name: str, expected: str = "a number") -> float:
    """A number as a float."""
    if not is_number(value):
        raise InvalidTypeError(f"{name} must be {expected}, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise InvalidValueError(f"{name} is beyond the range of 64-bit floats, which ends at 1.8e308") from None


def whole(value: Any, name: str, expected: str, *, least: int, most: int | None = None) -> int:
    """A whole number in a range; `expected` says which."""
    if (
        not isinstance(value, (int, np.integer))
        or not is_number(value)
        or value < least
        or (most is not None and value > most)
    ):
        raise InvalidValueError(f"{name} must be {expected}, not {value!r}")
    return int(value)


def datetime64(value: np.datetime64, name: str) -> int | None:
    """Microseconds of numpy's datetime64, which counts as UTC; None for NaT."""
    if np.isnat(value):
        return None
    # numpy wraps around where the microseconds leave 64 bits.
    if abs(int(value.astype("datetime64[Y]").astype(np.int64))) > 290_000:
        raise InvalidValueError(f"{name} is {value}, which is beyond the range of 64 bits of microseconds")
    return int(value.astype("datetime64[us]").astype(np.int64))
