"""What is measured side by side: timewalk, its arms one at a time and left out one at a time, and the baselines."""

from __future__ import annotations

from timewalk.bench.results import OURS
from timewalk.recall.pipeline import ARMS
from timewalk.recall.spreading import SPREADING

ONLY, WITHOUT = "only ", "without "


RECALL = "recall"
"""Recall of the text, where what it brings up by itself is measured."""


def of_timewalk(*, embedded: bool, windows: bool = True) -> dict[str, tuple[str, ...] | None]:
    """The arms of each system that is timewalk; None is all of them, as a user gets it. `windows`: if any is read."""
    left_out = {name for name, there in (("semantic", embedded), ("temporal", windows)) if not there}
    arms = [name for name in ARMS if name not in left_out]
    every = (*arms, *SPREADING)
    out: dict[str, tuple[str, ...] | None] = {OURS: None}
    out |= {f"{ONLY}{name}": (name,) for name in arms}
    out |= {f"{WITHOUT}{name}": tuple(arm for arm in every if arm != name) for name in every}
    return out
