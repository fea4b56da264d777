"""Multi-hop questions: 2WikiMultihopQA, MuSiQue and HotpotQA, as published, each with a corpus of passages.

One passage is one memory, its title and its text; a question's right ones are the passages that support its answer.
2Wiki names them by the titles in `evidence`, MuSiQue by `is_supporting`, HotpotQA by the titles in `supporting_facts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from timewalk.bench.data import find, read_json
from timewalk.bench.metrics import recall_at
from timewalk.bench.questions import Corpus, Question, Task
from timewalk.bench.suites.base import Setting, Suite, retrieval

_FOLDER = "multihop"
_MEASURES = {f"recall@{k}": lambda ranked, question, k=k: recall_at(ranked, question.gold, k) for k in (5, 2, 10)}
_BRACKET = re.compile(r"\s*\([^)]*\)$")

Json = dict[str, Any]


def _files(setting: Setting, corpus: str, questions: str) -> tuple[Any, list[Json]]:
    (passages,) = find(setting.data, "multihop", (corpus,), folder=_FOLDER)
    asked = find(setting.data, "multihop", (questions,), folder=_FOLDER, many=True)
    rows = [row for path in asked if path != passages for row in read_json(path)]
    return read_json(passages), rows


def _task(passages: Iterable[tuple[str, str]], questions: list[Question]) -> Task:
    records = [
        {"id": f"p{number}", "text": f"{title}\n{text}", "metadata": {"title": title}}
        for number, (title, text) in enumerate(passages)
    ]
    return Task([Corpus([one for one in questions if one.gold], lambda: records)], _MEASURES, k=10)


def _question(row: Json, id: str, places: Iterable[int], group: str) -> Question:
    """The question of a row, answered by the passages at these places."""
    return Question(str(row[id]), row["question"], frozenset(f"p{place}" for place in places), group=group)


def _wiki(setting: Setting) -> Task:
    corpus, rows = _files(setting, "2wiki_corpus.json", "2wiki_questions*.json")
    places = Titles(passage["title"] for passage in corpus)
    asked = [
        _question(
            row,
            "id",
            (place for start, _, end in row["evidence"] for title in (start, end) for place in places(title)),
            row.get("question_type", ""),
        )
        for row in rows
    ]
    return _task(((passage["title"], passage["text"]) for passage in corpus), asked)


def _musique(setting: Setting) -> Task:
    corpus, rows = _files(setting, "musique*_corpus.json", "musique*.json")
    places = {(passage["title"], passage["text"]): number for number, passage in enumerate(corpus)}
    asked = [
        _question(
            row,
            "id",
            (places[said["title"], said["paragraph_text"]] for said in row["paragraphs"] if said["is_supporting"]),
            str(row["id"]).partition("_")[0],
        )
        for row in rows
    ]
    return _task(places, asked)


def _hotpot(setting: Setting) -> Task:
    corpus, rows = _files(setting, "hotpotqa*_corpus.json", "hotpotqa*.json")
    places = {title: number for number, title in enumerate(corpus)}
    asked = [
        _question(
            row,
            "_id",
            (places[title] for title, _ in row["supporting_facts"] if title in places),
            row.get("type", ""),
        )
        for row in rows
    ]
    return _task(((title, "".join(sentences)) for title, sentences in corpus.items()), asked)


class Titles:
    """Passages by title: letter case and white space do not count, nor does what stands in brackets after a name, where
    one title only is left that way."""

    def __init__(self, titles: Iterable[str]) -> None:
        self._exact: dict[str, list[int]] = {}
        self._bare: dict[str, list[int]] = {}
        for place, title in enumerate(titles):
            self._exact.setdefault(_key(title), []).append(place)
            self._bare.setdefault(_BRACKET.sub("", _key(title)), []).append(place)

    def __call__(self, title: str) -> list[int]:
        """The places of the passages of a title."""
        key = _key(title)
        if key in self._exact:
            return self._exact[key]
        bare = self._bare.get(key, [])
        return bare if len(bare) == 1 else []


def _key(title: str) -> str:
    return " ".join(title.casefold().split()).strip('"“” ')


PARTS: dict[str, Callable[[Setting], Task]] = {"2wiki": _wiki, "musique": _musique, "hotpotqa": _hotpot}
"""The tasks, by data set."""

SUITE = Suite(
    name="multihop",
    about="Questions that need several passages of an encyclopedia. recall@k is the mean of (supporting passages in "
    "the first k) / (supporting passages).",
    parts={name: retrieval(name, build) for name, build in PARTS.items()},
)
