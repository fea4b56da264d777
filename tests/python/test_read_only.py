"""A store that may not be written is read all the same; what would write says why it cannot."""

import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import timewalk as tw

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no folder that may not be written")

CHILD = Path(__file__).with_name("read_only_child.py")
BOUNDED = str(Path(__file__).with_name("bounded.py"))
SMALL, CACHED = 40, 1_200


def as_other(arguments: list[str]):
    """Starts Python without what lets root write everywhere."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, BOUNDED, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def told_by_child(path: Path, elsewhere: Path) -> dict:
    child = as_other([str(CHILD), str(path), str(elsewhere)])
    said, complaints = child.communicate(timeout=120)
    assert child.returncode == 0, complaints
    return json.loads(said)


@pytest.fixture
def place():
    """A folder that others may enter, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="timewalk-test-"))
    folder.chmod(0o755)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(folder)


def events(count):
    words = ("pump", "valve", "rehearsal", "launch", "cable", "Maria Lopez", "review board")
    return [
        {"id": f"e{n}", "text": f"{words[n % 7]} report {n}", "occurred_start": f"2024-05-{1 + n % 28:02d}"}
        for n in range(count)
    ]


def closed(folder: Path, count: int) -> Path:
    path = folder / "store.tw"
    with tw.Memory(path) as memory:
        memory.add(events(count))
    return path


def copied(folder: Path, count: int) -> Path:
    """As `save` leaves it: without write-ahead log."""
    path = folder / "store.tw"
    with tw.Memory() as memory:
        memory.add(events(count))
        memory.save(path)
    return path


def killed(folder: Path, count: int) -> Path:
    """As a process leaves it that was killed after half of the records had gone in."""
    path = folder / "store.tw"
    with tw.Memory(path) as memory:
        memory.add(events(count // 2))
    script = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import timewalk as tw
from test_read_only import events
memory = tw.Memory({str(path)!r})
memory.add(events({count}))
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
    assert path.with_name("store.tw-wal").stat().st_size > 0
    return path


def killed_and_moved(folder: Path, count: int) -> Path:
    """The same, without the index of the log, which no copy takes along."""
    path = killed(folder, count)
    path.with_name("store.tw-shm").unlink()
    return path


def first_version(folder: Path, count: int) -> Path:
    path = copied(folder, count)
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE edit")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return path


def forbid(path: Path, what: str) -> None:
    if what != "folder":
        for file in path.parent.glob("store.tw*"):
            if file.is_file():
                file.chmod(0o444)
    if what != "file":
        path.parent.chmod(0o555)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("what", "made", "count"),
    [
        *(("both", made, SMALL) for made in (closed, copied, killed, killed_and_moved, first_version)),
        *((what, made, SMALL) for what in ("file", "folder") for made in (closed, killed)),
        *(("folder", made, CACHED) for made in (closed, killed)),
    ],
)
def test_what_may_not_be_written_is_read(place, made, what, count):
    folder = place / "kept"
    folder.mkdir()
    path = made(folder, count)
    for file in folder.iterdir():
        file.chmod(0o777 if file.is_dir() else 0o666)
    folder.chmod(0o777)
    forbid(path, what)
    before = content(folder)
    told = told_by_child(path, place / "elsewhere" / "copy.tw")
    assert told["len"] == told["copy"] == count
    assert told["has"] is True
    assert "e0" in told["recall"]
    assert told["context"]
    assert "for reading only" in told["repr"]
    for call, said in told["writes"].items():
        assert "opened for reading only" in said, call
        assert ("the folder" if what == "folder" else "the file may not") in said, call
    after = content(folder)
    # In the index of a log that is there SQLite notes who reads.
    for files in (before, after):
        files.pop("store.tw-shm", None)
    assert after == before
    with tw.Memory(place / "elsewhere" / "copy.tw") as copy:
        assert set(told["recall"]) == set(copy.recall("pump in May 2024", now="2024-07-01").ids)


def test_the_command_reads_it_and_says_why_it_cannot_add(place):
    folder = place / "kept"
    folder.mkdir()
    path = closed(folder, SMALL)
    forbid(path, "both")
    records = place / "more.jsonl"
    records.write_text('{"text": "one more"}\n', encoding="utf-8")
    recall = as_other(["-m", "timewalk.cli", "recall", "pump in May 2024", "--store", str(path), "--json"])
    said, complaints = recall.communicate(timeout=120)
    assert recall.returncode == 0, complaints
    assert json.loads(said)["hits"]
    ingest = as_other(["-m", "timewalk.cli", "ingest", str(records), "--store", str(path)])
    _, complaints = ingest.communicate(timeout=120)
    assert ingest.returncode == 2
    assert "opened for reading only" in complaints
    assert "Traceback" not in complaints


@pytest.mark.parametrize("open_before", [True, False])
def test_a_reader_sees_what_one_who_may_write_has_added_since(place, open_before):
    folder = place / "kept"
    folder.mkdir()
    path = closed(folder, SMALL)
    writer = tw.Memory(path) if open_before else None
    if writer is not None:
        writer.add({"id": "early", "text": "an early pump", "occurred_start": "2024-05-03"})
    forbid(path, "both")
    child = as_other([str(CHILD), str(path), str(place / "elsewhere" / "copy.tw"), "wait"])
    assert child.stdout.readline() == "ready\n", child.communicate(timeout=60)
    for file in [folder, *folder.iterdir()]:
        file.chmod(0o755)
    with writer or tw.Memory(path) as writer:
        writer.add({"id": "late", "text": "a late pump", "occurred_start": "2024-05-04"})
        writer.delete("e7")
    said, complaints = child.communicate("\n", timeout=120)
    assert child.returncode == 0, complaints
    told = json.loads(said)
    assert "late" in told["later"]
    assert "e7" not in told["later"]
    assert "e7" in told["recall"]
    assert ("early" in told["later"]) is open_before


def test_what_cannot_be_opened_is_a_typed_error(place):
    folder = place / "kept"
    folder.mkdir()
    path = closed(folder, SMALL)
    (folder / "empty.tw").touch()
    script = "import sys, timewalk as tw\ntry:\n tw.Memory(sys.argv[1])\nexcept tw.StoreError as error:\n print(error)"

    def said(path: Path) -> str:
        child = as_other(["-c", script, str(path)])
        words, complaints = child.communicate(timeout=60)
        assert child.returncode == 0, complaints
        return words

    folder.chmod(0o555)
    assert "cannot be written" in said(folder / "new.tw")
    assert "cannot be written" in said(folder / "empty.tw")
    path.chmod(0o000)
    assert "cannot be read" in said(path)
    folder.chmod(0o000)
    assert "cannot be opened" in said(path)


def test_no_copy_goes_over_a_store_that_may_not_be_written(place):
    path = closed(place / "elsewhere", SMALL)
    mode = path.stat().st_mode
    path.chmod(0o444)
    script = (
        "import sys, timewalk as tw\n"
        "with tw.Memory() as memory:\n"
        " try:\n  memory.save(sys.argv[1])\n except tw.StoreError as error:\n  print(error)"
    )
    words, complaints = as_other(["-c", script, str(path)]).communicate(timeout=60)
    assert "cannot be written" in words, complaints
    path.chmod(stat.S_IMODE(mode))
    with tw.Memory(path) as memory:
        assert len(memory) == SMALL


def test_a_disk_that_turns_out_to_be_full_leaves_reading(tmp_path, monkeypatch):
    path = closed(tmp_path, SMALL)
    from timewalk.stores import opening

    def full(connection, path):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(opening, "_prepare", full)
    with tw.Memory(path) as memory:
        assert "e0" in memory.recall("pump in May 2024", now="2024-07-01").ids
        with pytest.raises(tw.StoreError, match="disk is full"):
            memory.add({"text": "one more"})


def test_a_write_in_the_middle_of_reading_is_told_and_the_next_answer_is_whole(tmp_path, monkeypatch):
    path = closed(tmp_path, SMALL)
    from timewalk.stores import opening

    with monkeypatch.context() as patch:
        patch.setattr(opening, "_refusal", lambda path: "it is so")
        reader = tw.Memory(path)
    query, late = reader._store.query, iter([{"id": "late", "text": "a late pump", "occurred_start": "2024-05-04"}])

    def interrupted(sql, arguments=()):
        if "FROM mention" in sql and (record := next(late, None)) is not None:
            with tw.Memory(path) as writer:
                writer.add(record)
        return query(sql, arguments)

    monkeypatch.setattr(reader._store, "query", interrupted)
    with reader:
        with pytest.raises(tw.StoreError, match="ask again"):
            reader.recall("pump", now="2024-07-01")
        assert "late" in reader.recall("late pump", now="2024-07-01").ids
