"""From what the arms found to one order: standardised scores, activation along threads, the story of the window.

Without a window the scores of the semantic, keyword and graph arms are standardised and added, and the sums spread
along threads: a turn beside a good one is likely to hold its other half. The best pass a part on to memories whose
title they name. With a window the temporal arm leads, since the question has said when to look, and the other arms
help by a share.

The final score lies in [0, 1]: the place among what was found, times how well the best of it fits the question, so
that the best of a bad lot stays low. The order is total: score descending, then id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from timewalk.fusion import fuse
from timewalk.recall.arms import Found, Question
from timewalk.recall.index import ENTITY, Index

WEIGHTS: Mapping[str, float] = {"semantic": 0.5, "keyword": 1.0, "graph": 0.3}
"""Weights of the arms' standardised scores."""

SHARE = 0.3
"""Share of the arms without window in the score where there is one."""

_FAR = 0.03
"""The least of that share: for what happened outside the window and no link ties to it."""

NAMED_AUTHOR = 1.0
"""What a memory gains whose author the question names, in standard deviations."""

_SURELY_TIED = 0.5  # what the walk reaches with half of its best activation is part of the story

_THREAD_DECAY = 0.4
_THREAD_HOPS = 2
_TITLE_DECAY = 0.6
_TITLE_SEEDS = 5
_FAINT = 1e-6


class Combined(NamedTuple):
    """A memory in the final order, with each arm's rank from 1 and score.

    `factors` are the boosts and factors in the score; `timed` is the part of the score that the window gave.
    """

    id: str
    score: float
    ranks: dict[str, int]
    scores: dict[str, float]
    factors: dict[str, float]
    timed: float = 0.0


def combine(
    index: Index, question: Question, found: Mapping[str, Found], weights: Mapping[str, float], k: int
) -> list[Combined]:
    """The `k` best of what the arms found."""
    plain = {name: found[name] for name in weights if name in found and found[name].ids}
    base = {
        entry.id: entry.score
        for entry in fuse(
            {name: list(zip(arm.ids, arm.scores, strict=True)) for name, arm in plain.items()},
            method="zscore",
            weights={name: weights[name] for name in plain},
        )
    }
    named = {id for id in base if index.author_key(id) in question.entity_keys}
    for id in named:
        base[id] += NAMED_AUTHOR
    thread = _along_threads(index, question, base) if "thread" in question.arms else Found()
    for id, score in zip(thread.ids, thread.scores, strict=True):
        base[id] = base.get(id, 0.0) + score
    named_by = _along_titles(index, question, base) if "title" in question.arms else Found()
    for id, score in zip(named_by.ids, named_by.scores, strict=True):
        base[id] = base.get(id, 0.0) + score
    timed = found.get("temporal", Found())
    merged = _relative(base, 1.0)
    walked = _relative(dict(zip(timed.ids, timed.scores, strict=True)), 1.0)
    if walked:
        merged = {id: score * _share(index, question, id, walked) for id, score in merged.items()}
        for id, score in walked.items():
            merged[id] = merged.get(id, 0.0) + score
    fit = max((arm.fit for arm in found.values()), default=0.0)
    scaled = _relative(merged, fit)
    best = sorted(scaled.items(), key=lambda entry: (-entry[1], entry[0]))[:k]
    arms = {**plain, "thread": thread, "title": named_by, "temporal": timed}
    top = max(merged.values(), default=0.0)
    parts = {id: fit * score / top for id, score in walked.items()} if top > 0 else {}
    places = {name: {id: rank for rank, id in enumerate(arm.ids)} for name, arm in arms.items()}
    return [
        Combined(
            id,
            score,
            {name: place[id] + 1 for name, place in places.items() if id in place},
            {name: arms[name].scores[place[id]] for name, place in places.items() if id in place},
            {
                "fit": fit,
                **({"author": NAMED_AUTHOR} if id in named else {}),
                **({"window": parts[id]} if id in parts else {}),
            },
            parts.get(id, 0.0),
        )
        for id, score in best
    ]


def _along_threads(index: Index, question: Question, base: Mapping[str, float]) -> Found:
    """What memories gain from their neighbours in a thread, strongest first.

    One hop at a time, so that what comes from two hops away does not hang on whether the turn between was itself found.
    """
    gained: dict[str, float] = {}
    sending = dict(base)
    for _ in range(_THREAD_HOPS):
        sending = {id: score for id, score in sending.items() if score > _FAINT}
        if not sending:
            break
        spread = index.graph.spread(
            sending,
            depth=1,
            decay=_THREAD_DECAY,
            threshold=_FAINT,
            direction="both",
            relations=("follows", "followed_by"),
            mask=question.mask,
        )
        sending = {
            id: activation - sending.get(id, 0.0)
            for id, activation in zip(spread["id"].to_pylist(), spread["activation"].to_pylist(), strict=True)
        }
        for id, score in sending.items():
            gained[id] = gained.get(id, 0.0) + score
    strong = sorted((pair for pair in gained.items() if pair[1] > _FAINT), key=lambda pair: (-pair[1], pair[0]))
    return Found([id for id, _ in strong], [score for _, score in strong])


def _share(index: Index, question: Question, id: str, walked: Mapping[str, float]) -> float:
    """Share that the arms without window have in the score of a memory.

    What happened at another time belongs to the answer only as far as the walk reaches it. What only was told at
    another time may still be about the window.
    """
    at = index.position(id)
    start, end = question.window or (0, 0)
    inside = index.starts[at] < end and (index.ends[at] > start or index.starts[at] >= start)
    tied = walked.get(id, 0.0)
    if inside or not index.happened[at] or tied >= _SURELY_TIED:
        return SHARE
    return max(_FAR, SHARE * tied)


def _along_titles(index: Index, question: Question, base: Mapping[str, float]) -> Found:
    """What memories gain whose title the best ones name: the second step of a question that asks for one thing by
    another ("the mother of the director of …").
    """
    best = sorted(((id, score) for id, score in base.items() if score > _FAINT), key=lambda pair: (-pair[1], pair[0]))
    sending = dict(best[:_TITLE_SEEDS])
    if not sending:
        return Found()
    spread = index.graph.spread(
        sending, depth=1, decay=_TITLE_DECAY, threshold=_FAINT, relations=("mentions",), mask=question.mask
    )
    gained = {
        id: activation - sending.get(id, 0.0)
        for id, activation in zip(spread["id"].to_pylist(), spread["activation"].to_pylist(), strict=True)
        if not id.startswith(ENTITY)
    }
    strong = sorted((pair for pair in gained.items() if pair[1] > _FAINT), key=lambda pair: (-pair[1], pair[0]))
    return Found([id for id, _ in strong], [score for _, score in strong])


def _relative(scores: Mapping[str, float], top: float) -> dict[str, float]:
    """Scores scaled so that the best is `top`."""
    best = max(scores.values(), default=0.0)
    return {id: top * score / best if best > 0 else 0.0 for id, score in scores.items()}
