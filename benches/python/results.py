"""Runs every suite of `timewalk bench`, each in a process of its own, and writes benches/RESULTS.md.

    python benches/python/results.py --data FOLDER [--transformer MODULE:CALLABLE] [--keep FOLDER [--reuse]]

FOLDER holds the data of all suites (docs/bench.md). --keep keeps the JSON of each run, for `--compare`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from timewalk.bench import Result, markdown

STATIC = [
    ["locomo"],
    ["story"],
    ["timelines"],
    ["multihop"],
    ["proactive"],
    ["windows"],
    ["decay"],
    ["speed", "--part", "10000", "--part", "100000"],
]
WITHOUT_EMBEDDER = [["locomo", "--part", "per-conversation"], ["timelines"]]
TRANSFORMER = [["locomo"], ["timelines"], ["multihop"]]
ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("TIMEWALK_DATA"), help="or TIMEWALK_DATA")
    parser.add_argument("--transformer", metavar="MODULE:CALLABLE", help="an embedder to run some suites with as well")
    parser.add_argument("--limit", help="at most so many questions a part, to try it out")
    parser.add_argument("--out", type=Path, default=ROOT / "benches" / "RESULTS.md")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the JSON of each run")
    parser.add_argument("--reuse", action="store_true", help="leave out the runs whose JSON --keep holds already")
    options = parser.parse_args()
    if options.data is None:
        parser.error("no data: name the folder of the suites with --data or TIMEWALK_DATA")
    runs = [(run, "static") for run in STATIC] + [(run, "none") for run in WITHOUT_EMBEDDER]
    if options.transformer:
        runs += [(run, options.transformer) for run in TRANSFORMER]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        results = []
        for number, (run, embedder) in enumerate(runs, 1):
            out = folder / f"{run[0]}-{embedder.partition(':')[0]}.json"
            print(f"{number} of {len(runs)}: {' '.join(run)}, {embedder}", file=sys.stderr, flush=True)
            command = [sys.executable, "-m", "timewalk.cli", "bench", *run, "--data", str(options.data)]
            command += ["--embedder", embedder, "--json", str(out)]
            command += ["--limit", options.limit] if options.limit else []
            if not (options.reuse and out.exists()):
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            results.append(Result.read(out))
    options.out.write_text(markdown(results), encoding="utf-8")


if __name__ == "__main__":
    main()
