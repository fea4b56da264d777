"""The compiled core; use it through the names of the package `timewalk`."""

from collections.abc import Sequence

import pyarrow as pa

from timewalk.arrow import ArrowArray

__version__: str

def micros(array: ArrowArray, *, column: str = "time", tz: str = "UTC") -> pa.Int64Array:
    """Microseconds since the epoch in UTC from a time column; see `timewalk.times.column_micros`."""

def fuse(
    rankings: Sequence[tuple[Sequence[str], Sequence[float]]],
    method: str,
    k: float,
    weights: Sequence[float],
) -> list[tuple[str, float, list[int | None], list[float | None]]]:
    """Fused rows (id, score, rank in each ranking, score in each ranking); see `timewalk.fuse`."""
