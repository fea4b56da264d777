"""What a retrieval suite asks: memories that go into one store, and the questions put to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from timewalk.recall.filters import FilterOptions
from timewalk.times import TimeLike

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Question:
    """A question, when it is asked, and the ids of the memories that answer it.

    `topic` is what the baselines are asked, where the data has the question without its time phrase: timewalk has to
    find that by itself. `window` is the true one, if known, to see whether it was read right; `given` is one that the
    caller gives with the question. `outside` are the right ones that lie outside the window, or the right ones of
    another kind; `filters` say what can be found at all; `group` is a kind of question.
    """

    id: str
    text: str
    gold: frozenset[str]
    now: TimeLike | None = None
    topic: str | None = None
    window: tuple[TimeLike, TimeLike] | None = None
    given: tuple[TimeLike, TimeLike] | None = None
    outside: frozenset[str] = frozenset()
    filters: FilterOptions = field(default_factory=FilterOptions)
    group: str = ""


@dataclass(frozen=True)
class Relation:
    """A relation that a corpus needs, as `Memory.register_relation` takes it."""

    name: str
    inverse: str | None
    kind: str


@dataclass(frozen=True)
class Corpus:
    """One store and its questions. `records` is called when it is filled; `store` is one that is there already."""

    questions: Sequence[Question]
    records: Callable[[], Records] = tuple
    links: Sequence[tuple[str, str, str, float]] = ()
    relations: Sequence[Relation] = ()
    store: Path | None = None


Measure = Callable[[Sequence[str], Question], float | None]
"""A value in [0, 1] of a ranking of ids, best first; None where the question does not count."""


@dataclass(frozen=True)
class Task:
    """A part of a retrieval suite: its corpora and measures, and how many hits the measures look at.

    With `proactive` the texts are no questions: `Memory.proactive_context` is asked what they bring up.
    """

    corpora: Sequence[Corpus]
    measures: Mapping[str, Measure]
    k: int
    facts: Mapping[str, float | int | str] = field(default_factory=dict)
    proactive: bool = False


def spread(count: int, limit: int | None) -> list[int]:
    """At most `limit` of `count` places, evenly spread, so that a short run sees every corpus and kind."""
    if limit is None or limit >= count:
        return list(range(count))
    return [n * count // limit for n in range(limit)]
