"""Classic spreading activation and PageRank by push, against their oracles and in closed form."""

import json
import random

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest
from oracles import spreading
from oracles.graphs import build, edge_table, random_graph

import timewalk as tw
from timewalk.graph import path_to


def found(table):
    return dict(zip(table["id"].to_pylist(), table["activation"].to_pylist(), strict=True))


def bare(count, edges):
    graph = tw.MemoryGraph()
    graph.add_entities(pa.table({"id": [f"n{i}" for i in range(count)]}))
    graph.add_edges(edge_table(edges))
    return graph


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 0},
        {"depth": 6, "decay": 0.9, "threshold": 0.0},
        {"fire": "once"},
        {"combine": "max"},
        {"combine": "noisy_or", "depth": 5},
        {"fan": "sqrt"},
        {"fan": "degree"},
        {"fan": "actr", "threshold": 0.0},
        {"clamp": 0.4},
        {"fire": "once", "fan": "sqrt", "combine": "max", "clamp": 0.7},
        {"fire": "wave"},
        {"fire": "wave", "own": False, "depth": 4, "threshold": 0.001},
        {"fire": "wave", "own": False, "combine": "noisy_or", "fan": "sqrt", "clamp": 0.6},
    ],
)
def test_spread_equals_the_oracle(options):
    for seed in range(100):
        memories, edges = random_graph(seed)
        rng = random.Random(seed)
        seeds = {id: rng.random() for id in rng.sample(list(memories), min(3, len(memories)))}
        table = build(memories, edges).spread(seeds, **options)
        expected = spreading.spread(edges, seeds, **options)
        assert found(table) == pytest.approx(expected, rel=1e-9)
        assert table["id"].to_pylist() == sorted(found(table), key=lambda id: (-found(table)[id], id))


def test_spread_does_not_depend_on_the_order_of_insertion():
    for seed in range(100):
        memories, edges = random_graph(seed)
        edges = [(*edge[:3], edge[3] / 3) for edge in edges]  # sums that round
        seeds = list(memories)[:3]
        first = build(memories, edges).spread(seeds, depth=5)
        others = dict(random.Random(seed).sample(list(memories.items()), len(memories)))
        shuffled = random.Random(seed).sample(edges, len(edges))
        assert build(others, shuffled, pieces=4).spread(seeds, depth=5).equals(first)
        assert build(others, shuffled).pagerank(seeds).equals(build(memories, edges, pieces=5).pagerank(seeds))


def test_a_chain_has_a_closed_form():
    edges = [(f"n{i}", f"n{i + 1}", "causes", 0.5) for i in range(9)]
    graph = bare(10, edges)
    once = found(graph.spread(["n0"], depth=9, decay=0.5, threshold=0.0, fire="once"))
    assert once == {f"n{i}": 0.25**i for i in range(10)}
    # Firing in every round, node i holds C(depth, i) · 0.25^i: the paths that rest some rounds on the way.
    every = found(graph.spread(["n0"], depth=3, decay=0.5, threshold=0.0))
    assert every == {"n0": 1.0, "n1": 3 * 0.25, "n2": 3 * 0.25**2, "n3": 0.25**3}


def test_a_wave_passes_through_seeds_as_if_they_were_none():
    edges = [(f"n{i}", f"n{i + 1}", "causes", 0.5) for i in range(4)]
    graph = bare(5, edges)
    options = {"depth": 4, "decay": 1.0, "threshold": 0.0, "fire": "wave"}
    assert found(graph.spread({"n0": 1.0, "n1": 8.0}, **options)) == {
        "n0": 1.0,
        "n1": 8.5,
        "n2": 4.25,
        "n3": 2.125,
        "n4": 1.0625,
    }
    assert found(graph.spread({"n0": 1.0, "n1": 8.0}, own=False, **options)) == {
        "n1": 0.5,
        "n2": 4.25,
        "n3": 2.125,
        "n4": 1.0625,
    }
    with pytest.raises(tw.InvalidValueError, match="wave"):
        graph.spread(["n0"], own=False)


@pytest.mark.parametrize("fire", ["every", "once", "wave"])
@pytest.mark.parametrize("paths", [False, True])
def test_what_is_rounded_to_nothing_is_not_reached(fire, paths):
    graph = bare(3, [("n0", "n2", "causes", 1e-20), ("n1", "n2", "causes", 1e-20)])
    options = {"combine": "noisy_or", "threshold": 0.0, "decay": 1.0, "fire": fire, "paths": paths}
    assert graph.spread(["n0", "n1"], **options)["id"].to_pylist() == ["n0", "n1"]


def test_what_only_reaches_the_threshold_is_dropped():
    graph = bare(2, [("n0", "n1", "causes", 0.5)])
    assert found(graph.spread(["n0"], decay=0.5, threshold=0.25)) == {"n0": 1.0}
    assert "n1" in found(graph.spread(["n0"], decay=0.5, threshold=0.2499, depth=1))


def test_the_plain_rule_is_held_to_finite_numbers():
    graph = bare(2, [("n0", "n1", "causes", 1e30), ("n1", "n0", "causes", 1e30)])
    values = graph.spread(["n0"], depth=100, decay=1.0)["activation"].to_pylist()
    assert np.isfinite(values).all()
    assert max(found(graph.spread(["n0"], depth=100, decay=1.0, clamp=1.0)).values()) == 1.0


def test_max_active_keeps_the_strongest_and_says_what_it_dropped():
    edges = [("n0", f"n{i}", "causes", i / 10) for i in range(1, 10)]
    table = bare(10, edges).spread(["n0"], depth=1, max_active=3)
    assert table["id"].to_pylist() == ["n0", "n9", "n8"]
    assert json.loads(table.schema.metadata[b"timewalk"])["truncated"] == 7


def test_direction_and_relations():
    graph = bare(3, [("n0", "n1", "mentions", 1.0), ("n0", "n2", "causes", 0.5), ("n2", "n0", "caused_by", 0.5)])
    options = {"depth": 1, "decay": 1.0}
    assert found(graph.spread(["n1"], **options)) == {"n1": 1.0}
    assert found(graph.spread(["n1"], direction="in", **options)) == {"n1": 1.0, "n0": 1.0}
    assert found(graph.spread(["n1"], direction="both", relations="mentioned_by", **options)) == {"n1": 1.0, "n0": 1.0}
    assert found(graph.spread(["n1"], direction="both", relations=["mentions"], **options)) == {"n1": 1.0}
    # Stored from both ends, yet one edge.
    assert found(graph.spread(["n2"], direction="both", **options)) == {"n2": 1.0, "n0": 0.5}


def test_filters_hold_on_seeds_and_hops():
    memories, edges = random_graph(7)
    table = build(memories, edges).spread(list(memories), depth=2, fact_type="world")
    assert table.num_rows > 0
    assert all(memories[id]["fact_type"] == "world" for id in table["id"].to_pylist())


def test_seeds_come_in_every_form():
    graph = bare(3, [("n0", "n1", "causes", 1.0)])
    expected = graph.spread({"n0": 1.0, "n2": 1.0})
    for seeds in (
        ["n0", "n2"],
        pa.array(["n0", "n2"]),
        pa.table({"id": ["n0", "n2"], "activation": [1, 1]}),
        ("n2", "n0"),
    ):
        assert graph.spread(seeds).equals(expected)
    assert graph.spread([]).num_rows == 0
    assert graph.pagerank([]).num_rows == 0
    for bad, error in [
        (["n9"], tw.UnknownIdError),
        ("n0", tw.InvalidTypeError),
        (["n0", "n0"], tw.InvalidValueError),
        ({"n0": -1.0}, tw.InvalidValueError),
        ({"n0": float("inf")}, tw.InvalidValueError),
        (3, tw.InvalidTypeError),
        ([True], tw.InvalidTypeError),
    ]:
        with pytest.raises(error):
            graph.spread(bad)


def test_pagerank_approaches_the_exact_one():
    for seed in range(60):
        memories, edges = random_graph(seed)
        rng = random.Random(seed)
        seeds = {id: rng.random() + 0.1 for id in rng.sample(list(memories), min(3, len(memories)))}
        table = build(memories, edges).pagerank(seeds, restart=0.3, epsilon=1e-9)
        exact = spreading.pagerank(list(memories), edges, seeds, 0.3)
        close = {id: found(table).get(id, 0.0) for id in exact}
        assert close == pytest.approx(exact, abs=1e-5)
        assert all(close[id] <= exact[id] + 1e-12 for id in exact)  # the push never overshoots


def test_mass_and_residual_sum_to_one():
    for seed in range(60):
        memories, edges = random_graph(seed)
        table = build(memories, edges).pagerank(list(memories)[:2], epsilon=0.01)
        residual = json.loads(table.schema.metadata[b"timewalk"])["residual"]
        assert sum(table["activation"].to_pylist()) + residual == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "options"),
    [
        ("spread", {"decay": -0.1}),
        ("spread", {"decay": float("nan")}),
        ("spread", {"threshold": -1.0}),
        ("spread", {"clamp": -1.0}),
        ("spread", {"fire": "never"}),
        ("spread", {"combine": "mean"}),
        ("spread", {"fan": "log"}),
        ("spread", {"fan": "actr", "fan_strength": 0.0}),
        ("spread", {"direction": "up"}),
        ("pagerank", {"restart": 0.0}),
        ("pagerank", {"restart": 1.5}),
        ("pagerank", {"epsilon": 0.0}),
        ("pagerank", {"epsilon": float("nan")}),
    ],
)
def test_bad_options_are_value_errors(call, options):
    with pytest.raises(tw.InvalidValueError):
        getattr(bare(2, []), call)(["n0"], **options)


def test_an_unknown_relation_is_named():
    with pytest.raises(tw.UnknownIdError, match="'likes'"):
        bare(2, []).spread(["n0"], relations=["likes"])


def test_paths_lead_to_a_seed_by_the_strongest_contribution_of_the_first_round():
    rows = [("n0", "n2", 0.4), ("n1", "n2", 0.8), ("n2", "n3", 1.0), ("n3", "n2", 1.0), ("n3", "n1", 1.0)]
    graph = bare(5, [(source, target, "causes", weight) for source, target, weight in rows])
    table = graph.spread(["n0", "n1"], depth=4, threshold=0.0, paths=True)
    assert table.column_names == ["id", "activation", "depth", "parent", "relation", "weight"]
    ways = {row["id"]: (row["depth"], row["parent"], row["weight"]) for row in table.to_pylist()}
    assert ways == {
        "n0": (0, None, None), "n1": (0, None, None), "n2": (1, "n1", pytest.approx(0.8)), "n3": (2, "n2", 1.0),
    }  # fmt: skip
    assert [step["target"] for step in path_to(table, "n3")] == ["n2", "n3"]
    backwards = graph.spread(["n3"], direction="in", depth=1, paths=True)
    assert [step["relation"] for step in path_to(backwards, "n2")] == ["caused_by"]
    with pytest.raises(tw.UnknownIdError, match="n4"):
        path_to(table, "n4")
    with pytest.raises(tw.UnknownIdError, match="paths=True"):
        path_to(graph.spread(["n0"]), "n0")


@pytest.mark.parametrize("kernel", ["spread", "pagerank"])
def test_paths_change_no_score_and_follow_real_edges(kernel):
    for seed in range(100):
        memories, edges = random_graph(seed, most=40)
        graph = build(memories, edges)
        seeds = list(memories)[:3]
        options = {"depth": 5, "threshold": 1e-6} if kernel == "spread" else {"epsilon": 1e-6}
        for direction in ("out", "in", "both"):
            call = getattr(graph, kernel)
            table = call(seeds, direction=direction, paths=True, **options)
            assert table.select(["id", "activation"]).equals(call(seeds, direction=direction, **options))
            there = {(edge[0], edge[1]) for edge in edges}
            for row in table.to_pylist():
                steps = path_to(table, row["id"])
                assert len(steps) == row["depth"]
                assert (steps[0]["source"] if steps else row["id"]) in seeds
                for step in steps:
                    pair = (step["source"], step["target"])
                    assert pair in there or (direction != "out" and pair[::-1] in there)
        many = getattr(graph, f"{kernel}_many")([seeds, seeds[:1]], paths=True, **options)
        single = getattr(graph, kernel)(seeds, paths=True, **options)
        assert many.filter(pa.compute.equal(many["query"], 0)).drop_columns(["query"]).equals(single)


FAR = 10**8
ENDING = [
    {"combine": "max", "decay": 0.9},
    {"combine": "noisy_or", "threshold": 0.1},
    {"clamp": 1.0, "threshold": 0.1},
    {"fire": "once", "decay": 0.9, "threshold": 1e-9},
    {"fire": "once", "max_active": 4},
    {"combine": "max", "max_active": 4},
    {"clamp": 0.7, "max_active": 4, "threshold": 0.1},
    {"threshold": 0.9},
    {"fire": "wave", "decay": 0.05},
    {"fire": "wave", "decay": 0.5, "own": False, "combine": "max", "threshold": 1e-9},
    {"fire": "wave", "clamp": 0.7, "combine": "max", "max_active": 4},
]


@pytest.mark.parametrize("options", ENDING, ids=str)
def test_rounds_end_once_nothing_changes(options):
    for seed in range(40):
        memories, edges = random_graph(seed, most=40)
        graph, seeds = build(memories, edges), list(memories)[:3]
        far = graph.spread(seeds, depth=FAR, **options)
        assert far.equals(graph.spread(seeds, depth=2_000, **options))
        assert far.equals(graph.spread_many([seeds], depth=FAR, **options).drop_columns(["query"]))
        assert graph.spread(seeds, depth=FAR, paths=True, **options).select(far.column_names).equals(far)


def test_sums_that_grow_end_at_the_largest_number_and_others_are_refused():
    cycle = bare(2, [("n0", "n1", "causes", 1.0), ("n1", "n0", "causes", 1.0)])
    assert cycle.spread(["n0"], depth=FAR)["activation"].to_pylist() == [np.finfo(np.float64).max] * 2
    assert found(bare(2, []).spread(["n0"], depth=FAR)) == {"n0": 1.0}
    chain = bare(2, [("n0", "n1", "causes", 0.5)])
    assert found(chain.spread(["n0"], depth=10_000)) == {"n0": 1.0, "n1": 2_500.0}
    for ask in (lambda: chain.spread(["n0"], depth=FAR), lambda: chain.spread_many([["n0"]], depth=FAR)):
        with pytest.raises(tw.InvalidValueError, match=r"depth=100000000.*once"):
            ask()
    # A chain that is longer than that is walked to its end.
    count = 12_000
    long = bare(count, [(f"n{i}", f"n{i + 1}", "causes", 1.0) for i in range(count - 1)])
    assert long.spread(["n0"], depth=FAR, decay=1.0, fire="once").num_rows == count


def test_a_mask_made_ready_is_the_same_mask():
    for seed in range(30):
        memories, edges = random_graph(seed)
        graph = build(memories, edges)
        ids = graph.memories()["id"].to_pylist()
        rng = random.Random(seed)
        chosen = [rng.random() < 0.6 for _ in ids]
        named = [id for id, passes in zip(ids, chosen, strict=True) if passes]
        for ready in (graph.mask(pa.array(chosen, pa.bool_())), graph.mask(named)):
            assert len(ready) == len(named)
            assert graph.spread(ids, mask=ready, depth=5).equals(graph.spread(ids, mask=named, depth=5))
            assert graph.pagerank(ids, mask=ready).equals(graph.pagerank(ids, mask=named))
            assert graph.walk((None, None), mask=ready).equals(graph.walk((None, None), mask=named))


def test_a_mask_stays_a_set_of_the_same_memories():
    memories, edges = random_graph(3)
    graph = build(memories, edges)
    first, *others = graph.memories()["id"].to_pylist()
    ready = graph.mask([first])
    graph.delete([others[0]])
    graph.add_memories(pa.table({"id": ["new"]}))
    assert graph.spread([first, "new"], depth=0, mask=ready)["id"].to_pylist() == [first]
    graph.delete([first])
    graph.add_memories(pa.table({"id": [first]}))
    assert graph.spread([first, "new"], depth=0, mask=ready)["id"].to_pylist() == [first]
    with pytest.raises(tw.InvalidValueError, match="another graph"):
        build(memories, edges).spread([first], mask=ready)
    with pytest.raises(tw.InvalidValueError, match="booleans"):
        graph.mask([True])
    with pytest.raises(tw.UnknownIdError, match="nobody"):
        graph.mask(["nobody"])
