"""All rules together, and each alone."""

import pyarrow as pa
import pytest

import timewalk as tw
from timewalk import UnknownIdError
from timewalk.ingest.inference import LinkRules
from timewalk.ingest.links import SCHEMA
from timewalk.ingest.records import to_table

OFF = dict.fromkeys(("threads", "times", "texts", "titles", "mentions", "co_occurrence"), False)
MEMORIES = to_table(
    [
        {"id": "a", "text": "flow: add a parser", "thread": "t", "occurred_start": "2024-01-01"},
        {"id": "b", "text": "flow: fix the parser", "thread": "t", "occurred_start": "2024-01-02"},
        {"id": "c", "text": "docs: spelling of Side Notes", "mentioned_at": "2024-01-03"},
        {"id": "d", "text": "Side Notes\nNothing of weight", "occurred_start": "2024-01-03"},
    ]
)
MENTIONS = pa.table({"memory": ["b", "a", "a"], "entity": ["e:flow.c", "e:flow.c", "e:api.c"]})


def extractor(memories):
    return pa.table({"source": ["d"], "target": ["a"], "relation": ["enables"]})


@pytest.mark.parametrize(
    ("rule", "origins"),
    [
        ({"threads": True}, {"thread"}),
        ({"times": True}, {"time"}),
        ({"texts": True}, {"text:fix", "text:shared"}),
        ({"titles": True}, {"title"}),
        ({"mentions": True}, {"mention"}),
        ({"co_occurrence": True}, {"co_occurrence"}),
        ({"extractors": (extractor,)}, {"extractor"}),
    ],
)
def test_each_rule_can_be_switched_and_names_itself(rule, origins):
    links = LinkRules(**{**OFF, **rule}).infer(MEMORIES, MENTIONS)
    assert links.schema == SCHEMA
    assert set(links["origin"].to_pylist()) == origins


def test_all_rules_are_on_and_the_order_of_mentions_does_not_matter():
    links = LinkRules().infer(MEMORIES, MENTIONS)
    texts = {"text:fix", "text:shared"}
    assert set(links["origin"].to_pylist()) == {"thread", "time", *texts, "title", "mention", "co_occurrence"}
    shuffled = LinkRules(mentions=False).infer(MEMORIES, MENTIONS.take([2, 0, 1]))
    assert shuffled.equals(LinkRules(mentions=False).infer(MEMORIES, MENTIONS))
    timed = {row["source"] for row in links.to_pylist() if row["origin"] == "time"}
    assert timed == {"a", "b", "c", "d"}


def test_nothing_in_nothing_out_and_unknown_memories_are_errors():
    empty = LinkRules().infer(MEMORIES.slice(0, 0), MENTIONS.slice(0, 0))
    assert empty.num_rows == 0
    assert LinkRules(**OFF).infer(MEMORIES, MENTIONS).num_rows == 0
    with pytest.raises(UnknownIdError, match="row 0"):
        LinkRules().infer(MEMORIES.slice(2), MENTIONS)


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ({"threads": "no"}, tw.InvalidTypeError),
        ({"times": 1}, tw.InvalidTypeError),
        ({"time_fallback": "someday"}, tw.InvalidValueError),
        ({"extractors": extractor}, tw.InvalidTypeError),
        ({"extractors": ("extractor",)}, tw.InvalidTypeError),
    ],
)
def test_rules_say_what_they_take(rule, error):
    with pytest.raises(error, match=next(iter(rule))):
        LinkRules(**rule)


def test_an_extractor_that_fails_is_left_out_and_hits_say_so():
    def broken(memories):
        raise RuntimeError("no luck")

    def astray(memories):
        return pa.table({"source": ["d"], "target": ["nobody"], "relation": ["causes"]})

    memory = tw.Memory(links=LinkRules(extractors=(broken, extractor, astray)))
    memory.add([{"id": "a", "text": "A parser."}, {"id": "d", "text": "Notes on weight."}])
    hits = memory.recall("parser", now="2024-02-01")
    assert {"a", "d"} == set(hits.ids)
    assert any("RuntimeError: no luck" in note for note in hits.notes)
    assert any("nobody" in note for note in hits.notes)
