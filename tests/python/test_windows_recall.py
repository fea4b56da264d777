"""The window inside recall: its language, and events that it hangs on."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import timewalk as tw
from timewalk.cli.app import app

NOW = "2026-07-17T12:00:00Z"
RECORDS = [
    {"id": "a", "text": "The mail server was replaced", "occurred_start": "2026-03-02"},
    {"id": "b", "text": "The payment gateway outage stopped all orders", "occurred_start": "2026-05-20"},
    {"id": "c", "text": "A certificate was renewed by hand", "occurred_start": "2026-05-12"},
    {"id": "d", "text": "The office moved to the harbour", "occurred_start": "2026-06-10"},
]


def filled() -> tw.Memory:
    memory = tw.Memory()
    memory.add(RECORDS)
    return memory


def test_the_language_of_the_question() -> None:
    with filled() as memory:
        german = memory.recall("was geschah im Mai 2026?", now=NOW, locale="de").window
        assert german is not None
        assert str(german.start)[:10] == "2026-05-01"
        assert memory.recall("was geschah vor zwei Wochen?", now=NOW).window is None
        with pytest.raises(tw.InvalidTypeError, match="locale"):
            memory.recall("today", now=NOW, locale=5)  # type: ignore[arg-type]


def test_a_window_hangs_on_the_event_that_the_memory_knows() -> None:
    with filled() as memory:
        hits = memory.recall("what happened in the two weeks before the payment gateway outage?", now=NOW, explain=True)
        assert hits.window is not None
        assert hits.window.anchor == "b"
        assert str(hits.window.start)[:10] == "2026-05-06"
        assert any("'b'" in note and "sure" in note for note in hits.notes), hits.notes


def test_no_event_that_fits_no_window() -> None:
    with filled() as memory:
        hits = memory.recall("what happened two weeks before the wedding of Ada?", now=NOW, explain=True)
        assert hits.window is None
        assert any("no memory fits" in note for note in hits.notes), hits.notes


def test_the_command_line_shows_the_event_and_how_sure(tmp_path) -> None:  # type: ignore[no-untyped-def]
    store = str(tmp_path / "team.timewalk")
    with tw.Memory(store) as memory:
        memory.add(RECORDS)
    question = "what happened in the two weeks before the payment gateway outage?"
    arguments = ["recall", question, "--store", store, "--now", NOW, "--embedder", "none", "--explain"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "sure" in result.output
    german = ["recall", "im Mai 2026", "--store", store, "--now", NOW, "--embedder", "none", "--locale", "de"]
    result = CliRunner().invoke(app, german)
    assert result.exit_code == 0, result.output
    assert "2026-05" in result.output
