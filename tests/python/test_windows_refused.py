"""What looks like a time and is none, what is denied or repeated, and what no calendar has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import windows_short

import timewalk as tw
from timewalk.windows import Window, find_anchor, find_windows

NOW = datetime(2026, 7, 17, 12, 14, 37, tzinfo=UTC)  # a Friday


def reading(text: str, **options: object) -> tuple[str | None, str | None] | None:
    return windows_short.reading(text, NOW, **options)


@pytest.mark.parametrize(
    "text",
    [
        "v3.10.12",
        "upgrade to v3.10.12",
        "upgrade to 2.5.10",
        "numpy 1.12.20",
        "since 2.5.10 the api fails",
        "upgrade from 2.4.10 to 2.5.10",
        "the price fell from 5.50 to 4.20",
        "5/6 tests pass",
        "3/4 of the runs were red",
        "10-12 servers",
        "we run 10-12 servers in the cluster",
        "W3 standards",
        "at the second",
        "at the second attempt",
        "on the second attempt",
        "on the 2nd attempt",
        "in the first place",
        "mon command",
        "the mon command",
        "she just sat.",
        "the day",
        "last minute change",
        "a last-minute change",
        "last second save",
        "Rome was not built in a day",
        "it was finished in three weeks",
        "May the two sides meet",
        "the quarter back threw a pass",
        "June said hello",
        "over 2000 people",
        "about 1990 files were moved",
        "What did we learn in the past?",
        "last time we met",
    ],
)
def test_numbers_and_words_that_are_no_time(text: str) -> None:
    assert reading(text) is None


@pytest.mark.parametrize("text", ["every Monday", "each week", "on Mondays", "every day at 5pm", "every other Friday"])
def test_a_repetition_is_no_window(text: str) -> None:
    assert reading(text) is None


def test_what_holds_a_repetition_is_one() -> None:
    assert reading("every Monday in May") == ("2026-05-01", "2026-06-01")
    assert reading("every day last week") == ("2026-07-06", "2026-07-13")
    assert reading("in each of the last three days") == ("2026-07-14", "2026-07-17T12:14")
    assert reading("3 Fridays from now", prefer="future") == ("2026-08-07", "2026-08-08")


def test_what_is_denied_is_not_meant() -> None:
    assert reading("not last week but in May") == ("2026-05-01", "2026-06-01")
    assert reading("rather than in May, look in June") == ("2026-06-01", "2026-07-01")
    assert reading("not in May") is None
    assert reading("not before May") == ("2026-05-01", None)
    assert reading("no earlier than 3 May") == ("2026-05-03", None)


@pytest.mark.parametrize(
    "text", ["29 February 2025", "on February 29, 2025", "on 30 February 2024", "on 31 April", "on 32 May 2024"]
)
def test_a_day_that_no_calendar_has_is_no_window(text: str) -> None:
    assert reading(text) is None
    assert reading("29 February 2024") == ("2024-02-29", "2024-03-01")


@pytest.mark.parametrize("text", ["What did she do recently?", "What has been going on lately?"])
def test_recently_has_no_bounds(text: str) -> None:
    assert reading(text) is None


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("in recent days", "2026-07-14", "2026-07-17T12:14"),
        ("over the past weeks", "2026-06-26", "2026-07-17T12:14"),
        ("half an hour ago", "2026-07-17T11:44", "2026-07-17T11:45"),
        ("five minutes ago", "2026-07-17T12:09", "2026-07-17T12:10"),
        ("two hours ago", "2026-07-17T10:00", "2026-07-17T11:00"),
        ("last night at 2am", "2026-07-17T02:00", "2026-07-17T03:00"),
        ("last night at 11pm", "2026-07-16T23:00", "2026-07-17"),
        ("Monday night at 1am", "2026-07-14T01:00", "2026-07-14T02:00"),
        ("W23 2025", "2025-06-02", "2025-06-09"),
        ("week 23 of 2025", "2025-06-02", "2025-06-09"),
        ("2025-W23", "2025-06-02", "2025-06-09"),
        ("decade ago", "2016-01-01", "2017-01-01"),
        ("the '80s", "1980-01-01", "1990-01-01"),
        ("We hired 5 last year.", "2025-01-01", "2026-01-01"),
        ("3 days ago at 5pm", "2026-07-14T17:00", "2026-07-14T18:00"),
        ("after 2010 and before 2018", "2011-01-01", "2018-01-01"),
        ("2 May 2017 - 11:30 am", "2017-05-02T11:30", "2017-05-02T11:31"),
        ("Jan-Feb 2017", "2017-01-01", "2017-03-01"),
        ("on the 5th we met", "2026-07-05", "2026-07-06"),
        ("see you Mon.", "2026-07-13", "2026-07-14"),
        ("2019 onwards", "2019-01-01", None),
        ("some months ago", "2026-04-01", "2026-05-01"),
        ("2024-06-03..2024-06-09", "2024-06-03", "2024-06-10"),
        ("the '08 crash", "2008-01-01", "2009-01-01"),
        ("what happened in 2019 people know", "2019-01-01", "2020-01-01"),
        ("the second closest Monday to 8 July 2026", "2026-07-13", "2026-07-14"),
        ("the nearest Christmas to today", "2026-12-25", "2026-12-26"),
        ("Thu Oct 26 11:09:33 EDT 2023", "2023-10-26T15:09", "2023-10-26T15:09"),
        ("the 3rd and 4th of May", "2026-05-03", "2026-05-05"),
        ("20 years ago today", "2006-07-17", "2006-07-18"),
        ("yesterday at 03:30", "2026-07-16T03:30", "2026-07-16T03:31"),
        ("yesterday at half past three", "2026-07-16T15:30", "2026-07-16T15:31"),
    ],
)
def test_what_is_a_time_all_the_same(text: str, start: str | None, end: str | None) -> None:
    assert reading(text) == (start, end)


@pytest.mark.parametrize("text", ["44 BC", "in 44 BC", "in the year 44 BC", "44 B.C."])
def test_years_before_the_first(text: str) -> None:
    window = tw.find_window(text, now=NOW)
    assert window is not None
    assert window.clipped
    assert str(window) == "[-0043-01-01T00:00:00+00:00, -0042-01-01T00:00:00+00:00) year"
    assert window.end_micros - window.start_micros == 365 * 86_400_000_000
    assert window.start is not None
    assert window.start.year == 1
    near = tw.find_window("in 1066 AD", now=NOW)
    assert near is not None
    assert not near.clipped


def test_the_last_day_that_datetimes_have() -> None:
    window = tw.find_window("on 9999-12-31", now=NOW)
    assert window is not None
    assert window.clipped
    assert str(window) == "[9999-12-31T00:00:00+00:00, +10000-01-01T00:00:00+00:00) day"
    assert Window.from_micros(None, None).clipped is False


@pytest.mark.parametrize("function", [tw.find_window, find_windows, find_anchor])
@pytest.mark.parametrize("locale", [5, None, ["en"]])
def test_a_locale_is_a_string(function, locale) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(tw.InvalidTypeError, match="locale"):
        function("today", now=NOW, locale=locale)


def test_a_preference_is_a_string() -> None:
    with pytest.raises(tw.InvalidTypeError, match="prefer"):
        tw.find_window("today", now=NOW, prefer=1)  # type: ignore[arg-type]


def test_what_a_region_changes() -> None:
    assert reading("5/6/2024", locale="ja-JP") == ("2024-05-06", "2024-05-07")
    assert reading("5/6/2024", locale="en-GB") == ("2024-06-05", "2024-06-06")


def test_a_night_runs_into_the_morning() -> None:
    window = tw.find_window("last night", now=NOW)
    assert window is not None
    assert window.start == datetime(2026, 7, 16, 20, tzinfo=UTC)
    assert window.end == datetime(2026, 7, 17, 6, tzinfo=UTC)
    assert window.end - window.start == timedelta(hours=10)
