"""Known entities by names and aliases, as whole words and in any script."""

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timewalk import InvalidTypeError, InvalidValueError, _core
from timewalk.ingest.entities import Entity, KnownEntities, Mention, RuleExtractor

KNOWN = KnownEntities(
    [
        Entity("Maria García", "person", ["Maria", "mgarcia"]),
        Entity("Iran", "place"),
        ("北京大学", "organisation"),
        ("上海大学", "organisation"),
        "Room 101",
        "Room 10",
        Entity("New York City", "place", ["New York", "NYC", "Big Apple"]),
        Entity("York", "place"),
        "O'Brien",
        Entity("Brien"),
        Entity("Will", "person"),
    ]
)


def names(text):
    return [mention.name for mention in KNOWN([text])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("maria met MARIA GARCÍA's brother", ["Maria García"]),
        ("Tigran is not from Iranian soil", []),
        ("iran, Iran's coast", ["Iran"]),
        ("我在北京大学。不在上海大学", ["北京大学", "上海大学"]),
        ("room  101 and ROOM\n101, not Room 1012", ["Room 101"]),
        ("Room 10 is small", ["Room 10"]),
        ("from new york city to York, then New York", ["New York City", "York"]),
        ("I love the Big Apple", ["New York City"]),
        ("O'Brien and o'brien's", ["O'Brien"]),
        ("Brien's house", ["Brien"]),
        ("mgarcia_2 or mgarcia", ["Maria García"]),
        ("we will see", []),
        ("", []),
        ("\uff2d\uff21RIA", ["Maria García"]),
    ],
)
def test_names_and_aliases_as_whole_words(text, expected):
    assert names(text) == expected


def test_a_mention_has_the_name_of_the_entity_and_less_confidence_for_an_alias():
    assert KNOWN(["Maria García", "maria"]) == [
        [Mention("Maria García", "person", 0.95)],
        [Mention("Maria García", "person", 0.85)],
    ]


def test_what_another_extractor_finds_joins_under_the_known_name():
    both = KnownEntities([Entity("Maria García", "person", ["Mel", "Will"])], other=RuleExtractor())
    assert [m.name for m in both(["Mel saw Berlin with Will."])[0]] == ["Maria García", "Berlin"]
    assert len(both) == 1


def test_an_alias_that_is_a_name_stands_for_that_entity_and_a_shared_one_for_the_first():
    known = KnownEntities([Entity("A1", "x", ["B1", "C1"]), Entity("B1", "y", ["C1"])])
    assert [m.name for m in known(["c1"])[0]] == ["A1"]
    assert [m.type for m in known(["b1"])[0]] == ["y"]


def test_bad_entities_are_errors_with_their_row():
    for bad, kind in (
        ([" "], InvalidValueError),
        ([5], InvalidTypeError),
        ([Entity("a", "b", "cd")], InvalidTypeError),
    ):
        with pytest.raises(kind) as caught:
            KnownEntities(["good", *bad])
        assert caught.value.row == 1
    with pytest.raises(InvalidTypeError, match="sequence"):
        KNOWN("one text")
    with pytest.raises(InvalidValueError, match="empty"):
        _core.NameMatcher(pa.array(["a", ""]))
    assert KnownEntities([])(["a", "b"]) == [[], []]


LETTERS = "abé 'x大学"


@settings(deadline=None)
@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=4).filter(str.strip), max_size=5),
    st.text(LETTERS, max_size=30),
)
def test_matches_are_those_of_the_plain_rule(words, text):
    words = sorted({" ".join(word.split()) for word in words})
    found = [mention.name for mention in KnownEntities(words)([text])[0]]
    assert found == plain(words, re.sub(r"\s+", " ", text))


def plain(words, text):
    """Leftmost, then longest, at places where no letter joins on either side."""
    found, at = [], 0
    while at < len(text):
        here = [w for w in words if len(w) > 1 and text.startswith(w, at) and whole(text, at, at + len(w))]
        if here:
            best = max(here, key=len)
            found.append(best)
            at += len(best)
        else:
            at += 1
    return list(dict.fromkeys(found))


def whole(text, start, end):
    def joins(at):
        return 0 <= at < len(text) and text[at].isalnum() and text[at] not in "大学"

    def mark(at):
        return 0 <= at < len(text) and text[at] == "'"

    opens = not (joins(start) and (joins(start - 1) or (mark(start - 1) and joins(start - 2))))
    closes = not (joins(end - 1) and (joins(end) or (mark(end) and joins(end + 1))))
    return opens and closes
