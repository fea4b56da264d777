"""Semantic search: nearest vectors by cosine, exactly for few and by hnswlib for many."""

from __future__ import annotations

from typing import NamedTuple

import hnswlib
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

# Up to here an exact scan takes a few milliseconds and there is nothing that an approximate index could add.
EXACT_LIMIT = 10_000
_M, _EF_CONSTRUCTION, _SEED = 16, 100, 100
_LEAST_EF = 128


class VectorHits(NamedTuple):
    """Positions in the order of arrival and their cosines in [-1, 1], best first."""

    positions: npt.NDArray[np.int64]
    cosines: npt.NDArray[np.float64]


class VectorIndex:
    """Vectors of one dimension, in the order they were added. A zero vector has cosine 0 with everything."""

    def __init__(self, dimension: int, *, exact_limit: int = EXACT_LIMIT) -> None:
        self.dimension = dimension
        self._exact_limit = exact_limit
        self._units: Floats = np.zeros((0, dimension), np.float32)
        self._graph: hnswlib.Index | None = None

    def __len__(self) -> int:
        return len(self._units)

    @property
    def units(self) -> Floats:
        """The vectors scaled to length 1, float32 [n, dimension], in the order they were added."""
        return self._units

    def add(self, vectors: Floats) -> None:
        """Appends vectors, float32 [n, dimension]."""
        units = unit(vectors)
        self._units = np.concatenate([self._units, units])
        if len(self._units) > self._exact_limit:
            self._extend_graph()

    def search(self, query: Floats, limit: int, mask: npt.NDArray[np.bool_] | None = None) -> VectorHits:
        """The `limit` nearest by cosine, ties by position; `mask` (bool [n]) says which may be found.

        Cosines are exact in every case; above the exact limit hnswlib proposes the candidates.
        """
        limit = min(limit, len(self._units) if mask is None else int(np.count_nonzero(mask)))
        if limit < 1:
            return VectorHits(np.zeros(0, np.int64), np.zeros(0))
        point = unit(query.reshape(1, -1).astype(np.float32))[0]
        positions = self._candidates(point, limit, mask)
        cosines = np.clip(self._units[positions] @ point, -1.0, 1.0).astype(np.float64)
        best = np.lexsort((positions, -cosines))[:limit]
        return VectorHits(positions[best], cosines[best])

    def _candidates(self, point: Floats, limit: int, mask: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
        everything = np.arange(len(self._units)) if mask is None else np.flatnonzero(mask)
        if self._graph is None or len(everything) <= self._exact_limit:
            return everything
        # Ask for as many as leave `limit` after the mask, if what it keeps is spread evenly; else scan.
        ask = min(len(self._units), limit * len(self._units) // len(everything) * 2)
        if ask > self._exact_limit:
            return everything
        self._graph.set_ef(max(_LEAST_EF, 2 * ask))
        found = self._graph.knn_query(point, k=ask, num_threads=1)[0][0].astype(np.int64)
        if mask is not None:
            found = found[mask[found]]
        return found if len(found) >= limit else everything

    def _extend_graph(self) -> None:
        count = len(self._units)
        if self._graph is None:
            self._graph = hnswlib.Index("ip", self.dimension)
            self._graph.init_index(count * 2, M=_M, ef_construction=_EF_CONSTRUCTION, random_seed=_SEED)
        elif count > self._graph.get_max_elements():
            self._graph.resize_index(count * 2)
        done = self._graph.get_current_count()
        # One thread: with more, the links depend on which thread comes first, and so would the answers.
        self._graph.add_items(self._units[done:], np.arange(done, count), num_threads=1)


def unit(vectors: Floats) -> Floats:
    """Rows scaled to length 1; zero rows stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
