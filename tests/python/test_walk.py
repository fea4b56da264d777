"""The temporal walk against its oracles, and what must hold whatever the graph."""

import json
import random
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from oracles import walks
from oracles.graphs import BASE, DAY, build, edge_table, exact_vector, memory_table, random_graph

import timewalk as tw

COLUMNS = ["id", "similarity", "proximity", "activation", "depth", "parent", "relation"]


def rows(table):
    return list(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))


def assert_same(found, expected):
    assert [row[0] for row in found] == [row[0] for row in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours[1:4] == pytest.approx(theirs[1:4], abs=1e-6), ours
        assert ours[4:] == theirs[4:], ours


def scene(seed):
    """A graph, a window and the arguments of a query."""
    memories, edges = random_graph(seed)
    rng = random.Random(seed)
    start = BASE + rng.randrange(-20, 20) * DAY // 2
    width = rng.choice([0, DAY // 4, DAY, 5 * DAY, 14 * DAY, 400 * DAY])
    window = (BASE - 200 * DAY, BASE + 200 * DAY) if width == 400 * DAY else (start, start + width)
    query = {
        "budget": rng.randint(1, 200),
        "threshold": rng.choice([0.0, 0.1, 0.3, 0.6]),
        "no_date": rng.choice([0.0, 0.0, 0.5, None]),
    }
    if rng.random() < 0.8:
        query["query"] = exact_vector(np.random.default_rng(seed + 1))
    if rng.random() < 0.5:
        query["relevance"] = {id: rng.randrange(5) / 4 for id in memories if rng.random() < 0.5}
    if rng.random() < 0.3:
        query["fact_type"] = "world"
    if rng.random() < 0.2:
        query["tags"] = ["a"]
    return memories, edges, window, query


@pytest.mark.parametrize("order", ["breadth", "best"])
@pytest.mark.parametrize("block", range(10))
def test_equals_the_oracle_on_random_graphs(order, block):
    reached = 0
    for seed in range(block * 100, block * 100 + 100):
        memories, edges, window, query = scene(seed)
        found = rows(build(memories, edges).walk(window, order=order, **query))
        expected = getattr(walks, order)(memories, edges, window, **query)
        assert_same(found, expected)
        reached += len(expected)
    assert reached > 150  # the graphs are not so small that nothing is compared


@pytest.mark.parametrize("order", ["breadth", "best"])
def test_the_order_of_insertion_changes_nothing(order):
    for seed in range(200):
        memories, edges, window, query = scene(seed)
        first = build(memories, edges).walk(window, order=order, **query)
        shuffled = random.Random(seed).sample(edges, len(edges))
        others = dict(random.Random(seed).sample(list(memories.items()), len(memories)))
        again = build(others, shuffled, pieces=3).walk(window, order=order, **query)
        assert again.equals(first)


def test_vectors_of_any_direction_give_the_cosine():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(50, 37)) * 10.0 ** rng.integers(-30, 30, size=(50, 1))
    day = {"start": BASE, "end": None, "mentioned": None, "namespace": "default", "fact_type": None, "tags": []}
    memories = {f"m{i}": {**day, "vector": vector.astype("f4").tolist()} for i, vector in enumerate(vectors)}
    query = rng.normal(size=37).astype("f4").tolist()
    found = build(memories, []).walk((BASE, BASE), query=query, threshold=-1.0, seeds=50)
    close = dict(zip(found["id"].to_pylist(), found["similarity"].to_pylist(), strict=True))
    expected = {id: walks.cosine(query, memories[id]["vector"]) for id in memories}
    assert len(close) == sum(cosine > 0 for cosine in expected.values())
    assert close == pytest.approx({id: expected[id] for id in close}, abs=1e-6)


def test_best_stays_in_the_unit_interval():
    for seed in range(200):
        memories, edges, window, query = scene(seed)
        heavy = [(source, target, relation, weight * 1000) for source, target, relation, weight in edges]
        found = build(memories, heavy).walk(window, order="best", **query)
        assert all(0 < value <= 1 for value in found["activation"].to_pylist())
        assert all(0 <= value <= 1 for value in found["proximity"].to_pylist())


def story():
    """An outage in the window, its cause weeks before, its consequence weeks after, and a neighbour in time."""
    day = {"end": None, "mentioned": None, "namespace": "default", "fact_type": None, "tags": []}
    memories = {
        "cause": {**day, "start": BASE - 30 * DAY, "vector": [0.0, 1.0]},
        "outage": {**day, "start": BASE, "vector": [1.0, 0.0]},
        "fix": {**day, "start": BASE + 30 * DAY, "vector": [0.0, 1.0]},
        "lunch": {**day, "start": BASE, "vector": [0.0, 1.0]},
    }
    edges = [
        ("outage", "cause", "caused_by", 0.5),
        ("fix", "outage", "caused_by", 0.25),
        ("outage", "lunch", "temporal", 1.0),
    ]
    return memories, edges


def test_causes_and_consequences_come_in_with_their_paths():
    graph = build(*story())
    table = graph.walk((BASE - DAY, BASE + DAY), query=[1.0, 0.0])
    assert table.select(["id", "depth", "parent", "relation", "weight"]).to_pylist() == [
        {"id": "outage", "depth": 0, "parent": None, "relation": None, "weight": None},
        {"id": "cause", "depth": 1, "parent": "outage", "relation": "caused_by", "weight": 0.5},
        {"id": "fix", "depth": 1, "parent": "outage", "relation": "causes", "weight": 0.25},
    ]
    assert table["activation"].to_pylist() == pytest.approx([1.0, 0.7, 0.35], abs=1e-7)
    statistics = json.loads(table.schema.metadata[b"timewalk"])
    assert statistics == {"visited": 3, "expanded": 3, "truncated": 0, "budget": 100, "entries": 1}


def test_an_edge_stored_from_both_ends_is_one_edge():
    memories, edges = story()
    twice = [*edges, ("cause", "outage", "causes", 0.5)]
    window = (BASE - DAY, BASE + DAY)
    assert (
        build(memories, twice)
        .walk(window, query=[1.0, 0.0])
        .equals(build(memories, edges).walk(window, query=[1.0, 0.0]))
    )


def test_a_chain_has_a_closed_form():
    day = {"start": BASE, "end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None}
    memories = {f"n{i:02}": {**day, "start": BASE if i == 0 else None, "tags": []} for i in range(12)}
    ids = list(memories)
    edges = [(a, b, "causes", 0.5) for a, b in pairwise(ids)]
    found = build(memories, edges).walk((BASE, BASE))
    assert found["activation"].to_pylist() == pytest.approx([0.7**i for i in range(12)], rel=1e-12)
    strong = [(a, b, "causes", 1.0) for a, b in pairwise(ids)]
    found = build(memories, strong).walk((BASE, BASE))
    assert found["activation"].to_pylist() == pytest.approx([0.95**i for i in range(12)], rel=1e-12)


def test_proximity_at_the_middle_the_edge_and_beyond():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    starts = {"middle": BASE, "edge": BASE - 4 * DAY, "beyond": BASE + 8 * DAY, "undated": None}
    memories = {id: {**day, "start": start} for id, start in starts.items()}
    memories["whole"] = {**day, "start": BASE - 90 * DAY, "end": BASE + 90 * DAY}
    edges = [("middle", id, "causes", 0.5) for id in ("beyond", "undated")]
    found = build(memories, edges).walk((BASE - 4 * DAY, BASE + 4 * DAY))
    near = dict(zip(found["id"].to_pylist(), found["proximity"].to_pylist(), strict=True))
    assert near == {"middle": 1.0, "edge": 0.5, "beyond": 0.25, "undated": 0.0, "whole": 1.0}
    without = build(memories, edges).walk((BASE - 4 * DAY, BASE + 4 * DAY), no_date=None)
    assert "undated" not in without["id"].to_pylist()


def test_an_event_that_ends_where_the_window_begins_is_not_in_it():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    memories = {
        "before": {**day, "start": BASE - DAY, "end": BASE},
        "point": {**day, "start": BASE},
        "instant": {**day, "start": BASE, "end": BASE},
        "end alone": {**day, "start": None, "end": BASE},
        "across": {**day, "start": BASE - DAY, "end": BASE + 1},
        "mentioned": {**day, "start": BASE - DAY, "end": BASE, "mentioned": BASE},
        "after": {**day, "start": BASE + DAY, "end": BASE + 2 * DAY},
    }
    graph = build(memories, [])
    inside = {"point", "instant", "end alone", "across", "mentioned"}
    for order in ("best", "breadth"):
        assert set(graph.walk((BASE, BASE + DAY), order=order)["id"].to_pylist()) == inside
        assert set(graph.walk((BASE, BASE), order=order)["id"].to_pylist()) == inside


def test_midnight_of_the_asked_day_counts():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    graph = build({"midnight": {**day, "start": BASE}, "next": {**day, "start": BASE + DAY}}, [])
    found = graph.walk((BASE, BASE + DAY))
    assert found.select(["id", "activation"]).to_pylist() == [{"id": "midnight", "activation": 0.5}]


def test_strong_temporal_links_do_not_hide_a_causal_one():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    memories = {f"near{i}": {**day, "start": BASE + 9 * DAY} for i in range(50)}
    memories |= {"event": {**day, "start": BASE}, "cause": {**day, "start": BASE - 90 * DAY}}
    edges = [("event", f"near{i}", "temporal", 1.0) for i in range(50)] + [("event", "cause", "caused_by", 0.6)]
    found = build(memories, edges).walk((BASE, BASE + DAY), fan_out=5, limit=3)
    assert found["id"].to_pylist()[:2] == ["event", "cause"]
    assert json.loads(found.schema.metadata[b"timewalk"])["truncated"] == 46


def test_seeds_are_spread_over_the_window():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    crowd = {f"crowd{i:02}": {**day, "start": BASE + 5 * DAY + i} for i in range(30)}
    memories = crowd | {"early": {**day, "start": BASE}, "late": {**day, "start": BASE + 10 * DAY - 1}}
    found = build(memories, []).walk((BASE, BASE + 10 * DAY))
    assert len(found) == 10
    assert {"early", "late"} <= set(found["id"].to_pylist())


def test_a_custom_causal_relation_is_walked_like_causes():
    memories, _ = story()
    graph = tw.MemoryGraph()
    graph.add_memories(memory_table(memories))
    graph.register_relation("breaks", inverse="broken_by", boost=1.0)
    graph.register_relation("broken_by", inverse="breaks", boost=0.5)
    graph.add_edges(edge_table([("cause", "outage", "breaks", 1.0), ("outage", "fix", "breaks", 1.0)]))
    found = graph.walk((BASE - DAY, BASE + DAY), query=[1.0, 0.0])
    assert found.select(["id", "relation"]).to_pylist()[1:] == [
        {"id": "fix", "relation": "breaks"},
        {"id": "cause", "relation": "broken_by"},
    ]
    assert found["activation"].to_pylist() == pytest.approx([1.0, 0.7, 0.35])


def test_a_namespace_is_never_crossed_and_filters_hold_on_every_hop():
    memories, edges = story()
    memories["cause"]["fact_type"] = "opinion"
    memories["elsewhere"] = {**memories["outage"], "namespace": "other"}
    graph = build(memories, edges)
    window = (BASE - DAY, BASE + DAY)
    assert set(graph.walk(window, namespace="other")["id"].to_pylist()) == {"elsewhere"}
    assert "elsewhere" not in graph.walk(window, namespace="default")["id"].to_pylist()
    assert graph.walk(window, fact_type="opinion").num_rows == 0
    assert graph.walk(window, namespace="nowhere").num_rows == 0
    masked = graph.walk(window, query=[1.0, 0.0], mask=["outage", "fix"])
    assert masked["id"].to_pylist() == ["outage", "fix"]
    booleans = [id in ("outage", "fix", "elsewhere") for id in graph.memories()["id"].to_pylist()]
    for form in (booleans, np.array(booleans), pa.array(booleans)):
        assert graph.walk(window, query=[1.0, 0.0], mask=form, namespace="default").equals(masked)


def test_windows_take_every_form_of_time():
    graph = build(*story())
    at = datetime.fromtimestamp(BASE / 1e6, UTC)
    day = datetime(at.year, at.month, at.day, tzinfo=UTC)
    following = day.replace(day=day.day + 1)

    class Window:
        start_micros = int(day.timestamp()) * 10**6
        end_micros = int(following.timestamp()) * 10**6

    expected = graph.walk((Window.start_micros, Window.end_micros))
    assert expected.num_rows > 0
    for window in [
        (day, following),
        [day.isoformat(), following.isoformat()],
        Window(),
        (day.date(), following.date()),
    ]:
        assert graph.walk(window).equals(expected)
    assert graph.walk((None, None)).num_rows == 4
    assert graph.walk((following, None)).num_rows > 0


def test_empty_things_give_empty_tables():
    empty = tw.MemoryGraph()
    assert empty.walk((BASE, BASE + DAY), query=[1.0, 2.0]).num_rows == 0
    assert empty.walk((None, None)).column_names == [*COLUMNS, "weight"]
    graph = build(*story())
    assert graph.walk((BASE + 900 * DAY, BASE + 901 * DAY)).num_rows == 0
    assert graph.walk((BASE, BASE + DAY), budget=0).num_rows == 0
    assert graph.walk((BASE, BASE + DAY), budget=0, order="breadth").num_rows == 0
    assert graph.walk((BASE, BASE + DAY), query=[0.0, 0.0]).num_rows == 0
    assert graph.walk((BASE, BASE + DAY), seeds=0).num_rows == 0


def test_candidates_bound_the_seeds():
    graph = build(*story())
    found = graph.walk((BASE - DAY, BASE + DAY), candidates=["lunch", "fix"])
    assert found["id"].to_pylist() == ["lunch"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"window": (BASE, BASE - 1)}, tw.InvalidValueError),
        ({"window": BASE}, tw.InvalidTypeError),
        ({"window": "2024"}, tw.InvalidTypeError),
        ({"window": (1.5, 2.5)}, tw.InvalidTypeError),
        ({"query": [1.0, float("nan")]}, tw.InvalidValueError),
        ({"query": [1.0, 2.0, 3.0]}, tw.InvalidValueError),
        ({"query": "outage"}, tw.InvalidTypeError),
        ({"relevance": {"outage": 1.5}}, tw.InvalidValueError),
        ({"relevance": {"outage": float("nan")}}, tw.InvalidValueError),
        ({"relevance": {"nobody": 0.5}}, tw.UnknownIdError),
        ({"order": "worst"}, tw.InvalidValueError),
        ({"threshold": float("nan")}, tw.InvalidValueError),
        ({"no_date": 2.0}, tw.InvalidValueError),
        ({"decay": -1.0}, tw.InvalidValueError),
        ({"mask": ["nobody"]}, tw.UnknownIdError),
        ({"mask": [True]}, tw.InvalidValueError),
        ({"namespace": 3}, tw.InvalidTypeError),
        ({"tags_match": "some"}, tw.InvalidValueError),
    ],
)
def test_bad_arguments_are_typed_errors(arguments, error):
    graph = build(*story())
    options = {"window": (BASE, BASE + DAY)} | arguments
    with pytest.raises(error):
        graph.walk(options.pop("window"), **options)


def test_the_time_index_finds_what_touches_the_window():
    rng = random.Random(4)
    memories = {}
    for number in range(3000):
        start, width = BASE + rng.randrange(-400, 400) * DAY, rng.choice([0, 0, 1, 30, 300]) * DAY
        kind = rng.randrange(5)
        memories[f"m{number}"] = {
            "start": start if kind != 1 else None,
            "end": start + width if kind in (0, 1) else None,
            "mentioned": start + rng.randrange(-100, 100) * DAY if kind in (0, 3) else None,
            "vector": None,
            "namespace": "default",
            "fact_type": None,
            "tags": [],
        }
        if kind == 4:
            memories[f"m{number}"]["start"] = None
    graph = build(memories, [])
    changed = rng.sample(list(memories), 100)
    for id in changed:  # some move after the index was built
        memories[id]["start"], memories[id]["end"] = BASE + 500 * DAY, None
    graph.add_memories(memory_table({id: memories[id] for id in changed}))
    for _ in range(100):
        start = BASE + rng.randrange(-450, 550) * DAY
        window = (start, start + rng.choice([0, 1, 7, 60, 900]) * DAY)
        found = graph.walk(window, seeds=5000, budget=5000)
        expected = {id for id, memory in memories.items() if walks.touches(memory, window)}
        assert set(found["id"].to_pylist()) == expected
    assert graph.check() == []
