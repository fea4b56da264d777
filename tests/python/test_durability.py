"""What `add` has returned for survives; what it has not finished leaves nothing; reopening changes no answer."""

import gc
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import timewalk as tw

KILLS = 60
GROUP = 20


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork are POSIX")
def test_sixty_kills_lose_nothing_and_leave_no_half(tmp_path):
    path = tmp_path / "killed.tw"
    script = Path(__file__).with_name("kill_writer.py")
    run = subprocess.run(
        [sys.executable, str(script), str(path), str(KILLS), "7"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    last = json.loads(run.stdout)
    assert len(last) == KILLS
    with tw.Memory(path) as memory:
        rows = memory._store.query("SELECT id FROM memory")
        groups: dict[str, int] = {}
        for (id,) in rows:
            groups[id.rsplit("-", 1)[0]] = groups.get(id.rsplit("-", 1)[0], 0) + 1
        assert set(groups.values()) == {GROUP}, "a group was stored in part"
        for child, group in enumerate(last):
            assert all(f"{child}-{done}" in groups for done in range(group + 1)), "a returned add was lost"
        assert memory._store.query("SELECT count(*) FROM link")[0][0] == len(groups) * (GROUP - 1)
        assert memory._store.query("SELECT count(*) FROM vector")[0][0] == len(rows)
        assert len(memory.recall(f"event {rows[0][0]}", k=1, query_vector=[9.0, 1.0])) == 1


def answers(memory, questions):
    return [
        [(hit.id, hit.score, dict(hit.scores), hit.path) for hit in memory.recall(question, k=20, now="2024-07-01")]
        for question in questions
    ]


QUESTIONS = ("what broke around 10 May 2024?", "who fixed the pump?", "the pump in May", "")


def story(count):
    words = ("pump", "valve", "rehearsal", "launch", "cable", "Maria Lopez", "review board", "delay")
    return [
        {
            "id": f"e{n}",
            "text": f"{words[n % 8]} {words[n * 5 % 7]} report {n}",
            "occurred_start": f"2024-0{1 + n % 6}-{1 + n % 28:02d}",
            "thread": f"t{n % 3}",
            "tags": [words[n % 8]],
            "caused_by": [f"e{n - 9}"] if n % 4 == 0 and n >= 9 else [],
        }
        for n in range(count)
    ]


def hashed(texts):
    """A tiny embedder: letters counted."""
    return [[text.count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


def test_a_reopened_file_answers_the_same_to_the_bit(tmp_path):
    path = tmp_path / "story.tw"
    with tw.Memory(path, embedder=hashed) as memory:
        events = story(120)
        memory.add(events[:50])
        memory.recall("warm the indexes between two adds")
        memory.add(events[50:])
        memory.link("e3", "e40", "enables", weight=0.7)
        memory.delete("e7")
        memory.invalidate("e8", at="2024-06-01")
        before = answers(memory, QUESTIONS)
        memory.save(tmp_path / "copy.tw")
    for name in ("story.tw", "copy.tw"):
        with tw.Memory(tmp_path / name, embedder=hashed) as again:
            assert answers(again, QUESTIONS) == before
    assert any(before)


def test_saving_from_ram_and_going_on(tmp_path):
    memory = tw.Memory(embedder=hashed)
    memory.add(story(30))
    memory.save(tmp_path / "saved.tw")
    memory.add({"id": "later", "text": "later than the copy"})
    with tw.Memory(tmp_path / "saved.tw", embedder=hashed) as saved:
        assert "later" not in saved
        assert len(saved) == 30
    memory.save(tmp_path / "saved.tw")
    with tw.Memory(tmp_path / "saved.tw", embedder=hashed) as saved:
        assert "later" in saved
    assert not list(tmp_path.glob(".*"))


def test_recall_changes_nothing_on_disk(tmp_path):
    path = tmp_path / "story.tw"
    with tw.Memory(path, embedder=hashed) as memory:
        memory.add(story(40))
    before = path.read_bytes()
    with tw.Memory(path, embedder=hashed) as memory:
        answers(memory, QUESTIONS)
    assert path.read_bytes() == before


def test_the_same_records_again_change_nothing(tmp_path):
    with tw.Memory(tmp_path / "story.tw", embedder=hashed) as memory:
        ids = memory.add(story(40), now="2024-07-01")
        change, before = memory._store.change(), answers(memory, QUESTIONS)
        assert memory.add(story(40), now="2025-01-01") == ids
        assert memory._store.change() == change
        assert answers(memory, QUESTIONS) == before


def test_two_processes_of_one_file_see_each_other(tmp_path):
    path = tmp_path / "shared.tw"
    with tw.Memory(path, embedder=hashed) as one, tw.Memory(path, embedder=hashed) as two:
        one.add({"id": "a", "text": "the pump failed"})
        assert two.recall("pump").ids == ["a"]
        two.add({"id": "b", "text": "another pump failed"})
        assert set(one.recall("pump").ids) == {"a", "b"}
        two.delete("a")
        assert one.recall("pump").ids == ["b"]


def test_a_store_that_nobody_closed_closes_itself(tmp_path):
    path = tmp_path / "left.tw"
    memory = tw.Memory(path)
    memory.add({"id": "a", "text": "the pump failed"})
    del memory
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gc.collect()
    assert not path.with_name("left.tw-wal").exists()
    with tw.Memory(path) as again:
        assert again.recall("pump").ids == ["a"]


def test_a_write_in_the_middle_of_a_refresh_is_seen_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "shared.tw"
    with tw.Memory(path, embedder=hashed) as reader, tw.Memory(path, embedder=hashed) as writer:
        writer.add([{"id": "one", "text": "pump one"}, {"id": "two", "text": "pump two"}])
        query, late = reader._store.query, iter([{"id": "three", "text": "pump three"}])

        def interrupted(sql, arguments=()):
            if "FROM vector" in sql and (record := next(late, None)) is not None:
                writer.add(record)
            return query(sql, arguments)

        monkeypatch.setattr(reader._store, "query", interrupted)
        assert set(reader.recall("pump").ids) >= {"one", "two"}
        assert set(reader.recall("pump").ids) == {"one", "two", "three"}
        seen = answers(reader, ("pump three",))
    with tw.Memory(path, embedder=hashed) as again:
        assert answers(again, ("pump three",)) == seen
