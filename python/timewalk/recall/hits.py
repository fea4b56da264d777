"""What recall returns: hits that can say why they are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from timewalk.windows import Window


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path, in the direction it was walked."""

    source: str
    target: str
    relation: str
    weight: float

    def __str__(self) -> str:
        return self.source + _arrow(self)


@dataclass(frozen=True, slots=True)
class Hit:
    """One recalled memory.

    `score` is the fused score, higher is better; `scores` holds each arm's own score and `ranks` its rank from 1,
    for the arms that found it. `path` leads from the seed to this memory, empty where it is itself a seed or was
    found without a walk. `proximity` in [0, 1] is how near it lies to the window, None without a window or a date.
    Times are aware datetimes in UTC.
    """

    id: str
    text: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    occurred_start: datetime | None = None
    occurred_end: datetime | None = None
    mentioned_at: datetime | None = None
    created_at: datetime | None = None
    namespace: str = "default"
    fact_type: str | None = None
    thread: str | None = None
    author: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[Step, ...] = ()
    proximity: float | None = None

    @property
    def when(self) -> datetime | None:
        """The time it is filed under: when it happened, else when it was talked about."""
        return self.occurred_start or self.mentioned_at

    def why(self) -> str:
        """The reasons in words: each arm's rank and score, the path walked, the nearness to the window."""
        lines = [
            f"{arm}: rank {self.ranks[arm]}, score {self.scores[arm]:.4g}" for arm in self.ranks if arm in self.scores
        ]
        if self.path:
            lines.append("path: " + self.path[0].source + "".join(_arrow(step) for step in self.path))
        if self.proximity is not None:
            lines.append(f"nearness to the window: {self.proximity:.3f}")
        return "\n".join([f"score {self.score:.4g}", *lines])


def _arrow(step: Step) -> str:
    return f" ─{step.relation} {step.weight:.2g}→ {step.target}"


@dataclass(frozen=True, slots=True)
class Hits(Sequence[Hit]):
    """The answer to one recall: hits, best first, the window that was understood, and notes on what was left out.

    Exports itself as an Arrow table (`to_arrow`, the PyCapsule interface) and shows itself as a table in terminals
    (rich) and notebooks.
    """

    hits: tuple[Hit, ...]
    query: str
    now: datetime
    window: Window | None = None
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @property
    def ids(self) -> list[str]:
        """The ids, best first."""
        return [hit.id for hit in self.hits]

    def to_arrow(self) -> pa.Table:
        """One row a hit: id, text, score, an arm's scores and ranks as maps, times, path as a list of structs."""
        return pa.Table.from_pylist([_row(hit) for hit in self.hits], schema=_SCHEMA)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dict a hit, ready for JSON but for its datetimes."""
        return [
            {
                **_row(hit),
                "scores": dict(hit.scores),
                "ranks": dict(hit.ranks),
                "tags": list(hit.tags),
                "metadata": dict(hit.metadata),
            }
            for hit in self.hits
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(self.query or "(no question)"), caption=Text(self._caption()), title_justify="left")
        table.add_column("when", no_wrap=True)
        table.add_column("what", ratio=3)
        table.add_column("score", justify="right", no_wrap=True)
        table.add_column("why", ratio=2)
        for hit in self.hits:
            reason = f"{hit.path[-1].relation} ← {hit.path[-1].source}" if hit.path else ", ".join(hit.ranks)
            table.add_row(_day(hit.when), Text(hit.text), f"{hit.score:.3f}", Text(reason))
        yield table

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{_day(hit.when)}</td><td>{escape(hit.text)}</td><td>{hit.score:.3f}</td>"
            f"<td><pre>{escape(hit.why())}</pre></td></tr>"
            for hit in self.hits
        )
        head = "<tr><th>when</th><th>what</th><th>score</th><th>why</th></tr>"
        return f"<table><caption>{escape(self.query)}<br>{escape(self._caption())}</caption>{head}{rows}</table>"

    def _caption(self) -> str:
        window = "no window" if self.window is None else f"window {_span(self.window)}"
        return " · ".join([window, *self.notes])


def _span(window: Window) -> str:
    return f"{_day(window.start) or '…'} to {_day(window.end) or '…'} ({window.grain})"


def _day(time: datetime | None) -> str:
    if time is None:
        return ""
    midnight = time.hour == time.minute == time.second == 0
    return f"{time:%Y-%m-%d}" if midnight else f"{time:%Y-%m-%d %H:%M}"


_TIME = pa.timestamp("us", "UTC")
_STEP = pa.struct(
    [("source", pa.string()), ("target", pa.string()), ("relation", pa.string()), ("weight", pa.float64())]
)
_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("score", pa.float64()),
        ("scores", pa.map_(pa.string(), pa.float64())),
        ("ranks", pa.map_(pa.string(), pa.int32())),
        ("occurred_start", _TIME),
        ("occurred_end", _TIME),
        ("mentioned_at", _TIME),
        ("created_at", _TIME),
        ("namespace", pa.string()),
        ("fact_type", pa.string()),
        ("thread", pa.string()),
        ("author", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("path", pa.list_(_STEP)),
        ("proximity", pa.float64()),
    ]
)


def _row(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "scores": list(hit.scores.items()),
        "ranks": list(hit.ranks.items()),
        "occurred_start": hit.occurred_start,
        "occurred_end": hit.occurred_end,
        "mentioned_at": hit.mentioned_at,
        "created_at": hit.created_at,
        "namespace": hit.namespace,
        "fact_type": hit.fact_type,
        "thread": hit.thread,
        "author": hit.author,
        "tags": list(hit.tags),
        "path": [
            {"source": s.source, "target": s.target, "relation": s.relation, "weight": s.weight} for s in hit.path
        ],
        "proximity": hit.proximity,
    }
