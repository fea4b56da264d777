"""Every public function of decay and re-ranking with arguments of every wrong kind: an answer, or a typed error."""

import dataclasses
import math
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

import timewalk as tw

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = [NOW - timedelta(days=1), NOW]
HIT = {
    "id": "a",
    "similarity": 0.5,
    "query": 1,
    "last_access": NOW,
    "recent_accesses": [NOW],
    "historical_count": 1,
    "created_at": NOW,
    "strength": 9.0,
    "stability": 9.0,
}
ODD = [
    *(None, True, 0, -1, 2**70, -(2**70), 1.5, -1e308, math.nan, math.inf, 1j),
    *("", "x", "a\0b", "\ud800", "1e999 d", "9" * 400 + "d", b"x", object(), object, len),
    *([], [1, 2], [None], ["x"], ["\ud800"], [2**70, 1], [[1]], [[None]], [[NOW], 5], (1,), ("x", 1)),
    *({}, {"a": 1}, set(), range(2), iter([1])),
    *(date(1, 1, 1), datetime(1, 1, 1), datetime.max.replace(tzinfo=UTC)),
    *(timedelta.max, timedelta.min, ZoneInfo("Asia/Tokyo")),
    *(np.float64("nan"), np.datetime64("NaT"), np.datetime64("9999999-01-01"), np.timedelta64("NaT")),
    *(np.array(5), np.zeros((2, 2)), np.zeros(2, complex), np.array(["x"], dtype=object), np.zeros(2, "float32")),
    *(pa.array(["x", "y"]), pa.array([1.5, None]), pa.nulls(2), pa.scalar(1), pa.array([{"a": 1}] * 2)),
    *(pa.chunked_array([], pa.int64()), pa.table({"a": [1]})),
    *(tw.Column("strength"), tw.HalfLife(1)),
]

FUNCTIONS = {
    "half_life": (tw.half_life, {"last_access": TIMES, "now": NOW, "half_life": "1d"}),
    "ebbinghaus": (tw.ebbinghaus, {"last_access": TIMES, "now": NOW, "strength": "1d", "floor": 0.1}),
    "power_law": (tw.power_law, {"last_access": TIMES, "now": NOW, "stability": "1d", "decay": 0.5, "factor": 0.2}),
    "gauss": (tw.gauss, {"values": TIMES, "now": NOW, "scale": "1d", "offset": 0.0, "decay": 0.5}),
    "exp": (tw.exp, {"values": [1.0, 2.0], "origin": 0.0, "scale": 1.0, "offset": 0.0, "decay": 0.5}),
    "linear": (tw.linear, {"values": TIMES, "origin": NOW, "scale": "1d", "offset": "1h", "decay": 0.5}),
    "actr": (
        tw.actr,
        {
            "recent_accesses": [TIMES, TIMES],
            "now": NOW,
            "historical_count": [2, 3],
            "created_at": TIMES,
            "decay": 0.5,
            "min_age": 1.0,
        },
    ),
    "rerank": (
        tw.rerank,
        {
            "hits": [HIT, HIT | {"id": "b"}],
            "engine": tw.ACTR(),
            "now": NOW,
            "k": 1,
            "group_by": "query",
            "similarity": "similarity",
            "semantic_weight": 1.0,
            "temporal_weight": 1.0,
            "distance": None,
            "normalize": None,
            "normalize_temporal": None,
            "floor": 0.0,
            "missing": "last",
            "noise": 0.1,
            "seed": 1,
            "id": "id",
            "prefix": "",
        },
    ),
    "rerank_table": (
        tw.rerank,
        {
            "hits": pa.Table.from_pylist([HIT, HIT]),
            "engine": tw.HalfLife("1d"),
            "now": NOW,
            "k": 1,
            "group_by": "query",
            "similarity": "similarity",
            "semantic_weight": 1.0,
            "temporal_weight": 1.0,
            "id": "id",
            "prefix": "",
            "output": None,
        },
    ),
    "touch": (
        tw.touch,
        {
            "payloads": [HIT],
            "now": NOW,
            "keep": 3,
            "form": "same",
            "last_access": "last_access",
            "recent_accesses": "recent_accesses",
            "historical_count": "historical_count",
        },
    ),
    "fuse": (tw.fuse, {"rankings": [["a", "b"], ["b"]], "method": "rrf", "k": 60, "weights": [1.0, 2.0]}),
    "fuse_scores": (
        tw.fuse,
        {"rankings": {"x": {"a": 1.0}, "y": [("b", 1.0)]}, "method": "zscore", "weights": {"x": 1.0}},
    ),
    "Column": (tw.Column, {"name": "strength", "unit": "s"}),
    "from_dict": (tw.Engine.from_dict, {"config": {"engine": "half_life", "half_life": "1d"}}),
}
COMMON = {"tz": "UTC", "unit": None, "dtype": "float64", "threads": None}


def calls():
    for name, (function, fine) in FUNCTIONS.items():
        taken = getattr(function, "__kwdefaults__", None) or {}
        fine = fine | {key: value for key, value in COMMON.items() if key in taken}
        for key in fine:
            yield pytest.param(function, fine, key, id=f"{name}-{key}")


def tried(function, arguments):
    """Whether it answers; an error that is not timewalk's own goes through."""
    try:
        function(**arguments)
    except tw.TimewalkError:
        return False
    return True


@pytest.mark.parametrize(("function", "fine", "key"), list(calls()))
def test_an_odd_argument_is_answered_or_named(function, fine, key):
    assert tried(function, fine)
    for odd in ODD:
        tried(function, fine | {key: odd})


ENGINES = [
    tw.HalfLife("1d"),
    tw.Ebbinghaus("1d", floor=0.1),
    tw.PowerLaw("1d", factor=0.2),
    tw.ACTR(),
    tw.Gauss("1d"),
    tw.Exp("1d", origin=NOW),
    tw.Linear(2.0, values="strength", origin=1.0),
]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.kind)
def test_an_odd_parameter_of_an_engine_is_answered_or_named(engine):
    assert tried(tw.rerank, {"hits": [HIT], "engine": engine, "now": NOW})
    for field in dataclasses.fields(engine):
        for odd in ODD:
            tried(lambda f=field.name, o=odd: tw.rerank([HIT], dataclasses.replace(engine, **{f: o}), now=NOW), {})
            tried(type(engine).from_dict, {"config": {"engine": engine.kind, field.name: odd}})


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.kind)
@pytest.mark.parametrize("key", HIT)
def test_an_odd_value_in_a_hit_is_answered_or_named(engine, key):
    for odd in ODD:
        for hits in ([HIT, HIT | {key: odd}], [HIT | {key: odd}] * 2):
            tried(tw.rerank, {"hits": hits, "engine": engine, "now": NOW, "group_by": "query"})
            if key in ("last_access", "recent_accesses", "historical_count"):
                tried(tw.touch, {"payloads": hits, "now": NOW})


@pytest.mark.parametrize("key", HIT)
def test_an_odd_column_is_answered_or_named(key):
    for odd in ODD:
        if isinstance(odd, pa.Array | pa.ChunkedArray) and len(odd) == 2:
            hits = pa.table({name: odd if name == key else [value] * 2 for name, value in HIT.items()})
            for engine in ENGINES:
                tried(tw.rerank, {"hits": hits, "engine": engine, "now": NOW, "group_by": "query"})
