"""Fusion of rankings: several best-first lists of ids become one, and every list's score is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

import pyarrow as pa

from timewalk import _core
from timewalk.arrow import ArrowStreamExportable, ArrowTable
from timewalk.errors import InvalidTypeError, InvalidValueError

Ranking: TypeAlias = Sequence[str] | Sequence[tuple[str, float]] | Mapping[str, float] | ArrowTable


class Fused(NamedTuple):
    """One id of a fused ranking, with its rank (from 1) and raw score in each ranking, None where it is absent."""

    id: str
    score: float
    ranks: tuple[int | None, ...]
    scores: tuple[float | None, ...]


def fuse(
    rankings: Sequence[Ranking] | Mapping[str, Ranking],
    *,
    method: str = "rrf",
    k: float = 60,
    weights: Sequence[float] | Mapping[str, float] | None = None,
) -> list[Fused]:
    """Fuses rankings into one list, best first; ties are ordered by id.

    Each ranking is a list of ids or of (id, score) pairs, best first, a mapping from id to score, or an Arrow table
    with the columns id and score; the last two are ordered by score here. A repeated id counts once, at its best
    place. `method="rrf"` adds weight / (k + rank) and reads no scores (Cormack et al., SIGIR 2009);
    `method="zscore"` adds standardised scores, shifted so that a ranking's last gets 0, the same as an absent id.
    `weights` are 1 unless given, as a list or by the names of a mapping of rankings.

    Raises `InvalidValueError` for non-finite scores, negative weights or k, and unknown methods.
    """
    names = list(rankings) if isinstance(rankings, Mapping) else None
    lists = list(rankings.values()) if isinstance(rankings, Mapping) else list(rankings)
    rows = _core.fuse([_columns(ranking) for ranking in lists], method, float(k), _weights(weights, names, len(lists)))
    return [Fused(id, score, tuple(ranks), tuple(scores)) for id, score, ranks, scores in rows]


def _weights(weights: Sequence[float] | Mapping[str, float] | None, names: list[str] | None, count: int) -> list[float]:
    if weights is None:
        return [1.0] * count
    if not isinstance(weights, Mapping):
        return [float(weight) for weight in weights]
    if names is None:
        raise InvalidValueError("weights by name need rankings by name; give both as mappings or both as lists")
    unknown = sorted(set(weights) - set(names))
    if unknown:
        raise InvalidValueError(f"weights name {unknown[0]!r}, which no ranking is called; there are {names}")
    return [float(weights.get(name, 1.0)) for name in names]


def _columns(ranking: Ranking) -> tuple[list[str], list[float]]:
    if isinstance(ranking, Mapping):
        return _by_score(ranking.items())
    if hasattr(ranking, "__arrow_c_stream__") or hasattr(ranking, "__arrow_c_array__"):
        table = pa.table(cast(ArrowStreamExportable, ranking))
        return _by_score(zip(table["id"].to_pylist(), table["score"].to_pylist(), strict=True))
    ids: list[str] = []
    scores: list[float] = []
    for entry in ranking:
        if isinstance(entry, str):
            ids.append(entry)
            continue
        try:
            id, score = entry
        except (TypeError, ValueError):
            raise InvalidTypeError(f"a ranking holds ids or (id, score) pairs, not {entry!r}") from None
        ids.append(id)
        scores.append(float(score))
    return ids, scores


def _by_score(pairs: Iterable[tuple[str, float]]) -> tuple[list[str], list[float]]:
    ordered = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return [id for id, _ in ordered], [float(score) for _, score in ordered]
