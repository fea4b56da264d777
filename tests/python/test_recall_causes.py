"""A question without a window: what the best found caused, and came from, is found along causal links."""

import numpy as np
import pytest

import timewalk as tw

NOW = "2024-06-01"


def by_subject(texts):
    return np.asarray([[text.count("migration"), text.count("Ticket"), 1.0] for text in texts], np.float32)


def memory(**options):
    """An outage, what led to it and came of it, in words that share nothing; and others of its words."""
    mem = tw.Memory(**options)
    mem.add(
        [
            {"id": "outage", "text": "The shop was down for an hour."},
            {"id": "deploy", "text": "Version seven went live."},
            {"id": "flag", "text": "Somebody flipped a switch too early."},
            {"id": "refunds", "text": "Forty customers got their money back."},
            {
                "id": "window",
                "text": "A new window for the shop, with a blue frame and much to say of it.",
            },
            {"id": "elsewhere", "text": "Nothing to do with it."},
        ],
        now=NOW,
    )
    mem.link("flag", "deploy", "causes", weight=0.8)
    mem.link("deploy", "outage", "causes", weight=0.9)
    mem.link("outage", "refunds", "causes", weight=0.5)
    mem.link("outage", "elsewhere", "similar", weight=1.0)
    return mem


def test_causes_and_effects_come_with_the_path_to_them():
    hits = {hit.id: hit for hit in memory().recall("why was the shop down?", now=NOW)}
    assert next(iter(hits)) == "outage"
    assert {"deploy", "refunds", "flag"} <= set(hits)
    assert "elsewhere" not in hits
    assert [(step.source, step.target, step.relation) for step in hits["flag"].path] == [
        ("outage", "deploy", "caused_by"),
        ("deploy", "flag", "caused_by"),
    ]
    assert hits["outage"].path == ()
    assert "caused_by" in hits["deploy"].why()
    assert hits["deploy"].score > hits["refunds"].score
    assert hits["deploy"].ranks["cause"] == 1


def test_a_step_weighs_its_link_and_fades():
    scores = {hit.id: hit.score for hit in memory().recall("why was the shop down?", now=NOW)}
    assert scores["deploy"] == pytest.approx(scores["outage"] * 0.9 * 0.85)
    assert scores["flag"] == pytest.approx(scores["deploy"] * 0.8 * 0.85)
    assert scores["refunds"] == pytest.approx(scores["outage"] * 0.5 * 0.85)


def test_what_fits_the_question_by_itself_is_not_crowded_out():
    mem = memory()
    mem.add([{"id": f"effect {n}", "text": f"Consequence number {n}."} for n in range(30)], now=NOW)
    for n in range(30):
        mem.link("outage", f"effect {n}", "causes", weight=1.0)
    mem.add({"id": "second", "text": "The shop was down again, for a minute."}, now=NOW)
    assert set(mem.recall("when was the shop down?", k=2, now=NOW).ids) == {"outage", "second"}


def test_of_many_effects_each_is_fainter_than_what_fits_by_itself():
    mem = tw.Memory(embedder=by_subject)
    facts = ["planned in March", "needs a ledger", "goes in two steps", "costs much", "is done at night"]
    mem.add([{"id": "hub", "text": "The billing migration failed."}], now=NOW)
    mem.add([{"id": f"fact {n}", "text": f"The migration {fact}."} for n, fact in enumerate(facts)], now=NOW)
    mem.add([{"id": f"effect {n:02}", "text": f"Ticket {n} was opened."} for n in range(30)], now=NOW)
    for n in range(30):
        mem.link("hub", f"effect {n:02}", "causes")
    found = mem.recall("billing migration", k=10, now=NOW).ids
    assert found[0] == "hub"
    assert set(found[1:5]) <= {f"fact {n}" for n in range(5)}
    assert any(id.startswith("effect") for id in found)


def test_a_weight_above_one_gives_no_more_than_the_hit_has():
    mem = memory()
    mem.link("outage", "elsewhere", "causes", weight=9.0)
    scores = {hit.id: hit.score for hit in mem.recall("why was the shop down?", now=NOW)}
    assert scores["elsewhere"] == pytest.approx(scores["outage"] * 0.85)


def test_relations_of_ones_own_count_by_their_kind():
    mem = memory()
    mem.register_relation("blocks", inverse="blocked_by", kind="causal")
    mem.register_relation("next_to", inverse="next_to", kind="other")
    mem.add([{"id": "freeze", "text": "All changes stopped."}, {"id": "bakery", "text": "Bread and rolls."}], now=NOW)
    mem.link("outage", "freeze", "blocks")
    mem.link("outage", "bakery", "next_to")
    found = mem.recall("why was the shop down?", now=NOW).ids
    assert "freeze" in found
    assert "bakery" not in found


def test_filters_hold_on_every_step():
    mem = memory()
    ids = ["outage", "flag", "refunds"]
    found = mem.recall("why was the shop down?", mask=ids, now=NOW).ids
    assert set(found) == {"outage", "refunds"}  # the way to the flag leads over the deploy
    mem.invalidate("deploy", at="2024-05-01")
    assert "flag" not in mem.recall("why was the shop down?", now=NOW).ids


def test_it_can_be_left_out_and_stays_out_where_a_window_leads():
    mem = memory()
    assert "deploy" not in mem.recall("why was the shop down?", arms=("keyword", "thread"), now=NOW).ids
    hits = mem.recall("why was the shop down last week?", now=NOW)
    assert hits.window is not None
    assert not any("cause" in hit.ranks for hit in hits)


def test_context_brings_the_story_up():
    found = memory().proactive_context("They say the shop is down again.", now=NOW).ids
    assert {"outage", "deploy", "refunds"} <= set(found)


def test_nothing_is_tied_to_nothing():
    assert memory().recall("zebra", now=NOW).ids == []
    assert tw.Memory().recall("why?", now=NOW).ids == []
