"""How decay behaves in use: six kinds of assistant, each with its engine and its numbers."""

import math
from datetime import UTC, datetime, timedelta

import pytest

import timewalk as tw

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
YEAR = timedelta(days=365.25)


def ids(hits):
    return [one["id"] for one in hits]


def every(step, count, last):
    """`count` accesses `step` apart, the latest `last` ago."""
    return [NOW - last - step * n for n in range(count)][::-1]


def used(id, similarity, recent, count=None, created=None):
    return {
        "id": id,
        "similarity": similarity,
        "recent_accesses": recent[-10:],
        "last_access": recent[-1],
        "historical_count": count or len(recent),
        "created_at": created or recent[0],
    }


def test_news_feed_an_item_of_three_weeks_ago_does_not_surface():
    """24-hour half-life: three weeks leave 2^-21 of the best match."""
    stories = [
        {"id": "three weeks ago, perfect match", "similarity": 0.99, "last_access": NOW - 3 * WEEK},
        {"id": "today", "similarity": 0.35, "last_access": NOW - 2 * HOUR},
        {"id": "yesterday", "similarity": 0.40, "last_access": NOW - DAY},
        {"id": "two days ago", "similarity": 0.45, "last_access": NOW - 2 * DAY},
        {"id": "last week", "similarity": 0.90, "last_access": NOW - WEEK},
    ]
    out = tw.rerank(stories, tw.HalfLife("24h"), now=NOW)
    assert ids(out) == ["today", "yesterday", "two days ago", "last week", "three weeks ago, perfect match"]
    assert out[-1]["score"] == pytest.approx(0.99 * 2**-21, rel=1e-14)
    assert "three weeks ago, perfect match" not in ids(tw.rerank(stories, tw.HalfLife("24h"), now=NOW, k=4))


def test_support_chat_the_open_ticket_stays_and_the_closed_one_fades():
    """Strength grows with each visit: the same age weighs more on a memory that was used more."""
    facts = [
        {"id": "refund under way", "similarity": 0.6, "last_access": NOW - 2 * DAY, "strength": 7 * 86_400.0},
        {"id": "asked about opening hours", "similarity": 0.6, "last_access": NOW - 2 * DAY, "strength": 86_400.0},
        {"id": "ticket closed in January", "similarity": 0.8, "last_access": NOW - 150 * DAY, "strength": 7 * 86_400.0},
    ]
    out = tw.rerank(facts, tw.Ebbinghaus(), now=NOW)
    assert ids(out) == ["refund under way", "asked about opening hours", "ticket closed in January"]
    assert out[0]["temporal_weight"] == pytest.approx(math.exp(-2 / 7), rel=1e-14)
    assert out[1]["temporal_weight"] == pytest.approx(math.exp(-2), rel=1e-14)
    assert out[2]["score"] < 1e-9


def test_persona_an_allergy_told_once_keeps_its_floor_for_years():
    """A floor for what must not be forgotten, none for small talk."""
    facts = [
        {"id": "allergic to nuts", "similarity": 0.7, "last_access": NOW - 6 * YEAR, "floor": 0.6},
        {"id": "had pasta yesterday", "similarity": 0.5, "last_access": NOW - DAY, "floor": 0.0},
        {"id": "liked a film in winter", "similarity": 0.7, "last_access": NOW - 120 * DAY, "floor": 0.0},
    ]
    engine = tw.Ebbinghaus("7d", floor=tw.Column("floor"))
    out = tw.rerank(facts, engine, now=NOW)
    scores = {one["id"]: one["score"] for one in out}
    assert scores["allergic to nuts"] == pytest.approx(0.42, rel=1e-12)
    assert scores["liked a film in winter"] < 1e-7
    assert ids(out)[:2] == ["had pasta yesterday", "allergic to nuts"]
    in_ten_years = tw.rerank(facts, engine, now=NOW + 10 * YEAR)
    assert ids(in_ten_years)[0] == "allergic to nuts"
    assert in_ten_years[0]["score"] == pytest.approx(0.42, rel=1e-12)


def test_living_documentation_the_page_used_ten_thousand_times_outranks_a_one_off():
    """Used 10,000 times over the year before last, not since; against one view last week."""
    reference = used("deploy guide", 0.7, every(50 * timedelta(minutes=1), 10, YEAR), 10_000, NOW - 2 * YEAR)
    one_off = used("meeting note", 0.7, [NOW - WEEK])
    out = tw.rerank([one_off, reference], tw.ACTR(), now=NOW)
    assert ids(out) == ["deploy guide", "meeting note"]
    # 9,990 older views from creation to a year ago: 9990·2(√(2a) - √a)/a, a = one year in seconds, and ten at a.
    year = YEAR.total_seconds()
    expected = math.log(9990 * 2 * (math.sqrt(2 * year) - math.sqrt(year)) / year + 10 / math.sqrt(year))
    assert out[0]["temporal_weight"] == pytest.approx(expected, rel=1e-3)
    assert out[1]["temporal_weight"] == pytest.approx(-0.5 * math.log(WEEK.total_seconds()), rel=1e-14)


def test_pair_programmer_the_file_of_this_hour_beats_the_better_match_of_last_month():
    files = [
        used("parser.py, edited all morning", 0.55, every(10 * timedelta(minutes=1), 10, timedelta(minutes=5)), 12),
        used("lexer.py, last month", 0.75, every(HOUR, 10, 30 * DAY), 40, NOW - 90 * DAY),
        used("README, once", 0.60, [NOW - 200 * DAY]),
    ]
    out = tw.rerank(files, tw.ACTR(), now=NOW, temporal_weight=0.2, semantic_weight=1.0)
    assert ids(out) == ["parser.py, edited all morning", "lexer.py, last month", "README, once"]
    # With the temporal side switched off the better match comes first.
    assert ids(tw.rerank(files, tw.ACTR(), now=NOW, temporal_weight=0.0))[0] == "lexer.py, last month"


def test_long_investigation_old_evidence_survives_under_a_power_law_and_dies_under_a_half_life():
    """A power law forgets slower and slower: a year at 30 days leaves 0.51 of it, and 2^-12 of a half-life."""
    evidence = [
        {"id": "bank record of last year", "similarity": 0.8, "last_access": NOW - YEAR},
        {"id": "call of last week", "similarity": 0.35, "last_access": NOW - WEEK},
    ]
    kept = tw.rerank(evidence, tw.PowerLaw("30d"), now=NOW)
    assert ids(kept) == ["bank record of last year", "call of last week"]
    weight = (1 + 19 / 81 * 365.25 / 30) ** -0.5
    assert kept[0]["temporal_weight"] == pytest.approx(weight, rel=1e-14)
    lost = tw.rerank(evidence, tw.HalfLife("30d"), now=NOW)
    assert ids(lost) == ["call of last week", "bank record of last year"]


def test_a_constant_similarity_leaves_the_order_to_time_and_a_constant_time_to_similarity():
    alike = [{"id": n, "similarity": 0.5, "last_access": NOW - n * DAY} for n in range(5)]
    assert ids(tw.rerank(alike[::-1], tw.HalfLife("1d"), now=NOW)) == [0, 1, 2, 3, 4]
    same_time = [{"id": n, "similarity": n / 10, "last_access": NOW - DAY} for n in range(5)]
    assert ids(tw.rerank(same_time, tw.HalfLife("1d"), now=NOW)) == [4, 3, 2, 1, 0]


def test_the_future_has_age_zero():
    hits = [{"id": "tomorrow", "similarity": 0.5, "last_access": NOW + DAY}]
    assert tw.rerank(hits, tw.HalfLife("1d"), now=NOW)[0]["temporal_weight"] == 1.0
    accesses = [{"id": "a", "similarity": 0.5, "recent_accesses": [NOW + DAY]}]
    assert tw.rerank(accesses, tw.ACTR(), now=NOW)[0]["temporal_weight"] == 0.0
