"""Semantic search: nearest vectors by cosine, exactly for few and proposed by hnswlib for many."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

import hnswlib
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk._core import Nearest

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# Up to here an exact scan takes a millisecond and there is nothing that an approximate index could add.
EXACT_LIMIT = 20_000
_M, _EF_CONSTRUCTION, _SEED = 16, 100, 100
_LEAST_EF = 128


class VectorHits(NamedTuple):
    """Positions and their cosines in [-1, 1], best first."""

    positions: Integers
    cosines: npt.NDArray[np.float64]


class VectorIndex:
    """Vectors of one dimension by position. A zero vector has cosine 0 with everything.

    Cosines are exact in every case. Above `exact_limit` hnswlib proposes the candidates; which ones can hang on the
    order in which vectors came and went.
    """

    def __init__(self, dimension: int, *, exact_limit: int = EXACT_LIMIT, core: Nearest | None = None) -> None:
        self.dimension = dimension
        self._exact_limit = exact_limit
        self._core = Nearest(dimension) if core is None else core
        self._graph: hnswlib.Index | None = None
        self._known = np.zeros(0, np.bool_)  # positions that have a vector
        self._last: tuple[Mask, pa.Array] | None = None
        # How wide hnswlib searches is a setting of the whole index: two searches at once must not share it.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._core)

    def put(self, positions: Integers, vectors: Floats) -> None:
        """Stores vectors at positions or replaces those that are there; float32 [n, dimension]."""
        if not len(positions):
            return
        flat = pa.array(np.ascontiguousarray(vectors, np.float32).reshape(-1))
        self._core.put(pa.array(positions, pa.uint32()), flat)
        size = int(positions.max()) + 1
        if size > len(self._known):
            self._known = np.concatenate([self._known, np.zeros(max(size, 2 * len(self._known)), np.bool_)])
        self._known[positions] = True
        if self._graph is not None:
            self._link(positions)
        elif len(self._core) > self._exact_limit:
            self._link(np.flatnonzero(self._known))

    def remove(self, positions: Integers) -> None:
        """Takes vectors away; positions without one are passed over."""
        there = positions[positions < len(self._known)]
        there = there[self._known[there]]
        self._core.remove(pa.array(there, pa.uint32()))
        self._known[there] = False
        if self._graph is not None:
            for position in there.tolist():
                self._graph.mark_deleted(position)

    def units(self, positions: Integers) -> Floats | None:
        """The vectors at length 1, float32 [n, dimension]; None unless each position has one."""
        if len(positions) and not (positions.max() < len(self._known) and self._known[positions].all()):
            return None
        flat = self._core.units(pa.array(positions, pa.uint32())).to_numpy()
        return np.asarray(flat.reshape(-1, self.dimension), np.float32)

    def cosines(self, query: Floats, positions: Integers) -> npt.NDArray[np.float64]:
        """Cosines of a vector with those at positions that have one."""
        point = pa.array(np.ascontiguousarray(query, np.float32))
        return np.asarray(self._core.cosines(point, pa.array(positions, pa.uint32())).to_numpy())

    def mean(self, positions: Integers) -> Floats:
        """Mean of the vectors at length 1, of those of the positions that have one; 0 of none; float32 [dimension]."""
        there = positions[positions < len(self._known)]
        units = self.units(there[self._known[there]])
        if units is None or not len(units):
            return np.zeros(self.dimension, np.float32)
        return np.asarray(units.mean(axis=0, dtype=np.float64), np.float32)

    def search(self, query: Floats, limit: int, mask: Mask | None = None) -> VectorHits:
        """The `limit` nearest by cosine and all that tie with the last of them; `mask` (bool, by position) says which
        may be found.
        """
        limit = min(limit, len(self._core))
        if limit < 1:
            return VectorHits(np.zeros(0, np.int64), np.zeros(0))
        point = np.ascontiguousarray(query, np.float32)
        found = self._proposed(point, limit, mask)
        if found is None:
            among = None if mask is None else self._passing(mask)
            positions, cosines = self._core.search(pa.array(point), limit, among)
            return VectorHits(positions.to_numpy(), cosines.to_numpy())
        values = self.cosines(point, found)
        best = np.lexsort((found, -values))
        last = values[best[limit - 1]]
        best = best[: int(np.count_nonzero(values >= last))]
        return VectorHits(found[best], values[best])

    def _passing(self, mask: Mask) -> pa.Array:
        """Positions in a mask. The last one is kept: a recall with a window searches in it more than once."""
        last = self._last
        if last is None or last[0] is not mask:
            self._last = last = mask, pa.array(np.flatnonzero(mask), pa.uint32())
        return last[1]

    def _proposed(self, point: Floats, limit: int, mask: Mask | None) -> Integers | None:
        """At least `limit` positions that hnswlib proposes; None where a scan is to be made."""
        if self._graph is None:
            return None
        ask = limit
        if mask is not None:
            allowed = int(np.count_nonzero(mask))
            if allowed <= self._exact_limit:
                return None
            # Ask for as many as leave `limit` after the mask, if what it keeps is spread evenly; else scan.
            ask = min(len(self._core), limit * len(mask) // allowed * 2)
            if ask > self._exact_limit:
                return None
        length = float(np.linalg.norm(point.astype(np.float64)))
        unit = point if length == 0 else (point / length).astype(np.float32)
        try:
            with self._lock:
                self._graph.set_ef(max(_LEAST_EF, 2 * ask))
                found = self._graph.knn_query(unit, k=ask, num_threads=1)[0][0].astype(np.int64)
        except RuntimeError:
            return None  # too few are reached, as when nearly all were deleted
        if mask is not None:
            found = found[mask[found]]
        return found if len(found) >= limit else None

    def _link(self, positions: Integers) -> None:
        if self._graph is None:
            self._graph = self._empty(2 * len(self._core))
        size = int(self._graph.get_current_count()) + len(positions)
        if size > self._graph.get_max_elements():
            self._graph.resize_index(2 * size)
        units = self._core.units(pa.array(positions, pa.uint32())).to_numpy().reshape(-1, self.dimension)
        # One thread: with more, the links depend on which thread comes first, and so would the answers.
        self._graph.add_items(units, positions, num_threads=1)

    def _empty(self, size: int) -> hnswlib.Index:
        graph = hnswlib.Index("ip", self.dimension)
        graph.init_index(size, M=_M, ef_construction=_EF_CONSTRUCTION, random_seed=_SEED)
        return graph

    def parts(self) -> tuple[pa.Array, pa.Array]:
        """Rows by position and the vectors one after the other, for `from_parts`."""
        return self._core.parts()

    def save_graph(self, path: Path) -> bool:
        """Writes hnswlib's own file; False where there are too few vectors for it."""
        if self._graph is None:
            return False
        self._graph.save_index(str(path))
        return True

    @classmethod
    def from_parts(cls, dimension: int, slots: pa.Array, rows: pa.Array, graph: Path | None) -> VectorIndex:
        """The index from what `parts` gave and a file of `save_graph` that is known to be whole."""
        index = cls(dimension, core=Nearest.from_parts(dimension, slots, rows))
        index._known = slots.to_numpy() != np.iinfo(np.uint32).max
        if graph is not None:
            index._graph = hnswlib.Index("ip", dimension)
            index._graph.load_index(str(graph), max_elements=2 * len(index))
        elif len(index) > index._exact_limit:
            index._link(np.flatnonzero(index._known))
        return index
