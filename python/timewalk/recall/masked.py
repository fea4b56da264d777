"""The memory graph as recall asks it: masks by position, in the form in which the graph takes them fastest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk._core import MemoryGraph
from timewalk.recall.filters import Filters

Mask = npt.NDArray[np.bool_]


class MaskedGraph:
    """Queries of a `MemoryGraph` whose masks have one boolean a position of the index, gone memories included."""

    def __init__(self, graph: MemoryGraph, alive: Mask | None) -> None:
        self._graph = graph
        self._alive = alive
        self._last: tuple[Mask, dict[str, Any]] | None = None

    def learn(self, mask: Mask, filters: Filters, *, plain: bool) -> None:
        """Says which filters have made a mask. The graph looks at those that it knows only where a query comes by;
        `plain` if nothing else has made it.
        """
        if plain and not filters.beyond_words:
            named = {"namespace": filters.namespaces, "fact_type": filters.fact_types, "tags": filters.tags}
            self._last = mask, {name: list(values) for name, values in named.items() if values}

    def spread(self, seeds: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.spread`."""
        return self._graph.spread(seeds, **self._passing(mask), **options)

    def pagerank(self, seeds: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.pagerank`."""
        return self._graph.pagerank(seeds, **self._passing(mask), **options)

    def walk(self, window: Any, *, mask: Any = None, **options: Any) -> pa.Table:
        """See `MemoryGraph.walk`."""
        return self._graph.walk(window, **self._passing(mask), **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def __len__(self) -> int:
        return len(self._graph)

    def __contains__(self, id: object) -> bool:
        return id in self._graph

    def _passing(self, mask: Any) -> dict[str, Any]:
        """The arguments by which the graph lets through what a mask does."""
        if not isinstance(mask, np.ndarray):
            return {"mask": mask}
        last = self._last
        if last is None or last[0] is not mask:
            kept = mask if self._alive is None else mask[self._alive]
            last = mask, {"mask": self._graph.mask(pa.array(kept))}
            self._last = last
        return last[1]
