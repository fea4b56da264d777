"""Timelines of news stories: "what happened in X in June 2010?" over the events of several stories.

timelines/events.jsonl (id, text, dates) and queries_*.jsonl (text, reference_time, window_start, window_end, gold).
"""

from __future__ import annotations

from timewalk.bench.data import find, read_lines
from timewalk.bench.metrics import ndcg_at, r_precision, recall_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

_FOLDER = "timelines"


def _task(setting: Setting) -> Task:
    events = read_lines(*find(setting.data, "timelines", ("events.jsonl",), folder=_FOLDER))
    asked = [
        Question(
            id=row["id"],
            text=row["text"],
            gold=frozenset(row["gold"]),
            now=row["reference_time"],
            window=(row["window_start"], row["window_end"]),
            group=row.get("story", ""),
        )
        for row in read_lines(*find(setting.data, "timelines", ("queries_*.jsonl",), folder=_FOLDER, many=True))
    ]
    most = max((len(question.gold) for question in asked), default=0)
    measures = {
        "R-precision": lambda ranked, question: r_precision(ranked, question.gold),
        "recall@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
        "recall@20": lambda ranked, question: recall_at(ranked, question.gold, 20),
        "nDCG@10": lambda ranked, question: ndcg_at(ranked, question.gold, 10),
    }
    # The story's name is what is asked for, and not what a memory may say.
    records = [{key: value for key, value in event.items() if key != "story"} for event in events]
    return Task([Corpus(asked, lambda: records)], measures, k=max(20, most))


SUITE = Suite(
    name="timelines",
    about="Events of news stories from several papers' timelines; what happened in one of them in a month? R-precision "
    "is the share of the right ones among the first R, R being how many are right. The window comes from the text.",
    parts={"months": retrieval("months", _task)},
)
