from datetime import UTC, datetime, timedelta

import pytest

import timewalk as tw

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_first_access_makes_the_three_keys_and_leaves_the_payload_alone():
    tags = ["a"]
    payload = {"text": "likes tea", "tags": tags}
    out = tw.touch(payload, now=NOW)
    assert out == {
        "text": "likes tea",
        "tags": ["a"],
        "last_access": NOW,
        "recent_accesses": [NOW],
        "historical_count": 1,
    }
    assert out["tags"] is tags
    assert payload == {"text": "likes tea", "tags": ["a"]}


def test_overflow_is_counted():
    payload = {}
    for hour in range(25):
        payload = tw.touch(payload, now=NOW + timedelta(hours=hour), keep=10)
    assert payload["historical_count"] == 25
    assert payload["recent_accesses"] == [NOW + timedelta(hours=hour) for hour in range(15, 25)]
    assert payload["last_access"] == NOW + timedelta(hours=24)


@pytest.mark.parametrize(
    ("stored", "unit", "written"),
    [
        ("2026-06-30T12:00:00+00:00", None, "2026-07-01T12:00:00+00:00"),
        (1782820800, "s", 1782907200),
        (1782820800000, "ms", 1782907200000),
        (datetime(2026, 6, 30, 12, tzinfo=UTC), None, NOW),
    ],
)
def test_times_are_written_as_they_were_stored(stored, unit, written):
    out = tw.touch({"last_access": stored}, now=NOW, unit=unit)
    assert out["last_access"] == written
    assert out["recent_accesses"] == [stored, written]
    assert out["historical_count"] == 2


def test_an_access_out_of_order_is_sorted_in():
    out = tw.touch({"recent_accesses": [NOW + timedelta(days=1)]}, now=NOW)
    assert out["recent_accesses"] == [NOW, NOW + timedelta(days=1)]
    assert out["last_access"] == NOW + timedelta(days=1)


def test_a_list_gives_a_list_in_the_same_order():
    out = tw.touch([{"n": 1}, {"n": 2, "historical_count": 7}], now=NOW)
    assert [(one["n"], one["historical_count"]) for one in out] == [(1, 1), (2, 8)]
    assert tw.touch([], now=NOW) == []


@pytest.mark.parametrize(
    ("payload", "options", "error", "message"),
    [
        ({}, {"keep": 0}, tw.InvalidValueError, "keep"),
        ({}, {"form": "float"}, tw.InvalidValueError, "form"),
        ({"last_access": 5}, {}, tw.InvalidTypeError, "last_access"),
        ({"recent_accesses": "2026"}, {}, tw.InvalidTypeError, "recent_accesses"),
        ({"historical_count": -1}, {}, tw.InvalidValueError, "historical_count"),
        ({"historical_count": 1.5}, {}, tw.InvalidTypeError, "historical_count"),
        ({"last_access": "soon"}, {}, tw.InvalidValueError, "ISO 8601"),
        (["text"], {}, tw.InvalidTypeError, "payload 0"),
        ("text", {}, tw.InvalidTypeError, "payload"),
    ],
)
def test_bad_input_is_named(payload, options, error, message):
    with pytest.raises(error, match=message):
        tw.touch(payload, now=NOW, **options)
