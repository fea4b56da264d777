"""LoCoMo recall: do the turns that hold the answer come back?

    python benches/python/locomo.py --data FOLDER [--embedder wordllama] [--one-store] [--json OUT]

FOLDER holds locomo_dev.json.gz: conversations as published (Maharana et al., "Evaluating Very Long-Term
Conversational Memory of LLM Agents", ACL 2024). One turn is one memory: its text with speaker and picture caption, at
the time of its session plus a minute a turn. recall@k is the mean over questions of categories 1 to 4 of (evidence
turns in the top k) / (evidence turns). Baselines in the same run: BM25, vectors, their rank fusion.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import timewalk as tw

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
K = 10


def turns(conversation: dict, space: str) -> list[dict]:
    memories = []
    for number in range(1, 100):
        session = conversation.get(f"session_{number}")
        if not session:
            continue
        start = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for minute, turn in enumerate(session):
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            memories.append(
                {
                    "id": f"{space}/{turn['dia_id']}",
                    "text": f"{turn['speaker']}: {turn['text']}{caption}",
                    "author": turn["speaker"],
                    "thread": f"{space}/session_{number}",
                    "mentioned_at": start.replace(tzinfo=UTC) + timedelta(minutes=minute),
                }
            )
    return memories


def questions(sample: dict, space: str, known: set[str]) -> list[dict]:
    asked = []
    for entry in sample["qa"]:
        if entry["category"] not in CATEGORIES:
            continue
        # Some evidence is written "D8:6; D9:17", and some names turns that do not exist.
        named = re.findall(r"D\d+:\d+", " ".join(entry.get("evidence", [])))
        gold = {f"{space}/{turn}" for turn in named} & known
        if gold:
            asked.append({"text": str(entry["question"]), "category": entry["category"], "gold": gold})
    return asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="wordllama", help="a name, or 'none'")
    parser.add_argument("--one-store", action="store_true", help="all conversations in one store")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    embedder = None if options.embedder == "none" else options.embedder
    samples = json.loads(gzip.decompress((options.data / "locomo_dev.json.gz").read_bytes()))
    results: dict[str, list[tuple[int, float]]] = {}
    times: list[float] = []
    stores: list[tuple[tw.Memory, list[dict]]] = []
    shared = tw.Memory(embedder=embedder) if options.one_store else None
    for number, sample in enumerate(samples):
        memories = turns(sample["conversation"], str(number))
        memory = shared or tw.Memory(embedder=embedder)
        memory.add(memories)
        stores.append((memory, questions(sample, str(number), {entry["id"] for entry in memories})))
    for memory, asked in track(stores, console=Console(stderr=True)):
        now = memory.recall("warm up") and datetime(2024, 6, 1, tzinfo=UTC)
        index = memory._index
        for question in asked:
            text = question["text"]
            vector = memory._asker.embedded(text)
            begin = time.perf_counter()
            hits = memory.recall(text, k=K, now=now or "2024-06-01", query_vector=vector)
            times.append(time.perf_counter() - begin)
            keywords = [index.ids[position] for position in index.keywords.search(text, 100).rows]
            near: list[str] = []
            if vector is not None and index.vectors is not None:
                near = [index.ids[at] for at in index.vectors.search(vector, 100).positions]
            fused = [entry.id for entry in tw.fuse([keywords, near])]
            for name, ids in {"BM25": keywords, "vectors": near, "rank fusion": fused, "timewalk": hits.ids}.items():
                got = len(question["gold"] & set(ids[:K])) / len(question["gold"])
                results.setdefault(name, []).append((question["category"], got))
    table = Table(title=f"LoCoMo, recall@{K}, {len(times)} questions")
    for column in ("", "all", *CATEGORIES.values()):
        table.add_column(column)
    figures = {}
    for name, rows in results.items():
        by = [statistics.fmean(got for kind, got in rows if kind == category) for category in CATEGORIES]
        figures[name] = [statistics.fmean(got for _, got in rows), *by]
        table.add_row(name, *(f"{value:.3f}" for value in figures[name]))
    Console().print(table)
    Console().print(f"median ms a recall, without embedding: {statistics.median(times) * 1000:.2f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
