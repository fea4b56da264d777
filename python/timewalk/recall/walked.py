"""What a walk over the graph says of the memories that it reached: the path to each, and how strongly."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from timewalk.recall.hits import Step


class Walked:
    """The rows of a walk by id: a table of id, activation, parent, relation and weight, and maybe proximity."""

    def __init__(self, table: pa.Table | None) -> None:
        self._rows: dict[str, tuple[Any, ...]] = {}
        if table is None:
            return
        names = ["parent", "relation", "weight", "activation"]
        if "proximity" in table.column_names:
            names.append("proximity")
        rows = zip(*(table[name].to_pylist() for name in names), strict=True)
        self._rows = dict(zip(table["id"].to_pylist(), rows, strict=True))

    def path(self, id: str) -> tuple[Step, ...]:
        """The steps from a seed to a memory; none for a seed and for what was not reached."""
        steps: list[Step] = []
        while id in self._rows and (parent := self._rows[id][0]) is not None:
            steps.append(Step(parent, id, *self._rows[id][1:3]))
            id = parent
        return tuple(reversed(steps))

    def activation(self, id: str) -> float | None:
        """How strongly a memory was reached."""
        return self._rows[id][3] if id in self._rows else None

    def proximity(self, id: str) -> float | None:
        """How near the window's middle a memory lies, where the walk had a window."""
        return self._rows[id][4] if len(self._rows.get(id, ())) > 4 else None
