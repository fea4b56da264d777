"""From what the arms found to one order: standardised scores, activation along threads, the story of the window.

Without a window the scores of the semantic, keyword and graph arms are standardised and added, and the sums spread
along threads: a turn beside a good one is likely to hold its other half, and a thread that has two good turns is
likely to be about the matter. The best pass a part on to memories whose title they name. With a window the temporal
arm leads, since the question has said when to look, and the other arms help by a share.

The final score lies in [0, 1]: the place among what was found, times how well the best of it fits the question, so
that the best of a bad lot stays low. The order is total: score descending, then id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from timewalk.fusion import standardised
from timewalk.recall.arms import Found, Question
from timewalk.recall.hits import Step
from timewalk.recall.index import Index
from timewalk.recall.spreading import SPREADING, best
from timewalk.recall.walked import Walked

WEIGHTS: Mapping[str, float] = {"semantic": 0.5, "keyword": 1.0, "graph": 1.0}
"""Weights of the arms' standardised scores."""

SHARE = 0.3
"""Share of the arms without window in the score where there is one."""

_FAR = 0.03
"""The least of that share: for what happened outside the window and no link ties to it."""

NAMED_AUTHOR = 1.0
"""What a memory gains whose author the question names, in standard deviations."""

_SURELY_TIED = 0.5  # what the walk reaches with half of its best activation is part of the story


class Combined(NamedTuple):
    """A memory in the final order, with each arm's rank from 1 and score.

    `factors` are the boosts and factors in the score; `timed` is the part of the score that the window gave. `path`
    leads there along links, from the window or else from the best found; the walk in the window gives the rest.
    """

    id: str
    score: float
    ranks: dict[str, int]
    scores: dict[str, float]
    factors: dict[str, float]
    timed: float = 0.0
    path: tuple[Step, ...] = ()
    activation: float | None = None
    proximity: float | None = None


def combine(
    index: Index, question: Question, found: Mapping[str, Found], weights: Mapping[str, float], k: int
) -> list[Combined]:
    """The `k` best of what the arms found."""
    plain = {name: found[name] for name in weights if name in found and found[name].ids}
    base = standardised([(arm.ids, arm.scores) for arm in plain.values()], _weights(plain, weights))
    asked = set(question.entity_keys)
    named = {id for id in base if index.author_key(id) in asked} if asked else set()
    for id in named:
        base[id] += NAMED_AUTHOR
    arms = dict(plain)
    for name, along in SPREADING.items():
        arms[name] = along(index, question, base) if name in question.arms else Found()
    arms["temporal"] = timed = found.get("temporal", Found())
    walked = _relative(dict(zip(timed.ids, timed.scores, strict=True)))
    merged = base
    if walked:
        shares = _shares(index, question, list(base), walked)
        merged = {id: score * share for (id, score), share in zip(_relative(base).items(), shares, strict=True)}
        for id, score in walked.items():
            merged[id] = merged.get(id, 0.0) + score
    top = max(merged.values(), default=0.0)
    fit = max((arm.fit for arm in found.values()), default=0.0)
    scale = fit / top if top > 0 else 0.0
    places = {name: dict(zip(arm.ids, range(len(arm.ids)), strict=True)) for name, arm in arms.items() if arm.ids}
    story, causes = Walked(timed.walk), Walked(arms["cause"].walk)
    out = []
    for id in best(merged, k):
        ranks = {name: place[id] for name, place in places.items() if id in place}
        part = scale * walked[id] if id in walked else None
        out.append(
            Combined(
                id,
                scale * merged[id],
                {name: rank + 1 for name, rank in ranks.items()},
                {name: arms[name].scores[rank] for name, rank in ranks.items()},
                {
                    "fit": fit,
                    **({"author": NAMED_AUTHOR} if id in named else {}),
                    **({"window": part} if part is not None else {}),
                },
                part or 0.0,
                story.path(id) or (causes.path(id) if "cause" in ranks else ()),
                story.activation(id),
                story.proximity(id),
            )
        )
    return out


def _weights(arms: Mapping[str, Found], weights: Mapping[str, float]) -> list[float]:
    """Weights of the arms; 0 of one that is not telling beside others."""
    return [weights[name] if arm.telling or len(arms) == 1 else 0.0 for name, arm in arms.items()]


def _shares(index: Index, question: Question, ids: Sequence[str], walked: Mapping[str, float]) -> list[float]:
    """Share that the arms without window have in the score of each memory.

    What happened at another time belongs to the answer only as far as the walk reaches it. What only was told at
    another time may still be about the window.
    """
    assert question.window is not None
    at = np.asarray([index.position(id) for id in ids], np.int64)
    tied = np.asarray([walked.get(id, 0.0) for id in ids])
    full = index.inside(question.window)[at] | ~index.happened[at] | (tied >= _SURELY_TIED)
    shares: list[float] = np.where(full, SHARE, np.maximum(_FAR, SHARE * tied)).tolist()
    return shares


def _relative(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores scaled so that the best is 1."""
    top = max(scores.values(), default=0.0)
    return {id: score / top if top > 0 else 0.0 for id, score in scores.items()}
