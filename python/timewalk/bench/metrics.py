"""Measures of one ranking against the ids that are right. All lie in [0, 1]; an id counts once, at its first place."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """The share of the right ones in the first `k`; None where nothing is right."""
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted) if wanted else None


def story_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """Right ones in the first `k` over as many as could be there, min(k, right ones); None where nothing is right."""
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / min(k, len(wanted)) if wanted else None


def r_precision(ranked: Sequence[str], gold: Collection[str]) -> float | None:
    """Recall in the first R, where R is how many are right; there it is also the precision."""
    return recall_at(ranked, gold, len(set(gold)))


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002): gain 1 for a right one over log2(rank + 1);
    None where nothing is right."""
    wanted = set(gold)
    if not wanted:
        return None
    seen = dict.fromkeys(ranked)
    gained = sum(1 / math.log2(rank + 1) for rank, id in enumerate(list(seen)[:k], 1) if id in wanted)
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float | None:
    """One over the rank of the first right one, 0 where there is none; None where nothing is right."""
    wanted = set(gold)
    if not wanted:
        return None
    return next((1 / rank for rank, id in enumerate(ranked, 1) if id in wanted), 0.0)


def all_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """1 where all of the right ones are in the first `k`, else 0; None where nothing is right."""
    wanted = set(gold)
    return float(wanted.issubset(ranked[:k])) if wanted else None
