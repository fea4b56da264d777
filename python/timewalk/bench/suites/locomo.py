"""LoCoMo (Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024), as published.

One turn is one memory: its text with the speaker and the caption of a shared picture, at the time of its session plus
a minute a turn. Questions of categories 1 to 4, asked when the last session is over.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from timewalk.bench.data import find, read_json
from timewalk.bench.metrics import ndcg_at, recall_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_MEASURES = {
    "recall@10": lambda ranked, question: recall_at(ranked, question.gold, 10),
    "recall@5": lambda ranked, question: recall_at(ranked, question.gold, 5),
    "nDCG@10": lambda ranked, question: ndcg_at(ranked, question.gold, 10),
}
_TURN = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")

Json = dict[str, Any]


def turns(conversation: Json, space: str) -> list[Json]:
    """The memories of a conversation, in its order; `space` keeps the ids of several conversations apart."""
    numbers = sorted(int(found[1]) for name in conversation if (found := _SESSION.fullmatch(name)))
    memories = []
    for number in numbers:
        start = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for minute, turn in enumerate(conversation[f"session_{number}"]):
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            memories.append(
                {
                    "id": f"{space}/{turn['dia_id']}",
                    "text": f"{turn['speaker']}: {turn['text']}{caption}",
                    "author": turn["speaker"],
                    "thread": f"{space}/session_{number}",
                    "mentioned_at": start.replace(tzinfo=UTC) + timedelta(minutes=minute),
                }
            )
    return memories


def questions(sample: Json, space: str, memories: list[Json]) -> list[Question]:
    """The questions whose evidence names turns that exist."""
    known = {memory["id"] for memory in memories}
    now = max(memory["mentioned_at"] for memory in memories)
    asked = []
    for number, entry in enumerate(sample["qa"]):
        if entry["category"] not in CATEGORIES:
            continue
        # Some evidence is written "D8:6; D9:17", and some names turns that do not exist.
        named = _TURN.findall(" ".join(entry.get("evidence", [])))
        gold = frozenset(f"{space}/{turn}" for turn in named) & known
        if gold:
            group = CATEGORIES[entry["category"]]
            asked.append(Question(f"{space}/{number}", str(entry["question"]), gold, now=now, group=group))
    return asked


def conversations(setting: Setting) -> list[tuple[list[Json], list[Question]]]:
    """Each conversation's memories and questions."""
    (path,) = find(setting.data, "locomo", ("locomo_dev.json", "locomo10.json", "locomo*.json"))
    out = []
    for number, sample in enumerate(read_json(path)):
        space = str(sample.get("sample_id", number))
        memories = turns(sample["conversation"], space)
        out.append((memories, questions(sample, space, memories)))
    return out


def _per_conversation(setting: Setting) -> Task:
    corpora = [Corpus(asked, partial(list, memories)) for memories, asked in conversations(setting)]
    return Task(corpora, _MEASURES, k=10)


def _one_store(setting: Setting) -> Task:
    found = conversations(setting)
    everything = [memory for memories, _ in found for memory in memories]
    return Task([Corpus([one for _, asked in found for one in asked], lambda: everything)], _MEASURES, k=10)


SUITE = Suite(
    name="locomo",
    about="Long conversations of two people. Do the turns that hold the answer come back? recall@k is the mean over "
    "questions of (evidence in the first k) / (evidence).",
    parts={
        "per-conversation": retrieval("per-conversation", _per_conversation),
        "one-store": retrieval("one-store", _one_store),
    },
)
