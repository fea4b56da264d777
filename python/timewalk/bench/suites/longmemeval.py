"""LongMemEval (Wu et al., ICLR 2025) in its published form: longmemeval_s.json, longmemeval_m.json or the oracle file.

Each question has a history of its own: `haystack_sessions` (turns with role and content), `haystack_session_ids` and
`haystack_dates`. One turn is one memory, of user and assistant, at the time of its session plus a minute a turn; the
question is asked at `question_date`. Evidence are the turns with `has_answer`, and the sessions in
`answer_session_ids`. Questions that have no answer (ids that end in `_abs`) are not scored, as published.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from timewalk.bench.data import find, read_json
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
            if str(turn["content"]).strip():
                memories.append(
                    {
                        "id": f"{name}{_BETWEEN}{number}",
                        "text": f"{turn['role']}: {turn['content']}",
                        "author": turn["role"],
                        "thread": name,
                        "mentioned_at": start + timedelta(minutes=number),
                    }
                )
    return memories


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
        if turn.get("has_answer")
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


def _task(setting: Setting) -> Task:
    names = ("longmemeval_s.json", "longmemeval_s_cleaned.json", "longmemeval*.json")
    (path,) = find(setting.data, "longmemeval", names, folder="longmemeval")
    entries = [entry for entry in read_json(path) if not str(entry["question_id"]).endswith("_abs")]
    corpora = [Corpus([_question(entry)], partial(turns, entry)) for entry in entries]
    measures = {
        "turns@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
        "sessions@5": lambda ranked, question: recall_at(sessions_of(ranked), question.outside, 5),
        "all sessions@5": lambda ranked, question: all_at(sessions_of(ranked), question.outside, 5),
    }
    return Task(corpora, measures, k=_DEPTH)


SUITE = Suite(
    name="longmemeval",
    about="A user's chats with an assistant, another history for each question. turns@10: share of the turns with the "
    "answer in the first 10; sessions@5: share of the sessions with the answer among the first 5 sessions, each ranked "
    "by its best turn; all sessions@5: how often all of them are there.",
    parts={"turns": retrieval("turns", _task)},
)
