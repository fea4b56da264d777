"""rerank: formulas, order, missing data, kinds of hits, bad input."""

import math
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import timewalk as tw
from timewalk import testing

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def hit(id, similarity, days=None, **more):
    return {"id": id, "similarity": similarity, "last_access": None if days is None else NOW - days * DAY, **more}


def ids(hits):
    return [one["id"] for one in hits]


def test_score_is_similarity_times_weight():
    hits = [hit("old", 0.9, 60), hit("new", 0.5, 0), hit("mid", 0.6, 30)]
    out = tw.rerank(hits, tw.HalfLife("30d"), now=NOW)
    assert ids(out) == ["new", "mid", "old"]
    assert [one["score"] for one in out] == [0.5, 0.3, 0.225]
    assert [one["temporal_weight"] for one in out] == [1.0, 0.5, 0.25]
    assert [one["similarity_used"] for one in out] == [0.5, 0.6, 0.9]
    assert "score" not in hits[0]


def test_actr_adds():
    hits = [
        {"id": "a", "similarity": 0.5, "recent_accesses": [NOW - timedelta(hours=1)]},
        {"id": "b", "similarity": 0.9, "recent_accesses": [NOW - 30 * DAY]},
    ]
    out = tw.rerank(hits, tw.ACTR(), now=NOW, semantic_weight=2.0, temporal_weight=0.25)
    expected = {"a": 0.25 * -0.5 * math.log(3600) + 1.0, "b": 0.25 * -0.5 * math.log(30 * 86400) + 1.8}
    assert {one["id"]: pytest.approx(one["score"], rel=1e-14) for one in out} == expected


def test_weights_of_factors_are_exponents_and_keep_the_sign():
    out = tw.rerank(
        [hit("a", -0.25, 30), hit("b", 0.25, 30)], tw.HalfLife("30d"), now=NOW, semantic_weight=0.5, temporal_weight=2
    )
    assert {one["id"]: one["score"] for one in out} == {"a": -0.125, "b": 0.125}


def test_engines_combine_in_any_order():
    hits = [hit(f"m{day}", 1 - day / 100, day, stability=86400.0 * (day + 1)) for day in range(40)]
    engines = [tw.HalfLife("10d"), tw.PowerLaw(), tw.Gauss("20d")]
    results = [tw.rerank(hits, order, now=NOW) for order in (engines, engines[::-1], [engines[1], *engines[::2]])]
    assert results[0] == results[1] == results[2]
    alone = [{one["id"]: one["temporal_weight"] for one in tw.rerank(hits, e, now=NOW)} for e in engines]
    for one in results[0]:
        assert one["temporal_weight"] == pytest.approx(math.prod(weights[one["id"]] for weights in alone), rel=1e-15)
    mixed = [tw.ACTR(recent_accesses="accesses"), tw.HalfLife("10d")]
    out = tw.rerank([hit("a", 0.5, 10, accesses=[NOW - 10 * DAY])], mixed, now=NOW)
    assert out[0]["temporal_weight"] == pytest.approx(-0.5 * math.log(864_000) + math.log(0.5), rel=1e-14)


def test_rows_without_times_come_after_all_scored_rows_by_similarity():
    hits = [hit("none", 0.99), hit("worst", -0.9, 400), hit("none2", 0.995), hit("nothing", None), hit("no", None, 1)]
    out = tw.rerank(hits, tw.HalfLife("1d"), now=NOW)
    assert ids(out) == ["worst", "none2", "none", "no", "nothing"]
    assert [one["score"] for one in out[1:]] == [None] * 4
    assert ids(tw.rerank(hits, tw.HalfLife("1d"), now=NOW, missing="drop")) == ["worst", "no"]
    weighed = tw.rerank(hits, tw.HalfLife("1d"), now=NOW, missing=0.5)
    assert ids(weighed)[:2] == ["none2", "none"]
    assert weighed[0]["score"] == 0.4975
    with pytest.raises(tw.InvalidValueError, match=r"column 'last_access', row 0"):
        tw.rerank(hits, tw.HalfLife("1d"), now=NOW, missing="error")


def test_equal_scores_go_by_id_and_then_by_position():
    hits = [hit("b", 0.5, 1), hit("a", 0.5, 1), hit("c", 0.5, 1)]
    assert ids(tw.rerank(hits, tw.HalfLife("1d"), now=NOW)) == ["a", "b", "c"]
    bare = [{"similarity": 0.5, "last_access": NOW, "n": n} for n in range(5)]
    assert [one["n"] for one in tw.rerank(bare, tw.HalfLife("1d"), now=NOW)] == [0, 1, 2, 3, 4]
    numbered = [hit(10, 0.5, 1), hit(9, 0.5, 1)]
    assert ids(tw.rerank(numbered, tw.HalfLife("1d"), now=NOW)) == [9, 10]


def test_two_fresh_hits_differ_in_the_last_digit():
    hits = [
        {"id": "a", "similarity": 1.0, "last_access": NOW - timedelta(microseconds=2)},
        {"id": "b", "similarity": 1.0, "last_access": NOW - timedelta(microseconds=1)},
    ]
    out = tw.rerank(hits, tw.HalfLife(60.0), now=NOW)
    assert ids(out) == ["b", "a"]
    assert 1.0 > out[0]["score"] > out[1]["score"]


def test_groups_come_in_the_order_of_their_first_appearance_with_k_each():
    hits = [hit(f"m{n}", 0.5 + n / 100, 1, query=["q2", None, "q1"][n % 3]) for n in range(12)]
    out = tw.rerank(hits, tw.HalfLife("1d"), now=NOW, group_by="query", k=2)
    assert [one["query"] for one in out] == ["q2", "q2", None, None, "q1", "q1"]
    assert ids(out) == ["m9", "m6", "m10", "m7", "m11", "m8"]
    pairs = tw.rerank([one | {"user": 1} for one in hits], tw.HalfLife("1d"), now=NOW, group_by=["query", "user"], k=2)
    assert ids(pairs) == ids(out)


@pytest.mark.parametrize(
    ("distance", "value", "similarity"),
    [
        ("cosine", 0.25, 0.75),
        ("inner_product", 0.25, 0.75),
        ("negative_inner_product", -0.25, 0.25),
        ("l2", 3.0, 0.25),
        ("l2_squared", 9.0, 0.25),
    ],
)
def test_a_distance_is_declared(distance, value, similarity):
    out = tw.rerank([{"d": value, "last_access": NOW}], tw.HalfLife(1), now=NOW, similarity="d", distance=distance)
    assert out[0]["similarity_used"] == out[0]["score"] == similarity
    assert out[0]["d"] == value


def test_normalisations_are_within_a_group():
    hits = [hit("a", 10.0, 0, q=1), hit("b", 30.0, 0, q=1), hit("c", 20.0, 0, q=1), hit("d", 7.0, 0, q=2)]
    run = lambda how, **more: {  # noqa: E731
        one["id"]: one["similarity_used"]
        for one in tw.rerank(hits, tw.HalfLife(1), now=NOW, normalize=how, group_by="q", **more)
    }
    assert run("minmax") == {"a": 0.0, "b": 1.0, "c": 0.5, "d": 1.0}
    assert run("max") == {"a": 10 / 30, "b": 1.0, "c": 20 / 30, "d": 1.0}
    assert run("sigmoid")["d"] == pytest.approx(1 / (1 + math.exp(-7)))
    with pytest.raises(tw.InvalidValueError, match="zscore"):
        run("zscore")
    accesses = [one | {"recent_accesses": [NOW - DAY]} for one in hits]
    out = tw.rerank(accesses, tw.ACTR(), now=NOW, normalize="zscore", normalize_temporal="minmax", group_by="q")
    used = {one["id"]: one["similarity_used"] for one in out}
    assert used["b"] == pytest.approx(math.sqrt(1.5))
    assert used["d"] == 0.0
    assert {one["temporal_weight"] for one in out} == {1.0}


def test_noise_goes_by_seed_and_id_not_by_order():
    hits = [{"id": f"m{n}", "similarity": 0.5, "recent_accesses": [NOW - DAY]} for n in range(200)]
    run = lambda hits, **more: tw.rerank(hits, tw.ACTR(), now=NOW, **more)  # noqa: E731
    noisy = run(hits, noise=0.25, seed=7)
    assert ids(noisy) == ids(run(hits[::-1], noise=0.25, seed=7))
    assert ids(noisy) != ids(run(hits, noise=0.25, seed=8))
    scores = np.array([one["score"] for one in noisy]) - run(hits)[0]["score"]
    assert np.std(scores) == pytest.approx(0.25 * math.pi / math.sqrt(3), rel=0.2)
    with pytest.raises(tw.InvalidValueError, match="noise"):
        tw.rerank([hit("a", 1.0, 1)], tw.HalfLife(1), now=NOW, noise=0.1)


def test_floor_holds_for_factors():
    out = tw.rerank([hit("a", 1.0, 10_000)], tw.HalfLife("1d"), now=NOW, floor=0.2)
    assert out[0]["score"] == 0.2
    assert tw.rerank([hit("a", 1.0, 10_000)], tw.Ebbinghaus("1d", floor=0.2), now=NOW)[0]["score"] == 0.2


def test_weights_and_parameters_may_be_columns():
    hits = [hit("a", 0.5, 1, w=2.0, s=86_400.0), hit("b", 0.5, 1, w=1.0, s=172_800.0)]
    out = tw.rerank(hits, tw.HalfLife(tw.Column("s")), now=NOW, semantic_weight="w")
    assert {one["id"]: one["score"] for one in out} == {"a": 0.125, "b": pytest.approx(0.5 * 2**-0.5)}
    days = [hit("a", 0.5, 1, s=1.0), hit("b", 0.5, 1, s=2.0)]
    again = tw.rerank(days, tw.HalfLife(tw.Column("s", unit="d")), now=NOW)
    assert {one["id"]: one["temporal_weight"] for one in again} == {"a": 0.5, "b": pytest.approx(2**-0.5)}


def test_payloads_pass_through_untouched():
    odd = object()
    hits = [hit("a", 0.5, 1, payload={"x": [odd]}, extra=odd), hit("b", 0.9, 1, extra=None)]
    out = tw.rerank(hits, tw.HalfLife("1d"), now=NOW)
    assert out[1]["extra"] is odd
    assert out[1]["payload"] is hits[0]["payload"]
    assert set(hits[0]) == {"id", "similarity", "last_access", "payload", "extra"}


def test_names_may_be_paths_into_nested_payloads():
    nested = [{"id": "a", "hit": {"score": 0.5, "payload": {"seen": NOW - DAY}}}]
    engine = tw.HalfLife("1d", last_access="hit.payload.seen")
    assert tw.rerank(nested, engine, now=NOW, similarity="hit.score")[0]["score"] == 0.25
    table = pa.Table.from_pylist(nested)
    assert tw.rerank(table, engine, now=NOW, similarity="hit.score")["score"].to_pylist() == [0.25]
    frame = pl.DataFrame(nested)
    assert tw.rerank(frame, engine, now=NOW, similarity="hit.score")["score"].to_list() == [0.25]


def test_the_similarity_column_may_be_called_score():
    hits = [{"id": 1, "score": 0.5, "last_access": NOW - DAY}]
    out = tw.rerank(hits, tw.HalfLife("1d"), now=NOW, similarity="score")
    assert (out[0]["score"], out[0]["similarity_used"]) == (0.25, 0.5)
    with pytest.raises(tw.InvalidValueError, match="prefix"):
        tw.rerank(out, tw.HalfLife("1d"), now=NOW, similarity="similarity_used")
    prefixed = tw.rerank(hits, tw.HalfLife("1d"), now=NOW, similarity="score", prefix="decay_")
    assert (prefixed[0]["score"], prefixed[0]["decay_score"]) == (0.5, 0.25)


TIMES = [
    lambda: [NOW - DAY, NOW - 2 * DAY, None],
    lambda: [(NOW - DAY).isoformat(), "2025-12-30", None],
    lambda: [(NOW - DAY).replace(tzinfo=None), (NOW - 2 * DAY).replace(tzinfo=None), None],
    lambda: [(NOW - DAY).astimezone(timezone(timedelta(hours=8))), date(2025, 12, 30), None],
    lambda: [pd.Timestamp(NOW - DAY), np.datetime64("2025-12-30"), None],
    lambda: [NOW - DAY, "2025-12-30T00:00:00Z", None],
]


@pytest.mark.parametrize("make", TIMES)
def test_dicts_take_times_of_any_form_even_mixed(make):
    hits = [{"id": n, "similarity": 1.0, "last_access": time} for n, time in enumerate(make())]
    assert [one["temporal_weight"] for one in tw.rerank(hits, tw.HalfLife("1d"), now=NOW)] == [0.5, 0.25, None]
    listed = [{"id": n, "similarity": 1.0, "recent_accesses": [time, None]} for n, time in enumerate(make())]
    out = tw.rerank(listed, tw.ACTR(decay=1.0), now=NOW)
    expected = [-math.log(86_400), -math.log(2 * 86_400), None]
    assert [one["temporal_weight"] for one in out] == [pytest.approx(x, rel=1e-15) if x else x for x in expected]


def test_integer_epochs_need_a_unit():
    epoch = int((NOW - DAY).timestamp())
    hits = [{"id": 1, "similarity": 1.0, "last_access": epoch, "recent_accesses": [epoch]}]
    assert tw.rerank(hits, tw.HalfLife("1d"), now=NOW, unit="s")[0]["score"] == 0.5
    assert tw.rerank(hits, tw.ACTR(), now=NOW, unit="s")[0]["score"] == pytest.approx(1 - 0.5 * math.log(86_400))
    for engine in (tw.HalfLife("1d"), tw.ACTR()):
        with pytest.raises(tw.InvalidTypeError, match="row 0"):
            tw.rerank(hits, engine, now=NOW)


def test_a_naive_time_is_read_in_the_zone_that_the_caller_names():
    naive = datetime(2026, 1, 1, 8)
    hits = [{"similarity": 1.0, "last_access": naive - DAY, "recent_accesses": [naive - DAY]}]
    assert tw.rerank(hits, tw.HalfLife("1d"), now=NOW, tz="+08:00")[0]["score"] == 0.5
    assert tw.rerank(hits, tw.HalfLife("1d"), now=naive, tz="Asia/Shanghai")[0]["score"] == 0.5
    out = tw.rerank(hits, tw.ACTR(), now=NOW, tz="+08:00")
    assert out[0]["temporal_weight"] == pytest.approx(-0.5 * math.log(86_400))


def table():
    return pa.table(
        {
            "id": ["a", "b", "c", "d"],
            "q": pa.array([1, 1, None, 2]),
            "similarity": pa.array([0.9, 0.8, 0.7, None], pa.float32()),
            "last_access": pa.array([NOW - 60 * DAY, NOW, NOW, NOW], pa.timestamp("ms", "UTC")),
            "tags": [["x"], [], None, ["y"]],
        }
    )


def test_every_kind_comes_back_as_it_came():
    engine, options = tw.HalfLife("30d"), {"now": NOW, "group_by": "q"}
    order = ["b", "a", "c", "d"]
    arrow = tw.rerank(table(), engine, **options)
    assert isinstance(arrow, pa.Table)
    assert arrow["id"].to_pylist() == order
    assert arrow.schema.names == [*table().schema.names, "score", "temporal_weight", "similarity_used"]
    assert arrow.schema.field("tags").type == table().schema.field("tags").type
    batch = tw.rerank(table().to_batches()[0], engine, **options)
    assert isinstance(batch, pa.RecordBatch)
    assert pa.Table.from_batches([batch]).equals(arrow)
    for k in (None, 1):
        reader = tw.rerank(table().to_reader(max_chunksize=1), engine, k=k, **options)
        assert isinstance(reader, pa.RecordBatchReader)
        assert reader.read_all().equals(tw.rerank(table(), engine, k=k, **options))
    frame = table().to_pandas().set_index(pd.Index([7, 8, 9, 10]))
    out = tw.rerank(frame, engine, **options)
    assert isinstance(out, pd.DataFrame)
    assert list(out.index) == [8, 7, 9, 10]
    assert np.isnan(out["score"].iloc[-1])
    assert "score" not in frame.columns
    polars = tw.rerank(pl.from_arrow(table()), engine, **options)
    assert isinstance(polars, pl.DataFrame)
    assert polars.to_arrow()["score"].to_pylist() == arrow["score"].to_pylist()
    lazy = tw.rerank(pl.from_arrow(table()).lazy(), engine, **options)
    assert lazy.collect().equals(polars)
    dicts = tw.rerank(table().to_pylist(), engine, **options)
    assert [(one["id"], one["score"]) for one in dicts] == list(zip(order, arrow["score"].to_pylist(), strict=True))
    chunked = pa.concat_tables([table().slice(0, 1), table().slice(1, 2), table().slice(3)])
    assert tw.rerank(chunked, engine, **options).combine_chunks().equals(arrow.combine_chunks())


def test_nothing_in_nothing_out():
    assert tw.rerank([], tw.HalfLife("1d"), now=NOW) == []
    assert tw.rerank(table().slice(0, 0), tw.HalfLife("1d"), now=NOW, k=3).num_rows == 0
    assert len(tw.rerank(table().to_pandas().iloc[:0], tw.HalfLife("1d"), now=NOW)) == 0
    assert tw.rerank(pl.from_arrow(table()).clear(), tw.HalfLife("1d"), now=NOW).is_empty()
    empty = table().slice(0, 0).to_reader()
    assert tw.rerank(empty, tw.HalfLife("1d"), now=NOW, k=3).read_all().num_rows == 0


@pytest.mark.parametrize(
    ("change", "engine", "options", "error", "message"),
    [
        ({}, lambda: tw.HalfLife(0), {}, tw.InvalidValueError, "half_life must be above 0"),
        ({}, lambda: tw.HalfLife(-timedelta(1)), {}, tw.InvalidValueError, "half_life"),
        ({}, lambda: tw.HalfLife(float("nan")), {}, tw.InvalidValueError, "half_life"),
        ({}, lambda: tw.HalfLife("a while"), {}, tw.InvalidValueError, "a while"),
        ({}, lambda: tw.Ebbinghaus("1d", floor=1.0), {}, tw.InvalidValueError, "floor"),
        ({}, lambda: tw.PowerLaw("1d", decay=0), {}, tw.InvalidValueError, "decay"),
        ({}, lambda: tw.Gauss("1d", decay=1.0), {}, tw.InvalidValueError, "decay"),
        ({}, lambda: tw.Exp("0d"), {}, tw.InvalidValueError, "scale"),
        ({}, lambda: tw.Linear("1d", offset=-1.0), {}, tw.InvalidValueError, "offset"),
        ({}, lambda: tw.ACTR(decay=-1.0), {}, tw.InvalidValueError, "decay"),
        ({}, lambda: tw.ACTR(min_age=0.0), {}, tw.InvalidValueError, "min_age"),
        ({"s": [1.0, 0.0]}, lambda: tw.HalfLife(tw.Column("s")), {}, tw.InvalidValueError, "column 's', row 1"),
        ({"s": [1.0, -2.0]}, lambda: tw.Ebbinghaus(tw.Column("s")), {}, tw.InvalidValueError, "column 's', row 1"),
        ({"similarity": [0.5, math.nan]}, lambda: tw.HalfLife(1), {}, tw.InvalidValueError, "'similarity', row 1"),
        ({"last_access": [1.5, 2.5]}, lambda: tw.HalfLife(1), {}, tw.InvalidTypeError, "last_access"),
        ({"last_access": [1, 2]}, lambda: tw.HalfLife(1), {}, tw.InvalidTypeError, "last_access"),
        ({"last_access": ["2025", "soon"]}, lambda: tw.HalfLife(1), {}, tw.InvalidValueError, "'last_access', row 1"),
        ({}, lambda: tw.ACTR(recent_accesses="last_access"), {}, tw.InvalidTypeError, "last_access"),
        ({}, lambda: tw.HalfLife(1, last_access="last_acess"), {}, tw.UnknownIdError, "did you mean 'last_access'"),
        ({}, lambda: tw.HalfLife(1), {"similarity": "similarty"}, tw.UnknownIdError, "did you mean 'similarity'"),
        ({}, lambda: tw.HalfLife(1), {"group_by": "qery"}, tw.UnknownIdError, "qery"),
        ({}, lambda: tw.HalfLife(1), {"k": 0}, tw.InvalidValueError, "k must be"),
        ({}, lambda: tw.HalfLife(1), {"k": 2.5}, tw.InvalidValueError, "k must be"),
        ({}, lambda: tw.HalfLife(1), {"distance": "manhattan"}, tw.InvalidValueError, "manhattan"),
        ({}, lambda: tw.HalfLife(1), {"normalize": "l1"}, tw.InvalidValueError, "l1"),
        ({}, lambda: tw.HalfLife(1), {"missing": "first"}, tw.InvalidValueError, "first"),
        ({}, lambda: tw.HalfLife(1), {"missing": 2.0}, tw.InvalidValueError, "missing"),
        ({}, lambda: tw.HalfLife(1), {"semantic_weight": -1.0}, tw.InvalidValueError, "semantic_weight"),
        ({}, lambda: tw.HalfLife(1), {"floor": 1.0}, tw.InvalidValueError, "floor"),
        ({}, lambda: tw.HalfLife(1), {"threads": 0}, tw.InvalidValueError, "threads"),
        ({}, lambda: tw.HalfLife(1), {"seed": -1}, tw.InvalidValueError, "seed"),
        ({}, lambda: tw.HalfLife(1), {"unit": "min"}, tw.InvalidValueError, "min"),
        ({}, lambda: tw.HalfLife(1), {"now": 5}, tw.InvalidTypeError, "a time is"),
        ({}, list, {}, tw.InvalidTypeError, "engine"),
        ({}, lambda: "half_life", {}, tw.InvalidTypeError, "engine"),
        (
            {"d": [0.5, -0.5]},
            lambda: tw.HalfLife(1),
            {"similarity": "d", "distance": "l2"},
            tw.InvalidValueError,
            "row 1",
        ),
    ],
)
def test_bad_input_names_row_and_column(change, engine, options, error, message):
    columns = {"id": ["a", "b"], "similarity": [0.5, 0.5], "last_access": [NOW, NOW], **change}
    dicts = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for hits in (dicts, pa.table(columns)):
        with pytest.raises(error, match=message):
            tw.rerank(hits, engine(), **{"now": NOW, **options})


def test_bad_histories_name_row_and_column():
    fine = {"similarity": 0.5, "recent_accesses": [NOW], "historical_count": 1, "created_at": NOW}
    for change, error, message in [
        ({"historical_count": -1}, tw.InvalidValueError, "column 'historical_count', row 1"),
        ({"recent_accesses": [NOW, "soon"]}, tw.InvalidValueError, "soon"),
        ({"recent_accesses": [NOW, 5]}, tw.InvalidTypeError, "column 'recent_accesses', row 1"),
        ({"recent_accesses": NOW}, tw.InvalidTypeError, "column 'recent_accesses', row 1"),
        ({"created_at": 3.5}, tw.InvalidTypeError, "column 'created_at', row 1"),
    ]:
        with pytest.raises(error, match=message):
            tw.rerank([fine, fine | change], tw.ACTR(), now=NOW)
    with pytest.raises(tw.UnknownIdError, match="did you mean 'created_at'"):
        tw.rerank([fine], tw.ACTR(created_at="created"), now=NOW)


def test_hits_of_no_known_kind():
    for hits in (None, 5, {"id": ["a"]}):
        with pytest.raises(tw.InvalidTypeError):
            tw.rerank(hits, tw.HalfLife(1), now=NOW)
    with pytest.raises(tw.InvalidTypeError, match="hit 1"):
        tw.rerank([hit("a", 1.0, 1), "b"], tw.HalfLife(1), now=NOW)


ENGINES = [
    tw.HalfLife(30 * DAY),
    tw.HalfLife("30d", last_access="seen"),
    tw.HalfLife(2_592_000.0),
    tw.HalfLife(tw.Column("h", unit="d")),
    tw.Ebbinghaus(),
    tw.Ebbinghaus(timedelta(hours=1, microseconds=5), floor=0.25),
    tw.PowerLaw(tw.Column("stability", unit="d"), decay=0.1542),
    tw.ACTR(decay=0.3, min_age=timedelta(seconds=2), created_at=None),
    tw.Gauss(5.0, values="price", origin=20.0, offset=1.0, decay=0.3),
    tw.Exp("10d", origin=NOW),
    tw.Linear("10d", origin=date(2025, 1, 1)),
]


@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_engines_go_to_dict_and_back_and_print_as_they_were_made(engine):
    import datetime as module
    import json

    config = json.loads(json.dumps(engine.to_dict()))
    assert tw.Engine.from_dict(config) == engine
    assert type(engine).from_dict(config) == engine
    names = {name: getattr(tw, name) for name in tw.__all__} | {"datetime": module}
    assert eval(repr(engine), names) == engine
    assert hash(engine) == hash(tw.Engine.from_dict(config))


def test_configs_name_their_faults():
    with pytest.raises(tw.UnknownIdError, match="did you mean 'half_life'"):
        tw.Engine.from_dict({"engine": "half-life", "half_life": 1})
    with pytest.raises(tw.UnknownIdError, match="did you mean 'half_life'"):
        tw.Engine.from_dict({"engine": "half_life", "halflife": 1})
    with pytest.raises(tw.InvalidTypeError, match="half_life"):
        tw.Engine.from_dict({"engine": "half_life"})
    with pytest.raises(tw.InvalidValueError, match="ACTR"):
        tw.ACTR.from_dict({"engine": "half_life", "half_life": 1})
    with pytest.raises(tw.InvalidTypeError, match="span"):
        tw.Engine.from_dict({"engine": "half_life", "half_life": {"fortnights": 1}})


@settings(max_examples=60, deadline=None)
@given(testing.hits(missing=True), st.integers(1, 5), st.booleans())
def test_any_hits(hits, k, grouped):
    options = {"now": testing.NOW, "group_by": "query_id" if grouped and hits else None}
    for engine in (tw.HalfLife("30d"), tw.ACTR(), [tw.ACTR(), tw.HalfLife("30d")]):
        out = tw.rerank(hits, engine, **options)
        assert sorted(ids(out)) == sorted(ids(hits))
        assert all(one["score"] is None or math.isfinite(one["score"]) for one in out)
        assert tw.rerank(hits[::-1], engine, now=testing.NOW) == tw.rerank(hits, engine, now=testing.NOW)
        groups = {one["query_id"] if grouped else 0 for one in hits}
        for group in groups:
            rows = [one for one in out if not grouped or one["query_id"] == group]
            scores = [one["score"] for one in rows]
            known = [score for score in scores if score is not None]
            assert known == sorted(known, reverse=True)
            assert scores == known + [None] * (len(scores) - len(known))
            best = [one for one in tw.rerank(hits, engine, k=k, **options) if not grouped or one["query_id"] == group]
            assert best == rows[:k]


@settings(max_examples=40, deadline=None)
@given(testing.access_histories(empty=False))
def test_touching_makes_a_memory_stronger(memory):
    touched = tw.touch(memory, now=testing.NOW)
    assert touched["historical_count"] == memory["historical_count"] + 1
    assert len(touched["recent_accesses"]) <= 10
    before, after = tw.actr(
        [memory["recent_accesses"], touched["recent_accesses"]],
        now=testing.NOW + DAY,
        historical_count=[memory["historical_count"], touched["historical_count"]],
        created_at=[memory["created_at"], touched["created_at"]],
    ).to_pylist()
    assert after > before - 1e-9
