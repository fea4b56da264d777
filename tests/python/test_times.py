"""Times at the edge: every form becomes the same microseconds, and nothing is guessed."""

from datetime import UTC, date, datetime, timedelta, timezone

import pyarrow as pa
import pytest

from timewalk import InvalidTypeError, InvalidValueError, _core
from timewalk.times import from_micros, to_micros, zone


@pytest.mark.parametrize(
    "time",
    [
        datetime(2024, 5, 1, tzinfo=UTC),
        datetime(2024, 5, 1, 8, tzinfo=timezone(timedelta(hours=8))),
        datetime(2024, 5, 1),
        date(2024, 5, 1),
        "2024-05",
        "2024-05-01",
        "2024-05-01T00:00:00Z",
        "2024-05-01T08:00:00+08:00",
    ],
)
def test_every_form_of_one_instant_is_the_same(time):
    assert to_micros(time) == 1_714_521_600_000_000
    assert from_micros(to_micros(time)) == datetime(2024, 5, 1, tzinfo=UTC)


def test_a_naive_day_belongs_to_the_named_zone():
    assert to_micros("2024-05-01", tz="+08:00") == to_micros("2024-04-30T16:00:00Z")
    assert to_micros(date(2024, 5, 1), tz="Europe/Berlin") == to_micros("2024-04-30T22:00:00Z")
    column = _core.micros(pa.array(["2024-05-01", None]), tz="Europe/Berlin")
    assert column.to_pylist() == [to_micros("2024-04-30T22:00:00Z"), None]


def test_numbers_are_refused_because_their_unit_would_be_a_guess():
    with pytest.raises(InvalidTypeError):
        to_micros(1_714_521_600)
    for values in (pa.array([1_714_521_600]), pa.array([1.7e9], pa.float32())):
        with pytest.raises(InvalidTypeError) as caught:
            _core.micros(values, column="created_at")
        assert caught.value.column == "created_at"


def test_bad_strings_name_row_and_column():
    with pytest.raises(InvalidValueError, match="row 1") as caught:
        _core.micros(pa.array(["2024-05-01", "soon"]), column="created_at")
    assert (caught.value.column, caught.value.row) == ("created_at", 1)
    with pytest.raises(ValueError, match="soon"):
        to_micros("soon")
    with pytest.raises(InvalidValueError, match="Mars"):
        zone("Mars/Olympus")
    with pytest.raises(InvalidValueError, match="Mars"):
        _core.micros(pa.array(["2024"]), tz="Mars/Olympus")


def test_chunked_and_sliced_columns_are_read_whole():
    stamps = pa.array([0, 1, 2, 3], pa.timestamp("s", "UTC"))
    chunked = pa.chunked_array([stamps.slice(1, 2), stamps.slice(3)])
    assert _core.micros(chunked).to_pylist() == [1_000_000, 2_000_000, 3_000_000]
    assert _core.micros(pa.chunked_array([], pa.timestamp("ns"))).to_pylist() == []
