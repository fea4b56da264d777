"""Histories of real repositories, made for each test."""

import os
import subprocess
from datetime import UTC, datetime

import pytest

from timewalk import FileAccessError, InvalidValueError, MissingDependencyError, UnknownIdError
from timewalk.ingest.git import read_history
from timewalk.ingest.records import to_table

START = 1_714_521_600  # 2024-05-01


class Repository:
    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.clock = START
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, data=None, **environment):
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        names = {"GIT_AUTHOR_NAME": "Ada O'Brien", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        names |= {
            "GIT_COMMITTER_NAME": "Bot",
            "GIT_COMMITTER_EMAIL": "bot@example.org",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        done = subprocess.run(
            ["git", "-C", self.path, *arguments],
            input=data,
            env={**plain, **names, **environment},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def commit(self, message, *files, lag=0, **environment):
        for name in files:
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f"{message!r}")
            self.git("add", "--", name)
        self.clock += 3600
        dates = {"GIT_AUTHOR_DATE": f"{self.clock} +0800", "GIT_COMMITTER_DATE": f"{self.clock + lag} +0000"}
        if isinstance(message, str):
            message = message.encode()
        self.git(
            "commit", "-q", "--allow-empty", "--allow-empty-message", "-F", "-", data=message, **dates, **environment
        )
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repo")


def history(repository, **options):
    return list(read_history(repository.path, **options))


def test_a_commit_is_a_memory_with_times_author_and_files(repository):
    first = repository.commit(
        "Add the tank\n\nIt holds oxygen.\nAnd more.\n\nSigned-off-by: Ada <a@x.org>\nCc: Bob <b@example.org>\n",
        "tank.c",
        "docs/read me.md",
        lag=60,
    )
    second = repository.commit("Second", "tank.c")
    assert history(repository) == [
        {
            "id": first,
            "text": "Add the tank\nIt holds oxygen.\nAnd more.",
            "author": "Ada O'Brien",
            "author_email": "ada@example.org",
            "entities": [{"name": "Ada O'Brien", "type": "person"}],
            "occurred_start": datetime(2024, 5, 1, 1, tzinfo=UTC),
            "occurred_end": datetime(2024, 5, 1, 1, 1, tzinfo=UTC),
            "files": ["docs/read me.md", "tank.c"],
        },
        {
            "id": second,
            "text": "Second",
            "author": "Ada O'Brien",
            "author_email": "ada@example.org",
            "entities": [{"name": "Ada O'Brien", "type": "person"}],
            "occurred_start": datetime(2024, 5, 1, 2, tzinfo=UTC),
            "files": ["tank.c"],
            "parents": [first],
        },
    ]
    table = to_table(read_history(repository.path))
    assert [item["type"] for item in table["entities"][0].as_py()] == ["person", "file", "file"]


def test_fixes_and_reverts_name_the_commits_that_caused_them(repository):
    bug = repository.commit("Add a bug", "a.c")
    other = repository.commit("Add another", "b.c")
    fix = repository.commit(
        f'Fix both\n\nFixes: {bug[:12]} ("Add a bug")\nfixes: {other}\nReviewed-by: Bot <b@x.org>\n'
    )
    revert = repository.commit(f'Revert "Fix both"\n\nThis reverts commit {fix}.\n')
    again = repository.commit(f"Reapply\n\nThis partially reverts commits {revert[:9]}, {fix[:9]} and\n{bug[:9]}.\n")
    found = {record["id"]: record.get("caused_by") for record in history(repository)}
    assert found == {bug: None, other: None, fix: [bug, other], revert: [fix], again: [revert, fix, bug]}
    texts = {record["id"]: record["text"] for record in history(repository)}
    assert texts[fix] == "Fix both"
    assert texts[revert] == f'Revert "Fix both"\nThis reverts commit {fix}.'


def test_a_hash_of_another_history_is_found_by_its_subject_or_kept_as_metadata(repository):
    bug = repository.commit("net: add  a bug", "a.c")
    repository.commit("Twice", "b.c")
    repository.commit("Twice", "c.c")
    moved, lost, twice, _ = (
        repository.commit('One\n\nFixes: 0123456789ab ("net: add a bug")\n'),
        repository.commit("Two\n\nThis reverts commit 0123456789abcdef.\n"),
        repository.commit('Three\n\nFixes: abcdef0123 ("Twice")\nFixes: #12\n'),
        repository.commit("Four\n\nIt fixes: nothing, and reverts commitments\n"),
    )
    found = {record["id"]: record for record in history(repository)}
    assert found[moved]["caused_by"] == [bug]
    assert found[lost]["reverts"] == ["0123456789abcdef"]
    assert found[twice]["fixes"] == ["abcdef0123"]
    assert sum("caused_by" in record for record in found.values()) == 1
    # A link never points out of what is read.
    recent = history(repository, max_count=4)
    assert [record.get("caused_by") for record in recent] == [None] * 4
    assert recent[0]["fixes"] == ["0123456789ab"]


def test_merges_have_no_files_and_may_be_left_out(repository):
    base = repository.commit("Base", "a.c")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("Side", "b.c")
    repository.git("checkout", "-q", "main")
    main = repository.commit("Main", "c.c")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    merged = history(repository)
    assert merged[0]["id"] == base
    assert {merged[1]["id"], merged[2]["id"]} == {side, main}
    assert merged[3]["text"] == "Merge side"
    assert merged[3]["parents"] == [main, side]
    assert "files" not in merged[3]
    assert len(history(repository, merges=False)) == 3
    assert [record["text"] for record in history(repository, revision="side")] == ["Base", "Side"]


def test_since_and_max_count(repository):
    for number in range(5):
        repository.commit(f"Number {number}")
    texts = [record["text"] for record in history(repository, max_count=2)]
    assert texts == ["Number 3", "Number 4"]
    assert history(repository, max_count=0) == []
    late = history(repository, since="2024-05-01T04:00:00Z")
    assert [record["text"] for record in late] == ["Number 3", "Number 4"]
    assert len(history(repository, since="2024-05-01T12:00:00", tz="+08:00")) == 2
    with pytest.raises(InvalidValueError, match="max_count"):
        read_history(repository.path, max_count=-1)


def test_any_bytes_in_messages_names_and_files(repository):
    message = b"caf\xe9 \xff\n\n\x01 odd | \"quoted\" 'text' $HOME `ls`\n"
    repository.commit(message, "日本語.txt", 'a "b"\n\tc.txt', " lead", os.fsdecode(b"\xff.txt"))
    repository.commit("\n\nLeading lines\n", "-rf", GIT_AUTHOR_NAME="\u202e Zoë ", GIT_AUTHOR_EMAIL="")
    repository.commit("", "--help")
    first, second, third = history(repository)
    assert first["text"].startswith("caf")
    assert "$HOME `ls`" in first["text"]
    assert sorted(first["files"]) == sorted(["日本語.txt", 'a "b"\n\tc.txt', " lead", "\ufffd.txt"])
    assert (second["text"], second["author"], second["files"]) == ("Leading lines", "\u202e Zoë", ["-rf"])
    assert third["text"] == f"Commit {third['id'][:12]}, without a message"
    assert third["files"] == ["--help"]
    to_table([first, second, third]).validate(full=True)


def test_configuration_and_environment_do_not_change_what_is_read(repository, tmp_path, monkeypatch):
    repository.commit("One", "a.c")
    plain = history(repository)
    for name, value in {
        "log.showSignature": "true",
        "log.showRoot": "false",
        "log.decorate": "full",
        "log.date": "relative",
        "format.pretty": "oneline",
        "color.ui": "always",
        "log.diffMerges": "combined",
        "diff.noprefix": "true",
        "i18n.logOutputEncoding": "latin1",
    }.items():
        repository.git("config", name, value)
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    assert history(repository) == plain


def test_trailers_go_and_text_that_only_looks_like_them_stays(repository):
    repository.commit("One\n\nNote: this is prose\nthat goes on.\n")
    repository.commit("Two\n\nBody.\n\nBug: 17\nReviewed-by: A\n  and B\n\nSigned-off-by: A\n")
    repository.commit("Signed-off-by: only a subject\n")
    repository.commit("Four\n\nLast words.\nSigned-off-by: A\n")
    repository.commit("Five\n\nBody.\n\n(cherry picked from commit 0123456789)\n")
    assert [record["text"] for record in history(repository)] == [
        "One\nNote: this is prose\nthat goes on.",
        "Two\nBody.",
        "Signed-off-by: only a subject",
        "Four\nLast words.",
        "Five\nBody.",
    ]


def test_what_is_no_repository_says_so_at_once(tmp_path, monkeypatch):
    with pytest.raises(FileAccessError, match="no folder"):
        read_history(tmp_path / "absent")
    with pytest.raises(OSError, match="not a git repository"):
        read_history(tmp_path)
    repository = Repository(tmp_path / "repo")
    with pytest.raises(FileAccessError, match="no commits"):
        read_history(repository.path)
    repository.commit("One")
    for revision in ("nowhere", "--all", "-n1", "HEAD~5"):
        with pytest.raises(UnknownIdError, match=revision):
            read_history(repository.path, revision=revision)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="git"):
        read_history(repository.path)


def test_a_reader_that_stops_early_leaves_no_process_behind(repository):
    for number in range(50):
        repository.commit(f"Number {number}", f"{number}.c")
    records = read_history(repository.path)
    assert next(records)["text"] == "Number 0"
    records.close()
    with pytest.raises(StopIteration):
        next(records)


def test_a_broken_history_is_an_error_and_not_a_short_one(repository):
    repository.commit("One", "a.c")
    lost = repository.git("rev-parse", "HEAD")
    repository.commit("Two", "a.c")
    (repository.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(FileAccessError, match="history"):
        history(repository)
