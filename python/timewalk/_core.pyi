"""The compiled core; use it through the names of the package `timewalk`."""

import pyarrow as pa

from timewalk.arrow import ArrowArray

__version__: str

def micros(array: ArrowArray, *, column: str = "time", tz: str = "UTC") -> pa.Int64Array:
    """Microseconds since the epoch in UTC from a time column; see `timewalk.times.column_micros`."""
