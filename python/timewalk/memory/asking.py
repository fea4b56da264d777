"""Questions put to a memory: read, embed, ask the arms, combine, re-rank, weigh by time, cut."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from timewalk.embedders import Embedder
from timewalk.errors import EmbedderError, InvalidTypeError, InvalidValueError
from timewalk.ingest.entities import EntityExtractor
from timewalk.ingest.identity import entity_key
from timewalk.recall import combine, pipeline, rerankers
from timewalk.recall.aging import weigh
from timewalk.recall.arms import Question
from timewalk.recall.budget import Budget
from timewalk.recall.diversity import Likeness, by_vectors, by_words, choose
from timewalk.recall.hits import Hits
from timewalk.recall.index import Index
from timewalk.recall.options import Settings
from timewalk.recall.reading import Reading, read
from timewalk.recall.spreading import SPREADING
from timewalk.stores.memories import stored
from timewalk.stores.sqlite import MemoryRow, Store

Vector = npt.NDArray[np.float32]

# What each arm brings in. Scores hang on all that was brought in, so it must not hang on how many are asked for: up to
# here a shorter answer is the begin of a longer one.
_POOL = 50
_LOOKED_AT = 50  # what a re-ranker and the other later steps look at is at least this many
_MOST_WORDS = 6  # the longest entity name looked up in a question, in words


class Asker:
    """Answers questions from a store's indexes. The lock is held while they are read, not while a model computes."""

    def __init__(
        self,
        store: Store,
        index: Index,
        embedder: Embedder | None,
        extractor: EntityExtractor | None,
        lock: threading.RLock,
    ) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._extractor = extractor
        self._lock = lock
        self._pool: ThreadPoolExecutor | None = None

    def recall(self, queries: Sequence[str], settings: Settings, vectors: Sequence[Any] | None) -> list[Hits]:
        """An answer a question, in order; their texts are embedded in one call, unless `vectors` gives one each."""
        with self._lock:
            self._index.refresh()
            readings = [self._read(query, settings) for query in queries]
        return self._answers(queries, readings, settings, vectors)

    def context(self, text: str, settings: Settings) -> Hits:
        """What a text brings up; no window is read."""
        with self._lock:
            self._index.refresh()
        return self._answers([text], [Reading(settings.window, text)], settings, None)[0]

    def embedded(self, text: str) -> Vector | None:
        """The vector of a text; None for a blank one, without embedder or vectors, and where the embedder failed."""
        return self._embedded([text])[0][0]

    def ids(self) -> list[str]:
        """The ids of all memories, in the order of a caller's mask of booleans."""
        with self._lock:
            self._index.refresh()
            return self._index.living_ids()

    def close(self) -> None:
        """Ends the threads that the arms run on."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = None

    def _read(self, query: str, settings: Settings) -> Reading:
        reading = self._read_window(query, settings) if settings.window is None else Reading(settings.window, query)
        if reading.window is not None and not self._index.keywords.names_something(reading.topic):
            # "What happened in May?" asks for the month, not for words like its own.
            return reading._replace(topic="")
        return reading

    def _read_window(self, query: str, settings: Settings) -> Reading:
        try:
            return read(
                self._index,
                query,
                now=settings.now,
                tz=settings.tz,
                filters=settings.filters,
                embed=self.embedded,
                locale=settings.locale,
            )
        except Exception as error:
            # To find the event that a window hangs on, two arms are asked.
            pipeline.log.warning("no window was read", exc_info=error)
            return Reading(None, query, f"no window was read ({type(error).__name__}: {error})")

    def _answers(
        self,
        queries: Sequence[str],
        readings: Sequence[Reading],
        settings: Settings,
        given: Sequence[Any] | None,
    ) -> list[Hits]:
        embedded, failure = ([], None) if given is not None else self._embedded([r.topic for r in readings])
        hits = []
        for number, (query, reading) in enumerate(zip(queries, readings, strict=True)):
            notes = [*self._index.notes] if reading.note is None else [*self._index.notes, reading.note]
            if failure is not None:
                notes.append(failure)
            if self._embedder is None and given is None:
                notes.append("no embedder: words, entities and time only")
            vector = embedded[number] if given is None else self._checked(given[number])
            hits.append(self._answer(query, reading, settings, vector, notes))
        return hits

    def _answer(
        self,
        query: str,
        reading: Reading,
        settings: Settings,
        vector: Vector | None,
        notes: list[str],
    ) -> Hits:
        window = reading.window
        with self._lock:
            question = Question(
                topic=reading.topic,
                vector=vector,
                window=None if window is None else (window.start_micros, window.end_micros),
                filters=settings.filters,
                mask=self._index.mask(settings.filters),
                entity_keys=self._entity_keys(reading.topic, notes),
                limit=min(max(_POOL, settings.k), max(len(self._index.ids), 1)),
                arms=settings.arms,
            )
            found, failed = pipeline.ask(self._workers(), self._index, question)
            k = max(_LOOKED_AT, 5 * settings.k) if settings.whole_pool else settings.k
            try:
                pool = combine.combine(self._index, question, found, combine.WEIGHTS, k)
            except Exception as error:
                spreading = [arm for arm in question.arms if arm in SPREADING]
                if not spreading:
                    raise
                pipeline.log.warning("what spreads over links is left out of this recall", exc_info=error)
                failed.append(f"the {' or '.join(spreading)} arm failed ({type(error).__name__}: {error})")
                alone = replace(question, arms=tuple(arm for arm in question.arms if arm not in spreading))
                pool = combine.combine(self._index, alone, found, combine.WEIGHTS, k)
            rows = stored(self._store, [entry.id for entry in pool])
            pool = [entry for entry in pool if entry.id in rows]
            units = self._units([entry.id for entry in pool]) if settings.diversity > 0 else None
        notes += failed
        if settings.explain:
            notes += [f"{name}: {len(arm.ids)} found" for name, arm in found.items()]
        best = self._cut(query, pool, rows, units, settings, notes)
        return pipeline.hits(rows, best, query=query, now=settings.now, window=window, notes=notes)

    def _cut(
        self,
        query: str,
        pool: list[combine.Combined],
        rows: Mapping[str, MemoryRow],
        units: Mapping[str, Vector] | None,
        settings: Settings,
        notes: list[str],
    ) -> list[combine.Combined]:
        """The hits of a pool: in the order of the re-ranker, weighed by time, and only then cut."""
        if settings.reranker is not None:
            texts = [rows[entry.id].text for entry in pool]
            pool, note = rerankers.apply(settings.reranker, query, pool, texts)
            notes += [] if note is None else [note]
        if settings.engine is not None:
            pool = weigh(pool, rows, settings.engine, now=settings.now)
        if settings.diversity == 0 and settings.max_tokens is None:
            return pool[: settings.k]
        texts = [rows[entry.id].text for entry in pool]
        budget = Budget(settings.max_tokens, settings.count_tokens)
        places = choose(
            [entry.score for entry in pool],
            texts,
            settings.k,
            diversity=settings.diversity,
            likeness=_likeness(pool, texts, units) if settings.diversity > 0 else None,
            budget=budget,
        )
        if budget.skipped:
            notes.append(f"{budget.skipped} passed over: too long for what was left of {budget.limit} tokens")
        return [pool[place] for place in places]

    def _embedded(self, texts: Sequence[str]) -> tuple[list[Vector | None], str | None]:
        """The vectors of texts, None for blank ones and without embedder; and a note if the embedder failed."""
        with self._lock:
            index = self._index.vectors
        wanted = [place for place, text in enumerate(texts) if text.strip()]
        out: list[Vector | None] = [None] * len(texts)
        if index is None or self._embedder is None or not wanted:
            return out, None
        try:
            made = self._embedder([texts[place] for place in wanted], dimension=index.dimension)
        except EmbedderError as error:
            pipeline.log.warning("the question was not embedded; recall goes without meaning", exc_info=error)
            return out, f"the semantic arm failed ({type(error).__name__}: {error})"
        for place, vector in zip(wanted, made, strict=True):
            out[place] = np.asarray(vector, np.float32)
        return out, None

    def _checked(self, given: Any) -> Vector | None:
        try:
            with np.errstate(over="ignore"):
                vector: Vector = np.asarray(given, np.float32).reshape(-1)
        except (TypeError, ValueError) as error:
            raise InvalidTypeError(f"query_vector holds numbers, not {given!r}") from error
        with self._lock:
            index = self._index.vectors
        if index is None:
            return None
        if len(vector) != index.dimension or not np.isfinite(vector).all():
            raise InvalidValueError(
                f"query_vector must hold {index.dimension} finite numbers, as the store's vectors do; "
                f"it has {len(vector)}, {int(np.isfinite(vector).sum())} of them finite"
            )
        return vector

    def _entity_keys(self, topic: str, notes: list[str]) -> tuple[str, ...]:
        """Keys of known entities that the text names, in the order of the text's words, longest first."""
        keys: dict[str, None] = {}
        if self._extractor is not None and topic.strip():
            try:
                for mention in self._extractor([topic])[0]:
                    keys.setdefault(entity_key(mention.name))
            except Exception as error:
                pipeline.log.warning("no entities were extracted from the question", exc_info=error)
                notes.append(f"the extractor of entities failed ({type(error).__name__}: {error})")
        words = entity_key(topic.replace("?", " ").replace(",", " ").replace(".", " ")).split()
        for length in range(min(_MOST_WORDS, len(words)), 1, -1):
            for start in range(len(words) - length + 1):
                keys.setdefault(" ".join(words[start : start + length]))
        return tuple(key for key in keys if key in self._index.entity_keys)

    def _units(self, ids: Sequence[str]) -> Mapping[str, Vector] | None:
        """The unit vectors of memories, by id; None unless all have one."""
        if self._index.vectors is None:
            return None
        units = self._index.vectors.units(np.asarray([self._index.position(id) for id in ids], np.int64))
        return None if units is None else dict(zip(ids, units, strict=True))

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(pipeline.ARMS), thread_name_prefix="timewalk")
        return self._pool


def _likeness(pool: Sequence[combine.Combined], texts: Sequence[str], units: Mapping[str, Vector] | None) -> Likeness:
    if units is None or not pool:
        return by_words(texts)
    return by_vectors(np.stack([units[entry.id] for entry in pool]))
