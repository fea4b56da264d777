"""What the commands draw: times, clipped texts, places beside a window, paths, tables, timelines, JSON."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from timewalk.cli import jsonout
from timewalk.cli.story import numbers, trail
from timewalk.cli.table import clipped, explained, heading, table
from timewalk.cli.timeline import Timeline
from timewalk.recall.hits import Hit, Hits, Step
from timewalk.recall.places import place, window_words
from timewalk.recall.words import cut, day, headline, month, plain, when
from timewalk.windows import Window


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def span(start: datetime | None, end: datetime | None) -> Window:
    return Window(start, end, "month", (0, 0))


APRIL = span(utc(1970, 4, 1), utc(1970, 5, 1))
STORY = (
    Hit("launch", "The rocket was launched.", 0.9, {"temporal": 0.9}, {"temporal": 1}, utc(1970, 4, 11, 19, 13)),
    Hit(
        "switch",
        "The switch was never changed, " + "and nobody saw it " * 30,
        0.5,
        {"temporal": 0.5},
        {"temporal": 2},
        utc(1965, 1, 1),
        utc(1966, 1, 1),
        path=(Step("launch", "weld", "caused_by", 1.0), Step("weld", "switch", "caused_by", 0.75)),
        proximity=0.25,
    ),
    Hit(
        "board",
        "The board reported.",
        0.4,
        {"temporal": 0.4, "keyword": 2.5},
        {"temporal": 3, "keyword": 1},
        utc(1970, 6, 15),
        utc(1970, 6, 16),
        path=(Step("launch", "board", "causes", 1.0),),
    ),
    Hit("lore", "An old saying.", 0.1, {"semantic": 0.3}, {"semantic": 4}),
)
HITS = Hits(STORY, "what happened in April 1970?", utc(1975, 1, 1), APRIL, ("no embedder",))


def drawn(*things: object, width: int = 80, encoding: str = "utf-8", color: bool = False) -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    console = Console(file=file, width=width, force_terminal=color, color_system="standard" if color else None)
    for thing in things:
        console.print(thing)
    file.flush()
    return file.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


def console(width: int = 80) -> Console:
    return Console(file=io.StringIO(), width=width)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (utc(1970, 4, 11, 19, 13), None, "1970-04-11 19:13"),
        (utc(1970, 4, 11), None, "1970-04-11"),
        (utc(1970, 4, 11), utc(1970, 4, 11), "1970-04-11"),
        (utc(1970, 4, 11), utc(1970, 4, 12), "1970-04-11"),
        (utc(1970, 3, 27), utc(1970, 3, 29), "1970-03-27 to 1970-03-28"),
        (utc(1970, 4, 1), utc(1970, 5, 1), "1970-04"),
        (utc(1970, 12, 1), utc(1971, 1, 1), "1970-12"),
        (utc(1970, 7, 1), utc(1971, 1, 1), "1970-07 to 1970-12"),
        (utc(1965, 1, 1), utc(1966, 1, 1), "1965"),
        (utc(1962, 1, 1), utc(1965, 1, 1), "1962 to 1964"),
        (utc(1970, 4, 11, 9), utc(1970, 4, 11, 10, 30), "1970-04-11 09:00 to 10:30"),
        (utc(1963, 5, 15, 13, 4), utc(1963, 5, 17), "1963-05-15 13:04 to 1963-05-16"),
        (None, None, "undated"),
        (None, utc(1970, 5, 1), "until 1970-04-30"),
    ],
)
def test_times_are_shown_no_finer_than_they_are(start: datetime | None, end: datetime | None, expected: str) -> None:
    assert when(start, end) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (utc(1970, 4, 11, 19, 13), None, "11 Apr 19:13"),
        (utc(1970, 3, 23), utc(1970, 3, 24), "23 Mar"),
        (utc(1970, 3, 27), utc(1970, 3, 29), "27-28 Mar"),
        (utc(1970, 3, 31), utc(1970, 4, 11), "31 Mar-10 Apr"),
        (utc(1970, 3, 1), utc(1970, 4, 1), ""),
        (utc(1965, 1, 1), utc(1966, 1, 1), ""),
    ],
)
def test_labels_beside_the_axis(start: datetime, end: datetime | None, expected: str) -> None:
    assert day(start, end) == expected
    assert month(start) in ("Apr 1970", "Mar 1970", "Jan 1965")


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.none() | st.datetimes(timezones=st.just(UTC)),
)
def test_any_time_has_words(start: datetime, end: datetime | None) -> None:
    assert when(start, end)
    assert when(None, end)
    assert isinstance(day(start, end), str)


def test_texts_cannot_steer_the_terminal() -> None:
    assert plain("a\x1b[31mred\x07\r\nline\u202e\x9b2J") == "a [31mred line 2J"
    hit = Hit("x\x1b]0;title\x07", "[bold]not markup[/bold] \x1b[2J", 1.0, {}, {}, utc(2024, 1, 1))
    hits = Hits((hit,), "\x1b[2J?", utc(2024, 2, 1), None)
    text = drawn(heading(hits), table(hits, console()), Timeline(hits), explained(hits, console()))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[bold]not markup[/bold]" in text


@given(st.text(max_size=200), st.integers(2, 60))
def test_headlines_keep_to_their_width(text: str, width: int) -> None:
    short = headline(text, width)
    assert len(short) <= width
    assert plain(text) == short or short.endswith("…")


def test_cuts_fall_between_words() -> None:
    assert headline("the quick brown fox", 12) == "the quick…"
    assert headline("the quick brown fox", 19) == "the quick brown fox"
    assert headline("incomprehensibilities", 10) == "incompreh…"
    assert cut("a line, ", 20) == "a line…"
    assert clipped("one two three four five six", 10, 2, console()).plain == "one two\nthree…"
    assert clipped("one two", 10, 2, console()).plain == "one two"


def test_places_beside_a_window() -> None:
    assert [place(hit, APRIL) for hit in STORY] == ["inside", "before", "after", "undated"]
    assert [place(hit, None) for hit in STORY] == ["inside", "inside", "inside", "undated"]
    march = Hit("m", "March.", 1.0, occurred_start=utc(1970, 3, 1), occurred_end=utc(1970, 4, 1))
    assert place(march, APRIL) == "before"
    spring = Hit("s", "Spring.", 1.0, occurred_start=utc(1970, 3, 1), occurred_end=utc(1970, 6, 1))
    assert place(spring, APRIL) == "inside"
    said = Hit("t", "Talk.", 1.0, mentioned_at=utc(1970, 4, 30, 23))
    assert place(said, APRIL) == "inside"
    assert place(STORY[1], span(None, utc(1970, 1, 1))) == "inside"
    assert place(STORY[1], span(utc(1970, 1, 1), None)) == "before"


def test_windows_in_words() -> None:
    assert window_words(APRIL) == "1970-04 (month)"
    assert window_words(span(None, utc(1970, 5, 1))) == "before 1970-05-01"
    assert window_words(span(utc(1970, 5, 1), None)) == "from 1970-05-01 on"
    assert window_words(span(None, None)) == "all time"
    assert window_words(None) == "none in the question"


def test_trails_name_hits_by_rank_and_others_by_id() -> None:
    ranks = numbers(STORY)
    assert trail(STORY[1], ranks, console()).plain == "[1] ─caused_by→ weld ─caused_by→ here"
    assert trail(STORY[1], ranks, console(), full=True).plain.endswith("weld ─caused_by 0.75→ here")
    assert trail(STORY[3], ranks, console()).plain == "found by semantic"


def test_trails_name_the_last_step_and_number_the_rest() -> None:
    far = Hit("far", "Far.", 0.1, path=(Step("launch", "board", "causes", 1.0), Step("board", "far", "causes", 0.5)))
    ranks = numbers((*STORY, far))
    assert trail(far, ranks, console()).plain == "[1] ─causes→ [3] board ─causes→ here"
    assert trail(far, ranks, console(), full=True).plain == "[1] launch ─causes 1→ [3] board ─causes 0.5→ here"


def test_titles_lead_where_there_are_any() -> None:
    hit = Hit("t", "The text.", 1.0, occurred_start=utc(2024, 1, 1), metadata={"title": "The\ntitle"})
    hits = Hits((hit,), "?", utc(2024, 2, 1))
    assert "The title. The text." in drawn(table(hits, console()))
    assert "\x1b[1mThe title\x1b[0m. The text." in drawn(Timeline(hits), color=True)
    commit = Hits((Hit("c", "Fix the pool\n\nIt was too small.", 1.0),), "?", utc(2024, 2, 1))
    assert "\x1b[1mFix the pool\x1b[0m. It was too small." in drawn(table(commit, console()), color=True)
    odd = Hits((Hit("t", "The text.", 1.0, metadata={"title": ["a"]}),), "?", utc(2024, 2, 1))
    assert "The text." in drawn(table(odd, console()))


def test_a_table_fits_eighty_columns_and_has_every_hit() -> None:
    text = drawn(heading(HITS), table(HITS, console()))
    assert max(map(len, text.splitlines())) <= 80
    assert "window: 1970-04 (month)" in text
    assert "seen from: 1975-01-01" in text
    for piece in ("The rocket was launched.", "1965", "1970-06-15", "undated", "0.900", "─caused_by→", "found by"):
        assert piece in text
    assert "\x1b" not in text
    assert "\x1b[" in drawn(table(HITS, console()), color=True)


def test_a_narrow_terminal_gets_all_of_it_too() -> None:
    text = drawn(table(HITS, console(40)), Timeline(HITS), width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "launched" in text


def test_explanations_have_arms_ranks_scores_and_weights() -> None:
    text = drawn(explained(HITS, console()))
    assert re.search(r"keyword +rank 1, score 2.5\n +temporal +rank 3, score 0.4", text)
    assert "nearness to the window 0.250" in text
    assert "path [1] launch ─caused_by 1→ weld ─caused_by 0.75→ here" in text


def test_the_timeline_runs_forward_and_marks_the_window() -> None:
    text = drawn(Timeline(HITS))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    order = [
        "before the window, 1 found",
        "1965 ┼",
        "○ [2]",
        "╰ [1] ─caused_by→ weld ─caused_by→ here",
        "─── the window: 1970-04 (month), 1 found ─",
        "5 years 3 months",
        "Apr 1970 ┼",
        "11 Apr 19:13 ● [1]",
        "after the window, 1 found",
        "2 months",
        "Jun 1970 ┼",
        "15 Jun ◆ [3]",
        "╰ [1] launch ─causes→ here",
        "without a date, 1 found",
        "· [4]",
    ]
    at = 0
    for piece in order:
        found = text.find(piece, at)
        assert found >= 0, f"{piece!r} is missing or out of order in\n{text}"
        at = found
    assert "\x1b" not in text


def test_a_timeline_without_window_or_hits() -> None:
    loose = Hits(STORY, "anything", utc(1975, 1, 1))
    text = drawn(Timeline(loose))
    assert "the window" not in text
    assert text.index("1965") < text.index("Apr 1970") < text.index("Jun 1970")
    empty = Hits((), "?", utc(1975, 1, 1), APRIL)
    assert "none found" in drawn(Timeline(empty))
    assert "nothing found" in drawn(table(empty, console()))


def test_plain_ascii_where_the_encoding_has_no_lines() -> None:
    ascii_console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=80)
    assert trail(STORY[2], numbers(STORY), ascii_console).plain == "[1] launch -causes> here"
    short = Hits(STORY[2:3], "?", utc(1975, 1, 1), APRIL)
    text = drawn(Timeline(short), table(short, ascii_console), encoding="ascii")
    assert "15 Jun @ [1]" in text
    assert text.isascii()


def test_json_has_every_key_and_survives_a_round_trip() -> None:
    answer = json.loads(json.dumps(jsonout.answer(HITS), allow_nan=False))
    assert list(answer) == ["question", "now", "window", "notes", "hits"]
    assert answer["window"] == {
        "start": "1970-04-01T00:00:00Z",
        "end": "1970-05-01T00:00:00Z",
        "grain": "month",
        "text": "",
        "span": [0, 0],
        "margin_seconds": 0.0,
        "anchor": None,
    }
    keys = {tuple(hit) for hit in answer["hits"]}
    assert len(keys) == 1
    assert [hit["place"] for hit in answer["hits"]] == ["inside", "before", "after", "undated"]
    assert answer["hits"][0]["occurred_start"] == "1970-04-11T19:13:00Z"
    assert answer["hits"][1]["path"][1] == {
        "source": "weld",
        "target": "switch",
        "relation": "caused_by",
        "weight": 0.75,
    }
    assert answer["hits"][2]["arms"] == {
        "keyword": {"rank": 1, "score": 2.5},
        "temporal": {"rank": 3, "score": 0.4},
    }
    loose = jsonout.answer(Hits(STORY, "", utc(1975, 1, 1)))
    assert loose["window"] is None
    assert loose["hits"][0]["place"] is None


def test_times_of_another_zone_keep_it_in_json() -> None:
    berlin = timezone(timedelta(hours=1))
    hits = Hits((), "?", datetime(1975, 1, 1, tzinfo=berlin))
    assert jsonout.answer(hits)["now"] == "1975-01-01T00:00:00+01:00"
