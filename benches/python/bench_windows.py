"""How exactly windows are read, by suite and kind, with the failures, and how long a text takes.

Usage: python benches/python/bench_windows.py [--data FOLDER] [--failures N]

The folder (or the environment variable TIMEWALK_DATA) holds the suites, JSON lines with text, span, reference, start,
end, alts, grain and kind. Rows whose kind is "open" and rows with anchor semantics are not scored. Exact: start and
end equal one reading, to the day, to the minute where the grain is finer; start: on the same day. Windows where there
should be none are counted on questions without a time word, if the folder has them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import timewalk as tw
from timewalk.windows import Window, find_anchor

Row = dict[str, Any]
FINE = ("second", "minute", "hour")
TIME_WORD = re.compile(
    r"\d|\b(?:ago|yesterday|today|tomorrow|last|next|week|weekend|month|year|day|summer|winter|spring|fall|autumn|season|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|christmas|thanksgiving|halloween|easter|recently|century|decade)",
    re.IGNORECASE,
)


def rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def moment(text: str) -> datetime:
    year, rest = text.split("-", 1)
    return datetime.fromisoformat(f"{int(year):04}-{rest}")


def score(row: Row, window: Window | None) -> tuple[bool, bool]:
    """Whether the start lies on the right day, and whether both ends are right."""
    start = exact = False
    if window is None or window.start is None:
        return start, exact
    begins = window.start.replace(tzinfo=None)
    ends = None if window.end is None else window.end.replace(tzinfo=None)

    def cut(time: datetime) -> datetime:
        if row["grain"] in FINE:
            return time.replace(second=0, microsecond=0)
        return time.replace(hour=0, minute=0, second=0, microsecond=0)

    for first, last in row["alts"] or [(row["start"], row["end"])]:
        if first is None or last is None:
            continue
        start |= begins.date() == moment(first).date()
        exact |= ends is not None and cut(begins) == cut(moment(first)) and cut(ends) == cut(moment(last))
    return start, exact


def scored(found: list[Row]) -> Iterator[Row]:
    return (row for row in found if row["kind"] != "open" and not row.get("anchor_semantics"))


def read(row: Row, field: str) -> Window | None:
    return tw.find_window(
        row[field],
        now=row["reference"],
        prefer="future" if row["source"] == "duckling" else "past",
        locale=row.get("lang", "en"),
    )


def suites(folder: Path, failures: int) -> None:
    for name in ("time_windows_dev", "time_windows_languages_dev"):
        path = folder / f"{name}.jsonl.gz"
        if not path.exists():
            print(f"{name}: not in {folder}")
            continue
        for field in ("span", "text"):
            table: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
            missed: dict[tuple[str, str, str], list[str]] = defaultdict(list)
            for row in scored(rows(path)):
                window = read(row, field)
                start, exact = score(row, window)
                suite = row.get("lang") or row["source"]
                kind = "holiday" if row.get("holiday") else row["kind"]
                for key in (("all", "", ""), (suite, "", ""), (suite, kind, row["grain"])):
                    table[key][0] += 1
                    table[key][1] += start
                    table[key][2] += exact
                if not exact:
                    missed[suite, kind, row["grain"]].append(
                        f"{row[field]!r}: {window}, not {row['start']} to {row['end']}"
                    )
            print(f"\n{name}, {field}{'':>40}rows  start  exact")
            for key in sorted(table):
                count, start, exact = table[key]
                print(
                    f"{' '.join(part for part in key if part):<56}{count:>8}{start / count:>7.3f}{exact / count:>7.3f}"
                )
                for line in missed[key][:failures]:
                    print(f"    {line}")


def stories(folder: Path) -> None:
    for name in ("story", "timelines"):
        path = folder / name / "queries_dev.jsonl.gz"
        if not path.exists():
            continue
        right = total = 0
        for row in rows(path):
            window = tw.find_window(row["text"], now=row["reference_time"])
            wanted = datetime.fromisoformat(row["window_start"]), datetime.fromisoformat(row["window_end"])
            right += window is not None and (window.start, window.end) == wanted
            total += 1
        print(f"\n{name}: windows right in {right} of {total} questions")


def anchored(folder: Path) -> None:
    path = folder / "story" / "anchored_dev.jsonl.gz"
    if not path.exists():
        return
    events = {event["id"]: event for event in rows(folder / "story" / "events.jsonl.gz")}
    right = named = total = 0
    for row in rows(path):
        event = events[row["anchor"]]
        found = find_anchor(row["text"], now=row["reference"])
        total += 1
        if found is None:
            continue
        named += event["text"].lower().startswith(found.event.lower())
        window = found.window(event["occurred_start"], event["occurred_end"], now=row["reference"])
        tolerance = timedelta(days=row["tolerance_days"])
        wanted = datetime.fromisoformat(row["start"]), datetime.fromisoformat(row["end"])
        if window.start is not None and window.end is not None:
            right += abs(window.start - wanted[0]) <= tolerance and abs(window.end - wanted[1]) <= tolerance
    print(f"\nanchored: event named in {named}, window right with the event given in {right} of {total}")


def none_there(folder: Path) -> None:
    texts: list[tuple[str, str]] = []
    for path in (folder / "multihop" / "2wiki_questions_dev.json.gz", folder / "multihop" / "musique_train.json.gz"):
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                texts += [(path.name.split("_")[0], row["question"]) for row in json.load(file)]
    locomo = folder / "locomo_dev.json.gz"
    if locomo.exists():
        with gzip.open(locomo, "rt", encoding="utf-8") as file:
            texts += [("locomo", row["question"]) for talk in json.load(file) for row in talk["qa"]]
    own = Path(__file__).parents[2] / "tests" / "python" / "windows_none.txt"
    timeless = [(name, text) for name, text in texts if not TIME_WORD.search(text)]
    timeless += [("own sentences", line) for line in own.read_text(encoding="utf-8").splitlines()]
    total, false = Counter[str](), Counter[str]()
    for name, text in timeless:
        total[name] += 1
        window = tw.find_window(text, now="2024-06-12T15:30:00Z")
        if window is not None:
            false[name] += 1
            print(f"    {text!r}: {window.text!r}")
    for name in total:
        print(f"window where there is none, {name}: {false[name]} of {total[name]}")


def timing(folder: Path) -> None:
    path = folder / "time_windows_dev.jsonl.gz"
    if not path.exists():
        return
    found = rows(path)
    for row in found[:50]:
        read(row, "text")
    taken = []
    for row in found:
        start = time.perf_counter()
        read(row, "text")
        taken.append((time.perf_counter() - start) * 1e6)
    taken.sort()
    late = taken[int(len(taken) * 0.99)]
    print(f"\ntime a text: median {statistics.median(taken):.1f} µs, 99th percentile {late:.1f} µs")


def long_texts() -> None:
    """Whether the time grows with the length only: ten times the words, so many times the processor's time."""
    worst = 0.0
    for word in ("monday ", "1 ", "the last ", "between ", "twenty ", "may to ", "'", "not every ", "2 weeks later "):
        took = []
        for count in (10_000, 100_000):
            text = word * count
            start = time.process_time()
            tw.find_windows(text, now="2024-06-12T15:30:00Z")
            took.append(time.process_time() - start)
        worst = max(worst, took[1] / max(took[0], 1e-4))
    print(f"100,000 words against 10,000: {worst:.1f} times the time at worst")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("TIMEWALK_DATA"), help="folder of the suites")
    parser.add_argument("--failures", type=int, default=0, help="failures to print for each kind")
    options = parser.parse_args()
    if not options.data or not Path(options.data).is_dir():
        sys.exit("no data: name the folder of the suites with --data or TIMEWALK_DATA")
    folder = Path(options.data)
    suites(folder, options.failures)
    stories(folder)
    anchored(folder)
    none_there(folder)
    timing(folder)
    long_texts()


if __name__ == "__main__":
    main()
