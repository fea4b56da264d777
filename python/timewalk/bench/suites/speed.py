"""Time and memory over made-up memories: no data is needed, and the same ones are made on every run.

Memories are sentences of words whose frequencies fall as those of a language do, in threads of twenty turns by fifty
authors over ten years. A question repeats words of one memory, every second one with the month that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from timewalk.bench.metrics import recall_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

SIZES = (10_000, 100_000, 1_000_000)
_ASKED = 200
_SEED = 7
_WORDS = 20_000
_LONGEST, _SHORTEST = 24, 8
_THREAD = 20
_AUTHORS = 50
_START = datetime(2014, 1, 1, tzinfo=UTC)
_MINUTES = 10 * 365 * 24 * 60
_SYLLABLES = [
    first + second for first in "bdfgklmnprstv" for second in ("a", "e", "i", "o", "u", "an", "er", "il", "or")
]


def _vocabulary(rng: np.random.Generator) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        count = 2 + int(rng.integers(3))
        words["".join(_SYLLABLES[n] for n in rng.integers(len(_SYLLABLES), size=count))] = None
    return list(words)


def made(size: int) -> list[dict[str, Any]]:
    """So many memories."""
    rng = np.random.default_rng(_SEED)
    words = _vocabulary(rng)
    weights = 1 / np.arange(3, _WORDS + 3)
    drawn = rng.choice(_WORDS, p=weights / weights.sum(), size=(size, _LONGEST)).tolist()
    lengths = rng.integers(_SHORTEST, _LONGEST + 1, size=size).tolist()
    minutes = np.sort(rng.integers(_MINUTES, size=size)).tolist()
    authors = rng.integers(_AUTHORS, size=size).tolist()
    return [
        {
            "id": f"m{number}",
            "text": " ".join(words[word] for word in drawn[number][: lengths[number]]),
            "thread": f"t{number // _THREAD}",
            "author": f"Author {authors[number]}",
            "mentioned_at": _START + timedelta(minutes=minutes[number]),
        }
        for number in range(size)
    ]


def _questions(records: list[dict[str, Any]]) -> list[Question]:
    asked = []
    for number in range(_ASKED):
        record = records[(2 * number + 1) * len(records) // (2 * _ASKED)]
        words = sorted(record["text"].split(), key=len, reverse=True)[:4]
        text, group = f"what about {' '.join(words)}", "no window"
        if number % 2:
            text, group = f"{text} in {record['mentioned_at']:%B %Y}", "with a window"
        asked.append(Question(f"q{number}", text, frozenset([record["id"]]), now="2024-06-01", group=group))
    return asked


def _size(size: int) -> Callable[[Setting], Task]:
    def task(_: Setting) -> Task:
        records = made(size)
        measures = {"found@10": lambda ranked, question: recall_at(ranked, question.gold, 10)}
        return Task([Corpus(_questions(records), lambda: records)], measures, k=10)

    return task


SUITE = Suite(
    name="speed",
    about="Median time a question without embedding, and memory, over made-up memories; found@10 says that the memory "
    "asked for came back.",
    parts={str(size): retrieval(str(size), _size(size)) for size in SIZES},
    default=(str(SIZES[0]),),
)
