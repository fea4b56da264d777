"""The four arms of recall: semantic, keyword, graph and temporal search, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.fusion import fuse
from timewalk.indexes.keyword import KeywordHits
from timewalk.recall.filters import Filters, Mask
from timewalk.recall.index import ENTITY, Index

WALK_BUDGET = 100
GATE = 0.3
_IN_WINDOW = 200
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
    """An arm's answer, best first: ids and scores; the temporal arm adds its walk.

    `fit` in [0, 1] says how well its best fits the question: a cosine, or the share of the question's words; `fits` the
    same of each, from the keyword arm.
    """

    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    walk: pa.Table | None = None
    fit: float = 0.0
    fits: list[float] = field(default_factory=list)


def semantic(index: Index, question: Question) -> Found:
    """Nearest vectors by cosine in [-1, 1]."""
    ids, cosines = _nearest(index, question, question.limit, question.mask)
    return Found(ids, cosines, fit=max(cosines[0], 0.0) if cosines else 0.0)


def keyword(index: Index, question: Question) -> Found:
    """BM25, 0 or more and without upper bound."""
    hits = _keywords(index, question, question.limit)
    ids = [index.ids[position] for position in hits.rows]
    return Found(ids, hits.scores.tolist(), None, float(hits.relevance.max(initial=0.0)), hits.relevance.tolist())


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
    # Naming an entity is a match, but says less than the words do.
    return Found([id for id, _ in pairs], [activation for _, activation in pairs], fit=0.5 if pairs else 0.0)


def temporal(index: Index, question: Question) -> Found:
    """The story of the window: memories in it by relevance, and what the walk reaches from them; in [0, 1].

    A memory scores by its activation in the walk or by its relevance among the memories of the window (standardised
    cosines and BM25, added), each on the scale of the walk, whichever is larger.
    """
    if question.window is None or not len(index.ids):
        return Found()
    asked = bool(question.topic.strip())
    words = _keywords(index, question, _IN_WINDOW, question.window)
    word_ids = [index.ids[position] for position in words.rows]
    near_ids, cosines = _nearest(index, question, _IN_WINDOW, _inside(index, question))
    relevance = pa.table({"id": pa.array(word_ids, pa.string()), "relevance": pa.array(words.relevance, pa.float64())})
    walked = index.graph.walk(
        question.window,
        query=question.vector if asked and index.vectors is not None else None,
        relevance=relevance if asked else None,
        budget=WALK_BUDGET,
        threshold=GATE,
        mask=question.mask,
    )
    scores = dict(zip(walked["id"].to_pylist(), walked["activation"].to_pylist(), strict=True))
    top = max(scores.values(), default=0.0)
    inside = fuse(
        [list(zip(near_ids, cosines, strict=True)), list(zip(word_ids, words.scores.tolist(), strict=True))],
        method="zscore",
    )
    best = inside[0].score if inside else 0.0
    fit = max([*cosines[:1], float(words.relevance.max(initial=0.0)), top])
    for entry in inside:
        if best > 0:
            scores[entry.id] = max(scores.get(entry.id, 0.0), (top or fit) * entry.score / best)
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return Found([id for id, _ in ordered], [score for _, score in ordered], walked, fit)


ARMS: Mapping[str, Callable[[Index, Question], Found]] = {
    "semantic": semantic,
    "keyword": keyword,
    "graph": graph,
    "temporal": temporal,
}


def _inside(index: Index, question: Question) -> Mask:
    """Memories that overlap the window and pass the filters."""
    assert question.window is not None
    start, end = question.window
    mask = (index.starts < end) & ((index.ends > start) | (index.starts >= start))
    return mask if question.mask is None else mask & question.mask


def _nearest(index: Index, question: Question, limit: int, mask: Mask | None) -> tuple[list[str], list[float]]:
    if question.vector is None or index.vectors is None:
        return [], []
    hits = index.vectors.search(question.vector, limit, None if mask is None else mask[index.vector_positions])
    positions = index.vector_positions[hits.positions]
    return [index.ids[position] for position in positions], hits.cosines.tolist()


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
