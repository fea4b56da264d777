"""A Memory that has grown, changed and lost memories answers like one that was filled at once with what is left."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import timewalk as tw
from timewalk.ingest.inference import InferredLinks, LinkRules
from timewalk.times import from_micros

NOW = "2025-01-01"
WORDS = ("pump", "valve", "cable", "launch", "review", "Maria Lopez", "the crew", "because the pump failed", "fix the")
TIMES = ("occurred_start", "occurred_end", "mentioned_at")
GIVEN = ("pump", "valve", "crew")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
RECORDS = st.fixed_dictionaries(
    {
        "id": st.sampled_from([f"m{n}" for n in range(14)]),
        "text": TEXTS,
        "embedding": st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.sampled_from([-1.0, 0.5])).map(list),
    },
    optional={
        "thread": st.sampled_from(["t", "u"]),
        "author": st.sampled_from(["Ann", "Bo"]),
        "occurred_start": st.integers(1, 28).map(lambda day: f"2024-05-{day:02d}"),
        "mentioned_at": st.integers(1, 28).map(lambda day: f"2024-06-{day:02d}"),
        "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2, unique=True),
        "namespace": st.just("default"),
        "entities": st.lists(st.sampled_from([{"name": name, "type": "thing"} for name in GIVEN]), max_size=3),
    },
)
IDS = st.integers(0, 13).map(lambda n: f"m{n}")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(RECORDS, min_size=1, max_size=4, unique_by=lambda record: record["id"])),
        st.tuples(st.just("delete"), IDS),
        st.tuples(st.just("invalidate"), IDS),
        st.tuples(st.just("link"), st.tuples(IDS, IDS, st.sampled_from(["causes", "temporal", "mine"]))),
        st.tuples(st.just("recall"), st.none()),
    ),
    min_size=3,
    max_size=14,
)
QUESTIONS = (
    {"query": "what failed with the pump in May 2024?"},
    {"query": "who fixed the valve?"},
    {"query": "Maria Lopez and the launch"},
    {"query": "cable", "tags": "x"},
    {"query": "", "window": ("2024-05-01", "2024-07-01")},
    {"query": "what did Ann say?", "author": "Ann"},
)


def step(memory, name, value):
    if name == "add":
        memory.add(value, now=NOW)
    elif name == "recall":
        memory.recall("pump", now=NOW)
    elif name == "link":
        source, target, relation = value
        if source in memory and target in memory and source != target:
            memory.link(source, target, relation, weight=0.8)
    elif value in memory and name == "delete":
        memory.delete(value)
    elif value in memory:
        memory.invalidate(value, at="2024-12-01")


def copy_of(memory):
    """A Memory with the same records and links, filled at once."""
    fresh = new()
    rows = memory._store.query(
        "SELECT id, text, thread, author, tags, occurred_start, occurred_end, mentioned_at, invalid_at, data, row "
        "FROM memory JOIN vector ON memory = row ORDER BY row"
    )
    records = []
    for id, text, thread, author, tags, *times, _, data, row in rows:
        # Author and words of the text are found again: only what the caller gave is given again.
        named = memory._store.query(
            "SELECT name, type FROM mention JOIN entity ON entity = row WHERE memory = ?", (row,)
        )
        records.append(
            {
                "id": id,
                "text": text,
                "thread": thread,
                "author": author,
                "tags": json.loads(tags),
                **{name: None if time is None else from_micros(time) for name, time in zip(TIMES, times, strict=True)},
                "embedding": np.frombuffer(data, np.float32).tolist(),
                "entities": [{"name": name, "type": kind} for name, kind in named if name in GIVEN],
            }
        )
    if records:
        fresh.add(records, now=NOW)
    for id, *_, invalid, _, _ in rows:
        if invalid is not None:
            fresh.invalidate(id, at=from_micros(invalid))
    for source, target, relation, weight in memory._store.query(
        "SELECT a.id, b.id, relation, weight FROM link JOIN memory a ON a.row = source JOIN memory b ON b.row = target"
    ):
        fresh.link(source, target, relation, weight=weight)
    return fresh


def new():
    memory = tw.Memory()
    memory.register_relation("mine", kind="causal")
    return memory


def edges(memory):
    memory._index.refresh()
    table = memory._index._graph.edges()
    return sorted(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def answers(memory):
    return [
        [
            (hit.id, hit.score, dict(hit.scores), dict(hit.ranks), hit.path, hit.proximity)
            for hit in memory.recall(now=NOW, k=20, query_vector=[1.0, 0.2], **question)
        ]
        for question in QUESTIONS
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_what_has_grown_equals_what_was_filled_at_once(steps):
    with new() as grown:
        for name, value in steps:
            step(grown, name, value)
        with copy_of(grown) as fresh:
            assert edges(grown) == edges(fresh)
            assert grown._index._graph.check() == []
            assert grown._index.entities == fresh._index.entities
            assert answers(grown) == answers(fresh)


@pytest.mark.parametrize("seed", range(4))
def test_links_of_many_memories_are_the_same_in_any_portions(seed):
    random = np.random.default_rng(seed)
    words = [f"w{n}" for n in range(60)]
    count = 1500
    days = random.integers(0, 400, count)
    texts = [
        " ".join(random.choice(words, 8)) + (" because the " + " ".join(random.choice(words, 3)) if n % 3 else " fix")
        for n in range(count)
    ]
    table = pa.table(
        {
            "row": pa.array(np.arange(count)),
            "id": pa.array([f"m{n:05d}" for n in range(count)]),
            "text": pa.array(texts),
            "namespace": pa.array(["a" if n % 7 else "b" for n in range(count)]),
            "thread": pa.array([f"t{n % 40}" if n % 5 else None for n in range(count)]),
            "occurred_start": pa.array(
                [int(d) * 86_400_000_000 if n % 4 else None for n, d in enumerate(days)], pa.int64()
            ),
            "occurred_end": pa.nulls(count, pa.int64()),
            "mentioned_at": pa.array([int(d) * 86_400_000_000 for d in days], pa.int64()),
            "entities": pa.array(
                [[f"e{e}" for e in sorted(set(random.integers(0, 50, n % 4).tolist()))] for n in range(count)],
                pa.list_(pa.string()),
            ),
        }
    )
    table = table.append_column(
        "confidences", pa.array([[1.0] * len(e) for e in table["entities"].to_pylist()], pa.list_(pa.float64()))
    )
    ids, nothing = table["id"], np.zeros(0, np.int64)

    def held(links, changes, known):
        for source, target, relation in zip(
            *(changes.removed[name].to_pylist() for name in ("source", "target", "relation")), strict=True
        ):
            known.pop((source, target, relation))
        for source, target, relation, weight in zip(
            *(changes.set[name].to_pylist() for name in changes.set.column_names), strict=True
        ):
            known[source, target, relation] = weight
        return links

    left = np.flatnonzero(random.random(count) < 0.9)
    at_once: dict = {}
    held(None, InferredLinks(LinkRules()).update(nothing, left, table.take(pa.array(left)), ids), at_once)
    known: dict = {}
    links = InferredLinks(LinkRules())
    order = random.permutation(count)
    begin = 0
    for size in (700, 1, 1, 5, 200, 1, 40, count):
        part = np.sort(order[begin : begin + size])
        begin += size
        held(links, links.update(nothing, part, table.take(pa.array(part)), ids), known)
    gone = np.setdiff1d(np.arange(count), left)
    held(links, links.update(gone[:3], nothing, table.slice(0, 0), ids), known)
    again = left[:20]
    held(links, links.update(np.concatenate([gone[3:], again]), again, table.take(pa.array(again)), ids), known)
    assert known == at_once
