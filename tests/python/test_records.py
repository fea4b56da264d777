"""Records of every form become one table, or none of them does and the error names the place."""

import contextlib
import json
import os
import random
import time
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timewalk import InvalidTypeError, InvalidValueError, TimewalkError
from timewalk.ingest.records import to_table
from timewalk.ingest.schema import SCHEMA

NOW = datetime(2026, 7, 17, 12, tzinfo=UTC)


def table(records, **options):
    return to_table(records, **{"now": NOW, **options})


def only(record, **options):
    return table(record, **options).to_pylist()[0]


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def test_a_text_is_all_that_is_needed():
    row = only({"text": "The tank was dropped"})
    assert row["namespace"] == "default"
    assert row["created_at"] == NOW
    assert row["metadata"] == "{}"
    assert len(row["id"]) == 32
    assert row["occurred_start"] is row["embedding"] is row["entities"] is None
    for empty in ([], {}.values(), pa.table({"text": pa.array([], pa.string())}), pd.DataFrame(), pl.DataFrame()):
        assert table(empty).equals(SCHEMA.empty_table())


RECORDS = [
    {
        "id": "a",
        "text": "Tank dropped",
        "tags": ["apollo", "tank"],
        "occurred_start": utc(1968, 10, 1),
        "occurred_end": None,
        "embedding": [1.0, 0.5],
        "causes": ["b"],
        "recent_accesses": [utc(2026, 1, 1), utc(2026, 2, 1)],
        "historical_count": 7,
        "files": ["log.txt"],
        "level": 3,
    },
    {
        "id": "b",
        "text": "北京大学 explodes",
        "tags": None,
        "occurred_start": utc(1970, 4, 14, 3, 8),
        "occurred_end": utc(1970, 4, 14, 4),
        "embedding": None,
        "causes": None,
        "recent_accesses": None,
        "historical_count": None,
        "files": None,
        "level": 4,
    },
]


def arrow_variants():
    plain = pa.Table.from_pylist(RECORDS)
    yield plain
    yield plain.to_batches()[0]
    yield pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches())
    yield plain.to_struct_array().combine_chunks()
    yield pa.concat_tables([plain.slice(0, 1), plain.slice(1, 1)])
    yield pa.concat_tables([plain, plain]).slice(1, 2).take([1, 0])
    for kind, listed in ((pa.large_string(), pa.large_list), (pa.string_view(), pa.list_)):
        names = {"id": kind, "text": kind, "tags": listed(kind), "embedding": listed(pa.float64())}
        yield plain.cast(pa.schema([(field.name, names.get(field.name, field.type)) for field in plain.schema]))
    for name in ("id", "text"):
        plain = plain.set_column(plain.column_names.index(name), name, plain[name].dictionary_encode())
    yield plain.set_column(
        plain.column_names.index("occurred_start"),
        "occurred_start",
        plain["occurred_start"].cast(pa.timestamp("ns", "Asia/Tokyo")),
    )


def without_null_metadata(found):
    """Rows with the metadata parsed; a column has nulls where a mapping simply lacks the key."""
    return [
        {**row, "metadata": {key: value for key, value in json.loads(row["metadata"]).items() if value}}
        for row in found.to_pylist()
    ]


@pytest.mark.parametrize("form", [*arrow_variants(), pl.DataFrame(RECORDS), pd.DataFrame(RECORDS)])
def test_every_form_of_the_same_records_gives_the_same_table(form):
    expected = table(RECORDS)
    expected.validate(full=True)
    found = table(form)
    found.validate(full=True)
    assert found.schema == SCHEMA
    assert without_null_metadata(found) == without_null_metadata(expected)


def test_a_generator_and_one_mapping_are_records_too():
    assert table(record for record in RECORDS).equals(table(RECORDS))
    assert table(RECORDS[0]).equals(table(RECORDS[:1]))


@pytest.mark.parametrize(
    ("bad", "column", "kind"),
    [
        ({}, "text", InvalidValueError),
        ({"text": None}, "text", InvalidValueError),
        ({"text": "  \n\u3000"}, "text", InvalidValueError),
        ({"text": float("nan")}, "text", InvalidValueError),
        ({"text": 5}, "text", InvalidTypeError),
        ({"text": b"bytes"}, "text", InvalidTypeError),
        ({"text": ["a"]}, "text", InvalidTypeError),
        ({"text": "half \ud800"}, "text", InvalidValueError),
        ({"text": "x", "id": "good"}, "id", InvalidValueError),
        ({"text": "x", "id": 1.5}, "id", InvalidTypeError),
        ({"text": "x", "id": True}, "id", InvalidTypeError),
        ({"text": "x", "author": 3}, "author", InvalidTypeError),
        ({"text": "x", "occurred_start": "2024-05-02", "occurred_end": "2024-05-01"}, "occurred_end", ValueError),
        ({"text": "x", "occurred_start": utc(2024, 5, 2), "occurred_end": utc(2024, 5, 1)}, "occurred_end", ValueError),
        ({"text": "x", "occurred_start": 1_700_000_000}, "occurred_start", InvalidTypeError),
        ({"text": "x", "occurred_start": "soon"}, "occurred_start", InvalidValueError),
        ({"text": "x", "occurred_start": "2023-02-29"}, "occurred_start", InvalidValueError),
        ({"text": "x", "occurred_start": "2024-13"}, "occurred_start", InvalidValueError),
        ({"text": "x", "occurred_start": "9999"}, "occurred_start", InvalidValueError),
        ({"text": "x", "created_at": 1.7e9}, "created_at", InvalidTypeError),
        ({"text": "x", "mentioned_at": object()}, "mentioned_at", InvalidTypeError),
        ({"text": "x", "embedding": [1.0, float("nan")]}, "embedding", InvalidValueError),
        ({"text": "x", "embedding": [float("inf"), 1.0]}, "embedding", InvalidValueError),
        ({"text": "x", "embedding": [1e300, 1.0]}, "embedding", InvalidValueError),
        ({"text": "x", "embedding": [1.0]}, "embedding", InvalidValueError),
        ({"text": "x", "embedding": []}, "embedding", InvalidValueError),
        ({"text": "x", "embedding": [[1.0], [2.0]]}, "embedding", InvalidTypeError),
        ({"text": "x", "embedding": [[1.0], [2.0, 3.0]]}, "embedding", InvalidTypeError),
        ({"text": "x", "embedding": ["a", "b"]}, "embedding", InvalidTypeError),
        ({"text": "x", "embedding": [None, 1.0]}, "embedding", InvalidTypeError),
        ({"text": "x", "embedding": 5.0}, "embedding", InvalidTypeError),
        ({"text": "x", "historical_count": float("nan")}, "historical_count", InvalidValueError),
        ({"text": "x", "historical_count": -1}, "historical_count", InvalidValueError),
        ({"text": "x", "historical_count": 1.5}, "historical_count", InvalidValueError),
        ({"text": "x", "historical_count": 2**63}, "historical_count", InvalidValueError),
        ({"text": "x", "historical_count": "3"}, "historical_count", InvalidTypeError),
        ({"text": "x", "historical_count": True}, "historical_count", InvalidTypeError),
        ({"text": "x", "id": "me", "causes": ["you", "me"]}, "causes", InvalidValueError),
        ({"text": "x", "id": "me", "caused_by": "me"}, "caused_by", InvalidValueError),
        ({"text": "x", "causes": [None]}, "causes", InvalidValueError),
        ({"text": "x", "causes": 2.5}, "causes", InvalidTypeError),
        ({"text": "x", "tags": [["a"]]}, "tags", InvalidTypeError),
        ({"text": "x", "tags": {"a": 1}}, "tags", InvalidTypeError),
        ({"text": "x", "entities": [{"type": "person"}]}, "entities", InvalidTypeError),
        ({"text": "x", "entities": [" "]}, "entities", InvalidValueError),
        ({"text": "x", "entities": [7]}, "entities", InvalidTypeError),
        ({"text": "x", "recent_accesses": ["soon"]}, "recent_accesses", InvalidValueError),
        ({"text": "x", "recent_accesses": [None]}, "recent_accesses", InvalidValueError),
        ({"text": "x", "recent_accesses": [1]}, "recent_accesses", InvalidTypeError),
        ({"text": "x", "metadata": "[1]"}, "metadata", InvalidTypeError),
        ({"text": "x", "metadata": "{"}, "metadata", InvalidValueError),
        ({"text": "x", "metadata": 3}, "metadata", InvalidTypeError),
        ({"text": "x", "metadata": {"a": 1}, "a": 2}, "a", InvalidValueError),
        ({"text": "x", "note": float("nan")}, "note", InvalidValueError),
        ({"text": "x", "note": object()}, "note", InvalidTypeError),
        ({"text": "x", "metadata": {(1, 2): 3}}, "metadata", InvalidTypeError),
    ],
)
def test_bad_input_is_a_typed_error_with_row_and_column(bad, column, kind):
    good = {"id": "good", "text": "fine", "embedding": [0.0, 1.0]}
    with pytest.raises(kind) as caught:
        table([good, bad])
    assert isinstance(caught.value, TimewalkError)
    assert (caught.value.column, caught.value.row) == (column, 1)
    assert f"column '{column}'" in str(caught.value)
    assert "row 1" in str(caught.value)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("text", pa.array([1, 2])),
        ("id", pa.array([1.5, 2.5])),
        ("embedding", pa.array([[1.0], [1.0, 2.0]])),
        ("embedding", pa.array([[1.0], [None]])),
        ("embedding", pa.array([["a"], ["b"]])),
        ("embedding", pa.array([1.0, 2.0])),
        ("occurred_start", pa.array([1.0, 2.0], pa.float32())),
        ("occurred_start", pa.array([1, 2])),
        ("occurred_start", pa.array(["2024", "later"])),
        ("recent_accesses", pa.array([[], ["later"]])),
        ("recent_accesses", pa.array([[1], [2]])),
        ("historical_count", pa.array([1.0, float("nan")])),
        ("historical_count", pa.array(["a", "b"])),
        ("tags", pa.array([1, 2])),
        ("entities", pa.array([1, 2])),
        ("metadata", pa.array([1, 2])),
        ("blob", pa.array([b"a", b"b"])),
    ],
)
def test_bad_arrow_columns_are_typed_errors_that_name_the_column(column, values):
    columns = {"text": pa.array(["a", "b"]), column: values}
    with pytest.raises((InvalidTypeError, InvalidValueError), match=column) as caught:
        table(pa.table(columns))
    assert caught.value.column == column


def test_things_that_are_no_records_say_what_would_be():
    for wrong in ("a text", b"bytes", 5, None, object()):
        with pytest.raises(InvalidTypeError, match=r"dicts|mappings"):
            table(wrong)
    with pytest.raises(InvalidTypeError, match="row 1"):
        table([{"text": "a"}, "b"])
    with pytest.raises(InvalidTypeError, match="table"):
        table(pa.array([1, 2]))
    with pytest.raises(InvalidValueError, match="twice"):
        table(pa.table([pa.array(["a"]), pa.array(["b"])], names=["text", "text"]))
    with pytest.raises(InvalidValueError, match="Mars"):
        table({"text": "a", "occurred_start": "2024"}, tz="Mars/Olympus")


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ("1970", utc(1970, 1, 1), utc(1971, 1, 1)),
        ("1970-04", utc(1970, 4, 1), utc(1970, 5, 1)),
        ("1970-12", utc(1970, 12, 1), utc(1971, 1, 1)),
        ("1970-W15", utc(1970, 4, 6), utc(1970, 4, 13)),
        (" 1970-04-11 ", utc(1970, 4, 11), utc(1970, 4, 12)),
        ("19700411", utc(1970, 4, 11), utc(1970, 4, 12)),
        (date(1970, 4, 11), utc(1970, 4, 11), utc(1970, 4, 12)),
        (np.datetime64("1970-04"), utc(1970, 4, 1), utc(1970, 5, 1)),
        ("1970-04-11T00:00:00Z", utc(1970, 4, 11), None),
        (utc(1970, 4, 11), utc(1970, 4, 11), None),
        (datetime(1970, 4, 11), utc(1970, 4, 11), None),
        (pd.Timestamp("1970-04-11T13:13"), utc(1970, 4, 11, 13, 13), None),
        (np.datetime64("1970-04-11T13:13:00.123456789"), utc(1970, 4, 11, 13, 13, 0, 123456), None),
        ("", None, None),
        (None, None, None),
        (pd.NaT, None, None),
        (np.datetime64("NaT", "us"), None, None),
        (float("nan"), None, None),
    ],
)
def test_a_partial_date_is_the_whole_of_what_it_names(given, start, end):
    row = only({"text": "x", "occurred_start": given})
    assert (row["occurred_start"], row["occurred_end"]) == (start, end)
    # As an end, the same words mean the end of what they name, and stand alone for all of it.
    row = only({"text": "x", "occurred_end": given})
    assert (row["occurred_start"], row["occurred_end"]) == (start, end or start)


def test_dates_in_arrow_columns_are_days_of_the_named_zone():
    days = pa.table({"text": ["a", "b"], "occurred_start": pa.array([date(2024, 3, 31), None], pa.date32())})
    rows = table(days, tz="Europe/Berlin").to_pylist()
    # The clocks went forward on that day, so it is 23 hours long.
    assert rows[0]["occurred_start"] == utc(2024, 3, 30, 23)
    assert rows[0]["occurred_end"] == utc(2024, 3, 31, 22)
    assert rows[1]["occurred_start"] is rows[1]["occurred_end"] is None


@pytest.mark.parametrize("zone", ["+08:00", "Asia/Shanghai", timezone(timedelta(hours=8)), ZoneInfo("Asia/Shanghai")])
@pytest.mark.parametrize("arrow", [True, False])
def test_naive_times_are_read_in_the_zone_of_the_caller(zone, arrow):
    records = [
        {"text": "a", "occurred_start": "2024-05-01"},
        {"text": "b", "occurred_start": "2024-05-01T09:30"},
        {"text": "c", "occurred_start": "2024-05-01T09:30Z"},
    ]
    rows = table(pa.Table.from_pylist(records) if arrow else records, tz=zone).to_pylist()
    assert (rows[0]["occurred_start"], rows[0]["occurred_end"]) == (utc(2024, 4, 30, 16), utc(2024, 5, 1, 16))
    assert rows[1]["occurred_start"] == utc(2024, 5, 1, 1, 30)
    assert rows[2]["occurred_start"] == utc(2024, 5, 1, 9, 30)


def test_a_day_and_an_hour_within_it_are_in_order_and_an_interval_may_be_a_point():
    row = only({"text": "x", "occurred_start": "2024-05-01", "occurred_end": "2024-05-01"})
    assert (row["occurred_start"], row["occurred_end"]) == (utc(2024, 5, 1), utc(2024, 5, 2))
    moment = utc(2024, 5, 1, 9)
    row = only({"text": "x", "occurred_start": moment, "occurred_end": moment})
    assert row["occurred_start"] == row["occurred_end"] == moment


def test_mixed_kinds_of_time_in_one_column_are_fine():
    rows = table(
        [
            {"text": "a", "mentioned_at": "2024-05"},
            {"text": "b", "mentioned_at": date(2024, 5, 1)},
            {"text": "c", "mentioned_at": datetime(2024, 5, 1, 2, tzinfo=timezone(timedelta(hours=2)))},
            {"text": "d", "mentioned_at": None},
        ]
    )
    assert rows["mentioned_at"].to_pylist() == [utc(2024, 5, 1)] * 3 + [None]


def test_ids_are_made_of_content_and_the_same_on_every_run():
    records = [{"text": "yes", "thread": "t"}, {"text": "yes", "thread": "t"}, {"text": "yes", "thread": "u"}]
    first = table(records)["id"].to_pylist()
    assert first[1] == f"{first[0]}-2"
    assert len(set(first)) == 3
    later = table(records, now=NOW + timedelta(days=1))
    assert later["id"].to_pylist() == first
    # Stores out there hold this id: a change of the rule would ingest everything anew.
    assert first[0] == "6abae4ee96f10bfb72c3a7f2a3a27b0d"
    assert table({"text": "yes", "thread": "t", "color": "red"})["id"].to_pylist() == first[:1]
    for change in ({"namespace": "n"}, {"author": "a"}, {"occurred_start": "2024"}, {"text": "yes "}):
        assert table({"text": "yes", "thread": "t", **change})["id"][0].as_py() not in first


def test_ids_of_a_stream_do_not_depend_on_the_size_of_its_batches():
    records = [{"text": random.Random(n).choice("abc")} for n in range(30)]
    whole = table(records)["id"].to_pylist()
    for size in (1, 7, 30):
        seen = {}
        parts = [table(records[at : at + size], seen=seen)["id"].to_pylist() for at in range(0, 30, size)]
        assert [name for part in parts for name in part] == whole


def test_a_refused_batch_leaves_the_counts_of_the_stream_alone():
    seen = {}
    table({"text": "a"}, seen=seen)
    before = dict(seen)
    with pytest.raises(InvalidValueError):
        table([{"text": "a"}, {"text": "b", "id": "x"}, {"text": "c", "id": "x"}], seen=seen)
    assert seen == before


def test_integer_ids_become_decimal_strings():
    rows = table([{"id": 2**40, "text": "a", "causes": [7]}, {"id": np.int64(7), "text": "b"}]).to_pylist()
    assert [row["id"] for row in rows] == ["1099511627776", "7"]
    assert rows[0]["causes"] == ["7"]
    assert table(pa.table({"id": [1, 2], "text": ["a", "b"]}))["id"].to_pylist() == ["1", "2"]


def test_unknown_keys_join_the_metadata_and_come_back():
    given = {"color": "grün", "n": 3, "deep": {"a": [1, None, "x"]}, "flag": True, "none": None}
    row = only({"text": "x", "metadata": {"kept": 1.5}, **given})
    assert json.loads(row["metadata"]) == {"kept": 1.5, **given}
    again = only({"text": "x", "metadata": row["metadata"]})
    assert again["metadata"] == row["metadata"]
    # The same value in both places is no conflict.
    assert json.loads(only({"text": "x", "metadata": {"a": 1}, "a": 1})["metadata"]) == {"a": 1}


def test_values_that_json_lacks_take_a_readable_form():
    row = only(
        {
            "text": "x",
            "when": utc(2024, 5, 1),
            "day": date(2024, 5, 1),
            "n": np.int32(4),
            "array": np.arange(3),
            "set": {"b", "a"},
            "price": Decimal("1.50"),
        }
    )
    assert json.loads(row["metadata"]) == {
        "when": "2024-05-01T00:00:00+00:00",
        "day": "2024-05-01",
        "n": 4,
        "array": [0, 1, 2],
        "set": ["a", "b"],
        "price": "1.50",
    }


def test_metadata_of_structs_and_frames_keeps_only_what_is_there():
    nested = pa.table({"text": ["a", "b"], "metadata": pa.array([{"x": 1, "y": None}, None]), "k": pa.array([None, 2])})
    assert [json.loads(m) for m in table(nested)["metadata"].to_pylist()] == [{"x": 1}, {"k": 2}]
    frame = pd.DataFrame({"text": ["a", "b"], "metadata": [{"x": 1}, None], "k": [np.nan, 2.0]})
    assert [json.loads(m) for m in table(frame)["metadata"].to_pylist()] == [{"x": 1}, {"k": 2}]


def test_files_are_entities_and_stay_in_the_metadata():
    row = only({"text": "x", "files": ["a.py", "b.py"], "entities": ["a.py", {"name": "Maria", "type": "person"}]})
    assert row["entities"] == [
        {"name": "a.py", "type": None},
        {"name": "Maria", "type": "person"},
        {"name": "b.py", "type": "file"},
    ]
    assert json.loads(row["metadata"]) == {"files": ["a.py", "b.py"]}


def test_entities_of_one_key_are_one_and_keep_the_first_form():
    row = only({"text": "x", "entities": ["OpenAI", ("openai", "organisation"), " OpenAI ", "Room 101", "Room 102"]})
    assert row["entities"] == [
        {"name": "OpenAI", "type": "organisation"},
        {"name": "Room 101", "type": None},
        {"name": "Room 102", "type": None},
    ]


def test_lists_may_be_spelled_and_blanks_and_doubles_go():
    rows = table(
        [
            {"text": "a", "tags": "work"},
            {"text": "b", "tags": '["a", "b"]'},
            {"text": "c", "tags": ("x", "x", " ")},
            {"text": "d", "tags": {"z", "y"}},
            {"text": "e", "tags": "[not json"},
            {"text": "f", "tags": np.array(["p", "q"])},
        ]
    )
    assert rows["tags"].to_pylist() == [["work"], ["a", "b"], ["x"], ["y", "z"], ["[not json"], ["p", "q"]]
    arrow = pa.table({"text": ["a", "b"], "tags": [["x", "x"], ["", "y"]]})
    assert table(arrow)["tags"].to_pylist() == [["x"], ["y"]]


@pytest.mark.parametrize("kind", [pa.list_(pa.float16()), pa.list_(pa.float64()), pa.list_(pa.float32(), 2)])
def test_vectors_of_any_number_type(kind):
    vectors = pa.array(np.array([1, 2, 3, 4], np.float16), pa.float16()).cast(kind.value_type)
    if pa.types.is_fixed_size_list(kind):
        column = pa.FixedSizeListArray.from_arrays(vectors, 2)
    else:
        column = pa.ListArray.from_arrays([0, 2, 4], vectors)
    column = pa.concat_arrays([column, pa.nulls(1, column.type)]).slice(1)
    assert table(pa.table({"text": ["b", "c"], "embedding": column}))["embedding"].to_pylist() == [[3.0, 4.0], None]
    arrays = [
        {"text": "a", "embedding": np.array([1, 2], np.int8)},
        {"text": "b"},
        {"text": "c", "embedding": "[3, 4]"},
    ]
    assert table(arrays)["embedding"].to_pylist() == [[1.0, 2.0], None, [3.0, 4.0]]


def test_recent_accesses_keep_their_order_and_empty_lists():
    column = pa.array([["2024-05-01T08:00:00+08:00", "2024"], [], None, ["2025"]])
    whole = pa.table({"text": list("abcd"), "recent_accesses": column})
    expected = [[utc(2024, 5, 1), utc(2024, 1, 1)], [], None, [utc(2025, 1, 1)]]
    assert table(whole)["recent_accesses"].to_pylist() == expected
    assert table(whole.to_pylist())["recent_accesses"].to_pylist() == expected
    assert table(whole.slice(1))["recent_accesses"].to_pylist() == expected[1:]
    with pytest.raises(InvalidValueError, match="row 1") as caught:
        table(pa.table({"text": ["a", "b"], "recent_accesses": [["2024", "2025"], ["2024", "x"]]}))
    assert caught.value.row == 1


def test_a_named_index_of_a_frame_is_its_column():
    frame = pd.DataFrame({"id": ["x", "y"], "text": ["a", "b"]}).set_index("id")
    assert table(frame)["id"].to_pylist() == ["x", "y"]


def test_the_input_is_not_changed():
    records = [{"text": "a", "metadata": {"k": 1}, "extra": [1]}]
    copy = json.loads(json.dumps(records))
    table(records)
    assert records == copy


def test_reading_twelve_thousand_records_takes_under_a_second():
    records = [
        {
            "id": f"event-{n}",
            "text": f"Event {n} happened to the tank of the service module and was noted",
            "occurred_start": f"2014-06-02T12:{n % 60:02}:28Z",
            "files": ["lib/a.c", f"lib/{n}.c"],
        }
        for n in range(12_598)
    ]
    begin = time.process_time()
    assert table(records).num_rows == 12_598
    assert time.process_time() - begin < 1.0


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(st.sampled_from([*SCHEMA.names, "files", "other"]), values, max_size=5), max_size=4))
def test_no_input_does_anything_but_succeed_or_raise_our_errors(records):
    with contextlib.suppress(TimewalkError):
        found = table(records)
        found.validate(full=True)
        assert found.schema == SCHEMA
        assert table(found).equals(found)


@settings(deadline=None)
@given(
    st.lists(
        st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9998, 12, 29), timezones=st.just(UTC) | st.none()),
        max_size=5,
    )
)
def test_datetimes_strings_and_arrow_columns_agree(moments):
    records = [{"id": str(n), "text": "x", "occurred_start": moment} for n, moment in enumerate(moments)]
    found = table(records, tz="+05:30")["occurred_start"]
    spelled = [{**record, "occurred_start": record["occurred_start"].isoformat()} for record in records]
    assert table(spelled, tz="+05:30")["occurred_start"].equals(found)


@pytest.mark.skipif("TIMEWALK_DATA" not in os.environ, reason="TIMEWALK_DATA does not name the folder with the data")
def test_the_story_data_is_read_whole():
    from timewalk.ingest.readers import read

    path = os.path.join(os.environ["TIMEWALK_DATA"], "story", "events.jsonl.gz")
    if not os.path.exists(path):
        pytest.skip(f"{path} is absent")
    found = table(read(path))
    assert found.num_rows == 12_598
    assert found["occurred_start"].null_count == 0
