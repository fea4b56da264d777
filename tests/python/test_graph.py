"""Building the memory graph: what goes in comes out, and what is wrong goes nowhere."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracles.graphs import build, edge_table, random_graph

import timewalk as tw

UTC = pa.timestamp("us", tz="UTC")


def small():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a", "b", "c"], "embedding": [[1.0, 0.0], None, [3.0, 4.0]]}))
    graph.add_entities(pa.table({"id": ["x"], "type": ["person"]}))
    return graph


def test_memories_come_out_as_they_went_in():
    graph = tw.MemoryGraph()
    table = pa.table(
        {
            "id": ["b", "a"],
            "namespace": ["work", "work"],
            "fact_type": ["world", None],
            "thread": [None, "t"],
            "author": ["Ann", None],
            "tags": [["z", "y", "z"], []],
            "occurred_start": pa.array([1, None], UTC),
            "occurred_end": pa.array([2, None], UTC),
            "mentioned_at": pa.array([None, 4], UTC),
            "created_at": pa.array([5, 6], UTC),
            "embedding": pa.array([[3.0, 4.0], None], pa.list_(pa.float32(), 2)),
            "whatever": [1, 2],
        }
    )
    graph.add_memories(table)
    out = graph.memories().to_pylist()
    assert [set(row.pop("tags")) for row in out] == [{"y", "z"}, set()]
    assert out[0].pop("embedding") == pytest.approx([0.6, 0.8])
    expected = table.drop_columns(["tags", "embedding", "whatever"]).to_pylist()
    assert [{name: row[name] for name in expected[0]} for row in out] == expected
    assert graph.memories()["embedding"].type == pa.list_(pa.float32(), 2)
    assert len(graph) == 2
    assert "a" in graph
    assert "z" not in graph
    assert object() not in graph


def test_upsert_changes_the_columns_it_has():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a"], "fact_type": ["world"], "thread": ["t"], "embedding": [[1.0, 0.0]]}))
    graph.add_memories(
        pa.table({"id": ["a", "b"], "fact_type": ["opinion", "world"], "embedding": [[0.0, 2.0], [1.0, 1.0]]})
    )
    rows = graph.memories().to_pylist()
    assert [(row["id"], row["fact_type"], row["thread"], row["namespace"]) for row in rows] == [
        ("a", "opinion", "t", "default"),
        ("b", "world", None, "default"),
    ]
    assert rows[0]["embedding"] == [0.0, 1.0]
    graph.add_memories(pa.table({"id": ["a"], "thread": pa.array([None], pa.string())}))
    assert graph.memories().to_pylist()[0]["thread"] is None
    assert len(graph) == 2


def test_ids_may_be_integers_of_any_size():
    graph = tw.MemoryGraph()
    ids = [2**31 + 5, 2**63 - 1, -4]
    graph.add_memories(pa.table({"id": ids}))
    graph.add_memories(pa.table({"id": pa.array([2**64 - 1], pa.uint64())}))
    graph.add_edges(pa.table({"source": ids[:2], "target": ids[1:], "relation": ["causes"] * 2}))
    assert graph.memories()["id"].to_pylist() == [str(id) for id in [*ids, 2**64 - 1]]
    assert 2**31 + 5 in graph
    assert np.int64(-4) in graph
    assert graph.spread([ids[0]], depth=1)["id"].to_pylist() == [str(ids[0]), str(ids[1])]


def test_edges_merge_by_the_larger_weight_and_keep_their_direction():
    graph = small()
    rows = [
        ("a", "b", "causes", 0.5),
        ("b", "a", "causes", 0.25),
        ("a", "b", "temporal", 1.0),
        ("a", "b", "causes", 0.75),
    ]
    graph.add_edges(edge_table(rows))
    graph.add_edges(edge_table(rows[:1]))
    assert graph.num_edges == 3
    assert {tuple(row.values()) for row in graph.edges().to_pylist()} == {rows[1], rows[2], rows[3]}
    graph.add_edges(edge_table(rows[:1]), merge="replace")
    assert {tuple(row.values()) for row in graph.edges().to_pylist()} == {rows[0], rows[1], rows[2]}


def test_weights_default_to_one_and_nine_is_nine():
    graph = small()
    graph.add_edges(
        pa.table({"source": ["a", "b"], "target": ["b", "c"], "relation": ["causes"] * 2, "weight": [9, None]})
    )
    assert graph.edges()["weight"].to_pylist() == [9.0, 1.0]
    graph.add_edges(pa.table({"source": ["a"], "target": ["x"], "relation": ["mentions"]}))
    assert graph.num_edges == 3


@pytest.mark.parametrize(
    ("table", "error", "column", "row"),
    [
        ({"source": ["a"], "target": ["nobody"], "relation": ["causes"]}, tw.UnknownIdError, "target", 0),
        ({"source": ["a", "no"], "target": ["b", "b"], "relation": ["causes"] * 2}, tw.UnknownIdError, "source", 1),
        ({"source": ["a"], "target": ["b"], "relation": ["likes"]}, tw.UnknownIdError, "relation", 0),
        ({"source": ["a"], "target": ["b"], "relation": [None]}, tw.UnknownIdError, "relation", 0),
        ({"source": ["a"], "target": ["b"]}, tw.UnknownIdError, "relation", None),
        ({"source": ["a"], "target": ["a"], "relation": ["causes"]}, tw.InvalidValueError, "target", 0),
        ({"source": [None], "target": ["a"], "relation": ["causes"]}, tw.InvalidValueError, "source", 0),
        (
            {"source": ["a"], "target": ["b"], "relation": ["causes"], "weight": [-0.5]},
            tw.InvalidValueError,
            "weight",
            0,
        ),
        (
            {"source": ["a"], "target": ["b"], "relation": ["causes"], "weight": [np.nan]},
            tw.InvalidValueError,
            "weight",
            0,
        ),
        (
            {"source": ["a"], "target": ["b"], "relation": ["causes"], "weight": [1e300]},
            tw.InvalidValueError,
            "weight",
            0,
        ),
        (
            {"source": ["a"], "target": ["b"], "relation": ["causes"], "weight": ["1"]},
            tw.InvalidTypeError,
            "weight",
            None,
        ),
        ({"source": ["a"], "target": ["far"], "relation": ["causes"]}, tw.InvalidValueError, "target", 0),
    ],
)
def test_bad_edges_name_row_and_column_and_change_nothing(table, error, column, row):
    graph = small()
    graph.add_memories(pa.table({"id": ["far"], "namespace": ["elsewhere"]}))
    good = {"source": ["b"], "target": ["c"], "relation": ["causes"], "weight": [1.0]}
    padded = {
        name: [*good[name], *values] for name, values in table.items() if not (name == "weight" and values == ["1"])
    }
    if len(padded) != len(table):
        padded, row_shift = table, 0
    else:
        row_shift = 1
    with pytest.raises(error) as caught:
        graph.add_edges(pa.table(padded))
    assert caught.value.column == column
    assert caught.value.row == (None if row is None else row + row_shift)
    assert graph.num_edges == 0


@pytest.mark.parametrize(
    ("table", "error", "column", "row"),
    [
        ({"id": ["n", "n"]}, tw.InvalidValueError, "id", 1),
        ({"id": ["n", None]}, tw.InvalidValueError, "id", 1),
        ({"id": ["n", ""]}, tw.InvalidValueError, "id", 1),
        ({"id": ["n", "x"]}, tw.InvalidValueError, "id", 1),
        ({"id": [1.5]}, tw.InvalidTypeError, "id", None),
        ({"name": ["n"]}, tw.UnknownIdError, "id", None),
        ({"id": ["n"], "embedding": [[1.0, 2.0, 3.0]]}, tw.InvalidValueError, "embedding", 0),
        ({"id": ["n"], "embedding": [[1.0, np.nan]]}, tw.InvalidValueError, "embedding", 0),
        ({"id": ["n"], "embedding": [[1.0, None]]}, tw.InvalidValueError, "embedding", 0),
        ({"id": ["n"], "embedding": [["1", "2"]]}, tw.InvalidTypeError, "embedding", None),
        ({"id": ["n"], "embedding": [7]}, tw.InvalidTypeError, "embedding", None),
        ({"id": ["n"], "occurred_start": [5]}, tw.InvalidTypeError, "occurred_start", None),
        ({"id": ["n"], "occurred_start": ["soon"]}, tw.InvalidValueError, "occurred_start", 0),
        (
            {"id": ["n"], "occurred_start": ["2024-02"], "occurred_end": ["2024-01"]},
            tw.InvalidValueError,
            "occurred_end",
            0,
        ),
        ({"id": ["n"], "tags": ["a"]}, tw.InvalidTypeError, "tags", None),
        ({"id": ["n"], "fact_type": [3]}, tw.InvalidTypeError, "fact_type", None),
    ],
)
def test_bad_memories_name_row_and_column_and_change_nothing(table, error, column, row):
    graph = small()
    before = graph.memories()
    with pytest.raises(error) as caught:
        graph.add_memories(pa.table(table))
    assert (caught.value.column, caught.value.row) == (column, row)
    assert graph.memories().equals(before)
    assert "n" not in graph


def test_an_end_before_a_known_start_is_refused():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a"], "occurred_start": ["2024-02-01"]}))
    with pytest.raises(tw.InvalidValueError):
        graph.add_memories(pa.table({"id": ["a"], "occurred_end": ["2024-01-01"]}))


def test_a_memory_with_edges_keeps_its_namespace():
    graph = small()
    graph.add_memories(pa.table({"id": ["c"], "namespace": ["elsewhere"]}))
    graph.add_edges(edge_table([("a", "b", "causes", 1.0)]))
    with pytest.raises(tw.InvalidValueError, match="namespace"):
        graph.add_memories(pa.table({"id": ["a"], "namespace": ["elsewhere"]}))


def test_every_kind_of_frame_gives_the_same_graph():
    memories = {"id": ["a", "b"], "occurred_start": ["2024-01-01", "2024-01-02"], "embedding": [[1.0, 0.0], [0.0, 1.0]]}
    edges = {"source": ["a"], "target": ["b"], "relation": ["causes"], "weight": [0.5]}
    table = pa.table(memories)
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1, 1)])
    padded = pa.concat_tables([table, table]).slice(1, 2)  # b, a
    views = table.set_column(0, "id", table["id"].cast(pa.string_view()))
    coded = table.set_column(0, "id", table["id"].dictionary_encode())
    large = table.set_column(2, "embedding", table["embedding"].cast(pa.large_list(pa.float64())))
    fixed = table.set_column(2, "embedding", table["embedding"].cast(pa.list_(pa.float32(), 2)))
    results = []
    for frame in (
        table,
        chunked,
        padded,
        views,
        coded,
        large,
        fixed,
        table.to_batches()[0],
        pl.DataFrame(memories),
        pd.DataFrame(memories),
    ):
        graph = tw.MemoryGraph()
        graph.add_memories(frame)
        graph.add_edges(pl.DataFrame(edges) if isinstance(frame, pl.DataFrame) else pa.table(edges))
        results.append(graph.walk(("2024-01-01", "2024-01-03"), query=np.array([1.0, 0.5], dtype="f4")))
    assert results[0].num_rows == 2
    assert all(result.equals(results[0]) for result in results)


def test_naive_times_are_read_in_the_named_zone():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a"], "occurred_start": ["2024-05-01"]}), tz="+08:00")
    assert str(graph.memories()["occurred_start"][0].as_py()) == "2024-04-30 16:00:00+00:00"


def test_relations_are_listed_and_checked():
    graph = tw.MemoryGraph()
    graph.register_relation("owns", inverse="owned_by", kind="other")
    graph.register_relation("owns", inverse="owned_by", kind="other")
    graph.register_relation("rivals", kind="other")
    graph.register_relation("sparks")
    rows = {row["name"]: row for row in graph.relations().to_pylist()}
    assert rows["causes"] == {"name": "causes", "inverse": "caused_by", "kind": "causal", "boost": 2.0}
    assert rows["owned_by"]["inverse"] == "owns"
    assert rows["rivals"]["inverse"] == "rivals"
    assert rows["sparks"]["inverse"] == "inverse:sparks"
    for bad in [
        {"name": "x", "boost": -1.0},
        {"name": "x", "boost": float("nan")},
        {"name": "x", "kind": "magic"},
        {"name": "", "kind": "other"},
        {"name": "owns", "inverse": "had_by", "kind": "other"},
        {"name": "takes", "inverse": "causes"},
    ]:
        with pytest.raises(tw.InvalidValueError):
            graph.register_relation(bad.pop("name"), **bad)
    for number in range((255 - graph.relations().num_rows) // 2):
        graph.register_relation(f"r{number}")
    with pytest.raises(tw.InvalidValueError, match="255"):
        graph.register_relation("too many")


def test_growing_bit_by_bit_is_the_same_as_at_once():
    memories, edges = random_graph(11, most=60)
    at_once = build(memories, edges)
    by_bits = build(memories, edges, pieces=max(1, len(edges)))
    key = [("source", "ascending"), ("target", "ascending"), ("relation", "ascending")]
    assert by_bits.edges().sort_by(key).equals(at_once.edges().sort_by(key))
    assert by_bits.num_edges == len(edges)


def test_readers_see_whole_writes_while_a_writer_works():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": [str(i) for i in range(200)]}))
    wrong, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            if graph.num_edges % 199 != 0 or len(graph.spread(["0"], depth=1)) not in (1, 200):
                wrong.append(graph.num_edges)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for relation in ["temporal", "causes", "enables", "prevents", "follows"]:
        graph.add_edges(edge_table([("0", str(i), relation, 1.0) for i in range(1, 200)]))
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert graph.num_edges == 5 * 199


def test_many_edges_at_once_by_numbers_or_by_text_are_the_same():
    rng = np.random.default_rng(8)
    source, target = rng.integers(-250, 250, 20_000), rng.integers(-250, 250, 20_000)
    keep = source != target
    source, target = source[keep], target[keep]
    names = np.array(["temporal", "causes", "similar"])[rng.integers(0, 3, len(source))]
    weight = rng.random(len(source))
    columns = {"source": source, "target": target, "relation": names, "weight": weight}
    coded = pa.table(columns | {"relation": pa.array(names).dictionary_encode()})
    texts = pa.table(columns | {"source": source.astype(str), "target": target.astype(str)})
    expected = {}
    for *key, value in zip(source.astype(str), target.astype(str), names, weight.astype("f4").tolist(), strict=True):
        expected[tuple(key)] = max(value, expected.get(tuple(key), 0.0))
    answers = []
    for table in (pa.table(columns), coded, texts, texts.take(rng.permutation(len(source)))):
        graph = tw.MemoryGraph()
        graph.add_memories(pa.table({"id": np.arange(-250, 250)}))
        graph.add_edges(table)
        assert graph.check() == []
        found = {(row["source"], row["target"], row["relation"]): row["weight"] for row in graph.edges().to_pylist()}
        assert found == expected
        answers.append([graph.spread([3, -7], depth=2), graph.pagerank([3, -7])])
    assert all(answer == answers[0] for answer in answers)
    graph.add_edges(pa.table({"source": [1], "target": [2], "relation": ["mentions"]}))
    assert graph.num_edges == len(expected) + 1
    with pytest.raises(tw.UnknownIdError) as caught:
        graph.add_edges(coded.set_column(1, "target", pa.array([*target[:-1], 999])))
    assert (caught.value.column, caught.value.row) == ("target", len(target) - 1)


def test_what_is_only_like_a_number_is_not_that_number():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["7", "07", "+7", "-0", "0", "1"]}))
    count = 9000
    edges = pa.table({"source": [7] * count, "target": [0] * count, "relation": ["causes"] * count})
    graph.add_edges(edges)
    assert [tuple(row.values()) for row in graph.edges().to_pylist()] == [("7", "0", "causes", 1.0)]


def test_compaction_on_a_thread_of_its_own_changes_no_answer():
    rng = np.random.default_rng(2)
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": np.arange(2000)}))
    added = 0
    while added < 120_000:
        source, target = rng.integers(0, 2000, 4000), rng.integers(0, 2000, 4000)
        keep = source != target
        graph.add_edges(pa.table({"source": source[keep], "target": target[keep], "relation": ["causes"] * keep.sum()}))
        added += int(keep.sum())
    answer = graph.spread([1, 2], depth=2)
    graph.compact()
    assert graph.stats()["patched"] == 0
    assert graph.spread([1, 2], depth=2).equals(answer)
    assert graph.check() == []
