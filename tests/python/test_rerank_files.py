"""rerank over files, and the command: every format, whole or not at all, bounded memory."""

import csv
import json
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import typer
from terminal import on_a_terminal
from typer.testing import CliRunner

import timewalk as tw
from timewalk.cli.rerank import rerank as command
from timewalk.cli.run import guarded
from timewalk.reranking import formats
from timewalk.times import to_micros

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAMP = pa.timestamp("us", tz="UTC")


def hits(rows, queries=50, seed=0):
    rng = np.random.default_rng(seed)
    ages = rng.integers(0, 10**13, (rows, 3))
    return pa.table(
        {
            "id": [f"m{n}" for n in range(rows)],
            "query_id": pa.array(rng.integers(0, queries, rows), mask=rng.random(rows) < 0.05),
            "similarity": pa.array(np.round(rng.random(rows), 2), mask=rng.random(rows) < 0.05),
            "last_access": pa.array(to_micros(NOW) - ages[:, 0], STAMP, mask=rng.random(rows) < 0.1),
            "recent_accesses": pa.array((to_micros(NOW) - ages).tolist(), pa.list_(STAMP)),
        }
    )


@pytest.fixture
def runner():
    app = typer.Typer()
    app.command()(guarded(command))
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("engine", [tw.HalfLife("30d"), tw.ACTR(), [tw.ACTR(), tw.HalfLife("30d")]], ids=str)
@pytest.mark.parametrize("missing", ["last", "drop"])
def test_a_stream_gives_what_the_table_gives(tmp_path, monkeypatch, engine, missing):
    monkeypatch.setattr(formats, "ROWS", 500)
    table = hits(20_000)
    pq.write_table(table, tmp_path / "hits.parquet", row_group_size=3_000)
    for k, group_by in [(1, "query_id"), (5, "query_id"), (7, None), (None, "query_id"), (1_000, "query_id")]:
        options = {"now": NOW, "k": k, "group_by": group_by, "missing": missing}
        if not isinstance(engine, tw.HalfLife):
            options |= {"noise": 0.3, "seed": 3}
        written = tw.rerank(tmp_path / "hits.parquet", engine, output=tmp_path / "out.parquet", **options)
        assert pq.read_table(written).equals(tw.rerank(table, engine, **options))


def test_the_result_lies_beside_the_file_unless_told(tmp_path):
    pq.write_table(hits(100), tmp_path / "hits.parquet")
    written = tw.rerank(str(tmp_path / "hits.parquet"), tw.HalfLife("1d"), now=NOW)
    assert written == tmp_path / "hits.reranked.parquet"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hits.parquet", "hits.reranked.parquet"]


def test_every_format_in_and_out(tmp_path):
    table = hits(300).drop_columns(["recent_accesses"])
    expected = tw.rerank(table, tw.HalfLife("30d"), now=NOW, k=3, group_by="query_id")
    pq.write_table(table, tmp_path / "in.parquet")
    with pa.ipc.new_file(tmp_path / "in.arrow", table.schema) as sink:
        sink.write_table(table)
    with pa.ipc.new_stream(tmp_path / "stream.arrow", table.schema) as sink:
        sink.write_table(table)
    rows = table.to_pylist()
    for row in rows:
        row["last_access"] = row["last_access"] and row["last_access"].isoformat()
    (tmp_path / "in.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    with (tmp_path / "in.csv").open("w", newline="") as file:
        sheet = csv.DictWriter(file, rows[0])
        sheet.writeheader()
        sheet.writerows(rows)
    for source in ("in.parquet", "in.arrow", "stream.arrow", "in.jsonl", "in.csv"):
        for target in ("out.parquet", "out.arrow", "out.jsonl", "out.csv"):
            out = tw.rerank(
                tmp_path / source,
                tw.HalfLife("30d"),
                now=NOW,
                k=3,
                group_by="query_id",
                output=tmp_path / target,
            )
            read = formats.open_stream(out)
            got = pa.Table.from_batches(read.batches, read.schema)
            read.close()
            assert got["id"].to_pylist() == expected["id"].to_pylist(), (source, target)
            assert got["score"].to_pylist() == pytest.approx(expected["score"].to_pylist(), nan_ok=True)


def test_errors_in_files(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "ROWS", 100)
    table = hits(1_000)
    similarity = table["similarity"].to_pylist()
    similarity[777] = float("nan")
    bad = table.set_column(2, "similarity", pa.array(similarity))
    pq.write_table(bad, tmp_path / "bad.parquet")
    with pytest.raises(tw.InvalidValueError, match=r"column 'similarity', row 777") as caught:
        tw.rerank(tmp_path / "bad.parquet", tw.HalfLife("1d"), now=NOW, k=1, group_by="query_id")
    assert caught.value.row == 777
    (tmp_path / "no.parquet").write_text("hello")
    with pytest.raises(tw.FileFormatError, match=r"no\.parquet"):
        tw.rerank(tmp_path / "no.parquet", tw.HalfLife("1d"), now=NOW)
    with pytest.raises(tw.FileAccessError, match="there is no file"):
        tw.rerank(tmp_path / "none.parquet", tw.HalfLife("1d"), now=NOW)
    with pytest.raises(tw.InvalidValueError, match="format"):
        tw.rerank(tmp_path / "hits.xlsx", tw.HalfLife("1d"), now=NOW)
    pq.write_table(table, tmp_path / "hits.parquet")
    with pytest.raises(tw.UnknownIdError, match="did you mean 'query_id'"):
        tw.rerank(tmp_path / "hits.parquet", tw.HalfLife("1d"), now=NOW, k=1, group_by="queryid")
    with pytest.raises(tw.FileAccessError, match="cannot write"):
        tw.rerank(tmp_path / "hits.parquet", tw.HalfLife("1d"), now=NOW, output=tmp_path / "no" / "out.parquet")
    with pytest.raises(tw.InvalidTypeError, match="output"):
        tw.rerank(table, tw.HalfLife("1d"), now=NOW, output=tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.parquet", "hits.parquet", "no.parquet"]


def test_the_command(tmp_path, runner):
    table = hits(2_000)
    pq.write_table(table, tmp_path / "hits.parquet")
    out = tmp_path / "out.parquet"
    ran = runner(
        tmp_path / "hits.parquet", "--engine", "actr", "--decay", "0.4", "--group-by", "query_id", "--k", 5,
        "-o", out, "--now", NOW.isoformat(), "--semantic-weight", 2,
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    expected = tw.rerank(table, tw.ACTR(decay=0.4), now=NOW, k=5, group_by="query_id", semantic_weight=2.0)
    assert pq.read_table(out).equals(expected)


def test_the_command_takes_a_config_file(tmp_path, runner):
    table = hits(2_000)
    pq.write_table(table, tmp_path / "hits.parquet")
    (tmp_path / "engines.toml").write_text(
        textwrap.dedent(
            """
            k = 3
            group_by = ["query_id"]
            now = "2026-01-01T00:00:00Z"

            [[engines]]
            engine = "actr"
            decay = 0.3

            [[engines]]
            engine = "half_life"
            half_life = { days = 30 }
            """
        )
    )
    ran = runner(tmp_path / "hits.parquet", "--config", tmp_path / "engines.toml", "-o", tmp_path / "out.parquet", "-q")
    assert ran.exit_code == 0, ran.output
    engines = [tw.ACTR(decay=0.3), tw.HalfLife(timedelta(days=30))]
    expected = tw.rerank(table, engines, now=NOW, k=3, group_by="query_id")
    assert pq.read_table(tmp_path / "out.parquet").equals(expected)
    spec = ["-e", "actr:decay=0.3", "-e", "half-life:half_life=30d", "--now", "2026-01-01", "--k", 3]
    ran = runner(tmp_path / "hits.parquet", *spec, "--group-by", "query_id", "-o", tmp_path / "again.parquet")
    assert ran.exit_code == 0, ran.output
    assert pq.read_table(tmp_path / "again.parquet").equals(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "at least one engine"),
        (["--engine", "actr", "--half-life", "3d"], "half_life"),
        (["--engine", "actor"], "did you mean 'actr'"),
        (["--engine", "half_life"], "needs half_life"),
        (["--engine", "half_life:half_life"], "name=value"),
        (["--engine", "half_life", "--half-life", "0"], "above 0"),
        (["--engine", "actr", "--k", "0"], "k must be"),
        (["--engine", "actr", "--group-by", "query"], "did you mean 'query_id'"),
        (["--engine", "actr", "--now", "tomorrow"], "ISO 8601"),
        (["--engine", "actr", "--config", "none.toml"], "none.toml"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path, runner, arguments, message):
    pq.write_table(hits(50), tmp_path / "hits.parquet")
    ran = runner(tmp_path / "hits.parquet", "-o", tmp_path / "out.parquet", *arguments)
    assert ran.exit_code == 2
    assert message in ran.output
    assert [path.name for path in tmp_path.iterdir()] == ["hits.parquet"]


ODD = [None, True, 5, -1, 1.5, "x", [], [1], [[1]], {}, {"a": 1}, 10**30, "\ud800"]
HALF_LIFE = [{"engine": "half_life", "half_life": "3d"}]
OPTIONS = (
    *("k", "group_by", "now", "similarity", "distance", "semantic_weight", "temporal_weight", "normalize"),
    *("normalize_temporal", "missing", "noise", "seed", "id", "tz", "unit", "prefix", "threads", "nothing"),
)


@pytest.mark.parametrize(
    "make",
    [
        lambda odd: odd,
        lambda odd: {"engines": odd},
        lambda odd: {"engines": [{"engine": odd}]},
        lambda odd: {"engines": [{"engine": "half_life", "half_life": odd}]},
        *(lambda odd, name=name: {"engines": HALF_LIFE, name: odd} for name in OPTIONS),
    ],
)
def test_an_odd_config_is_answered_or_named(tmp_path, runner, make):
    pq.write_table(hits(5), tmp_path / "hits.parquet")
    for odd in ODD:
        (tmp_path / "config.json").write_text(json.dumps(make(odd)))
        ran = runner(tmp_path / "hits.parquet", "--config", tmp_path / "config.json", "-o", tmp_path / "out.parquet")
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (odd, ran.exception)
        assert ran.exit_code in (0, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_command_shows_its_progress_on_a_terminal(tmp_path):
    pq.write_table(hits(2_000), tmp_path / "hits.parquet")
    command = [sys.executable, "-m", "timewalk.cli", "rerank", tmp_path / "hits.parquet", "-e", "actr", "-k", "1"]
    shown = on_a_terminal(command)
    assert "re-ranking" in shown
    assert "2000/2000" in shown


def test_an_interrupt_leaves_no_half_file(tmp_path):
    pq.write_table(hits(400_000, queries=50_000), tmp_path / "hits.parquet")
    program = textwrap.dedent(
        f"""
        import sys
        import timewalk as tw
        def run():
            tw.rerank({str(tmp_path / "hits.parquet")!r}, tw.ACTR(), now="2026-01-01", k=5, group_by="query_id",
                      output={str(tmp_path / "out.parquet")!r})
        # The first call imports; a signal within the import machinery's own callbacks is lost in Python.
        run()
        print("ready", flush=True)
        while True:
            run()
        """
    )
    for delay in (0.05, 0.3, 0.8):
        (tmp_path / "out.parquet").unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"ready"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert b"KeyboardInterrupt" in error
        left = {path.name for path in tmp_path.iterdir()}
        assert left <= {"hits.parquet", "out.parquet"}
        if "out.parquet" in left:
            assert pq.read_table(tmp_path / "out.parquet").num_rows > 200_000


@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        (
            "a.csv",
            "id,similarity,last_access\n\nx,0.5,2025-01-01\n\ny,0.5,soon\n",
            tw.InvalidValueError,
            "line 5: .*row 1",
        ),
        ("a.csv", "id;similarity\nx;0.5\n", tw.FileFormatError, "line 1: .*separated by semicolons"),
        ("a.csv", "id\tsimilarity\nx\t0.5\n", tw.FileFormatError, "line 1: .*separated by tabs"),
        (
            "a.jsonl",
            '{"similarity": 0.5, "last_access": "2025"}\n\n{"similarity": 0.5, "last_access": "soon"}\n',
            tw.InvalidValueError,
            "line 3: .*'last_access', row 1",
        ),
    ],
)  # fmt: skip
def test_a_fault_in_a_text_file_names_its_line(tmp_path, k, name, text, error, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message):
        tw.rerank(tmp_path / name, tw.HalfLife("1d"), now=NOW, k=k)
