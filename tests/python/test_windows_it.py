"""The everyday windows in Italian."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("ieri", "2026-07-16", "2026-07-17"),
        ("la settimana scorsa", "2026-07-06", "2026-07-13"),
        ("nel maggio 2024", "2024-05-01", "2024-06-01"),
        ("il 3 ottobre 2025", "2025-10-03", "2025-10-04"),
        ("tre giorni fa", "2026-07-14", "2026-07-15"),
        ("negli ultimi 3 giorni", "2026-07-14", "2026-07-17T12:00"),
        ("tra il 3 e il 12 giugno 2026", "2026-06-03", "2026-06-13"),
        ("da gennaio a marzo 2025", "2025-01-01", "2025-04-01"),
        ("ieri sera", "2026-07-16T16:00", "2026-07-16T20:00"),
        ("l'anno scorso", "2025-01-01", "2026-01-01"),
        ("dopodomani", "2026-07-19", "2026-07-20"),
        ("a Pasqua 2024", "2024-03-31", "2024-04-01"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="it")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["stanza 101", "la porta 9077", "il sole"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="it") is None
