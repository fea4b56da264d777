"""How similarity and time make a score: the options of `timewalk.rerank` that the core reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from timewalk.decay.columns import Named

Distance: TypeAlias = Literal["cosine", "l2", "l2_squared", "inner_product", "negative_inner_product"]
Normalize: TypeAlias = Literal["minmax", "max", "zscore", "sigmoid"]
Missing: TypeAlias = Literal["last", "drop", "error"] | float


@dataclass(frozen=True, slots=True)
class Fusion:
    """The options as the core reads them; weights are numbers or named columns."""

    distance: str | None
    semantic_weight: float | Named
    temporal_weight: float | Named
    normalize: str | None
    normalize_temporal: str | None
    floor: float
    missing: str | float
    noise: float
    seed: int
