"""The memory graph as recall asks it: masks by position, also after memories have gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk._core import MemoryGraph


class MaskedGraph:
    """Queries of a `MemoryGraph` whose masks have one boolean a position of the index, gone memories included."""

    def __init__(self, graph: MemoryGraph, alive: npt.NDArray[np.bool_] | None) -> None:
        self._graph = graph
        self._alive = alive

    def spread(self, seeds: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.spread`."""
        return self._graph.spread(seeds, mask=self._compact(mask), **options)

    def pagerank(self, seeds: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.pagerank`."""
        return self._graph.pagerank(seeds, mask=self._compact(mask), **options)

    def walk(self, window: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.walk`."""
        return self._graph.walk(window, mask=self._compact(mask), **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def __len__(self) -> int:
        return len(self._graph)

    def __contains__(self, id: object) -> bool:
        return id in self._graph

    def _compact(self, mask: Any) -> Any:
        if not isinstance(mask, np.ndarray):
            return mask
        return pa.array(mask if self._alive is None else mask[self._alive])
