"""Causal links that texts state, and links of a caller's own extractor."""

from datetime import timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.leads import leads

from timewalk import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.causal import LinkExtractor, causal_links, extracted_links
from timewalk.ingest.links import SCHEMA
from timewalk.ingest.records import to_table

FILLER = [
    {"id": f"filler{n}", "text": text, "occurred_start": f"1970-0{n + 1}-02"}
    for n, text in enumerate(
        [
            "The crew trained for lunar geology in Hawaii",
            "A budget hearing was held in Washington",
            "Weather satellites were launched by Japan",
            "The press visited the control room in Houston",
        ]
    )
]
STORY = [
    {"id": "drop", "text": "An oxygen tank was dropped in the factory", "occurred_start": "1968-10-21"},
    {"id": "test", "text": "The thermostat switch welded shut in the test", "occurred_start": "1970-03-27"},
    {"id": "bang", "text": "The ship lost power because its oxygen tank exploded", "occurred_start": "1970-04-14"},
    {"id": "blow", "text": "Oxygen tank number two exploded in flight", "occurred_start": "1970-04-13"},
    {"id": "board", "text": "The explosion led to a review board under Cortright", "occurred_start": "1970-04-15"},
    {"id": "report", "text": "Cortright handed in what his review board had found", "occurred_start": "1970-05-15"},
]


def links(records, **options):
    found = causal_links(to_table(records), **{"clause_floor": 0.35, **options})
    assert found.schema == SCHEMA
    return {(row["source"], row["relation"], row["target"]): row for row in found.to_pylist()}


def test_a_clause_behind_because_names_the_cause_and_one_behind_led_to_the_effect():
    found = links([*STORY, *FILLER])
    assert set(found) == {("bang", "caused_by", "blow"), ("board", "causes", "report")}
    assert found["bang", "caused_by", "blow"]["origin"] == "text:because"
    assert found["board", "causes", "report"]["origin"] == "text:led to"
    assert all(0.35**0.5 <= row["weight"] < 1 for row in found.values())


@pytest.mark.parametrize(
    ("cue", "direction"),
    [
        ("because of {}", "caused_by"),
        ("due to {}.", "caused_by"),
        ("DUE TO {}", "caused_by"),
        ("as a result of {}, it seems", "caused_by"),
        ("after {} failed", "caused_by"),
        ("after {} was painted", None),
        ("not because of {}", None),
        ("with becauses {}", None),
        ("quick-fix {}", None),
    ],
)
def test_cues(cue, direction):
    pump = {"id": "pump", "text": "The coolant pump of reactor four stopped", "occurred_start": "1970-01-01"}
    told = {
        "id": "told",
        "text": "Nothing went well " + cue.format("the coolant pump of reactor four"),
        "occurred_start": "1970-02-01",
    }
    found = links([pump, told, *FILLER], clause_floor=0.1)
    assert {key for key in found if "told" in key} == ({("told", direction, "pump")} if direction else set())


def test_a_repair_is_caused_by_what_shares_its_words_and_entities():
    records = [
        {
            "id": "add",
            "text": "flow: add minimask parser",
            "files": ["flow.c", "match.c"],
            "occurred_start": "2014-01-01",
        },
        {"id": "other", "text": "docs: mention parser", "files": ["README"], "occurred_start": "2014-01-02"},
        {"id": "fix", "text": "flow: fix minimask parser crash", "files": ["flow.c"], "occurred_start": "2014-01-09"},
        {"id": "later", "text": "flow: add minimask parser tests", "files": ["flow.c"], "occurred_start": "2014-02-01"},
        *FILLER,
    ]
    found = links(records, repairs=1)
    # A memory without any such word may build on an earlier one.
    assert set(found) == {("fix", "caused_by", "add"), ("later", "enabled_by", "add")}
    assert found["later", "enabled_by", "add"]["origin"] == "text:shared"
    records.pop(3)
    assert found["fix", "caused_by", "add"]["origin"] == "text:fix"
    assert links(records, repairs=0) == {}
    # A hint counts where the two share an entity that few have.
    records[2]["text"] = "flow: avoid minimask parser crash"
    assert set(links(records, repairs=1)) == {("fix", "caused_by", "add")}
    records[2]["files"] = ["else.c"]
    assert links(records) == {}
    # Only the first line says what a memory does.
    records[2]["text"] = "flow: minimask parser\nThis does not fix the crash, nor fixes it"
    assert links(records) == {}


def test_a_cause_is_never_later_than_its_effect_nor_in_another_namespace():
    late = [dict(record, occurred_start="1975-01-01") if record["id"] == "blow" else record for record in STORY]
    assert ("bang", "caused_by", "blow") not in links([*late, *FILLER])
    moved = [dict(record, namespace="other") if record["id"] == "blow" else record for record in STORY]
    assert ("bang", "caused_by", "blow") not in links([*moved, *FILLER])


def test_without_dates_the_order_of_arrival_decides():
    bare = [{"id": record["id"], "text": record["text"]} for record in [*STORY, *FILLER]]
    assert ("bang", "caused_by", "blow") not in links(bare)
    bare.insert(0, bare.pop(3))
    assert ("bang", "caused_by", "blow") in links(bare)


def test_what_a_memory_builds_on_is_only_guessed_where_both_have_dates():
    first = {"id": "first", "text": "lexer: tokens carry spans", "files": ["lexer.c"]}
    second = {"id": "second", "text": "lexer: spans of tokens are shown", "files": ["lexer.c"]}
    day, later = {"occurred_start": "1970-05-01"}, {"occurred_start": "1970-06-01"}
    assert set(links([first | day, second | later, *FILLER])) == {("second", "enabled_by", "first")}
    for records in ([first, second], [first | day, second], [first, second | later]):
        assert links([*records, *FILLER]) == {}
    # Who says that it repairs something speaks of what came before it.
    second["text"] = "lexer: fix spans of tokens"
    assert set(links([first, second, *FILLER])) == {("second", "caused_by", "first")}


def test_the_weight_falls_with_the_distance_in_time():
    far = [dict(record, occurred_start="1969-04-13") if record["id"] == "blow" else record for record in STORY]
    near = links([*STORY, *FILLER], clause_floor=0.0)["bang", "caused_by", "blow"]["weight"]
    distant = links([*far, *FILLER], clause_floor=0.0)["bang", "caused_by", "blow"]["weight"]
    assert distant == pytest.approx(near / (1 + 366 / 90) ** 0.25, rel=0.01)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["fix", "pump", "valve", "tank", "oxygen", "heater", "relay"]), max_size=8),
            st.sets(st.sampled_from(["a.c", "b.c", "c.c"])),
            st.integers(0, 5_000_000_000),
        ),
        max_size=14,
        unique_by=lambda row: row[2],
    ),
    st.integers(0, 4),
)
def test_leads_are_those_of_the_rule_applied_pair_by_pair(rows, repairs):
    records = [
        {"id": f"m{n:02}", "text": " ".join(words), "entities": sorted(files), "micros": seconds * 1_000_000}
        for n, (words, files, seconds) in enumerate(rows)
    ]
    columns = {name: [record[name] for record in records] for name in ("id", "text", "entities")}
    times = pa.array([record["micros"] for record in records], pa.timestamp("us", "UTC"))
    entities = pa.array(columns.pop("entities"), pa.list_(pa.string()))
    table = pa.table({**columns, "entities": entities, "occurred_start": times})
    found = {}
    for row in causal_links(table, repairs=repairs).to_pylist():
        sure = {"caused_by": 0.16, "enabled_by": 0.16 * 2 / 1.5}[row["relation"]]
        found[row["source"], row["target"]] = (row["weight"] / sure) ** 8
    expected = leads(records, repairs)
    # Of equally likely ones at the edge either may be kept.
    assert sorted(found.values()) == pytest.approx(sorted(expected.values()), rel=1e-5)
    assert {source for source, _ in found} == {source for source, _ in expected}


def test_empty_and_bad_arguments():
    assert links([]) == {}
    for bad in ({"repairs": -1}, {"span": timedelta(0)}, {"clause_floor": 2.0}, {"entity_weight": float("nan")}):
        with pytest.raises(InvalidValueError):
            causal_links(to_table(STORY), **bad)
    with pytest.raises(UnknownIdError, match="text"):
        causal_links(pa.table({"id": ["a"]}))
    with pytest.raises(InvalidTypeError, match="entities"):
        causal_links(pa.table({"id": ["a"], "text": ["b"], "entities": [1]}))


texts = st.lists(
    st.lists(
        st.sampled_from(["fix", "tank", "pump", "because", "of", "led", "to", ",", "oxygen", "大学", "\n"]), max_size=8
    ).map(" ".join),
    max_size=12,
)


@settings(deadline=None)
@given(texts, st.randoms())
def test_links_are_the_same_in_any_order_of_dated_rows_and_keep_their_bounds(words, random):
    records = [
        {"id": f"m{n:02}", "text": text + ".", "occurred_start": f"2024-01-{n + 1:02}T00:00Z"}
        for n, text in enumerate(words)
    ]
    options = {"clause_floor": 0.0, "repair_floor": 0.0}
    found = links(records, **options)
    random.shuffle(records)
    assert links(records, **options) == found
    for (source, relation, target), row in found.items():
        assert source != target
        assert 0 < row["weight"] <= 1
        assert (source > target) == (relation == "caused_by")


def test_links_of_a_callers_extractor_are_checked_and_keep_their_origin():
    memories = pa.table({"id": ["a", "b", "c"]})

    def chain(table):
        ids = table["id"].to_pylist()
        return pa.table({"source": ids[1:], "target": ids[:-1], "relation": ["caused_by"] * (len(ids) - 1)})

    assert isinstance(chain, LinkExtractor)
    found = extracted_links(memories, [chain])
    assert found.to_pylist()[0] == {
        "source": "b",
        "target": "a",
        "relation": "caused_by",
        "weight": 1.0,
        "origin": "extractor",
    }
    named = (
        chain(memories).append_column("origin", pa.array(["model", None])).append_column("weight", pa.array([0.5, 2]))
    )
    assert extracted_links(memories, [lambda _: named])["origin"].to_pylist() == ["model", "extractor"]
    assert extracted_links(memories, []).num_rows == 0
    for change, kind in (
        ({"source": ["b", "x"]}, UnknownIdError),
        ({"source": ["a", "b"]}, InvalidValueError),
        ({"weight": [1.0, -1.0]}, InvalidValueError),
        ({"weight": [1.0, float("nan")]}, InvalidValueError),
        ({"weight": ["a", "b"]}, InvalidTypeError),
    ):
        bad = pa.table({"source": ["b", "c"], "target": ["a", "b"], "relation": ["causes", "causes"], **change})
        with pytest.raises(kind):
            extracted_links(memories, [lambda _, bad=bad: bad])
    with pytest.raises(InvalidTypeError, match="table"):
        extracted_links(memories, [lambda _: []])
    with pytest.raises(UnknownIdError, match="relation"):
        extracted_links(memories, [lambda _: pa.table({"source": ["a"], "target": ["b"]})])
