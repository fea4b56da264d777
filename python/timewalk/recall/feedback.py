"""A question in the words of its story, learnt from what fits it best at any time.

Pseudo-relevance feedback: a story's later memories share its names and places with the others that are told of it,
rather than the words by which it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from timewalk.indexes.keyword import Term
from timewalk.recall.arms import Found, Question, keyword, semantic
from timewalk.recall.index import Index

Vector = npt.NDArray[np.float32]

_TOLD = 20  # memories that tell of the topic
_ONE_IN = 20  # at most so large a part of a store: what much of it has in common says nothing of the topic
_WORDS = 10


def widened(index: Index, question: Question) -> tuple[Question, Mapping[Term, float]]:
    """The question with its vector moved to where its story is told, and words of the story that count beside its own.

    The vector moves half-way to the mean of what is told of the topic, and away from what all memories have in common
    (Rocchio 1971). The words are those that what is told shares, each weighing the share of it that holds them.
    """
    passing = len(index.ids) if question.mask is None else int(np.count_nonzero(question.mask))
    few = min(_TOLD, passing // _ONE_IN)
    asked = centre = None
    if question.vector is None or index.vectors is None:
        told = _positions(index, keyword(index, question))[:few]
    else:
        centre = index.centre(question.filters.namespaces)
        asked = _unit(_unit(question.vector) - centre)
        told = _positions(index, semantic(index, question))
        cosines = index.vectors.cosines(asked, told)
        told = told[index.best(told, cosines, few)]
    if not len(told):
        return question, {}
    texts = index.columns["text"]
    words = index.keywords.shared([texts[position].as_py() for position in told.tolist()], _WORDS)
    if asked is None or centre is None or index.vectors is None:
        return question, words
    story = _unit(index.vectors.mean(told) - centre)
    return replace(question, vector=asked + story, answered={}), words


def _positions(index: Index, found: Found) -> npt.NDArray[np.int64]:
    return np.asarray([index.position(id) for id in found.ids], np.int64)


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 0 else vector
