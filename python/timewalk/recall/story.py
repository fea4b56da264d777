"""The temporal arm: the story of a window, from the memories in it along causal and temporal links."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from timewalk.fusion import fuse
from timewalk.recall.arms import Found, Question, keywords, nearest
from timewalk.recall.filters import Mask
from timewalk.recall.index import Index

BUDGET = 100
"""Memories that a walk may settle."""

GATE = 0.3
"""Relevance from which a memory of the window may start a walk."""

_IN_WINDOW = 200
_WIDE = 20_000  # a window of more memories than this is entered by what the indexes propose
_BEFORE_WHAT_FOLLOWED = 0.96  # just above what one step of the walk leaves


def temporal(index: Index, question: Question) -> Found:
    """Memories of the window by relevance and what the walk reaches from them; scores in [0, 1].

    A question without a topic ("what happened in May?") asks for all of the window. So, but more faintly, does one
    whose topic no memory of the window speaks of.
    """
    if question.window is None or not index.ids:
        return Found()
    inside = _inside(index, question, question.window)
    if not question.topic.strip():
        return _whole(index, question, inside, 1.0)
    return _on_topic(index, question, inside) or _whole(index, question, inside, GATE)


def _on_topic(index: Index, question: Question, inside: Mask) -> Found | None:
    """A memory scores by its activation in the walk, or by its relevance among the memories of the window
    (standardised cosines and BM25, added) on the scale of the walk, whichever is larger. None if nothing may start.
    """
    words = keywords(index, question, _IN_WINDOW, question.window)
    word_ids = [index.ids[position] for position in words.rows]
    near_ids, cosines = nearest(index, question, _IN_WINDOW, inside)
    relevance = pa.table({"id": pa.array(word_ids, pa.string()), "relevance": pa.array(words.relevance, pa.float64())})
    vector = None if index.vectors is None else question.vector
    # Where most of the store lies in the window, judging each memory would cost as much as the store is large.
    wide = int(np.count_nonzero(inside)) > _WIDE
    walk = index.graph.walk(
        question.window,
        query=vector,
        relevance=relevance,
        budget=BUDGET,
        threshold=GATE,
        candidates=list(dict.fromkeys([*near_ids, *word_ids])) if wide else None,
        mask=question.mask,
    )
    scores = _activations(walk)
    if not scores:
        return None
    top = max(scores.values())
    ranked = fuse(
        [list(zip(near_ids, cosines, strict=True)), list(zip(word_ids, words.scores.tolist(), strict=True))],
        method="zscore",
    )
    best = ranked[0].score if ranked else 0.0
    for entry in ranked if best > 0 else ():
        scores[entry.id] = max(scores.get(entry.id, 0.0), top * entry.score / best)
    fit = max([*cosines[:1], float(words.relevance.max(initial=0.0)), top])
    return _found(scores, walk, fit)


def _whole(index: Index, question: Question, inside: Mask, scale: float) -> Found:
    """The window itself: what lies in it comes before what it came from and led to."""
    assert question.window is not None
    wide = int(np.count_nonzero(inside)) > _WIDE
    walk = index.graph.walk(
        question.window,
        budget=BUDGET,
        candidates=index.spread_over(question.window, inside) if wide else None,
        mask=question.mask,
    )
    scores = _activations(walk)
    top = max(scores.values(), default=0.0)
    for id, activation in scores.items():
        least = _BEFORE_WHAT_FOLLOWED * top if inside[index.position(id)] else 0.0
        scores[id] = scale * max(activation, least)
    return _found(scores, walk, scale * top)


def _inside(index: Index, question: Question, window: tuple[int, int]) -> Mask:
    """Memories that overlap the window and pass the filters."""
    mask = index.inside(window)
    return mask if question.mask is None else mask & question.mask


def _activations(walk: pa.Table) -> dict[str, float]:
    return dict(zip(walk["id"].to_pylist(), walk["activation"].to_pylist(), strict=True))


def _found(scores: dict[str, float], walk: pa.Table, fit: float) -> Found:
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return Found([id for id, _ in ordered], [score for _, score in ordered], walk, fit)
