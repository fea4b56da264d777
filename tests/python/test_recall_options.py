"""Batches, asyncio, failing parts and wrong arguments of recall."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import threading
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from recall_events import EVENTS, NOW, QUESTIONS, hashed, pairs

import timewalk as tw
from timewalk.recall import pipeline, reading
from timewalk.recall.options import RecallOptions
from timewalk.recall.spreading import SPREADING


@pytest.fixture(params=[None, hashed], ids=["no embedder", "embedder"])
def memory(request):
    with tw.Memory(embedder=request.param) as made:
        made.add(EVENTS, now="2024-06-01")
        yield made


# Batches and asyncio ---------------------------------------------------------------------------------------------

MANY = [
    *QUESTIONS,
    "",
    "What happened in the week before the outage?",
    "Maria Lopez",
    "in March 2024",
    "北京",
]


@pytest.mark.parametrize("given", [{}, {"k": 3}, {"tags_none": "x", "engine": tw.HalfLife(timedelta(days=9))}])
def test_many_questions_get_the_answers_that_each_gets_alone(memory, given):
    together = memory.recall_many(MANY, now=NOW, **given)
    alone = [memory.recall(query, now=NOW, **given) for query in MANY]
    assert together == alone
    assert memory.recall_many([]) == []


def test_many_questions_are_embedded_in_one_call():
    calls = []

    def counting(texts):
        calls.append(list(texts))
        return hashed(texts)

    with tw.Memory(embedder=counting) as memory:
        memory.add(EVENTS)
        calls.clear()
        memory.recall_many(QUESTIONS, now=NOW)
        assert [len(call) for call in calls] == [3]
        memory.recall_many(QUESTIONS, now=NOW, query_vectors=np.ones((3, 19), np.float32))
        assert len(calls) == 1


def test_a_vector_a_question(memory):
    vectors = hashed(QUESTIONS)
    together = memory.recall_many(QUESTIONS, now=NOW, query_vectors=vectors)
    alone = [memory.recall(q, now=NOW, query_vector=v) for q, v in zip(QUESTIONS, vectors, strict=True)]
    assert together == alone
    with pytest.raises(tw.InvalidValueError, match="each of 3 questions, not 2"):
        memory.recall_many(QUESTIONS, query_vectors=vectors[:2])


def test_asyncio_gets_the_same_and_the_loop_goes_on():
    def slow(texts):
        time.sleep(0.05)
        return hashed(texts)

    async def ask(memory):
        ticks = 0
        asked = asyncio.gather(*(memory.arecall(query, now=NOW, k=4) for query in QUESTIONS))
        while not asked.done():
            await asyncio.sleep(0)
            ticks += 1
        return await asked, ticks

    with tw.Memory(embedder=slow) as memory:
        memory.add(EVENTS)
        answers, ticks = asyncio.run(ask(memory))
        assert answers == [memory.recall(query, now=NOW, k=4) for query in QUESTIONS]
        assert ticks > 10


def test_a_cancelled_recall_harms_nothing():
    gate, started = threading.Event(), threading.Event()

    def waiting(texts):
        if texts == ["the outage"]:
            started.set()
            gate.wait(10)
        return hashed(texts)

    async def cancel(memory):
        task = asyncio.create_task(memory.arecall("the outage", now=NOW))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The model still computes; others are served meanwhile.
        other = await memory.arecall("database", now=NOW)
        gate.set()
        return other

    with tw.Memory(embedder=waiting) as memory:
        memory.add(EVENTS)
        other = asyncio.run(cancel(memory))
        assert other == memory.recall("database", now=NOW)
        assert memory.recall("the outage", now=NOW)


def test_asyncio_raises_what_recall_raises(memory):
    with pytest.raises(tw.InvalidValueError, match="k is 1 or more"):
        asyncio.run(memory.arecall("x", k=0))


# Parts that fail -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", list(pipeline.ARMS))
@pytest.mark.parametrize("question", QUESTIONS)
def test_each_arm_may_fail_and_the_answer_says_so(memory, monkeypatch, arm, question):
    def broken(index, question):
        raise RuntimeError("no luck")

    others = memory.recall(question, now=NOW, arms=[name for name in pipeline.chosen(None) if name != arm])
    monkeypatch.setitem(pipeline.ARMS, arm, broken)
    hits = memory.recall(question, now=NOW)
    assert f"the {arm} arm failed (RuntimeError: no luck)" in hits.notes
    assert pairs(hits) == pairs(others)
    assert all(arm not in hit.ranks for hit in hits)


@pytest.mark.parametrize("name", SPREADING)
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_spreads_may_fail_too(memory, monkeypatch, question, name):
    def broken(*arguments):
        raise RuntimeError("no luck")

    others = memory.recall(question, now=NOW, arms=list(pipeline.ARMS))
    monkeypatch.setitem(SPREADING, name, broken)
    hits = memory.recall(question, now=NOW)
    assert "the thread or title or cause arm failed (RuntimeError: no luck)" in hits.notes
    assert pairs(hits) == pairs(others)


def test_an_arm_that_fails_on_the_event_of_a_window_leaves_the_question_without_one(memory, monkeypatch):
    def broken(index, question):
        raise RuntimeError("no luck")

    question = "What happened in the week before the outage of the database?"
    assert memory.recall(question, now=NOW).window is not None
    monkeypatch.setattr(reading, "keyword", broken)
    hits = memory.recall(question, now=NOW)
    assert hits.window is None
    assert "outage" in hits.ids
    assert "no window was read (RuntimeError: no luck)" in hits.notes


def test_all_arms_may_fail(memory, monkeypatch):
    def broken(index, question):
        raise RuntimeError("no luck")

    for arm in pipeline.ARMS:
        monkeypatch.setitem(pipeline.ARMS, arm, broken)
    hits = memory.recall("outage in March 2024", now=NOW)
    assert hits.ids == []
    assert sum("failed" in note for note in hits.notes) == len(pipeline.ARMS)


def test_an_embedder_that_fails_on_the_question_leaves_words_and_time():
    def moody(texts):
        if "database" in texts:
            raise TimeoutError("busy")
        return hashed(texts)

    with tw.Memory(embedder=moody) as memory:
        memory.add(EVENTS)
        hits = memory.recall("database", now=NOW)
        assert "outage" in hits.ids
        assert all("semantic" not in hit.ranks for hit in hits)
        assert any("semantic arm failed" in note and "busy" in note for note in hits.notes)


def test_an_extractor_that_fails_on_the_question_is_told():
    class Moody:
        def __call__(self, texts):
            if texts == ["database"]:
                raise TimeoutError("busy")
            return [[] for _ in texts]

    with tw.Memory(extractor=Moody()) as memory:
        memory.add(EVENTS)
        hits = memory.recall("database", now=NOW)
        assert "outage" in hits.ids
        assert any("extractor of entities failed (TimeoutError: busy)" in note for note in hits.notes)


def test_the_trace_shows_the_time_that_the_ranking_used(memory):
    hits = memory.recall("outage last week", now="2024-03-12T10:30", tz="+02:00", explain=True)
    assert hits.now == datetime(2024, 3, 12, 8, 30, tzinfo=UTC)
    assert hits.explain()["now"] == "2024-03-12T08:30:00Z"
    assert hits.window.end <= hits.now
    before = datetime.now(UTC)
    assert before <= memory.recall("outage").now <= datetime.now(UTC)


# Wrong arguments -------------------------------------------------------------------------------------------------

WRONG = {
    "k": [(0, tw.InvalidValueError), *((wrong, tw.InvalidTypeError) for wrong in (2.5, True, "5", None))],
    "now": [(1714521600, tw.InvalidTypeError), ("soon", tw.InvalidValueError)],
    "tz": [("Mars/Olympus", tw.InvalidValueError), (2, tw.InvalidTypeError)],
    "locale": [(5, tw.InvalidTypeError)],
    "window": [
        ("2024", tw.InvalidTypeError),
        (5, tw.InvalidTypeError),
        (("2024",), tw.InvalidTypeError),
        ((1, 2), tw.InvalidTypeError),
        (("soon", None), tw.InvalidValueError),
        (("2024-08-01", "2024-07-01"), tw.InvalidValueError),
    ],
    "arms": [(5, tw.InvalidTypeError), ("legs", tw.InvalidValueError), ([], tw.InvalidValueError)],
    "engine": [("half_life", tw.InvalidTypeError), (tw.HalfLife, tw.InvalidTypeError), ([], tw.InvalidTypeError)],
    "reranker": [
        ("oracle", tw.InvalidValueError),
        (5, tw.InvalidTypeError),
        (tw.FastembedReranker, tw.InvalidTypeError),
    ],
    "diversity": [
        (1.5, tw.InvalidValueError),
        (-0.1, tw.InvalidValueError),
        (float("nan"), tw.InvalidValueError),
        ("much", tw.InvalidTypeError),
        (True, tw.InvalidTypeError),
        (None, tw.InvalidTypeError),
    ],
    "max_tokens": [(0, tw.InvalidValueError), (1.5, tw.InvalidTypeError), ("9", tw.InvalidTypeError)],
    "count_tokens": [(5, tw.InvalidTypeError)],
    "explain": [("yes", tw.InvalidTypeError), (None, tw.InvalidTypeError)],
}  # fmt: skip
SAID = {"tz": "zone", "arms": "arm", "now": "time"}
VECTORS = [("abc", tw.InvalidTypeError), ([1.0], tw.InvalidValueError), ([float("inf")] * 19, tw.InvalidValueError)]


def ways(memory):
    return {
        "recall": memory.recall,
        "recall_many": lambda text, **given: memory.recall_many([text], **given),
        "arecall": lambda text, **given: asyncio.run(memory.arecall(text, **given)),
        "proactive_context": memory.proactive_context,
    }


@pytest.mark.parametrize("way", ["recall", "recall_many", "arecall", "proactive_context"])
@pytest.mark.parametrize(
    ("name", "value", "error"), [(name, value, error) for name, values in WRONG.items() for value, error in values]
)
def test_wrong_arguments_are_typed_errors_that_name_them(memory, way, name, value, error):
    with pytest.raises(error) as caught:
        ways(memory)[way]("outage", **{name: value})
    assert SAID.get(name, name) in str(caught.value)


@pytest.mark.parametrize("query", [None, 5, b"outage", ["outage"], float("nan")])
def test_what_is_asked_is_a_string(memory, query):
    for name, way in ways(memory).items():
        with pytest.raises(tw.InvalidTypeError, match="is a string"):
            way(query)
        assert name
    with pytest.raises(tw.InvalidTypeError, match="several strings"):
        memory.recall_many("outage")


@pytest.mark.parametrize(("vector", "error"), VECTORS)
def test_vectors_that_do_not_fit(vector, error):
    with tw.Memory(embedder=hashed) as memory:
        memory.add(EVENTS)
        with pytest.raises(error, match="query_vector"):
            memory.recall("outage", query_vector=vector)


def test_every_option_is_covered_and_is_the_same_everywhere(memory):
    own = {name for name in RecallOptions.__annotations__ if name not in tw.FilterOptions.__annotations__}
    assert set(WRONG) == own
    named = {
        name: parameter.default
        for name, parameter in inspect.signature(memory.recall).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    assert set(named) == own | {"query_vector"}
    plain = memory.recall("outage", now=NOW)
    spelled = {name: value for name, value in named.items() if name not in ("query_vector", "now")}
    assert memory.recall_many(["outage"], now=NOW, **spelled) == [plain]
    context = inspect.signature(memory.proactive_context).parameters
    about_windows = {"window", "locale"}
    assert set(context) - {"text", "filters"} == own - about_windows
    assert all(named[name] == context[name].default for name in own - about_windows)


def test_windows_may_be_open(memory):
    assert memory.recall("outage", window=("2024-03-04", None), now=NOW).window.end is None
    assert memory.recall("outage", window=(None, "2024-03-04"), now=NOW).window.start is None


def test_answers_do_not_hang_on_threads(memory):
    expected = {query: memory.recall(query, now=NOW, diversity=0.4, max_tokens=60) for query in QUESTIONS}
    faults = []

    def work():
        for query, _ in itertools.product(QUESTIONS, range(5)):
            if memory.recall(query, now=NOW, diversity=0.4, max_tokens=60) != expected[query]:
                faults.append(query)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
