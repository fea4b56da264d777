"""Indexes on disk beside a store: taken over where they fit, caught up where they are old, else made anew."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

import timewalk as tw
from timewalk.indexes import cache

NOW = "2025-01-01"
WORDS = "pump valve cable launch review crew delay report board Maria Lopez because failed fix".split()  # noqa: SIM905
QUESTIONS = ("what failed in May 2024?", "who fixed the pump?", "Maria Lopez and the review", "cable 17")


def records(start, count):
    random = np.random.default_rng(start)
    return pa.table(
        {
            "id": [f"m{n}" for n in range(start, start + count)],
            "text": [" ".join(random.choice(WORDS, 6)) + f" {n}" for n in range(start, start + count)],
            "thread": [f"t{n // 10}" for n in range(start, start + count)],
            "author": [f"Person {n % 7}" for n in range(start, start + count)],
            "occurred_start": [f"2024-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(start, start + count)],
            "embedding": random.normal(size=(count, 8)).astype(np.float32).tolist(),
        }
    )


def answers(memory):
    vector = np.linspace(-1, 1, 8)
    return [
        [
            (hit.id, hit.score, dict(hit.scores), hit.path)
            for hit in memory.recall(question, now=NOW, query_vector=vector)
        ]
        for question in QUESTIONS
    ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("cache") / "store.tw"
    with tw.Memory(path) as memory:
        memory.add(records(0, 1200), now=NOW)
        memory.link("m1", "m900", "causes")
    return path


@pytest.fixture
def store(filled, tmp_path):
    path = tmp_path / "store.tw"
    shutil.copy(filled, path)
    shutil.copytree(f"{filled}-index", f"{path}-index")
    return path


def anew(path, tmp_path):
    """Answers of a copy without cache."""
    bare = tmp_path / "bare.tw"
    shutil.copy(path, bare)
    with tw.Memory(bare) as memory:
        return answers(memory)


def taken_over(memory):
    """Whether the indexes came from the cache: then the inferred links have not been worked out."""
    memory.recall("pump", now=NOW)
    return memory._index._links is None


def contents(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def test_a_closed_store_is_opened_from_its_cache_with_the_same_answers(store, tmp_path):
    expected = anew(store, tmp_path)
    before = contents(tmp_path / "store.tw-index")
    with tw.Memory(store) as memory:
        assert taken_over(memory)
        assert answers(memory) == expected
    assert contents(tmp_path / "store.tw-index") == before, "recall has written something"


def test_what_came_after_the_cache_is_caught_up_with(store, tmp_path):
    memory = tw.Memory(store)
    memory.add(records(1200, 50), now=NOW)
    memory.add({"id": "m5", "text": "the pump again"}, now=NOW)
    memory.delete(["m7", "m800"])
    memory.invalidate("m9", at="2024-06-01")
    memory.link("m2", "m3", "causes")
    memory._store.close()  # as after a kill: nothing is saved
    expected = anew(store, tmp_path)
    with tw.Memory(store) as memory:
        assert answers(memory) == expected
        assert memory._index._links is not None
        memory.add(records(1250, 1), now=NOW)
    expected = anew(store, tmp_path)
    with tw.Memory(store) as memory:
        assert taken_over(memory)
        assert answers(memory) == expected
        memory.delete("m5")
        memory.add({"id": "m7", "text": "the valve is back"}, now=NOW)
    expected = anew(store, tmp_path)
    with tw.Memory(store) as memory:
        assert taken_over(memory)
        assert answers(memory) == expected
        memory.add(records(1300, 5), now=NOW)
        known = answers(memory)
    assert known == anew(store, tmp_path)
    assert len({path.name.split("-")[0] for path in (tmp_path / "store.tw-index").iterdir()}) == len(
        list((tmp_path / "store.tw-index").iterdir())
    ), "an older cache was left behind"


@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "manifest", "empty", "nonsense", "folder", "other"])
def test_a_cache_that_is_damaged_or_of_another_store_is_made_anew(store, tmp_path, harm):
    expected = anew(store, tmp_path)
    folder = tmp_path / "store.tw-index"
    names = sorted(path.name for path in folder.iterdir() if path.suffix == ".bin")
    assert len(names) >= 5
    if harm in ("flip", "cut", "remove"):
        for name in names:
            kept = (folder / name).read_bytes()
            if harm == "remove":
                (folder / name).unlink()
            else:
                middle = len(kept) // 2
                flipped = kept[:middle] + bytes([kept[middle] ^ 1]) + kept[middle + 1 :]
                (folder / name).write_bytes(flipped if harm == "flip" else kept[:middle])
            with tw.Memory(store) as memory:
                assert not taken_over(memory)
                assert answers(memory) == expected
            (folder / name).write_bytes(kept)
        with tw.Memory(store) as memory:
            assert taken_over(memory)
        return
    if harm == "manifest":
        manifest = folder / "manifest.json"
        manifest.write_text(manifest.read_text()[:-9])
    elif harm == "empty":
        (folder / "manifest.json").write_text("[]")
    elif harm == "nonsense":
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"]["graph"]["file"] = "../store.tw"
        (folder / "manifest.json").write_text(json.dumps(manifest))
    elif harm == "folder":
        shutil.rmtree(folder)
    else:
        with tw.Memory(tmp_path / "other.tw") as other:
            other.add(records(5000, 1100), now=NOW)
        shutil.rmtree(folder)
        shutil.copytree(tmp_path / "other.tw-index", folder)
    with tw.Memory(store) as memory:
        assert not taken_over(memory)
        assert answers(memory) == expected


def test_other_rules_do_not_take_over_the_cache(store):
    with tw.Memory(store, links=tw.ingest.inference.LinkRules(threads=False)) as memory:
        assert not taken_over(memory)


def test_a_store_in_ram_and_a_small_one_have_no_cache(tmp_path):
    with tw.Memory(tmp_path / "small.tw") as memory:
        memory.add(records(0, 20), now=NOW)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.tw"]
    with tw.Memory() as memory:
        memory.add(records(0, 1100), now=NOW)
        assert cache.folder_of(memory._store) is None


def test_a_folder_that_cannot_be_written_is_no_error(store, tmp_path):
    shutil.rmtree(tmp_path / "store.tw-index")
    (tmp_path / "store.tw-index").write_text("in the way")
    with tw.Memory(store) as memory:
        memory.add(records(1200, 1), now=NOW)
    with tw.Memory(store) as memory:
        assert len(memory) == 1201
        assert not taken_over(memory)


def test_writers_side_by_side_do_not_harm_each_other(store, tmp_path):
    def write(number):
        for part in range(3):
            with tw.Memory(store) as memory:
                memory.add(records(2000 + 100 * number + 10 * part, 10), now=NOW)
                memory.recall("pump", now=NOW)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    expected = anew(store, tmp_path)
    for _ in range(2):
        with tw.Memory(store) as memory:
            assert len(memory) == 1320
            assert answers(memory) == expected
            assert [*memory._index._graph.check()] == []


@pytest.mark.parametrize(
    "facts", [{}, [], {"change": "x"}, {"dimension": 8}, {"change": 10**9, "relations": 0, "dimension": 8}]
)
def test_a_manifest_that_was_changed_is_made_anew(store, tmp_path, facts):
    expected = anew(store, tmp_path)
    path = store.with_name(f"{store.name}-index") / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "facts": facts}))
    with tw.Memory(store) as memory:
        assert answers(memory) == expected
        assert not taken_over(memory)
