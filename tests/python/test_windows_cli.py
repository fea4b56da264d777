"""`timewalk window`: the reading in words, as JSON, and on the calendar line."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from timewalk.cli.app import app
from timewalk.cli.window import calendar_line
from timewalk.windows import Window, find_window

NOW = "2026-07-17T12:00:00Z"
runner = CliRunner()


def run(*arguments: str) -> str:
    result = runner.invoke(app, ["window", *arguments, "--now", NOW])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_reading_and_the_line() -> None:
    output = run("what happened in March 2026?")
    assert "2026-03-01 to 2026-04-01, month" in output
    assert "█" in output
    assert "●" in output
    assert "now" in output


def test_json_names_the_governing_window() -> None:
    first, second = json.loads(run("on 3 May 2024, or in May 2025", "--json"))
    assert first["governs"]
    assert not second["governs"]
    assert (first["start"], first["text"]) == ("2024-05-03T00:00:00+00:00", "3 May 2024")


def test_no_time() -> None:
    assert "no time in this text" in run("port 9077")
    assert json.loads(run("port 9077", "--json")) == []


def test_an_event_is_asked_for_and_used() -> None:
    text = "what happened two weeks before the outage?"
    output = run(text)
    assert "the outage" in output
    assert "--event" in output
    output = run(text, "--event", "2026-05-20T09:00:00Z")
    assert "2026-05-04 to 2026-05-11, week" in output


def test_wrong_input_is_told() -> None:
    result = runner.invoke(app, ["window", "today", "--tz", "Mars/Olympus"])
    assert result.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "since March 2024",
        "before 2020",
        "after 2030",
        "today",
        "100,000 years ago",
        "now",
        "before 44 BC",
        "after 2900",
    ],
)
def test_the_line_holds_any_window(text: str) -> None:
    now = datetime(2026, 7, 17, 12, tzinfo=UTC)
    window = find_window(text, now=now)
    assert isinstance(window, Window)
    line, marks = calendar_line(window, now=now).split("\n")
    assert len(line) == 61
    assert "●" in line
    assert marks.strip()


def test_years_that_datetimes_do_not_have() -> None:
    assert "-0043-01-01 to -0042-01-01, year" in run("in 44 BC")
    (row,) = json.loads(run("in 44 BC", "--json"))
    assert row["start"] == "-0043-01-01T00:00:00+00:00"
