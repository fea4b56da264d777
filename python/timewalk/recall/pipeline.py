"""Recall: ask the arms side by side, and fetch the memories that come out of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.recall.arms import Found, Question, graph, keyword, semantic
from timewalk.recall.combine import Combined
from timewalk.recall.hits import Hit, Hits, Step
from timewalk.recall.index import Index
from timewalk.recall.story import temporal
from timewalk.stores.sqlite import MemoryRow
from timewalk.times import from_micros

if TYPE_CHECKING:
    import pyarrow as pa

    from timewalk.windows import Window

log = logging.getLogger("timewalk")

ARMS: dict[str, Callable[[Index, Question], Found]] = {
    "semantic": semantic,
    "keyword": keyword,
    "graph": graph,
    "temporal": temporal,
}
"""The arms by name, in the order in which a hit tells of them."""

_SMALL = 300_000  # memories

SPREADING = ("thread", "title")
"""What spreads from the best found to their neighbours in a thread, and to those whose title they name: chosen like
arms, but they find nothing alone."""


def chosen(arms: str | Sequence[str] | None) -> tuple[str, ...]:
    """The arms that take part, in their fixed order; None is all. Raises `InvalidValueError` for an unknown name."""
    known = (*ARMS, *SPREADING)
    if arms is None:
        return known
    wanted = {arms} if isinstance(arms, str) else arms
    if isinstance(wanted, (bytes, Mapping)) or not isinstance(wanted, Iterable):
        raise InvalidTypeError(f"arms are a string or several, not {type(arms).__name__}")
    named = set(wanted)
    for name in sorted(named.difference(known), key=str):
        raise InvalidValueError(f"there is no arm {name!r}; choose from {', '.join(known)}")
    if not named.intersection(ARMS):
        raise InvalidValueError(f"no arm is left that finds something; choose from {', '.join(ARMS)}")
    return tuple(name for name in known if name in named)


def ask(pool: ThreadPoolExecutor, index: Index, question: Question) -> tuple[dict[str, Found], list[str]]:
    """Runs the chosen arms side by side, or in turn where each takes less than to hand it to another thread.

    One that fails is left out, and a note says so.
    """
    chosen = [name for name in question.arms if name in ARMS]
    running: dict[str, Callable[[], Found]]
    if len(index.ids) < _SMALL:
        running = {name: partial(ARMS[name], index, question) for name in chosen}
    else:
        running = {name: pool.submit(ARMS[name], index, question).result for name in chosen}
    found: dict[str, Found] = {}
    notes: list[str] = []
    for name, result in running.items():
        try:
            found[name] = result()
        except Exception as error:
            log.warning("the %s arm failed and is left out of this recall", name, exc_info=error)
            notes.append(f"the {name} arm failed ({type(error).__name__}: {error})")
    return found, notes


def hits(
    rows: Mapping[str, MemoryRow],
    found: Mapping[str, Found],
    combined: Sequence[Combined],
    *,
    query: str,
    now: int,
    window: Window | None,
    notes: Sequence[str],
) -> Hits:
    """The combined memories, each with why it is there."""
    walk = _Walk(found["temporal"].walk if "temporal" in found else None)
    out = [_hit(rows[entry.id], entry, walk) for entry in combined]
    return Hits(tuple(out), query, from_micros(now), window, tuple(notes))


class _Walk:
    """What a walk says of the memories that it reached."""

    def __init__(self, table: pa.Table | None) -> None:
        names = ("id", "parent", "relation", "weight", "proximity", "activation")
        rows = zip(*(table[name].to_pylist() for name in names), strict=True) if table is not None else ()
        self._rows: dict[str, tuple[Any, ...]] = {row[0]: row[1:] for row in rows}

    def path(self, id: str) -> tuple[Step, ...]:
        """The steps from a seed to a memory."""
        steps: list[Step] = []
        while id in self._rows and (parent := self._rows[id][0]) is not None:
            steps.append(Step(parent, id, *self._rows[id][1:3]))
            id = parent
        return tuple(reversed(steps))

    def found(self, id: str) -> tuple[float | None, float | None]:
        """Proximity and activation of a memory."""
        return self._rows[id][3:5] if id in self._rows else (None, None)


def _hit(row: MemoryRow, entry: Combined, walk: _Walk) -> Hit:
    proximity, activation = walk.found(entry.id)
    return Hit(
        id=row.id,
        text=row.text,
        score=entry.score,
        scores=entry.scores,
        ranks=entry.ranks,
        occurred_start=_time(row.occurred_start),
        occurred_end=_time(row.occurred_end),
        mentioned_at=_time(row.mentioned_at),
        created_at=_time(row.created_at),
        namespace=row.namespace,
        fact_type=row.fact_type,
        thread=row.thread,
        author=row.author,
        tags=tuple(json.loads(row.tags)),
        metadata=json.loads(row.metadata),
        path=walk.path(entry.id),
        proximity=proximity,
        activation=activation,
        factors=entry.factors,
    )


def _time(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
