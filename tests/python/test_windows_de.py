"""The everyday windows in German."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("gestern", "2026-07-16", "2026-07-17"),
        ("letzte Woche", "2026-07-06", "2026-07-13"),
        ("im Mai 2024", "2024-05-01", "2024-06-01"),
        ("am 3. Oktober 2025", "2025-10-03", "2025-10-04"),
        ("am 22.04.2026", "2026-04-22", "2026-04-23"),
        ("vor drei Tagen", "2026-07-14", "2026-07-15"),
        ("in den letzten zwei Wochen", "2026-07-03", "2026-07-17T12:00"),
        ("seit März 2024", "2024-03-01", "2026-07-17T12:00"),
        ("zwischen dem 3. und dem 12. Juni 2026", "2026-06-03", "2026-06-13"),
        ("vom 1. Januar bis zum 15. März 2025", "2025-01-01", "2025-03-16"),
        ("gestern Abend", "2026-07-16T16:00", "2026-07-16T20:00"),
        ("Dienstagnachmittag", "2026-07-14T12:00", "2026-07-14T16:00"),
        ("Ende 1989", "1989-09-01", "1990-01-01"),
        ("letztes Jahr", "2025-01-01", "2026-01-01"),
        ("vor Ostern 2024", None, "2024-03-31"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="de")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["Der Marsch geht weiter", "Raum 101", "Port 9077", "Wir mögen das"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="de") is None
