"""The compiled core; use it through the names of the package `timewalk`."""

from collections.abc import Sequence
from typing import Any, Self, TypeAlias, final

import pyarrow as pa

from timewalk.arrow import ArrowArray
from timewalk.reranking.fusion import Fusion

__version__: str

def micros(array: ArrowArray, *, column: str = "time", tz: str = "UTC") -> pa.Int64Array:
    """Microseconds since the epoch in UTC from a time column; see `timewalk.times.column_micros`."""

_Named: TypeAlias = tuple[str, ArrowArray | Column]
_Parameter: TypeAlias = float | _Named
_Options: TypeAlias = tuple[int, str, str | None, bool, int | None]
_Weights: TypeAlias = tuple[ArrowArray | Column, bool, str]

@final
class Column:
    """A column that has not left Rust: results of the engines and columns of dicts, on their way to the next step."""

    def __len__(self) -> int: ...
    def to_pyarrow(self) -> pa.Array:
        """The same as a `pyarrow.Array`, without a copy."""

def decay_half_life(times: _Named, half_life: _Parameter, options: _Options) -> Column:
    """(1/2)^(age / half-life); see `timewalk.half_life`."""

def decay_ebbinghaus(times: _Named, strength: _Parameter, floor: _Parameter, options: _Options) -> Column:
    """floor + (1 - floor)·e^(-age / strength); see `timewalk.ebbinghaus`."""

def decay_power_law(
    times: _Named, stability: _Parameter, decay: _Parameter, factor: _Parameter | None, options: _Options
) -> Column:
    """(1 + factor·age / stability)^(-decay); see `timewalk.power_law`."""

def decay_curve(
    shape: str,
    values: _Named,
    origin: tuple[str, float, int],
    scale: _Parameter,
    offset: _Parameter,
    decay: _Parameter,
    options: _Options,
) -> Column:
    """gauss, exp or linear; see `timewalk.gauss`."""

def decay_actr(
    recent: _Named,
    historical_count: _Named | None,
    created_at: _Named | None,
    decay: _Parameter,
    min_age: float,
    options: _Options,
) -> Column:
    """ACT-R base-level activation; see `timewalk.actr`."""

def decay_simd() -> str:
    """The instruction set that the engines run on; see `timewalk.decay.simd`."""

@final
class Ranked:
    """Rows in their new order, with what the order was made of."""

    def __len__(self) -> int: ...
    def columns(self) -> list[Any]:
        """Row numbers, best first, and score, temporal weight and similarity in that order."""

    def dicts(self, hits: list[dict[str, Any]], names: tuple[str, str, str]) -> list[dict[str, Any]]:
        """Copies of the hits in the new order, with three more keys."""

def rank_hits(
    similarity: _Named,
    temporal: Sequence[_Weights],
    groups: Sequence[_Named],
    ids: _Named | None,
    fusion: Fusion,
    k: int | None,
    threads: int | None,
) -> Ranked:
    """Scores hits and puts them in order; see `timewalk.rerank`."""

@final
class BestHits:
    """The best `k` of each group over batches that come one after another."""

    def __new__(cls, k: int) -> Self: ...
    def add(
        self,
        similarity: _Named,
        temporal: Sequence[_Weights],
        groups: Sequence[_Named],
        ids: _Named | None,
        fusion: Fusion,
    ) -> pa.UInt64Array:
        """Takes a batch; gives the numbers of its rows that must be kept, in their order."""

    def counts(self) -> tuple[int, int, int]:
        """Rows seen, rows that were to be kept, and how many of these still matter."""

    def compact(self) -> pa.UInt64Array:
        """Numbers of the kept rows that still matter; the others are to be dropped, and all are numbered anew."""

    def winners(self) -> list[Any]:
        """The kept rows in their final order, with score, temporal weight and similarity."""

def pick(hits: list[dict[str, Any]], key: str) -> tuple[list[Any], str, int]:
    """The values under a key of every hit, what they are, and how many hits have the key."""

def floats(values: list[Any]) -> Column:
    """A list of floats and integers (None is null) as a column of float64."""

def strings(values: list[Any]) -> Column:
    """A list of strings (None is null) as a column."""

def datetimes(values: list[Any]) -> Column:
    """A list of datetimes (None is null; a naive one is in UTC) as a column of microseconds."""

def datetime_lists(values: list[Any]) -> Column:
    """A list of lists or tuples of datetimes (None is null, at either depth) as a list column of microseconds."""
