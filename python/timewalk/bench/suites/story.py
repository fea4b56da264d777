"""Stories: dated events, links, and questions with a time phrase whose answer lies mostly elsewhere in time.

story/events.jsonl (id, text, dates and anything else), links.jsonl (source, target, type, weight), links_half.jsonl
(the same with declared links withheld) and queries_*.jsonl (text, topic, reference_time, window_start, window_end,
gold, gold_outside).
"""

from __future__ import annotations

from collections.abc import Callable

from timewalk.bench.data import Row, find, read_lines
from timewalk.bench.metrics import story_at
from timewalk.bench.questions import Corpus, Question, Relation, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

FOLDER = "story"
RELATIONS = (
    Relation("reverts", "reverted_by", "causal"),
    Relation("refers_to", "referred_to_by", "enabling"),
    Relation("same_file", None, "temporal"),
)
_RENAMED = {"mentions": "refers_to"}  # timewalk has a relation `mentions`, from memories to entities


def events(setting: Setting, suite: str) -> list[Row]:
    """The events, in the order of the file."""
    return read_lines(*find(setting.data, suite, ("events.jsonl",), folder=FOLDER))


def links(setting: Setting, suite: str, file: str) -> list[tuple[str, str, str, float]]:
    """The links in a file: source, target, relation, weight."""
    rows = read_lines(*find(setting.data, suite, (file,), folder=FOLDER))
    return [
        (row["source"], row["target"], _RENAMED.get(row["type"], str(row["type"])), float(row["weight"]))
        for row in rows
    ]


def _question(row: Row) -> Question:
    return Question(
        id=row["id"],
        text=row["text"],
        gold=frozenset(row["gold"]),
        now=row["reference_time"],
        topic=row.get("topic"),
        window=(row["window_start"], row["window_end"]),
        outside=frozenset(row["gold_outside"]),
        group=row.get("style", ""),
    )


def _part(name: str, file: str | None) -> Callable[[Setting], Task]:
    def task(setting: Setting) -> Task:
        records = events(setting, "story")
        asked = read_lines(*find(setting.data, "story", ("queries_*.jsonl",), folder=FOLDER, many=True))
        given = links(setting, "story", file) if file else []
        corpus = Corpus([_question(row) for row in asked], lambda: records, given, RELATIONS)
        measures = {
            "story@10": lambda ranked, question: story_at(ranked, question.gold, 10),
            "outside@10": lambda ranked, question: story_at(ranked, question.outside, 10),
        }
        return Task([corpus], measures, k=10, facts={"links given": len(given)})

    return task


SUITE = Suite(
    name="story",
    about="Changes of a software project and links between them; questions whose answer is a whole story, mostly "
    "outside the window that they name. story@10 is the mean of (right in the first 10) / min(10, right); outside@10 "
    "the same over what lies outside the window. timewalk gets the question's text alone, the baselines its topic.",
    parts={
        name: retrieval(name, _part(name, file))
        for name, file in (("links-all", "links.jsonl"), ("links-half", "links_half.jsonl"), ("links-none", None))
    },
)
