"""One's own questions: memories and questions as JSON lines, or questions to a store that is there already.

A line of the questions: {"query": "what led to the outage?", "relevant": ["id", ...]}, and, if you like, `now` (ISO
time the question is asked at), `window` ([start, end], ISO times, end not included), `group` (a kind of question that
gets a line of its own) and `id`. The memories are whatever `timewalk ingest` reads.
"""

from __future__ import annotations

from typing import Any

from timewalk.bench.data import Row, numbered_lines
from timewalk.bench.metrics import ndcg_at, recall_at, reciprocal_rank
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval
from timewalk.errors import FileFormatError, InvalidValueError, StoreError, TimewalkError
from timewalk.times import to_micros

_KNOWN = {"id", "query", "relevant", "now", "window", "group"}
_MEASURES = {
    "recall@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
    "recall@5": lambda ranked, question: recall_at(ranked, question.gold, 5),
    "nDCG@10": lambda ranked, question: ndcg_at(ranked, question.gold, 10),
    "MRR": lambda ranked, question: reciprocal_rank(ranked, question.gold),
}


def question(row: Row, number: int, source: object) -> Question:
    """A line of the questions file; raises `FileFormatError` that says what is wrong with it."""
    place = f"line {number + 1} of {source}"
    unknown = sorted(row.keys() - _KNOWN)
    if unknown:
        raise FileFormatError(f"{place} has the unknown key {unknown[0]!r}; known are {', '.join(sorted(_KNOWN))}")
    text, relevant, window = row.get("query"), row.get("relevant"), row.get("window")
    if not isinstance(text, str):
        raise FileFormatError(f'{place} needs "query", the question as text', row=number)
    if not isinstance(relevant, list) or not relevant or not all(isinstance(id, str) for id in relevant):
        raise FileFormatError(f'{place} needs "relevant", a list of ids of memories, at least one', row=number)
    try:
        if row.get("now") is not None:
            to_micros(row["now"])
        given = _window(window)
    except (TimewalkError, TypeError, ValueError) as error:
        raise FileFormatError(f"{place}: {error}", row=number) from error
    return Question(
        id=str(row.get("id", number + 1)),
        text=text,
        gold=frozenset(relevant),
        now=row.get("now"),
        given=given,
        group=str(row.get("group", "")),
    )


def _window(window: Any) -> tuple[Any, Any] | None:
    if window is None:
        return None
    if not isinstance(window, list) or len(window) != 2:
        raise FileFormatError(f'"window" is [start, end], not {window!r}')
    if to_micros(window[1]) <= to_micros(window[0]):
        raise FileFormatError("the window ends before it starts, or is empty: its end does not belong to it")
    return window[0], window[1]


def _task(setting: Setting) -> Task:
    if setting.questions is None or (setting.memories is None) == (setting.store is None):
        raise InvalidValueError(
            "the suite own needs --questions FILE and one of --memories FILE (what `timewalk ingest` reads) and "
            "--store FILE (a store that is there already)"
        )
    rows = numbered_lines(setting.questions)
    if not rows:
        raise FileFormatError(f"{setting.questions} holds no questions")
    asked = [question(row, number, setting.questions) for number, row in rows.items()]
    if setting.store is not None and not setting.store.is_file():
        raise StoreError(f"there is no store {setting.store}")
    if setting.memories is not None:
        from timewalk.ingest.readers import read
        from timewalk.ingest.records import to_table

        records = to_table(read(setting.memories), tz="UTC", now="2024-01-01").to_pylist()
        known = {record["id"] for record in records}
    else:
        from timewalk.memory import Memory

        records = []
        with Memory(setting.store) as memory:
            known = {id for one in asked for id in one.gold if id in memory}
    for number, one in zip(rows, asked, strict=True):
        for id in sorted(one.gold - known):
            raise FileFormatError(
                f"line {number + 1} of {setting.questions} names the memory {id!r}, which is not there", row=number
            )
    return Task([Corpus(asked, lambda: records, store=setting.store)], _MEASURES, k=10)


SUITE = Suite(
    name="own",
    about="Your own questions over your own memories. recall@k is the mean of (relevant in the first k) / (relevant); "
    "MRR the mean of one over the rank of the first relevant one in the first 10.",
    parts={"questions": retrieval("questions", _task)},
)
