"""Writes to a store in forked children and kills each in the middle; run by test_durability.py.

    python kill_writer.py STORE ROUNDS SEED

Each child adds groups of records (with links inside the group) without end and reports a group after `add` has
returned. The parent waits for a report, then a random moment, then sends SIGKILL. Prints the last reported group of
every round as JSON.
"""

import json
import os
import random
import signal
import sys
import time

import timewalk as tw

GROUP = 20


def write(path: str, child: int, pipe: int) -> None:
    memory = tw.Memory(path, embedder=lengths)
    group = 0
    while True:
        names = [f"{child}-{group}-{n}" for n in range(GROUP)]
        memory.add(
            [
                {
                    "id": name,
                    "text": f"event {name}",
                    "caused_by": names[:1] if n else [],
                    "occurred_start": "2024-05-01",
                }
                for n, name in enumerate(names)
            ]
        )
        os.write(pipe, f"{group}\n".encode())
        group += 1


def lengths(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0] for text in texts]


def main() -> None:
    path, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    last = []
    for child in range(rounds):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            write(path, child, writer)
        os.close(writer)
        reports = os.read(reader, 1 << 16)
        if not reports:
            sys.exit("the writer ended by itself")
        time.sleep(chance.uniform(0, 0.03))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while part := os.read(reader, 1 << 16):
            reports += part
        os.close(reader)
        last.append(int(reports.decode().split()[-1]))
    print(json.dumps(last))


if __name__ == "__main__":
    main()
