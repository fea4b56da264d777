"""Links to memories whose title a text names, and what recall makes of them."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import timewalk as tw
from timewalk.ingest.inference import LinkRules
from timewalk.ingest.titles import TitleLinks, title_links, title_of

PASSAGES = [
    {"id": "film", "text": "The Silver Harbour\nThe Silver Harbour is a 1962 drama directed by Mara Ostrow."},
    {"id": "director", "text": "Mara Ostrow\nMara Ostrow (1921-1999) was born in Tallinn to Lena Ostrow, a pianist."},
    {"id": "other", "text": "The Golden Harbour\nThe Golden Harbour is a 1962 comedy about a director and a pianist."},
    {"id": "town", "text": "Tallinn\nTallinn is the capital of Estonia."},
]


def links(texts: list[str], namespaces: list[str] | None = None) -> set[tuple[str, str]]:
    columns = {"id": [str(row) for row in range(len(texts))], "text": texts}
    if namespaces is not None:
        columns["namespace"] = namespaces
    table = title_links(pa.table(columns))
    assert set(table["relation"].to_pylist()) <= {"mentions"}
    assert set(table["origin"].to_pylist()) <= {"title"}
    assert all(0 < weight <= 1 for weight in table["weight"].to_pylist())
    return set(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Mara Ostrow\nA director.", "Mara Ostrow"),
        ("上海大学\n位于上海。", "上海大学"),
        ("  Room 101 \nA room.", "Room 101"),
        ("This is a sentence.\nAnd another one.", None),
        ("Hello,\nhow are you?", None),
        ("Mara Ostrow", None),
        ("Mara Ostrow\n \n", None),
        ("\nMara Ostrow", None),
        ("Yesterday\nall was well", None),
        ("word " * 13 + "\nrest", None),
        ("", None),
    ],
)
def test_a_title_is_a_short_first_line_that_is_no_sentence(text: str, title: str | None) -> None:
    assert title_of(text) == title


def test_naming_a_title_links_to_its_memory_only() -> None:
    texts = [
        "Mara Ostrow\nBorn in Tallinn.",
        "By mara  ostrow, in 1962.",
        "MARA OSTROWSKI was another.",
        "Tallinn\nA town.",
    ]
    assert links(texts) == {("1", "0"), ("0", "3")}


def test_what_stands_in_brackets_behind_a_title_may_be_missing() -> None:
    assert links(["Lilu (mythology)\nA demon.", "Ardat was a lilu by night."]) == {("1", "0")}


def test_a_heading_that_many_share_is_no_title() -> None:
    same = [f"Meeting Notes\nOf day {day}." for day in range(9)]
    assert links([*same, "See the meeting notes."]) == set()


def test_namespaces_are_not_crossed() -> None:
    texts = ["Mara Ostrow\nA director.", "By Mara Ostrow.", "By Mara Ostrow too."]
    assert links(texts, ["a", "b", "a"]) == {("2", "0")}


def test_what_everything_names_weighs_little() -> None:
    texts = ["Estonia\nA country.", "Tallinn\nIn Estonia.", *(f"Number {row} of Estonia" for row in range(6)), "Else"]
    table = title_links(pa.table({"id": [str(row) for row in range(9)], "text": texts}))
    assert table["weight"].to_pylist() == pytest.approx([math.log(16 / 8) / math.log(16)] * 7)


def test_no_titles_no_links() -> None:
    assert links([]) == set()
    assert links(["one turn", "another turn"]) == set()


def test_what_comes_and_goes_leaves_the_links_of_what_is_there() -> None:
    texts = ["Mara Ostrow\nA director.", "By Mara Ostrow of Tallinn.", "Tallinn\nA town of Mara Ostrow.", "Else"]
    kept = TitleLinks()
    links: dict[tuple[int, int], float] = {}
    for gone, come in (([], [1]), ([], [0, 3]), ([0], []), ([], [2]), ([1], [1]), ([], [0]), ([3], [])):
        spaces = pa.array(["default"] * len(come))
        new = pa.array([texts[at] for at in come], pa.string())
        lost = kept.update(np.asarray(gone, np.int64), np.asarray(come, np.int64), spaces, new)
        out, into, source, target, weight = (column.to_pylist() for column in lost)
        for ends in zip(out, into, strict=True):
            del links[ends]
        links.update(dict(zip(zip(source, target, strict=True), weight, strict=True)))
    here = title_links(pa.table({"id": ["0", "1", "2"], "text": texts[:3]})).to_pylist()
    assert links == {(int(link["source"]), int(link["target"])): link["weight"] for link in here}
    assert set(links) == {(1, 0), (1, 2), (2, 0)}


def test_the_second_step_of_a_question_is_found() -> None:
    question = "Who is the mother of the director of The Silver Harbour?"
    memory = tw.Memory()
    memory.add(PASSAGES)
    hits = memory.recall(question, k=2, now="2024-01-01")
    assert hits.ids == ["film", "director"]
    assert hits[1].scores["title"] > 0
    without = memory.recall(question, k=2, now="2024-01-01", arms=["keyword", "graph", "temporal", "thread"])
    assert "title" not in without[0].scores
    plain = tw.Memory(links=LinkRules(titles=False))
    plain.add(PASSAGES)
    assert all("title" not in hit.scores for hit in plain.recall(question, now="2024-01-01"))


def test_filters_hold_on_the_second_step() -> None:
    memory = tw.Memory()
    memory.add([{**passage, "tags": [] if passage["id"] == "director" else ["seen"]} for passage in PASSAGES])
    hits = memory.recall("Who directed The Silver Harbour?", now="2024-01-01", tags="seen")
    assert "director" not in hits.ids
