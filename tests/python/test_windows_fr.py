"""The everyday windows in French."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("hier", "2026-07-16", "2026-07-17"),
        ("la semaine dernière", "2026-07-06", "2026-07-13"),
        ("en mai 2024", "2024-05-01", "2024-06-01"),
        ("le 3 octobre 2025", "2025-10-03", "2025-10-04"),
        ("le 22/04/2026", "2026-04-22", "2026-04-23"),
        ("il y a trois jours", "2026-07-14", "2026-07-15"),
        ("depuis mars 2024", "2024-03-01", "2026-07-17T12:00"),
        ("entre le 3 et le 12 juin 2026", "2026-06-03", "2026-06-13"),
        ("de janvier à mars 2025", "2025-01-01", "2025-04-01"),
        ("hier soir", "2026-07-16T16:00", "2026-07-16T20:00"),
        ("l'année dernière", "2025-01-01", "2026-01-01"),
        ("lundi dernier", "2026-07-13", "2026-07-14"),
        ("dans les années 90", "1990-01-01", "2000-01-01"),
        ("à Noël 2024", "2024-12-25", "2024-12-26"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="fr")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["salle 101", "le port 9077", "elle marche vite"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="fr") is None
