"""The compiled core; use it through the names of the package `timewalk`."""

from collections.abc import Sequence
from typing import Any, Self, TypeAlias, final

import pyarrow as pa

from timewalk._core_graph import GraphMask as GraphMask
from timewalk._core_graph import MemoryGraph as MemoryGraph
from timewalk.arrow import ArrowArray
from timewalk.reranking.fusion import Fusion

_Named: TypeAlias = tuple[str, ArrowArray | Column]
_Parameter: TypeAlias = float | _Named
_Options: TypeAlias = tuple[int, str, str | None, bool, int | None]
_Weights: TypeAlias = tuple[ArrowArray | Column, bool, str]

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

def find_window(
    text: str, now: int, tz: str, prefer: str, locale: str
) -> tuple[int | None, int | None, str, int, int, int, int] | None:
    """The window that governs a text; see `timewalk.find_window`."""

def find_windows(
    text: str, now: int, tz: str, prefer: str, locale: str
) -> list[tuple[int | None, int | None, str, int, int, int, int]]:
    """Every window in a text; see `timewalk.find_windows`."""

def window_languages() -> list[str]:
    """Names of the languages that are built in."""

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

@final
class NameMatcher:
    """Finds many names in many texts in one pass; see `timewalk.ingest.known`."""

    def __new__(cls, names: ArrowArray) -> NameMatcher: ...
    def __len__(self) -> int: ...
    def find(self, texts: ArrowArray) -> tuple[pa.Int64Array, pa.Int64Array]:
        """Rows of texts and numbers of names, one of each a mention, by row and place."""

def floats(values: list[Any]) -> Column:
    """A list of floats and integers (None is null) as a column of float64."""

def strings(values: list[Any]) -> Column:
    """A list of strings (None is null) as a column."""

def datetimes(values: list[Any]) -> Column:
    """A list of datetimes (None is null; a naive one is in UTC) as a column of microseconds."""

def datetime_lists(values: list[Any]) -> Column:
    """A list of lists or tuples of datetimes (None is null, at either depth) as a list column of microseconds."""

def find_anchor(
    text: str, now: int, tz: str, locale: str
) -> tuple[str, list[tuple[str, int]], bool, tuple[int, int], tuple[int, int], bool] | None:
    """The expression that hangs on an event; see `timewalk.windows.find_anchor`."""

def anchor_window(
    relation: str,
    length: list[tuple[str, int]],
    stretch: bool,
    span: tuple[int, int],
    start: int,
    end: int,
    now: int,
    tz: str,
) -> tuple[int | None, int | None, str, int, int, int, int]:
    """The window of such an expression, given its event's time; see `timewalk.windows.AnchoredExpression.window`."""

@final
class Nearest:
    """Vectors of one dimension by position (uint32), and the nearest by cosine, exactly. Zeros have cosine 0."""

    def __new__(cls, dimension: int) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    def put(self, positions: Any, vectors: Any) -> None:
        """Stores or replaces vectors: float32, one after the other."""

    def remove(self, positions: Any) -> None:
        """Takes vectors away; positions without one are passed over."""

    def units(self, positions: Any) -> pa.FloatArray:
        """Vectors at length 1, one after the other; zeros where there is none."""

    def cosines(self, query: Any, positions: Any) -> pa.DoubleArray:
        """Exact cosines in [-1, 1]."""

    def search(self, query: Any, limit: int, among: Any = None) -> tuple[pa.Int64Array, pa.DoubleArray]:
        """Positions and cosines of the `limit` nearest and of all that tie with the last, best first, ties by
        position. `among`: positions (uint32) that may be found, each once; all if None."""

    def parts(self) -> tuple[pa.UInt32Array, pa.FloatArray]:
        """Rows by position, and the vectors one after the other: what `from_parts` reads."""

    @staticmethod
    def from_parts(dimension: int, slots: Any, rows: Any) -> Nearest:
        """Reads the vectors in place. Raises `FileFormatError` for parts that do not belong together."""

_Changed: TypeAlias = tuple[Any, Any, Any, Any, Any]
# Sources and targets of links that are no more; sources, targets and weights of those that are new or changed.

@final
class ThreadLinks:
    """`follows` links, kept in step with memories that go by position (uint32): each update tells what it changes."""

    def __new__(cls) -> Self: ...
    def update(self, removed: Any, positions: Any, orders: Any, namespaces: Any, threads: Any) -> _Changed:
        """Takes memories out, then others in. `orders`: int64, the order of arrival."""

@final
class TimeLinks:
    """`temporal` links in the same manner, by the rule of `timewalk.ingest.links.temporal_links`."""

    def __new__(cls, half_life: float, floor: float, limit: int) -> Self: ...
    def update(self, removed: Any, positions: Any, namespaces: Any, ids: Any, times: Any) -> _Changed:
        """Takes memories out, then others in. `times`: int64, microseconds or null; `half_life` likewise."""

@final
class MentionLinks:
    """`mentions` and `co_occurs` links in the same manner, by the rule of `timewalk.ingest.links`."""

    def __new__(cls, floor: float, limit: int, most_entities: int) -> Self: ...
    def update(self, positions: Any, entities: Any, confidences: Any) -> tuple[_Changed, _Changed, Any]:
        """Gives memories other mentions, none for those that go: lists of ids and of float64. Returns changes of
        mentions (positions to ids) and of pairs (ids to ids), and the ids that no memory mentions any more."""

@final
class CausalLinks:
    """`causes`, `caused_by` and `enabled_by` links in the same manner, by the rule of
    `timewalk.ingest.causal.causal_links`."""

    def __new__(
        cls, repairs: int, repair_floor: float, clause_floor: float, span: float, entity_weight: float
    ) -> Self: ...
    def update(
        self, removed: Any, positions: Any, orders: Any, memories: tuple[Any, Any, Any, Any, Any]
    ) -> tuple[tuple[Any, Any, Any], _Changed]:
        """Takes memories out, then others in: texts, namespaces, starts, ends (int64 microseconds) and entities (lists
        of strings). Returns source, target and relation of what is no more; and source, target, relation, weight
        and cue of what is new or changed."""
