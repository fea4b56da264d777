"""The canonical table of memories, and errors that name their place in the input."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from timewalk.errors import InvalidTypeError, InvalidValueError

TIMESTAMP = pa.timestamp("us", tz="UTC")
ENTITY = pa.struct([pa.field("name", pa.string()), pa.field("type", pa.string())])

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("namespace", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("fact_type", pa.string()),
        pa.field("thread", pa.string()),
        pa.field("author", pa.string()),
        pa.field("tags", pa.list_(pa.string())),
        pa.field("occurred_start", TIMESTAMP),
        pa.field("occurred_end", TIMESTAMP),
        pa.field("mentioned_at", TIMESTAMP),
        pa.field("created_at", TIMESTAMP),
        pa.field("embedding", pa.list_(pa.float32())),
        pa.field("entities", pa.list_(ENTITY)),
        pa.field("causes", pa.list_(pa.string())),
        pa.field("caused_by", pa.list_(pa.string())),
        pa.field("recent_accesses", pa.list_(TIMESTAMP)),
        pa.field("historical_count", pa.int64()),
        pa.field("metadata", pa.string(), nullable=False),
    ]
)
"""Column order and types of every table that ingestion hands on."""

NAMES = frozenset(SCHEMA.names)


def place(message: str, column: str, row: int | None) -> str:
    """The message with the place of the fault at its end."""
    return f"{message} (column '{column}')" if row is None else f"{message} (column '{column}', row {row})"


def bad_value(message: str, column: str, row: int | None = None) -> InvalidValueError:
    """An error for a value outside its allowed range."""
    return InvalidValueError(place(message, column, row), column=column, row=row)


def bad_type(message: str, column: str, row: int | None = None) -> InvalidTypeError:
    """An error for a value of the wrong type."""
    return InvalidTypeError(place(message, column, row), column=column, row=row)


def is_missing(value: Any) -> bool:
    """Whether a scalar stands for "nothing here": None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    if isinstance(value, (str, bytes, list, tuple, dict)):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA has no truth value, and neither has an array
        return type(value).__name__ == "NAType"
