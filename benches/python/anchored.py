"""Windows that hang on an event: is the right memory found, and is the window right?

    python benches/python/anchored.py --data FOLDER [--embedder wordllama] [--failures]

FOLDER holds story/events.jsonl.gz and story/anchored_dev.jsonl.gz: questions such as "what changed in the two weeks
before X?" with the anchor's id, the window and a tolerance, asked of a store that holds all events.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from rich.console import Console
from story import filled, lines

from timewalk.times import to_micros

DAY = 86_400_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder", default="wordllama", help="a name, or 'none'")
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    folder = options.data / "story"
    embedder = None if options.embedder == "none" else options.embedder
    memory, _ = filled(lines(folder / "events.jsonl.gz"), [], embedder, Console(stderr=True))
    right_anchor, right_window = [], []
    for question in lines(folder / "anchored_dev.jsonl.gz"):
        window = memory.recall(question["text"], now=question["reference"]).window
        tolerance = question["tolerance_days"] * DAY
        found = window is not None and window.anchor == question["anchor"]
        near = window is not None and all(
            abs(micros - to_micros(question[name])) <= tolerance
            for micros, name in ((window.start_micros, "start"), (window.end_micros, "end"))
        )
        right_anchor.append(found)
        right_window.append(near)
        if options.failures and not (found and near):
            print("anchor" if found else "no anchor", "window" if near else "no window", question, window, sep=" | ")
    print(f"anchor right {statistics.fmean(right_anchor):.3f}, window right {statistics.fmean(right_window):.3f}")


if __name__ == "__main__":
    main()
