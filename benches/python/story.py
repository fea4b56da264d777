"""Story recall: how much of a story, mostly outside the asked window, comes back from the question's text alone.

    python benches/python/story.py --data FOLDER [--embedder wordllama] [--half] [--json OUT]

FOLDER holds story/events.jsonl.gz, links.jsonl.gz, links_half.jsonl.gz and queries_dev.jsonl.gz: dated changes of
a software project, declared links between them, and questions with a time phrase. story@10 is the mean over questions
of (gold in the top 10) / min(10, gold); outside@10 the same over the gold that lies outside the window.
Baselines in the same run, over the same indexes: BM25, vectors, their rank fusion, rank fusion inside the true window.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import timewalk as tw
from timewalk.times import to_micros


def lines(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def score(ranked: list[str], gold: Iterable[str]) -> float:
    wanted = set(gold)
    return len(wanted & set(ranked[:10])) / min(10, len(wanted))


def filled(events: list[dict], links: list[dict], embedder: str | None, console: Console) -> tuple[tw.Memory, float]:
    memory = tw.Memory(embedder=embedder)
    memory.register_relation("reverts", inverse="reverted_by", kind="causal")
    memory.register_relation("refers_to", inverse="referred_to_by", kind="enabling")
    memory.register_relation("same_file", kind="temporal")
    names = {"mentions": "refers_to"}
    start = time.perf_counter()
    with Progress(console=console) as progress:
        task = progress.add_task("ingesting", total=len(events))
        memory.add(events, progress=lambda done, total: progress.update(task, completed=done, total=total))
    memory.link_many(
        pa.table(
            {
                "source": [link["source"] for link in links],
                "target": [link["target"] for link in links],
                "relation": [names.get(link["type"], link["type"]) for link in links],
                "weight": [link["weight"] for link in links],
            }
        )
    )
    return memory, time.perf_counter() - start


def baselines(memory: tw.Memory) -> dict[str, Callable[[dict], list[str]]]:
    """Rankings a user could build from the same indexes without timewalk's walk."""
    memory.recall("warm up")
    index = memory._index

    def bm25(question: dict, window: tuple[int, int] | None = None) -> list[str]:
        hits = index.keywords.search(question["topic"], 100, None if window is None else index.inside(window))
        return [index.ids[position] for position in hits.rows]

    def vectors(question: dict) -> list[str]:
        vector = memory._asker.embedded(question["topic"])
        if vector is None or index.vectors is None:
            return []
        return [index.ids[at] for at in index.vectors.search(vector, 100).positions]

    def fused(question: dict) -> list[str]:
        return [entry.id for entry in tw.fuse([bm25(question), vectors(question)])]

    starts = dict(zip(index.ids, index.columns["occurred_start"].to_pylist(), strict=True))
    ends = dict(zip(index.ids, index.columns["occurred_end"].to_pylist(), strict=True))

    def filtered(question: dict) -> list[str]:
        start, end = (to_micros(question[name]) for name in ("window_start", "window_end"))
        return [id for id in fused(question) if to_micros(starts[id]) < end and to_micros(ends[id]) >= start]

    return {"BM25": bm25, "vectors": vectors, "rank fusion": fused, "rank fusion in the true window": filtered}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="wordllama", help="a name, or 'none'")
    parser.add_argument("--half", action="store_true", help="withhold half of the declared links")
    parser.add_argument("--failures", action="store_true", help="list the questions whose story is incomplete")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console = Console(stderr=True)
    folder = options.data / "story"
    events = lines(folder / "events.jsonl.gz")
    links = lines(folder / ("links_half.jsonl.gz" if options.half else "links.jsonl.gz"))
    questions = lines(folder / "queries_dev.jsonl.gz")
    embedder = None if options.embedder == "none" else options.embedder
    memory, seconds = filled(events, links, embedder, console)

    results: dict[str, dict[str, float]] = {}
    for name, rank in baselines(memory).items():
        ranked = [rank(question) for question in questions]
        results[name] = measured(questions, ranked)
    times, ranked, windows = [], [], 0
    for question in questions:
        vector = memory._asker.embedded(question["topic"])
        begin = time.perf_counter()
        hits = memory.recall(question["text"], k=10, now=question["reference_time"], query_vector=vector)
        times.append(time.perf_counter() - begin)
        ranked.append(hits.ids)
        window = hits.window
        right = window is not None and [window.start_micros, window.end_micros] == [
            to_micros(question[name]) for name in ("window_start", "window_end")
        ]
        windows += right
        if options.failures and score(hits.ids, question["gold"]) < 1:
            console.print(question["id"], question["text"], "window right" if right else f"window {window}")
    results["timewalk"] = measured(questions, ranked)
    results["timewalk"]["windows right"] = windows / len(questions)
    results["timewalk"]["median ms a recall, without embedding"] = statistics.median(times) * 1000
    results["timewalk"]["ingestion s"] = seconds

    table = Table(title=f"{len(questions)} questions over {len(events)} events, {len(links)} links")
    for column in ("", "story@10", "outside@10"):
        table.add_column(column)
    for name, row in results.items():
        table.add_row(name, f"{row['story@10']:.3f}", f"{row['outside@10']:.3f}")
    Console().print(table)
    for key, value in list(results["timewalk"].items())[2:]:
        Console().print(f"{key}: {value:.3f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


def measured(questions: list[dict], ranked: list[list[str]]) -> dict[str, float]:
    pairs = list(zip(questions, ranked, strict=True))
    return {
        "story@10": statistics.fmean(score(ids, question["gold"]) for question, ids in pairs),
        "outside@10": statistics.fmean(
            score(ids, question["gold_outside"]) for question, ids in pairs if question["gold_outside"]
        ),
    }


if __name__ == "__main__":
    main()
