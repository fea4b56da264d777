"""What a question with a window brings in: all that is on topic, or what led to one thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import timewalk as tw
from timewalk.ingest.inference import LinkRules

NOW = "2024-07-01"


def dated(id: str, text: str, day: str, *files: str) -> dict[str, Any]:
    return {"id": id, "text": text, "occurred_start": day, "files": list(files)}


def filler(month: str, file: str) -> list[dict[str, Any]]:
    days = range(6, 26)
    return [
        dated(f"{month}-{day}", f"page {day} of {month}\nMore on {day}.", f"{month}-{day:02}", file) for day in days
    ]


def test_what_happened_elsewhere_in_time_and_is_tied_to_nothing_comes_after_the_window() -> None:
    memory = tw.Memory()
    memory.add(
        [
            dated("before", "Harbour strike: the harbour strike was voted for at the harbour", "2024-01-10"),
            dated("one", "The harbour strike began", "2024-05-03"),
            dated("two", "Dockers of the harbour marched", "2024-05-20"),
            dated("other", "A concert in the park", "2024-05-11"),
        ]
    )
    hits = memory.recall("What happened in the harbour strike in May 2024?", now=NOW)
    assert hits.ids[:2] == ["one", "two"]


def test_what_was_only_told_at_another_time_keeps_its_share() -> None:
    told = {"id": "told", "text": "The harbour strike is over, the harbour strike won", "mentioned_at": "2024-06-02"}
    happened = dated("happened", "The harbour strike is over, the harbour strike won", "2024-06-02")
    memory = tw.Memory()
    memory.add([told, happened, dated("inside", "A march along the harbour", "2024-05-20")])
    scores = {hit.id: hit.score for hit in memory.recall("the harbour strike in May 2024", now=NOW)}
    assert scores["told"] > scores["happened"]


def test_a_question_for_causes_follows_links_that_are_only_likely() -> None:
    cause = "parser: read nested lists\nNested lists are read by recursion."
    fix = "parser: fix overflow in nested lists\nNested lists overflowed by recursion."
    memory = tw.Memory()
    memory.add(
        [
            dated("cause", cause, "2023-11-02", "lib/parser.c"),
            dated("fix", fix, "2024-05-04", "lib/parser.c"),
            *filler("2023-11", "manual.txt"),
            *filler("2024-05", "manual.txt"),
        ]
    )
    hits = memory.recall("What led to this in May 2024: overflow in nested lists?", now=NOW, k=5)
    assert hits.ids[:2] == ["fix", "cause"]
    assert [step.relation for step in hits[1].path] == ["caused_by"]


def test_shared_rare_files_and_words_tie_a_memory_to_what_it_builds_on() -> None:
    memory = tw.Memory()
    memory.add(
        [
            dated("first", "lexer: tokens carry spans", "2024-01-02", "lib/lexer.c"),
            dated("second", "lexer: spans of tokens are shown in messages", "2024-05-04", "lib/lexer.c"),
            *filler("2024-03", "manual.txt"),
        ]
    )
    hits = memory.recall("What led to spans in messages in May 2024?", now=NOW, k=2)
    assert hits.ids == ["second", "first"]
    assert [step.relation for step in hits[1].path] == ["enabled_by"]


def story_of(*months: int) -> list[dict[str, Any]]:
    """A harbour strike whose memories name Keel and the ninth dock, and as many concerts and floods that do not."""
    days = [(month, day) for month in months for day in (4, 14, 24)]
    return [
        record
        for month, day in days
        for record in (
            dated(
                f"strike-{month}-{day}",
                f"Harbour strike: Keel spoke at dock nine, day {day}",
                f"2024-{month:02}-{day:02}",
            ),
            dated(f"concert-{month}-{day}", f"A concert in the park drew many, day {day}", f"2024-{month:02}-{day:02}"),
            dated(f"flood-{month}-{day}", f"The river rose at the mill again, day {day}", f"2024-{month:02}-{day:02}"),
        )
    ]


IN_MAY = [
    dated("a", "The river fell at last", "2024-05-10"),
    dated("b", "The harbour lay still", "2024-05-11"),
    dated("c", "A band played in the park", "2024-05-12"),
    dated("d", "Keel was seen at dock nine", "2024-05-13"),
    dated("e", "The mill was sold", "2024-05-14"),
]


def by_subject(texts: Sequence[str]) -> np.ndarray:
    """Vectors that all have much in common, as those of models do, and a little of their own."""
    subjects = [("harbour", "strike"), ("keel", "dock"), ("concert", "park", "band"), ("river", "mill", "flood")]
    rows = [[10.0, *(sum(word in text.lower() for word in words) for words in subjects)] for text in texts]
    return np.asarray(rows, np.float32)


@pytest.mark.parametrize("embedder", [None, by_subject], ids=["words", "vectors"])
def test_what_happened_brings_in_what_shares_the_names_of_the_story(embedder: Any) -> None:
    memory = tw.Memory(embedder=embedder)
    memory.add([*story_of(1, 2, 3, 4, 6), *IN_MAY])
    hits = memory.recall("What happened in the harbour strike in May 2024?", now=NOW, k=5)
    assert set(hits.ids[:2]) == {"b", "d"}
    assert set(hits.ids) == {"a", "b", "c", "d", "e"}


def test_a_story_is_learnt_from_what_passes_the_filters_only() -> None:
    memory = tw.Memory()
    memory.add([{**record, "tags": ["other"]} for record in story_of(1, 2, 3, 4, 6)])
    memory.add([{**record, "tags": ["mine"]} for record in IN_MAY])
    hits = memory.recall("What happened in the harbour strike in May 2024?", now=NOW, k=5, tags=["mine"])
    scores = {hit.id: hit.score for hit in hits}
    assert hits.ids[0] == "b"
    assert scores["d"] == scores["e"]


def test_what_happened_comes_before_what_weak_links_lead_to() -> None:
    memory = tw.Memory()
    memory.add(
        [dated("march", "The harbour strike: a march", "2024-05-03"), dated("mill", "The mill sold", "2024-05-09")]
    )
    memory.add([dated("later", "Wages rose", "2024-08-01"), dated("born", "The union was born", "2023-01-01")])
    memory.link("march", "later", "causes", weight=0.2)
    memory.link("born", "march", "causes", weight=1.0)
    happened = memory.recall("What happened in the harbour strike in May 2024?", now=NOW)
    assert happened.ids == ["march", "born", "mill", "later"]


def test_the_same_store_has_the_same_middle_whatever_came_and_went() -> None:
    straight, winding = tw.Memory(embedder=by_subject), tw.Memory(embedder=by_subject)
    records = [*story_of(1, 2, 3, 4, 6), *IN_MAY]
    straight.add(records)
    winding.add([dated("gone", "A concert, a flood and a strike", "2024-05-05"), *records[:7]])
    winding.recall("What happened in the flood in May 2024?", now=NOW)
    winding.delete(["gone"])
    winding.add(records[7:])
    question = "What happened in the harbour strike in May 2024?"
    ours, theirs = (memory.recall(question, now=NOW, k=20) for memory in (straight, winding))
    assert [(hit.id, hit.score) for hit in ours] == [(hit.id, hit.score) for hit in theirs]


def test_who_asks_only_for_what_led_to_something_asks_little_for_what_came_after_it() -> None:
    memory = tw.Memory(links=LinkRules(texts=False))
    memory.add(
        [
            dated("before", "A valve was left open", "2023-05-04"),
            dated("flood", "The cellar was flooded", "2024-05-04"),
            dated("after", "A pump was bought", "2024-06-04"),
            *filler("2023-11", "manual.txt"),
        ]
    )
    memory.link("flood", "before", "caused_by", weight=0.5)
    memory.link("after", "flood", "caused_by", weight=0.5)

    def reached(question: str) -> dict[str, float]:
        return {hit.id: hit.scores.get("temporal", 0.0) for hit in memory.recall(question, now=NOW, k=3)}

    scores = reached("What led to the flooded cellar in May 2024?")
    assert list(scores) == ["flood", "before", "after"]
    assert scores["after"] == pytest.approx(scores["before"] / 2)
    for question in ("What did the flooded cellar of May 2024 lead to?", "The story of the flooded cellar in May 2024"):
        scores = reached(question)
        assert scores["after"] == pytest.approx(scores["before"])
