"""What is taken out of the graph again: delete, invalidate, merge; compaction; and `check` after all of it."""

import json
import random

import pyarrow as pa
import pytest
from oracles.graphs import BASE, DAY, build, edge_table, memory_table, random_graph

import timewalk as tw
from timewalk.graph import path_to

TIME = pa.timestamp("us", tz="UTC")


def edges_of(graph):
    return {tuple(row.values()) for row in graph.edges().to_pylist()}


def town():
    """Two memories that mention Ann and Bob, and a third alone."""
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["m1", "m2", "m3"], "embedding": [[1.0, 0.0], [0.0, 1.0], None]}))
    graph.add_entities(pa.table({"id": ["ann", "anne", "bob"], "type": ["person"] * 3}))
    rows = [("m1", "ann", "mentions", 1.0), ("m1", "bob", "mentions", 0.5), ("m2", "anne", "mentions", 0.75)]
    rows += [("m2", "ann", "mentions", 0.25), ("ann", "anne", "co_occurs", 1.0), ("m1", "m2", "causes", 1.0)]
    graph.add_edges(edge_table(rows))
    return graph


def test_delete_leaves_nothing_behind():
    graph = town()
    assert graph.delete(["m1"]) == ["m1", "bob"]  # only m1 mentioned Bob
    assert "m1" not in graph
    assert "bob" not in graph
    assert len(graph) == 4
    assert edges_of(graph) == {
        ("m2", "ann", "mentions", 0.25),
        ("m2", "anne", "mentions", 0.75),
        ("ann", "anne", "co_occurs", 1.0),
    }
    assert graph.check() == []
    assert graph.memories()["id"].to_pylist() == ["m2", "m3"]
    with pytest.raises(tw.UnknownIdError, match="'m1'"):
        graph.spread(["m1"])


def test_a_deleted_id_comes_back_as_something_new():
    graph = town()
    graph.delete(["m1", "m1"])
    graph.add_memories(pa.table({"id": ["m1"], "occurred_start": ["2024-01-01"]}))
    row = graph.memories().to_pylist()[0]
    assert (row["id"], row["embedding"], row["occurred_start"].year) == ("m1", None, 2024)
    assert graph.spread(["m1"]).num_rows == 1
    graph.add_memories(pa.table({"id": ["m1"], "embedding": [[0.0, 1.0]]}))
    assert graph.memories().to_pylist()[0]["embedding"] == [0.0, 1.0]
    assert graph.check() == []


def test_delete_of_an_unknown_id_changes_nothing():
    graph = town()
    before = edges_of(graph)
    with pytest.raises(tw.UnknownIdError, match="'nobody'"):
        graph.delete(["m1", "nobody"])
    assert edges_of(graph) == before
    assert "m1" in graph


def test_invalidated_memories_are_history():
    day = {"end": None, "mentioned": None, "vector": None, "namespace": "default", "fact_type": None, "tags": []}
    memories = {id: {**day, "start": BASE} for id in ("old", "new")}
    graph = build(memories, [("new", "old", "causes", 1.0)])
    window = (BASE, BASE + DAY)
    graph.invalidate(["old"], at=BASE + 5 * DAY)
    assert graph.walk(window)["id"].to_pylist() == ["new"]
    assert set(graph.walk(window, as_of=BASE + 4 * DAY)["id"].to_pylist()) == {"new", "old"}
    assert graph.walk(window, as_of=BASE + 5 * DAY)["id"].to_pylist() == ["new"]
    assert graph.spread(["new"]).num_rows == 1
    assert graph.stats()["invalidated"] == 1
    assert graph.check() == []
    graph.invalidate(["old"], at=None)
    assert graph.walk(window).num_rows == 2
    graph.add_memories(pa.table({"id": ["new"], "created_at": pa.array([BASE + DAY], pa.timestamp("us", tz="UTC"))}))
    assert graph.walk(window, as_of=BASE)["id"].to_pylist() == ["old"]
    for ids, error in [(["nobody"], tw.UnknownIdError), ("old", tw.InvalidTypeError)]:
        with pytest.raises(error):
            graph.invalidate(ids, at=BASE)
    with pytest.raises(tw.InvalidValueError, match="entity"):
        town().invalidate(["ann"], at=BASE)


def test_merged_entities_are_one_and_their_aliases_lead_to_it():
    graph = town()
    graph.merge_entities("ann", ["anne"])
    assert edges_of(graph) == {
        ("m1", "ann", "mentions", 1.0),
        ("m1", "bob", "mentions", 0.5),
        ("m2", "ann", "mentions", 0.75),
        ("m1", "m2", "causes", 1.0),
    }
    assert graph.entities().to_pylist()[0] == {
        "id": "ann",
        "namespace": "default",
        "type": "person",
        "aliases": ["anne"],
    }
    assert "anne" in graph
    assert graph.spread(["anne"]).equals(graph.spread(["ann"]))
    graph.add_entities(pa.table({"id": ["anne"]}))  # met again under the alias: still one
    graph.add_edges(edge_table([("m3", "anne", "mentions", 1.0)]))
    assert ("m3", "ann", "mentions", 1.0) in edges_of(graph)
    assert len(graph.entities()) == 2
    graph.merge_entities("bob", ["ann"])
    assert graph.entities().to_pylist()[0]["aliases"] == ["ann", "anne"]
    assert graph.check() == []
    for keep, others, error in [("m1", ["bob"], tw.InvalidValueError), ("bob", ["x"], tw.UnknownIdError)]:
        with pytest.raises(error):
            graph.merge_entities(keep, others)
    graph.delete(["bob"])
    assert "anne" not in graph
    assert graph.check() == []


def test_random_changes_leave_a_sound_graph_equal_to_one_built_at_once():
    for seed in range(40):
        rng = random.Random(seed)
        memories, edges = random_graph(seed, most=60)
        graph = build(memories, edges, pieces=rng.randint(1, 8))
        for _ in range(rng.randint(1, 4)):
            gone = set(rng.sample(list(memories), min(len(memories), rng.randint(0, 6))))
            graph.delete(sorted(gone))
            memories = {id: memory for id, memory in memories.items() if id not in gone}
            edges = [edge for edge in edges if not gone & {edge[0], edge[1]}]
            if rng.random() < 0.5:
                graph.compact()
                assert graph.stats()["patched"] == 0
            back = rng.sample(sorted(gone), len(gone) // 2)
            fresh, _ = random_graph(seed + 1000, most=4)
            again = {id: next(iter(fresh.values())) for id in back}
            graph.add_memories(memory_table(again))
            memories |= again
            assert graph.check() == []
        assert edges_of(graph) == set(edges)
        if memories:
            window, seeds = (BASE - 5 * DAY, BASE + 5 * DAY), list(memories)[:2]
            anew = build(memories, edges)
            assert graph.walk(window, query=[1.0, 0, 0, 0]).equals(anew.walk(window, query=[1.0, 0, 0, 0]))
            assert graph.spread(seeds, depth=4).equals(anew.spread(seeds, depth=4))
            assert graph.pagerank(seeds).equals(anew.pagerank(seeds))


def test_removed_edges_are_gone_from_both_directions():
    graph = town()
    before = edges_of(graph)
    table = edge_table(
        [("m2", "ann", "mentions", 9.0), ("m2", "ann", "co_occurs", 1.0), ("ann", "m2", "mentions", 1.0)]
    )
    assert graph.remove_edges(table.drop_columns(["weight"])) == 1  # the others were never there
    assert edges_of(graph) == before - {("m2", "ann", "mentions", 0.25)}
    graph.add_edges(edge_table([("m1", "m2", "temporal", 1.0)]))
    assert graph.remove_edges(pa.table({"source": ["m1", "m1"], "target": ["m2", "m2"]})) == 2  # of every relation
    assert not [edge for edge in edges_of(graph) if edge[:2] == ("m1", "m2")]
    assert graph.spread(["m2"], direction="in").num_rows == 1
    assert graph.check() == []
    assert graph.num_edges == len(edges_of(graph))
    kept = edges_of(graph)
    for bad, error in [
        ({"source": ["m1", "x"], "target": ["bob", "bob"], "relation": ["mentions"] * 2}, tw.UnknownIdError),
        ({"source": ["m1"], "target": ["bob"], "relation": ["knows"]}, tw.UnknownIdError),
        ({"source": ["m1"]}, tw.UnknownIdError),
    ]:
        with pytest.raises(error):
            graph.remove_edges(pa.table(bad))
    assert edges_of(graph) == kept


def test_many_small_writes_give_the_graph_of_one_big_one():
    for seed in range(6):
        rng = random.Random(seed)
        memories, edges = random_graph(seed, most=60)
        order = list(memories)
        rng.shuffle(order)
        graph = tw.MemoryGraph()
        for id in order:
            graph.add_memories(memory_table({id: memories[id]}))
        for edge in rng.sample(edges, len(edges)):
            graph.add_edges(edge_table([edge]))
        extra = [(edge[0], edge[1], "co_occurs", 1.0) for edge in edges]
        if extra:
            graph.add_edges(edge_table(extra))
            assert graph.remove_edges(edge_table(extra)) == len(set(extra) - set(edges))
        assert graph.check() == []
        whole = build(memories, [edge for edge in edges if edge[2] != "co_occurs" or not extra])
        for window in ((BASE - 5 * DAY, BASE + 5 * DAY), (None, None), (BASE, None)):
            assert graph.walk(window, query=[1.0, 0, 0, 0]).equals(whole.walk(window, query=[1.0, 0, 0, 0]))


def test_a_window_without_end_ends_with_the_last_memory_that_is_left():
    def dated(*days):
        graph = tw.MemoryGraph()
        for day in days:
            graph.add_memories(pa.table({"id": [f"d{day}"], "mentioned_at": pa.array([BASE + day * DAY], TIME)}))
        return graph

    graph = dated(3, 900, 1, 2, -500)
    graph.delete(["d900"])
    graph.add_memories(pa.table({"id": ["d-500"], "mentioned_at": pa.array([BASE], TIME)}))
    anew = dated(1, 2, 3)
    anew.add_memories(pa.table({"id": ["d-500"], "mentioned_at": pa.array([BASE], TIME)}))
    assert graph.walk((None, None)).equals(anew.walk((None, None)))


def test_best_first_is_the_largest_product_and_gives_paths():
    rows = [
        ("a", "b", "causes", 0.5),
        ("b", "c", "temporal", 1.0),
        ("a", "c", "similar", 0.25),
        ("c", "d", "causes", 5.0),
    ]
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a", "b", "c", "d", "e"]}))
    graph.add_edges(edge_table(rows))
    table = graph.best_first(["a"], decay=1.0)
    assert list(zip(table["id"].to_pylist(), table["activation"].to_pylist(), strict=True)) == [
        ("a", 1.0), ("b", 0.5), ("c", 0.5), ("d", 0.5),
    ]  # fmt: skip
    steps = path_to(table, "d")
    assert [(step["source"], step["relation"], step["target"]) for step in steps] == [
        ("a", "causes", "b"), ("b", "temporal", "c"), ("c", "causes", "d"),
    ]  # fmt: skip
    assert path_to(table, "a") == []
    cut = graph.best_first(["a"], decay=1.0, budget=2)
    assert cut["id"].to_pylist() == ["a", "b"]
    assert json.loads(cut.schema.metadata[b"timewalk"])["truncated"] == 1
    assert graph.best_first(["a"], decay=1.0, targets=["b"])["id"].to_pylist() == ["a", "b"]
    assert graph.best_first(["d"], decay=1.0, direction="both")["relation"].to_pylist()[1] == "caused_by"
    assert graph.best_first(["a"], decay=0.5, threshold=0.2)["id"].to_pylist() == ["a", "b"]


def test_best_first_equals_the_longest_product_by_repeated_relaxing():
    for seed in range(60):
        memories, edges = random_graph(seed)
        start = next(iter(memories))
        best = {start: 1.0}
        for _ in memories:
            for source, target, _, weight in edges:
                if source in best:
                    offered = best[source] * min(weight * 0.5, 1.0)
                    if offered > best.get(target, 0.0):
                        best[target] = offered
        table = build(memories, edges).best_first([start], budget=10_000)
        assert dict(zip(table["id"].to_pylist(), table["activation"].to_pylist(), strict=True)) == best


def test_batches_give_what_single_calls_give_at_any_number_of_threads():
    memories, edges = random_graph(21, most=60)
    graph = build(memories, edges)
    ids = list(memories)
    seeds = [ids[i : i + 3] for i in range(0, len(ids) - 3, 2)] * 5
    windows = [(BASE + i * DAY, BASE + (i + 3) * DAY) for i in range(-10, 10)] * 3
    queries = [[1.0, i / 10, 0.0, 0.5] for i in range(len(windows))]
    calls = {
        "spread": (lambda n: graph.spread_many(seeds, threads=n), [graph.spread(one) for one in seeds]),
        "pagerank": (lambda n: graph.pagerank_many(seeds, threads=n), [graph.pagerank(one) for one in seeds]),
        "walk": (
            lambda n: graph.walk_many(windows, queries=queries, threads=n),
            [graph.walk(one, query=query) for one, query in zip(windows, queries, strict=True)],
        ),
    }
    for many, singles in calls.values():
        expected = pa.concat_tables([table.replace_schema_metadata(None) for table in singles])
        for threads in (1, 2, 3, None):
            table = many(threads)
            assert table.drop_columns(["query"]).equals(expected)
        counts = [table.num_rows for table in singles]
        assert table["query"].to_pylist() == [at for at, count in enumerate(counts) for _ in range(count)]
    assert graph.spread_many([]).num_rows == 0
    for bad in ("m0", {"m0": 1.0}, 3):
        with pytest.raises(tw.InvalidTypeError):
            graph.spread_many(bad)
    with pytest.raises(tw.InvalidValueError):
        graph.walk_many(windows, queries=queries[1:])
    with pytest.raises(tw.InvalidValueError):
        graph.spread_many(seeds, threads=0)
