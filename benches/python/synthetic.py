"""Made-up memories of any number for measuring speed, the same for the same seed.

Word frequencies follow Zipf's law, a thread stays on one topic, vectors lie around their topic, and one text in ten
says why something happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

START = datetime(2020, 1, 1, tzinfo=UTC)
DAYS = 5 * 365
_TOPICS = 200
_PEOPLE = 400
_THREAD = 20
_COMMON = (  # noqa: SIM905  a list of a line a word reads worse
    "the of to and a in is it that for was on with as at by we this be from have are not but had they you "
    "which one all were when there can said if will do each about how up out them then she many some so "
    "these would other into "
).split()
_STATEMENTS = ("because the", "which led to a", "fix the", "due to the", "after the failed")


class Synthetic:
    """A stream of `count` memories in batches, and questions about them."""

    def __init__(self, count: int, *, dimension: int = 256, seed: int = 7, vocabulary: int = 20_000) -> None:
        self.count = count
        self.dimension = dimension
        self.seed = seed
        random = np.random.default_rng(seed)
        self._words = _COMMON + _invented(random, vocabulary)
        self._people = [
            f"{a.capitalize()} {b.capitalize()}"
            for a, b in zip(_invented(random, _PEOPLE), _invented(random, _PEOPLE), strict=True)
        ]
        self._topics = random.standard_normal((_TOPICS, dimension)).astype(np.float32)
        self._topic_words = random.integers(len(_COMMON), len(self._words), (_TOPICS, 60))
        ranks = np.arange(1, len(self._words) + 1)
        self._cumulative = np.cumsum(1 / ranks) / np.sum(1 / ranks)

    def batches(self, size: int = 10_000) -> Iterator[pa.Table]:
        """Tables that `Memory.add` takes; a batch depends on its place only."""
        for start in range(0, self.count, size):
            yield self.batch(start, min(size, self.count - start))

    def batch(self, start: int, size: int) -> pa.Table:
        """Memories `start` to `start + size`."""
        random = np.random.default_rng((self.seed, start))
        rows = np.arange(start, start + size)
        threads = rows // _THREAD
        topics = threads * 7919 % _TOPICS
        lengths = random.integers(8, 24, size)
        common = np.searchsorted(self._cumulative, random.random((size, 24)))
        own = self._topic_words[topics[:, None], random.integers(0, 60, (size, 24))]
        chosen = np.where(random.random((size, 24)) < 0.3, own, common)
        statements = np.where(random.random(size) < 0.1, random.integers(0, len(_STATEMENTS), size), -1)
        people = threads * 31 % _PEOPLE
        authors = (people + random.integers(0, 3, size)) % _PEOPLE
        texts = []
        for row in range(size):
            words = [self._words[at] for at in chosen[row, : lengths[row]]]
            if statements[row] >= 0:
                words.insert(len(words) // 2, _STATEMENTS[statements[row]])
            if row % 4 == 0:
                words.insert(3, self._people[people[row]])
            texts.append(" ".join(words).capitalize() + ".")
        # Threads begin in the order of arrival, spread over the years; turns are minutes apart.
        seconds = threads * (DAYS * 86_400 / max(self.count // _THREAD, 1)) + rows % _THREAD * 90.0
        micros = (seconds * 1e6).astype(np.int64) + int(START.timestamp() * 1e6)
        vectors = self._topics[topics] + random.standard_normal((size, self.dimension), dtype=np.float32)
        return pa.table(
            {
                "id": pa.array([f"m{row}" for row in rows]),
                "text": pa.array(texts),
                "thread": pa.array([f"t{thread}" for thread in threads]),
                "author": pa.array([self._people[author] for author in authors]),
                "fact_type": pa.array(np.where(random.random(size) < 0.01, "rare", "common").tolist()),
                "occurred_start": pa.array(micros).cast(pa.timestamp("us", "UTC")),
                "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), self.dimension),
            }
        )

    def people(self) -> list[str]:
        """Everyone who writes."""
        return list(self._people)

    def questions(self, count: int) -> list[tuple[str, np.ndarray]]:
        """Questions of a few words with a vector each, about topics that the memories have."""
        random = np.random.default_rng((self.seed, 1))
        asked = []
        for _ in range(count):
            topic = int(random.integers(0, _TOPICS))
            words = [self._words[at] for at in self._topic_words[topic, random.integers(0, 60, 4)]]
            person = self._people[int(random.integers(0, _PEOPLE))]
            text = f"What did {person} say about the {words[0]} {words[1]} and the {words[2]} of {words[3]}"
            vector = self._topics[topic] + random.standard_normal(self.dimension).astype(np.float32)
            asked.append((text, vector))
        return asked

    def windows(self, count: int, days: int = 14) -> list[tuple[datetime, datetime]]:
        """Windows of `days` within the years that the memories cover."""
        random = np.random.default_rng((self.seed, 2))
        starts = random.integers(0, DAYS - days, count)
        return [(START + timedelta(days=int(day)), START + timedelta(days=int(day) + days)) for day in starts]


def _invented(random: np.random.Generator, count: int) -> list[str]:
    onsets = "b c d f g k l m n p r s t v z st tr pl gr".split()  # noqa: SIM905
    syllables = [onset + vowel for onset in onsets for vowel in ("a", "e", "i", "o", "u", "ai", "or", "en")]
    made: dict[str, None] = {}
    while len(made) < count:
        parts = random.integers(0, len(syllables), int(random.integers(2, 5)))
        made.setdefault("".join(syllables[part] for part in parts))
    return list(made)
