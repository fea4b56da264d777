"""The class that ties the parts together."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import tzinfo
from types import TracebackType
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.arrow import ArrowTable
from timewalk.decay import Engine
from timewalk.embedders import Embed, Embedder, resolve
from timewalk.errors import EmbedderError, InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.entities import EntityExtractor, GlinerExtractor, RuleExtractor, SpacyExtractor
from timewalk.ingest.identity import entity_key
from timewalk.ingest.inference import LinkRules
from timewalk.ingest.readers import read as read_file
from timewalk.ingest.records import to_table
from timewalk.memory import linking
from timewalk.memory.adding import Progress, prepare, write
from timewalk.recall import combine, pipeline
from timewalk.recall.aging import weigh
from timewalk.recall.arms import Question
from timewalk.recall.filters import Filters
from timewalk.recall.hits import Hits
from timewalk.recall.index import ENTITY, Index
from timewalk.recall.reading import Reading, read
from timewalk.stores.memories import drop_unmentioned, note_edits, rows_of, stored
from timewalk.stores.sqlite import Store
from timewalk.times import TimeLike, from_micros, now_micros, to_micros
from timewalk.touch import touch
from timewalk.windows import Window

log = logging.getLogger("timewalk")

_POOL = 50  # what each arm may bring in per hit asked for is at least this many
_MOST_WORDS = 6  # the longest entity name looked up in a question, in words


class Memory:
    """What an agent remembers: add records, link them, recall the story.

    `path` names the store's one file, made if it is not there; None keeps everything in RAM. `embedder` is a name
    ("wordllama", "sentence-transformers", "fastembed", "model2vec", "openai", each with ":model" if you like), a
    callable from a list of texts to float32 [n, d], or None: then a store that remembers a named embedder loads it,
    and any other works on keywords, entities and time alone. A store refuses another embedder than its own.

    `extractor` finds the entities in texts: "rules", "spacy" or "gliner" (with ":model" if you like) or an
    `EntityExtractor`; None leaves entities to the records. `links` says which links are inferred from threads, times,
    texts and entities; all unless told otherwise. They are made anew from what is stored, so another choice needs no
    other store.

    One Memory may be shared by threads, and a file by processes. Use it as a context manager, or call `close`.

    Raises `StoreError` where the file cannot be opened, is of a newer version or of something else.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        embedder: Embed | Embedder | str | None = None,
        extractor: EntityExtractor | str | None = "rules",
        links: LinkRules | None = None,
    ) -> None:
        self._store = Store(path)
        self._relations = linking.Relations(self._store)
        try:
            self._embedder = self._own_embedder(embedder)
        except BaseException:
            self._store.close()
            raise
        self._extractor = _extractor(extractor)
        self._index = Index(self._store, links or LinkRules())
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None
        self._told = False

    # Writing ---------------------------------------------------------------------------------------------------

    def add(
        self,
        records: Any,
        *,
        tz: str | tzinfo = "UTC",
        now: TimeLike | None = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Adds records, all or none, and returns their ids in order.

        `records` are dicts, one dict, an Arrow table, a pandas or polars frame, or the path of a JSON lines, JSON, CSV,
        Parquet or Arrow file; `text` is required, and any of id,
        namespace, fact_type, thread, author, tags, occurred_start, occurred_end, mentioned_at, created_at, embedding,
        entities, causes, caused_by, recent_accesses, historical_count and metadata may be there; other keys are kept
        as metadata. A record of a known id replaces it; the same again changes nothing. Times without zone are read
        in `tz`; `created_at` is `now` (the wall clock unless given) where it is missing.

        `progress` is called with (done, all) as texts are embedded. Once this has returned the records survive a
        kill of the process. Every fault in the input is a typed error that names row and column.
        """
        stamp = now_micros(now)
        if isinstance(records, (str, os.PathLike)):
            records = read_file(records)
        table = to_table(records, tz=tz, now=from_micros(stamp))
        for row, id in enumerate(table["id"].to_pylist()):
            if id.startswith(ENTITY):
                raise InvalidValueError(
                    f"an id may not start with {ENTITY!r} (column 'id', row {row})", column="id", row=row
                )
        with self._lock:
            self._tell_once()
            addition = prepare(
                self._store,
                table,
                now=stamp,
                embedder=self._embedder,
                extractor=self._extractor,
                progress=progress,
            )
            write(self._store, addition, embedder=self._embedder, relations=self._relations)
        return [row.id for row in addition.rows]

    def link(self, source: str, target: str, relation: str, *, weight: float = 1.0) -> None:
        """Links two memories: `source` causes, enables, prevents, follows … `target`.

        Linking the same again keeps the larger weight. Raises `UnknownIdError` for ids and relations that do not
        exist, `InvalidValueError` for weights below 0 or not finite, self-loops and links between namespaces.
        """
        linking.add(self._store, self._relations, [linking.Link(source, target, relation, weight)], single=True)

    def link_many(self, table: ArrowTable | pa.Table) -> None:
        """Links from an Arrow table (or frame) with source, target, relation and, if you like, weight: all or none."""
        linking.add(self._store, self._relations, linking.links_of(_arrow(table)))

    def register_relation(
        self, name: str, *, inverse: str | None = None, kind: str = "other", boost: float | None = None
    ) -> None:
        """Adds a relation of your own, kept with the store.

        `kind` is "causal" (walked both ways like `causes`, boost 2.0), "enabling" (1.5), "temporal" (1.0) or "other"
        (not walked in time). `inverse` names the other direction, the same name unless given.
        """
        self._relations.register(name, inverse=inverse, kind=kind, boost=boost)

    def delete(self, ids: str | Sequence[str]) -> None:
        """Deletes memories with their links, vectors and mentions; raises `UnknownIdError` for an unknown id."""
        rows = self._existing(ids)
        with self._store.transaction() as connection:
            connection.executemany("DELETE FROM memory WHERE row = ?", [(row,) for row in rows])
            drop_unmentioned(connection)
            note_edits(connection, rows)

    def invalidate(self, ids: str | Sequence[str], *, at: TimeLike) -> None:
        """Marks memories as no longer true from `at` on: kept as history, left out of recalls with a later `now`."""
        moment = to_micros(at)
        rows = self._existing(ids)
        with self._store.transaction() as connection:
            connection.executemany("UPDATE memory SET invalid_at = ? WHERE row = ?", [(moment, row) for row in rows])
            note_edits(connection, rows)

    def touch(self, ids: str | Sequence[str], *, now: TimeLike) -> None:
        """Reinforces memories that have just been used: `now` joins their latest accesses (10 are kept) and the count.

        Reading never does this by itself. Raises `UnknownIdError` for an unknown id, and then has touched none.
        """
        wanted = list(dict.fromkeys(_ids(ids)))
        with self._store.transaction() as connection:
            rows = stored(self._store, wanted)
            for id in wanted:
                if id not in rows:
                    raise UnknownIdError(f"there is no memory {id!r}")
            payloads = [
                {
                    "recent_accesses": [from_micros(micros) for micros in json.loads(rows[id].recent_accesses)],
                    "historical_count": rows[id].historical_count,
                }
                for id in wanted
            ]
            connection.executemany(
                "UPDATE memory SET recent_accesses = ?, historical_count = ? WHERE id = ?",
                [
                    (json.dumps([to_micros(time) for time in new["recent_accesses"]]), new["historical_count"], id)
                    for id, new in zip(wanted, touch(payloads, now=now), strict=True)
                ],
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole store to `path` (temporary file, fsync, rename); this Memory goes on where it was."""
        self._store.save(path)

    def close(self) -> None:
        """Closes the store; a second call does nothing."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._store.query("SELECT count(*) FROM memory")[0][0])

    def __contains__(self, id: object) -> bool:
        return bool(self._store.query("SELECT 1 FROM memory WHERE id = ?", (id,)))

    def __repr__(self) -> str:
        where = "in RAM" if self._store.path is None else str(self._store.path)
        return f"<timewalk.Memory {where}, embedder {self._embedder.name if self._embedder else None}>"

    # Reading ---------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        now: TimeLike | None = None,
        tz: str | tzinfo = "UTC",
        window: Window | tuple[TimeLike, TimeLike] | None = None,
        namespace: str | Sequence[str] | None = None,
        fact_type: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        query_vector: npt.ArrayLike | None = None,
        engine: Engine | Sequence[Engine] | None = None,
        explain: bool = False,
    ) -> Hits:
        """The `k` memories that answer best, with the story around the window.

        The window is read from the question ("in April 1970", "last week", seen from `now` in the zone `tz`), unless
        `window` gives one: a `Window` or (start, end). With one, the walk leads from the memories in it along causal
        and temporal links; without, meaning, words and entities answer alone. Filters take one value or several, of
        which a memory must have any. `query_vector` replaces the embedding of the question.

        `engine` weighs what was found by time before the cut, as `rerank` does, with the score as similarity; its
        columns are last_access (the latest access, else created_at), recent_accesses, historical_count, created_at,
        occurred_start, occurred_end and mentioned_at. Without one nothing decays.

        `explain` adds notes on what each arm brought in. Reading never changes the store. An empty store or question
        gives an empty answer. Raises `InvalidValueError` for k below 1 and windows that end before they start.
        """
        stamp = now_micros(now, tz=tz)
        filters = Filters.of(namespace, fact_type, tags, stamp)
        with self._lock:
            self._index.refresh()
            if window is not None:
                reading = Reading(_window(window, tz), query)
            else:
                reading = read(self._index, query, now=stamp, tz=tz, filters=filters, embed=self._embedded)
        return self._answer(
            query,
            reading,
            k=k,
            now=stamp,
            filters=filters,
            vector=query_vector,
            weights=combine.WEIGHTS,
            engine=engine,
            explain=explain,
        )

    def proactive_context(
        self,
        text: str,
        *,
        k: int = 10,
        now: TimeLike | None = None,
        namespace: str | Sequence[str] | None = None,
        fact_type: str | Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        explain: bool = False,
    ) -> Hits:
        """Memories that what is being said brings up, without a question: its entities, activated over the graph,
        fused with words and meaning. No window is read. Arguments as for `recall`.
        """
        stamp = now_micros(now)
        return self._answer(
            text,
            Reading(None, text),
            k=k,
            now=stamp,
            filters=Filters.of(namespace, fact_type, tags, stamp),
            vector=None,
            weights={**combine.WEIGHTS, "graph": 1.0},
            explain=explain,
        )

    # Parts -----------------------------------------------------------------------------------------------------

    def _answer(
        self,
        query: str,
        reading: Reading,
        *,
        k: int,
        now: int,
        filters: Filters,
        vector: npt.ArrayLike | None,
        weights: Mapping[str, float],
        explain: bool,
        engine: Engine | Sequence[Engine] | None = None,
    ) -> Hits:
        if isinstance(k, bool) or not isinstance(k, int):
            raise InvalidTypeError(f"k is a whole number, not {type(k).__name__}")
        if k < 1:
            raise InvalidValueError(f"k is 1 or more, not {k}")
        with self._lock:
            self._tell_once()
            self._index.refresh()
            topic, window = reading.topic, reading.window
            if window is not None and not self._index.keywords.names_something(topic):
                topic = ""  # "what happened in May?" asks for the month, not for words like its own
            question = Question(
                topic=topic,
                vector=self._vector(topic, vector),
                window=None if window is None else (window.start_micros, window.end_micros),
                filters=filters,
                mask=filters.mask(self._index.columns),
                entity_keys=self._entity_keys(topic),
                limit=min(max(_POOL, 5 * k), max(len(self._index.ids), 1)),
            )
            found, notes = pipeline.ask(self._workers(), self._index, question)
            if reading.note is not None:
                notes.insert(0, reading.note)
            if self._embedder is None and vector is None:
                notes.append("no embedder: words, entities and time only")
            if explain:
                notes += [f"{name}: {len(arm.ids)} found" for name, arm in found.items()]
            if engine is None:
                best = combine.combine(self._index, question, found, weights, k)
            else:
                pool = combine.combine(self._index, question, found, weights, question.limit)
                best = weigh(self._store, pool, engine, now=now, k=k)
            return pipeline.hits(self._store, found, best, query=query, now=now, window=window, notes=notes)

    def _vector(self, topic: str, given: npt.ArrayLike | None) -> npt.NDArray[np.float32] | None:
        index = self._index.vectors
        if index is None:
            return None
        if given is not None:
            try:
                with np.errstate(over="ignore"):
                    vector: npt.NDArray[np.float32] = np.asarray(given, np.float32).reshape(-1)
            except (TypeError, ValueError) as error:
                raise InvalidTypeError(f"query_vector holds numbers, not {given!r}") from error
            if len(vector) != index.dimension or not np.isfinite(vector).all():
                raise InvalidValueError(
                    f"query_vector must hold {index.dimension} finite numbers, as the store's vectors do; "
                    f"it has {len(vector)}, {int(np.isfinite(vector).sum())} of them finite"
                )
            return vector
        return self._embedded(topic)

    def _embedded(self, text: str) -> npt.NDArray[np.float32] | None:
        index = self._index.vectors
        if index is None or self._embedder is None or not text.strip():
            return None
        vectors: npt.NDArray[np.float32] = self._embedder([text], dimension=index.dimension)
        return np.asarray(vectors[0], np.float32)

    def _entity_keys(self, topic: str) -> tuple[str, ...]:
        """Keys of known entities that the text names, in the order of the text's words, longest first."""
        keys: dict[str, None] = {}
        if self._extractor is not None and topic.strip():
            for mention in self._extractor([topic])[0]:
                keys.setdefault(entity_key(mention.name))
        words = topic.replace("?", " ").replace(",", " ").replace(".", " ").split()
        for length in range(min(_MOST_WORDS, len(words)), 1, -1):
            for start in range(len(words) - length + 1):
                keys.setdefault(entity_key(" ".join(words[start : start + length])))
        return tuple(key for key in keys if key in self._index.entity_keys)

    def _existing(self, ids: str | Sequence[str]) -> list[int]:
        wanted = _ids(ids)
        rows = rows_of(self._store, wanted)
        for id in wanted:
            if id not in rows:
                raise UnknownIdError(f"there is no memory {id!r}")
        return [rows[id][0] for id in wanted]

    def _own_embedder(self, embedder: Embed | Embedder | str | None) -> Embedder | None:
        remembered = self._store.meta("embedder")
        if embedder is None:
            if remembered is None or str(remembered).partition(":")[0] not in _named():
                return None
            return resolve(str(remembered))
        resolved = resolve(embedder)
        if remembered is not None and resolved.name != remembered:
            raise EmbedderError(
                f"this store was written with the embedder {remembered!r}, not {resolved.name!r}; "
                "vectors of two embedders cannot be compared, so open it with its own or make a new store"
            )
        return resolved

    def _workers(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(len(pipeline.ARMS), thread_name_prefix="timewalk")
        return self._pool

    def _tell_once(self) -> None:
        if self._embedder is None and not self._told:
            self._told = True
            log.warning(
                "no embedder: recall works on words, entities and time only; "
                'timewalk.Memory(embedder="wordllama") adds meaning (pip install "timewalk[static]")'
            )


def _ids(ids: str | Sequence[str]) -> list[str]:
    if isinstance(ids, str):
        return [ids]
    if isinstance(ids, (bytes, Mapping)) or not isinstance(ids, Iterable):
        raise InvalidTypeError(f"ids are a string or several, not {type(ids).__name__}")
    return list(ids)


def _arrow(table: object) -> pa.Table:
    try:
        return pa.table(cast(Any, table))
    except (TypeError, ValueError, pa.ArrowInvalid) as error:
        raise InvalidTypeError(f"links come as an Arrow table or a data frame, not {type(table).__name__}") from error


def _named() -> Sequence[str]:
    from timewalk.embedders import named

    return list(named.LOADERS)


def _extractor(extractor: EntityExtractor | str | None) -> EntityExtractor | None:
    if not isinstance(extractor, str):
        return extractor
    kind, _, model = extractor.partition(":")
    if kind == "rules" and not model:
        return RuleExtractor()
    if kind == "spacy":
        return SpacyExtractor(model) if model else SpacyExtractor()
    if kind == "gliner":
        return GlinerExtractor(model) if model else GlinerExtractor()
    raise InvalidValueError(
        f"unknown extractor {extractor!r}; use 'rules', 'spacy', 'gliner', an EntityExtractor or None"
    )


def _window(window: Window | tuple[TimeLike, TimeLike], tz: str | tzinfo) -> Window:
    if isinstance(window, Window):
        return window
    try:
        start, end = (to_micros(time, tz=tz) for time in window)
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(f"a window is a timewalk.Window or (start, end), not {window!r}") from error
    if end < start:
        raise InvalidValueError("the window ends before it starts; give (start, end) with start first")
    return Window.from_micros(start, end, grain="given", span=(0, 0))
