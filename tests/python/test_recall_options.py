"""What comes after fusion (re-ranker, decay, diversity, budget), batches, asyncio, failing parts, wrong arguments."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import sys
import threading
import time
import types
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import timewalk as tw
from timewalk.recall import combine, pipeline, reading, rerankers
from timewalk.recall.budget import Budget, estimate_tokens
from timewalk.recall.combine import Combined
from timewalk.recall.diversity import by_vectors, by_words, choose
from timewalk.recall.options import RecallOptions
from timewalk.recall.rerankers import apply

NOW = "2024-12-01"
EVENTS = [
    {"id": "plan", "text": "The team planned the move of the database", "occurred_start": "2024-01-10"},
    {
        "id": "move",
        "text": "The database moved to the new cluster in Lisbon",
        "occurred_start": "2024-03-02",
        "caused_by": ["plan"],
    },
    {
        "id": "outage",
        "text": "The shop was down: an outage of the database",
        "occurred_start": "2024-03-05",
        "caused_by": ["move"],
    },
    {
        "id": "fix",
        "text": "The pool was made larger and the alarm stricter",
        "occurred_start": "2024-04-02",
        "caused_by": ["outage"],
    },
    {"id": "again", "text": "The shop was down: another outage of the database", "occurred_start": "2024-03-09"},
    {"id": "lunch", "text": "Lunch with Maria Lopez about the database budget", "author": "Maria Lopez"},
    {"id": "memo", "text": "A memo about the database, the shop, the outage and much more " + "and more " * 60},
]
QUESTIONS = ["what about the outage of the database?", "what about the outage in March 2024?", "database"]


def hashed(texts):
    """A tiny embedder: letters counted."""
    return [[text.count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


@pytest.fixture(params=[None, hashed], ids=["no embedder", "embedder"])
def memory(request):
    with tw.Memory(embedder=request.param) as made:
        made.add(EVENTS, now="2024-06-01")
        yield made


def pairs(hits):
    return [(hit.id, hit.score, hit.path) for hit in hits]


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


# Re-rankers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("engine", [None, tw.HalfLife(timedelta(days=30)), tw.ACTR()])
def test_a_reranker_that_tells_nothing_apart_changes_nothing(memory, question, engine):
    plain = memory.recall(question, now=NOW, engine=engine)
    same = memory.recall(question, now=NOW, engine=engine, reranker=lambda query, texts: [-3.5] * len(texts))
    assert pairs(same) == pairs(plain)
    assert {hit.scores["reranker"] for hit in same} == {-3.5}
    assert all("reranker" not in hit.scores for hit in plain)


def test_a_reranker_decides_the_order_and_its_scores_are_kept(memory):
    seen = []

    def longest(query, texts):
        seen.append(query)
        return [len(text) * 100.0 for text in texts]

    hits = memory.recall("database", now=NOW, reranker=longest)
    assert seen == ["database"]
    assert [len(hit.text) for hit in hits] == sorted((len(hit.text) for hit in hits), reverse=True)
    assert [hit.ranks["reranker"] for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.scores["reranker"] for hit in hits] == [len(hit.text) * 100.0 for hit in hits]
    assert 0.95 <= hits[0].score <= memory.recall("database", now=NOW)[0].score
    assert hits[-1].score < 0.1
    assert memory.recall("database", k=1, now=NOW, reranker=longest).ids == ["memo"]


def test_what_a_window_gave_comes_after_the_reranker(memory):
    question = "what about the outage in March 2024?"
    plain = memory.recall(question, now=NOW, k=5)
    last = memory.recall(question, now=NOW, k=5, reranker=lambda query, texts: [-len(text) for text in texts])
    assert set(plain.ids[:4]) <= set(last.ids)
    assert all(0 <= hit.score <= 1 for hit in last)


def test_decay_comes_after_the_reranker():
    with tw.Memory() as memory:
        memory.add(
            [
                {"id": "old", "text": "the office is in Porto", "created_at": "2020-01-01"},
                {"id": "new", "text": "the office is in Lisbon", "created_at": "2024-11-30"},
            ]
        )
        given = {"now": NOW, "reranker": lambda query, texts: [float("Porto" in text) for text in texts]}
        assert memory.recall("office", **given).ids == ["old", "new"]
        assert memory.recall("office", **given, engine=tw.HalfLife(timedelta(days=30))).ids == ["new", "old"]


def entry(id, score, timed=0.0):
    return Combined(id, score, {}, {}, {}, timed)


def test_rerank_scores_by_hand():
    pool = [entry("a", 0.8), entry("b", 0.6, 0.5), entry("c", 0.4)]
    told, note = apply(lambda query, texts: [1, 2, 3], "q", pool, ["x", "y", "z"])
    # By text alone a, b and c have 0.8, 0.1 and 0.4; they get 0.95 of 0, 0.4 and 0.8, and 0.05 of their own.
    expected = {"a": 0.05 * 0.8, "b": 0.95 * 0.4 + 0.05 * 0.1 + 0.5, "c": 0.95 * 0.8 + 0.05 * 0.4}
    best = max(expected.values())
    assert note is None
    assert {one.id: one.score for one in told} == pytest.approx({id: s * 0.8 / best for id, s in expected.items()})
    assert [one.id for one in told] == ["b", "c", "a"]
    assert [(one.ranks, one.scores) for one in told] == [({"reranker": n}, {"reranker": 4.0 - n}) for n in (2, 1, 3)]
    assert apply(lambda query, texts: [], "q", [], []) == ([], None)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e300])
def test_a_rerankers_order_holds_whatever_its_scale(scale):
    draw = np.random.default_rng(3)
    for _ in range(100):
        count = int(draw.integers(1, 40))
        pool = [entry(f"m{n}", float(score)) for n, score in enumerate(sorted(draw.random(count), reverse=True))]
        raw = draw.integers(-9, 9, count) * scale
        told, _ = apply(lambda query, texts, raw=raw: raw, "q", pool, [""] * count)
        got = [(-one.scores["reranker"], int(one.id[1:])) for one in told]
        assert got == sorted(got)
        assert all(0 <= one.score <= pool[0].score for one in told)
        assert [one.ranks["reranker"] for one in told] == list(range(1, count + 1))


def test_a_failing_reranker_leaves_the_order_and_says_so(memory):
    def broken(query, texts):
        raise ConnectionError("no route")

    hits = memory.recall("database", now=NOW, reranker=broken)
    assert hits.ids == memory.recall("database", now=NOW).ids
    assert any("re-ranker failed (ConnectionError: no route)" in note for note in hits.notes)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (lambda texts: [1.0], "shape"),
        (lambda texts: [[1.0, 2.0] for _ in texts], "shape"),
        (lambda texts: [float("nan") for _ in texts], "not finite"),
        (lambda texts: ["high" for _ in texts], "one number a text"),
        (lambda texts: None, "re-ranker"),
    ],
)
def test_a_reranker_that_gives_nonsense_is_told_so(memory, scores, words):
    with pytest.raises(tw.RerankerError, match=words):
        memory.recall("database", now=NOW, reranker=lambda query, texts: scores(texts))


def test_a_model_that_is_not_there_is_told(memory, monkeypatch):
    def missing(model):
        raise OSError(f"no model {model}")

    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=missing))
    with pytest.raises(tw.RerankerError, match=r"'sentence-transformers:nowhere' was not loaded \(OSError: no model"):
        memory.recall("database", reranker="sentence-transformers:nowhere")


def test_adapters_for_cross_encoders(memory, monkeypatch):
    made = []
    rerankers._loaded.cache_clear()

    class CrossEncoder:
        def __init__(self, model, **options):
            made.append((model, options))

        def predict(self, pairs, show_progress_bar):
            assert not show_progress_bar
            return np.asarray([len(text) - len(query) for query, text in pairs], np.float32)

    class TextCrossEncoder:
        def __init__(self, model_name, **options):
            made.append((model_name, options))

        def rerank(self, query, documents):
            return (float(len(text)) for text in documents)

    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(CrossEncoder=CrossEncoder))
    module = types.SimpleNamespace(TextCrossEncoder=TextCrossEncoder)
    monkeypatch.setitem(sys.modules, "fastembed", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "fastembed.rerank", types.SimpleNamespace())
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", module)
    for reranker in (
        tw.SentenceTransformersReranker("m", max_length=128),
        tw.FastembedReranker("n", threads=1),
        "sentence-transformers:small",
        "fastembed:tiny",
    ):
        assert isinstance(reranker, (str, tw.Reranker))
        assert memory.recall("database", now=NOW, reranker=reranker).ids[0] == "memo"
        memory.recall("database", now=NOW, reranker=reranker)
    rerankers._loaded.cache_clear()
    assert made == [("m", {"max_length": 128}), ("n", {"threads": 1}), ("small", {}), ("tiny", {})]


@pytest.mark.parametrize("name", ["sentence-transformers", "fastembed"])
def test_a_reranker_that_is_not_installed_says_how_to_get_it(memory, name, monkeypatch):
    for module in ("sentence_transformers", "fastembed", "fastembed.rerank.cross_encoder"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(tw.MissingDependencyError, match=rf"pip install 'timewalk\[{name}\]'"):
        memory.recall("database", reranker=f"{name}:not-there")


# Diversity and budget --------------------------------------------------------------------------------------------


def test_diversity_takes_fewer_that_say_the_same(memory):
    question = "the shop was down: an outage of the database"
    plain = memory.recall(question, k=2, now=NOW)
    assert set(plain.ids) == {"outage", "again"}
    assert memory.recall(question, k=2, now=NOW, diversity=0.0) == plain
    spread = memory.recall(question, k=2, now=NOW, diversity=0.9)
    assert plain.ids[0] == spread.ids[0]
    assert len({"outage", "again"} & set(spread.ids)) == 1
    assert [hit.score for hit in spread] == sorted((hit.score for hit in spread), reverse=True)
    assert len(memory.recall(question, k=20, now=NOW, diversity=1.0)) == len(memory.recall(question, k=20, now=NOW))


def naive_mmr(scores, like, k, d):
    taken, left = [], list(range(len(scores)))
    top = max(scores)
    while left and len(taken) < k:
        best = max(
            left, key=lambda i: ((1 - d) * scores[i] / top - d * max((like[i][j] for j in taken), default=0), -i)
        )
        taken.append(best)
        left.remove(best)
    return sorted(taken)


def test_choice_is_that_of_the_formula():
    draw = np.random.default_rng(5)
    for _ in range(200):
        n, k, d = int(draw.integers(1, 30)), int(draw.integers(1, 12)), float(draw.choice([0.0, 0.3, 0.7, 1.0]))
        scores = sorted(draw.random(n).tolist(), reverse=True)
        units = draw.normal(size=(n, 4)).astype(np.float32)
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        like = np.clip(units @ units.T, 0, 1).astype(np.float64)
        got = choose(scores, [""] * n, k, diversity=d, likeness=by_vectors(units), budget=Budget(None))
        if d == 0:
            assert got == list(range(min(k, n)))
        assert len(got) == len(set(got)) == min(k, n)
        expected = naive_mmr(scores, like, k, d)
        assert got == expected or d == 1.0


def test_likeness_of_words():
    like = by_words(["the red car", "The red CAR!", "a blue boat", "", "北京大学", "北京の大学"])
    assert like(0).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert like(3).tolist() == [0.0] * 6
    assert 0 < like(4)[5] < 1


def test_negative_scores_may_be_chosen_from():
    got = choose([-1.0, -2.0, -3.0], ["a", "b", "c"], 2, diversity=0.1, likeness=by_words("abc"), budget=Budget(None))
    assert got == [0, 1]


def test_the_budget_skips_what_is_too_long_and_goes_on(memory):
    question = "a memo about the database and much more"
    everything = memory.recall(question, k=20, now=NOW)
    assert everything.ids[0] == "memo"
    some = memory.recall(question, k=20, now=NOW, max_tokens=30)
    assert "memo" not in some.ids
    assert len(some) >= 2
    assert sum(estimate_tokens(hit.text) for hit in some) <= 30
    assert any("passed over" in note and "30 tokens" in note for note in some.notes)
    words = memory.recall(question, k=20, now=NOW, max_tokens=9, count_tokens=lambda text: len(text.split()))
    assert sum(len(hit.text.split()) for hit in words) <= 9
    assert len(memory.recall(question, k=2, now=NOW, max_tokens=10_000)) == 2
    assert memory.recall(question, now=NOW, max_tokens=1).ids == []


def test_estimated_tokens():
    assert [estimate_tokens(text) for text in ("", "a", "four", "fives", "北京大学", "\ud800")] == [0, 1, 1, 2, 3, 1]


@pytest.mark.parametrize(
    ("count", "error"),
    [
        (lambda text: 1.5, tw.InvalidTypeError),
        (lambda text: "many", tw.InvalidTypeError),
        (lambda text: -1, tw.InvalidValueError),
        (lambda text: 1 // 0, tw.InvalidValueError),
    ],
)
def test_counters_that_do_not_count(memory, count, error):
    with pytest.raises(error, match="count_tokens"):
        memory.recall("database", max_tokens=5, count_tokens=count)


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


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_threads_may_fail_too(memory, monkeypatch, question):
    def broken(*arguments):
        raise RuntimeError("no luck")

    others = memory.recall(question, now=NOW, arms=list(pipeline.ARMS))
    monkeypatch.setattr(combine, "_along_threads", broken)
    hits = memory.recall(question, now=NOW)
    assert "the thread or title arm failed (RuntimeError: no luck)" in hits.notes
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
