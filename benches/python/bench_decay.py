"""Decay and re-ranking against numpy and polars, in one run.

    python benches/python/bench_decay.py            # everything; the last part writes 1 GB to a temporary folder
    python benches/python/bench_decay.py --quick    # a tenth of the rows

Best of several runs each; ratios compare within the run. numpy works in place: ages go into a buffer that
is there before the clock starts, and every further step writes to it. numpy and timewalk run on one thread unless said.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import timewalk as tw
from timewalk.times import to_micros

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAMP = pa.timestamp("us", tz="UTC")
HALF_LIFE = 30 * 86_400.0


def best(task: Callable[[], object], repeats: int = 7) -> float:
    """Milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def line(work: str, ours: float, theirs: float | None = None, note: str = "") -> None:
    """One row of the table."""
    ratio = "" if theirs is None else f"{theirs / ours:6.2f} times"
    print(
        f"{work:<46}{ours:>10.2f} ms {'' if theirs is None else f'{theirs:10.2f} ms':>13} {ratio:>12}  {note}",
        flush=True,
    )


def half_life(rows: int) -> None:
    """Element-wise decay."""
    now = to_micros(NOW)
    times = now - np.random.default_rng(0).integers(0, 10**14, rows)
    column = pa.array(times, STAMP)
    buffer = np.empty(rows)

    def numpy() -> None:
        np.subtract(now, times, out=buffer, casting="unsafe")
        np.multiply(buffer, -1e-6 / HALF_LIFE, out=buffer)
        np.exp2(buffer, out=buffer)

    def numpy_fresh() -> None:
        ages = (now - times) / (-1e6 * HALF_LIFE)
        np.exp2(ages, out=ages)

    theirs, fresh = best(numpy), best(numpy_fresh)
    given, half = times.view(np.float64), rows // 2
    copy = best(lambda: np.copyto(buffer, given))
    line("floor: numpy copies the same bytes, 8 in, 8 out", copy)
    with ThreadPoolExecutor(2) as pool:
        parts = (slice(0, half), slice(half, rows))
        both = best(lambda: list(pool.map(lambda part: np.copyto(buffer[part], given[part]), parts)))
    line("  two threads against one", both, copy, "what two threads gain where memory is the limit")
    for dtype in ("float64", "float32"):
        run = [
            best(lambda t=threads, d=dtype: tw.half_life(column, now=NOW, half_life=HALF_LIFE, dtype=d, threads=t))
            for threads in (1, 2)
        ]
        line(f"half-life, {rows:,} rows, {dtype}", run[0], theirs, "numpy: three passes over one buffer")
        line("  the same", run[0], fresh, "numpy: ages in a new array, exp2 in place")
        line("  two threads against one", run[1], run[0])


def actr(rows: int) -> None:
    """Sums of powers."""
    now = to_micros(NOW)
    times = now - np.random.default_rng(0).integers(10**6, 10**14, rows * 10)
    starts = np.arange(0, rows * 10, 10)
    offsets = pa.array(np.arange(0, rows * 10 + 1, 10, dtype=np.int32))
    column = pa.ListArray.from_arrays(offsets, pa.array(times, STAMP))
    buffer = np.empty(rows * 10)
    line("floor: numpy finds the largest time, 8 bytes in", best(times.max))
    for decay in (0.4, 0.5):

        def numpy(decay: float = decay) -> None:
            np.subtract(now, times, out=buffer, casting="unsafe")
            np.multiply(buffer, 1e-6, out=buffer)
            np.power(buffer, -decay, out=buffer)
            np.log(np.add.reduceat(buffer, starts))

        theirs = best(numpy, 5)
        run = [best(lambda t=t, d=decay: tw.actr(column, now=NOW, decay=d, threads=t), 9) for t in (1, 2)]
        line(f"ACT-R, {rows:,} rows of 10, d = {decay}", run[0], theirs, "numpy power and add.reduceat in place")
        line("  two threads against one", run[1], run[0])


def dicts() -> None:
    """50 hits through Python."""
    hits = [
        {
            "id": f"m{n}",
            "similarity": 1 - n / 100,
            "last_access": NOW - timedelta(days=n),
            "strength": 86_400.0 * (n + 1),
            "stability": 86_400.0 * (n + 1),
            "recent_accesses": [NOW - timedelta(days=n, hours=hour) for hour in range(10)],
            "historical_count": 20,
            "created_at": NOW - timedelta(days=400),
            "payload": {"text": "a memory"},
        }
        for n in range(50)
    ]
    engines = (
        tw.HalfLife("30d"), tw.Ebbinghaus(), tw.PowerLaw(), tw.Gauss("30d"), tw.Exp("30d"), tw.Linear("30d"), tw.ACTR()
    )  # fmt: skip
    for engine in engines:
        micros = best(lambda e=engine: tw.rerank(hits, e, now=NOW), 1_000) * 1e3
        print(f"{f'50 dicts, {type(engine).__name__}':<46}{micros:>10.1f} µs", flush=True)


def write_hits(path: Path, rows: int, queries: int) -> None:
    """Hits of many queries, query by query, with ten accesses each and a text."""
    rng = np.random.default_rng(0)
    now = to_micros(NOW)
    schema = pa.schema(
        {
            "query_id": pa.int64(),
            "id": pa.string(),
            "similarity": pa.float64(),
            "recent_accesses": pa.list_(STAMP),
            "historical_count": pa.int64(),
            "created_at": STAMP,
            "text": pa.string(),
        }
    )
    part = 500_000
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, part):
            size = min(part, rows - start)
            ages = rng.integers(10**6, 10**13, size * 10)
            lists = pa.ListArray.from_arrays(
                np.arange(0, size * 10 + 1, 10, dtype=np.int32), pa.array(now - ages, STAMP)
            )
            numbers = np.arange(start, start + size)
            columns = [
                pa.array(numbers * queries // rows),
                pa.array(numbers).cast(pa.string()),
                pa.array(rng.random(size)),
                lists,
                pa.array(np.full(size, 10)),
                pa.array(np.full(size, now - 2 * 10**13), STAMP),
                pa.array(np.char.add("memory number ", numbers.astype(str))),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def files(rows: int, queries: int) -> None:
    """Parquet to Parquet, each in a process of its own, so that memory can be told apart."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "hits.parquet"
        write_hits(source, rows, queries)
        size = source.stat().st_size / 2**20
        print(f"Parquet to Parquet: {rows:,} hits of {queries:,} queries, ten accesses each, 5 best ({size:.0f} MiB)")
        taken = {}
        for who in ("timewalk", "polars", "floor"):
            runs = []
            for _ in range(2):
                command = [sys.executable, __file__, "--worker", who, str(source), str(Path(folder) / f"{who}.parquet")]
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                seconds, memory = map(float, out.split())
                runs.append((seconds, memory))
            taken[who] = min(runs)
        ours, theirs = taken["timewalk"], taken["polars"]
        line("  ACT-R, all processors", ours[0] * 1e3, theirs[0] * 1e3, "polars: lazy scan, sink, snappy as here")
        line(
            "  floor: pyarrow reads it, writes the result", taken["floor"][0] * 1e3, theirs[0] * 1e3, "no work between"
        )
        print(f"  most memory: timewalk {ours[1]:.0f} MiB, polars {theirs[1]:.0f} MiB")
        a = pq.read_table(Path(folder) / "timewalk.parquet")
        b = pq.read_table(Path(folder) / "polars.parquet")
        same = sorted(a["id"].to_pylist()) == sorted(b["id"].to_pylist())
        print(f"  the same {a.num_rows:,} hits: {same}")


def worker(who: str, source: Path, target: Path) -> None:
    """One run of one library; prints seconds and MiB."""
    result = pq.read_table(target.with_stem("timewalk")) if who == "floor" else None
    start = time.perf_counter()
    if who == "floor":
        for _ in pq.ParquetFile(source, pre_buffer=False, buffer_size=1 << 18).iter_batches(65_536):
            pass
        pq.write_table(result, target, compression="snappy", use_dictionary=False)
    elif who == "timewalk":
        tw.rerank(source, tw.ACTR(), now=NOW, k=5, group_by="query_id", output=target)
    else:
        import polars as pl

        ages = (pl.lit(NOW) - pl.element()).dt.total_microseconds() / 1e6
        activation = pl.col("recent_accesses").list.eval(ages**-0.5).list.sum().log()
        (
            pl.scan_parquet(source)
            .with_columns(temporal_weight=activation)
            .with_columns(score=pl.col("similarity") + pl.col("temporal_weight"))
            .filter(pl.col("score").rank("ordinal", descending=True).over("query_id") <= 5)
            .sink_parquet(target, compression="snappy")
        )
    print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    """Runs what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--only", choices=["half_life", "actr", "dicts", "files"])
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        worker(given.worker[0], Path(given.worker[1]), Path(given.worker[2]))
        return
    part = 10 if given.quick else 1
    print(f"timewalk {tw.__version__}, {tw.decay.simd()}; numpy {np.__version__}")
    tasks: dict[str, Callable[[], None]] = {
        "half_life": lambda: half_life(10_000_000 // part),
        "actr": lambda: actr(1_000_000 // part),
        "dicts": dicts,
        "files": lambda: files(10_000_000 // part, 200_000 // part),
    }
    for name, task in tasks.items():
        if given.only in (None, name):
            task()


if __name__ == "__main__":
    main()
