"""Arguments of the wrong type, for all of Memory but what is asked: typed errors, and nothing is done."""

from __future__ import annotations

import pytest

import timewalk as tw

NOT_IDS = [5, None, b"a", {"a": 1}, [5], [None], ["a", 1.5]]
NOT_TIMES = [5, None, 1.5, ["2024"]]
CALLS = {
    **{f"delete {wrong!r}": (lambda m, w=wrong: m.delete(w), "id") for wrong in NOT_IDS},
    **{f"touch {wrong!r}": (lambda m, w=wrong: m.touch(w, now="2024"), "id") for wrong in NOT_IDS},
    **{f"invalidate {wrong!r}": (lambda m, w=wrong: m.invalidate(w, at="2024"), "id") for wrong in NOT_IDS},
    **{f"touch now {wrong!r}": (lambda m, w=wrong: m.touch("a", now=w), "time") for wrong in NOT_TIMES},
    **{
        f"invalidate at {wrong!r}": (lambda m, w=wrong: m.invalidate("a", at=w), "time")
        for wrong in NOT_TIMES
        if wrong is not None  # which takes an invalidation back
    },
    **{f"add {wrong!r}": (lambda m, w=wrong: m.add(w), "record") for wrong in (5, None, [5], [["a"]], b"x", [None])},
    "add text": (lambda m: m.add({"text": 5}), "text"),
    "add tz": (lambda m: m.add({"text": "x"}, tz=5), "zone"),
    "add now": (lambda m: m.add({"text": "x"}, now=5), "time"),
    "add progress": (lambda m: m.add({"text": "x"}, progress=5), "progress"),
    "link source": (lambda m: m.link(5, "b", "causes"), "source"),
    "link source list": (lambda m: m.link(["a"], "b", "causes"), "source"),
    "link target": (lambda m: m.link("a", None, "causes"), "target"),
    "link relation": (lambda m: m.link("a", "b", 5), "relation"),
    "link weight": (lambda m: m.link("a", "b", "causes", weight=None), "weight"),
    **{f"link_many {wrong!r}": (lambda m, w=wrong: m.link_many(w), "links") for wrong in (5, None, "a", [1])},
    "relation name": (lambda m: m.register_relation(5), "name"),
    "relation inverse": (lambda m: m.register_relation("r", inverse=5), "inverse"),
    "relation boost": (lambda m: m.register_relation("r", boost="much"), "boost"),
    **{f"save {wrong!r}": (lambda m, w=wrong: m.save(w), "path") for wrong in (5, None, b"x")},
    **{f"path {wrong!r}": (lambda m, w=wrong: tw.Memory(w), "path") for wrong in (5, b"x", 1.5, ["x"])},
    "embedder": (lambda m: tw.Memory(embedder=5), "embedder"),
    **{f"extractor {wrong!r}": (lambda m, w=wrong: tw.Memory(extractor=w), "extractor") for wrong in (5, dict, ["x"])},
    **{f"links {wrong!r}": (lambda m, w=wrong: tw.Memory(links=w), "links") for wrong in (5, True, {})},
}


@pytest.mark.parametrize(("call", "word"), CALLS.values(), ids=CALLS)
def test_wrong_types_are_typed_errors(call, word):
    with tw.Memory() as memory:
        memory.add([{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])
        before = memory._store.change()
        with pytest.raises(tw.InvalidTypeError) as caught:
            call(memory)
        assert word in str(caught.value)
        assert isinstance(caught.value, TypeError)
        assert memory._store.change() == before


def test_what_is_no_id_is_not_in_the_memory():
    with tw.Memory() as memory:
        memory.add({"id": "5", "text": "x"})
        assert "5" in memory
        assert not {5, None, ("5",)} & {id for id in (5, None, ("5",)) if id in memory}
        assert ["5"] not in memory


def test_vectors_are_looked_at_even_where_there_are_none_to_compare():
    with tw.Memory() as memory:
        memory.add({"id": "a", "text": "x"})
        with pytest.raises(tw.InvalidTypeError, match="query_vector"):
            memory.recall("x", query_vector="abc")
        assert memory.recall("x", query_vector=[1.0]).ids == ["a"]
