"""The files of LongMemEval as they are published: names, odd rows, size."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import bench_data as made
import pytest

import timewalk as tw
from timewalk.bench import run
from timewalk.bench.data import array_items

BIG = 60


def entry(number, sessions=3, filler=0, **changed):
    """One question with its history, in the form of the published files."""
    said = [
        [
            {"role": "user", "content": f"I talk of topic {number} in session {session} " + "and so on " * filler},
            {"role": "assistant", "content": f"You said something of session {session}."},
        ]
        for session in range(sessions)
    ]
    said[1][0] |= {"content": f"My violin number {number} is called Berta.", "has_answer": True}
    said[1][1]["has_answer"] = False
    return {
        "question_id": f"q{number}",
        "question_type": "single-session-user",
        "question": f"What is violin number {number} called?",
        "answer": number,  # some are no strings
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": [f"2023/05/{1 + session % 28:02} (Sat) 02:21" for session in range(sessions)],
        "haystack_session_ids": [f"answer_{number}" if session == 1 else f"s{session}" for session in range(sessions)],
        "haystack_sessions": said,
        "answer_session_ids": [f"answer_{number}"],
        **changed,
    }


def published(path, entries):
    text = json.dumps(entries)
    path.write_bytes(gzip.compress(text.encode()) if path.name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize(
    "name",
    [
        "longmemeval_s.json",
        "longmemeval_s_cleaned.json",
        "longmemeval_s",
        "longmemeval_m_cleaned.json",
        "longmemeval_oracle.json.gz",
    ],
)
def test_every_published_file_is_read(name, tmp_path):
    path = published(tmp_path / name, [entry(0), entry(1), entry(2, question_id="q2_abs")])
    for data in (path, tmp_path):
        (part,) = run("longmemeval", data=data, embedder="none").parts
        assert part.questions == ["q0", "q1"]
        assert part.facts["without an answer, not scored"] == 1
        for measure in part.measures:
            assert part.summary()["timewalk"][measure].mean == 1


def test_the_small_file_is_taken_of_several_and_folders_are_none(tmp_path):
    (tmp_path / "longmemeval").mkdir()
    published(tmp_path / "longmemeval_s_cleaned.json", [entry(0)])
    published(tmp_path / "longmemeval_m_cleaned.json", [entry(1), entry(2)])
    assert run("longmemeval", data=tmp_path, embedder="none").parts[0].questions == ["q0"]
    (tmp_path / "longmemeval_s_cleaned.json").unlink()
    published(tmp_path / "longmemeval_oracle.json", [entry(3)])
    with pytest.raises(tw.FileAccessError, match="name one with --data"):
        run("longmemeval", data=tmp_path, embedder="none")


def test_odd_rows(tmp_path):
    blank = entry(1)
    blank["haystack_sessions"][1].insert(0, {"role": "user", "content": " ", "has_answer": True})
    blank["haystack_sessions"][2][1]["content"] = None
    unmarked = entry(2)
    for said in unmarked["haystack_sessions"]:
        for turn in said:
            turn.pop("has_answer", None)
    twice = entry(3, haystack_session_ids=["s0", "answer_3", "s0"])
    half = entry(4)
    half["haystack_sessions"][1][0]["content"] = "My violin number 4 \ud83d is called Berta."
    lost = entry(5, answer_session_ids=["answer_5", "never_told"])
    path = published(tmp_path / "longmemeval_s.json", [blank, unmarked, twice, half, lost])
    (part,) = run("longmemeval", data=path, embedder=made.__name__ + ":hashed").parts
    values = part.values["timewalk"]
    assert values["turns@10"] == [1, None, 1, 1, 1]
    assert values["all sessions@5"] == [1] * 5
    assert part.facts["memories"] == 6 * 5 - 1


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_one_history_at_a_time_is_in_memory(ending, tmp_path, monkeypatch):
    monkeypatch.setattr("timewalk.bench.suites.longmemeval.turns", lambda entry: [])
    path = tmp_path / f"longmemeval_m{ending}"
    published(path, [entry(number, sessions=200, filler=500) for number in range(BIG)])
    whole = BIG * 200 * 500 * len("and so on ")
    tracemalloc.start()
    count = sum(1 for _ in array_items(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == BIG
    assert whole > 50_000_000
    assert peak < whole / 4


def test_histories_are_read_in_any_order(tmp_path):
    from timewalk.bench.suites.longmemeval import _Histories

    path = published(tmp_path / "longmemeval_s.json", [entry(number) for number in range(5)])
    histories = _Histories(path)
    for number in (0, 2, 4, 1, 1, 3):
        assert any(f"violin number {number} " in memory["text"] for memory in histories(number))
    assert run("longmemeval", data=path, embedder="none", limit=2).parts[0].questions == ["q0", "q2"]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[", "[{}", '[{"a": 1} {"a": 2}]', '[{"a": 1},]', "[3]", "[[]]", '[{"a": "x]', "null", "[" * 100_000],
)
def test_what_is_no_array_of_objects_is_refused(text, tmp_path):
    path = tmp_path / "longmemeval_s.json"
    path.write_text(text)
    with pytest.raises(tw.FileFormatError, match="longmemeval_s"):
        list(array_items(path))
    with pytest.raises(tw.FileFormatError):
        run("longmemeval", data=path, embedder="none")


@pytest.mark.parametrize("piece", [1, 2, 7, 64])
def test_pieces_may_end_anywhere(piece, tmp_path, monkeypatch):
    monkeypatch.setattr("timewalk.bench.data._PIECE", piece)
    rows = [{"a": "ä€😀\n", "b": [1, {"c": None}]}, {}, {"d": "] } ,"}]
    for text in (
        json.dumps(rows),
        json.dumps(rows, indent=2, ensure_ascii=False),
        "\ufeff \n" + json.dumps(rows) + "\n",
    ):
        path = tmp_path / "longmemeval.json"
        path.write_text(text, encoding="utf-8")
        assert list(array_items(path)) == rows
