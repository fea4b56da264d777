"""What a process unpacks goes with it, or with the next one if it was killed; never what another still uses."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_index_cache import NOW, answers, records

import timewalk as tw
from timewalk import temporary
from timewalk.temporary import Folder

OPENS = """
import sys, time
import timewalk as tw
memory = tw.Memory(sys.argv[1])
memory.recall("pump", now="2025-01-01")
print("open", flush=True)
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("filled") / "store.tw"
    with tw.Memory(path) as memory:
        memory.add(records(0, 1200), now=NOW)
    return path


def opened(path):
    process = subprocess.Popen([sys.executable, "-c", OPENS, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "open\n"
    return process


def killed(process):
    process.kill()
    process.communicate(timeout=60)


def test_nothing_is_left_by_who_ends_well(place, filled):
    with tw.Memory(filled) as memory:
        answers(memory)
        assert list(place.iterdir())
    del memory
    assert list(place.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="TMPDIR and SIGKILL are POSIX")
def test_what_the_killed_have_left_goes_with_the_next_opening_and_what_others_use_stays(place, filled):
    dead, alive = opened(filled), opened(filled)
    both = {path.name for path in place.iterdir()}
    assert len(both) == 4
    killed(dead)
    assert {path.name for path in place.iterdir()} == both
    with tw.Memory(filled) as memory:
        before = answers(memory)
        own = {path.name for path in place.iterdir()}
        assert len(own) == 4
        assert len(own & both) == 2
        with tw.Memory(filled) as second:
            assert answers(second) == before
    del memory, second
    assert len(list(place.iterdir())) == 2
    killed(alive)
    temporary.sweep()
    assert list(place.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="fork is POSIX")
def test_a_forked_child_leaves_its_parents_folder_alone(place):
    with Folder() as folder:
        script = Path(folder.path / "kept")
        script.write_text("x")
        child = os.fork()
        if child == 0:
            folder.close()
            temporary.sweep()
            os._exit(0)
        os.waitpid(child, 0)
        assert script.exists()
    assert list(place.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_is_not_followed(place, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letter").write_text("x")
    (place / "timewalk-a.lock").touch()
    (place / "timewalk-a").symlink_to(precious)
    (place / "timewalk-b.lock").symlink_to(precious / "letter")
    (place / "timewalk-b").symlink_to(precious)
    with Folder():
        pass
    assert (precious / "letter").read_text() == "x"


def test_many_at_once_do_not_sweep_each_other(place):
    def one(number):
        with Folder() as folder:
            (folder.path / "own").write_text(str(number))
            temporary.sweep()
            return (folder.path / "own").read_text() == str(number)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(200)))
    assert list(place.iterdir()) == []


def test_no_folder_for_temporary_files_still_recalls(filled, tmp_path, monkeypatch):
    with tw.Memory(filled) as memory:
        expected = answers(memory)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with tw.Memory(filled) as memory:
        assert answers(memory) == expected
