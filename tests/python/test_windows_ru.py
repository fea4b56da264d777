"""The everyday windows in Russian."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("вчера", "2026-07-16", "2026-07-17"),
        ("на прошлой неделе", "2026-07-06", "2026-07-13"),
        ("в мае 2024 года", "2024-05-01", "2024-06-01"),
        ("3 октября 2025 года", "2025-10-03", "2025-10-04"),
        ("22.04.2026", "2026-04-22", "2026-04-23"),
        ("три дня назад", "2026-07-14", "2026-07-15"),
        ("за последние 3 дня", "2026-07-14", "2026-07-17T12:00"),
        ("с января по март 2025 года", "2025-01-01", "2025-04-01"),  # noqa: RUF001
        ("в прошлом году", "2025-01-01", "2026-01-01"),
        ("в понедельник", "2026-07-13", "2026-07-14"),
        ("в этом месяце", "2026-07-01", "2026-08-01"),
        ("позавчера", "2026-07-15", "2026-07-16"),
        ("в 2024 году", "2024-01-01", "2025-01-01"),
        ("две недели назад", "2026-06-29", "2026-07-06"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="ru")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["комната 101", "порт 9077", "мы идём"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="ru") is None
