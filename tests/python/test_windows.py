"""`find_window` in English: one test a kind of expression, and what must not be read as a date."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest
import windows_short

import timewalk as tw
from timewalk.windows import MAX_MICROS, MIN_MICROS

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


def reading(text: str, now: datetime = NOW, **options: object) -> tuple[str | None, str | None] | None:
    return windows_short.reading(text, now, **options)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in May", "2026-05-01", "2026-06-01"),
        ("last march", "2026-03-01", "2026-04-01"),
        ("June, 2024", "2024-06-01", "2024-07-01"),
        ("in the last 3 days", "2026-07-14", "2026-07-17T12:00"),
        ("past 7 days", "2026-07-10", "2026-07-17T12:00"),
        ("since March 2024", "2024-03-01", "2026-07-17T12:00"),
        ("from January to March 2025", "2025-01-01", "2025-04-01"),
        ("March 15-20 2026", "2026-03-15", "2026-03-21"),
        ("between 3 June 2024 and 9 June 2024", "2024-06-03", "2024-06-10"),
        ("this week", "2026-07-13", "2026-07-20"),
        ("last quarter", "2026-04-01", "2026-07-01"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("last night", "2026-07-16T20:00", "2026-07-17T06:00"),
        ("Q1 2024", "2024-01-01", "2024-04-01"),
        ("early 2023", "2023-01-01", "2023-07-01"),
        ("Mar 2024", "2024-03-01", "2024-04-01"),
        ("the 1990s", "1990-01-01", "2000-01-01"),
        ("before yesterday", None, "2026-07-16"),
        ("13 July 2024", "2024-07-13", "2024-07-14"),
        ("after 2023", "2024-01-01", None),
    ],
)
def test_what_comparable_systems_misread(text: str, start: str | None, end: str | None) -> None:
    assert reading(text) == (start, end)
    sentence = f"What did we decide about the parser {text}?"
    assert reading(sentence) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "march forward with the plan",
        "we may go",
        "port 9077",
        "ticket 2024",
        "room 101",
        "we",
        "wait a second",
        "version 2.13 of the library",
        "v1.2.3",
        "it cost $2019",
        "a 25 year old",
        "the server at 10.0.3.15",
        "",
        "???",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert tw.find_window(text, now=NOW) is None


def test_a_hundred_thousand_years_ago() -> None:
    window = tw.find_window("100,000 years ago", now=NOW)
    assert window is not None
    assert window.grain == "year"
    assert window.start_micros < window.end_micros < -3_000_000_000_000_000_000


def test_a_month_that_is_to_come_is_last_years_when_the_past_is_preferred() -> None:
    june = datetime(2026, 6, 10, tzinfo=UTC)
    assert reading("in July", june) == ("2025-07-01", "2025-08-01")
    assert reading("in July", june, prefer="future") == ("2026-07-01", "2026-08-01")
    assert reading("in July", june, prefer="nearest") == ("2026-07-01", "2026-08-01")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("around 3 June 2016", "2016-06-02", "2016-06-05"),
        ("6 weeks ago", "2026-06-01", "2026-06-08"),
        ("in September 2018", "2018-09-01", "2018-10-01"),
        ("during February 2021", "2021-02-01", "2021-03-01"),
        ("on 2024-05-06", "2024-05-06", "2024-05-07"),
        ("on 5/6/2024", "2024-05-06", "2024-05-07"),
        ("yesterday", "2026-07-16", "2026-07-17"),
        ("last week", "2026-07-06", "2026-07-13"),
        ("this month", "2026-07-01", "2026-08-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("two days ago", "2026-07-15", "2026-07-16"),
        ("three months ago", "2026-04-01", "2026-05-01"),
        ("on Monday", "2026-07-13", "2026-07-14"),
        ("the first Monday of March 2024", "2024-03-04", "2024-03-05"),
        ("in the second half of 2024", "2024-07-01", "2025-01-01"),
        ("yesterday at 3pm", "2026-07-16T15:00", "2026-07-16T16:00"),
        ("yesterday between 9:30 and 11", "2026-07-16T09:30", "2026-07-16T11:00"),
        ("until 3 May 2024", None, "2024-05-04"),
        ("in the 21st century", "2000-01-01", "2100-01-01"),
        ("at Easter 2024", "2024-03-31", "2024-04-01"),
        ("two weeks before 3 May 2024", "2024-04-19", "2024-04-20"),
        ("in September and October 2023", "2023-09-01", "2023-11-01"),
        ("in 2010 and 2011", "2010-01-01", "2012-01-01"),
        ("in the nine months ended 30 September 2024", "2024-01-01", "2024-10-01"),
        ("the week before last", "2026-06-29", "2026-07-06"),
        ("in the first six months of the year", "2026-01-01", "2026-07-01"),
        ("over the past decade", "2016-07-17", "2026-07-17T12:00"),
        ("in 2012 or later", "2012-01-01", None),
    ],
)
def test_the_kinds_of_expression(text: str, start: str | None, end: str | None) -> None:
    assert reading(f"What happened {text}?") == (start, end)


def test_the_first_date_governs_and_what_follows_is_a_title() -> None:
    text = "What led to this around 3 June 2016, and what was it about: Update v2.13 to port 6653 now?"
    window = tw.find_window(text, now=NOW)
    assert window is not None
    assert window.text == "around 3 June 2016"
    assert window.span == (17, 35)
    assert window.margin == timedelta(days=1)
    assert window.grain == "day"


def test_a_date_governs_a_time_of_day_and_now() -> None:
    window = tw.find_window("Now, at 5pm, tell me what we did in March 2024", now=NOW)
    assert window is not None
    assert window.text == "March 2024"
    found = tw.find_windows("From Jan 3 to Jan 5 we met, then again on 7 May 2026", now=NOW)
    assert [window.text for window in found] == ["From Jan 3 to Jan 5", "7 May 2026"]


def test_days_are_the_zones_days() -> None:
    late = datetime(2026, 7, 17, 20, tzinfo=UTC)
    window = tw.find_window("today", now=late, tz="+08:00")
    assert window is not None
    assert window.start == datetime(2026, 7, 17, 16, tzinfo=UTC)
    eight = timezone(timedelta(hours=8))
    assert tw.find_window("today", now=late, tz=eight) == window
    # The last Sunday of March 2026 has 23 hours in Berlin.
    berlin = tw.find_window("29 March 2026", now=NOW, tz=ZoneInfo("Europe/Berlin"))
    assert berlin is not None
    assert berlin.start is not None
    assert berlin.end is not None
    assert berlin.end - berlin.start == timedelta(hours=23)
    assert berlin.start == datetime(2026, 3, 28, 23, tzinfo=UTC)


def test_a_zone_in_the_text_counts() -> None:
    window = tw.find_window("3 May 2024 at 4pm CET", now=NOW, tz="America/New_York")
    assert window is not None
    assert window.start == datetime(2024, 5, 3, 15, tzinfo=UTC)


def test_open_ends_have_sentinels() -> None:
    before = tw.find_window("before 2020", now=NOW)
    assert before is not None
    assert (before.start, before.start_micros) == (None, MIN_MICROS)
    after = tw.find_window("after 2020", now=NOW)
    assert after is not None
    assert (after.end, after.end_micros) == (None, MAX_MICROS)


def test_british_order() -> None:
    assert reading("on 5/6/2024", locale="en-GB") == ("2024-06-05", "2024-06-06")
    assert reading("on 25/6/2024") == ("2024-06-25", "2024-06-26")


def test_bad_arguments_are_typed_errors() -> None:
    with pytest.raises(tw.InvalidValueError, match="prefer"):
        tw.find_window("today", now=NOW, prefer="sometimes")  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidValueError, match="time zone"):
        tw.find_window("today", now=NOW, tz="Mars/Olympus")
    with pytest.raises(tw.InvalidTypeError):
        tw.find_window(3, now=NOW)  # type: ignore[arg-type]


def test_half_a_surrogate_pair_is_no_error() -> None:
    window = tw.find_window("\ud83d on 3 May 2024", now=NOW)
    assert window is not None
    assert window.text == "3 May 2024"


def test_other_languages_need_dateparser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dateparser", None)
    monkeypatch.setitem(sys.modules, "dateparser.search", None)
    with pytest.raises(tw.MissingDependencyError, match="pip install dateparser"):
        tw.find_window("vandaag", now=NOW, locale="nl")


def test_what_dateparser_finds_becomes_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [("gisteren", datetime(2026, 7, 16, 12)), ("3 mei 2024 om 15:30", datetime(2024, 5, 3, 15, 30))]
    search = ModuleType("dateparser.search")
    search.search_dates = lambda *_, **__: found  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dateparser", ModuleType("dateparser"))
    monkeypatch.setitem(sys.modules, "dateparser.search", search)
    first, second = tw.find_windows("gisteren, en op 3 mei 2024 om 15:30", now=NOW, locale="nl")
    assert (first.start, first.grain) == (datetime(2026, 7, 16, tzinfo=UTC), "day")
    assert (second.start, second.grain) == (datetime(2024, 5, 3, 15, 30, tzinfo=UTC), "minute")
    assert second.text == "3 mei 2024 om 15:30"


def test_sentences_without_a_time() -> None:
    sentences = (Path(__file__).parent / "windows_none.txt").read_text(encoding="utf-8").splitlines()
    assert len(sentences) >= 200
    false = [sentence for sentence in sentences if tw.find_window(sentence, now=NOW) is not None]
    assert len(false) <= len(sentences) / 100, false


@pytest.mark.parametrize("name", ["Apollo 13", "Falcon 9", "the top 10", "Terminal 3"])
def test_the_number_of_a_name_is_no_day(name):
    window = tw.find_window(f"what happened to {name} in April 1970?", now="1975-01-01")
    assert (str(window.start)[:10], str(window.end)[:10]) == ("1970-04-01", "1970-05-01")
