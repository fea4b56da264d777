"""The metadata column: one JSON object a memory, holding every key that has no column of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa

from timewalk.ingest.columns import is_text
from timewalk.ingest.schema import bad_type, bad_value


def metadata_strings(own: list[Any] | None, extras: list[dict[str, Any]] | None, rows: int) -> pa.Array:
    """Joins each row's `metadata` value (a mapping, or a string that holds a JSON object) with its unknown keys.

    A key given in both places with two values is an error, since one of them would be lost.
    """
    if own is None and not any(extras or ()):
        return pa.repeat(pa.scalar("{}"), rows)
    out = []
    for row in range(rows):
        found = _object(own[row], row) if own is not None else {}
        extra = extras[row] if extras is not None else {}
        for key, value in extra.items():
            if key in found and found[key] != value:
                raise bad_value(f"the key {key!r} is in the record and in its metadata with another value", key, row)
        out.append(encode({**found, **extra}, row) if found or extra else "{}")
    return pa.array(out, pa.string())


def _object(value: Any, row: int) -> dict[str, Any]:
    if value is None or value != value or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise bad_value("the metadata string is not a JSON object", "metadata", row) from None
    if not isinstance(value, Mapping):
        raise bad_type(f"metadata is a mapping, not {type(value).__name__}", "metadata", row)
    return dict(value)


def encode(values: Mapping[str, Any], row: int) -> str:
    """JSON of one row. Times become ISO strings, arrays and sets lists; what JSON cannot hold is an error."""
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(values, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError):
        raise _blame(values, row) from None
    return text


def _blame(values: Mapping[str, Any], row: int) -> Exception:
    """The error for the first key whose value JSON cannot hold."""
    for key, value in values.items():
        if not isinstance(key, str):
            return bad_type(f"metadata keys are strings, not {type(key).__name__}", "metadata", row)
        try:
            json.dumps(value, allow_nan=False, default=_plain)
        except TypeError as error:
            return bad_type(f"the value cannot be kept as JSON: {error}", key, row)
        except (ValueError, RecursionError):
            return bad_value("the value cannot be kept as JSON: it holds NaN, an infinity or itself", key, row)
    return bad_type("the metadata cannot be kept as JSON", "metadata", row)


def _plain(value: Any) -> Any:
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biuf" else str(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (Decimal, UUID, PurePath)):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if type(value).__name__ == "NAType":
        return None
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def python_rows(table: pa.Table) -> list[dict[str, Any]] | None:
    """Rows of extra columns as mappings without their nulls; None if there are no such columns."""
    if not table.num_columns:
        return None
    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":  # Python's datetimes end at microseconds
            micros = table.column(at).cast(pa.timestamp("us", field.type.tz), safe=False)
            table = table.set_column(at, field.name, micros)
    return [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]


def own_values(column: pa.Array) -> list[Any]:
    """The values of a `metadata` column: strings, or mappings from structs and maps without their nulls."""
    values: list[Any] = column.to_pylist()
    if is_text(column.type) or pa.types.is_null(column.type):
        return values
    if pa.types.is_map(column.type):
        return [None if value is None else dict(value) for value in values]
    if pa.types.is_struct(column.type):
        return [None if v is None else {key: item for key, item in v.items() if item is not None} for v in values]
    raise bad_type(f"metadata is a JSON object or a struct, not {column.type}", "metadata")
