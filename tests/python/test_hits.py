"""What hits say of themselves: reasons as text and dict, short texts in a terminal, the picture and the page."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import timewalk as tw
from timewalk.recall.hits import Hit, Hits, Step
from timewalk.recall.picture import svg

NOW = "2024-12-01"
SVG = "{http://www.w3.org/2000/svg}"
EVENTS = [
    {"id": "plan", "text": "The team planned the move", "occurred_start": "2024-01", "occurred_end": "2024-01"},
    {"id": "move", "text": "The database moved", "occurred_start": "2024-03-02", "caused_by": ["plan"]},
    {"id": "outage", "text": "An outage <of> the shop & more", "occurred_start": "2024-03-05", "caused_by": ["move"]},
    {"id": "fix", "text": "The pool was made larger", "occurred_start": "2024-04-02", "caused_by": ["outage"]},
    {"id": "note", "text": "A note about the outage", "author": "Ada"},
]


@pytest.fixture(scope="module")
def hits():
    with tw.Memory() as memory:
        memory.add(EVENTS, now="2024-06-01")
        return memory.recall(
            "what does Ada say about the outage in March 2024?", now=NOW, engine=tw.HalfLife(timedelta(days=90))
        )


def by_id(hits):
    return {hit.id: hit for hit in hits}


# Reasons ---------------------------------------------------------------------------------------------------------


def test_reasons_in_words(hits):
    found = by_id(hits)
    plan = found["plan"].why()
    assert plan.startswith(f"score {found['plan'].score:.4g}\n")
    assert "temporal: rank " in plan
    assert "path: outage ─caused_by 1→ move ─caused_by 1→ plan" in plan
    assert "activation: " in plan
    assert "nearness to the window: " in plan
    assert "part of the score that the window gave: " in plan
    assert "temporal weight: " in plan
    assert "seed of the walk" in found["outage"].why()
    assert "its author is named in the question: 1" in found["note"].why()
    assert "seed" not in found["note"].why()
    whole = hits.why()
    assert whole.startswith("what does Ada say about the outage in March 2024?\nwindow: 2024-03 (month)\n1. ")
    assert all(f"{rank}. {hit.id}\n" in whole for rank, hit in enumerate(hits, 1))
    assert "note: no embedder" in whole


def test_reasons_as_a_dict(hits):
    told = json.loads(json.dumps(hits.explain(), allow_nan=False))
    assert told["question"] == hits.query
    assert told["now"] == "2024-12-01T00:00:00Z"
    assert told["window"] == {
        "start": "2024-03-01T00:00:00Z",
        "end": "2024-04-01T00:00:00Z",
        "grain": "month",
        "text": hits.window.text,
        "span": list(hits.window.span),
        "margin_seconds": 0.0,
        "anchor": None,
    }
    assert "March 2024" in told["window"]["text"]
    assert hits.query[slice(*told["window"]["span"])] == told["window"]["text"]
    assert [one["id"] for one in told["hits"]] == hits.ids
    plan = next(one for one in told["hits"] if one["id"] == "plan")
    assert plan == {"rank": plan["rank"], **by_id(hits)["plan"].explain()}
    assert plan["seed"] == "outage"
    assert [step["relation"] for step in plan["path"]] == ["caused_by", "caused_by"]
    assert plan["arms"]["temporal"]["rank"] >= 1
    assert set(plan["factors"]) == {"fit", "window", "decay"}
    assert 0 < plan["activation"] < 1
    note = next(one for one in told["hits"] if one["id"] == "note")
    assert note["seed"] is None
    assert note["factors"]["author"] == 1.0


def test_everything_as_a_dict(hits):
    told = json.loads(json.dumps(hits.to_dict(), allow_nan=False))
    for reasons, whole in zip(hits.explain()["hits"], told["hits"], strict=True):
        assert reasons.items() <= whole.items()
    assert {one["id"]: one["occurred_end"] for one in told["hits"]}["plan"] == "2024-02-01T00:00:00Z"
    assert hits[0].to_dict() == hits.to_dicts()[0]
    assert hits[0].to_dict()["metadata"] == {}
    table = pa.table(hits)
    assert table["activation"].to_pylist() == [hit.activation for hit in hits]
    assert dict(table["factors"][0].as_py()) == hits[0].factors


# Texts -----------------------------------------------------------------------------------------------------------


def test_print_is_short_and_readable(hits):
    lines = str(hits).splitlines()
    assert lines[0] == hits.query
    assert lines[1] == "window: 2024-03 (month)"
    assert len(lines) == 2 + len(hits) + len(hits.notes)
    for rank, (line, hit) in enumerate(zip(lines[2:], hits, strict=False), 1):
        assert line.split()[:2] == [str(rank), f"{hit.score:.3f}"]
    assert "2024-01 " in str(hits)
    assert max(map(len, lines)) <= 110
    long = Hits((Hit("a", "word " * 1000, 0.5),), "q " * 1000, datetime(2024, 1, 1, tzinfo=UTC))
    assert max(map(len, str(long).splitlines())) <= 110
    assert len(repr(long)) < 200
    assert len(repr(long[0])) < 200


def test_repr_names_the_answer(hits):
    assert repr(hits).startswith(f"<Hits: {len(hits)} for 'what does Ada say")
    assert "window 2024-03 (month)" in repr(hits)
    assert repr(hits[0]).startswith(f"<Hit {hits[0].id!r}, score ")
    nothing = Hits((), "", datetime(2024, 1, 1, tzinfo=UTC))
    assert repr(nothing) == "<Hits: 0 for '', window none in the question>"
    assert str(nothing) == "(no question)\nwindow: none in the question"


def test_rich_shows_a_table(hits):
    console = Console(file=io.StringIO(), width=100)
    console.print(hits)
    assert "An outage <of> the shop & more" in console.file.getvalue()


# Picture and page ------------------------------------------------------------------------------------------------


def drawn(hits):
    return ElementTree.fromstring(svg(hits))


def test_the_picture_has_a_row_a_hit_in_the_order_of_time(hits):
    root = drawn(hits)
    rows = root.findall(f"{SVG}g")
    order = sorted(hits, key=lambda hit: (hit.when is None, hit.when, hit.id))
    assert [row.find(f"{SVG}title").text.splitlines()[2] for row in rows] == [hit.id for hit in order]
    dots = [row.find(f"{SVG}circle") for row in rows if row.find(f"{SVG}circle") is not None]
    across = [float(dot.get("cx")) for dot in dots]
    down = [float(dot.get("cy")) for dot in dots]
    assert across == sorted(across)
    assert down == sorted(down)
    assert [dot.get("class") for dot in dots] == ["before", "inside", "inside", "after"]
    assert rows[0].find(f"{SVG}rect") is not None
    assert any("undated" in "".join(row.itertext()) for row in rows)
    left, width = (float(root.find(f"{SVG}rect[@class='window']").get(name)) for name in ("x", "width"))
    inside = [x for x, dot in zip(across, dots, strict=True) if dot.get("class") == "inside"]
    assert all(left <= x < left + width for x in inside)
    assert across[0] < left
    assert across[-1] >= left + width
    height = float(root.get("height"))
    assert max(down) < height


def test_links_point_from_cause_to_consequence(hits):
    titles = [path.find(f"{SVG}title").text for path in drawn(hits).findall(f"{SVG}path") if len(path)]
    assert sorted(titles) == [
        "move causes outage, weight 1",
        "outage causes fix, weight 1",
        "plan causes move, weight 1",
    ]


def test_ticks_are_dates_with_room_between(hits):
    root = drawn(hits)
    labels = [text for text in root.findall(f"{SVG}text") if text.get("text-anchor") == "middle"]
    places = sorted(float(label.get("x")) for label in labels)
    assert all(second - first >= 70 for first, second in pairwise(places))
    assert {"2024-03-01", "2024-04-01"} <= {label.text for label in labels}


class Checker(HTMLParser):
    """Follows tags as they open and close, and notes what points elsewhere."""

    VOID = ("meta", "br")

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.links, self.text = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href", "onclick", "onload")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def checked(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    assert checker.links == []
    assert not {"script", "link", "img", "iframe", "object", "foreignobject"} & set(checker.seen)
    assert "@import" not in html
    assert re.findall(r"url\((?!#timewalk-)", html) == []
    assert set(re.findall(r"https?://[^\"]+", html)) <= {"http://www.w3.org/2000/svg"}
    return checker


def test_a_page_of_its_own(hits):
    page = hits.to_html()
    checker = checked(page)
    assert page.startswith("<!DOCTYPE html>")
    assert "prefers-color-scheme:dark" in page
    assert checker.seen.count("svg") == 1
    assert checker.seen.count("tr") == len(hits) + 1
    for hit in hits:
        assert hit.text in checker.text
        assert hit.why() in checker.text
    assert "no embedder" in checker.text


def test_a_notebook_shows_the_same_in_its_own_colours(hits):
    part = hits._repr_html_()
    checker = checked(part)
    assert "svg" in checker.seen
    assert not {"html", "body", "head"} & set(checker.seen)
    assert not re.search(r"[^-\w.]body\{|background:#", part)


EVIL = [
    "<script>alert(1)</script>",
    "</title></svg><img src=x onerror=alert(1)>",
    "]]> & < > \" ' `",
    "\x00\x07\x1b[31m\ud800 \ufffe \u202e",
]


def odd(text):
    step = Step(text, "b", text or "causes", 1.0)
    first = Hit(text + "a", text, 0.9, {text: 1.0}, {text: 1}, datetime(2024, 3, 1, tzinfo=UTC), tags=(text,))
    second = Hit("b", text, 0.8, occurred_start=datetime(9999, 12, 31, tzinfo=UTC), path=(step,))
    third = Hit("c", text, 0.7, mentioned_at=datetime(1, 1, 1, tzinfo=UTC), metadata={"title": text}, author=text)
    window = tw.Window(None, datetime(2024, 3, 2, tzinfo=UTC), text, (0, 1), text)
    return Hits((first, second, third, Hit("d", text, 0.1)), text, datetime(2024, 4, 1, tzinfo=UTC), window, (text,))


@pytest.mark.parametrize("text", EVIL)
def test_texts_are_escaped_everywhere(text):
    found = odd(text)
    ElementTree.fromstring(svg(found))
    for html in (found.to_html(), found._repr_html_()):
        checked(html)
        html.encode("utf-8")
    assert "\x1b" not in str(found) + repr(found)


@given(st.text(max_size=60))
def test_any_text_makes_a_whole_picture(text):
    found = odd(text)
    ElementTree.fromstring(svg(found))
    checked(found.to_html())
    str(found), repr(found), found.why()


def test_pictures_of_little():
    now = datetime(2024, 4, 1, tzinfo=UTC)
    nothing = Hits((), "", now)
    assert "nothing found" in "".join(drawn(nothing).itertext())
    checked(nothing.to_html())
    alone = Hits((Hit("a", "one", 0.5, occurred_start=now),), "q", now)
    assert float(drawn(alone).find(f".//{SVG}circle").get("cx")) > 0
    undated = Hits((Hit("a", "one", 0.5), Hit("b", "two", 0.4)), "q", now, tw.Window(now, None, "given", (0, 0)))
    assert len(drawn(undated).findall(f"{SVG}g")) == 2
    same = Hits(tuple(Hit(f"h{n}", "x", 0.5, occurred_start=now) for n in range(3)), "q", now)
    assert len({dot.get("cx") for dot in drawn(same).findall(f".//{SVG}circle")}) == 1
    hours = Hits(tuple(Hit(f"h{n}", "x", 0.5, occurred_start=now + timedelta(hours=n)) for n in range(3)), "q", now)
    assert "04-01 02:00" in svg(hours)


def test_the_picture_is_the_same_every_time(hits):
    assert svg(hits) == svg(hits)
    assert hits.to_svg() == svg(hits)
