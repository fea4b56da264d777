"""`rerank`: hits in, best first out, as the kind that they came in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import tzinfo
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
import pyarrow as pa

from timewalk import _core
from timewalk.arguments import ODD_VALUES, number, text, text_or_none, texts, whole
from timewalk.arrow import ArrowStreamExportable
from timewalk.decay.columns import Options, Unit, options, parameter
from timewalk.decay.engines import Column, Engine
from timewalk.errors import InvalidTypeError
from timewalk.reranking.fusion import Distance, Fusion, Missing, Normalize
from timewalk.reranking.sources import ArrowHits, BatchHits, DictHits, PandasHits, PolarsHits, new_names
from timewalk.times import TimeLike

Hits = TypeVar("Hits")


@overload
def rerank(
    hits: str | PathLike[str],
    engine: Engine | Sequence[Engine],
    *,
    now: TimeLike | np.datetime64,
    k: int | None = ...,
    group_by: str | Sequence[str] | None = ...,
    similarity: str = ...,
    semantic_weight: float | str | Column | Any = ...,
    temporal_weight: float | str | Column | Any = ...,
    distance: Distance | None = ...,
    normalize: Normalize | None = ...,
    normalize_temporal: Normalize | None = ...,
    floor: float = ...,
    missing: Missing = ...,
    noise: float = ...,
    seed: int = ...,
    id: str = ...,
    tz: str | tzinfo = ...,
    unit: Unit | None = ...,
    prefix: str = ...,
    output: str | PathLike[str] | None = ...,
    threads: int | None = ...,
) -> Path: ...
@overload
def rerank(
    hits: Hits,
    engine: Engine | Sequence[Engine],
    *,
    now: TimeLike | np.datetime64,
    k: int | None = ...,
    group_by: str | Sequence[str] | None = ...,
    similarity: str = ...,
    semantic_weight: float | str | Column | Any = ...,
    temporal_weight: float | str | Column | Any = ...,
    distance: Distance | None = ...,
    normalize: Normalize | None = ...,
    normalize_temporal: Normalize | None = ...,
    floor: float = ...,
    missing: Missing = ...,
    noise: float = ...,
    seed: int = ...,
    id: str = ...,
    tz: str | tzinfo = ...,
    unit: Unit | None = ...,
    prefix: str = ...,
    output: None = ...,
    threads: int | None = ...,
) -> Hits: ...
def rerank(
    hits: Any,
    engine: Engine | Sequence[Engine],
    *,
    now: TimeLike | np.datetime64,
    k: int | None = None,
    group_by: str | Sequence[str] | None = None,
    similarity: str = "similarity",
    semantic_weight: float | str | Column | Any = 1.0,
    temporal_weight: float | str | Column | Any = 1.0,
    distance: Distance | None = None,
    normalize: Normalize | None = None,
    normalize_temporal: Normalize | None = None,
    floor: float = 0.0,
    missing: Missing = "last",
    noise: float = 0.0,
    seed: int = 0,
    id: str = "id",
    tz: str | tzinfo = "UTC",
    unit: Unit | None = None,
    prefix: str = "",
    output: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> Any:
    """Hits weighed by time, best first.

    With engines whose weights are factors the score is similarity^semantic_weight · (w₁·w₂·…)^temporal_weight (so,
    unless told otherwise, similarity · weight; the sign of the similarity is kept). With `ACTR` among the engines it is
    temporal_weight·(B + ln w₁ + …) + semantic_weight·similarity + noise, since an activation is a logarithm.

    Args:
        hits: a list of dicts, an Arrow table, record batch or reader, a pandas or polars frame, any object with the
            Arrow stream interface, or the path of a Parquet, Arrow, CSV or JSON lines file. Never changed.
            Names may be paths into nested dicts or structs ("payload.last_access").
        engine: one engine or several; their order does not matter.
        now: the present.
        k: so many of each group; None for all. At least 1.
        group_by: column (or columns) that separates queries: rows are ranked within their group, and groups come in the
            order in which they first appear. Rows whose group is null form one group.
        similarity: column of similarities. NaN is an error (in pandas it is null); a row whose similarity is null ranks
            last.
        semantic_weight: at least 0; a number, the name of a column, or one number a row.
        temporal_weight: the same for the temporal side.
        distance: what the similarity column holds, if not similarities: "cosine" (1 - d), "l2" (1/(1 + d)),
            "l2_squared" (1/(1 + √d)), "inner_product" (1 - product, so 1 - d) or "negative_inner_product" (-d). Never
            guessed.
        normalize: scale of similarities within a group: "minmax", "max", "zscore" or "sigmoid".
        normalize_temporal: the same for temporal weights.
        floor: for factors: floor + (1 - floor)·weight.
        missing: a row without its times comes "last" (after all scored rows of its group, by similarity, with a null
            score), or is left out ("drop"), or is an error ("error"), or gets this number as its weight.
        noise: scale of ACT-R's logistic noise.
        seed: seed of the noise, which goes by id (or position), not by order.
        id: column that decides ties, if there is one; then position does.
        tz: zone of times that carry none.
        unit: unit of integer epochs; without it they are refused.
        prefix: put before the names of the new columns.
        output: for a path: where to write; `NAME.reranked.EXT` beside the input unless told.
        threads: at most so many; None means all processors.

    Returns:
        The same kind as `hits` (for a path, the path written), payload untouched, with the columns `score`,
        `temporal_weight` and `similarity_used` (float64; null or None where missing). O(n log n).

    Raises:
        UnknownIdError: no such column; names the nearest.
        InvalidValueError: a value out of its range, naming row and column.
        InvalidTypeError: a column of the wrong type, or hits of no known kind.
    """
    plan = make_plan(
        engine,
        now=now,
        k=k,
        group_by=group_by,
        similarity=similarity,
        semantic_weight=semantic_weight,
        temporal_weight=temporal_weight,
        distance=distance,
        normalize=normalize,
        normalize_temporal=normalize_temporal,
        floor=floor,
        missing=missing,
        noise=noise,
        seed=seed,
        id=id,
        tz=tz,
        unit=unit,
        prefix=prefix,
        threads=threads,
    )
    if isinstance(hits, (str, PathLike)):
        from timewalk.reranking.files import rerank_file

        if output is not None and not isinstance(output, (str, PathLike)):
            raise InvalidTypeError(f"output must be a path, not {type(output).__name__}")
        return rerank_file(Path(hits), plan, None if output is None else Path(output))
    if output is not None:
        raise InvalidTypeError("output= goes with hits in a file; these hits are returned")
    return plan.apply(hits)


def make_plan(
    engine: Any,
    *,
    now: Any,
    k: Any = None,
    group_by: Any = None,
    similarity: str = "similarity",
    semantic_weight: Any = 1.0,
    temporal_weight: Any = 1.0,
    distance: str | None = None,
    normalize: str | None = None,
    normalize_temporal: str | None = None,
    floor: Any = 0.0,
    missing: Any = "last",
    noise: Any = 0.0,
    seed: Any = 0,
    id: str = "id",
    tz: str | tzinfo = "UTC",
    unit: str | None = None,
    prefix: str = "",
    threads: int | None = None,
) -> Plan:
    """The options of `rerank`, checked."""
    if k is not None:
        # No list is longer than this, on any machine.
        k = min(whole(k, "k", "a whole number of at least 1, or None for all", least=1), 2**31 - 1)
    seed = whole(seed, "seed", "a whole number from 0 to 2^64 - 1", least=0, most=2**64 - 1)
    return Plan(
        engines=_engines(engine),
        options=options(now, tz, unit, "float64", threads),
        k=k,
        group_by=texts(group_by, "group_by"),
        similarity=text(similarity, "similarity"),
        weights=(semantic_weight, temporal_weight),
        fusion={
            "distance": text_or_none(distance, "distance"),
            "normalize": text_or_none(normalize, "normalize"),
            "normalize_temporal": text_or_none(normalize_temporal, "normalize_temporal"),
            "floor": number(floor, "floor"),
            "missing": text(missing, "missing") if isinstance(missing, str) else number(missing, "missing"),
            "noise": number(noise, "noise"),
            "seed": seed,
        },
        id=text(id, "id"),
        tz=tz,
        unit=unit,
        prefix=text(prefix, "prefix"),
    )


class Plan:
    """The options of a call, checked, to be applied to hits of any kind."""

    def __init__(
        self,
        *,
        engines: list[Engine],
        options: Options,
        k: int | None,
        group_by: list[str],
        similarity: str,
        weights: tuple[Any, Any],
        fusion: dict[str, Any],
        id: str,
        tz: str | tzinfo,
        unit: str | None,
        prefix: str,
    ) -> None:
        self.engines = engines
        self.options = options
        self.k = k
        self.group_by = group_by
        self.similarity = similarity
        self.weights = weights
        self.fusion = fusion
        self.id = id
        self.tz = tz
        self.unit = unit
        self.prefix = prefix

    def apply(self, hits: Any) -> Any:
        """Re-ranks hits in memory."""
        if isinstance(hits, (list, tuple)):
            if not hits:
                return []
            return self.ranked(DictHits(list(hits) if isinstance(hits, tuple) else hits, self.tz, self.unit))
        if isinstance(hits, pa.Table):
            return self.ranked(ArrowHits(hits))
        if isinstance(hits, pa.RecordBatch):
            return self.ranked(BatchHits(hits))
        if isinstance(hits, pa.RecordBatchReader):
            from timewalk.reranking.files import ranked
            from timewalk.reranking.formats import Stream

            schema, tables = ranked(Stream(hits.schema, iter(hits), None, hits.close), self)
            batches = (batch for table in tables for batch in table.to_batches())
            return pa.RecordBatchReader.from_batches(schema, batches)
        # A frame can only be one if its library has been imported.
        pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
        if pandas is not None and isinstance(hits, pandas.DataFrame):
            return self.ranked(PandasHits(hits))
        if polars is not None and isinstance(hits, polars.DataFrame):
            return self.ranked(PolarsHits(hits, polars))
        if polars is not None and isinstance(hits, polars.LazyFrame):
            return self.ranked(PolarsHits(hits.collect(), polars)).lazy()
        if isinstance(hits, ArrowStreamExportable):
            return self.ranked(ArrowHits(_table(hits)))
        raise InvalidTypeError(
            f"hits are a list of dicts, an Arrow table, batch or reader, a pandas or polars frame or a path, "
            f"not {type(hits).__name__}"
        )

    def ranked(self, source: Any) -> Any:
        """Re-ranks one source as a whole."""
        names = new_names(self.prefix, source.names, self.similarity)
        return source.reordered(self.score(source), names)

    @property
    def is_local(self) -> bool:
        """Whether a row's score needs nothing of the other rows of its group."""
        return all(self.fusion[name] in (None, "sigmoid") for name in ("normalize", "normalize_temporal"))

    def add(self, best: _core.BestHits, source: Any) -> pa.UInt64Array:
        """Adds one batch to the best so far; gives the rows of it to keep."""
        return best.add(*self._columns(source))

    def score(self, source: Any) -> _core.Ranked:
        """Scores and order of one source."""
        return _core.rank_hits(*self._columns(source), self.k, self.options[4])

    def _columns(self, source: Any) -> tuple[Any, Any, Any, Any, Fusion]:
        temporal = [(engine.weights(source, self.options), engine.additive, engine.source) for engine in self.engines]
        return (
            source.numbers(self.similarity),
            temporal,
            [source.keys(name) for name in self.group_by],
            source.keys(self.id) if self.id in source else None,
            Fusion(
                semantic_weight=_weight(self.weights[0], "semantic_weight", source),
                temporal_weight=_weight(self.weights[1], "temporal_weight", source),
                **self.fusion,
            ),
        )


def _table(hits: ArrowStreamExportable) -> pa.Table:
    try:
        return pa.table(hits)
    except ODD_VALUES as error:
        raise InvalidTypeError(f"hits are a table, which {type(hits).__name__} is not: {error}") from None


def _engines(engine: Any) -> list[Engine]:
    engines = [engine] if isinstance(engine, Engine) else engine
    if isinstance(engines, (str, dict)) or not isinstance(engines, Sequence) or not engines:
        raise InvalidTypeError(f"an engine such as HalfLife('30d'), or a list of engines, is expected, not {engine!r}")
    for one in engines:
        if not isinstance(one, Engine):
            raise InvalidTypeError(f"an engine such as HalfLife('30d') is expected, not {one!r}")
    # In one order, whatever the caller's: a product of three factors depends on it in its last digit.
    return sorted(engines, key=repr) if len(engines) > 1 else list(engines)


def _weight(value: Any, name: str, source: Any) -> Any:
    if isinstance(value, Column):
        return value.read(source)
    if isinstance(value, str):
        return source.numbers(value)
    return parameter(value, name)
