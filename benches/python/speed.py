"""What a store of some size costs: filling, opening, the first look after a write, and recall of several kinds.

    python benches/python/speed.py [--size 10000 --size 100000 …] [--folder FOLDER] [--embedder wordllama] [--json OUT]

Memories are made up (synthetic.py): texts, people, threads, days over five years and vectors of 256 numbers, so that
recall is measured without embedding. Each row is wall time and, beside it, the processor time of this process, which
other work on the machine disturbs less. With `--folder` the stores stay there and are used again; without, they are made
in a temporary folder. `--embedder` measures ingestion with that embedder too, over the same texts without vectors.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from synthetic import DAYS, START, Synthetic

import timewalk as tw

QUESTIONS = 60
WHOLE = (START - timedelta(days=1), START + timedelta(days=DAYS + 2))
NOW = START + timedelta(days=DAYS + 2)

Row = dict[str, Any]


class Clock:
    """Wall time and processor time of what is done inside, in seconds."""

    def __enter__(self) -> Clock:
        self._wall, self._busy = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.perf_counter() - self._wall
        self.busy = time.process_time() - self._busy


def once(name: str, act: Callable[[], Any], unit: str = "s") -> tuple[Row, Any]:
    with Clock() as clock:
        result = act()
    scale = 1000 if unit == "ms" else 1
    return {"what": name, "unit": unit, "wall": clock.wall * scale, "cpu": clock.busy * scale}, result


def median(name: str, acts: list[Callable[[], Any]]) -> Row:
    acts[0]()
    clocks = []
    for act in acts:
        with Clock() as clock:
            act()
        clocks.append(clock)
    wall = sorted(clock.wall * 1000 for clock in clocks)
    return {
        "what": name,
        "unit": "ms",
        "wall": statistics.median(wall),
        "p90": wall[len(wall) * 9 // 10],
        "cpu": statistics.median(clock.busy * 1000 for clock in clocks),
    }


def resident() -> float | None:
    """Memory of this process in MiB; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * 4096 / 2**20


def fill(path: Path, made: Synthetic) -> list[Row]:
    memory = tw.Memory(path)
    rate, _ = once("ingestion, vectors given", lambda: [memory.add(batch, now=NOW) for batch in made.batches()])
    rate |= {"unit": "memories/s", "wall": made.count / rate["wall"], "cpu": made.count / rate["cpu"]}
    closed, _ = once("close: indexes built and saved", memory.close)
    return [rate, closed]


def embedding(made: Synthetic, embedder: str) -> Row:
    batches = [batch.drop_columns("embedding") for batch in made.batches()]
    with tw.Memory(embedder=embedder) as memory:
        memory.add({"text": "load the model"}, now=NOW)
        row, _ = once(f"ingestion, {embedder}", lambda: [memory.add(batch, now=NOW) for batch in batches])
    return row | {"unit": "memories/s", "wall": made.count / row["wall"], "cpu": made.count / row["cpu"]}


def opened(path: Path, name: str) -> tuple[Row, tw.Memory]:
    def act() -> tw.Memory:
        memory = tw.Memory(path)
        memory.recall("the first question", now=NOW)
        return memory

    return once(name, act)


def measure(path: Path, made: Synthetic, console: Console, *, anew: bool) -> list[Row]:
    rows = []
    before = resident()
    row, memory = opened(path, "open and first recall, indexes on disk")
    rows.append(row)
    questions, windows = made.questions(QUESTIONS), made.windows(QUESTIONS)

    def asks(**options: Any) -> list[Callable[[], Any]]:
        return [
            lambda text=text, vector=vector: memory.recall(text, query_vector=vector, now=NOW, **options)
            for text, vector in questions
        ]

    rows += [
        median("recall", asks()),
        median("recall, a filter that leaves 1 %", asks(fact_type="rare")),
        median("recall, a filter that leaves half", asks(author=sorted(made.people())[::2])),
        median(
            "recall, window of 14 days",
            [
                lambda text=text, vector=vector, window=window: memory.recall(
                    text, query_vector=vector, window=window, now=NOW
                )
                for (text, vector), window in zip(questions, windows, strict=True)
            ],
        ),
        median("recall, window that holds everything", asks(window=WHOLE)),
        median("window of 14 days, no topic", [lambda w=w: memory.recall("", window=w, now=NOW) for w in windows]),
        median("window that holds everything, no topic", [lambda: memory.recall("", window=WHOLE, now=NOW)] * 20),
    ]
    found = [len(memory.recall(text, query_vector=vector, fact_type="rare", now=NOW)) for text, vector in questions]
    rows.append({"what": "hits of 10 with the filter of 1 %", "unit": "hits", "wall": min(found), "cpu": None})
    if before is not None:
        rows.append({"what": "memory of the open store", "unit": "MiB", "wall": resident(), "cpu": None})
    one = made.batch(0, 1)
    for number in range(4):
        fresh = one.set_column(0, "id", [[f"new {number}"]])
        memory.add(fresh, now=NOW)
        name = "first recall after a write to a store just opened" if number == 0 else "recall after one add"
        row, _ = once(name, lambda: memory.recall("anything new", now=NOW), "ms")
        if number in (0, 3):
            rows.append(row)
    memory.delete("new 1")
    rows.append(once("recall after one delete", lambda: memory.recall("anything new", now=NOW), "ms")[0])
    memory._store.close()  # what was written here is not to change the indexes on disk
    if anew:
        console.log("opening without the indexes on disk")
        bare = path.with_name("bare.tw")
        shutil.copy(path, bare)
        row, memory = opened(bare, "open and first recall, nothing on disk")
        rows.append(row)
        memory._store.close()
        bare.unlink()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", help="memories; may be repeated")
    parser.add_argument("--folder", type=Path, help="where stores are kept and found again")
    parser.add_argument("--embedder", help="measure ingestion with this embedder, up to 20,000 memories")
    parser.add_argument("--no-rebuild", action="store_true", help="leave out opening without indexes on disk")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    logging.getLogger("timewalk").setLevel(logging.ERROR)
    console = Console(stderr=True)
    figures: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        for size in options.size or [10_000, 100_000]:
            made = Synthetic(size)
            path = folder / f"{size}.tw"
            rows = []
            if not path.exists():
                console.log(f"filling a store with {size:,} memories")
                rows += fill(path, made)
            if options.embedder and size <= 20_000:
                rows.append(embedding(made, options.embedder))
            work = folder / "work.tw"
            shutil.copy(path, work)
            shutil.copytree(f"{path}-index", f"{work}-index", dirs_exist_ok=True)
            rows += measure(work, made, console, anew=not options.no_rebuild)
            shutil.rmtree(f"{work}-index")
            work.unlink()
            figures[str(size)] = rows
            table = Table(title=f"{size:,} memories")
            for column in ("", "wall", "p90", "CPU", "unit"):
                table.add_column(column, justify="left" if column in ("", "unit") else "right")
            for row in rows:
                table.add_row(row["what"], *(_shown(row.get(key)) for key in ("wall", "p90", "cpu")), row["unit"])
            Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
