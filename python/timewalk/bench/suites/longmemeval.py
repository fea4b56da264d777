"""LongMemEval (Wu et al., ICLR 2025) in its published form: longmemeval_s, _m or _oracle, cleaned or not.

Each question has a history of its own: `haystack_sessions` (turns with role and content), `haystack_session_ids` and
`haystack_dates`. One turn is one memory, of user and assistant, at the time of its session plus a minute a turn; the
question is asked at `question_date`. Evidence are the turns with `has_answer`, and the sessions in
`answer_session_ids`. Questions that have no answer (ids that end in `_abs`) are not scored, as published.

The largest file has gigabytes: one history at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from timewalk.bench.data import array_items, find
from timewalk.bench.metrics import all_at, recall_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

_DEPTH = 50  # turns from which sessions are ranked
_BETWEEN = "\x1f"

Json = dict[str, Any]


def turns(entry: Json) -> list[Json]:
    """The memories of one question's history."""
    memories = []
    sessions = zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    seen: dict[str, int] = {}
    for session, date, said in sessions:
        # A session that fills the history may be there twice.
        seen[session] = seen.get(session, 0) + 1
        name = session if seen[session] == 1 else f"{session}#{seen[session]}"
        start = moment(date)
        for number, turn in enumerate(said):
            if text := _text(turn):
                memories.append(
                    {
                        "id": f"{name}{_BETWEEN}{number}",
                        "text": f"{turn['role']}: {text}",
                        "author": turn["role"],
                        "thread": name,
                        "mentioned_at": start + timedelta(minutes=number),
                    }
                )
    return memories


def _text(turn: Json) -> str:
    """What was said; halves of characters, which JSON can hold and no text can, become question marks."""
    return str(turn.get("content") or "").strip().encode("utf-8", "replace").decode()


def moment(text: str) -> datetime:
    """A time as the data has it: 2023/05/20 (Sat) 02:21, in UTC."""
    day, _, rest = text.partition(" ")
    clock = rest.rpartition(" ")[2] or "00:00"
    return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def sessions_of(ranked: Sequence[str]) -> list[str]:
    """Sessions in the order of their best turn."""
    return list(dict.fromkeys(id.partition(_BETWEEN)[0] for id in ranked))


def _question(entry: Json) -> Question:
    evidence = frozenset(
        f"{session}{_BETWEEN}{number}"
        for session, said in zip(entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
        for number, turn in enumerate(said)
        if turn.get("has_answer") and _text(turn)
    )
    sessions = frozenset(entry["answer_session_ids"]) & set(entry["haystack_session_ids"])
    return Question(
        id=entry["question_id"],
        text=entry["question"],
        gold=evidence,
        outside=sessions,
        now=moment(entry["question_date"]),
        group=entry["question_type"],
    )


class _Histories:
    """The histories of a file, read from it as they are asked for; in the order of the file in one go."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries = enumerate(array_items(path))
        self._next = 0

    def __call__(self, number: int) -> list[Json]:
        """The memories of the question of this number, which is its place in the file."""
        if number < self._next:
            self._entries, self._next = enumerate(array_items(self._path)), 0
        entry = next(entry for place, entry in self._entries if place == number)
        self._next = number + 1
        return turns(entry)


def _task(setting: Setting) -> Task:
    names = [f"longmemeval_s{ending}" for ending in ("_cleaned.json", ".json", "")]
    (path,) = find(setting.data, "longmemeval", (*names, "longmemeval*"), folder="longmemeval")
    histories = _Histories(path)
    corpora, unanswered = [], 0
    for number, entry in enumerate(array_items(path)):
        if str(entry["question_id"]).endswith("_abs"):
            unanswered += 1
        else:
            corpora.append(Corpus([_question(entry)], partial(histories, number)))
    measures = {
        "turns@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
        "all turns@10": lambda ranked, question: all_at(ranked, question.gold, 10),
        "sessions@5": lambda ranked, question: recall_at(sessions_of(ranked), question.outside, 5),
        "all sessions@5": lambda ranked, question: all_at(sessions_of(ranked), question.outside, 5),
    }
    return Task(corpora, measures, k=_DEPTH, facts={"without an answer, not scored": unanswered})


SUITE = Suite(
    name="longmemeval",
    about="A user's chats with an assistant, another history for each question. turns@10: share of the turns with the "
    "answer in the first 10; all turns@10: how often all of them are there; sessions@5 and all sessions@5: the same of "
    "the sessions with the answer among the first 5 sessions, each ranked by its best turn.",
    parts={"turns": retrieval("turns", _task)},
)
