"""What callers, embedders and frames may get wrong: typed errors, no warnings, nothing stored by halves."""

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest

import timewalk as tw


@pytest.mark.parametrize(
    "vector", [[1e300, 0.0], [np.nan, 0.0], [np.inf, 0.0], [1.0], [], [[1.0, 2.0]], None, "no", ["a", "b"]]
)
def test_an_embedder_that_returns_no_vectors_is_a_typed_error_and_stores_nothing(vector):
    given = [[1.0, 0.0]]

    def embed(texts):
        return [given[0] for _ in texts]

    with tw.Memory(embedder=embed) as memory:
        memory.add({"id": "good", "text": "the pump"})
        given[0] = vector
        with pytest.raises(tw.EmbedderError):
            memory.add({"id": "bad", "text": "the valve"})
        assert "bad" not in memory
        hits = memory.recall("the pump")
        assert hits.ids == ["good"]


@pytest.mark.parametrize("vector", [[1e300, 0.0], [np.nan, 0.0], [1.0], ["a", "b"]])
def test_a_vector_in_a_record_that_is_none_is_a_typed_error(vector):
    with tw.Memory() as memory:
        memory.add({"id": "good", "text": "the pump", "embedding": [1.0, 0.0]})
        with pytest.raises(tw.TimewalkError, match="embedding"):
            memory.add({"id": "bad", "text": "the valve", "embedding": vector})
        assert "bad" not in memory


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_memory_is_neither_pickled_nor_copied(act):
    with tw.Memory() as memory, pytest.raises(TypeError, match="open its file again"):
        act(memory)


def test_of_two_times_of_invalidation_the_earlier_counts_and_none_takes_it_back():
    with tw.Memory() as memory:
        memory.add({"id": "old", "text": "the office is in Rome"})

        def found(now):
            return memory.recall("where is the office?", now=now).ids == ["old"]

        memory.invalidate("old", at="2024-06-01")
        memory.invalidate("old", at="2024-09-01")
        assert found("2024-05-01")
        assert not found("2024-07-01")
        memory.invalidate("old", at="2024-03-01")
        assert not found("2024-05-01")
        memory.invalidate("old", at=None)
        assert found("2024-07-01")


def test_a_weight_that_is_nan_is_an_error_in_tables_and_frames():
    pd = pytest.importorskip("pandas")
    ends = {"source": ["a", "a"], "target": ["b", "c"], "relation": ["causes", "causes"]}
    with tw.Memory() as memory:
        memory.add([{"id": id, "text": id} for id in "abc"])
        for links in (
            pa.table({**ends, "weight": [1.0, float("nan")]}),
            pd.DataFrame({**ends, "weight": [1.0, float("nan")]}),
        ):
            with pytest.raises(tw.InvalidValueError, match="row 1") as caught:
                memory.link_many(links)
            assert caught.value.column == "weight"
        memory.link_many(pa.table({**ends, "weight": [0.5, None]}))
        memory.link_many(pd.DataFrame(ends))
        assert memory._store.query("SELECT weight FROM link ORDER BY target") == [(1.0,), (1.0,)]


def test_an_empty_window_is_an_error_that_says_what_a_year_is():
    with tw.Memory() as memory:
        memory.add({"id": "a", "text": "a", "occurred_start": "2024-05-01"})
        with pytest.raises(tw.InvalidValueError, match="2025"):
            memory.recall("", window=("2024", "2024"))
        assert memory.recall("", window=("2024", "2025")).ids == ["a"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("we won 🎉 at last", "🎉"),
        ("trip to 🇩🇪 and 🇫🇷", "🇩🇪"),
        ("👍🏽 from all", "👍"),
        ("⭐⭐⭐ hotel", "⭐"),
        ("☕️time", "☕"),
    ],
)
def test_emoji_are_words(text, query):
    with tw.Memory() as memory:
        memory.add([{"id": "with", "text": text}, {"id": "without", "text": "we won at last, a trip to Spain"}])
        assert memory.recall(query).ids == ["with"]


def test_ties_are_cut_by_id_whatever_the_order_of_arrival():
    ids = [f"m{n:03d}" for n in range(120)]
    for order in (ids, ids[::-1]):
        with tw.Memory() as memory:
            memory.add([{"id": id, "text": "the same words"} for id in order])
            assert memory.recall("words", k=7).ids == ids[:7]


def test_a_shorter_answer_is_the_begin_of_a_longer_one():
    random = np.random.default_rng(3)
    words = [f"word{n}" for n in range(40)]
    with tw.Memory() as memory:
        memory.add(
            [
                {
                    "id": f"m{n}",
                    "text": " ".join(random.choice(words, 6)),
                    "thread": f"t{n // 9}",
                    "occurred_start": f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}",
                    "embedding": random.normal(size=4).tolist(),
                }
                for n in range(600)
            ]
        )
        for query in ("word1 word2 word3", "word7 in May 2024", "word9"):
            longest = memory.recall(query, k=50, query_vector=[1, 0, 0, 1], now="2025-01-01")
            assert len(longest) == 50
            for k in (1, 5, 10, 20):
                hits = memory.recall(query, k=k, query_vector=[1, 0, 0, 1], now="2025-01-01")
                assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in longest[:k]]


@pytest.mark.parametrize(
    ("extractor", "error"),
    [
        (lambda texts: [[] for _ in range(len(texts) + 1)], tw.InvalidValueError),
        (lambda texts: None, tw.InvalidValueError),
        (lambda texts: [[5]] * len(texts), tw.InvalidTypeError),
        (lambda texts: [None] * len(texts), tw.InvalidTypeError),
    ],
)
def test_an_extractor_that_gives_something_else_is_a_clear_error(extractor, error):
    with tw.Memory(extractor=extractor) as memory:
        with pytest.raises(error, match="extractor"):
            memory.add({"text": "a"})
        assert len(memory) == 0


def test_a_model_that_a_library_does_not_have_is_a_clear_error():
    pytest.importorskip("wordllama", reason="pip install 'timewalk[static]'")
    with pytest.raises(tw.EmbedderError, match="wordllama:xx"):
        tw.Memory(embedder="wordllama:xx")


def test_a_language_that_nothing_reads_is_an_error_before_the_question_is_asked():
    with tw.Memory() as memory, pytest.raises(tw.TimewalkError, match="xx"):
        memory.recall("what happened yesterday?", locale="xx")


def test_whole_numbers_of_numpy_are_whole_numbers():
    with tw.Memory() as memory:
        memory.add([{"text": "a pump"}, {"text": "the pump"}])
        assert len(memory.recall("pump", k=np.int64(1), diversity=np.float32(0.5))) == 1
