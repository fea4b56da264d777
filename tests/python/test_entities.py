"""Entities by rules: what is a name, what is not, and one identity for each."""

import time
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timewalk import InvalidTypeError, InvalidValueError, MissingDependencyError
from timewalk.ingest.entities import EntityExtractor, GlinerExtractor, Mention, RuleExtractor, SpacyExtractor, once
from timewalk.ingest.identity import entity_key

extract = RuleExtractor()


def names(text, **options):
    return [mention.name for mention in RuleExtractor(**options).one(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Maria's dog met O'Brien and the O'Briens' cat.", ["Maria", "O'Brien", "O'Briens"]),
        ("He moved from Room 101 to Room 102.", ["Room 101", "Room 102"]),
        ("Tigran is not from Iran.", ["Tigran", "Iran"]),
        (
            "The United Nations sent Dr. Smith to Berlin on Monday, 3 May 2024.",
            ["United Nations", "Dr. Smith", "Berlin"],
        ),
        ("Apollo 13 was launched from Cape Kennedy in April 1970.", ["Apollo 13", "Cape Kennedy"]),
        ("Theresa May resigned in May. In May 2019 it rained.", ["Theresa May"]),
        ("I saw April Stone in April, and on Friday too.", ["April Stone"]),
        ("J. K. Rowling lives in the U.S. with Jean-Luc Picard.", ["J. K. Rowling", "U.S.", "Jean-Luc Picard"]),
        ("Students of the University of California at Berkeley.", ["University of California", "Berkeley"]),
        ("It was Oscar de la Hoya who met Osama bin Laden.", ["Oscar de la Hoya", "Osama bin Laden"]),
        ("We use iPhone, eBay, GitHub and OpenAI.", ["iPhone", "eBay", "GitHub", "OpenAI"]),
        ("OpenAI grew. McDonald's too.", ["OpenAI", "McDonald"]),
        ("Cairo's Tahrir Square was full.", ["Cairo", "Tahrir Square"]),
        ("NASA and the US Army use GPT-4 at IBM; it is OK.", ["NASA", "US Army", "GPT-4", "IBM"]),
        ("Élodie went to Łódź with Пётр Ильич.", ["Élodie", "Łódź", "Пётр Ильич"]),
        ("Caroline: Hey Mel! Good to see you!", ["Caroline", "Mel"]),
        ("Yesterday Maria and John went home. Then John slept.", ["Maria", "John"]),
    ],
)
def test_names(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "march forward with the plan, we may go",
        "I'm here. I don't know. That's it! It's fine. Let's go. Won't you?",
        "We met on Monday, in January, last March and in Q1 2024.",
        "Wow, thanks! Yeah, sounds good. Awesome. Hey there!",
        "Fix the build. Add tests. Remove dead code.",
        "Protesters gathered. Police fired. Thousands fled. Running helps. Nothing happened.",
        "THIS WHOLE TEXT IS SHOUTED AND NAMES NOTHING AT ALL",
        "24/7 and/or km/h, 3.14, e.g. this, i.e. that, 10:30, 50%, $5",
        "The end.",
        "…—!? \x00 \ufffd \U0001f600",
    ],
)
def test_what_names_nothing(text):
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask @ada.b or mail eve@example.org", [("ada.b", "person"), ("eve@example.org", "person")]),
        ("#LGBTQ rights, see #42", [("LGBTQ", "concept"), ("#42", "thing")]),
        ("see https://example.org/Foo_Bar?x=1#Baz", []),
        (
            "in lib/flow.c and ./docs/READ-ME.md, /etc/hosts",
            [("lib/flow.c", "file"), ("docs/READ-ME.md", "file"), ("/etc/hosts", "file")],
        ),
        (
            "main.py calls do_thing() and os.path.join, then parseHTML",
            [("main.py", "file"), ("do_thing", "code"), ("os.path.join", "code"), ("parseHTML", "code")],
        ),
        ("the flag `--dry run` and __init__", [("--dry run", "code"), ("__init__", "code")]),
        ("ofproto-dpif: drop flows\nlib/odp: too", [("ofproto-dpif", "code"), ("lib/odp", "code")]),
        ("install @scope/package from example.com", [("@scope/package", "code"), ("example.com", "thing")]),
        ("the end.the begin", []),
        ('we read "The Name of the Wind" and "so it goes"', [("The Name of the Wind", "thing")]),
        ("“Harry Potter”, «Les Misérables»", [("Harry Potter", "thing"), ("Les Misérables", "thing")]),
    ],
)
def test_what_is_known_by_its_form(text, expected):
    assert [mention[:2] for mention in extract.one(text)] == expected


def test_east_asian_names_are_told_apart_and_do_not_stick_to_latin_ones():
    assert names("我在北京大学上学。他去了上海大学。") == ["北京大学", "上海大学"]
    assert names("Maria去了OpenAI公司和《红楼梦》") == ["Maria", "OpenAI", "红楼梦"]
    assert names("マリア・テレジアは東京駅にいた") == ["マリア・テレジア", "東京駅"]
    assert names("東京駅", kinds={"names"}) == []


def test_types_and_confidence():
    found = {
        m.name: m for m in extract.one("Sir Ada met Ada Stone at Lake Como, MIT and the World Cup with Zoe. Zed ran.")
    }
    assert found["Sir Ada"].type == found["Ada Stone"].type == "person"
    assert found["Lake Como"].type == "place"
    assert found["World Cup"].type == "event"
    assert all(0 < mention.confidence <= 1 for mention in found.values())
    # One word at the begin of a sentence is the least sure.
    assert found["Zed"].confidence < found["Zoe"].confidence < found["Ada Stone"].confidence


def test_options():
    text = "Zed met NASA at `run()`"
    assert names(text) == ["Zed", "NASA", "run"]
    assert names(text, min_confidence=0.6) == ["NASA", "run"]
    assert names(text, kinds={"acronyms"}) == ["NASA"]
    with pytest.raises(InvalidValueError, match="kinds"):
        RuleExtractor(kinds={"verbs"})
    with pytest.raises(InvalidValueError, match="min_confidence"):
        RuleExtractor(min_confidence=2)
    with pytest.raises(InvalidTypeError, match="sequence"):
        extract("one text")
    assert isinstance(extract, EntityExtractor)
    assert extract([]) == []


def test_an_entity_is_there_once_in_its_first_form_with_its_surest_type():
    assert names("OpenAI, openAI and OPENAI met Zoe. Zoe slept.") == ["OpenAI", "Zoe"]
    merged = once([Mention("Zoe", "thing", 0.5), Mention(" ", "thing", 1.0), Mention("ZOE", "person", 0.9)])
    assert merged == [Mention("Zoe", "person", 0.9)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("OpenAI", " openai "),
        ("Straße", "STRASSE"),
        ("ﬁle", "FILE"),
        ("Room\u00a0101", "room  101"),
        ("\uff21\uff22", "ab"),
    ],
)
def test_forms_of_one_entity_have_one_key(one, other):
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 101", "Room 102"),
        ("北京大学", "上海大学"),
        ("Tigran", "Iran"),
        ("O'Brien", "Brien"),
        ("résumé", "resume"),
        ("Müller", "Mueller"),
        ("C", "C++"),
        ("йод", "иод"),
    ],
)
def test_different_entities_have_different_keys(one, other):
    assert entity_key(one) != entity_key(other)


@given(st.text())
def test_the_key_of_a_key_is_itself(name):
    key = entity_key(name)
    assert entity_key(key) == key
    assert entity_key(f"  {name}\t") == key


@settings(deadline=None)
@given(st.lists(st.text(max_size=60) | st.text("aA.b'@#/_ B\n`\"(大学", max_size=60), max_size=3))
def test_any_text_is_read_without_an_error_and_for_itself(texts):
    found = extract(texts)
    assert [extract.one(text) for text in texts] == found
    for mentions in found:
        keys = [entity_key(mention.name) for mention in mentions]
        assert len(keys) == len(set(keys))
        assert all(keys)
        assert all(0 < mention.confidence <= 1 for mention in mentions)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "A",
        "Aa ",
        "A. ",
        "a.",
        "a/",
        "a_",
        "_",
        "@a",
        "#a",
        "`",
        '"A',
        "A'",
        "A-",
        "大",
        "大学",
        "aA",
        "of A ",
        "1A ",
        "(",
        "a.b/",
    ],
)
def test_long_texts_take_linear_time(piece):
    text = piece * (200_000 // len(piece))
    begin = time.process_time()
    extract.one(text)
    assert time.process_time() - begin < 5


def test_models_that_are_not_installed_say_how_to_install_them(monkeypatch):
    monkeypatch.setattr("timewalk.ingest.models.import_module", _refuse)
    for made, extra in ((SpacyExtractor, "spacy"), (GlinerExtractor, "gliner")):
        with pytest.raises(MissingDependencyError, match=rf"timewalk\[{extra}\]"):
            made()
        with pytest.raises(ImportError):
            made()


def _refuse(name):
    raise ImportError(name)


def test_a_pipeline_that_is_handed_over_is_used_as_it_is():
    entity = SimpleNamespace(text="Maria", label_="PERSON")
    date = SimpleNamespace(text="Monday", label_="DATE")
    pipeline = SimpleNamespace(
        pipe=lambda texts, batch_size: [SimpleNamespace(ents=[entity, date, entity]) for _ in texts]
    )
    found = SpacyExtractor(pipeline)(["a", "b"])
    assert found == [[Mention("Maria", "person", 0.85)]] * 2

    def inference(texts, labels, threshold):
        assert "person" in labels
        return [[{"text": text, "label": "person", "score": 0.9}] for text in texts]

    assert GlinerExtractor(SimpleNamespace(inference=inference), batch_size=1)(["Ada", "Bob"]) == [
        [Mention("Ada", "person", 0.9)],
        [Mention("Bob", "person", 0.9)],
    ]
    for bad in (lambda: SpacyExtractor(pipeline, confidence=0), lambda: GlinerExtractor(pipeline, threshold=2)):
        with pytest.raises(InvalidValueError):
            bad()
