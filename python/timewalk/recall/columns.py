"""Columns that grow at the end and change in places, without being copied as a whole."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_CHUNK = 65_536
Value = TypeVar("Value", bound=np.generic)


class Growing(Generic[Value]):
    """A numpy column with room at its end: appending costs what is appended."""

    def __init__(self, kind: type[Value], values: npt.ArrayLike = ()) -> None:
        self._room: npt.NDArray[Any] = np.array(values, kind)
        self._size = len(self._room)

    @property
    def values(self) -> npt.NDArray[Value]:
        """The values; writing to them changes the column."""
        return self._room[: self._size]

    def extend(self, values: npt.NDArray[Value]) -> None:
        """Appends values."""
        size = self._size + len(values)
        if size > len(self._room):
            room = np.empty(max(size, 2 * len(self._room)), self._room.dtype)
            room[: self._size] = self._room[: self._size]
            self._room = room
        self._room[self._size : size] = values
        self._size = size


class Chunks:
    """An Arrow table in chunks, few and of bounded size, so that a change copies one of them at most."""

    def __init__(self, table: pa.Table) -> None:
        self._schema = table.schema
        self._parts = [table.slice(at, _CHUNK).combine_chunks() for at in range(0, table.num_rows, _CHUNK)]
        self._whole: pa.Table | None = None

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    @property
    def table(self) -> pa.Table:
        """All of it, without a copy."""
        if self._whole is None:
            self._whole = pa.concat_tables(self._parts) if self._parts else self._schema.empty_table()
        return self._whole

    def extend(self, table: pa.Table) -> None:
        """Appends rows."""
        for at in range(0, len(table), _CHUNK):
            self._parts.append(table.slice(at, _CHUNK).combine_chunks())
            # A chunk joins the one before it once it is as large: each row is copied a few times in all.
            while len(self._parts) > 1 and len(self._parts[-2]) <= len(self._parts[-1]) < _CHUNK:
                joined = pa.concat_tables(self._parts[-2:])
                if len(joined) > _CHUNK:
                    break
                self._parts[-2:] = [joined.combine_chunks()]
        self._whole = None

    def replace(self, positions: npt.NDArray[np.int64], table: pa.Table) -> None:
        """Puts the rows of a table in the place of those at `positions`, which are sorted."""
        begin = 0
        for number, part in enumerate(self._parts):
            here = (positions >= begin) & (positions < begin + len(part))
            if here.any():
                order = np.arange(len(part))
                order[positions[here] - begin] = len(part) + np.arange(int(here.sum()))
                both = pa.concat_tables([part, table.filter(pa.array(here))])
                self._parts[number] = both.take(pa.array(order)).combine_chunks()
            begin += len(part)
        self._whole = None
