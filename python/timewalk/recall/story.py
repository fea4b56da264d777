"""The temporal arm: the story of a window, from the memories in it along causal and temporal links."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import numpy.typing as npt
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
_LEAST = 0.05  # the standing of the least of them: above all that no link ties to the window
_FEEDBACK = 10  # memories of any time whose mean tells what else the topic's story speaks of
_FEEDBACK_WEIGHT = 2.0
_ONE_IN = 20
_WIDE = 20_000  # a window of more memories than this is entered by what the indexes propose
_BEFORE_WHAT_FOLLOWED = 0.96  # just above what one step of the walk leaves


_DECAY = 0.7
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
    words = keywords(index, question, _IN_WINDOW, question.window)
    word_ids = [index.ids[position] for position in words.rows]
    near_ids, cosines = nearest(index, question, _IN_WINDOW, inside)
    relevance = pa.table({"id": pa.array(word_ids, pa.string()), "relevance": pa.array(words.relevance, pa.float64())})
    vector = None if index.vectors is None else question.vector
    causes = _ASKS_FOR_CAUSES.search(question.topic) is not None
    afterwards = _AFTERWARDS if causes and _ASKS_FOR_EFFECTS.search(question.topic) is None else 1.0
    # Where most of the store lies in the window, judging each memory would cost as much as the store is large.
    wide = int(np.count_nonzero(inside)) > _WIDE
    walk = index.graph.walk(
        question.window,
        query=vector,
        relevance=relevance,
        budget=BUDGET,
        threshold=GATE,
        decay=_DECAY_OF_CAUSES if causes else _DECAY,
        min_weight=_FAINTEST,
        candidates=list(dict.fromkeys([*near_ids, *word_ids])) if wide else None,
        mask=question.mask,
    )
    reached = _activations(walk)
    if not reached:
        return None
    top = max(reached.values())
    ids, scores = near_ids, cosines
    if vector is not None:
        ids, scores = nearest(index, replace(question, vector=_fed_back(index, question, vector)), _IN_WINDOW, inside)
    ranked = fuse(
        [list(zip(ids, scores, strict=True)), list(zip(word_ids, words.scores.tolist(), strict=True))],
        method="zscore",
    )
    best = ranked[0].score if ranked else 0.0
    # Who asks for causes means one thing in the window, who asks what happened means all that is on topic.
    power = 2 if causes else 1
    standing = {entry.id: top * max((entry.score / best) ** power, _LEAST) for entry in ranked} if best > 0 else {}
    # A seed started with its relevance times its nearness to the middle of the window, which says nothing of the topic.
    depths = dict(zip(walk["id"].to_pylist(), walk["depth"].to_pylist(), strict=True))
    for id, activation in reached.items():
        if depths[id] > 0 or id not in standing:
            if index.starts[index.position(id)] >= question.window[1]:
                activation *= afterwards
            standing[id] = max(standing.get(id, 0.0), activation)
    fit = max([*cosines[:1], float(words.relevance.max(initial=0.0)), top])
    return _found(standing, walk, fit)


def _fed_back(index: Index, question: Question, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The question's vector moved towards what is nearest to it at any time (Rocchio 1971): a story's later memories
    share its names and places rather than the words by which it is asked for.
    """
    assert index.vectors is not None
    # The mean of much of a store says nothing of the topic.
    few = min(_FEEDBACK, (len(index.vectors) if question.mask is None else int(question.mask.sum())) // _ONE_IN)
    if few < 1:
        return vector
    near = index.vectors.search(vector, few, question.mask)
    units = index.vectors.units(near.positions[index.best(near.positions, near.cosines, few)])
    if units is None or not len(units):
        return vector
    return np.asarray(_unit(vector) + _FEEDBACK_WEIGHT * _unit(units.mean(axis=0)), np.float32)


def _unit(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector


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
