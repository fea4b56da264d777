"""The embedding column: vectors of one size, all finite, as lists of float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.ingest.columns import Column, is_listing, is_text, spelled
from timewalk.ingest.schema import bad_type, bad_value

_KIND = pa.list_(pa.float32())


def vectors(values: Column, column: str = "embedding") -> pa.Array:
    """A column of vectors: lists, tuples, numpy arrays or JSON lists; an Arrow list of any number type.

    All vectors of a batch have one size, of at least 1; every number is finite, also as a float32.
    """
    if isinstance(values, list):
        array = _from_python(values, column)
    elif pa.types.is_null(values.type):
        return pa.nulls(len(values), _KIND)
    elif is_text(values.type):
        array = _from_python(values.to_pylist(), column)
    elif not is_listing(values.type):
        raise bad_type(f"a vector of numbers is expected, not {values.type}", column)
    else:
        inner = values.type.value_type
        if not (pa.types.is_floating(inner) or pa.types.is_integer(inner) or pa.types.is_null(inner)):
            raise bad_type(f"a vector of numbers is expected, not a list of {inner}", column)
        if pa.types.is_list_view(values.type) or pa.types.is_large_list_view(values.type):
            values = pa.array(values.to_pylist(), pa.list_(inner))
        array = values.cast(_KIND, safe=False)
    _check(array, column)
    return array


def _from_python(values: list[Any], column: str) -> pa.Array:
    rows = [None if value is None else _vector(value, column, row) for row, value in enumerate(values)]
    given = [row for row in rows if row is not None]
    if not given:
        return pa.nulls(len(values), _KIND)
    sizes = np.array([0 if row is None else len(row) for row in rows])
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
    missing = pa.array([row is None for row in rows])
    return pa.ListArray.from_arrays(offsets, pa.array(np.concatenate(given), pa.float32()), mask=missing)


def _vector(value: Any, column: str, row: int) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    if not isinstance(value, np.ndarray):
        items = spelled(value, column, row)
        try:
            value = np.asarray(items)
        except (ValueError, TypeError):
            raise bad_type("a vector is a flat list of numbers", column, row) from None
        if value.size == 0 and isinstance(items, list) and not items:
            raise bad_value("the vector is empty", column, row)
    if value.ndim != 1 or value.dtype.kind not in "fiu":
        raise bad_type("a vector is a flat list of numbers", column, row)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(value, np.float32)


def _check(array: pa.Array, column: str) -> None:
    sizes = pc.list_value_length(array)
    first = next((size for size in sizes if size.is_valid), None)
    if first is None:
        return
    expected = first.as_py()
    odd = pc.index(pc.not_equal(sizes, expected), True).as_py()
    if odd >= 0:
        raise bad_value(f"a vector of {sizes[odd].as_py()} numbers among vectors of {expected}", column, odd)
    if expected == 0:
        raise bad_value("the vector is empty", column, pc.index(pc.is_valid(sizes), True).as_py())
    flat = array.flatten()
    good = np.isfinite(flat.to_numpy(zero_copy_only=False))  # null items come out as NaN
    if not good.all():
        at = int(np.argmin(good))
        row = pc.list_parent_indices(array)[at].as_py()
        raise bad_value(f"the vector holds {flat[at].as_py()}, which is not a finite float32", column, row)
