"""One fault of a file, one error, whoever reads or writes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import timewalk as tw
from timewalk import graph as forms
from timewalk.bench import Result, run
from timewalk.cli.options import write_text
from timewalk.reranking.formats import read_config

NOW = "2026-01-01"


def add(path):
    with tw.Memory() as memory:
        memory.add(path)


def reranked(path, output):
    hits = [{"id": "a", "similarity": 0.5, "last_access": NOW}]
    path.parent.joinpath("hits.jsonl").write_text(json.dumps(hits[0]) + "\n", encoding="utf-8")
    tw.rerank(path.parent / "hits.jsonl", tw.HalfLife("1d"), now=NOW, output=output)


READ = {
    "add jsonl": (".jsonl", add),
    "add csv": (".csv", add),
    "add parquet": (".parquet", add),
    "add arrow": (".arrow", add),
    "rerank jsonl": (".jsonl", lambda path: tw.rerank(path, tw.HalfLife("1d"), now=NOW)),
    "rerank csv": (".csv", lambda path: tw.rerank(path, tw.HalfLife("1d"), now=NOW)),
    "rerank parquet": (".parquet", lambda path: tw.rerank(path, tw.HalfLife("1d"), now=NOW)),
    "rerank arrow": (".arrow", lambda path: tw.rerank(path, tw.HalfLife("1d"), now=NOW)),
    "rerank's config": (".json", read_config),
    "graph jsonl": (".jsonl", forms.read_jsonl),
    "graphml": (".graphml", forms.read_graphml),
    "graph": (".graph", tw.MemoryGraph.load),
    "result": (".json", Result.read),
    "bench": (".jsonl", lambda path: run("own", memories=path, questions=path, embedder="none")),
}
WRITE = {
    "rerank": (".jsonl", lambda path: reranked(Path(os.environ["HITS"]) / "x", path)),
    "graph jsonl": (".jsonl", lambda path: forms.write_jsonl(tw.MemoryGraph(), path)),
    "graphml": (".graphml", lambda path: forms.write_graphml(tw.MemoryGraph(), path)),
    "graph": (".graph", lambda path: tw.MemoryGraph().save(path)),
    "page": (".html", lambda path: write_text(path, "x")),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_missing_or_a_folder_cannot_be_read(name, tmp_path):
    ending, read = READ[name]
    for path in (tmp_path / f"missing{ending}", tmp_path / "no" / f"folder{ending}"):
        with pytest.raises(tw.FileAccessError, match=path.name) as caught:
            read(path)
        assert not isinstance(caught.value, tw.StoreError)
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    with pytest.raises(tw.FileAccessError, match=folder.name):
        read(folder)


@pytest.mark.parametrize("name", READ)
def test_what_is_of_another_kind_is_not_called_unreadable(name, tmp_path):
    ending, read = READ[name]
    for number, content in enumerate((b"\x00\x01\x02" * 50, b"PAR1" + b"\x00" * 40 + b"PAR1", b"ARROW1\x00\x00")):
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(content)
        if name == "add csv":
            break  # whatever has no quotes is a header without rows
        with pytest.raises(tw.TimewalkError) as caught:
            read(path)
        assert not isinstance(caught.value, (tw.FileAccessError, tw.StoreError)), content


@pytest.mark.parametrize("name", WRITE)
def test_what_cannot_be_written(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HITS", str(tmp_path))
    ending, write = WRITE[name]
    (tmp_path / f"folder{ending}").mkdir()
    for path in (tmp_path / "no" / f"x{ending}", tmp_path / f"folder{ending}"):
        with pytest.raises(tw.FileAccessError, match=path.name):
            write(path)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_what_may_not_be_read_or_written(tmp_path):
    (tmp_path / "shut").mkdir()
    for ending, _ in READ.values():
        (tmp_path / f"secret{ending}").write_text("{}")
        (tmp_path / f"secret{ending}").chmod(0o000)
    (tmp_path / "shut").chmod(0o555)
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
import timewalk as tw
from test_files import READ, WRITE
folder = Path(sys.argv[1])
for name, (ending, call) in [*READ.items(), *WRITE.items()]:
    path = folder / ("secret" if name in READ and READ[name][1] is call else "shut/x")
    path = path.with_name(path.name + ending)
    try:
        call(path)
    except tw.FileAccessError as error:
        assert path.name in str(error) and "ermission" in str(error), (name, error)
    else:
        raise AssertionError(name)
"""
    bounded = str(Path(__file__).with_name("bounded.py"))
    environment = {**os.environ, "HITS": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, bounded, "-c", script, str(tmp_path)], capture_output=True, encoding="utf-8", env=environment
    )
    (tmp_path / "shut").chmod(0o755)
    assert ran.returncode == 0, ran.stderr
