"""The Arrow PyCapsule interface as types: what any table or column must offer to be read without a copy."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable


@runtime_checkable
class ArrowArrayExportable(Protocol):
    """A column or record batch (pyarrow, polars, arro3, nanoarrow …)."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Schema and array capsules."""
        ...


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """A chunked column, a table, a reader or a data frame."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Stream capsule."""
        ...


ArrowArray: TypeAlias = ArrowArrayExportable | ArrowStreamExportable
ArrowTable: TypeAlias = ArrowArrayExportable | ArrowStreamExportable
