"""Leads between whole memories, one pair at a time: BM25 shares, odds, probability and weight."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

DAY = 86_400e6


def leads(records: Sequence[Mapping[str, Any]], repairs: int) -> dict[tuple[str, str], float]:
    """Probability of each lead of dated records (id, text, entities, micros), by source and target."""
    words = (Counter(_words(record["text"])) for record in records)
    names = (Counter(f"\x1f{name}" for name in record["entities"]) for record in records)
    bags = [bag + own for bag, own in zip(words, names, strict=True)]
    having = Counter(word for bag in bags for word in bag)
    scale = 1 << (len(records) - 1).bit_length()
    found = {}
    for place, record in enumerate(records):
        sure = re.search(r"\bfix\b", record["text"]) is not None
        odds = []
        for other, earlier in enumerate(records):
            if other == place or earlier["micros"] > record["micros"]:
                continue
            said, shared = _share(bags[place], bags[other], having, scale, entities=False)
            about, named = _share(bags[place], bags[other], having, scale, entities=True)
            few = any(
                word in bags[other] and having[word] <= max(scale // 8, 5) for word in bags[place] if word[0] == "\x1f"
            )
            if shared + named < 2 or not (sure or few) or said is None:
                continue
            likeness = said * (1 + 20 * (1 if about is None else about)) / 21
            age = (record["micros"] - earlier["micros"]) / DAY
            if likeness > 0 and likeness >= 0.003:
                odds.append((said**2 * likeness / (1 + age) ** (1 / 3), earlier["id"]))
        best = sorted(odds, key=lambda pair: -pair[0])[:repairs]
        for value, target in best:
            found[record["id"], target] = value / (1e-4 + sum(other for other, _ in best))
    return found


def _share(
    query: Counter[str], other: Counter[str], having: Counter[str], scale: int, *, entities: bool
) -> tuple[float | None, int]:
    terms = {}
    for word, count in query.items():
        if (word[0] == "\x1f") == entities and having[word] > 1:
            rarity = math.log(1 + (scale - _stepped(having[word]) + 0.5) / (_stepped(having[word]) + 0.5))
            terms[word] = rarity * count * 2.2 / (count + 1.2)
    if not terms:
        return None, 0
    length = sum(count for word, count in other.items() if word[0] != "\x1f")
    norm = 1.2 * (0.25 + 0.75 * length / 32)
    both = [word for word in terms if word in other]
    gain = sum(terms[word] * (1 if entities else other[word] / (other[word] + norm)) for word in both)
    return gain / sum(terms.values()), len(both)


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 1]


def _stepped(number: int) -> int:
    shift = max(number.bit_length() - 3, 0)
    return number >> shift << shift
