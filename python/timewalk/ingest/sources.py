"""What can be read as records, brought to columns: mappings, Arrow objects, pandas and polars frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from timewalk.errors import InvalidTypeError
from timewalk.ingest.columns import Column, plain
from timewalk.ingest.metadata import metadata_strings, own_values, python_rows
from timewalk.ingest.schema import NAMES, bad_type, bad_value, is_missing

_KNOWN = NAMES - {"metadata"}


@dataclass(frozen=True)
class Columns:
    """Known columns as given, the number of rows, and the metadata already as JSON."""

    known: dict[str, Column]
    rows: int
    metadata: pa.Array

    def get(self, name: str) -> Column:
        """A column, or nulls where it was not given."""
        return self.known[name] if name in self.known else pa.nulls(self.rows)


def columns_of(records: Any) -> Columns:
    """Columns of a mapping, an iterable of mappings, an Arrow table, batch or reader, or a data frame."""
    if isinstance(records, Mapping):
        return _of_mappings([records])
    if isinstance(records, (str, bytes)):
        raise InvalidTypeError(
            "records are mappings such as {'text': …}, an Arrow table or a data frame, not a string; "
            "a file is read with timewalk.ingest.readers.read(path)"
        )
    if type(records).__module__.partition(".")[0] == "pandas" and hasattr(records, "columns"):
        return _of_pandas(records)
    if hasattr(records, "__arrow_c_stream__") or hasattr(records, "__arrow_c_array__"):
        return _of_arrow(records)
    if isinstance(records, Iterable):
        return _of_mappings(list(records))
    raise InvalidTypeError(
        f"records are mappings, an Arrow table or a data frame, not {type(records).__name__}; "
        "give a list of dicts with at least a 'text' each"
    )


def _of_mappings(records: list[Any]) -> Columns:
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            kind = type(record).__name__
            raise InvalidTypeError(f"a record is a mapping such as {{'text': …}}, not {kind} (row {row})", row=row)
    names = set().union(*records)
    known: dict[str, Column] = {name: [record.get(name) for record in records] for name in sorted(names & _KNOWN)}
    own = [record.get("metadata") for record in records] if "metadata" in names else None
    extras = None
    if names - NAMES:
        if "files" in names:
            known["files"] = [record.get("files") for record in records]
        extras = [{key: record[key] for key in record if key not in NAMES} for record in records]
    return Columns(known, len(records), metadata_strings(own, extras, len(records)))


def _of_arrow(records: Any) -> Columns:
    try:
        table = pa.table(records)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, ValueError, TypeError) as error:
        raise InvalidTypeError(
            f"the Arrow object is not a table (a struct array, batch, reader or table): {error}"
        ) from None
    twice = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if twice:
        raise bad_value("the column is there twice", twice[0])
    known: dict[str, Column] = {
        name: plain(table.column(name)) for name in table.column_names if name in _KNOWN or name == "files"
    }
    own = own_values(plain(table.column("metadata"))) if "metadata" in table.column_names else None
    extras = python_rows(table.select([name for name in table.column_names if name not in NAMES]))
    return Columns(known, table.num_rows, metadata_strings(own, extras, table.num_rows))


def _of_pandas(frame: Any) -> Columns:
    """Columns of a pandas frame. NaN, NaT and NA are missing there; columns of Python objects keep their objects."""
    if frame.index.name in NAMES and frame.index.name not in frame.columns:
        frame = frame.reset_index()
    known: dict[str, Column] = {}
    loose: dict[str, list[Any]] = {}
    for at, name in enumerate(frame.columns):
        if not isinstance(name, str):
            raise InvalidTypeError(f"the names of columns are strings, not {type(name).__name__} ({name!r})")
        if name in known or name in loose:
            raise bad_value("the column is there twice", name)
        series = frame.iloc[:, at]
        column: Column
        if str(series.dtype) == "object":
            column = [None if is_missing(value) else value for value in series.tolist()]
        else:
            try:
                column = plain(pa.array(series, from_pandas=True))
            except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
                raise bad_type(f"the column cannot be read: {error}", name) from None
        if name in _KNOWN:
            known[name] = column
            continue
        if name == "files":
            known[name] = column
        if name == "metadata" and not isinstance(column, list):
            column = own_values(column)
        loose[name] = column if isinstance(column, list) else _python_column(column)
    own = loose.pop("metadata", None)
    rows = len(frame)
    extras = [{name: values[row] for name, values in loose.items() if values[row] is not None} for row in range(rows)]
    return Columns(known, rows, metadata_strings(own, extras, rows))


def _python_column(column: pa.Array) -> list[Any]:
    rows = python_rows(pa.table({"column": column})) or []
    return [row.get("column") for row in rows]
