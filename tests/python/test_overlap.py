"""Intervals that overlap a window, against asking each of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timewalk.recall import overlap
from timewalk.recall.overlap import Overlap

FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
times = st.one_of(st.integers(-50, 50), st.sampled_from([FIRST, LAST]))
intervals = st.lists(st.tuples(times, st.integers(0, 30)), max_size=40)


def columns(pairs):
    starts = np.asarray([start for start, _ in pairs], np.int64)
    # What has no date starts last and ends first, and overlaps nothing.
    ends = [FIRST if start == LAST else min(start + length, LAST) for start, length in pairs]
    return starts, np.asarray(ends, np.int64)


@given(intervals, st.tuples(times, times), st.integers(1, 7))
def test_overlap_is_what_asking_each_gives(pairs, window, block):
    starts, ends = columns(pairs)
    start, end = window
    before, overlap._BLOCK = overlap._BLOCK, block
    try:
        mask = Overlap(starts, ends).mask(window)
    finally:
        overlap._BLOCK = before
    assert mask.tolist() == [s < end and (e > start or s >= start) for s, e in zip(starts, ends, strict=True)]
