"""Fusion of rankings: several best-first lists of ids become one, and every list's score is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

import pyarrow as pa

from timewalk import _core
from timewalk.arguments import ODD_VALUES, items, number, text
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

    Raises `InvalidValueError` for non-finite scores, negative weights or k, and unknown methods, `InvalidTypeError` for
    arguments of another type.
    """
    names = list(rankings) if isinstance(rankings, Mapping) else None
    given = rankings.values() if isinstance(rankings, Mapping) else rankings
    lists = [_columns(ranking) for ranking in items(given, "rankings are a list or a mapping of rankings")]
    rows = _core.fuse(lists, text(method, "method"), number(k, "k"), _weights(weights, names, len(lists)))
    return [Fused(id, score, tuple(ranks), tuple(scores)) for id, score, ranks, scores in rows]


def standardised(
    rankings: Sequence[tuple[Sequence[str], Sequence[float]]], weights: Sequence[float]
) -> dict[str, float]:
    """`fuse` by "zscore" of (ids, scores) that need no check: score by id, best first."""
    return {id: score for id, score, _, _ in _core.fuse(rankings, "zscore", 0.0, weights)}


def _weights(weights: Sequence[float] | Mapping[str, float] | None, names: list[str] | None, count: int) -> list[float]:
    if weights is None:
        return [1.0] * count
    if not isinstance(weights, Mapping):
        return [number(weight, "a weight") for weight in items(weights, "weights are a list or a mapping of numbers")]
    if names is None:
        raise InvalidValueError("weights by name need rankings by name; give both as mappings or both as lists")
    for name in weights:
        if name not in names:
            raise InvalidValueError(f"weights name {name!r}, which no ranking is called; there are {names}")
    return [number(weights.get(name, 1.0), "a weight") for name in names]


def _columns(ranking: Ranking) -> tuple[list[str], list[float]]:
    if isinstance(ranking, Mapping):
        return _by_score(ranking.items())
    if hasattr(ranking, "__arrow_c_stream__") or hasattr(ranking, "__arrow_c_array__"):
        try:
            table = pa.table(cast(ArrowStreamExportable, ranking))
            ids, scores = table["id"].to_pylist(), table["score"].to_pylist()
        except (*ODD_VALUES, KeyError) as error:
            raise InvalidTypeError(f"a ranking is a table with the columns id and score: {error}") from None
        return _by_score(zip(ids, scores, strict=True))
    entries = items(ranking, "a ranking is a list of ids or (id, score) pairs, a mapping or a table")
    return _lists(entry if _is_pair(entry) else (entry, None) for entry in entries)


def _is_pair(entry: object) -> bool:
    return isinstance(entry, Sequence) and not isinstance(entry, (str, bytes)) and len(entry) == 2


def _by_score(pairs: Iterable[tuple[str, float]]) -> tuple[list[str], list[float]]:
    ids, scores = _lists(pairs)
    order = sorted(range(len(ids)), key=lambda at: (-scores[at], ids[at]))
    return [ids[at] for at in order], [scores[at] for at in order]


def _lists(pairs: Iterable[tuple[str, float | None]]) -> tuple[list[str], list[float]]:
    ids: list[str] = []
    scores: list[float] = []
    for id, score in pairs:
        if not isinstance(id, str):
            raise InvalidTypeError(f"a ranking holds ids or (id, score) pairs, not {id!r}")
        ids.append(text(id, "an id"))
        if score is not None:
            scores.append(number(score, f"the score of {id!r}"))
    return ids, scores
