"""What recall returns: hits that can say why they are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa

from timewalk.recall import export
from timewalk.recall.places import dated, window_words
from timewalk.recall.words import headline, plain

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from timewalk.windows import Window

_LONGEST_QUESTION = 60
_LONGEST_TEXT = 72
_FACTORS = {
    "fit": "how well the best of all fits the question",
    "author": "its author is named in the question",
    "window": "part of the score that the window gave",
    "decay": "temporal weight",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path, in the direction it was walked."""

    source: str
    target: str
    relation: str
    weight: float

    def __str__(self) -> str:
        return self.source + _arrow(self)


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """One recalled memory.

    `score` is the final score, higher is better, in [0, 1] unless an `engine` weighed it; `scores` holds each arm's
    own score and `ranks` its rank from 1, for the arms that found it, and the same of a re-ranker. `path` leads
    from the seed, in the window or else among the best found, to this memory; empty where it is one or was found
    without a walk. `activation` in [0, 1] is what the walk from the window brought to it, None where it did not
    come by. `proximity` in [0, 1] is how near it lies to the window, None without a window or a date. `factors`
    names what else the score was made with: "fit" in [0, 1], how well the best of all fits the question; "author",
    what was added since the question names the author, in standard deviations; "window", the part of the score that
    the window gave. Times are aware datetimes in UTC.
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
    activation: float | None = None
    factors: Mapping[str, float] = field(default_factory=dict)

    @property
    def when(self) -> datetime | None:
        """The time it is filed under: when it happened, else when it was talked about."""
        return self.occurred_start or self.mentioned_at

    @property
    def seed(self) -> str | None:
        """The id of the memory that the walk to this one began at, maybe its own; None where no walk came by."""
        if self.path:
            return self.path[0].source
        return None if self.activation is None else self.id

    def why(self) -> str:
        """The reasons, a line each: rank and score in each arm, seed and path, nearness to the window, factors."""
        lines = [f"score {self.score:.4g}"]
        lines += [
            f"{arm}: rank {self.ranks[arm]}, score {self.scores[arm]:.4g}" for arm in self.ranks if arm in self.scores
        ]
        if self.path:
            lines.append("path: " + self.path[0].source + "".join(_arrow(step) for step in self.path))
        elif self.activation is not None:
            lines.append("seed of the walk")
        if self.activation is not None:
            lines.append(f"activation: {self.activation:.4g}")
        if self.proximity is not None:
            lines.append(f"nearness to the window: {self.proximity:.3f}")
        lines += [f"{_FACTORS.get(name, name)}: {factor:.4g}" for name, factor in export.factors(self).items()]
        return "\n".join(lines)

    def explain(self) -> dict[str, Any]:
        """The same as a dict, ready for JSON: id, score, arms, seed, path, activation, proximity, factors."""
        return export.reasons(self)

    def to_dict(self) -> dict[str, Any]:
        """All of the hit as a plain dict; times are datetimes."""
        return {**export.row(self), "metadata": dict(self.metadata)}

    def __str__(self) -> str:
        return f"{self.score:.3f}  {dated(self)}  {headline(self.text, _LONGEST_TEXT)}"

    def __repr__(self) -> str:
        return f"<Hit {self.id!r}, score {self.score:.3f}, {dated(self)}: {headline(self.text, _LONGEST_TEXT)!r}>"


def _arrow(step: Step) -> str:
    return f" ─{step.relation} {step.weight:.2g}→ {step.target}"


@dataclass(frozen=True, slots=True, repr=False)
class Hits(Sequence[Hit]):
    """The answer to one recall: hits, best first, the window that was understood, and notes on what was left out.

    `now` is the time that the question was seen from, and that decay reckoned with. Exports itself as an Arrow table
    (`to_arrow`, the PyCapsule interface), as dicts and as a picture (`to_html`, `to_svg`), and shows itself in
    terminals (`print`, rich) and notebooks.
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

    def why(self) -> str:
        """The question, the window as it was read, and the reasons of each hit."""
        parts = [self._head()]
        parts += [f"{rank}. {hit.id}\n{_indented(hit.why())}" for rank, hit in enumerate(self.hits, 1)]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])

    def explain(self) -> dict[str, Any]:
        """The reasons as a dict, ready for JSON: question, now, window, notes, and `Hit.explain` of each hit."""
        return export.explanation(self)

    def to_dict(self) -> dict[str, Any]:
        """All of the answer as a dict, ready for JSON: what `explain` has, with texts, times and metadata."""
        return export.answer(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dict a hit, ready for JSON but for its datetimes."""
        return [hit.to_dict() for hit in self.hits]

    def to_arrow(self) -> pa.Table:
        """One row a hit: id, text, score, an arm's scores and ranks as maps, times, path as a list of structs."""
        return export.table(self.hits)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_svg(self) -> str:
        """The story on an axis of time, with its links, as an SVG image."""
        from timewalk.recall.picture import svg

        return svg(self)

    def to_html(self) -> str:
        """A page of its own, light or dark as the reader's system is: the picture, and the reasons of each hit."""
        from timewalk.recall.page import page

        return page(self)

    def _repr_html_(self) -> str:
        from timewalk.recall.page import fragment

        return fragment(self)

    def __str__(self) -> str:
        width = max((len(dated(hit)) for hit in self.hits), default=0)
        lines = [self._head()]
        lines += [
            f"{rank:>3}  {hit.score:.3f}  {dated(hit):<{width}}  {headline(hit.text, _LONGEST_TEXT)}"
            for rank, hit in enumerate(self.hits, 1)
        ]
        return "\n".join([*lines, *(f"note: {plain(note)}" for note in self.notes)])

    def __repr__(self) -> str:
        some = ", ".join(repr(hit.id) for hit in self.hits[:3]) + (", …" if len(self.hits) > 3 else "")
        query = headline(self.query, _LONGEST_QUESTION)
        return f"<Hits: {len(self.hits)} for {query!r}, window {window_words(self.window)}{': ' if some else ''}{some}>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        caption = Text(" · ".join([f"window: {window_words(self.window)}", *map(plain, self.notes)]))
        table = Table(title=Text(plain(self.query) or "(no question)"), caption=caption, title_justify="left")
        table.add_column("when", no_wrap=True)
        table.add_column("what", ratio=3)
        table.add_column("score", justify="right", no_wrap=True)
        table.add_column("why", ratio=2)
        for hit in self.hits:
            reason = f"{hit.path[-1].relation} ← {hit.path[-1].source}" if hit.path else ", ".join(hit.ranks)
            table.add_row(dated(hit), Text(plain(hit.text)), f"{hit.score:.3f}", Text(plain(reason)))
        yield table

    def _head(self) -> str:
        return f"{headline(self.query, _LONGEST_TEXT) or '(no question)'}\nwindow: {window_words(self.window)}"


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
