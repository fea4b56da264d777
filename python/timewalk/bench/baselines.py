"""Rankings that a user could build without timewalk, from the same store: the same words, vectors, dates and links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from timewalk.fusion import fuse
from timewalk.recall.arms import Question as Asked
from timewalk.recall.arms import keywords, nearest
from timewalk.recall.filters import Filters, Mask
from timewalk.recall.index import Index
from timewalk.times import from_micros
from timewalk.windows import find_window

DEPTH = 100
"""How many hits of words and of vectors are fused."""

K = 60
"""The constant of rank fusion (Cormack, Clarke and Büttcher 2009)."""

Span = tuple[int, int] | None


@dataclass(frozen=True)
class Plain:
    """A question as the baselines get it: its words, their vector, the window in microseconds, if there is one, and
    what can be found at all, by position, if that is not everything."""

    topic: str
    vector: npt.NDArray[np.float32] | None
    window: Span
    now: int
    mask: Mask | None = None


def window_of(text: str, now: int) -> Span:
    """The window that the text speaks of, as the baselines use it; None where it has none or an open one."""
    window = find_window(text, now=from_micros(now))
    if window is None or window.start is None or window.end is None:
        return None
    return window.start_micros, window.end_micros


def bm25(index: Index, question: Plain, window: Span = None) -> list[str]:
    """Words alone, of the memories in the window if one is given."""
    hits = keywords(index, _asked(question), DEPTH, window)
    return [index.ids[position] for position in hits.rows]


def vectors(index: Index, question: Plain, window: Span = None) -> list[str]:
    """Nearest vectors alone, of the memories in the window if one is given."""
    mask = question.mask
    if window is not None:
        inside = (index.starts < window[1]) & (index.ends >= window[0])
        mask = inside if mask is None else mask & inside
    return nearest(index, _asked(question), DEPTH, mask)[0]


def rank_fusion(index: Index, question: Plain, window: Span = None) -> list[str]:
    """The two fused by reciprocal ranks."""
    return [entry.id for entry in fuse([bm25(index, question, window), vectors(index, question, window)], k=K)]


def date_filter(index: Index, question: Plain) -> list[str]:
    """Rank fusion of the memories that overlap the window, filtered before the cut; of all where there is no window."""
    return rank_fusion(index, question, question.window)


def published_walk(index: Index, question: Plain) -> list[str]:
    """Temporal spreading activation as it was published (`order="breadth"`); nothing where there is no window."""
    if question.window is None or question.vector is None:
        return []
    walk = index.graph.walk(question.window, query=question.vector, mask=question.mask, order="breadth")
    found: list[str] = walk["id"].to_pylist()
    return found


Baseline = Callable[[Index, Plain], list[str]]


def available(*, embedded: bool, windows: bool) -> dict[str, Baseline]:
    """The baselines that a run has: those with vectors need an embedder, those with dates a question with a window."""
    found: dict[str, Baseline] = {"BM25": bm25}
    if embedded:
        found |= {"vectors": vectors, "rank fusion": rank_fusion}
    if windows:
        found["date filter"] = date_filter
    if embedded and windows:
        found["published walk"] = published_walk
    return found


def _asked(question: Plain) -> Asked:
    return Asked(
        topic=question.topic,
        vector=question.vector,
        window=None,
        filters=Filters(valid_at=question.now),
        mask=question.mask,
        entity_keys=(),
        limit=DEPTH,
    )
