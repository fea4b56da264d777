"""The bundled events: enough of them, well formed, dated, sourced, and with links that run forward in time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib.resources import files

from timewalk.demo import NOW, by_date, load, records
from timewalk.ingest.records import to_table

EVENTS = records()
BY_ID = {event["id"]: event for event in EVENTS}
TABLE = to_table(EVENTS, now=NOW)
START = dict(zip(TABLE["id"].to_pylist(), TABLE["occurred_start"].to_pylist(), strict=True))
END = dict(zip(TABLE["id"].to_pylist(), TABLE["occurred_end"].to_pylist(), strict=True))
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
    known = {"id", "title", "text", "occurred_start", "occurred_end", "caused_by", "causes", "tags", "source"}
    for event in EVENTS:
        assert set(event) <= known, event["id"]
        assert len(event["text"]) > 30, event["id"]
        assert event["text"].endswith("."), event["id"]
        assert 3 < len(event["title"]) <= 32, event["id"]
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


def test_times_parse_in_order_and_in_the_years_told() -> None:
    assert list(START.values()) == sorted(START.values())
    for id, start in START.items():
        end = END[id]
        assert start.tzinfo is not None
        assert datetime(1961, 1, 1, tzinfo=UTC) <= start < NOW
        assert end is None or start < end < NOW, id
        assert "T" in BY_ID[id]["occurred_start"] or end is not None, f"{id} is dated to a day and has no span"
    assert all(text.endswith("Z") for event in EVENTS for text in [event["occurred_start"]] if "T" in text)


def test_links_resolve_are_unique_and_name_no_event_itself() -> None:
    assert len(LINKS) >= 150
    assert len(set(LINKS)) == len(LINKS)
    for cause, effect in LINKS:
        assert cause in BY_ID, f"{effect} names the unknown cause {cause}"
        assert effect in BY_ID, f"{cause} names the unknown effect {effect}"
        assert cause != effect


def test_causes_do_not_start_after_their_effects() -> None:
    for cause, effect in LINKS:
        assert START[cause] <= START[effect], (cause, effect)


def test_links_have_no_cycle() -> None:
    for event in BY_ID:
        assert event not in ancestors(event)


def test_vague_dates_span_all_they_may_mean() -> None:
    assert (START["apollo-13-launch"], END["apollo-13-launch"]) == (datetime(1970, 4, 11, 19, 13, tzinfo=UTC), None)
    assert (START["heater-65-volt"], END["heater-65-volt"]) == (
        datetime(1965, 1, 1, tzinfo=UTC),
        datetime(1966, 1, 1, tzinfo=UTC),
    )
    assert END["detanking-heaters"] == datetime(1970, 3, 29, tzinfo=UTC)


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
    } <= before
    assert {"fly-the-tank", "swigert-replaces-mattingly", "duke-rubella"} <= ancestors("apollo-13-launch")
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
    assert START["tank-explosion"] == datetime(1970, 4, 14, 3, 7, 53, tzinfo=UTC)
    assert START["apollo-13-splashdown"] == datetime(1970, 4, 17, 18, 7, 41, tzinfo=UTC)


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
    assert {"apollo-13-launch", "tank-explosion", "dong-fang-hong-1", "fly-the-tank"} <= set(inside)
    assert not {"oxygen-shelf-dropped", "heater-65-volt", "apollo-14-delayed", "apollo-14-december"} & set(inside)
    assert by_date(EVENTS, None, None) == list(BY_ID)
    assert by_date([{"id": "undated", "text": "some day"}], None, None) == []
    may = datetime(1970, 5, 1, tzinfo=UTC)
    # A span ends before its last instant: all of April does not touch May.
    assert by_date([{"id": "april", "text": "April", "occurred_start": "1970-04"}], may, None) == []


def test_load_hands_over_every_event_once() -> None:
    class Box:
        def __init__(self) -> None:
            self.got: list[str] = []

        def add(self, records: list[dict[str, object]], /, *, now: datetime) -> None:
            self.got += [str(record["id"]) for record in records]

    box = Box()
    assert load(box) == len(EVENTS)
    assert box.got == list(BY_ID)


def test_the_file_is_one_json_object_a_line_with_plain_quotes() -> None:
    text = files("timewalk.demo").joinpath("apollo.jsonl").read_text(encoding="utf-8")
    assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
