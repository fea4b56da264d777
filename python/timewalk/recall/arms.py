"""Arms of recall that need no window: semantic, keyword and graph search, each on its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.indexes.keyword import KeywordHits, Term
from timewalk.recall.filters import Filters, Mask
from timewalk.recall.index import ENTITY, Index

_ENTITY_SEEDS = 16

_TELLING = 0.0133
"""Mass in the best that a name leads to, from which it has a say beside other arms: one that some 25 memories or more
mention takes a walker to none of them in particular."""


@dataclass(frozen=True)
class Question:
    """What the arms are asked: the text without its time phrase, its vector, the window in microseconds; and who is.

    `answered` keeps what an arm has found, for another that builds on it.
    """

    topic: str
    vector: npt.NDArray[np.float32] | None
    window: tuple[int, int] | None
    filters: Filters
    mask: Mask | None
    entity_keys: tuple[str, ...]
    limit: int
    arms: tuple[str, ...] = ()
    answered: dict[str, Found] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Found:
    """An arm's answer, best first: ids and scores; the temporal arm adds its walk.

    `fit` in [0, 1] says how well its best fits the question: a cosine, or the share of the question's words; `fits` the
    same of each, from the keyword arm. What is not `telling` has no say where other arms have found something.
    """

    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    walk: pa.Table | None = None
    fit: float = 0.0
    fits: list[float] = field(default_factory=list)
    telling: bool = True


def semantic(index: Index, question: Question) -> Found:
    """Nearest vectors by cosine in [-1, 1]."""
    if "semantic" not in question.answered:
        ids, cosines = nearest(index, question, question.limit, question.mask)
        question.answered["semantic"] = Found(ids, cosines, fit=max(cosines[0], 0.0) if cosines else 0.0)
    return question.answered["semantic"]


def keyword(index: Index, question: Question) -> Found:
    """BM25, 0 or more and without upper bound."""
    if "keyword" not in question.answered:
        hits = keywords(index, question, question.limit, question.mask)
        ids = [index.ids[position] for position in hits.rows.tolist()]
        fit = float(hits.relevance.max(initial=0.0))
        question.answered["keyword"] = Found(ids, hits.scores.tolist(), None, fit, hits.relevance.tolist())
    return question.answered["keyword"]


def graph(index: Index, question: Question) -> Found:
    """From the question's entities by personalised PageRank to the memories that mention them; mass in [0, 1]."""
    namespaces = question.filters.namespaces or index.namespaces
    seeds = [
        node
        for namespace in namespaces
        for key in question.entity_keys
        if (node := index.entities.get((namespace, key))) is not None
    ][:_ENTITY_SEEDS]
    if not seeds:
        return Found()
    reached = index.graph.pagerank(seeds, direction="both", mask=question.mask)
    pairs = [
        (id, activation)
        for id, activation in zip(reached["id"].to_pylist(), reached["activation"].to_pylist(), strict=True)
        if not id.startswith(ENTITY)
    ][: question.limit]
    # Several names share the walker's mass.
    telling = bool(pairs) and pairs[0][1] * len(seeds) >= _TELLING
    # Naming an entity is a match, but says less than the words do.
    fit = 0.5 if pairs else 0.0
    return Found([id for id, _ in pairs], [activation for _, activation in pairs], fit=fit, telling=telling)


def nearest(index: Index, question: Question, limit: int, mask: Mask | None) -> tuple[list[str], list[float]]:
    """Ids and cosines of the memories nearest to the question's vector, of those in the mask."""
    if question.vector is None or index.vectors is None:
        return [], []
    hits = index.vectors.search(question.vector, limit, mask)
    best = index.best(hits.positions, hits.cosines, limit)
    return [index.ids[position] for position in hits.positions[best].tolist()], hits.cosines[best].tolist()


def keywords(
    index: Index, question: Question, limit: int, mask: Mask | None, also: Mapping[Term, float] | None = None
) -> KeywordHits:
    """Positions that hold the topic's words, of those in the mask; `also` are terms that count beside them."""
    hits = index.keywords.search(question.topic, limit, mask, also)
    best = index.best(hits.rows, hits.scores, limit)
    return KeywordHits(hits.rows[best], hits.scores[best], hits.relevance[best])
