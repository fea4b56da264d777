"""Links from columns: neighbours in threads and in time, co-occurrence, mentions and similarity."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timewalk import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.links import (
    SCHEMA,
    co_occurrence_links,
    mention_links,
    similarity_links,
    temporal_links,
    thread_links,
)
from timewalk.ingest.records import to_table

DAY0 = datetime(2024, 5, 1, tzinfo=UTC)


def edges(links):
    assert links.schema == SCHEMA
    return {(row["source"], row["target"]): row["weight"] for row in links.to_pylist()}


def dated(days, **columns):
    """A table with a memory a name, at so many days after the first."""
    ids = list(days)
    times = [None if day is None else DAY0 + timedelta(days=day) for day in days.values()]
    return pa.table({"id": ids, "occurred_start": pa.array(times, pa.timestamp("us", "UTC")), **columns})


def test_a_later_memory_follows_the_one_before_it_in_its_thread():
    table = pa.table(
        {
            "id": ["a1", "b1", "a2", "lone", "a3", "b2", "other"],
            "thread": ["a", "b", "a", None, "a", "b", "a"],
            "namespace": ["n", "n", "n", "n", "n", "n", "m"],
        }
    )
    links = thread_links(table)
    assert edges(links) == {("a2", "a1"): 1.0, ("a3", "a2"): 1.0, ("b2", "b1"): 1.0}
    assert set(links["relation"].to_pylist()) == {"follows"}
    assert set(links["origin"].to_pylist()) == {"thread"}
    assert thread_links(table.slice(0, 0)).num_rows == 0


def test_a_thread_goes_on_where_the_store_left_it():
    table = pa.table({"id": ["a3", "a4", "c1"], "thread": ["a", "a", "c"]})
    links = thread_links(table, previous={("default", "a"): "a2", ("other", "c"): "c0"})
    assert edges(links) == {("a3", "a2"): 1.0, ("a4", "a3"): 1.0}
    assert edges(thread_links(table, previous={("default", "a"): "a3"})) == {("a4", "a3"): 1.0}


def test_the_weight_of_neighbours_in_time_halves_in_a_week_and_ends_at_a_tenth():
    found = edges(temporal_links(dated({"a": 0, "week": 7, "near": 23.2, "undated": None})))
    assert found[("a", "week")] == found[("week", "a")] == 0.5
    assert found[("a", "near")] == pytest.approx(2 ** (-23.2 / 7))
    assert all("undated" not in pair for pair in found)
    assert edges(temporal_links(dated({"a": 0, "far": 23.3}))) == {}
    assert edges(temporal_links(dated({"a": 0, "far": 23.3}), half_life=timedelta(days=30))) != {}


def test_each_memory_has_at_most_five_neighbours_each_way():
    found = edges(temporal_links(dated({f"m{n:02}": n / 10 for n in range(30)})))
    assert {target for source, target in found if source == "m10"} == {f"m{n:02}" for n in range(5, 16) if n != 10}
    assert max(Counter(source for source, _ in found).values()) == 10
    assert edges(temporal_links(dated({"a": 0, "b": 1, "c": 2}), limit=1)).keys() == {
        pair for one in (("a", "b"), ("b", "c")) for pair in (one, one[::-1])
    }
    assert edges(temporal_links(dated({"a": 0, "b": 1}), limit=0)) == {}


def test_links_in_time_do_not_cross_namespaces_and_stand_at_the_middle_of_intervals():
    table = dated({"a": 0, "b": 0}, namespace=["n", "m"])
    assert edges(temporal_links(table)) == {}
    table = to_table(
        [
            {"id": "april", "text": "x", "occurred_start": "2024-04"},
            {"id": "mid", "text": "x", "occurred_start": "2024-04-16T00:00Z"},
            {"id": "only end", "text": "x", "occurred_end": "2024-04-23T00:00Z"},
        ]
    )
    found = edges(temporal_links(table))
    assert found[("april", "mid")] == 1.0
    assert found[("april", "only end")] == 0.5


def test_mentioned_at_stands_in_only_when_asked():
    table = dated({"a": 0, "b": None}, mentioned_at=pa.array([None, DAY0], pa.timestamp("us", "UTC")))
    assert edges(temporal_links(table)) == {}
    assert edges(temporal_links(table, fallback="mentioned_at")) == {("a", "b"): 1.0, ("b", "a"): 1.0}


def test_only_links_of_new_memories_when_some_are_named():
    table = dated({"a": 0, "b": 1, "c": 2})
    found = edges(temporal_links(table, new=pa.array(["c"])))
    assert found.keys() == {("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")}


def test_times_at_the_ends_of_the_range_neither_overflow_nor_link():
    far = pa.array([-(2**63) + 1, 2**63 - 1, None], pa.int64()).cast(pa.timestamp("us", "UTC"))
    table = pa.table({"id": ["past", "future", "none"], "occurred_start": far, "occurred_end": far})
    assert edges(temporal_links(table)) == {}


times = st.one_of(st.none(), st.integers(0, 60).map(lambda half: half / 2))


@settings(deadline=None)
@given(st.dictionaries(st.text("ab", min_size=1, max_size=4), times, max_size=25), st.randoms())
def test_links_in_time_equal_the_plain_rule_and_ignore_the_order_of_rows(days, random):
    found = edges(temporal_links(dated(days), limit=3))
    shuffled = list(days.items())
    random.shuffle(shuffled)
    assert edges(temporal_links(dated(dict(shuffled)), limit=3)) == found
    order = sorted((day, name) for name, day in days.items() if day is not None)
    expected = {}
    for at, (day, name) in enumerate(order):
        for later, other in order[at + 1 : at + 4]:
            weight = 0.5 ** ((later - day) / 7)
            if weight >= 0.1:
                expected[(name, other)] = expected[(other, name)] = pytest.approx(weight, rel=1e-12)
    assert found == expected


def mentions(memories):
    pairs = [(memory, entity) for memory, names in memories.items() for entity in names]
    return pa.table({"memory": [memory for memory, _ in pairs], "entity": [entity for _, entity in pairs]})


def test_co_occurrence_is_weighted_so_that_hubs_do_not_drown_the_rest():
    memories = {f"m{n}": ["hub", f"e{n}"] for n in range(100)}
    memories |= {"x": ["hub", "maria", "berlin"], "y": ["maria", "berlin"]}
    for measure in ("cosine", "npmi"):
        found = edges(co_occurrence_links(mentions(memories), measure=measure))
        assert found[("maria", "berlin")] == found[("berlin", "maria")]
        assert found[("maria", "berlin")] > 0.9
        assert found.get(("hub", "maria"), 0.0) < 0.2
        assert max(Counter(source for source, _ in found).values()) <= 20


def test_co_occurrence_counts_a_pair_once_a_memory_and_leaves_lists_out():
    twice = pa.table({"memory": ["m", "m", "m"], "entity": ["a", "b", "a"]})
    assert edges(co_occurrence_links(twice)) == {("a", "b"): 1.0, ("b", "a"): 1.0}
    assert edges(co_occurrence_links(twice, min_count=2)) == {}
    listing = mentions({"list": [f"e{n}" for n in range(60)], "m": ["e1", "e2"]})
    assert edges(co_occurrence_links(listing)).keys() == {("e1", "e2"), ("e2", "e1")}
    assert edges(co_occurrence_links(mentions({}).cast(pa.schema([("memory", "string"), ("entity", "string")])))) == {}
    # One memory with everything tells npmi nothing.
    assert edges(co_occurrence_links(twice, measure="npmi")) == {}


@settings(deadline=None)
@given(st.dictionaries(st.text("xy", min_size=1, max_size=3), st.lists(st.sampled_from("abcdef"), max_size=6)))
def test_co_occurrence_equals_the_plain_count(memories):
    table = mentions(memories).cast(pa.schema([("memory", "string"), ("entity", "string")]))
    found = edges(co_occurrence_links(table, floor=0.0, limit=100))
    single, pairs = Counter(), Counter()
    for names in memories.values():
        single.update(set(names))
        pairs.update(combinations(sorted(set(names)), 2))
    expected = {}
    for (a, b), both in pairs.items():
        expected[(a, b)] = expected[(b, a)] = pytest.approx(min(both / math.sqrt(single[a] * single[b]), 1.0))
    assert found == expected
    order = np.random.default_rng(0).permutation(table.num_rows)
    assert edges(co_occurrence_links(table.take(order), floor=0.0, limit=100)) == found


def test_mentions_carry_the_confidence():
    table = pa.table({"memory": ["m", "n"], "entity": ["a", "a"], "confidence": [0.5, None]})
    assert edges(mention_links(table)) == {("m", "a"): 0.5, ("n", "a"): 1.0}
    assert edges(mention_links(table.select(["memory", "entity"]))) == {("m", "a"): 1.0, ("n", "a"): 1.0}


def test_similar_links_are_the_best_above_the_threshold_in_both_directions():
    ids = pa.array(["a", "b", "c", "d"])
    near = [[1, 2, 0], [0, 3, -1], [0, 1, 3], [2, 1, 0]]
    close = [[0.9, 0.8, 1.0], [0.9, 0.3, 0.99], [0.8, 0.2, 0.1], [0.1, 0.3, 0.0]]
    found = edges(similarity_links(ids, near, close))
    assert found == {("a", "b"): 0.9, ("b", "a"): 0.9, ("a", "c"): 0.8, ("c", "a"): 0.8}
    assert edges(similarity_links(ids, near, close, limit=1)).keys() == {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")}
    spaces = pa.array(["n", "m", "n", "n"])
    assert edges(similarity_links(ids, near, close, namespaces=spaces)).keys() == {("a", "c"), ("c", "a")}
    with pytest.raises(InvalidValueError, match=r"n, k"):
        similarity_links(ids, [[1]], [[1.0]])
    with pytest.raises(UnknownIdError, match="position 9"):
        similarity_links(ids, [[9], [0], [0], [0]], [[1.0]] * 4)


def test_wrong_arguments_say_what_is_missing():
    with pytest.raises(UnknownIdError, match="thread"):
        thread_links(pa.table({"id": ["a"]}))
    with pytest.raises(InvalidTypeError, match="occurred_start"):
        temporal_links(pa.table({"id": ["a"], "occurred_start": ["2024"]}))
    with pytest.raises(InvalidTypeError, match="table"):
        thread_links([{"id": "a"}])
    for bad in ({"half_life": timedelta(0)}, {"floor": 0.0}, {"limit": -1}):
        with pytest.raises(InvalidValueError, match="half_life"):
            temporal_links(dated({"a": 0}), **bad)
    with pytest.raises(InvalidValueError, match="cosine"):
        co_occurrence_links(mentions({"m": ["a"]}), measure="jaccard")
