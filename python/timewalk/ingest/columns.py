"""Columns of any kind to the types of the canonical table: strings, lists of strings, vectors, counts, entities.

Each function takes a list of Python values or an Arrow array and answers with one array of the canonical type, or
with an error that names the row and the column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.ingest.identity import entity_key
from timewalk.ingest.schema import ENTITY, bad_type, bad_value, is_missing

Column: TypeAlias = "list[Any] | pa.Array"


def plain(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One contiguous array, without dictionary or run-end encoding or an extension type around it."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # several chunks that do not fit one array, or none
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    return array


def is_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of the string types."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_listing(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of the list types."""
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def strings(values: Column, column: str, *, numbers: bool = False) -> pa.Array:
    """A string column; missing and blank cells become null. With `numbers`, integers become decimal strings."""
    if isinstance(values, list):
        array = _strings_of(values, column, numbers)
    elif pa.types.is_null(values.type):
        return pa.nulls(len(values), pa.string())
    elif is_text(values.type) or (numbers and pa.types.is_integer(values.type)):
        array = values.cast(pa.string())
    elif all(is_missing(value) for value in values.to_pylist()):
        return pa.nulls(len(values), pa.string())
    else:
        raise bad_type(f"a string is expected, not {values.type}", column)
    if pc.any(pc.less_equal(pc.binary_length(array), 0)).as_py() or _may_be_blank(array):
        blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(array)), 0)
        array = pc.if_else(blank, pa.scalar(None, pa.string()), array)
    return array


def _may_be_blank(array: pa.Array) -> bool:
    # Trimming every long text to find out would cost more than a look at the first character.
    first = pc.utf8_slice_codeunits(array, 0, 1)
    return bool(pc.any(pc.utf8_is_space(first)).as_py())


def _strings_of(values: list[Any], column: str, numbers: bool) -> pa.Array:
    if not all(kind is str or kind is type(None) for kind in set(map(type, values))):
        values = [_string(value, column, row, numbers) for row, value in enumerate(values)]
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        row = next(row for row, value in enumerate(values) if value is not None and not _encodes(value))
        raise bad_value("the text holds half of a surrogate pair and is not valid Unicode", column, row) from None


def _string(value: Any, column: str, row: int, numbers: bool) -> str | None:
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        return None
    if numbers and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    raise bad_type(f"a string is expected, not {type(value).__name__}", column, row)


def _encodes(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def string_lists(values: Column, column: str) -> pa.Array:
    """A column of lists of strings. A lone string is a list of one, or the list that it spells in JSON.

    Integers become decimal strings, blank items are left out, an item given twice counts once. A missing item is
    an error.
    """
    if not isinstance(values, list):
        if pa.types.is_null(values.type):
            return pa.nulls(len(values), pa.list_(pa.string()))
        if _clean_lists(values):
            return values.cast(pa.list_(pa.string()))
        if not (is_text(values.type) or is_listing(values.type)):
            raise bad_type(f"a list of strings is expected, not {values.type}", column)
        values = values.to_pylist()
    if not any(value is not None for value in values):
        return pa.nulls(len(values), pa.list_(pa.string()))
    lists = [_string_list(value, column, row) for row, value in enumerate(values)]
    try:
        return pa.array(lists, pa.list_(pa.string()))
    except UnicodeEncodeError:
        row = next(row for row, items in enumerate(lists) if not all(map(_encodes, items or [])))
        raise bad_value("the text holds half of a surrogate pair and is not valid Unicode", column, row) from None


def _clean_lists(array: pa.Array) -> bool:
    """Whether a list column is right as it is: non-blank distinct strings only."""
    if not (pa.types.is_list(array.type) or pa.types.is_large_list(array.type)) or not is_text(array.type.value_type):
        return False
    flat = array.flatten().cast(pa.string())
    if flat.null_count or _may_be_blank(flat) or pc.any(pc.equal(pc.binary_length(flat), 0)).as_py():
        return False
    rows = pc.list_parent_indices(array)
    distinct = pa.table({"row": rows, "item": flat}).group_by(["row", "item"]).aggregate([])
    return bool(distinct.num_rows == len(flat))


def _string_list(value: Any, column: str, row: int) -> list[str] | None:
    if type(value) is list and all(type(item) is str for item in value):
        items: Iterable[Any] = value
    elif value is None:
        return None
    else:
        items = spelled(value, column, row)
    kept: dict[str, None] = {}
    for item in items:
        text = _string(item, column, row, numbers=True)
        if text is None:
            raise bad_value("a list must not hold missing items", column, row)
        if text.strip():
            kept[text] = None
    return list(kept)


def spelled(value: Any, column: str, row: int) -> Iterable[Any]:
    """The items of a cell that should hold a list: a sequence, a set, a numpy array, or a string (see above)."""
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return []
        if not (text.startswith("[") and text.endswith("]")):
            return [value]
        try:
            items = json.loads(text)
        except ValueError:
            return [value]
        return items if isinstance(items, list) else [value]
    if is_missing(value):
        return []
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (list, tuple, np.ndarray)) or (isinstance(value, Sequence) and not isinstance(value, bytes)):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return [value]
    raise bad_type(f"a list is expected, not {type(value).__name__}", column, row)


def counts(values: Column, column: str) -> pa.Array:
    """A column of counts (int64, 0 or more); floats are taken where they are whole."""
    if not isinstance(values, list):
        if pa.types.is_null(values.type):
            return pa.nulls(len(values), pa.int64())
        if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
            raise bad_type(f"a count is expected, not {values.type}", column)
        if pa.types.is_signed_integer(values.type) and not pc.any(pc.less(values, 0)).as_py():
            return values.cast(pa.int64())
        values = values.to_pylist()
    return pa.array([_count(value, column, row) for row, value in enumerate(values)], pa.int64())


def _count(value: Any, column: str, row: int) -> int | None:
    if value is None or type(value).__name__ == "NAType":
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise bad_type(f"a count is expected, not {type(value).__name__}", column, row)
    if value != value or value != int_or_none(value) or not 0 <= value < 2**63:
        raise bad_value(f"{value} is not a count: a whole number of 0 or more", column, row)
    return int(value)


def int_or_none(value: Any) -> int | None:
    """The integer that a number is cut to, or None where it has none (infinities)."""
    try:
        return int(value)
    except (OverflowError, ValueError):
        return None


def entities(values: Column, column: str) -> pa.Array:
    """A column of lists of entities: strings, (name, type) pairs, or mappings with `name` and maybe `type`."""
    kind = pa.list_(ENTITY)
    if not isinstance(values, list):
        if pa.types.is_null(values.type):
            return pa.nulls(len(values), kind)
        if not (is_text(values.type) or is_listing(values.type)):
            raise bad_type(f"a list of entities is expected, not {values.type}", column)
        values = values.to_pylist()
    if not any(value is not None for value in values):
        return pa.nulls(len(values), kind)
    return pa.array([_entities(value, column, row) for row, value in enumerate(values)], kind)


def _entities(value: Any, column: str, row: int) -> list[dict[str, str | None]] | None:
    if value is None:
        return None
    items = [value] if isinstance(value, Mapping) else spelled(value, column, row)
    found: dict[str, dict[str, str | None]] = {}
    for item in items:
        name, kind = _entity(item, column, row)
        first = found.setdefault(entity_key(name), {"name": name, "type": kind})
        first["type"] = first["type"] or kind
    return list(found.values())


def _entity(item: Any, column: str, row: int) -> tuple[str, str | None]:
    if isinstance(item, Mapping):
        name, kind = item.get("name"), item.get("type")
    elif isinstance(item, (tuple, list)) and len(item) == 2:
        name, kind = item
    else:
        name, kind = item, None
    if not isinstance(name, str) or not (kind is None or isinstance(kind, str)):
        raise bad_type("an entity is a name or a mapping of name and type, both strings", column, row)
    if not name.strip():
        raise bad_value("an entity needs a name", column, row)
    if not (_encodes(name) and _encodes(kind or "")):
        raise bad_value("the text holds half of a surrogate pair and is not valid Unicode", column, row)
    return " ".join(name.split()), (kind or "").strip() or None
