"""Hits of each kind as columns for the engines, and back to the same kind in a new order."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from timewalk import _core
from timewalk.arguments import ODD_VALUES, text
from timewalk.decay.columns import Named, list_column, number_column, time_column
from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError


class Source(Protocol):
    """Hits of one kind."""

    def __len__(self) -> int: ...
    def __contains__(self, name: str) -> bool: ...
    def times(self, name: str) -> Named:
        """A column of times."""
        ...

    def time_lists(self, name: str) -> Named:
        """A column of lists of times."""
        ...

    def numbers(self, name: str) -> Named:
        """A column of numbers."""
        ...

    def keys(self, name: str) -> Named:
        """A column of ids or of group keys."""
        ...

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """The hits in their new order with three more columns, as the kind that they came in."""
        ...


def unknown_column(name: str, names: list[str]) -> UnknownIdError:
    """The error for a column that is not there, with the nearest that is."""
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(map(repr, names))}"
    return UnknownIdError(f"the hits have no column {name!r}; {hint}", column=name)


def new_names(prefix: str, taken: list[str], similarity: str) -> tuple[str, str, str]:
    """Names of the columns to add; one that is taken is an error, but for the similarity column itself."""
    names = (f"{prefix}score", f"{prefix}temporal_weight", f"{prefix}similarity_used")
    for name in names:
        if name in taken and name != similarity:
            raise InvalidValueError(
                f"the hits already have a column {name!r}; give prefix='decay_' or another, and the new columns "
                f"are called by it",
                column=name,
            )
    return names


def with_columns(table: pa.Table, names: tuple[str, str, str], columns: list[pa.Array]) -> pa.Table:
    """The table with columns appended, or in the place of those of the same name."""
    for name, column in zip(names, columns, strict=True):
        at = table.column_names.index(name) if name in table.column_names else None
        table = table.append_column(name, column) if at is None else table.set_column(at, name, column)
    return table


def _written(key: Any) -> str:
    """A key as text, whatever it holds."""
    return str(key).encode(errors="backslashreplace").decode()


class DictHits:
    """A list of dicts."""

    def __init__(self, hits: list[dict[str, Any]], tz: Any, unit: str | None) -> None:
        self._hits = hits
        self._tz = tz
        self._unit = unit
        self._picked: dict[str, tuple[list[Any], str, int]] = {}

    def __len__(self) -> int:
        return len(self._hits)

    def _pick(self, name: str) -> tuple[list[Any], str, int]:
        if text(name, "the name of a column") not in self._picked:
            self._picked[name] = _core.pick(self._hits, name)
        return self._picked[name]

    def __contains__(self, name: str) -> bool:
        return self._pick(name)[2] > 0

    def _known(self, name: str) -> tuple[list[Any], str]:
        values, kind, found = self._pick(name)
        if found == 0 and self._hits:
            raise unknown_column(name, list(self._hits[0]))
        return values, kind

    def times(self, name: str) -> Named:
        """A column of times; datetimes go through Arrow at once, anything else one by one."""
        values, kind = self._known(name)
        try:
            if kind in ("datetime", "none") and self._tz == "UTC":
                return name, _core.datetimes(values)
            if kind == "str":
                return name, pa.array(values, type=pa.string())
            if kind == "int" and self._unit is not None:
                return name, pa.array(values, type=pa.int64())
        except ODD_VALUES:
            # One value tells the kind; the long way finds the one that is of another.
            return time_column(values, name, self._tz)
        return time_column(values, name, self._tz)

    def time_lists(self, name: str) -> Named:
        """A column of lists of times, in the same way."""
        values, kind = self._known(name)
        try:
            if kind in ("datetime", "none") and self._tz == "UTC":
                return name, _core.datetime_lists(values)
            if kind == "str":
                return name, pa.array(values, type=pa.list_(pa.string()))
            if kind == "int" and self._unit is not None:
                return name, pa.array(values, type=pa.list_(pa.int64()))
        except ODD_VALUES:
            # Leaves of several types, which the long way takes one by one or names.
            return list_column(values, name, self._tz)
        return list_column(values, name, self._tz)

    def numbers(self, name: str) -> Named:
        """A column of numbers."""
        values, kind = self._known(name)
        if kind in ("int", "float", "none"):
            try:
                return name, _core.floats(values)
            except ODD_VALUES:
                return number_column(values, name)
        return number_column(values, name)

    def keys(self, name: str) -> Named:
        """A column of ids or of group keys; keys of several types are taken by their text."""
        values, kind = self._known(name)
        try:
            return name, _core.strings(values) if kind == "str" else pa.array(values)
        except ODD_VALUES:
            return name, pa.array([None if value is None else _written(value) for value in values])

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """New dicts; the values in them are the same objects."""
        return ranked.dicts(self._hits, names)

    @property
    def names(self) -> list[str]:
        """Keys of the first hit."""
        return list(self._hits[0]) if self._hits and isinstance(self._hits[0], dict) else []


class ArrowHits:
    """An Arrow table."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def names(self) -> list[str]:
        """Column names."""
        return list(self.table.column_names)

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def _find(self, name: str) -> pa.ChunkedArray | None:
        if text(name, "the name of a column") in self.table.column_names:
            try:
                return self.table.column(name)
            except KeyError:
                raise InvalidValueError(f"the hits have two columns {name!r}", column=name) from None
        first, *rest = name.split(".")
        if not rest or first not in self.table.column_names:
            return None
        column = self.table.column(first)
        for part in rest:
            if not pa.types.is_struct(column.type) or column.type.get_field_index(part) < 0:
                return None
            column = pc.struct_field(column, part)
        return column

    def _known(self, name: str) -> Named:
        column = self._find(name)
        if column is None:
            raise unknown_column(name, self.names)
        return name, column

    times = time_lists = numbers = keys = _known

    def added(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> pa.Table:
        """The rows in their new order with three more columns."""
        order, *columns = ranked.columns()
        return with_columns(self.table.take(order), names, columns)

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """A table."""
        return self.added(ranked, names)


class BatchHits(ArrowHits):
    """An Arrow record batch."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        super().__init__(pa.Table.from_batches([batch]))

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """A record batch."""
        table = self.added(ranked, names).combine_chunks()
        batches = table.to_batches()
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


class PandasHits(ArrowHits):
    """A pandas frame; only the columns that are asked for become Arrow."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._converted: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._frame)

    @property
    def names(self) -> list[str]:
        """Column names."""
        return [str(name) for name in self._frame.columns]

    def _find(self, name: str) -> Any:
        if text(name, "the name of a column") not in self._frame.columns:
            return None
        if name not in self._converted:
            try:
                # NaN is how pandas writes a missing value.
                self._converted[name] = pa.array(self._frame[name], from_pandas=True)
            except ODD_VALUES as error:
                raise InvalidTypeError(f"{error} (column '{name}')", column=name) from None
        return self._converted[name]

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """A frame with the rows' own index labels."""
        order, *columns = ranked.columns()
        frame = self._frame.iloc[order.to_numpy()].copy()
        for name, column in zip(names, columns, strict=True):
            frame[name] = column.to_numpy(zero_copy_only=False)
        return frame


class PolarsHits(ArrowHits):
    """A polars frame; only the columns that are asked for become Arrow."""

    def __init__(self, frame: Any, polars: Any) -> None:
        self._frame = frame
        self._polars = polars

    def __len__(self) -> int:
        return len(self._frame)

    @property
    def names(self) -> list[str]:
        """Column names."""
        return list(self._frame.columns)

    def _find(self, name: str) -> Any:
        if text(name, "the name of a column") in self._frame.columns:
            return self._frame.get_column(name)
        first, *rest = name.split(".")
        if not rest or first not in self._frame.columns:
            return None
        column = self._frame.get_column(first)
        for part in rest:
            if column.dtype != self._polars.Struct or part not in column.struct.fields:
                return None
            column = column.struct.field(part)
        return column

    def reordered(self, ranked: _core.Ranked, names: tuple[str, str, str]) -> Any:
        """A frame."""
        order, *columns = ranked.columns()
        frame = self._frame[order.to_numpy()]
        return frame.with_columns(
            [self._polars.Series(name, column) for name, column in zip(names, columns, strict=True)]
        )
