"""The everyday windows in Japanese."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("昨日", "2026-07-16", "2026-07-17"),
        ("先週", "2026-07-06", "2026-07-13"),
        ("おととい", "2026-07-15", "2026-07-16"),
        # 一 at the beginning of a word is no number.
        ("一昨日", "2026-07-15", "2026-07-16"),
        ("一昨日の会議", "2026-07-15", "2026-07-16"),
        ("一昨日の朝", "2026-07-15T08:00", "2026-07-15T12:00"),
        ("一昨日の午後3時", "2026-07-15T15:00", "2026-07-15T16:00"),
        ("一昨晩", "2026-07-15T16:00", "2026-07-15T20:00"),
        ("一昨夜", "2026-07-15T20:00", "2026-07-16T06:00"),
        ("一昨年", "2024-01-01", "2025-01-01"),
        ("一昨年の夏", "2024-06-01", "2024-09-01"),
        ("一昨々日", "2026-07-14", "2026-07-15"),
        ("一昨昨年", "2023-01-01", "2024-01-01"),
        ("しあさって", "2026-07-20", "2026-07-21"),
        ("一日", "2026-07-01", "2026-07-02"),
        ("一月", "2026-01-01", "2026-02-01"),
        ("昨日の午前一時", "2026-07-16T01:00", "2026-07-16T02:00"),
        ("2024年5月", "2024-05-01", "2024-06-01"),
        ("2025年10月3日", "2025-10-03", "2025-10-04"),
        ("平成30年10月", "2018-10-01", "2018-11-01"),
        ("3日前", "2026-07-14", "2026-07-15"),
        ("過去3日間", "2026-07-14", "2026-07-17T12:00"),
        ("2026年6月3日から12日まで", "2026-06-03", "2026-06-13"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("先週の月曜日", "2026-07-06", "2026-07-07"),
        ("昨日の午後3時", "2026-07-16T15:00", "2026-07-16T16:00"),
        ("1990年代", "1990-01-01", "2000-01-01"),
        ("来月", "2026-08-01", "2026-09-01"),
    ],
)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    window = tw.find_window(text, now=NOW, locale="ja")
    assert window is not None

    def short(time: datetime | None) -> str | None:
        return None if time is None else time.strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")

    assert (short(window.start), short(window.end)) == (start, end)


@pytest.mark.parametrize("text", ["こんにちは", "一緒に行きましょう"])
def test_no_window(text: str) -> None:
    assert tw.find_window(text, now=NOW, locale="ja") is None
