"""What comes after fusion: re-ranker, decay, diversity, budget."""

from __future__ import annotations

import sys
import types
from datetime import timedelta

import numpy as np
import pytest
from recall_events import EVENTS, NOW, QUESTIONS, hashed, pairs

import timewalk as tw
from timewalk.recall import rerankers
from timewalk.recall.budget import Budget, estimate_tokens
from timewalk.recall.combine import Combined
from timewalk.recall.diversity import by_vectors, by_words, choose
from timewalk.recall.rerankers import apply


@pytest.fixture(params=[None, hashed], ids=["no embedder", "embedder"])
def memory(request):
    with tw.Memory(embedder=request.param) as made:
        made.add(EVENTS, now="2024-06-01")
        yield made


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
