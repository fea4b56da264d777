"""Keyword and vector search against naive versions of themselves."""

import numpy as np
import pyarrow as pa
import pytest

from timewalk.errors import FileFormatError
from timewalk.indexes.keyword import KeywordIndex
from timewalk.indexes.vectors import VectorIndex


def keyword_index(*texts):
    index = KeywordIndex()
    index.add(np.arange(len(texts)), pa.array(texts, pa.string()))
    return index


def test_the_rarer_word_counts_more_and_word_forms_meet():
    index = keyword_index(
        "the launch was delayed",
        "launching a kite",
        "the kite festival",
        "a launch pad",
    )
    hits = index.search("delayed launches", 10)
    assert hits.rows[0] == 0
    assert set(hits.rows.tolist()) == {0, 1, 3}
    assert (np.diff(hits.scores) <= 0).all()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我在北京大学学习物理", "北京大学"),
        ("昨日、東京タワーに行きました", "東京タワー"),
        ("서울에서 만났다", "서울"),
    ],
)
def test_languages_without_spaces_are_found(text, query):
    index = keyword_index(text, "上海 osaka busan")
    assert index.search(query, 5).rows.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "query"),
    [("shipped it 🚀 today", "🚀"), ("party🎉🎉time", "what about 🎉?"), ("in 🇫🇷 now", "🇫🇷"), ("ok 👍🏽", "👍")],
)
def test_emoji_are_words(text, query):
    index = keyword_index("🐢 in 🇩🇪", text, "nothing here")
    assert index.search(query, 5).rows.tolist() == [1]
    assert index.names_something(query)


def test_a_saved_index_answers_the_same_and_goes_on(tmp_path):
    texts = ["the launch was delayed", "launching a kite", "北京大学 🚀", "the kite festival"]
    index, path = keyword_index(*texts), tmp_path / "index"
    for again in range(2):
        index.save(path, np.arange(len(texts)), pa.array(texts))
        loaded = KeywordIndex.load(path)
        for query in ("delayed launches", "kite", "北京大学", "🚀"):
            for before, after in zip(index.search(query, 3), loaded.search(query, 3), strict=True):
                assert before.tolist() == after.tolist()
        loaded.add(np.asarray([len(texts)]), pa.array([f"one more kite {again}"]))
        texts.append(f"one more kite {again}")
        assert len(loaded.search("kite", 9).rows) == 3 + again
        index = loaded


def test_what_is_no_saved_index_is_a_clear_error(tmp_path):
    path = tmp_path / "index"
    keyword_index("launch").save(path, np.arange(1), pa.array(["launch"]))
    whole = path.read_bytes()
    for damaged in (b"", b"something else", whole[:700], whole[:-4096].replace(b"meta.json", b"beta.json")):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match="no keyword index"):
            KeywordIndex.load(path)


def test_two_universities_are_two():
    index = keyword_index("北京大学", "上海大学")
    assert index.search("上海大学", 5).rows[0] == 1


def test_a_mask_holds_before_the_cut():
    index = keyword_index(*["launch"] * 50, "a launch of something with more words")
    mask = np.zeros(51, np.bool_)
    mask[50] = True
    assert index.search("launch", 1, mask).rows.tolist() == [50]
    assert index.search("launch", 1, ~mask).rows.tolist() == list(range(50))
    assert index.search("launch", 1, mask[:50]).rows.tolist() == []


def test_what_texts_share_tells_them_from_the_rest_and_can_be_asked_for():
    texts = ["Keel spoke at the dock", "Keel left the dock in rain", "Rain on the mill", "Rain again", "Keel again"]
    index = KeywordIndex()
    index.add(np.arange(5), pa.array(texts))
    shared = index.shared(texts[:2], 2)
    assert shared == {("text", "dock"): 1.0, ("text", "keel"): 1.0}
    assert index.shared(texts[:3], 9)["text", "rain"] == 2 / 3
    assert index.shared([], 3) == index.shared(["Keel"], 3) == {}
    found = index.search("mill", 5, also=shared)
    assert sorted(found.rows) == [0, 1, 2, 4]
    halved = index.search("mill", 5, also={term: weight / 2 for term, weight in shared.items()})
    alone = index.search("keel", 5)
    of_four = dict(zip(halved.rows.tolist(), halved.scores.tolist(), strict=True))[4]
    assert of_four == pytest.approx(alone.scores[alone.rows == 4][0] / 2, abs=2e-3)


def test_relevance_is_the_share_of_the_query_that_a_text_covers():
    index = keyword_index("pump failure", "pump works", *["other things here"] * 7)
    hits = index.search("pump failure", 5)
    assert hits.relevance[0] == 1.0
    assert 0.2 < hits.relevance[1] < 0.7


def test_what_ties_with_the_last_comes_along_however_the_index_was_filled():
    at_once = keyword_index(*["same words"] * 300, "same words and more")
    in_parts = KeywordIndex()
    for start in range(300, -1, -37):
        rows = np.arange(max(0, start - 36), start + 1)
        in_parts.add(rows, pa.array(["same words and more" if row == 300 else "same words" for row in rows.tolist()]))
    for index in (at_once, in_parts):
        assert index.search("words", 20).rows.tolist() == list(range(300))


def test_empty_and_odd_questions_find_nothing_and_do_not_fail():
    index = keyword_index("launch")
    for query in ("", "   ", "?!", "+title:x AND (", "\x00", "x" * 10_000):
        assert index.search(query, 5).rows.tolist() == []
    assert KeywordIndex().search("launch", 5).rows.tolist() == []
    assert index.search("the", 5).rows.tolist() == []


def vectors(count, dimension=16, seed=0):
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


def naive(data, query, limit, mask):
    units = data / np.linalg.norm(data, axis=1, keepdims=True)
    cosines = units @ (query / np.linalg.norm(query))
    order = sorted(range(len(data)), key=lambda at: (-cosines[at], at))
    return [at for at in order if mask is None or mask[at]][:limit]


@pytest.mark.parametrize("masked", [False, True])
def test_the_exact_scan_equals_the_naive_one(masked):
    data = vectors(500)
    index = VectorIndex(16)
    index.put(np.arange(200), data[:200])
    index.put(np.arange(200, 500), data[200:])
    mask = np.random.default_rng(1).random(500) < 0.3 if masked else None
    for query in vectors(20, seed=2):
        assert index.search(query, 10, mask).positions.tolist() == naive(data, query, 10, mask)


def test_the_mean_is_of_the_vectors_at_length_1_that_are_there():
    index = VectorIndex(2)
    index.put(np.asarray([0, 2, 3]), np.asarray([[3, 4], [0, 5], [0, 0]], np.float32))
    np.testing.assert_allclose(index.mean(np.asarray([0, 2])), [0.3, 0.9], rtol=1e-6)
    np.testing.assert_array_equal(index.mean(np.asarray([2, 1, 9])), [0, 1])
    np.testing.assert_array_equal(index.mean(np.asarray([1, 9])), [0, 0])
    np.testing.assert_allclose(index.cosines(np.asarray([2, 0], np.float32), np.asarray([0, 2, 3])), [0.6, 0, 0])


def test_above_the_limit_hnsw_finds_nearly_all_and_filters_still_give_k():
    data = vectors(3000)
    index = VectorIndex(16, exact_limit=1000)
    index.put(np.arange(1500), data[:1500])
    index.put(np.arange(1500, 3000), data[1500:])
    found = 0
    rare = np.zeros(3000, np.bool_)
    rare[::100] = True
    most = np.random.default_rng(1).random(3000) < 0.9
    for query in vectors(50, seed=2):
        found += len(set(index.search(query, 10).positions.tolist()) & set(naive(data, query, 10, None)))
        assert index.search(query, 10, rare).positions.tolist() == naive(data, query, 10, rare)
        assert len(index.search(query, 10, most).positions) == 10
    assert found >= 0.97 * 500


def test_zero_vectors_and_empty_masks():
    index = VectorIndex(4)
    index.put(np.arange(2), np.zeros((2, 4), np.float32))
    assert index.search(np.ones(4, np.float32), 5).cosines.tolist() == [0.0, 0.0]
    assert index.search(np.zeros(4, np.float32), 5).cosines.tolist() == [0.0, 0.0]
    assert len(index.search(np.ones(4, np.float32), 5, np.zeros(2, np.bool_)).positions) == 0
    assert len(VectorIndex(4).search(np.ones(4, np.float32), 5).positions) == 0


@pytest.mark.parametrize("share", [0.002, 0.05, 0.4, 1.0])
def test_a_masked_keyword_search_is_the_whole_one_without_the_rest(share):
    draw = np.random.default_rng(11)
    index = KeywordIndex()
    words = ["pump", "valve", "hall", "server"]
    texts = [" ".join(draw.choice(words, size=int(draw.integers(1, 9)))) for _ in range(3000)]
    index.add(np.arange(3000), pa.array(texts))
    mask = draw.random(3000) < share
    for text in ("pump", "pump server valve", "nothing of this"):
        whole = index.search(text, 3000)
        for limit in (1, 7, 200):
            some = index.search(text, limit, mask=mask)
            kept = mask[whole.rows]
            assert some.rows[:limit].tolist() == whole.rows[kept][:limit].tolist()
            assert some.scores[:limit].tolist() == whole.scores[kept][:limit].tolist()
    assert len(index.search("pump", 5, mask=np.zeros(3000, np.bool_)).rows) == 0
