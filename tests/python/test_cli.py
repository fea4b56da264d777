"""The commands as people run them: demo, ingest, recall; help, errors, exit codes, plain terminals."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from timewalk.cli.app import app
from timewalk.cli.options import window_of
from timewalk.demo import NOW
from timewalk.errors import InvalidValueError

EVENTS = [
    {"id": "plan", "text": "The team planned the move to the new cluster.", "occurred_start": "2024-01-10"},
    {
        "id": "move",
        "text": "The database moved to the new cluster.",
        "occurred_start": "2024-03-02T09:00:00Z",
        "caused_by": ["plan"],
    },
    {
        "id": "outage",
        "text": "The shop was down for an hour: an outage of the database.",
        "occurred_start": "2024-03-05T14:00:00Z",
        "caused_by": ["move"],
    },
    {
        "id": "fix",
        "text": "The pool was made larger and the alarm stricter.",
        "occurred_start": "2024-04-02",
        "caused_by": ["outage"],
    },
]
QUESTION = "what about the outage in March 2024?"


def run(*arguments: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80", **(env or {})})


def command(*arguments: object, **env: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with pipes instead of a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "timewalk.cli", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "80", **env},
        timeout=120,
        check=False,
    )


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in EVENTS), encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path, events: Path) -> Path:
    path = tmp_path / "team.timewalk"
    result = run("ingest", events, "--store", path, "--embedder", "none", "--now", "2024-06-01")
    assert result.exit_code == 0, result.output
    return path


def answered(store: Path, *options: object, question: str = QUESTION) -> dict[str, object]:
    result = run("recall", question, "--store", store, "--now", "2024-06-01", "--json", *options)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


# Help and errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "demo", "ingest", "recall"])
def test_help_has_an_example_and_fits_the_terminal(name: str) -> None:
    result = run(*filter(None, [name]), "--help")
    assert result.exit_code == 0
    assert f"Example: timewalk {name or 'demo'}" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_the_version_is_that_of_the_package() -> None:
    import timewalk

    assert run("--version").output.strip() == f"timewalk {timewalk.__version__}"


def test_errors_are_one_line_and_exit_code_two(tmp_path: Path) -> None:
    done = command("recall", "anything", "--store", tmp_path / "none.timewalk")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: there is no store")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "none.timewalk").exists()


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    arguments = ("recall", "anything", "--store", tmp_path / "none.timewalk")
    for done in (command("--debug", *arguments), command(*arguments, TIMEWALK_DEBUG="1")):
        assert done.returncode != 0
        assert "Traceback" in done.stderr
        assert "StoreError" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["recall"], "missing argument 'question': what to ask, in words"),
        (["recall", "x"], "missing option '--store' / '-s'"),
        (["recall", "x", "--store", "s", "-k", "0"], "'-k'"),
        (["recall", "x", "--store", "s", "-k", "many"], "'-k'"),
        (["recall", "x", "--store"], "'--store' requires an argument"),
        (["recall", "x", "--store", "s", "--tgas", "a"], "no such option: --tgas"),
        (["recall", "x", "y", "--store", "s"], "unexpected extra argument"),
        (["recall", "x", "--store", "s", "--diversity", "2"], "'--diversity'"),
        (["ingest", "--store", "s"], "missing argument 'FILE... | git PATH'"),
        (["nothing"], "no such command 'nothing'"),
        (["--nope"], "no such option: --nope"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_do(arguments: list[str], words: str) -> None:
    result = run(*arguments, env={"TIMEWALK_STORE": ""})
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert "--help tells more" in result.stderr


def test_wrong_usage_in_a_process_of_its_own() -> None:
    done = command("recall", "x", "--store", "s", "-k", "0")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "timewalk recall --help tells more" in done.stderr
    assert command().returncode in (0, 2)
    assert "Usage: timewalk" in run().output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--now", "soon"], "--now: 'soon' is not an ISO 8601 time"),
        (["--window", "April"], "--window: 'April' is not an ISO 8601 time"),
        (["--window", "2024-05-01..2024-04-01"], "ends before it starts"),
        (["--window", "2024-05-01T10:00"], "is an instant"),
        (["--tz", "Mars/Olympus", "--now", "2024-01-01"], "unknown time zone"),
        (["--as-of", "soon"], "--as-of: 'soon' is not an ISO 8601 time"),
        (["--times", "2024"], "--times: '2024' is not WHICH=START..END"),
        (["--times", "born=2024"], "with WHICH one of occurred_start, occurred_end, mentioned_at, created_at"),
        (["--times", "created_at=2025..2024"], "--times: '2025..2024' ends before it starts"),
        (["--times", "created_at=2024", "--times", "created_at=2025"], "--times: created_at is given twice"),
        (["--window", "2024-07-01..2024-07-01"], "--window: '2024-07-01..2024-07-01' is empty"),
        (["--reranker", "oracle"], "unknown reranker 'oracle'"),
        (["--html", "/nowhere/at/all.html"], "cannot write /nowhere/at/all.html"),
        (["--embedder", "oracle"], "oracle"),
    ],
)
def test_wrong_values_are_named(store: Path, options: list[str], words: str) -> None:
    result = run("recall", QUESTION, "--store", store, *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert result.stderr.startswith("error: ")


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("some notes, longer than a header" * 10, encoding="utf-8")
    result = run("recall", "x", "--store", path)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert path.read_text(encoding="utf-8").startswith("some notes")


def opened_for_writing(pipe: Path, reader: subprocess.Popen[str]) -> int:
    """The pipe's writing end, which there is as soon as the reader has come to reading it."""
    while reader.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            time.sleep(0.02)
    raise AssertionError(reader.communicate()[1])


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process there")
def test_control_c_is_exit_code_130(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.jsonl"
    os.mkfifo(pipe)  # reading waits until someone writes
    process = subprocess.Popen(
        [sys.executable, "-m", "timewalk.cli", "ingest", str(pipe), "--store", str(tmp_path / "s.timewalk")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    writing = opened_for_writing(pipe, process)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    os.close(writing)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert out == ""


# Windows on the command line -------------------------------------------------------------------------------------


def test_windows_are_half_open_and_may_be_open() -> None:
    def micros(text: str, tz: str = "UTC") -> tuple[str | None, str | None]:
        window = window_of(text, tz)
        assert window is not None
        return tuple(None if time is None else time.isoformat() for time in (window.start, window.end))  # type: ignore[return-value]

    assert micros("2024-03-01..2024-04-01") == ("2024-03-01T00:00:00+00:00", "2024-04-01T00:00:00+00:00")
    assert micros("2024-03") == ("2024-03-01T00:00:00+00:00", "2024-04-01T00:00:00+00:00")
    assert micros("2024") == ("2024-01-01T00:00:00+00:00", "2025-01-01T00:00:00+00:00")
    assert micros("..2024-04-01") == (None, "2024-04-01T00:00:00+00:00")
    assert micros("2024-04-01..") == ("2024-04-01T00:00:00+00:00", None)
    assert micros("2024-04-01", "+08:00")[0] == "2024-03-31T16:00:00+00:00"
    assert window_of(None) is None
    with pytest.raises(InvalidValueError, match="--window"):
        window_of("2024-13")


# Ingest and recall -----------------------------------------------------------------------------------------------


def test_the_story_of_a_file(store: Path) -> None:
    answer = answered(store)
    assert answer["window"]["start"] == "2024-03-01T00:00:00Z"  # type: ignore[index]
    hits = {hit["id"]: hit for hit in answer["hits"]}  # type: ignore[attr-defined]
    assert set(hits) == {"plan", "move", "outage", "fix"}
    assert hits["plan"]["place"] == "before"
    assert hits["fix"]["place"] == "after"
    assert hits["fix"]["path"][-1]["source"] == "outage"
    assert hits["plan"]["path"][-1]["target"] == "plan"
    scores = [hit["score"] for hit in answer["hits"]]  # type: ignore[attr-defined]
    assert scores == sorted(scores, reverse=True)


def test_recall_prints_window_table_and_explanation(store: Path) -> None:
    arguments = ("recall", QUESTION, "--store", store, "--now", "2024-06-01")
    plain = run(*arguments)
    assert plain.exit_code == 0
    assert "window: 2024-03 (month)" in plain.stdout
    assert "The shop was down" in plain.stdout
    assert "outage ─caused" in plain.stdout or "outage ─causes" in plain.stdout
    assert "\x1b" not in plain.stdout
    assert max(map(len, plain.stdout.splitlines())) <= 80
    explained = run(*arguments, "--explain").stdout
    assert "temporal  rank 1" in explained
    assert "a seed of the walk" in explained
    assert "fit       " in explained
    assert "window    " in explained
    assert "nearness to the window" in explained
    drawn = run(*arguments, "--timeline").stdout
    assert drawn.index("Jan 2024") < drawn.index("the window: 2024-03") < drawn.index("Apr 2024")


def test_k_window_and_namespace_are_heard(store: Path) -> None:
    assert len(answered(store, "-k", 2)["hits"]) == 2  # type: ignore[arg-type]
    given = answered(store, "--window", "2024-01", question="what about the cluster?")
    assert given["window"]["end"] == "2024-02-01T00:00:00Z"  # type: ignore[index]
    assert answered(store, "--namespace", "elsewhere")["hits"] == []
    assert answered(store, question="")["hits"] == []


def test_filters_are_heard(tmp_path: Path) -> None:
    path, store = tmp_path / "events.jsonl", tmp_path / "s.timewalk"
    facts = [
        {"fact_type": "event", "tags": ["red"], "author": "Ada", "thread": "t1", "created_at": "2024-01-01"},
        {"fact_type": "event", "tags": ["red", "blue"], "author": "Bob", "thread": "t1", "created_at": "2024-02-01"},
        {"fact_type": "note", "tags": ["blue"], "author": "Ada", "thread": "t2", "created_at": "2024-03-01"},
        {"fact_type": "note", "author": "Bob", "mentioned_at": "2024-05-05", "created_at": "2024-04-01"},
    ]
    records = [{"id": str(n), "text": f"cluster {n}", **fact} for n, fact in enumerate(facts)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert run("ingest", path, "--store", store, "--embedder", "none").exit_code == 0

    def found(*options: object) -> set[str]:
        return {hit["id"] for hit in answered(store, *options, question="cluster")["hits"]}  # type: ignore[attr-defined]

    assert found() == {"0", "1", "2", "3"}
    assert found("--fact-type", "note") == {"2", "3"}
    assert found("--tags", "red", "--tags", "blue") == {"0", "1", "2"}
    assert found("--tags-all", "red", "--tags-all", "blue") == {"1"}
    assert found("--tags-none", "red") == {"2", "3"}
    assert found("--author", "ada") == {"0", "2"}
    assert found("--thread", "t1", "--thread", "t2") == {"0", "1", "2"}
    assert found("--as-of", "2024-02-01") == {"0", "1"}
    assert found("--times", "mentioned_at=2024-05") == {"3"}
    assert found("--times", "created_at=2024-02..2024-04", "--author", "Bob") == {"1"}
    assert found("--times", "created_at=..2024-02") == {"0"}
    assert len(found("--max-tokens", "6")) == 2
    assert len(found("--diversity", "0.5", "-k", "2")) == 2


def test_the_story_as_a_page(store: Path, tmp_path: Path) -> None:
    page = tmp_path / "story.html"
    result = run("recall", QUESTION, "--store", store, "--now", "2024-06-01", "--html", page)
    assert result.exit_code == 0, result.output
    assert "The shop was down" in result.stdout
    assert f"wrote {page}" in " ".join(result.stderr.split()).replace(" /", "/") or "wrote" in result.stderr
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "move causes outage" in text
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".part")] == []


def test_the_same_again_changes_nothing(store: Path, events: Path) -> None:
    before = answered(store)
    result = run("ingest", events, "--store", store, "--embedder", "none", "--now", "2024-06-02")
    assert result.exit_code == 0
    assert "4 records: 4 unchanged in" in result.stdout
    assert "holds 4 memories" in result.stdout
    assert answered(store) == before


def test_ingest_tells_new_changed_and_unchanged(store: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    records = [EVENTS[0], {**EVENTS[3], "text": "The pool was made larger."}, {"id": "n1", "text": "a note"}]
    more.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    arguments = ("ingest", more, "--store", store, "--embedder", "none", "--now", "2024-06-02")
    assert "3 records: 1 new, 1 changed, 1 unchanged in" in run(*arguments).stdout
    assert "3 records: 3 unchanged in" in run(*arguments).stdout
    more.write_text(json.dumps({"id": "n2", "text": "another"}) + "\n", encoding="utf-8")
    assert "1 record: 1 new in" in run(*arguments).stdout
    more.write_text("", encoding="utf-8")
    assert "0 records in" in run(*arguments).stdout


def test_several_files_of_several_formats_and_a_namespace(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "text", "occurred_start", "caused_by"])
        writer.writeheader()
        writer.writerows({**event, "caused_by": ";".join(event.get("caused_by", []))} for event in EVENTS[2:])
    (tmp_path / "b.data").write_text("".join(json.dumps(event) + "\n" for event in EVENTS[:2]), encoding="utf-8")
    store = tmp_path / "s.timewalk"
    # The causes of the first file's events stand in the second: all go in together.
    assert run("ingest", tmp_path / "a.csv", tmp_path / "b.data", "--store", store).exit_code == 2
    assert not store.exists()
    (tmp_path / "b.data").rename(tmp_path / "b.jsonl")
    done = run("ingest", tmp_path / "a.csv", tmp_path / "b.jsonl", "--store", store, "-n", "ops", "--embedder", "none")
    assert done.exit_code == 0, done.output
    assert {hit["namespace"] for hit in answered(store)["hits"]} == {"ops"}  # type: ignore[attr-defined]


def test_format_names_what_the_file_does_not(tmp_path: Path, events: Path) -> None:
    odd = tmp_path / "export.txt"
    odd.write_bytes(events.read_bytes())
    store = tmp_path / "s.timewalk"
    refused = run("ingest", odd, "--store", store)
    assert refused.exit_code == 2
    assert "cannot tell the format" in " ".join(refused.stderr.split())
    assert run("ingest", odd, "--store", store, "--format", "xml").exit_code == 2
    assert run("ingest", odd, "--store", store, "--format", "jsonl", "--embedder", "none").exit_code == 0


def test_bad_records_are_named_and_nothing_is_stored(tmp_path: Path, events: Path, store: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "fine"}\n{"id": "x"}\n', encoding="utf-8")
    result = run("ingest", events, bad, "--store", store)
    message = " ".join(result.stderr.split())
    assert result.exit_code == 2
    assert "bad.jsonl" in message
    assert "row 1" in message
    assert "text" in message
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "fine"}\n{"text": \n', encoding="utf-8")
    result = run("ingest", broken, "--store", store)
    assert result.exit_code == 2
    assert "line 2" in " ".join(result.stderr.split())
    assert len(answered(store, "-k", 50)["hits"]) == 4  # type: ignore[arg-type]


def test_the_history_of_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    identity = {
        "GIT_AUTHOR_NAME": "A. Author",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A. Author",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }

    def git(*arguments: str, at: str = "2024-03-01T10:00:00Z") -> str:
        env = {**os.environ, **identity, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet")
    (folder / "pool.py").write_text("SIZE = 5\n", encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "-m", "Shrink the connection pool")
    first = git("rev-parse", "HEAD")
    (folder / "pool.py").write_text("SIZE = 50\n", encoding="utf-8")
    git(
        "commit", "--quiet", "-am", f"Enlarge the pool again\n\nThis reverts commit {first}.", at="2024-04-05T10:00:00Z"
    )
    store = tmp_path / "project.timewalk"
    result = run("ingest", "git", folder, "--store", store, "--embedder", "none")
    assert result.exit_code == 0, result.output
    assert "2 records: 2 new in" in result.stdout
    again = run("ingest", "git", folder, "--store", store, "--embedder", "none")
    assert "2 records: 2 unchanged in" in again.stdout
    answer = answered(store, question="what happened to the pool in April 2024?")
    hits = {hit["id"]: hit for hit in answer["hits"]}  # type: ignore[attr-defined]
    assert first in hits
    assert hits[first]["place"] == "before"
    late = run("ingest", "git", folder, "--store", tmp_path / "late", "--since", "2024-04-01", "--embedder", "none")
    assert "1 records" in late.stdout or "1 record" in late.stdout
    for wrong in (["git"], ["git", folder, folder], ["git", tmp_path / "nowhere"]):
        assert run("ingest", *wrong, "--store", store).exit_code == 2
    assert run("ingest", folder / "pool.py", "--since", "2024-01-01", "--store", store).exit_code == 2


# Demo ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedder", ["auto", "none"])
def test_the_demo_tells_the_story_with_its_causes_and_consequences(embedder: str) -> None:
    result = run("demo", "--json", "--embedder", embedder)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert (answer["window"]["start"], answer["window"]["end"]) == ("1970-04-01T00:00:00Z", "1970-05-01T00:00:00Z")
    walked = {hit["id"]: hit for hit in answer["hits"] if hit["path"]}
    before = [id for id, hit in walked.items() if hit["place"] == "before"]
    after = [id for id, hit in walked.items() if hit["place"] == "after"]
    assert len(before) >= 4, before
    assert len(after) >= 3, after
    assert {"oxygen-shelf-dropped", "heater-65-volt", "detanking-heaters"} <= set(before)
    assert {"review-board-report", "apollo-14-delayed"} <= set(after)
    assert {"tank-explosion", "service-module-seen"} <= {hit["id"] for hit in answer["hits"]}
    assert answer["date_filter"]["hits"]
    assert {hit["place"] for hit in answer["date_filter"]["hits"]} == {"inside"}


def test_the_demo_draws_table_and_timeline() -> None:
    result = run("demo")
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for piece in ("a date filter", "timewalk", "before", "inside", "after", "nothing", "the window: 1970-04 (month)"):
        assert piece in text
    assert text.index("Oct 1968") < text.index("the window: 1970-04") < text.index("Jun 1970")


def test_the_demo_is_the_same_every_time() -> None:
    assert run("demo").stdout == run("demo").stdout


def test_the_demo_answers_other_questions() -> None:
    result = run("demo", "--question", "why was Skylab too hot in May 1973?", "-k", 8, "--json")
    ids = [hit["id"] for hit in json.loads(result.stdout)["hits"]]
    assert "skylab-shield-lost" in ids
    loose = run("demo", "--question", "who was struck by lightning?", "--json")
    assert json.loads(loose.stdout)["window"] is None
    assert "apollo-12-lightning" in [hit["id"] for hit in json.loads(loose.stdout)["hits"]]
    assert run("demo", "--question", "who was struck by lightning?").exit_code == 0
    early = json.loads(run("demo", "--now", "1960-01-01", "--json").stdout)
    assert early["now"] == "1960-01-01T00:00:00Z"
    assert NOW.year == 1975


def test_the_demo_in_a_plain_terminal() -> None:
    done = command("demo", PYTHONIOENCODING="ascii", NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "+ -caused_by>" in done.stdout or "-caused_by>" in done.stdout
    piped = command("demo")
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout + piped.stderr
