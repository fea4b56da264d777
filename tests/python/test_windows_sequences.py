"""Times said side by side: those that adjoin are one window, others stay as they are."""

from __future__ import annotations

import random

import pytest
from windows_short import reading

NOW = "2026-07-17T10:00:00"  # a Friday

YESTERDAY_AND_TODAY = ("2026-07-16", "2026-07-18")
TWO_DAYS_BEFORE = ("2026-07-15", "2026-07-17")
MONDAY_AND_TUESDAY = ("2026-07-13", "2026-07-15")
MAY_AND_JUNE = ("2024-05-01", "2024-07-01")
TWO_YEARS = ("2023-01-01", "2025-01-01")

ONE_WINDOW = {
    "en": {
        "today and yesterday": YESTERDAY_AND_TODAY,
        "what happened yesterday and today?": YESTERDAY_AND_TODAY,
        "the day before yesterday and yesterday": TWO_DAYS_BEFORE,
        "yesterday, today and tomorrow": ("2026-07-16", "2026-07-19"),
        "May and June": ("2026-05-01", "2026-07-01"),
        "May June": ("2026-05-01", "2026-07-01"),
        "in May and in June": ("2026-05-01", "2026-07-01"),
        "June and May": ("2026-05-01", "2026-07-01"),
        "what was done in May and June 2024?": MAY_AND_JUNE,
        "May June 2024": MAY_AND_JUNE,
        "May 2024 and June": MAY_AND_JUNE,
        "in May, June and July 2024": ("2024-05-01", "2024-08-01"),
        "May and June and July 2024": ("2024-05-01", "2024-08-01"),
        "in April and May of last year": ("2025-04-01", "2025-06-01"),
        "December and January": ("2025-12-01", "2026-02-01"),
        "in December and January 2024": ("2023-12-01", "2024-02-01"),
        "in December 2023 and January 2024": ("2023-12-01", "2024-02-01"),
        "Monday and Tuesday": MONDAY_AND_TUESDAY,
        "last Monday and Tuesday": MONDAY_AND_TUESDAY,
        "Tuesday and Monday": MONDAY_AND_TUESDAY,
        "Monday, Tuesday and Wednesday": ("2026-07-13", "2026-07-16"),
        "Friday, Saturday and Sunday": ("2026-07-10", "2026-07-13"),
        "next Monday and Tuesday": ("2026-07-20", "2026-07-22"),
        "2023 and 2024": TWO_YEARS,
        "in 2023 and in 2024": TWO_YEARS,
        "the years 2023 and 2024": TWO_YEARS,
        "2022, 2023 and 2024": ("2022-01-01", "2025-01-01"),
        "3 May and 4 May 2024": ("2024-05-03", "2024-05-05"),
        "Q1 and Q2 2024": ("2024-01-01", "2024-07-01"),
        "this year and last year": ("2025-01-01", "2027-01-01"),
        "last week and this week": ("2026-07-06", "2026-07-20"),
        "summer and autumn 2023": ("2023-06-01", "2023-12-01"),
        "spring and summer": ("2026-03-01", "2026-09-01"),
    },
    "de": {
        "heute und gestern": YESTERDAY_AND_TODAY,
        "vorgestern und gestern": TWO_DAYS_BEFORE,
        "am Montag und am Dienstag": MONDAY_AND_TUESDAY,
        "im Mai und Juni 2024": MAY_AND_JUNE,
        "Mai, Juni und Juli 2024": ("2024-05-01", "2024-08-01"),
        "2023 und 2024": TWO_YEARS,
    },
    "fr": {
        "aujourd'hui et hier": YESTERDAY_AND_TODAY,
        "avant-hier et hier": TWO_DAYS_BEFORE,
        "lundi et mardi": MONDAY_AND_TUESDAY,
        "en mai et en juin 2024": MAY_AND_JUNE,
        "2023 et 2024": TWO_YEARS,
    },
    "es": {
        "hoy y ayer": YESTERDAY_AND_TODAY,
        "anteayer y ayer": TWO_DAYS_BEFORE,
        "el lunes y el martes": MONDAY_AND_TUESDAY,
        "en mayo y en junio de 2024": MAY_AND_JUNE,
        "2023 y 2024": TWO_YEARS,
    },
    "it": {
        "oggi e ieri": YESTERDAY_AND_TODAY,
        "l'altro ieri e ieri": TWO_DAYS_BEFORE,
        "lunedì e martedì": MONDAY_AND_TUESDAY,
        "maggio e giugno 2024": MAY_AND_JUNE,
        "2023 e 2024": TWO_YEARS,
    },
    "pt": {
        "hoje e ontem": YESTERDAY_AND_TODAY,
        "anteontem e ontem": TWO_DAYS_BEFORE,
        "segunda e terça": MONDAY_AND_TUESDAY,
        "maio e junho de 2024": MAY_AND_JUNE,
        "2023 e 2024": TWO_YEARS,
    },
    "ru": {
        "сегодня и вчера": YESTERDAY_AND_TODAY,
        "позавчера и вчера": TWO_DAYS_BEFORE,
        "понедельник и вторник": MONDAY_AND_TUESDAY,
        "в мае и июне 2024 года": MAY_AND_JUNE,
        "2023 и 2024": TWO_YEARS,
    },
    "zh": {
        "今天和昨天": YESTERDAY_AND_TODAY,
        "前天和昨天": TWO_DAYS_BEFORE,
        "周一和周二": MONDAY_AND_TUESDAY,
        "2024年5月和6月": MAY_AND_JUNE,
        "2023年和2024年": TWO_YEARS,
    },
    "ja": {
        "今日と昨日": YESTERDAY_AND_TODAY,
        "一昨日と昨日": TWO_DAYS_BEFORE,
        "月曜日と火曜日": MONDAY_AND_TUESDAY,
        "2024年5月と6月": MAY_AND_JUNE,
        "2023年と2024年": TWO_YEARS,
    },
}


@pytest.mark.parametrize(
    ("locale", "text", "window"),
    [(locale, text, window) for locale, texts in ONE_WINDOW.items() for text, window in texts.items()],
)
def test_what_adjoins_is_one_window(locale, text, window):
    assert reading(text, NOW, locale=locale) == window


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("in May and July 2024", ("2024-05-01", "2024-06-01")),
        ("Monday and Thursday", ("2026-07-13", "2026-07-14")),
        ("Monday and Tuesday and Friday", MONDAY_AND_TUESDAY),
        ("yesterday and tomorrow", ("2026-07-16", "2026-07-17")),
        ("last week and last month", ("2026-07-06", "2026-07-13")),
        ("in May 2023 and May 2024", ("2023-05-01", "2023-06-01")),
        ("before Monday and Tuesday", (None, "2026-07-13")),
        ("in May June joined the team", ("2026-05-01", "2026-06-01")),
        ("Yes you may, June and July work", ("2026-06-01", "2026-08-01")),
        ("between May and June 2024", MAY_AND_JUNE),
        ("around May and June 2024", ("2024-04-24", "2024-07-08")),
    ],
)
def test_others_stay_as_they_are(text, window):
    assert reading(text, NOW) == window


@pytest.mark.parametrize(
    "text",
    [
        "rooms 2023 and 2024",
        "we sold 2023 and 2024 units",
        "the second and third attempt",
        "he sat and sun shone",
        "ports 8080 and 8081",
        "1 and 2",
    ],
)
def test_numbers_and_other_words_are_no_sequence(text):
    assert reading(text, NOW) is None


def test_sequences_of_any_length_and_place_are_no_panic_and_the_whole_of_their_parts():
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"]
    rng = random.Random(5)
    for first in range(9):
        for length in range(2, 10 - first + 1):
            names = months[first : first + length]
            text = f"in {', '.join(names[:-1])} and {names[-1]} 2023"
            assert reading(text, NOW) == (f"2023-{first + 1:02}-01", f"2023-{first + length + 1:02}-01"), text
    words = [*months, "Monday", "Tuesday", "today", "yesterday", "2023", "9999", "and", ",", "in", "last", "the", "Q4"]
    for _ in range(3_000):
        reading(" ".join(rng.choices(words, k=rng.randint(2, 12))), rng.choice([NOW, "0001-01-02", "9999-12-30"]))
