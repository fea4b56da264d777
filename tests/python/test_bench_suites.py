"""Every suite of `timewalk bench` on a small data set of its form, in Python and as the command."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import bench_data as made
import pytest
from typer.testing import CliRunner

import timewalk as tw
from timewalk.bench import SUITES, Result, markdown, run
from timewalk.bench.suites import speed
from timewalk.cli.app import app

EMBEDDER = "bench_data:hashed"
BUILDERS = {
    "locomo": made.locomo,
    "longmemeval": made.longmemeval,
    "story": made.story,
    "timelines": made.timelines,
    "multihop": made.multihop,
    "proactive": made.proactive,
    "windows": lambda folder: (made.windows(folder), made.story(folder)),
    "decay": made.decay,
}


def bench(*arguments, **env):
    return CliRunner().invoke(
        app, ["bench", *map(str, arguments)], env={"COLUMNS": "100", "TIMEWALK_DATA": None, **env}
    )


def steady(result: Result) -> dict:
    """What must be the same on every run: all but times and memory."""
    whole = json.loads(result.to_json())
    for part in whole["parts"]:
        del part["millis"], part["timing"]
    return whole


@pytest.mark.parametrize("suite", BUILDERS)
@pytest.mark.parametrize("embedder", [EMBEDDER, "none"])
def test_every_suite_runs_and_gives_the_same_twice(suite, embedder, tmp_path):
    BUILDERS[suite](tmp_path)
    first = run(suite, data=tmp_path, embedder=embedder)
    assert [part.name for part in first.parts] == list(SUITES[suite].parts)
    assert steady(first) == steady(run(suite, data=tmp_path, embedder=embedder))
    for part in first.parts:
        assert part.questions
        assert len(part.groups) == len(part.questions)
        for by_measure in part.values.values():
            assert list(by_measure) == part.measures
            for values in by_measure.values():
                assert len(values) == len(part.questions)
                assert all(value is None or 0 <= value <= 1 for value in values)
    text = markdown([first])
    assert all(part.name in text for part in first.parts)


def test_systems_are_timewalk_its_arms_and_the_baselines(tmp_path):
    made.story(tmp_path)
    (part,) = run("story", data=tmp_path, embedder=EMBEDDER, parts=["links-all"]).parts
    arms = ["semantic", "keyword", "graph", "temporal"]
    assert part.systems == [
        "timewalk",
        *(f"only {arm}" for arm in arms),
        *(f"without {arm}" for arm in [*arms, "thread", "title", "cause"]),
        *("BM25", "vectors", "rank fusion", "date filter", "published walk"),
    ]
    (plain,) = run("story", data=tmp_path, embedder="none", parts=["links-all"]).parts
    assert not any("semantic" in name for name in plain.systems)
    assert not {"vectors", "rank fusion", "published walk"} & set(plain.systems)
    assert part.millis.keys() == part.values.keys()
    assert part.facts["windows read right"] == "2 of 2"


def test_the_walk_finds_the_story_and_links_make_it(tmp_path):
    made.story(tmp_path, compressed=False)
    result = run("story", data=tmp_path / "story", embedder="none")
    by_name = {part.name: part for part in result.parts}
    whole = by_name["links-all"].summary()
    assert whole["timewalk"]["story@10"].mean == 1
    assert whole["timewalk"]["outside@10"].mean == 1
    # Six memories all fit into ten hits of a plain ranking, but those that share no word with the question.
    assert whole["BM25"]["outside@10"].mean < 1
    assert whole["date filter"]["outside@10"].mean == 0
    assert by_name["links-half"].facts["links given"] == 3
    assert by_name["links-none"].facts["links given"] == 0


def test_locomo_is_read_as_published(tmp_path):
    made.locomo(tmp_path)
    result = run("locomo", data=tmp_path / "locomo10.json", embedder="none")
    per_conversation, one_store = result.parts
    assert per_conversation.questions == ["one/0", "one/1", "one/2", "two/0", "two/1", "two/2"]
    assert per_conversation.groups == ["multi-hop", "single-hop", "temporal"] * 2
    assert per_conversation.facts == {"questions": 6, "memories": 10, "stores": 2}
    assert one_store.facts == {"questions": 6, "memories": 10}
    # Evidence written "D1:1; D1:3" counts as two turns.
    assert per_conversation.summary("multi-hop")["timewalk"]["recall@10"].mean == 1
    assert per_conversation.summary("single-hop")["BM25"]["recall@5"].mean == 1


def test_longmemeval_is_read_as_published(tmp_path):
    made.longmemeval(tmp_path)
    (part,) = run("longmemeval", data=tmp_path, embedder=EMBEDDER).parts
    assert part.questions == ["q1", "q2"]  # those without an answer are not scored
    assert part.groups == ["single-session-user", "multi-session"]
    assert part.facts == {"questions": 2, "memories": 10, "stores": 2, "without an answer, not scored": 1}
    assert part.summary()["timewalk"]["turns@10"].mean == 1
    assert part.summary()["timewalk"]["all sessions@5"].mean == 1


def test_multihop_resolves_what_supports_the_answer(tmp_path):
    made.multihop(tmp_path)
    for part in run("multihop", data=tmp_path, embedder="none").parts:
        assert part.summary()["BM25"]["recall@2"].mean == 1, part.name


def test_what_is_said_brings_up_what_belongs_to_it_and_not_itself(tmp_path, monkeypatch):
    made.proactive(tmp_path)
    asked = []
    said = tw.Memory.proactive_context

    def context(memory, text, **given):
        hits = said(memory, text, **given)
        asked.append((text, hits.ids))
        return hits

    monkeypatch.setattr(tw.Memory, "proactive_context", context)
    turns, stories, passages = run("proactive", data=tmp_path, embedder=EMBEDDER).parts
    # One text a turn, however many questions it is evidence for; only what earlier sessions held comes up.
    assert turns.questions == ["one/D2:1", "two/D2:1"]
    assert all("D2" not in id for text, ids in asked if text.startswith("Bob: My knee") for id in ids)
    assert turns.summary()["BM25"]["recall@10"].mean > 0
    # Both questions are about one story each; only its last event is said, and nothing later comes up.
    assert stories.questions == ["outage", "fix"]
    assert {tuple(ids) for text, ids in asked if text.startswith("Outage")}
    assert all(not {"outage", "fix", "picnic"} & set(ids) for text, ids in asked if text.startswith("Outage"))
    assert stories.facts["links given"] == 4
    assert passages.questions == ["p0", "p1"]
    assert passages.summary()["timewalk"]["recall@10"].mean == 1
    for part in (turns, stories, passages):
        assert part.systems == [
            "timewalk",
            *(f"only {arm}" for arm in ("semantic", "keyword", "graph")),
            *(f"without {arm}" for arm in ("semantic", "keyword", "graph", "thread", "title", "cause")),
            *("recall", "BM25", "vectors", "rank fusion"),
        ]


def test_windows_are_scored_as_they_should(tmp_path):
    made.windows(tmp_path)
    made.story(tmp_path)
    english, languages, anchored = run("windows", data=tmp_path, embedder="none").parts
    assert english.questions == ["w1", "w2", "w3"]
    assert english.values["timewalk"]["exact, text"][:2] == [1, 0]
    assert english.values["timewalk"]["start, text"] == [1, 0, 1]
    assert languages.values["timewalk"]["exact, span"] == [1]
    assert anchored.values["timewalk"] == {"window right": [1], "anchor right": [1]}


def test_decay_is_exact_and_leaves_out_what_has_no_number(tmp_path):
    made.decay(tmp_path)
    (part,) = run("decay", data=tmp_path).parts
    assert part.facts == {"rows": 11, "left out": 2}
    assert part.summary()["timewalk"]["largest relative error"].mean < 1e-14
    assert part.summary()["timewalk"]["within 1e-13"].mean == 1
    assert part.timing["ACT-R, times as fast as numpy"] > 0


def test_made_memories_are_the_same_every_time(monkeypatch):
    assert speed.made(50) == speed.made(50)
    monkeypatch.setattr(speed, "_ASKED", 4)
    part = speed.retrieval("300", speed._size(300))(speed.Setting(embedder=None))
    assert part.facts["memories"] == 300
    assert part.summary()["timewalk"]["found@10"].mean == 1
    assert part.millis["timewalk"] > 0


def test_a_limit_asks_fewer_questions(tmp_path):
    made.locomo(tmp_path)
    first, _ = run("locomo", data=tmp_path, embedder="none", limit=2).parts
    assert first.questions == ["one/0", "two/0"]
    made.decay(tmp_path)
    assert len(run("decay", data=tmp_path, limit=3).parts[0].questions) == 3


# One's own questions -------------------------------------------------------------------------------------------------


def test_own_questions_over_a_file_and_over_a_store(tmp_path):
    made.own(tmp_path)
    memories, questions, store = (tmp_path / name for name in ("memories.jsonl", "questions.jsonl", "store.tw"))
    (part,) = run("own", memories=memories, questions=questions, embedder=EMBEDDER).parts
    assert part.questions == ["1", "2", "lisbon"]
    assert part.summary()["timewalk"]["recall@10"].mean == 1
    assert part.summary("plain")["timewalk"]["MRR"].mean == 1
    with tw.Memory(store) as memory:
        memory.add(memories)
    before = store.read_bytes()
    (stored,) = run("own", store=store, questions=questions).parts
    assert stored.questions == part.questions
    assert stored.summary("plain")["timewalk"]["recall@10"].mean == 1
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"relevant": ["plan"]}, '"query"'),
        ({"query": "x", "relevant": []}, '"relevant"'),
        ({"query": "x", "relevant": "plan"}, '"relevant"'),
        ({"query": "x", "relevant": ["plan", "nowhere"]}, "'nowhere'"),
        ({"query": "x", "relevant": ["plan"], "window": ["2024-02-01"]}, "window"),
        ({"query": "x", "relevant": ["plan"], "window": ["2024-02-01", "2024-01-01"]}, "ends before"),
        ({"query": "x", "relevant": ["plan"], "now": "soon"}, "soon"),
        ({"query": "x", "relevant": ["plan"], "gold": ["plan"]}, "'gold'"),
    ],
)
def test_bad_questions_name_their_line(row, words, tmp_path):
    made.own(tmp_path)
    good = {"query": "x", "relevant": ["plan"]}
    made.lines(tmp_path / "bad.jsonl", [good, row])
    with pytest.raises(tw.errors.FileFormatError, match=r"line 2 of .*bad\.jsonl") as caught:
        run("own", memories=tmp_path / "memories.jsonl", questions=tmp_path / "bad.jsonl", embedder="none")
    assert words in str(caught.value)


# What is wrong is said ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suite", BUILDERS)
def test_missing_data_is_an_error_that_says_what_to_give(suite, tmp_path):
    with pytest.raises(tw.InvalidValueError, match="--data"):
        run(suite, embedder="none")
    with pytest.raises(tw.errors.FileAccessError, match=r"json.*\.gz.*suite"):
        run(suite, data=tmp_path, embedder="none")
    with pytest.raises(tw.errors.FileAccessError, match="there is no folder"):
        run(suite, data=tmp_path / "nowhere", embedder="none")


@pytest.mark.parametrize("suite", BUILDERS)
@pytest.mark.parametrize("damage", ["rows of another form", "not JSON", "not gzip", "empty"])
def test_data_of_another_form_is_a_typed_error(suite, damage, tmp_path):
    BUILDERS[suite](tmp_path)
    bad = {"rows of another form": b'{"id": 3}', "not JSON": b"{", "not gzip": b"\x1f\x8bno", "empty": b""}[damage]
    for path in tmp_path.rglob("*.json*"):
        packed = gzip.compress(bad) if path.suffix == ".gz" and damage != "not gzip" else bad
        path.write_bytes(packed)
    with pytest.raises(tw.TimewalkError):
        run(suite, data=tmp_path, embedder="none")


def test_bad_arguments_name_the_choices(tmp_path):
    made.story(tmp_path)
    for arguments, words in (
        ({"suite": "stories"}, "locomo"),
        ({"suite": "story", "parts": ["links"]}, "links-all"),
        ({"suite": "story", "limit": 0}, "1 or more"),
        ({"suite": "story", "embedder": "no_such_module:embed"}, "MODULE:CALLABLE"),
        ({"suite": "story", "embedder": "bench_data:nothing"}, "nothing"),
        ({"suite": "story", "embedder": "bench_data:not_callable"}, "no callable"),
        ({"suite": "story", "embedder": "wordlama"}, "wordllama"),
        ({"suite": "own"}, "--questions"),
        ({"suite": "own", "store": tmp_path / "x", "embedder": "none"}, "own embedder"),
    ):
        with pytest.raises(tw.InvalidValueError, match=words):
            run(**{"data": tmp_path, **arguments})


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_from_end_to_end(tmp_path):
    made.own(tmp_path)
    arguments = ("own", "--memories", tmp_path / "memories.jsonl", "--questions", tmp_path / "questions.jsonl")
    out, table = tmp_path / "out.json", tmp_path / "out.md"
    shown = bench(*arguments, "--embedder", EMBEDDER, "--json", out, "--markdown", table)
    assert shown.exit_code == 0, shown.output
    assert "3 questions, 6 memories" in shown.stdout
    assert "rank fusion" in shown.stdout
    assert "without keyword" in table.read_text(encoding="utf-8")
    assert Result.read(out).parts[0].summary()["timewalk"]["recall@10"].mean == 1
    again = bench(*arguments, "--embedder", "none", "--compare", out)
    assert again.exit_code == 0, again.output
    assert "Changes" in again.stdout
    assert "questions, timewalk, recall@10" in again.stdout


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_tables_fit_the_terminal(width, tmp_path):
    made.story(tmp_path)
    shown = bench("story", "--data", tmp_path, "--embedder", EMBEDDER, COLUMNS=str(width))
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)
    if width >= 80:
        assert any(line.startswith("timewalk ") and "1.000" in line for line in lines)


def test_the_data_folder_may_come_from_the_environment(tmp_path):
    made.decay(tmp_path)
    shown = bench("decay", TIMEWALK_DATA=str(tmp_path))
    assert shown.exit_code == 0, shown.output


def test_errors_are_one_line_and_come_before_the_work(tmp_path):
    made.story(tmp_path)
    other = tmp_path / "other.json"
    other.write_text("{}")
    for arguments, words in (
        (("story",), "--data"),
        (("nothing",), "no suite"),
        (("story", "--data", tmp_path, "--json", tmp_path / "no" / "x.json"), "folder that exists"),
        (("story", "--data", tmp_path, "--compare", other), "not a result"),
    ):
        shown = bench(*arguments)
        assert shown.exit_code == 2
        assert shown.stderr.startswith("error: ")
        assert len(shown.stderr.splitlines()) == 1
        assert words in shown.stderr


def test_it_runs_as_a_process_with_nothing_of_the_repository(tmp_path):
    made.decay(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-m", "timewalk.cli", "bench", "decay", "--data", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "largest relative error" in ran.stdout


def test_the_real_data_is_read():
    folder = os.environ.get("TIMEWALK_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("TIMEWALK_DATA names no folder with the suites' data")
    for suite, parts, count in (
        ("locomo", ["per-conversation"], 5),
        ("timelines", [], 5),
        ("windows", ["english"], 50),
    ):
        (part,) = run(suite, data=folder, embedder="none", limit=count, parts=parts).parts
        assert len(part.questions) == count


def test_the_example_of_the_documentation_runs(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "bench.md").read_text(encoding="utf-8")
    memories, questions = re.findall(r"```jsonl\n(.*?)```", text, re.DOTALL)
    (tmp_path / "memories.jsonl").write_text(memories, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(questions, encoding="utf-8")
    files = {"memories": tmp_path / "memories.jsonl", "questions": tmp_path / "questions.jsonl"}
    (part,) = run("own", embedder="none", **files).parts
    assert part.questions == ["1", "2", "3"]
    assert part.summary()["timewalk"]["recall@10"].mean == 1
    for name, suite in SUITES.items():
        assert f"| `{name}` |" in text or name == "own"
        for piece in suite.parts if name != "own" else ():
            assert f"`{piece}`" in text
