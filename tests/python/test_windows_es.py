"""The everyday windows in Spanish."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("ayer", "2026-07-16", "2026-07-17"),
        ("la semana pasada", "2026-07-06", "2026-07-13"),
        ("en mayo de 2024", "2024-05-01", "2024-06-01"),
        ("el 3 de octubre de 2025", "2025-10-03", "2025-10-04"),
        ("hace tres días", "2026-07-14", "2026-07-15"),
        ("en los últimos 3 días", "2026-07-14", "2026-07-17T12:00"),
        ("desde marzo de 2024", "2024-03-01", "2026-07-17T12:00"),
        ("entre el 3 y el 12 de junio de 2026", "2026-06-03", "2026-06-13"),
        ("de enero a marzo de 2025", "2025-01-01", "2025-04-01"),
        ("ayer por la mañana", "2026-07-16T08:00", "2026-07-16T12:00"),
        ("el año pasado", "2025-01-01", "2026-01-01"),
        ("pasado mañana", "2026-07-19", "2026-07-20"),
        ("anoche", "2026-07-16T20:00", "2026-07-17T06:00"),
        ("en el siglo XV", "1400-01-01", "1500-01-01"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="es")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["sala 101", "puerto 9077", "la semilla"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="es") is None
