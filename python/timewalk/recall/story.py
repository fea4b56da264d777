"""The temporal arm: the story of a window, from the memories in it along causal and temporal links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.recall.arms import Found, Question, keywords, nearest
from timewalk.recall.feedback import widened
from timewalk.recall.filters import Mask
from timewalk.recall.index import Index

Positions = npt.NDArray[np.int64]

BUDGET = 100
"""Memories that a walk may settle."""

GATE = 0.3
"""Relevance from which a memory of the window may start a walk."""

_IN_WINDOW = 200
_LEAST = 0.05  # the standing of the least of them: above all that no link ties to the window
_WIDE = 20_000  # a window of more memories than this is entered by what the indexes propose
_FLAT = 1e-12  # a smaller variance is the error of floating-point arithmetic
_BEFORE_WHAT_FOLLOWED = 0.96  # just above what one step of the walk leaves

_DECAY = 0.7
_LEAST_OF_WHAT_HAPPENED = _DECAY**3  # as what is three links in time from what is most on topic
_DECAY_OF_CAUSES = 2.8  # a question for causes follows links that are only likely, too
_FAINTEST = 0.05  # weight of the least likely of them
_ASKS_FOR_CAUSES = re.compile(
    r"\b(?:why|how come|(?:led|leads?|leading) (?:up )?to|cause[sd]?|causing|because|due to|reasons?|results?|resulted|"
    r"consequences?|aftermath|came (?:out )?of|behind|background|backstory|story|history|origins?|root|triggers?|"
    r"triggered|brought about|warum|wieso|weshalb|ursachen?|pourquoi|por qué|perché|causas?|почему)\b|"
    r"为什么|原因|なぜ|どうして",
    re.I,
)

_ASKS_FOR_EFFECTS = re.compile(
    r"\b(?:results?|resulted|resulting|consequences?|aftermath|effects?|came (?:out )?of|(?:caused|triggered) by|"
    r"(?:did|does|do|will|would|could|might) .{1,80} (?:cause|trigger|lead|bring)|story|history)\b",
    re.I,
)
_AFTERWARDS = 0.5  # who asks only for what led to something asks little for what came after it


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
    """A memory of the window scores by its relevance among those of the window (standardised cosines and BM25, added)
    on the scale of the walk; what the walk reaches from them, by its activation, and by half of it where it came after
    all that a question asks for. None if nothing may start.
    """
    assert question.window is not None
    words = keywords(index, question, _IN_WINDOW, inside)
    word_ids = [index.ids[position] for position in words.rows.tolist()]
    near_ids, cosines = nearest(index, question, _IN_WINDOW, inside)
    relevance = pa.table({"id": pa.array(word_ids, pa.string()), "relevance": pa.array(words.relevance, pa.float64())})
    causes = _ASKS_FOR_CAUSES.search(question.topic) is not None
    afterwards = _AFTERWARDS if causes and _ASKS_FOR_EFFECTS.search(question.topic) is None else 1.0
    # Where most of the store lies in the window, judging each memory would cost as much as the store is large.
    among = int(np.count_nonzero(inside))
    walk = index.graph.walk(
        question.window,
        query=None if index.vectors is None else question.vector,
        relevance=relevance,
        budget=BUDGET,
        threshold=GATE,
        decay=_DECAY_OF_CAUSES if causes else _DECAY,
        min_weight=_FAINTEST,
        candidates=list(dict.fromkeys([*near_ids, *word_ids])) if among > _WIDE else None,
        mask=question.mask,
    )
    reached = _activations(walk)
    if not reached:
        return None
    top = max(reached.values())
    if causes:
        # Who asks for causes means one thing in the window.
        scores = _ranked(near_ids, cosines, word_ids, words.scores, among)
        standing = {id: top * max(score**2, _LEAST) for id, score in scores.items()}
    else:
        standing = {id: top * score for id, score in _happened(index, question, inside, words.rows).items()}
    # A seed started with its relevance times its nearness to the middle of the window, which says nothing of the topic.
    depths = dict(zip(walk["id"].to_pylist(), walk["depth"].to_pylist(), strict=True))
    for id, activation in reached.items():
        if depths[id] > 0 or id not in standing:
            at = index.position(id)
            if question.window[1] <= index.starts[at] <= index.ends[at]:  # what has no date starts last and ends first
                activation *= afterwards
            standing[id] = max(standing.get(id, 0.0), activation)
    fit = max([*cosines[:1], float(words.relevance.max(initial=0.0)), top])
    return _found(standing, walk, fit)


def _happened(index: Index, question: Question, inside: Mask, said: Positions) -> dict[str, float]:
    """How far what the window holds is on topic, in [0, 1]: who asks what happened means all that is, and rather what
    else happened then than what it came from. `said` are positions in it that hold the question's words.
    """
    question, also = widened(index, question)
    among = int(np.count_nonzero(inside))
    near_ids, cosines = nearest(index, question, _IN_WINDOW, inside)
    judged = inside
    if near_ids:
        judged = np.zeros(len(inside), np.bool_)
        judged[said] = True
        judged[[index.position(id) for id in near_ids]] = True
    words = keywords(index, question, 2 * _IN_WINDOW, judged, also)
    word_ids = [index.ids[position] for position in words.rows.tolist()]
    scores = _ranked(near_ids, cosines, word_ids, words.scores, among)
    if among <= _IN_WINDOW:
        scores = dict.fromkeys((index.ids[position] for position in np.flatnonzero(inside).tolist()), 0.0) | scores
    return {id: _LEAST_OF_WHAT_HAPPENED + (1 - _LEAST_OF_WHAT_HAPPENED) * score for id, score in scores.items()}


def _ranked(
    near: Sequence[str], cosines: Sequence[float], said: Sequence[str], bm25: npt.NDArray[np.float64], among: int
) -> dict[str, float]:
    """Sums of standardised cosines and BM25 in a window of so many memories, scaled so that the best is 1.

    Cosines are shifted so that the least counts 0; a memory without any of the words has a BM25 of 0.
    """
    scores = dict(zip(near, _standardised(np.asarray(cosines) - min(cosines, default=0.0), len(near)), strict=True))
    for id, score in zip(said, _standardised(bm25, among), strict=True):
        scores[id] = scores.get(id, 0.0) + score
    best = max(scores.values(), default=0.0)
    return {id: score / best for id, score in scores.items()} if best > 0 else {}


def _standardised(scores: npt.NDArray[np.float64], among: int) -> list[float]:
    """Scores over their standard deviation; as many as are missing among so many are 0."""
    variance = float(scores @ scores) / among - (float(scores.sum()) / among) ** 2 if among else 0.0
    return (scores / sqrt(variance)).tolist() if variance > _FLAT else [1.0] * len(scores)


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
