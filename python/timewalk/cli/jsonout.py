"""Answers as JSON: the same keys every time, times in ISO 8601 with zone, null where there is none."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from timewalk.recall.places import place

if TYPE_CHECKING:
    from timewalk.recall.hits import Hits


def answer(hits: Hits) -> dict[str, Any]:
    """One recall: question, now, window, notes and hits, best first, each with its place beside the window."""
    told = hits.to_dict()
    for hit, shown in zip(hits, told["hits"], strict=True):
        shown["place"] = place(hit, hits.window) if hits.window is not None else None
    return told


def write(value: Any) -> None:
    """Prints JSON to stdout, in UTF-8 whatever the terminal's encoding is good for."""
    text = json.dumps(value, ensure_ascii=not _speaks_utf8(), indent=2, allow_nan=False)
    sys.stdout.write(text + "\n")


def _speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
