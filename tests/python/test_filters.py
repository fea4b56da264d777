"""Filters: each holds on seeds, hops and hits, for every way in, and k hits come when k exist."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import timewalk as tw
from timewalk.recall.filters import Filters, Masks

NOW = "2024-12-01"
START = datetime(2024, 1, 1, tzinfo=UTC)
COUNT = 1500
RARE = 100  # one in so many passes a rare filter


def hashed(texts):
    """A tiny embedder: letters counted."""
    return [[text.count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


def record(number: int) -> dict[str, Any]:
    rare = number % RARE == 7
    time = START + timedelta(hours=5 * number)
    return {
        "id": f"m{number:04d}",
        "text": f"The {('server', 'printer', 'lift')[number % 3]} of hall {number % 11} failed, report {number}",
        "namespace": "ops",
        "fact_type": "incident" if rare else "note",
        "tags": ["all", *(["rare", "red"] if rare else ["common"]), *(["odd"] if number % 2 else [])],
        "author": "Ada Lovelace" if rare else "Charles Babbage",
        "thread": "t-rare" if rare else f"t{number % 20}",
        "occurred_start": time if number % 4 else None,
        "mentioned_at": time + timedelta(days=400) if rare else None,
        "created_at": time,
        "caused_by": [f"m{number - 1:04d}"] if number else [],
    }


RECORDS = [record(number) for number in range(COUNT)]
RARE_IDS = [one["id"] for one in RECORDS if "rare" in one["tags"]]


@pytest.fixture(scope="module", params=[None, hashed], ids=["no embedder", "embedder"])
def memory(request):
    with tw.Memory(embedder=request.param) as made:
        made.add(RECORDS, now=NOW)
        yield made


def when(column: str, start: datetime | None, end: datetime | None):
    return lambda one: (
        one[column] is not None and (start is None or start <= one[column]) and (end is None or one[column] < end)
    )


MARCH, APRIL = datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 4, 1, tzinfo=UTC)
FILTERS: dict[str, tuple[dict[str, Any], Any]] = {
    "fact_type": ({"fact_type": "incident"}, lambda one: one["fact_type"] == "incident"),
    "tags": ({"tags": ["rare", "unheard of"]}, lambda one: "rare" in one["tags"]),
    "tags_all": ({"tags_all": ["rare", "odd"]}, lambda one: {"rare", "odd"} <= set(one["tags"])),
    "tags_none": ({"tags_none": ["common", "gone"]}, lambda one: "common" not in one["tags"]),
    "tags, all kinds": (
        {"tags": ["rare", "common"], "tags_all": "all", "tags_none": "odd"},
        lambda one: "odd" not in one["tags"],
    ),
    "author": ({"author": "ada  LOVELACE"}, lambda one: one["author"] == "Ada Lovelace"),
    "thread": ({"thread": ["t-rare"]}, lambda one: one["thread"] == "t-rare"),
    "occurred_start": (
        {"times": {"occurred_start": (MARCH, APRIL)}},
        when("occurred_start", MARCH, APRIL),
    ),
    "mentioned_at, open": ({"times": {"mentioned_at": (None, None)}}, when("mentioned_at", None, None)),
    "mentioned_at, from": ({"times": {"mentioned_at": ("2025-06-01", None)}},
                           when("mentioned_at", datetime(2025, 6, 1, tzinfo=UTC), None)),
    "created_at, until": ({"times": {"created_at": (None, "2024-02")}},
                          when("created_at", None, datetime(2024, 2, 1, tzinfo=UTC))),
    "as_of": ({"as_of": "2024-02-01"}, lambda one: one["created_at"] <= datetime(2024, 2, 1, tzinfo=UTC)),
    "mask of ids": ({"mask": RARE_IDS}, lambda one: one["id"] in RARE_IDS),
    "mask of booleans": (
        {"mask": np.asarray([one["id"] in RARE_IDS for one in RECORDS])},
        lambda one: one["id"] in RARE_IDS,
    ),
    "mask, Arrow": (
        {"mask": pa.array([one["id"] in RARE_IDS for one in RECORDS])},
        lambda one: one["id"] in RARE_IDS,
    ),
    "several": (
        {"author": "Ada Lovelace", "tags_none": "odd", "as_of": "2024-09-01"},
        lambda one: (
            one["author"] == "Ada Lovelace"
            and "odd" not in one["tags"]
            and one["created_at"] <= datetime(2024, 9, 1, tzinfo=UTC)
        ),
    ),
}  # fmt: skip
QUESTIONS = ["which report says that the server failed?", "what failed in March 2024?", "Ada Lovelace", "report 707"]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("given", "passes"), FILTERS.values(), ids=FILTERS)
def test_a_filter_holds_on_hits_paths_and_anchors(memory, given, passes, question):
    allowed = {one["id"] for one in RECORDS if passes(one)}
    hits = memory.recall(question, k=10, now=NOW, **given)
    assert set(hits.ids) <= allowed
    for hit in hits:
        assert {end for step in hit.path for end in (step.source, step.target)} <= allowed
    assert set(memory.proactive_context(question, k=10, now=NOW, **given).ids) <= allowed


@pytest.mark.parametrize(("given", "passes"), FILTERS.values(), ids=FILTERS)
def test_a_rare_filter_leaves_k_hits_when_k_exist(memory, given, passes):
    wanted = {one["id"] for one in RECORDS if passes(one)}
    # Every text holds these words, so every memory that passes could be found.
    hits = memory.recall("failed report of the hall", k=10, now=NOW, **given)
    assert len(hits) == min(10, len(wanted))


def test_a_filtered_keyword_search_is_the_unfiltered_one_without_the_rest(memory):
    everything = memory.recall("server hall 7 report", k=COUNT, now=NOW, arms="keyword")
    some = memory.recall("server hall 7 report", k=COUNT, now=NOW, arms="keyword", author="Ada Lovelace")
    expected = [(hit.id, hit.scores["keyword"]) for hit in everything if hit.id in set(RARE_IDS)]
    assert [(hit.id, hit.scores["keyword"]) for hit in some] == expected
    assert len(some) == len(RARE_IDS)


def test_the_store_as_it_was():
    with tw.Memory() as memory:
        memory.add({"id": "porto", "text": "the office is in Porto", "created_at": "2024-01-01"})
        memory.add({"id": "lisbon", "text": "the office is in Lisbon", "created_at": "2024-06-01"})
        memory.invalidate("porto", at="2024-06-01")
        assert memory.recall("office", now=NOW).ids == ["lisbon"]
        assert memory.recall("office", now=NOW, as_of="2024-05-31").ids == ["porto"]
        assert memory.recall("office", now=NOW, as_of="2024-06-01").ids == ["lisbon"]
        assert memory.recall("office", now=NOW, as_of="2023-12-31").ids == []
        at = {"as_of": "2024-06-01T00:30", "now": NOW}
        assert memory.recall("office", tz="Europe/Lisbon", **at).ids == ["porto"]
        assert memory.recall("office", tz="UTC", **at).ids == ["lisbon"]


def test_a_window_hangs_on_no_event_that_a_filter_hides():
    with tw.Memory() as memory:
        memory.add(
            [
                {"id": "a", "text": "checkout outage", "occurred_start": "2024-04-02", "tags": ["shop"]},
                {"id": "b", "text": "a launch", "occurred_start": "2024-03-28", "tags": ["other"]},
            ]
        )
        question = "What happened in the week before the checkout outage?"
        assert memory.recall(question, now=NOW).window.anchor == "a"
        assert memory.recall(question, now=NOW, tags="other").window is None


def test_the_order_of_a_boolean_mask_is_that_of_ids(memory):
    assert memory.ids == [one["id"] for one in RECORDS]
    mask = np.zeros(COUNT, np.bool_)
    mask[memory.ids.index("m0003")] = True
    assert memory.recall("server", now=NOW, mask=mask).ids == ["m0003"]
    assert memory.recall("server", now=NOW, mask=~mask, k=COUNT).ids.count("m0003") == 0
    assert memory.recall("server", now=NOW, mask=[]).ids == []
    assert memory.recall("server", now=NOW, mask=np.zeros(COUNT, np.bool_)).ids == []


def test_the_order_of_a_boolean_mask_holds_after_changes():
    with tw.Memory() as memory:
        memory.add([{"id": id, "text": f"server {id}"} for id in "abcde"])
        memory.recall("server")
        memory.delete(["b", "d"])
        memory.add([{"id": "d", "text": "server d, anew"}, {"id": "f", "text": "server f"}])
        memory.add({"id": "a", "text": "server a, changed"})
        memory.invalidate("e", at="2024-01-01")
        assert sorted(memory.ids) == list("acdef")
        for id in "acdf":
            assert memory.recall("server", now=NOW, mask=[one == id for one in memory.ids]).ids == [id]
        assert memory.recall("server", now=NOW, mask=[one == "e" for one in memory.ids]).ids == []
        with pytest.raises(tw.UnknownIdError, match="'b'"):
            memory.recall("server", now=NOW, mask=["b"])
        memory.close()
        with pytest.raises(tw.ClosedError):
            _ = memory.ids


def test_kept_masks_are_those_of_the_table_and_few():
    masks = Masks()
    tables = [
        pa.table({"thread": ["a", "b", None], "invalid_at": pa.nulls(3, pa.int64())}),
        pa.table({"thread": ["b", "b", "a"], "invalid_at": pa.nulls(3, pa.int64())}),
    ]
    for _ in range(3):
        for table in tables:
            for wanted in (["a"], ["b"], ["a", "b"], ["c"]):
                given = Filters.of({"thread": wanted}, now=0)
                expected = [thread in wanted for thread in table["thread"].to_pylist()]
                assert given.mask(table, masks).tolist() == given.mask(table).tolist() == expected
    for number in range(100):
        assert not Filters.of({"thread": str(number)}, now=0).mask(tables[0], masks).any()
    assert len(masks._made) <= 32


def test_masks_that_fit_nothing_are_errors_that_say_why(memory):
    with pytest.raises(tw.UnknownIdError, match="nobody"):
        memory.recall("server", mask=["m0001", "nobody"])
    with pytest.raises(tw.InvalidValueError, match="1500 memories"):
        memory.recall("server", mask=[True, False])


WRONG: dict[str, list[tuple[Any, type[tw.TimewalkError]]]] = {
    **{
        name: [(5, tw.InvalidTypeError), ([5], tw.InvalidTypeError), ([], tw.InvalidValueError)]
        for name in ("namespace", "fact_type", "tags", "tags_all", "tags_none", "author", "thread")
    },
    "times": [
        ("2024", tw.InvalidTypeError),
        ({}, tw.InvalidValueError),
        ({"born": (None, None)}, tw.InvalidValueError),
        ({"created_at": "2024"}, tw.InvalidTypeError),
        ({"created_at": ("2024", "2025", "2026")}, tw.InvalidTypeError),
        ({"created_at": ("2025", "2024")}, tw.InvalidValueError),
        ({"created_at": (17, None)}, tw.InvalidTypeError),
        ({"created_at": ("soon", None)}, tw.InvalidValueError),
    ],
    "as_of": [(17, tw.InvalidTypeError), ("soon", tw.InvalidValueError)],
    "mask": [
        ("m0001", tw.InvalidTypeError),
        (5, tw.InvalidTypeError),
        ([5], tw.InvalidTypeError),
        ([True, "m0001"], tw.InvalidTypeError),
        (np.ones((2, 2), np.bool_), tw.InvalidTypeError),
    ],
}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [(name, value, error) for name, values in WRONG.items() for value, error in values],
)
def test_wrong_filters_are_typed_errors_that_name_themselves(memory, name, value, error):
    for call in (memory.recall, memory.proactive_context, lambda text, **given: memory.recall_many([text], **given)):
        with pytest.raises(error, match=name):
            call("server", **{name: value})


def test_every_filter_is_covered_here():
    assert set(WRONG) == set(tw.FilterOptions.__annotations__)


def test_a_filter_that_does_not_exist_opens_nothing(memory):
    for call in (memory.recall, memory.proactive_context, lambda text, **given: memory.recall_many([text], **given)):
        with pytest.raises(tw.InvalidTypeError, match="name_space"):
            call("server", name_space="ops")
