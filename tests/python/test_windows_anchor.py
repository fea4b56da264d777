"""Expressions that hang on an event, and the window once the event's time is known."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from timewalk.windows import find_anchor

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)
OUTAGE = datetime(2026, 5, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "relation", "event"),
    [
        ("what happened two weeks before the outage?", "before", "the outage"),
        ("What did we do in the month after Maria moved?", "after", "Maria moved"),
        ("who was on call during the migration?", "during", "the migration"),
        ("what has changed since the release?", "since", "the release"),
        ('What changed in the week of "Fix: crash, again?"', "within", "Fix: crash, again?"),
        ("What broke in the two days after the deploy, and who fixed it?", "after", "the deploy"),
        (
            "What was going on three days before lib/flow.c: fix v2.13 parsing?",
            "before",
            "lib/flow.c: fix v2.13 parsing",
        ),
    ],
)
def test_where_the_event_is_named(text: str, relation: str, event: str) -> None:
    found = find_anchor(text, now=NOW)
    assert found is not None
    assert (found.relation, found.event) == (relation, event)
    assert text[slice(*found.event_span)] == event
    assert found.text in text


@pytest.mark.parametrize(
    "text", ["two weeks before 3 May 2024", "since Monday", "during 2023", "what did she eat?", "", "before", 'since "']
)
def test_what_hangs_on_no_event(text: str) -> None:
    assert find_anchor(text, now=NOW) is None


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        *(("en", text) for text in ("since two weeks", "after two days", "before two weeks", "during two weeks")),
        *(("de", text) for text in ("vor zwei Wochen", "seit zwei Wochen", "nach zwei Tagen", "vor einer Stunde")),
        *(("de", text) for text in ("was geschah vor zwei Wochen?", "vor ein paar Tagen", "vor mehreren Jahren")),
        *(("fr", text) for text in ("depuis deux semaines", "après deux jours", "avant deux semaines")),
        *(("es", text) for text in ("después de dos días", "durante dos semanas", "antes de dos semanas")),
        *(("it", text) for text in ("da due settimane", "dopo due giorni", "durante due settimane")),
        *(("pt", text) for text in ("depois de dois dias", "durante duas semanas")),
        *(("ru", text) for text in ("после двух дней", "в течение двух недель")),
    ],
)
def test_a_length_is_no_event(locale: str, text: str) -> None:
    assert find_anchor(text, now=NOW, locale=locale) is None


@pytest.mark.parametrize(
    ("locale", "text", "event"),
    [
        ("en", "since the release in May", "the release in May"),
        ("de", "vor dem Ausfall", "Ausfall"),
        ("de", "zwei Wochen vor dem Ausfall", "Ausfall"),
        ("fr", "deux semaines avant la panne", "panne"),
    ],
)
def test_an_event_still_is_one(locale: str, text: str, event: str) -> None:
    found = find_anchor(text, now=NOW, locale=locale)
    assert found is not None
    assert found.event == event


def test_the_window_from_the_events_time() -> None:
    before = find_anchor("in the two weeks before the outage", now=NOW)
    assert before is not None
    window = before.window(OUTAGE, now=NOW, anchor="m1")
    assert (window.start, window.end, window.anchor) == (OUTAGE - timedelta(days=14), OUTAGE, "m1")
    since = find_anchor("since the outage", now=NOW)
    assert since is not None
    assert since.window(OUTAGE, OUTAGE + timedelta(hours=2), now=NOW).end == NOW
    point = find_anchor("three days before the outage", now=NOW)
    assert point is not None
    berlin = point.window(OUTAGE, now=NOW, tz="Europe/Berlin")
    assert berlin.start == datetime(2026, 5, 16, 22, tzinfo=UTC)


def test_the_questions_about_a_real_project() -> None:
    data = os.environ.get("TIMEWALK_DATA")
    if not data or not (Path(data) / "story").is_dir():
        pytest.skip("TIMEWALK_DATA names no folder with the stories")
    folder = Path(data) / "story"
    events = {event["id"]: event for event in _lines(folder / "events.jsonl.gz")}
    rows = _lines(folder / "anchored_dev.jsonl.gz")
    right = named = 0
    for row in rows:
        event = events[row["anchor"]]
        found = find_anchor(row["text"], now=row["reference"])
        if found is None:
            continue
        named += event["text"].lower().startswith(found.event.lower())
        window = found.window(event["occurred_start"], event["occurred_end"], now=row["reference"])
        tolerance = timedelta(days=row["tolerance_days"])
        wanted = datetime.fromisoformat(row["start"]), datetime.fromisoformat(row["end"])
        if window.start is not None and window.end is not None:
            right += abs(window.start - wanted[0]) <= tolerance and abs(window.end - wanted[1]) <= tolerance
    assert named >= 0.95 * len(rows)
    assert right >= 0.95 * len(rows)


def _lines(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
