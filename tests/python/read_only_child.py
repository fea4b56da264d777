"""Uses a store that may not be written to, and says as JSON what came of it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import timewalk as tw


def failure(call: Callable[[], Any]) -> str:
    try:
        call()
    except tw.StoreError as error:
        return str(error)
    return ""


def main() -> None:
    path, elsewhere = Path(sys.argv[1]), Path(sys.argv[2])
    with tw.Memory(path) as memory:
        told = {
            "len": len(memory),
            "has": "e3" in memory,
            "repr": repr(memory),
            "recall": memory.recall("pump in May 2024", now="2024-07-01").ids,
            "context": memory.proactive_context("Maria Lopez spoke of the pump", now="2024-07-01").ids,
        }
        links = pa.table({"source": ["e1"], "target": ["e2"], "relation": ["causes"]})
        told["writes"] = {
            "add": failure(lambda: memory.add({"text": "one more"})),
            "link": failure(lambda: memory.link("e1", "e2", "causes")),
            "link_many": failure(lambda: memory.link_many(links)),
            "register_relation": failure(lambda: memory.register_relation("likes")),
            "delete": failure(lambda: memory.delete("e1")),
            "invalidate": failure(lambda: memory.invalidate("e1", at="2024-01-01")),
            "touch": failure(lambda: memory.touch("e1", now="2024-07-01")),
        }
        memory.save(elsewhere)
        if len(sys.argv) > 3:
            print("ready", flush=True)
            input()
            told["later"] = memory.recall("pump in May 2024", now="2024-07-01", k=50).ids
    with tw.Memory(elsewhere) as copy:
        told["copy"] = len(copy)
        copy.add({"id": "more", "text": "a copy takes more"})
    print(json.dumps(told))


if __name__ == "__main__":
    main()
