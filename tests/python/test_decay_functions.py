"""The decay functions: what goes in, nulls, units, zones, parameters as columns, bad input."""

import itertools
import math
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import timewalk as tw
from timewalk.decay import simd

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
STAMP = pa.timestamp("us", tz="UTC")


def weights(times, **options):
    return tw.half_life(times, **{"now": NOW, "half_life": DAY, **options}).to_pylist()


COLUMNS = [
    [NOW - DAY, None, NOW - 2 * DAY],
    ["2025-12-31T00:00:00Z", None, "2025-12-30"],
    [date(2025, 12, 31), None, date(2025, 12, 30)],
    [(NOW - DAY).replace(tzinfo=None), None, (NOW - 2 * DAY).astimezone(timezone(timedelta(hours=8)))],
    np.array(["2025-12-31", "NaT", "2025-12-30"], "datetime64[s]"),
    np.array(["2025-12-31", "NaT", "2025-12-30"], "datetime64[ns]"),
    np.array(["2025-12-31", "NaT", "2025-12-30"], "datetime64[D]"),
    pd.Series(pd.to_datetime(["2025-12-31", None, "2025-12-30"], utc=True)),
    pl.Series([NOW - DAY, None, NOW - 2 * DAY]),
    pa.array(["2025-12-31", None, "2025-12-30"]).dictionary_encode(),
    pa.array([date(2025, 12, 31), None, date(2025, 12, 30)]),
    pa.chunked_array([[NOW - DAY], [None, NOW - 2 * DAY]], STAMP),
    pa.array([NOW, NOW - DAY, None, NOW - 2 * DAY], STAMP).slice(1),
    *[
        pa.array([NOW - DAY, None, NOW - 2 * DAY], pa.timestamp(unit, tz="Asia/Tokyo"))
        for unit in ("s", "ms", "us", "ns")
    ],
]


@pytest.mark.parametrize("times", COLUMNS, ids=lambda times: type(times).__name__)
def test_times_of_any_type(times):
    assert weights(times) == [0.5, None, 0.25]
    out = tw.half_life(times, now=NOW, half_life=DAY)
    assert isinstance(out, pa.DoubleArray)
    assert np.isnan(out.to_numpy(zero_copy_only=False)[1])
    assert np.asarray(tw.half_life(pa.array([NOW], STAMP), now=NOW, half_life=DAY)).dtype == np.float64


def test_integer_epochs_need_a_unit_and_floats_never_pass():
    seconds = np.array([1767139200, 1767052800])
    assert weights(seconds, unit="s") == [0.5, 0.25]
    assert weights(pa.array(seconds * 1000, pa.uint64()), unit="ms") == [0.5, 0.25]
    assert weights(pa.array(seconds, pa.int32()).dictionary_encode(), unit="s") == [0.5, 0.25]
    lists = pa.array([[1767139200], [1767052800]])
    assert tw.actr(lists, now=NOW, decay=1.0, unit="s").to_pylist() == pytest.approx(
        [-math.log(86400), -math.log(172800)]
    )
    for times in (seconds, seconds.astype("f4"), seconds.astype("f8")):
        with pytest.raises(tw.InvalidTypeError, match="last_access"):
            weights(times)
    with pytest.raises(tw.InvalidTypeError):
        weights(seconds.astype("f8"), unit="s")
    with pytest.raises(tw.InvalidTypeError, match="list"):
        tw.actr(seconds, now=NOW, unit="s")


def test_now_may_be_any_time():
    for now in (NOW, "2026-01-01", "2026-01-01T08:00:00+08:00", date(2026, 1, 1), np.datetime64("2026-01-01")):
        assert weights([NOW - DAY], now=now) == [0.5]
    assert weights([datetime(2025, 12, 31, 8)], now=datetime(2026, 1, 1, 8), tz="Asia/Tokyo") == [0.5]
    assert weights([datetime(2025, 12, 31, 9)], now=NOW, tz="Asia/Tokyo") == [0.5]
    with pytest.raises(tw.InvalidTypeError):
        weights([NOW], now=1767225600)


@pytest.mark.parametrize(
    "span", [DAY, 86_400, 86_400.0, "1d", "24h", "12 h 720 min", "P1D", "PT24H", np.timedelta64(1, "D")], ids=str
)
def test_spans(span):
    assert weights([NOW - DAY], half_life=span) == [0.5]


@pytest.mark.parametrize(
    "span",
    [
        pa.array([86_400, None, 172_800]),
        pa.array([DAY, None, 2 * DAY]),
        np.array([86_400.0, 86_400.0, 172_800.0], "f4"),
        [DAY, None, 172_800.0],
        pl.Series([DAY, None, 2 * DAY]),
    ],
    ids=lambda span: type(span).__name__,
)
def test_parameters_may_be_columns(span):
    assert weights([NOW - DAY, None, NOW - DAY], half_life=span) == [0.5, None, pytest.approx(2**-0.5)]


def test_other_engines_with_columns():
    times = [NOW - DAY, NOW - 2 * DAY]
    out = tw.ebbinghaus(times, now=NOW, strength=[DAY, DAY], floor=[0.0, 0.5]).to_pylist()
    assert out == pytest.approx([math.exp(-1), 0.5 + 0.5 * math.exp(-2)], rel=1e-15)
    out = tw.power_law(times, now=NOW, stability=[DAY, 2 * DAY], decay=[0.5, 0.1542]).to_pylist()
    assert out == pytest.approx([0.9, 0.9], rel=1e-15)
    assert tw.power_law(times, now=NOW, stability=DAY, decay=1.0, factor=1.0).to_pylist() == [0.5, 1 / 3]
    out = tw.gauss([1.0, 2.0], origin=0.0, scale=[1.0, 2.0], decay=[0.3, 0.7]).to_pylist()
    assert out == [0.3, 0.7]
    lists = [[NOW - DAY], [NOW - DAY]]
    out = tw.actr(lists, now=NOW, decay=[0.0, 1.0]).to_pylist()
    assert out == pytest.approx([0.0, -math.log(86_400)])


def test_curves_over_times_and_numbers():
    assert tw.exp([NOW - DAY, NOW + DAY], now=NOW, scale=DAY, decay=0.3).to_pylist() == [0.3, 1.0]
    assert tw.exp([NOW - DAY, NOW + DAY], origin=NOW, scale=DAY, decay=0.3).to_pylist() == [0.3, 0.3]
    assert tw.linear([0.0, 1.0, 2.0, 3.0, None], origin=1.0, scale=1.0).to_pylist() == [0.5, 1.0, 0.5, 0.0, None]
    assert tw.gauss([5.0], origin=1.0, scale=3.0, offset=1.0, decay=0.1).to_pylist() == [0.1]
    with pytest.raises(tw.InvalidTypeError, match=r"origin= .* or now="):
        tw.gauss([NOW], scale=DAY)
    with pytest.raises(tw.InvalidTypeError, match="number"):
        tw.gauss([NOW], origin=1.0, scale=1.0)
    with pytest.raises(tw.InvalidValueError, match=r"column 'values', row 1"):
        tw.gauss([1.0, math.inf], origin=1.0, scale=1.0)


def test_weight_rises_with_strength_and_falls_with_age():
    ages = [NOW - n * DAY for n in range(100)]
    for strength in (DAY, 5 * DAY, 50 * DAY):
        falling = tw.ebbinghaus(ages, now=NOW, strength=strength).to_pylist()
        assert all(a > b for a, b in itertools.pairwise(falling))
    rising = tw.ebbinghaus([NOW - DAY] * 99, now=NOW, strength=[n * DAY for n in range(1, 100)]).to_pylist()
    assert all(a < b for a, b in itertools.pairwise(rising))


def test_actr_policy_for_missing_data():
    recent = [[NOW - DAY], [], None, [None], [NOW - DAY, None], []]
    out = tw.actr(recent, now=NOW).to_pylist()
    alone = -0.5 * math.log(86_400)
    assert out == [pytest.approx(alone), None, None, None, pytest.approx(alone), None]
    created = [NOW - 10 * DAY] * 5 + [None]
    out = tw.actr(recent, now=NOW, historical_count=[1, 4, 4, 4, None, 4], created_at=created).to_pylist()
    optimised = math.log(4 / 0.5) - 0.5 * math.log(864_000)
    expected = [alone, optimised, None, optimised, alone, None]
    assert out == [x if x is None else pytest.approx(x, rel=1e-14) for x in expected]
    # A count below the recent accesses, a creation after them, an access in the future: nothing breaks.
    odd = tw.actr([[NOW - DAY] * 3], now=NOW, historical_count=[1], created_at=[NOW + DAY]).to_pylist()
    assert odd == pytest.approx([math.log(3) + alone], rel=1e-14)
    assert tw.actr([[NOW + DAY]], now=NOW, min_age=10).to_pylist() == pytest.approx([-0.5 * math.log(10)])


def test_actr_leaves_no_range():
    ages = [[NOW - timedelta(days=3650)] * 3]
    assert tw.actr(ages, now=NOW, decay=500.0).to_pylist() == pytest.approx([math.log(3) - 500 * math.log(315_360_000)])
    tiny = tw.actr([[NOW - timedelta(microseconds=1)]], now=NOW, decay=500.0, min_age=1e-6).to_pylist()
    assert tiny == pytest.approx([-500 * math.log(1e-6)])


def test_list_columns_of_any_layout():
    rows = [[NOW - DAY, NOW - 2 * DAY], [NOW - DAY, NOW - DAY]]
    plain = pa.array(rows, pa.list_(STAMP))
    expected = tw.actr(plain, now=NOW).to_pylist()
    for column in (
        plain.cast(pa.large_list(STAMP)),
        plain.cast(pa.list_(STAMP, 2)),
        plain.cast(pa.list_(pa.timestamp("ns", "UTC"))),
        pa.chunked_array([plain.slice(0, 1), plain.slice(1, 1)]),
        pa.array([[], *rows], pa.list_(STAMP)).slice(1),
        pl.Series(rows),
        rows,
        [[time.isoformat() for time in row] for row in rows],
        pa.array([[time.isoformat() for time in row] for row in rows]),
    ):
        assert tw.actr(column, now=NOW).to_pylist() == expected
    broken = pa.array([["2025-01-01"], ["2025-01-01", "soon"]])
    with pytest.raises(tw.InvalidValueError, match=r"column 'recent_accesses', row 1") as caught:
        tw.actr(broken, now=NOW)
    assert caught.value.row == 1


def test_float32():
    times = pa.array([NOW - n * DAY for n in range(200)], STAMP)
    double = tw.half_life(times, now=NOW, half_life=DAY).to_numpy()
    single = tw.half_life(times, now=NOW, half_life=DAY, dtype="float32")
    assert single.type == pa.float32()
    np.testing.assert_allclose(single.to_numpy(), double, rtol=1.2e-7, atol=1e-38)
    lists = [[NOW - n * DAY] for n in range(1, 200)]
    assert tw.actr(lists, now=NOW, dtype="float32").to_numpy() == pytest.approx(tw.actr(lists, now=NOW).to_numpy())


def test_nothing_in_nothing_out():
    assert weights([]) == []
    assert weights(pa.array([], STAMP)) == []
    assert weights(pa.nulls(2)) == [None, None]
    assert tw.actr([], now=NOW).to_pylist() == []
    assert tw.actr(pa.nulls(2), now=NOW).to_pylist() == [None, None]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: weights([NOW], half_life=0), tw.InvalidValueError, "half_life must be above 0"),
        (lambda: weights([NOW], half_life=-DAY), tw.InvalidValueError, "half_life"),
        (lambda: weights([NOW], half_life=math.nan), tw.InvalidValueError, "half_life"),
        (lambda: weights([NOW], half_life=math.inf), tw.InvalidValueError, "half_life"),
        (lambda: weights([NOW], half_life="1 month"), tw.InvalidValueError, "month"),
        (lambda: weights([NOW], half_life=None), tw.InvalidTypeError, "half_life"),
        (lambda: weights([NOW], half_life=True), tw.InvalidTypeError, "half_life"),
        (lambda: weights([NOW, NOW], half_life=[1.0, 0.0]), tw.InvalidValueError, "column 'half_life', row 1"),
        (lambda: weights([NOW, NOW], half_life=[1.0]), tw.InvalidValueError, "1 rows"),
        (lambda: weights([NOW, "soon"]), tw.InvalidValueError, "soon"),
        (lambda: weights([NOW, 5]), tw.InvalidTypeError, "row 1"),
        (lambda: weights("2025"), tw.InvalidTypeError, "column of times"),
        (lambda: weights(NOW), tw.InvalidTypeError, "column of times"),
        (lambda: weights([NOW], dtype="float16"), tw.InvalidValueError, "dtype"),
        (lambda: weights([NOW], threads=0), tw.InvalidValueError, "threads"),
        (lambda: weights([NOW], unit="days"), tw.InvalidValueError, "days"),
        (lambda: weights([NOW], tz="Mars"), tw.InvalidValueError, "Mars"),
        (lambda: tw.ebbinghaus([NOW], now=NOW, strength=0), tw.InvalidValueError, "strength"),
        (lambda: tw.ebbinghaus([NOW], now=NOW, strength=1, floor=1.0), tw.InvalidValueError, "floor"),
        (lambda: tw.power_law([NOW], now=NOW, stability=0), tw.InvalidValueError, "stability"),
        (lambda: tw.power_law([NOW], now=NOW, stability=1, decay=-0.5), tw.InvalidValueError, "without its sign"),
        (lambda: tw.gauss([1.0], origin=0, scale=0), tw.InvalidValueError, "scale"),
        (lambda: tw.gauss([1.0], origin=0, scale=1, decay=1.0), tw.InvalidValueError, "decay"),
        (lambda: tw.gauss([1.0], origin=0, scale=1, offset=-1), tw.InvalidValueError, "offset"),
        (lambda: tw.actr([[NOW]], now=NOW, decay=-1), tw.InvalidValueError, "decay"),
        (lambda: tw.actr([[NOW]], now=NOW, min_age=0), tw.InvalidValueError, "min_age"),
        (lambda: tw.actr([NOW], now=NOW), tw.InvalidTypeError, "row 0"),
        (lambda: tw.actr([[NOW]], now=NOW, historical_count=[1, 2]), tw.InvalidValueError, "historical_count"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_variable_for_the_instruction_set_is_checked():
    assert simd() in ("scalar", "neon", "avx2", "avx512")
    program = "import timewalk as tw; tw.half_life(['2025-01-01'], now='2026-01-01', half_life='1d')"
    environment = {**os.environ, "TIMEWALK_SIMD": "mmx"}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "TIMEWALK_SIMD=mmx cannot run here" in ran.stderr


def test_a_child_process_after_a_fork_has_threads_of_its_own():
    times = pa.array(np.arange(300_000), pa.timestamp("s", tz="UTC"))
    expected = weights(times, threads=2)[:3]
    program = (
        "import os, sys, numpy as np, pyarrow as pa, timewalk as tw\n"
        "times = pa.array(np.arange(300_000), pa.timestamp('s', tz='UTC'))\n"
        "run = lambda: tw.half_life(times, now='2026-01-01', half_life='1d', threads=2)\n"
        "before = run()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if run().equals(before) else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0
    assert len(expected) == 3
