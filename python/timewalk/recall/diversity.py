"""Maximal marginal relevance: which of the best to take, so that they do not all say the same.

Carbonell and Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998: take again and again what has the
largest (1 − d) · relevance − d · (largest likeness to anything taken so far).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from timewalk.recall.budget import Budget

Floats: TypeAlias = npt.NDArray[np.float64]
Likeness: TypeAlias = Callable[[int], Floats]
"""How alike each of n texts is to the one at a place, float64 [n] in [0, 1]."""

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0eff]{2,}")


def choose(
    scores: Sequence[float],
    texts: Sequence[str],
    k: int,
    *,
    diversity: float,
    likeness: Likeness | None,
    budget: Budget,
) -> list[int]:
    """Places of at most `k` texts, ascending. `scores` come best first and so decide ties.

    What does not fit the budget is passed over and makes nothing else less welcome. With a diversity of 0, or
    without `likeness`, these are the first k that fit; with 1 the best, and then whatever is least like what was taken.
    """
    left = np.ones(len(scores), np.bool_)
    relevance = (1 - diversity) * _relevance(np.asarray(scores, np.float64))
    likest = np.zeros(len(scores))
    taken: list[int] = []
    while len(taken) < k and left.any():
        place = int(np.argmax(np.where(left, relevance - diversity * likest, -np.inf)))
        left[place] = False
        if not budget.takes(texts[place]):
            continue
        taken.append(place)
        if likeness is not None:
            likest = np.maximum(likest, likeness(place))
    return sorted(taken)


def by_vectors(units: npt.NDArray[np.float32]) -> Likeness:
    """Cosines of unit vectors, float32 [n, d]; opposites count as unlike, 0."""
    return lambda place: np.clip(units @ units[place], 0.0, 1.0).astype(np.float64)


def by_words(texts: Sequence[str]) -> Likeness:
    """Shared words of all words of two texts (Jaccard); pairs of characters where a script has no spaces."""
    known: dict[str, int] = {}
    sets = [{known.setdefault(word, len(known)) for word in _words(text)} for text in texts]
    sizes = np.asarray([len(words) for words in sets], np.float64)
    words = np.asarray([word for one in sets for word in sorted(one)], np.int64)
    owners = np.repeat(np.arange(len(sets)), sizes.astype(np.int64))

    def likeness(place: int) -> Floats:
        mine = np.zeros(len(known), np.bool_)
        mine[list(sets[place])] = True
        shared = np.bincount(owners, weights=mine[words], minlength=len(sets))
        union = sizes + sizes[place] - shared
        return np.asarray(shared / np.maximum(union, 1), np.float64)

    return likeness


def _words(text: str) -> list[str]:
    folded = text.casefold()
    pairs = [run[at : at + 2] for run in _UNSPACED.findall(folded) for at in range(len(run) - 1)]
    return _WORD.findall(_UNSPACED.sub(" ", folded)) + pairs


def _relevance(scores: Floats) -> Floats:
    """Scores in [0, 1]: as shares of the best, or, where some are negative, between the least and the best."""
    if not len(scores):
        return scores
    low, high = min(float(scores.min()), 0.0), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.ones(len(scores))
