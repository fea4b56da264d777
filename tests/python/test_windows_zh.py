"""The everyday windows in Chinese."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("昨天", "2026-07-16", "2026-07-17"),
        ("上周", "2026-07-06", "2026-07-13"),
        ("2024年5月", "2024-05-01", "2024-06-01"),
        ("2025年10月3日", "2025-10-03", "2025-10-04"),
        ("二零二五年十月三日", "2025-10-03", "2025-10-04"),
        ("三天前", "2026-07-14", "2026-07-15"),
        ("过去三天", "2026-07-14", "2026-07-17T12:00"),
        ("从一月到三月", "2026-01-01", "2026-04-01"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("上周一", "2026-07-06", "2026-07-07"),
        ("昨天下午三点", "2026-07-16T15:00", "2026-07-16T16:00"),
        ("九十年代", "1990-01-01", "2000-01-01"),
        ("2024年春节", "2024-02-10", "2024-02-11"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="zh")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["你好", "我们一起走吧"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="zh") is None
