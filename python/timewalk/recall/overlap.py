"""Which of many intervals overlap a window, without looking at each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Micros = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_BLOCK = 1024


class Overlap:
    """Intervals [start, end] in microseconds, int64 [n], a point where both are one. The columns are not copied.

    Memories mostly come in the order of time, so most blocks of them lie outside a window as a whole, which their
    earliest start and latest end tell.
    """

    def __init__(self, starts: Micros, ends: Micros) -> None:
        self._starts, self._ends = starts, ends
        begins = np.arange(0, len(starts), _BLOCK)
        self._first = np.minimum.reduceat(starts, begins) if len(starts) else starts
        self._last = np.maximum.reduceat(ends, begins) if len(ends) else ends
        # The latest start too: an interval that starts in the window overlaps it, even as a point at its begin.
        self._latest = np.maximum.reduceat(starts, begins) if len(starts) else starts

    def mask(self, window: tuple[int, int]) -> Mask:
        """bool [n]: which overlap [start, end)."""
        start, end = window
        mask = np.zeros(len(self._starts), np.bool_)
        near = (self._first < end) & ((self._last > start) | (self._latest >= start))
        # Runs of blocks that may hold some: where the flags change, and the ends.
        edges = np.flatnonzero(np.diff(near.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
        for first, after in edges.reshape(-1, 2).tolist():
            part = slice(first * _BLOCK, after * _BLOCK)
            starts, ends = self._starts[part], self._ends[part]
            mask[part] = (starts < end) & ((ends > start) | (starts >= start))
        return mask
