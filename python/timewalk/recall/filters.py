"""Filters of a recall, as one mask over the columns of the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.errors import InvalidTypeError, InvalidValueError

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be: in any of the namespaces, of any of the fact types, with any of the tags; empty means all.

    What was invalidated at or before `valid_at` (microseconds) is left out.
    """

    namespaces: tuple[str, ...] = ()
    fact_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    valid_at: int = 0

    @classmethod
    def of(
        cls,
        namespace: str | Sequence[str] | None,
        fact_type: str | Sequence[str] | None,
        tags: str | Sequence[str] | None,
        valid_at: int,
    ) -> Filters:
        """Filters from arguments that are one value, several, or None for all."""
        return cls(_several(namespace, "namespace"), _several(fact_type, "fact_type"), _several(tags, "tags"), valid_at)

    def mask(self, columns: pa.Table) -> Mask | None:
        """Which rows pass, bool [n]; None where all do."""
        masks: list[Mask] = []
        for name, values in (("namespace", self.namespaces), ("fact_type", self.fact_types)):
            if values:
                masks.append(_booleans(pc.is_in(columns[name], value_set=pa.array(values, pa.string()))))
        if self.tags:
            masks.append(_any_tag(columns["tags"], self.tags))
        invalid = columns["invalid_at"]
        if invalid.null_count < len(invalid):
            masks.append(_booleans(pc.greater(pc.fill_null(invalid, np.iinfo(np.int64).max), self.valid_at)))
        return np.logical_and.reduce(masks) if masks else None


def _any_tag(tags: pa.ChunkedArray, wanted: tuple[str, ...]) -> Mask:
    mask = np.zeros(len(tags), np.bool_)
    lists = tags.combine_chunks()
    hits = _booleans(pc.is_in(pc.list_flatten(lists), value_set=pa.array(wanted, pa.string())))
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    mask[parents[hits]] = True
    return mask


def _booleans(values: pa.Array | pa.ChunkedArray) -> Mask:
    joined = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return np.asarray(pc.fill_null(joined, False).to_numpy(zero_copy_only=False), np.bool_)


def _several(value: str | Sequence[str] | None, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidTypeError(f"{name} is a string or several, not {type(value).__name__}")
    values = tuple(value)
    for one in values:
        if not isinstance(one, str):
            raise InvalidTypeError(f"{name} holds strings, not {type(one).__name__}")
    if not values:
        # A list of permissions that came out empty must not open everything.
        raise InvalidValueError(f"{name} is empty and would let nothing through; None lets all through")
    return values
