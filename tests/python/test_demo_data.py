"""The bundled events: enough of them, well formed, dated, sourced, and with links that run forward in time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib.resources import files

import pytest

from timewalk.demo import NOW, by_date, load, records
from timewalk.demo.data import span
from timewalk.errors import InvalidValueError

EVENTS = records()
BY_ID = {event["id"]: event for event in EVENTS}
LINKS = [(cause, event["id"]) for event in EVENTS for cause in event.get("caused_by", [])] + [
    (event["id"], effect) for event in EVENTS for effect in event.get("causes", [])
]


def ancestors(event: str) -> set[str]:
    found: set[str] = set()
    todo = [event]
    while todo:
        here = todo.pop()
        for cause in (source for source, target in LINKS if target == here):
            if cause not in found:
                found.add(cause)
                todo.append(cause)
    return found


def test_enough_events_with_unique_ids() -> None:
    assert len(EVENTS) >= 180
    assert len(BY_ID) == len(EVENTS)
    assert len({event["text"] for event in EVENTS}) == len(EVENTS)


def test_every_event_has_text_tags_source_and_known_fields() -> None:
    known = {"id", "text", "occurred_start", "occurred_end", "caused_by", "causes", "tags", "source"}
    for event in EVENTS:
        assert set(event) <= known, event["id"]
        assert len(event["text"]) > 30, event["id"]
        assert event["text"].endswith("."), event["id"]
        assert event["tags"], event["id"]
        assert event["source"], event["id"]


def test_every_source_is_listed_beside_the_data() -> None:
    listed = files("timewalk.demo").joinpath("SOURCES.md").read_text(encoding="utf-8")
    for event in EVENTS:
        words = event["source"].split(",")[0].removeprefix("NASA ")
        number = words.removeprefix("SP-") if words.startswith("SP-40") else words
        short = "Apollo 11, Apollo 12 Mission Reports" if words in _REPORTS else number
        assert short in listed, event["source"]


_REPORTS = {"Apollo 11 Mission Report", "Apollo 12 Mission Report"}


def test_times_are_utc_in_order_and_in_the_years_told() -> None:
    starts = [event["occurred_start"] for event in EVENTS]
    assert starts == sorted(starts)
    for event in EVENTS:
        start, end = event["occurred_start"], event["occurred_end"]
        assert start.tzinfo == UTC
        assert datetime(1961, 1, 1, tzinfo=UTC) <= start < NOW
        assert end is None or start < end < NOW, event["id"]


def test_links_resolve_are_unique_and_name_no_event_itself() -> None:
    assert len(LINKS) >= 150
    assert len(set(LINKS)) == len(LINKS)
    for cause, effect in LINKS:
        assert cause in BY_ID, f"{effect} names the unknown cause {cause}"
        assert effect in BY_ID, f"{cause} names the unknown effect {effect}"
        assert cause != effect


def test_causes_do_not_start_after_their_effects() -> None:
    for cause, effect in LINKS:
        assert BY_ID[cause]["occurred_start"] <= BY_ID[effect]["occurred_start"], (cause, effect)


def test_links_have_no_cycle() -> None:
    for event in BY_ID:
        assert event not in ancestors(event)


def test_vague_dates_span_all_they_may_mean() -> None:
    assert span("1970-04-11T19:13:00Z") == (datetime(1970, 4, 11, 19, 13, tzinfo=UTC), None)
    assert span("1970-03-23")[1] == datetime(1970, 3, 23, 23, 59, 59, tzinfo=UTC)
    assert span("1968-02")[1] == datetime(1968, 2, 29, 23, 59, 59, tzinfo=UTC)
    assert span("1970-12") == (datetime(1970, 12, 1, tzinfo=UTC), datetime(1970, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert span("1965")[1] == datetime(1965, 12, 31, 23, 59, 59, tzinfo=UTC)
    for wrong in ("soon", "1970-13", "19700323"):
        with pytest.raises(InvalidValueError):
            span(wrong)


def test_the_chain_to_the_explosion_and_from_it_is_whole() -> None:
    before = ancestors("tank-explosion")
    assert {
        "tank-28-volt-spec",
        "heater-65-volt",
        "oxygen-shelf-dropped",
        "tank-would-not-empty",
        "detanking-heaters",
        "thermostat-welded",
        "insulation-burnt",
        "fly-the-tank",
        "swigert-replaces-mattingly",
        "apollo-13-launch",
    } <= before
    after = {event for event in BY_ID if "tank-explosion" in ancestors(event)}
    assert {
        "lm-lifeboat",
        "pc-plus-2",
        "co2-adaptor",
        "apollo-13-splashdown",
        "review-board-set-up",
        "review-board-report",
        "tank-redesign",
        "apollo-14-delayed",
        "apollo-14-launch",
    } <= after
    launch, splash = BY_ID["apollo-13-launch"], BY_ID["apollo-13-splashdown"]
    assert launch["occurred_start"] == datetime(1970, 4, 11, 19, 13, tzinfo=UTC)
    assert splash["occurred_start"] == datetime(1970, 4, 17, 18, 7, 41, tzinfo=UTC)


def test_other_chains_are_whole() -> None:
    assert "apollo-1-fire" in ancestors("apollo-7")
    assert {"zond-5", "lm-3-late", "apollo-1-fire"} <= ancestors("apollo-8-launch")
    assert "soyuz-1-crash" in ancestors("soyuz-3")
    assert "apollo-12-lightning" in ancestors("apollo-14-launch")
    assert "soyuz-11-deaths" in ancestors("soyuz-12")
    assert "skylab-shield-lost" in ancestors("skylab-3")
    assert "apollo-13-splashdown" not in ancestors("apollo-15-19-cancelled")


def test_a_date_filter_finds_april_and_misses_the_story() -> None:
    inside = by_date(EVENTS, datetime(1970, 4, 1, tzinfo=UTC), datetime(1970, 5, 1, tzinfo=UTC))
    ids = [event["id"] for event in inside]
    assert {"apollo-13-launch", "tank-explosion", "dong-fang-hong-1", "fly-the-tank"} <= set(ids)
    assert not {"oxygen-shelf-dropped", "heater-65-volt", "apollo-14-delayed"} & set(ids)
    assert by_date(EVENTS, None, None) == EVENTS
    assert by_date([{"id": "undated"}], None, None) == []


def test_load_hands_over_every_event_once() -> None:
    class Box:
        def __init__(self) -> None:
            self.got: list[str] = []

        def add(self, records: list[dict[str, object]]) -> None:
            self.got += [str(record["id"]) for record in records]

    box = Box()
    assert load(box) == len(EVENTS)
    assert box.got == list(BY_ID)


def test_the_file_is_one_json_object_a_line_with_plain_quotes() -> None:
    text = files("timewalk.demo").joinpath("apollo.jsonl").read_text(encoding="utf-8")
    assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
