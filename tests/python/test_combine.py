"""What the arms have to say beside each other."""

from __future__ import annotations

from typing import Any

import pytest

import timewalk as tw

NOW = "2024-07-01"


def mentioned(name: str, count: int) -> list[dict[str, Any]]:
    """Memories that mention a person."""
    return [{"id": f"{name}-{n}", "text": f"Note {n} on {name}"} for n in range(count)]


def others(count: int) -> list[dict[str, Any]]:
    return [{"id": f"other-{n}", "text": f"The harvest of field {n} was brought in"} for n in range(count)]


def asked(question: str, records: list[dict[str, Any]], **given: Any) -> tw.Hits:
    with tw.Memory() as memory:
        memory.add(records, now=NOW)
        return memory.recall(question, now=NOW, k=5, **given)


def test_a_name_that_few_memories_mention_counts_as_much_as_words() -> None:
    records = [
        *mentioned("Ada Lark", 1),
        {"id": "rain", "text": "Rain spoilt barley and oats by the mill"},
        *others(40),
    ]
    question = "Did rain spoil the barley and oats by the mill for Ada Lark?"
    # Of two that hold words of the question the last counts 0, and the name alone speaks for it.
    hits = asked(question, records)
    assert hits.ids[:2] == ["rain", "Ada Lark-0"]
    assert hits[1].score == pytest.approx(hits[0].score / 2)
    assert asked(question, records, arms="keyword")[1].score == 0


@pytest.mark.parametrize("count", [26, 60])
def test_a_name_that_many_memories_mention_has_no_say_beside_words(count: int) -> None:
    question = "What did Ben Holt note on the harvest of field 7?"
    records = [*mentioned("Ben Holt", count), *others(40)]
    hits = asked(question, records)
    without = asked(question, records, arms=("keyword", "thread", "title"))
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in without]


def test_a_name_that_many_memories_mention_is_followed_where_there_are_no_words() -> None:
    hits = asked("Ben Holt", mentioned("Ben Holt", 60), arms="graph")
    assert len(hits) == 5
    assert all(set(hit.ranks) == {"graph"} for hit in hits)
