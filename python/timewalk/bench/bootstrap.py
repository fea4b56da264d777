"""Intervals by resampling questions (Efron's percentile bootstrap), the same questions for every column, so paired."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SAMPLES = 2000
SEED = 20260101
_ROWS = 256  # resamples drawn at a time, so that memory stays small for many questions

Floats = npt.NDArray[np.float64]


def intervals(values: npt.ArrayLike, *, level: float = 0.95, samples: int = SAMPLES, seed: int = SEED) -> Floats:
    """Mean and interval of each column, float64 [columns, 3]: mean, low, high.

    `values` is [questions, columns]; NaN says that a question does not count for a column. A column without any
    value gives NaN. The interval of a difference of two systems is that of the column of their differences.
    The same values give the same intervals: `seed` is all that is drawn from.
    """
    table = np.asarray(values, np.float64)
    table = table.reshape(-1, 1) if table.ndim < 2 else table
    counts = ~np.isnan(table)
    filled = np.where(counts, table, 0.0)
    size, width = table.shape
    out = np.full((width, 3), np.nan)
    if not size:
        return out
    rng = np.random.default_rng(seed)
    means = np.empty((samples, width))
    with np.errstate(invalid="ignore", divide="ignore"):
        out[:, 0] = filled.sum(axis=0) / counts.sum(axis=0)
        for start in range(0, samples, _ROWS):
            drawn = rng.multinomial(size, np.full(size, 1 / size), size=min(_ROWS, samples - start)).astype(np.float64)
            means[start : start + len(drawn)] = (drawn @ filled) / (drawn @ counts)
    tail = (1 - level) / 2
    for column in np.flatnonzero(counts.any(axis=0)):
        # A draw may miss every question that counts for a column.
        drawn_means = means[:, column][~np.isnan(means[:, column])]
        out[column, 1:] = np.quantile(drawn_means, (tail, 1 - tail))
    return out
