"""What the rules share over the languages: repetitions, denials, a few units, hours and minutes, open ends."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import windows_short

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)  # a Friday


def reading(text: str, locale: str) -> tuple[str | None, str | None] | None:
    return windows_short.reading(text, NOW, locale=locale)


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de", "jeden Montag"),
        ("fr", "chaque lundi"),
        ("es", "cada lunes"),
        ("it", "ogni lunedì"),
        ("pt", "toda segunda-feira"),
        ("ru", "каждый понедельник"),
        ("zh", "每周一"),
        ("ja", "毎週月曜日"),
        ("de", "nicht im Mai"),
        ("fr", "pas en mai"),
        ("es", "no en mayo"),
        ("de", "Python 3.10.12"),
        ("es", "la versión 2.5.10"),
        ("de", "29. Februar 2025"),
        ("es", "el 29 de febrero de 2025"),
        ("zh", "2025年2月29日"),
    ],
)
def test_what_is_no_window(locale: str, text: str) -> None:
    assert reading(text, locale) is None


@pytest.mark.parametrize(
    ("locale", "text", "start", "end"),
    [
        ("de", "in den letzten Monaten", "2026-04-17", "2026-07-17T12:00"),
        ("de", "letzten Monat", "2026-06-01", "2026-07-01"),
        ("de", "KW 23 2025", "2025-06-02", "2025-06-09"),
        ("fr", "ces derniers mois", "2026-04-17", "2026-07-17T12:00"),
        ("fr", "fin mars", "2026-03-16", "2026-04-01"),
        ("fr", "demain à sept heures et demie", "2026-07-18T07:30", "2026-07-18T07:31"),
        ("fr", "en juillet 98", "1998-07-01", "1998-08-01"),
        ("es", "en los últimos meses", "2026-04-17", "2026-07-17T12:00"),
        ("es", "el lunes a las 2.30 p. m.", "2026-07-13T14:30", "2026-07-13T14:31"),
        ("es", "ayer a las siete y media", "2026-07-16T07:30", "2026-07-16T07:31"),
        ("es", "a principios de 2023", "2023-01-01", "2023-07-01"),
        ("es", "la década dos mil diez", "2010-01-01", "2020-01-01"),
        ("it", "il primo venerdì di luglio", "2026-07-03", "2026-07-04"),
        ("it", "alla fine di marzo", "2026-03-16", "2026-04-01"),
        ("it", "negli ultimi mesi", "2026-04-17", "2026-07-17T12:00"),
        ("pt", "nos últimos meses", "2026-04-17", "2026-07-17T12:00"),
        ("pt", "quinze para as oito de ontem", "2026-07-16T07:45", "2026-07-16T07:46"),
        ("ru", "после 2020 года", "2021-01-01", None),
        ("ru", "между январём и мартом 2024", "2024-01-01", "2024-04-01"),
        ("ru", "в 90-е годы", "1990-01-01", "2000-01-01"),  # noqa: RUF001
        ("ru", "до мая", None, "2026-05-01"),
        ("zh", "五月之前", None, "2026-05-01"),
        ("zh", "五个月之前", "2026-02-01", "2026-03-01"),
        ("zh", "2021年的前2周", "2021-01-04", "2021-01-18"),
        ("zh", "12/1", "2025-12-01", "2025-12-02"),
        ("ja", "昨日まで", None, "2026-07-17"),
        ("ja", "昨日の午前8時から午後3時まで", "2026-07-16T08:00", "2026-07-16T15:00"),
        ("ja", "次の日曜日", "2026-07-26", "2026-07-27"),
        ("ja", "昨日の2日前", "2026-07-14", "2026-07-15"),
    ],
)
def test_what_is_one(locale: str, text: str, start: str | None, end: str | None) -> None:
    assert reading(text, locale) == (start, end)
