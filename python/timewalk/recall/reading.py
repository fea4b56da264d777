"""Reading a question: its window, also one that hangs on an event, and what is left to look for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from timewalk.fusion import fuse
from timewalk.recall.arms import Found, Question, keyword, semantic
from timewalk.recall.filters import Filters
from timewalk.recall.index import Index
from timewalk.times import from_micros
from timewalk.windows import AnchoredExpression, Window, find_anchor, find_window

Vector = npt.NDArray[np.float32]

SURE = 0.5
"""How much of an event's words a memory must cover, in [0, 1], for a window to be hung on it."""

SURE_BY_MEANING = 0.65
"""The same for its cosine: vectors of unlike things are seldom at right angles."""

_CANDIDATES = 20


class Reading(NamedTuple):
    """A question's window, if it has one, the topic without its time phrase, and a note on the event it hangs on."""

    window: Window | None
    topic: str
    note: str | None = None


def read(
    index: Index,
    text: str,
    *,
    now: int,
    tz: str | tzinfo,
    filters: Filters,
    embed: Callable[[str], Vector | None],
    locale: str = "en",
) -> Reading:
    """Reads a question's window, seen from `now` (microseconds) in the zone `tz`, in the language `locale`.

    "Two weeks before the outage" hangs on an event: the best dated memory for "the outage" gives its time, if it fits
    well enough; if none does, that expression gives no window. Where the text has a window by itself, that one counts,
    unless the event's expression says a length or the window is part of its words ("since the release in May"):
    "while", "since" and "during" often tell of something else than the question's time.
    """
    moment = from_micros(now)
    plain = find_window(text, now=moment, tz=tz, locale=locale)
    hung = find_anchor(text, now=moment, tz=tz, locale=locale)
    if hung is not None and (plain is None or (hung.explicit and _leads(hung, plain))):
        anchored = _anchored(index, hung, now, tz, filters, embed)
        if anchored is not None:
            window, sure = anchored
            # The event's own words stay: what lies around it is likely to be about the same things.
            topic = f"{text[: hung.span[0]]} {hung.event} {text[hung.span[1] :]}"
            return Reading(window, topic, f"window hung on {window.anchor!r}, sure to {sure:.2f}")
        if plain is None:
            return Reading(None, text, f"no memory fits the event {hung.event!r} well enough to hang a window on")
    if plain is None:
        return Reading(None, text)
    return Reading(plain, f"{text[: plain.span[0]]} {text[plain.span[1] :]}")


def _leads(hung: AnchoredExpression, plain: Window) -> bool:
    inside = hung.span[0] <= plain.span[0] and plain.span[1] <= hung.span[1]
    return bool(hung.length) or inside


def _anchored(
    index: Index,
    expression: AnchoredExpression,
    now: int,
    tz: str | tzinfo,
    filters: Filters,
    embed: Callable[[str], Vector | None],
) -> tuple[Window, float] | None:
    found = _event(index, expression.event, filters, embed)
    if found is None:
        return None
    id, sure, start, end = found
    return expression.window(start, end, now=now, tz=tz, anchor=id), sure


def _event(
    index: Index, event: str, filters: Filters, embed: Callable[[str], Vector | None]
) -> tuple[str, float, int, int] | None:
    """The dated memory that an event's words name best, how sure that is, and when it began and ended."""
    mask = index.mask(filters)
    question = Question(
        topic=event,
        vector=embed(event),
        window=None,
        filters=filters,
        mask=mask,
        entity_keys=(),
        limit=_CANDIDATES,
    )
    words, meaning = keyword(index, question), semantic(index, question)
    fused = fuse([_pairs(words), _pairs(meaning)], method="zscore")
    coverage = dict(zip(words.ids, words.fits, strict=True))
    cosines = dict(zip(meaning.ids, meaning.scores, strict=True))
    for entry in fused:
        position = index.position(entry.id)
        start, end = int(index.starts[position]), int(index.ends[position])
        if start > end:
            continue  # no date
        covered, cosine = coverage.get(entry.id, 0.0), cosines.get(entry.id, 0.0)
        if covered < SURE and cosine < SURE_BY_MEANING:
            return None
        return entry.id, max(covered, cosine), start, end
    return None


def _pairs(found: Found) -> list[tuple[str, float]]:
    return list(zip(found.ids, found.scores, strict=True))
