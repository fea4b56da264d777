"""What takes long shows that it goes on: a bar or a spinner on a terminal, nothing in a pipe."""

import subprocess
import sys
import textwrap
from pathlib import Path

import bench_data as made
import pytest
from terminal import on_a_terminal

import timewalk as tw

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

SLOWLY = textwrap.dedent(
    """
    import sys, time
    from timewalk.recall.index import Index
    from timewalk.cli import main

    def slow(name):
        do = getattr(Index, name)
        def slowly(self):
            time.sleep(0.5)
            return do(self)
        setattr(Index, name, slowly)

    slow(sys.argv.pop(1))
    main()
    """
)


@pytest.fixture
def files(tmp_path):
    made.own(tmp_path)
    with tw.Memory(tmp_path / "store.tw") as memory:
        memory.add(tmp_path / "memories.jsonl")
    return tmp_path


def commands(folder):
    records, store, questions = (str(folder / name) for name in ("memories.jsonl", "store.tw", "questions.jsonl"))
    new, plain = str(folder / "new.tw"), ["--embedder", "none"]
    return {
        "indexing": ("save", ["ingest", records, "--store", new, *plain]),
        "storing": ("save", ["ingest", records, "--store", new, *plain]),
        "reading the store": ("refresh", ["recall", "what broke?", "--store", store]),
        "loading the events": ("refresh", ["demo", *plain]),
        "questions: asking": ("refresh", ["bench", "own", "--memories", records, "--questions", questions, *plain]),
    }


@pytest.mark.parametrize("shown", commands(Path()))
def test_a_terminal_shows_what_is_being_done(files, shown):
    slow, command = commands(files)[shown]
    assert shown in on_a_terminal([sys.executable, "-c", SLOWLY, slow, *command])


def test_a_pipe_gets_nothing_of_it(files):
    for slow, command in commands(files).values():
        ran = subprocess.run(
            [sys.executable, "-c", SLOWLY, slow, *command],
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        )
        assert ran.stderr == "", command
