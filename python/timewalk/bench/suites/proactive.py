"""What a text brings up by itself, without a question: `Memory.proactive_context` where nobody says what to look for.

Something is being said that the store does not hold. What belongs to it, by the data's own judgement, should come up:

- turns: a turn of LoCoMo that is evidence for a question, said anew at the begin of its session, when only earlier
  sessions are remembered; right are the turns of those that are evidence for the same question.
- stories: the last event of a story, when only what happened before it is remembered; right is the rest of the story.
- passages: a passage of 2WikiMultihopQA; right are those that some question needs together with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from timewalk.bench.data import Row, find, read_lines
from timewalk.bench.metrics import ndcg_at, recall_at, story_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites import locomo, multihop, story
from timewalk.bench.suites.base import Setting, Suite, retrieval
from timewalk.times import to_micros

_MEASURES = {
    "recall@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
    "recall@5": lambda ranked, question: recall_at(ranked, question.gold, 5),
    "nDCG@10": lambda ranked, question: ndcg_at(ranked, question.gold, 10),
}


def _turns(setting: Setting) -> Task:
    corpora = []
    for memories, asked in locomo.conversations(setting):
        begins: dict[str, locomo.Json] = {}
        for memory in memories:
            begins.setdefault(memory["thread"], memory)
        by_id = {memory["id"]: memory for memory in memories}
        said: dict[str, Question] = {}
        for question in asked:
            for id in sorted(question.gold):
                begin = begins[by_id[id]["thread"]]["mentioned_at"]
                earlier = {other for other in question.gold if by_id[other]["mentioned_at"] < begin}
                if earlier:
                    before = Question(
                        id=id,
                        text=by_id[id]["text"],
                        gold=frozenset(earlier),
                        now=begin,
                        filters={"times": {"mentioned_at": (None, begin)}},
                    )
                    said[id] = _together(said.get(id), before)
        corpora.append(Corpus(list(said.values()), partial(list, memories)))
    return Task(corpora, _MEASURES, k=10, proactive=True)


def _stories(setting: Setting) -> Task:
    records = story.events(setting, "proactive")
    links = story.links(setting, "proactive", "links.jsonl")
    rows = read_lines(*find(setting.data, "proactive", ("queries_*.jsonl",), folder=story.FOLDER, many=True))
    by_id = {record["id"]: record for record in records}
    said: dict[str, Question] = {}
    for row in rows:
        # The same story is asked for in several ways; its last event is said once.
        last = max(row["gold"], key=lambda id: (_begin(by_id[id]), id))
        begin = by_id[last]["occurred_start"]
        earlier = {id for id in row["gold"] if _begin(by_id[id]) < to_micros(begin)}
        if earlier:
            before = Question(
                id=last,
                text=by_id[last]["text"],
                gold=frozenset(earlier),
                now=begin,
                filters={"times": {"occurred_start": (None, begin)}},
            )
            said[last] = _together(said.get(last), before)
    corpus = Corpus(list(said.values()), lambda: records, links, story.RELATIONS)
    measures = {
        "story@10": lambda ranked, question: story_at(ranked, question.gold, 10),
        "recall@5": _MEASURES["recall@5"],
        "nDCG@10": _MEASURES["nDCG@10"],
    }
    return Task([corpus], measures, k=10, facts={"links given": len(links)}, proactive=True)


def _passages(setting: Setting) -> Task:
    asked = multihop.PARTS["2wiki"](setting)
    (corpus,) = asked.corpora
    records = corpus.records()
    places = {record["id"]: place for place, record in enumerate(records)}
    said: dict[str, Question] = {}
    for question in corpus.questions:
        for id in sorted(question.gold) if len(question.gold) > 1 else ():
            others = np.ones(len(records), np.bool_)
            others[places[id]] = False
            text = str(records[places[id]]["text"])
            said[id] = _together(said.get(id), Question(id, text, question.gold - {id}, filters={"mask": others}))
    return Task([Corpus(list(said.values()), lambda: records)], _MEASURES, k=10, proactive=True)


def _together(known: Question | None, also: Question) -> Question:
    """One question for a text, however many have made it one."""
    return also if known is None else replace(known, gold=known.gold | also.gold)


def _begin(event: Row) -> int:
    return to_micros(event["occurred_start"])


_PARTS: dict[str, Callable[[Setting], Task]] = {"turns": _turns, "stories": _stories, "passages": _passages}

SUITE = Suite(
    name="proactive",
    about="What is being said, and what should come up by itself: turns of earlier sessions that answer a question "
    "together with the one said (LoCoMo), the rest of the story that an event ends, and passages of an encyclopedia "
    "that a question needs together with the one said (2Wiki). The text itself and what came later are not remembered. "
    "`recall` is a recall whose question is the text.",
    parts={name: retrieval(name, build) for name, build in _PARTS.items()},
)
