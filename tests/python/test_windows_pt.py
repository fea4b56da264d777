"""The everyday windows in Portuguese."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("ontem", "2026-07-16", "2026-07-17"),
        ("na semana passada", "2026-07-06", "2026-07-13"),
        ("em maio de 2024", "2024-05-01", "2024-06-01"),
        ("em 3 de outubro de 2025", "2025-10-03", "2025-10-04"),
        ("há três dias", "2026-07-14", "2026-07-15"),
        ("nos últimos 3 dias", "2026-07-14", "2026-07-17T12:00"),
        ("desde março de 2024", "2024-03-01", "2026-07-17T12:00"),
        ("entre 3 e 12 de junho de 2026", "2026-06-03", "2026-06-13"),
        ("no ano passado", "2025-01-01", "2026-01-01"),
        ("segunda-feira", "2026-07-13", "2026-07-14"),
        ("anteontem", "2026-07-15", "2026-07-16"),
        ("dois meses atrás", "2026-05-01", "2026-06-01"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="pt")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["sala 101", "porta 9077", "o sol"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="pt") is None
