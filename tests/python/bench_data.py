"""Small data sets in the forms that the suites of `timewalk bench` read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def hashed(texts: list[str]) -> list[list[float]]:
    """A tiny embedder: letters counted."""
    return [[text.lower().count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


not_callable = 3


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def value(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def locomo(folder: Path, more: Iterable[dict[str, Any]] = ()) -> None:
    def talk(name: str, pet: str) -> dict[str, Any]:
        said = [
            ("Ann", f"I have a new {pet} since yesterday"),
            ("Bob", "Congratulations, what is it called?"),
            ("Ann", f"The {pet} is called Berta and sleeps a lot"),
            ("Bob", "I went sailing on the lake with my brother"),
        ]
        turns = [{"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(said, 1)]
        turns[3]["blip_caption"] = "a photo of a white boat"
        return {
            "sample_id": name,
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Bob",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": turns,
                "session_2_date_time": "9:00 am on 12 May, 2023",
                "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "My knee hurts after the run"}],
            },
            "qa": [
                {"question": f"What is Ann's {pet} called?", "evidence": ["D1:1; D1:3"], "category": 1},
                {"question": "What boat did Bob see?", "evidence": ["D1:4", "D9:9"], "category": 4},
                {"question": "What hurts Bob?", "evidence": ["D2:1"], "category": 2},
                {"question": "Whom did Ann marry?", "evidence": ["D1:1"], "category": 5},
                {"question": "Nobody knows?", "evidence": ["D7:1"], "category": 4},
                *more,
            ],
        }

    value(folder / "locomo10.json", [talk("one", "tortoise"), talk("two", "parrot")])


def longmemeval(folder: Path) -> None:
    def entry(name: str, question: str, kind: str) -> dict[str, Any]:
        return {
            "question_id": name,
            "question_type": kind,
            "question": question,
            "answer": "a violin",
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_session_ids": ["s1", "answer_s2", "s1"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00", "2023/05/22 (Mon) 10:00"],
            "haystack_sessions": [
                [{"role": "user", "content": "How do I bake bread?"}, {"role": "assistant", "content": "With flour."}],
                [
                    {"role": "user", "content": "I play the violin now, which strings?", "has_answer": True},
                    {"role": "assistant", "content": "Gut strings sound warm.", "has_answer": False},
                ],
                [{"role": "user", "content": "How do I bake bread?"}, {"role": "assistant", "content": ""}],
            ],
            "answer_session_ids": ["answer_s2"],
        }

    value(
        folder / "longmemeval" / "longmemeval_s.json",
        [
            entry("q1", "Which instrument do I play, the violin?", "single-session-user"),
            entry("q2", "What strings does my violin need?", "multi-session"),
            entry("q3_abs", "Which drum do I play?", "single-session-user"),
        ],
    )


STORY = [
    ("plan", "Plan to move the database to a new cluster", "2024-01-10T09:00:00Z"),
    ("move", "The database moved to the new cluster", "2024-03-02T09:00:00Z"),
    ("outage", "Outage of the shop: the database was down", "2024-03-05T14:00:00Z"),
    ("fix", "A larger pool of connections and a stricter alarm", "2024-04-20T10:00:00Z"),
    ("picnic", "Team picnic by the lake with cake", "2024-03-06T12:00:00Z"),
    ("office", "The new office in Lisbon opens", "2023-07-01T09:00:00Z"),
]


def story(folder: Path, compressed: bool = True) -> None:
    end = ".gz" if compressed else ""
    place = folder / "story"
    lines(
        place / f"events.jsonl{end}",
        [{"id": id, "text": text, "occurred_start": at, "occurred_end": at} for id, text, at in STORY],
    )
    links = [
        {"source": "plan", "target": "move", "type": "causes", "weight": 1.0, "declared": True},
        {"source": "move", "target": "outage", "type": "causes", "weight": 1.0, "declared": True},
        {"source": "outage", "target": "fix", "type": "mentions", "weight": 1.0, "declared": True},
        {"source": "picnic", "target": "office", "type": "same_file", "weight": 0.3, "declared": False},
    ]
    lines(place / f"links.jsonl{end}", links)
    lines(place / f"links_half.jsonl{end}", links[1:])
    window = {"window_start": "2024-03-01T00:00:00Z", "window_end": "2024-04-01T00:00:00Z"}
    question = {"topic": "outage of the shop", "reference_time": "2024-12-01T00:00:00Z", "style": "title", **window}
    lines(
        place / f"queries_dev.jsonl{end}",
        [
            {
                "id": "q1",
                "text": "What led to the outage of the shop in March 2024?",
                "gold": ["plan", "move", "outage"],
                "gold_outside": ["plan"],
                **question,
            },
            {
                "id": "q2",
                "text": "What came of the outage of the shop in March 2024?",
                "gold": ["outage", "fix"],
                "gold_outside": ["fix"],
                **question,
            },
        ],
    )
    lines(
        place / f"anchored_dev.jsonl{end}",
        [
            {
                "id": "a1",
                "text": "What changed in the two weeks before the outage of the shop?",
                "reference": "2024-12-01T00:00:00+00:00",
                "anchor": "outage",
                "start": "2024-02-20T14:00:00+00:00",
                "end": "2024-03-05T14:00:00+00:00",
                "tolerance_days": 1.5,
            }
        ],
    )


def timelines(folder: Path) -> None:
    events = [
        {
            "id": f"t{n}",
            "text": f"Event {n} of the strike in the {'harbour' if n % 2 else 'mine'}",
            "story": "harbour" if n % 2 else "mine",
            "occurred_start": f"2010-0{5 + n // 4}-0{n % 4 + 1}T00:00:00Z",
            "occurred_end": f"2010-0{5 + n // 4}-0{n % 4 + 2}T00:00:00Z",
        }
        for n in range(12)
    ]
    lines(folder / "timelines" / "events.jsonl", events)
    lines(
        folder / "timelines" / "queries_dev.jsonl",
        [
            {
                "id": "tq",
                "text": "What happened in the harbour in June 2010?",
                "story": "harbour",
                "window_start": "2010-06-01T00:00:00Z",
                "window_end": "2010-07-01T00:00:00Z",
                "reference_time": "2010-12-01T00:00:00Z",
                "gold": ["t5", "t7"],
            }
        ],
    )


def proactive(folder: Path) -> None:
    across = ["D1:4", "D2:1"]
    more = [
        {"question": "What sport does Bob do?", "evidence": across, "category": 1},
        {"question": "Where was Bob when Ann had her pet?", "evidence": ["D1:2; D2:1"], "category": 1},
    ]
    locomo(folder, more)
    story(folder)
    multihop(folder)


def multihop(folder: Path) -> None:
    place = folder / "multihop"
    passages = [
        {"title": "Good People (film)", "text": "Good People is a film directed by Henrik Genz."},
        {"title": "Henrik Genz", "text": "Henrik Genz is a director from Denmark."},
        {"title": "Lake", "text": "A lake is water."},
    ]
    value(place / "2wiki_corpus.json", passages)
    evidence = [["Good People", "director", "Henrik Genz"], ["henrik  genz", "country", "Denmark"]]
    ask = "Where is the director of Good People from?"
    value(
        place / "2wiki_questions_dev.json",
        [{"id": "w1", "question": ask, "question_type": "compositional", "evidence": evidence}],
    )
    value(place / "musique_train_corpus.json", passages)
    paragraphs = [
        {"title": passage["title"], "paragraph_text": passage["text"], "is_supporting": passage["title"] != "Lake"}
        for passage in passages
    ]
    value(place / "musique_train.json", [{"id": "2hop__1_2", "question": ask, "paragraphs": paragraphs}])
    value(place / "hotpotqa_train_corpus.json", {passage["title"]: [passage["text"]] for passage in passages})
    facts = [["Good People (film)", 0], ["Henrik Genz", 0]]
    value(place / "hotpotqa_train.json", [{"_id": "h1", "question": ask, "type": "bridge", "supporting_facts": facts}])


def windows(folder: Path) -> None:
    row = {"reference": "2024-06-12T15:30:00", "alts": [], "grain": "day", "source": "made", "kind": "point"}
    day = {"start": "2024-06-11T00:00:00", "end": "2024-06-12T00:00:00"}
    rows = [
        {"id": "w1", "text": "I left yesterday", "span": "yesterday", **day, **row},
        {"id": "w2", "text": "I leave on 3 May 2024", "span": "3 May 2024", **day, **row},
        {
            "id": "w3",
            "text": "at 5 pm on 3 May 2024",
            "span": "5 pm on 3 May 2024",
            "start": "2024-05-03T17:00:00",
            "end": "2024-05-03T18:00:00",
            **row,
            "grain": "hour",
        },
        {"id": "w4", "text": "since May", "span": "since May", **day, **row, "kind": "open"},
        {"id": "w5", "text": "a day later", "span": "a day later", **day, **row, "anchor_semantics": "x"},
    ]
    lines(folder / "time_windows_dev.jsonl.gz", rows)
    lines(
        folder / "time_windows_languages_dev.jsonl.gz",
        [{"id": "de-1", "text": "Ich ging gestern", "span": "gestern", "lang": "de", **day, **row}],
    )


def decay(folder: Path) -> None:
    rows = [
        ("half_life", {"age_s": 3600.0, "half_life_s": 3600.0}, "0.5"),
        ("half_life", {"age_s": -1.0, "half_life_s": 3600.0}, "1.0001925594"),
        ("ebbinghaus", {"age_s": 0.0, "strength_s": 1.0}, "1.0"),
        ("fsrs_retrievability", {"elapsed_days": 36500.0, "stability_days": 36500.0, "decay": -0.8}, "0.9"),
        ("linear_decay", {"distance": 10000.0, "scale": 2.0, "offset": 0.0, "decay": 0.9}, "0.0"),
        ("gauss_decay", {"distance": 2.0, "scale": 2.0, "offset": 0.0, "decay": 0.3}, "0.3"),
        ("bll_exact", {"ages_s": [100.0], "d": 0.5}, "-2.302585092994045684017991454684364207601"),
        ("bll_exact", {"ages_s": [], "d": 0.5}, "-inf"),
        ("bll_exact", {"ages_s": [0.00000001], "d": 0.5}, "9.21"),
        ("bll_optimized", {"n": 1, "lifetime_s": 100.0, "d": 0.5}, "-1.6094379124341003746007593332261876395256"),
        (
            "bll_hybrid",
            {"recent_ages_s": [], "older_count": 100, "lifetime_s": 86400.0, "d": 0.5},
            "-0.3850541108480368172007245828866892014834",
        ),
    ]
    lines(
        folder / "decay" / "truth_dev.jsonl.gz",
        [{"id": n, "kind": kind, "inputs": given, "truth": truth} for n, (kind, given, truth) in enumerate(rows)],
    )


def own(folder: Path) -> None:
    lines(
        folder / "memories.jsonl",
        [{"id": id, "text": text, "occurred_start": at} for id, text, at in STORY],
    )
    lines(
        folder / "questions.jsonl",
        [
            {"query": "what went wrong with the shop in March 2024?", "relevant": ["outage"], "group": "plain"},
            {"query": "the cake", "relevant": ["picnic"], "window": ["2024-03-01", "2024-04-01"], "group": "plain"},
            {"query": "who is in Lisbon?", "relevant": ["office", "plan"], "now": "2025-01-01", "id": "lisbon"},
        ],
    )
