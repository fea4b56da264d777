"""Memory as an agent uses it: the story around a window, filters, and every bad input."""

import json
import logging
import os
import sqlite3
import threading
import warnings
from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import timewalk as tw

NOW = "2024-12-01"
OUTAGE = [
    {
        "id": "bug",
        "text": "A bug in the payment queue forces a cut of the feature list",
        "occurred_start": "2024-02-12",
    },
    {
        "id": "rehearsal",
        "text": "Dress rehearsal of the launch on staging",
        "occurred_start": "2024-03-04",
        "caused_by": ["bug"],
    },
    {
        "id": "launch",
        "text": "Launch of the new shop",
        "occurred_start": "2024-03-18T09:00:00Z",
        "caused_by": ["rehearsal"],
    },
    {"id": "outage", "text": "Checkout outage for six hours", "occurred_start": "2024-04-02", "caused_by": ["launch"]},
    {"id": "picnic", "text": "Team picnic by the lake", "occurred_start": "2024-08-20"},
    {"id": "office", "text": "New office opens in Lisbon", "occurred_start": "2023-01-10"},
]


def hashed(texts):
    """A tiny embedder: letters counted."""
    return [[text.count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


@pytest.fixture(params=[None, hashed], ids=["no embedder", "embedder"])
def memory(request):
    with tw.Memory(embedder=request.param) as made:
        made.add(OUTAGE, now=NOW)
        yield made


def test_the_story_comes_with_causes_before_and_consequences_after_the_window(memory):
    hits = memory.recall("What happened around the launch in March 2024?", k=4, now=NOW)
    assert str(hits.window.start)[:10] == "2024-03-01"
    assert set(hits.ids) == {"bug", "rehearsal", "launch", "outage"}
    found = {hit.id: hit for hit in hits}
    assert [step.target for step in found["bug"].path][-1] == "bug"
    assert found["outage"].path[-1].source == "launch"
    assert "path" in found["outage"].why()
    assert found["launch"].proximity > found["bug"].proximity


def test_hits_are_a_sequence_an_arrow_table_and_readable(memory):
    hits = memory.recall("launch in March 2024", now=NOW, explain=True)
    table = pa.table(hits)
    assert table["id"].to_pylist() == hits.ids == [hit.id for hit in hits]
    assert hits[0] is next(iter(hits))
    assert len(hits[:2]) == 2
    assert hits[0].id in hits._repr_html_() or hits[0].text in hits._repr_html_()
    assert [row["id"] for row in hits.to_dicts()] == hits.ids
    assert all(np.isfinite(hit.score) for hit in hits)


def test_a_memory_found_by_several_arms_keeps_each_score(memory):
    hit = memory.recall("Launch of the new shop in March 2024", now=NOW)[0]
    assert hit.id == "launch"
    assert {"keyword", "temporal"} <= set(hit.scores)
    assert set(hit.ranks) == set(hit.scores)


def test_without_an_embedder_it_says_so_once(caplog):
    with caplog.at_level(logging.WARNING, "timewalk"), tw.Memory() as memory:
        memory.add(OUTAGE)
        assert "no embedder" in memory.recall("launch").notes[0]
        memory.recall("launch")
    assert sum("no embedder" in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("query", ["", "   ", "???", "\x00", "in March 2024", "zebra", "x" * 5000, "北京"])
def test_odd_questions_get_an_answer_or_an_empty_one(memory, query):
    assert len(memory.recall(query, now=NOW)) <= 10


def test_an_empty_store_answers_nothing():
    with tw.Memory() as memory:
        hits = memory.recall("what happened in March 2024?", now=NOW)
        assert (len(hits), hits.window is not None) == (0, True)
        assert pa.table(hits).num_rows == 0
        assert list(memory.proactive_context("hello")) == []
        assert memory.add([]) == []


def test_a_window_in_the_future_is_no_error(memory):
    hits = memory.recall("the launch", window=("2030-01-01", "2030-02-01"), now=NOW)
    assert hits.window.start.year == 2030
    assert "launch" in hits.ids


def test_a_given_window_wins_over_the_text(memory):
    hits = memory.recall("picnic in March 2024", window=("2024-08-01", "2024-09-01"), now=NOW)
    assert hits.window.start.month == 8
    assert hits[0].id == "picnic"
    with pytest.raises(tw.InvalidValueError, match="ends before"):
        memory.recall("x", window=("2024-08-01", "2024-07-01"))


def test_filters_hold_on_every_arm_and_every_hop():
    with tw.Memory(embedder=hashed) as memory:
        for space in ("a", "b"):
            memory.add(
                [
                    {**event, "id": f"{space}-{event['id']}", "namespace": space, "tags": [space, event["id"]],
                     "fact_type": "event" if event["id"] != "outage" else "trouble",
                     "caused_by": [f"{space}-{id}" for id in event.get("caused_by", [])]}
                    for event in OUTAGE
                ]
            )  # fmt: skip
        question = "What happened around the launch in March 2024?"
        for hit in memory.recall(question, k=20, now=NOW, namespace="a"):
            assert hit.namespace == "a"
        assert {hit.namespace for hit in memory.recall(question, k=20, now=NOW, namespace=["a", "b"])} == {"a", "b"}
        kinds = {hit.fact_type for hit in memory.recall(question, k=20, now=NOW, fact_type="event")}
        assert kinds == {"event"}
        tagged = memory.recall(question, k=20, now=NOW, namespace="b", tags=["launch", "bug"])
        assert set(tagged.ids) == {"b-launch", "b-bug"}
        assert memory.recall(question, now=NOW, namespace="c").ids == []
        for hit in memory.recall(question, k=20, now=NOW):
            assert all(step.source[0] == step.target[0] == hit.id[0] for step in hit.path)


def test_invalidated_memories_stay_as_history():
    with tw.Memory() as memory:
        memory.add([{"id": "old", "text": "the office is in Porto"}, {"id": "new", "text": "the office is in Lisbon"}])
        memory.invalidate("old", at="2024-06-01")
        assert memory.recall("office", now="2024-07-01").ids == ["new"]
        assert set(memory.recall("office", now="2024-05-01").ids) == {"old", "new"}


def test_deleted_memories_leave_nothing_and_do_not_come_back(memory):
    memory.delete(["launch"])
    assert "launch" not in memory
    assert "launch" not in memory.recall("Launch of the new shop in March 2024", k=20, now=NOW).ids
    assert memory._store.query("SELECT count(*) FROM link")[0][0] == 1
    counts = memory._store.query("SELECT (SELECT count(*) FROM entity), (SELECT count(DISTINCT entity) FROM mention)")
    assert counts[0][0] == counts[0][1]
    memory.add({"id": "launch", "text": "A second launch", "occurred_start": "2024-03-30"})
    assert len(memory.recall("launch", now=NOW)[0].path) == 0
    with pytest.raises(tw.UnknownIdError, match="nobody"):
        memory.delete(["outage", "nobody"])
    assert "outage" in memory


def test_an_update_replaces_text_vector_and_entities(memory):
    memory.add({"id": "picnic", "text": "Sailing trip with Maria Lopez"})
    assert memory.recall("sailing trip").ids[0] == "picnic"
    assert "picnic" not in {hit.id for hit in memory.recall("lake") if "keyword" in hit.ranks}
    assert len(memory) == len(OUTAGE)


@pytest.mark.parametrize("form", ["arrow", "pandas", "polars", "one dict"])
def test_records_come_in_many_forms(form):
    records = [
        {"id": "a", "text": "first launch", "occurred_start": "2024-03-01"},
        {"id": "b", "text": "second launch"},
    ]
    given = {
        "arrow": lambda: pa.Table.from_pylist(records),
        "pandas": lambda: pd.DataFrame(records),
        "polars": lambda: pl.DataFrame(records),
        "one dict": lambda: records[0],
    }[form]()
    with tw.Memory() as memory:
        ids = memory.add(given)
        assert ids == (["a"] if form == "one dict" else ["a", "b"])
        assert memory.recall("launch in March 2024", now=NOW).ids[0] == "a"


def test_vectors_in_the_records_are_taken_as_they_are():
    with tw.Memory() as memory:
        memory.add(
            [{"id": "x", "text": "one", "embedding": [1.0, 0.0]}, {"id": "y", "text": "two", "embedding": [0.0, 1.0]}]
        )
        assert memory.recall("anything", query_vector=[0.1, 0.9]).ids[0] == "y"
        with pytest.raises(tw.InvalidValueError, match="2 finite numbers"):
            memory.recall("anything", query_vector=[1.0])
        with pytest.raises(tw.InvalidValueError, match="row 0"):
            memory.add({"id": "z", "text": "three", "embedding": [1.0, 2.0, 3.0]})
        assert "z" not in memory


BAD = {
    "no text": ([{"id": "a"}], tw.TimewalkError, "text", None),
    "null text": ([{"id": "a", "text": "x"}, {"id": "b", "text": None}], tw.TimewalkError, "text", 1),
    "duplicate id": ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], tw.InvalidValueError, "id", 1),
    "end before start": (
        [{"text": "x", "occurred_start": "2024-02-01", "occurred_end": "2024-01-01"}],
        tw.InvalidValueError, "occurred_end", 0,
    ),
    "NaN vector": ([{"text": "x", "embedding": [1.0, float("nan")]}], tw.InvalidValueError, "embedding", 0),
    "wrong-size vectors": (
        [{"text": "x", "embedding": [1.0, 2.0]}, {"text": "y", "embedding": [1.0]}],
        tw.InvalidValueError, "embedding", 1,
    ),
    "unknown cause": ([{"id": "a", "text": "x", "caused_by": ["nobody"]}], tw.UnknownIdError, "caused_by", 0),
    "own cause": ([{"id": "a", "text": "x", "causes": ["a"]}], tw.InvalidValueError, "causes", 0),
    "number as time": ([{"text": "x", "occurred_start": 1714521600}], tw.InvalidTypeError, "occurred_start", 0),
    "no time": ([{"text": "x", "mentioned_at": "soon"}], tw.InvalidValueError, "mentioned_at", 0),
}  # fmt: skip


@pytest.mark.parametrize(("records", "error", "column", "row"), BAD.values(), ids=BAD)
def test_bad_records_are_typed_errors_that_name_their_place_and_store_nothing(records, error, column, row):
    with tw.Memory() as memory:
        memory.add({"id": "before", "text": "was here"})
        with pytest.raises(error) as caught:
            memory.add(records)
        assert caught.value.column == column
        assert row is None or caught.value.row == row
        assert column in str(caught.value)
        assert len(memory) == 1
        assert memory._store.query("SELECT (SELECT count(*) FROM link) + (SELECT count(*) FROM vector)") == [(0,)]


BAD_LINKS = {
    "unknown id": ("bug", "nobody", "causes", 1.0, tw.UnknownIdError, "target"),
    "unknown relation": ("bug", "office", "annoys", 1.0, tw.UnknownIdError, "relation"),
    "negative weight": ("bug", "office", "causes", -0.1, tw.InvalidValueError, "weight"),
    "NaN weight": ("bug", "office", "causes", float("nan"), tw.InvalidValueError, "weight"),
    "infinite weight": ("bug", "office", "causes", float("inf"), tw.InvalidValueError, "weight"),
    "weight as text": ("bug", "office", "causes", "much", tw.InvalidTypeError, "weight"),
    "self-loop": ("bug", "bug", "causes", 1.0, tw.InvalidValueError, "target"),
    "between namespaces": ("bug", "far", "causes", 1.0, tw.InvalidValueError, "target"),
}


@pytest.mark.parametrize(
    ("source", "target", "relation", "weight", "error", "column"), BAD_LINKS.values(), ids=BAD_LINKS
)
def test_bad_links_are_typed_errors_and_store_nothing(memory, source, target, relation, weight, error, column):
    memory.add({"id": "far", "text": "elsewhere", "namespace": "other"})
    count = "SELECT count(*) FROM link"
    before = memory._store.query(count)
    with pytest.raises(error) as caught:
        memory.link(source, target, relation, weight=weight)
    assert caught.value.column == column
    good = ["office", "picnic", "follows", 1.0]
    rows = [good, [source, target, relation, weight]]
    if not isinstance(weight, str):
        with pytest.raises(error, match="row 1") as caught:
            memory.link_many(
                pa.table(dict(zip(["source", "target", "relation", "weight"], zip(*rows, strict=True), strict=True)))
            )
        assert caught.value.row == 1
    assert memory._store.query(count) == before


def test_callers_own_relations(memory):
    with pytest.raises(tw.UnknownIdError):
        memory.link("picnic", "office", "inspires")
    memory.register_relation("inspires", inverse="inspired_by", kind="causal")
    memory.register_relation("inspires", inverse="inspired_by", kind="causal")
    memory.link("picnic", "office", "inspires")
    hits = memory.recall("team picnic in August 2024", now=NOW)
    assert [hit.path[-1].relation for hit in hits if hit.id == "office"] == ["inspires"]
    with pytest.raises(tw.InvalidValueError, match="another meaning"):
        memory.register_relation("inspires", kind="temporal")
    with pytest.raises(tw.InvalidValueError, match="kind"):
        memory.register_relation("new", kind="magic")


def test_bad_arguments_of_recall(memory):
    with pytest.raises(tw.InvalidValueError):
        memory.recall("x", k=0)
    with pytest.raises(tw.InvalidTypeError):
        memory.recall("x", k=2.5)
    with pytest.raises(tw.InvalidTypeError):
        memory.recall("x", now=1714521600)


def test_paths_that_cannot_be_a_store(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "text.tw").write_text("this is not a database, however long it is " * 100)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    tw.Memory(tmp_path / "newer.tw").close()
    newer = sqlite3.connect(tmp_path / "newer.tw")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    for name, words in {
        "folder": "folder", "missing/x.tw": "does not exist", "text.tw": "not a timewalk store",
        "other.db": "not a timewalk store", "newer.tw": "newer",
    }.items():  # fmt: skip
        with pytest.raises(tw.StoreError, match=words) as caught:
            tw.Memory(tmp_path / name)
        assert isinstance(caught.value, OSError)
    with sqlite3.connect(tmp_path / "other.db") as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    other.close()
    with tw.Memory() as memory, pytest.raises(tw.StoreError):
        memory.save(tmp_path / "other.db")


def test_a_store_remembers_its_embedder_and_refuses_another(tmp_path):
    path = tmp_path / "vectors.tw"
    with tw.Memory(path, embedder=hashed) as memory:
        memory.add(OUTAGE)
    with pytest.raises(tw.EmbedderError, match="hashed"):
        tw.Memory(path, embedder=lambda texts: [[1.0] for _ in texts])
    with tw.Memory(path) as memory:
        assert "launch" in memory.recall("launch").ids
    with tw.Memory(path, embedder=hashed) as memory:
        assert "semantic" in memory.recall("launch")[0].ranks


def test_a_failing_embedder_stores_nothing():
    def failing(texts):
        raise RuntimeError("out of service")

    with tw.Memory(embedder=failing) as memory:
        with pytest.raises(tw.EmbedderError, match="out of service"):
            memory.add(OUTAGE)
        assert len(memory) == 0


def test_a_failing_arm_degrades_and_says_so(memory, monkeypatch):
    from timewalk.recall import pipeline

    def broken(index, question):
        raise RuntimeError("no luck")

    monkeypatch.setitem(pipeline.ARMS, "keyword", broken)
    hits = memory.recall("launch in March 2024", now=NOW)
    assert len(hits) > 0
    assert any("keyword arm failed" in note and "no luck" in note for note in hits.notes)


def test_after_close_every_call_says_so():
    memory = tw.Memory()
    memory.close()
    memory.close()
    for call in (lambda: memory.add({"text": "x"}), lambda: memory.recall("x"), lambda: len(memory)):
        with pytest.raises(tw.ClosedError):
            call()


def test_threads_add_and_recall_side_by_side():
    with tw.Memory(embedder=hashed) as memory:
        faults = []

        def work(number):
            try:
                for n in range(15):
                    memory.add({"id": f"{number}-{n}", "text": f"event {n} of worker {number}", "author": "OpenAI"})
                    memory.recall(f"event {n}")
            except Exception as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        assert len(memory) == 90
        assert memory._store.query("SELECT count(*) FROM entity WHERE key = 'openai'") == [(1,)]


def test_proactive_context_brings_up_what_the_entities_touch():
    with tw.Memory() as memory:
        memory.add(
            [
                {"id": "allergy", "text": "Maria Lopez is allergic to peanuts"},
                {"id": "dinner", "text": "Dinner with Maria Lopez at Chez Panisse"},
                {"id": "noise", "text": "The printer is out of paper"},
            ]
        )
        hits = memory.proactive_context("Booking a table for Maria Lopez tonight")
        assert {"allergy", "dinner"} <= set(hits.ids[:2])
        assert "graph" in hits[0].ranks
        assert hits.window is None


def test_touch_reinforces_and_only_touch_does():
    with tw.Memory() as memory:
        memory.add({"id": "a", "text": "the pump", "created_at": "2024-01-01"})
        for day in range(1, 13):
            memory.touch("a", now=f"2024-02-{day:02d}")
        memory.touch(["a", "a"], now="2024-03-01")
        row = memory._store.query("SELECT recent_accesses, historical_count FROM memory")[0]
        assert len(json.loads(row[0])) == 10
        assert row[1] == 13
        memory.recall("pump")
        assert memory._store.query("SELECT recent_accesses, historical_count FROM memory")[0] == row
        with pytest.raises(tw.UnknownIdError, match="nobody"):
            memory.touch(["a", "nobody"], now="2024-04-01")
        assert memory._store.query("SELECT recent_accesses, historical_count FROM memory")[0] == row


def test_an_engine_weighs_by_time_and_use():
    with tw.Memory() as memory:
        memory.add(
            [
                {"id": "old", "text": "the office is in Porto", "created_at": "2023-01-01"},
                {"id": "new", "text": "the office is in Lisbon", "created_at": "2024-06-01"},
            ]
        )
        plain = memory.recall("office", now="2024-06-02")
        assert [hit.score for hit in plain] == [plain[0].score] * 2
        engine = tw.HalfLife(half_life=timedelta(days=30))
        hits = memory.recall("office", now="2024-06-02", engine=engine)
        assert hits.ids == ["new", "old"]
        assert hits[0].scores["decay"] == pytest.approx(0.5 ** (1 / 30))
        memory.touch("old", now="2024-06-02")
        assert memory.recall("office", now="2024-06-02", engine=engine).ids == ["old", "new"]
        for day in range(3, 9):
            memory.touch("old", now=f"2024-06-{day:02d}")
        assert memory.recall("office", now="2024-06-10", engine=tw.ACTR()).ids == ["old", "new"]


def test_a_window_that_hangs_on_an_event():
    with tw.Memory() as memory:
        memory.add(OUTAGE, now=NOW)
        hits = memory.recall("What happened in the three weeks before the checkout outage?", now=NOW)
        assert hits.window.anchor == "outage"
        assert str(hits.window.end)[:10] == "2024-04-02"
        assert "launch" in hits.ids
        assert any("outage" in note for note in hits.notes)
        lost = memory.recall("What happened in the week before the volcano eruption?", now=NOW)
        assert lost.window is None
        assert any("volcano" in note for note in lost.notes)


@pytest.mark.parametrize("question", ["What happened in March 2024?", "What did the zebras do in March 2024?"])
def test_a_window_alone_tells_what_happened_then(question):
    with tw.Memory() as memory:
        memory.add(OUTAGE, now=NOW)
        hits = memory.recall(question, now=NOW)
        assert {"launch", "rehearsal", "outage", "bug"} <= set(hits.ids)
        assert set(hits.ids[:2]) == {"launch", "rehearsal"}


def test_days_are_those_of_the_zone():
    with tw.Memory() as memory:
        memory.add({"id": "a", "text": "deploy", "occurred_start": "2026-07-17T12:00"}, tz="America/Los_Angeles")
        zone = {"tz": "America/Los_Angeles", "now": "2026-07-17"}
        assert memory.recall("deploy today", **zone).window == tw.find_window("deploy today", **zone)
        given = memory.recall("deploy", window=("2026-07-17", "2026-07-18"), **zone).window
        assert str(given.start)[:16] == "2026-07-17 07:00"


@pytest.mark.parametrize("weight", [3.5e38, 2**2000, -(2**2000)])
def test_a_weight_that_the_graph_cannot_hold_is_not_stored(memory, weight):
    with pytest.raises(tw.InvalidValueError) as caught:
        memory.link("bug", "office", "causes", weight=weight)
    assert caught.value.column == "weight"
    assert len(str(caught.value)) < 200
    assert memory.recall("launch")


@pytest.mark.parametrize("k", [1_000, 10**9, 2**80])
def test_more_hits_than_there_are_memories(memory, k):
    assert len(memory.recall("launch in March 2024", k=k, now=NOW)) <= len(OUTAGE)


@pytest.mark.parametrize("name", ["namespace", "fact_type", "tags"])
def test_filters_of_the_wrong_kind_or_empty_open_nothing(memory, name):
    for wrong in (5, [5], b"a", {"a": 1}):
        with pytest.raises(tw.InvalidTypeError, match=name):
            memory.recall("launch", **{name: wrong})
    with pytest.raises(tw.InvalidValueError, match=name):
        memory.recall("launch", **{name: []})


def test_other_spellings_of_the_same_characters_meet():
    with tw.Memory() as memory:
        memory.add({"id": "a", "text": "cafe\u0301 in der Stra\u00dfe"})
        for query in ("caf\u00e9", "CAF\u00c9", "strasse", "\uff43\uff41\uff46\u00e9"):
            assert memory.recall(query).ids == ["a"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is POSIX")
def test_a_forked_child_is_told_to_open_the_store_itself():
    with tw.Memory() as memory:
        memory.add(OUTAGE)
        memory.recall("launch")
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads are running, as they are in an application
            pid = os.fork()
        if pid == 0:
            try:
                memory.recall("launch")
            except tw.ClosedError as error:
                os.write(writer, str(error).encode())
            finally:
                os._exit(0)
        os.close(writer)
        assert b"forked" in os.read(reader, 1000)
        os.close(reader)
        os.waitpid(pid, 0)
        assert memory.recall("launch")


def test_a_cause_that_a_known_record_gains_is_walked_at_once(memory):
    assert "office" not in {hit.id for hit in memory.recall("picnic in August 2024", now=NOW) if hit.path}
    memory.add({**OUTAGE[4], "caused_by": ["office"]}, now=NOW)
    gained = {hit.id: hit.path for hit in memory.recall("picnic in August 2024", now=NOW)}
    assert [step.relation for step in gained["office"]] == ["caused_by"]


def test_the_arms_that_take_part_can_be_chosen():
    turns = [
        {"id": f"t{n}", "text": text, "thread": "chat", "author": "Ann", "mentioned_at": f"2024-03-0{n + 1}"}
        for n, text in enumerate(["Which pet shall it be?", "A tortoise called Berta", "Lovely, when does she come?"])
    ]
    with tw.Memory(embedder=hashed) as memory:
        memory.add(turns, now=NOW)
        everything = memory.recall("tortoise", now=NOW)
        assert {"semantic", "keyword", "thread"} <= {arm for hit in everything for arm in hit.scores}
        assert memory.recall("tortoise", now=NOW, arms=("thread", "temporal", "graph", "keyword", "semantic")).ids == (
            everything.ids
        )
        alone = memory.recall("tortoise", now=NOW, arms="keyword")
        assert [(hit.id, list(hit.scores)) for hit in alone] == [("t1", ["keyword"])]
        spread = memory.recall("tortoise", now=NOW, arms=["keyword", "thread"])
        assert set(spread.ids) == {"t0", "t1", "t2"}
        assert not memory.recall("tortoise", now=NOW, arms="temporal")
        for bad in ("vectors", ["keyword", "vectors"], [], "thread", ["keyword", None]):
            with pytest.raises(tw.InvalidValueError, match="semantic, keyword"):
                memory.recall("tortoise", now=NOW, arms=bad)
        for bad in (3, {"keyword": 1}, b"keyword"):
            with pytest.raises(tw.InvalidTypeError):
                memory.recall("tortoise", now=NOW, arms=bad)
