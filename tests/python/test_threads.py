"""What memories gain from their thread: from the turns beside them, and from the best of all of it."""

import pytest

import timewalk as tw
from timewalk import LinkRules

NOW = "2024-06-01"
FILLER = ["I see.", "Quite so.", "Good to hear.", "Let me think.", "Right then.", "Well, well."]


def turns(thread, texts, namespace="default"):
    return [
        {"id": f"{namespace}/{thread}/{number}", "text": text, "thread": thread, "namespace": namespace}
        for number, text in enumerate(texts)
    ]


def gained(memory, query, **options):
    hits = memory.recall(query, k=50, now=NOW, **options)
    return {hit.id: hit.scores["thread"] for hit in hits if "thread" in hit.scores}


@pytest.fixture
def about():
    """Two threads that hold the same turn; only the first goes on about it, further away than neighbours reach."""
    memory = tw.Memory()
    first = ["The telescope mirror cracked.", *FILLER, "We polished the telescope again.", *FILLER]
    second = ["The telescope mirror cracked.", *FILLER, "Dinner was late.", *FILLER]
    # The faintest of what is found counts nothing, so there is one that is fainter than all in the threads.
    faint = {"id": "faint", "text": f"{' '.join(FILLER)} Somebody once had a telescope, they say, or so it seems."}
    memory.add([*turns("a", first), *turns("b", second), faint], now=NOW)
    return memory


def test_of_two_equal_turns_the_one_whose_thread_is_about_the_matter_comes_first(about):
    hits = about.recall("telescope mirror", k=2, now=NOW)
    assert hits.ids == ["default/a/0", "default/b/0"]
    assert hits[0].score > hits[1].score
    alone = about.recall("telescope mirror", k=2, now=NOW, arms=("keyword",))
    assert alone[0].score == alone[1].score


def test_the_whole_of_a_thread_counts_beside_neighbours(about):
    # Both turns have the same neighbours in reach, which say nothing: what differs comes from further away.
    gain = gained(about, "telescope mirror")
    assert gain["default/b/0"] < gain["default/a/0"]


def test_threads_of_one_name_in_two_namespaces_are_two(about):
    about.add(turns("b", ["Another telescope, another mirror.", "The telescope mirror shone."], "other"), now=NOW)
    inside = gained(about, "telescope mirror", namespace="default")
    both = gained(about, "telescope mirror")
    assert set(inside) < set(both)
    # The scale moves with what is found; which of the two threads gains more does not.
    assert inside["default/b/0"] < inside["default/a/0"]
    assert both["default/b/0"] < both["default/a/0"]


def test_memories_without_a_thread_gain_nothing():
    memory = tw.Memory()
    memory.add([{"id": f"m{n}", "text": f"The telescope mirror, part {n}"} for n in range(3)], now=NOW)
    assert gained(memory, "telescope mirror") == {}


@pytest.mark.parametrize("reopened", [False, True])
def test_the_gain_is_the_same_after_reopening_and_whatever_came_in_between(tmp_path, reopened):
    path = tmp_path / "threads.tw"
    texts = ["The telescope mirror cracked.", *FILLER, "We polished the telescope again."]
    with tw.Memory(path) as memory:
        memory.add(turns("z", ["gone soon"]) + turns("a", texts), now=NOW)
        memory.recall("telescope", now=NOW)
        memory.delete(["default/z/0"])
        memory.add(turns("b", texts[:3]), now=NOW)
        expected = gained(memory, "telescope mirror")
    if reopened:
        with tw.Memory(path) as memory:
            assert gained(memory, "telescope mirror") == expected
    fresh = tw.Memory()
    fresh.add(turns("a", texts) + turns("b", texts[:3]), now=NOW)
    assert gained(fresh, "telescope mirror") == expected


def test_without_links_in_threads_nothing_is_gained(about):
    memory = tw.Memory(links=LinkRules(threads=False))
    memory.add(turns("a", ["The telescope mirror cracked.", "We polished the telescope."]), now=NOW)
    assert gained(memory, "telescope mirror") == {}
