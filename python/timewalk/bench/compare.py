"""Two runs of a suite, question by question."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from timewalk.bench.bootstrap import intervals
from timewalk.bench.results import Interval, Part, Result
from timewalk.errors import InvalidValueError


class Change(NamedTuple):
    """How a system's measure changed from the other run to this one, over the questions that both have."""

    part: str
    system: str
    measure: str
    questions: int
    before: float
    after: float
    difference: Interval


def compare(after: Result, before: Result) -> list[Change]:
    """The changes from one run to a later one, paired by question, with intervals.

    Parts, systems, measures and questions that only one of them has are left out. Raises `InvalidValueError` where
    the runs are of different suites or have nothing in common.
    """
    if after.suite != before.suite:
        raise InvalidValueError(
            f"the runs are of different suites, {after.suite} and {before.suite}; compare two of the same"
        )
    old = {part.name: part for part in before.parts}
    changes = [change for part in after.parts if part.name in old for change in _part(part, old[part.name])]
    if not changes:
        raise InvalidValueError("the two runs have no part, measure and question in common")
    return changes


def _part(after: Part, before: Part) -> list[Change]:
    places = {id: place for place, id in enumerate(before.questions)}
    pairs = [(here, places[id]) for here, id in enumerate(after.questions) if id in places]
    if not pairs:
        return []
    found = []
    for system in after.systems:
        for measure in after.measures:
            if system not in before.values or measure not in before.values[system]:
                continue
            new = _column(after.values[system][measure], [here for here, _ in pairs])
            old = _column(before.values[system][measure], [there for _, there in pairs])
            both = ~np.isnan(new - old)
            if not both.any():
                continue
            if after.aggregate.get(measure) == "max":
                least, most = float(old[both].max()), float(new[both].max())
                difference = Interval(most - least, math.nan, math.nan)
            else:
                least, most = float(old[both].mean()), float(new[both].mean())
                difference = Interval(*intervals((new - old).reshape(-1, 1))[0].tolist())
            found.append(Change(after.name, system, measure, int(both.sum()), least, most, difference))
    return found


def _column(values: list[float | None], places: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray([math.nan if (value := values[place]) is None else value for place in places], np.float64)
