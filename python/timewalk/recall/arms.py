"""The four arms of recall: semantic, keyword, graph and temporal search, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.indexes.keyword import KeywordHits
from timewalk.recall.filters import Filters, Mask
from timewalk.recall.index import ENTITY, Index

WALK_BUDGET = 100
GATE = 0.3
_WINDOW_KEYWORDS = 200
_ENTITY_SEEDS = 16


@dataclass(frozen=True)
class Question:
    """What the arms are asked: the text without its time phrase, its vector, the window in microseconds."""

    topic: str
    vector: npt.NDArray[np.float32] | None
    window: tuple[int, int] | None
    filters: Filters
    mask: Mask | None
    entity_keys: tuple[str, ...]
    limit: int


@dataclass(frozen=True)
class Found:
    """An arm's answer, best first: ids and scores; the temporal arm adds its walk."""

    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    walk: pa.Table | None = None


def semantic(index: Index, question: Question) -> Found:
    """Nearest vectors by cosine in [-1, 1]."""
    if question.vector is None or index.vectors is None:
        return Found()
    mask = None if question.mask is None else question.mask[index.vector_positions]
    hits = index.vectors.search(question.vector, question.limit, mask)
    positions = index.vector_positions[hits.positions]
    return Found([index.ids[position] for position in positions], hits.cosines.tolist())


def keyword(index: Index, question: Question) -> Found:
    """BM25, 0 or more and without upper bound."""
    hits = _keywords(index, question, question.limit)
    return Found([index.ids[position] for position in hits.rows], hits.scores.tolist())


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
    reached = index.graph.pagerank(seeds, direction="both")
    allowed = None if question.mask is None else {index.ids[at] for at in np.flatnonzero(question.mask)}
    pairs = [
        (id, activation)
        for id, activation in zip(reached["id"].to_pylist(), reached["activation"].to_pylist(), strict=True)
        if not id.startswith(ENTITY) and (allowed is None or id in allowed)
    ][: question.limit]
    return Found([id for id, _ in pairs], [activation for _, activation in pairs])


def temporal(index: Index, question: Question) -> Found:
    """The walk from the memories in the window; activation in [0, 1]."""
    if question.window is None or not len(index.ids):
        return Found()
    hits = _keywords(index, question, _WINDOW_KEYWORDS, question.window)
    relevance = pa.table(
        {
            "id": pa.array([index.ids[position] for position in hits.rows], pa.string()),
            "relevance": pa.array(hits.relevance, pa.float64()),
        }
    )
    asked = bool(question.topic.strip())
    vector = question.vector if asked and index.vectors is not None else None
    walked = index.graph.walk(
        question.window,
        query=vector,
        relevance=relevance if asked else None,
        budget=WALK_BUDGET,
        threshold=GATE,
        mask=question.mask,
    )
    return Found(walked["id"].to_pylist(), walked["activation"].to_pylist(), walked)


ARMS: Mapping[str, Callable[[Index, Question], Found]] = {
    "semantic": semantic,
    "keyword": keyword,
    "graph": graph,
    "temporal": temporal,
}


def _keywords(index: Index, question: Question, limit: int, window: tuple[int, int] | None = None) -> KeywordHits:
    filters = question.filters
    return index.keywords.search(
        question.topic,
        limit,
        window=window,
        valid_at=filters.valid_at,
        namespaces=filters.namespaces,
        fact_types=filters.fact_types,
        tags=filters.tags,
    )
