"""The class that ties the parts together."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from types import TracebackType
from typing import Any, NoReturn, Self, Unpack

import numpy.typing as npt
import pyarrow as pa

from timewalk.arrow import ArrowTable
from timewalk.decay import Engine
from timewalk.embedders import Embed, Embedder, resolve
from timewalk.errors import EmbedderError, InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.entities import EntityExtractor, GlinerExtractor, RuleExtractor, SpacyExtractor
from timewalk.ingest.inference import LinkRules
from timewalk.ingest.lines import rows_of_file
from timewalk.ingest.readers import read as read_file
from timewalk.ingest.records import to_table
from timewalk.memory import linking
from timewalk.memory.adding import Added, Progress, prepare, write
from timewalk.memory.asking import Asker
from timewalk.recall import options
from timewalk.recall.budget import CountTokens
from timewalk.recall.filters import FilterOptions
from timewalk.recall.hits import Hits
from timewalk.recall.index import ENTITY, Index
from timewalk.recall.options import RecallOptions, Settings
from timewalk.recall.rerankers import Reranker
from timewalk.stores.memories import drop_unmentioned, note_edits, rows_of, stored
from timewalk.stores.sqlite import Store
from timewalk.times import TimeLike, from_micros, now_micros, to_micros
from timewalk.touch import touch
from timewalk.windows import Window

log = logging.getLogger("timewalk")


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

    A file that is there and may not be written, or lies in a folder that may not, is opened for reading: it recalls as
    ever, and every write raises a `StoreError` that says why.

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
        if links is not None and not isinstance(links, LinkRules):
            raise InvalidTypeError(f"links is a timewalk.LinkRules or None, not {type(links).__name__}")
        self._store = Store(None if path is None else _path(path))
        self._relations = linking.Relations(self._store)
        try:
            self._embedder = self._own_embedder(embedder)
            self._extractor = _extractor(extractor)
        except BaseException:
            self._store.close()
            raise
        self._index = Index(self._store, links or LinkRules())
        self._lock = threading.RLock()
        self._asker = Asker(self._store, self._index, self._embedder, self._extractor, self._lock)
        self._told = False

    # Writing ---------------------------------------------------------------------------------------------------

    def add(
        self,
        records: Any,
        *,
        tz: str | tzinfo = "UTC",
        now: TimeLike | None = None,
        progress: Progress | None = None,
    ) -> Added:
        """Adds records, all or none, and returns their ids in order, with the counts of new, changed and unchanged.

        `records` are dicts, one dict, an Arrow table, a pandas or polars frame, or the path of a JSON lines, JSON, CSV,
        Parquet or Arrow file; `text` is required, and any of id,
        namespace, fact_type, thread, author, tags, occurred_start, occurred_end, mentioned_at, created_at, embedding,
        entities, causes, caused_by, recent_accesses, historical_count and metadata may be there; other keys are kept
        as metadata. A record of a known id replaces it; the same again changes nothing. Times without zone are read
        in `tz`; `created_at` is `now` (the wall clock unless given) where it is missing.

        `progress` is called with (done, all) as texts are embedded. Once this has returned the records survive a
        kill of the process. Every fault in the input is a typed error that names row and column.
        """
        self._store.require_writable()
        stamp = now_micros(now)
        if progress is not None and not callable(progress):
            raise InvalidTypeError(f"progress is called with (done, all), but is {type(progress).__name__}")
        if isinstance(records, (str, os.PathLike)):
            read = read_file(records)
            with rows_of_file(records):
                table = to_table(read, tz=tz, now=from_micros(stamp))
        else:
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
            return write(self._store, addition, embedder=self._embedder, relations=self._relations)

    def link(self, source: str, target: str, relation: str, *, weight: float = 1.0) -> None:
        """Links two memories: `source` causes, enables, prevents, follows … `target`.

        Linking the same again keeps the larger weight. Raises `UnknownIdError` for ids and relations that do not
        exist, `InvalidValueError` for weights below 0 or not finite, self-loops and links between namespaces.
        """
        linking.add(self._store, self._relations, [linking.Link(source, target, relation, weight)], single=True)

    def link_many(self, table: ArrowTable | pa.Table) -> None:
        """Links from an Arrow table (or frame) with source, target, relation and, if you like, weight: all or none."""
        linking.add(self._store, self._relations, linking.links_of(table))

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

    def invalidate(self, ids: str | Sequence[str], *, at: TimeLike | None) -> None:
        """Marks memories as no longer true from `at` on: kept as history, left out of recalls with a later `now`.

        Of two such times the earlier counts: being told again does not make a memory true for longer. None takes it
        back.
        """
        moment = None if at is None else to_micros(at)
        rows = self._existing(ids)
        with self._store.transaction() as connection:
            connection.executemany(
                "UPDATE memory SET invalid_at = min(coalesce(invalid_at, ?), ?) WHERE row = ?",
                [(moment, moment, row) for row in rows],
            )
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
        self._store.save(_path(path))

    def close(self) -> None:
        """Closes the store; a second call does nothing.

        One that wrote brings its indexes up to date first, and leaves them in the folder `FILE-index` for the next to
        open: deleting it is always safe.
        """
        self._asker.close()
        try:
            with self._lock:
                if self._store.wrote and self._store.is_open:
                    self._index.save()
        finally:
            self._store.close()

    def __reduce__(self) -> NoReturn:
        raise InvalidTypeError(
            "a Memory cannot be pickled or copied: it holds an open store; open its file again with "
            "timewalk.Memory(path) where you need it"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._store.query("SELECT count(*) FROM memory")[0][0])

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and bool(self._store.query("SELECT 1 FROM memory WHERE id = ?", (id,)))

    def __repr__(self) -> str:
        where = "in RAM" if self._store.path is None else str(self._store.path)
        only = ", for reading only" if self._store.refusal else ""
        return f"<timewalk.Memory {where}, embedder {self._embedder.name if self._embedder else None}{only}>"

    # Reading ---------------------------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        now: TimeLike | None = None,
        tz: str | tzinfo = "UTC",
        locale: str = "en",
        window: Window | tuple[TimeLike | None, TimeLike | None] | None = None,
        query_vector: npt.ArrayLike | None = None,
        arms: str | Sequence[str] | None = None,
        engine: Engine | Sequence[Engine] | None = None,
        reranker: Reranker | str | None = None,
        diversity: float = 0.0,
        max_tokens: int | None = None,
        count_tokens: CountTokens | None = None,
        explain: bool = False,
        **filters: Unpack[FilterOptions],
    ) -> Hits:
        """The `k` memories that answer best, with the story around the window.

        The window is read from the question ("in April 1970", "last week", seen from `now` in the zone `tz`, in the
        language `locale` as `find_window` takes it), unless `window` gives one: a `Window` or (start, end), either None
        where it is open. With one, the walk leads from the memories in it along causal and temporal links; without,
        meaning, words and entities answer, and causal links lead on from the best. `query_vector` replaces the
        embedding of the question. `now` is the wall clock's time unless given.

        Filters: `namespace`, `fact_type`, `tags`, `tags_all`, `tags_none`, `author`, `thread`, `times`, `as_of` and
        `mask`, as `timewalk.FilterOptions` says; each must hold, on seeds, on every hop and on hits.

        `arms` says which of "semantic", "keyword", "graph" and "temporal" are asked, and with "thread", "title"
        and "cause" whether the neighbours of the best in a thread, those whose title the best name, and, without a
        window, their causes and effects gain from them; all of these unless told otherwise.

        What was found then goes through these, in this order, each left out unless asked for. `reranker` scores texts
        against the question: a callable, or "sentence-transformers" or "fastembed", each with ":model" if you like.
        Its order is what counts; what a window added to a score stays. `engine` weighs by time, as `timewalk.rerank`
        does, with the score as similarity; its columns are last_access (the latest access, else created_at),
        recent_accesses, historical_count, created_at, occurred_start, occurred_end and mentioned_at. `diversity`, from
        0 to 1, takes fewer that say the same: by vectors, or by words where not all have one. `max_tokens` bounds what
        the texts need together; what is too long is passed over, and what comes after it may fit. `count_tokens` counts
        for a text, by default one for every four bytes.

        An arm or a model that fails is left out, and `Hits.notes` says so; `explain` adds notes on what each arm
        brought in. Reading never changes the store. An empty store or question gives an empty answer. Raises
        `InvalidTypeError` and `InvalidValueError` for arguments that are wrong, `UnknownIdError` for an unknown id in
        `mask`.
        """
        settings = Settings.of(
            {
                "k": k,
                "now": now,
                "tz": tz,
                "locale": locale,
                "window": window,
                "arms": arms,
                "engine": engine,
                "reranker": reranker,
                "diversity": diversity,
                "max_tokens": max_tokens,
                "count_tokens": count_tokens,
                "explain": explain,
                **filters,
            }
        )
        self._tell_once()
        vectors = None if query_vector is None else [query_vector]
        return self._asker.recall([options.text(query, "query")], settings, vectors)[0]

    def recall_many(
        self,
        queries: Sequence[str],
        *,
        query_vectors: Sequence[npt.ArrayLike] | npt.NDArray[Any] | None = None,
        **given: Unpack[RecallOptions],
    ) -> list[Hits]:
        """`recall` for several questions, with the same options: one answer each, in order.

        Their texts are embedded in one call. `query_vectors` gives one vector a question instead.
        """
        asked = options.texts(queries, "queries")
        settings = Settings.of(given)
        vectors = None if query_vectors is None else options.vectors(query_vectors, len(asked))
        self._tell_once()
        return self._asker.recall(asked, settings, vectors) if asked else []

    async def arecall(
        self, query: str, *, query_vector: npt.ArrayLike | None = None, **given: Unpack[RecallOptions]
    ) -> Hits:
        """`recall` for asyncio, in a thread of its own, so that the event loop goes on meanwhile.

        Where the task is cancelled, the thread's answer is dropped; there is nothing to undo.
        """
        return await asyncio.to_thread(self.recall, query, query_vector=query_vector, **given)

    def proactive_context(
        self,
        text: str,
        *,
        k: int = 10,
        now: TimeLike | None = None,
        tz: str | tzinfo = "UTC",
        arms: str | Sequence[str] | None = None,
        engine: Engine | Sequence[Engine] | None = None,
        reranker: Reranker | str | None = None,
        diversity: float = 0.0,
        max_tokens: int | None = None,
        count_tokens: CountTokens | None = None,
        explain: bool = False,
        **filters: Unpack[FilterOptions],
    ) -> Hits:
        """Memories that what is being said brings up, without a question: its entities, activated over the graph,
        fused with words and meaning. No window is read, so the temporal arm finds nothing. Arguments as for `recall`.
        """
        settings = Settings.of(
            {
                "k": k,
                "now": now,
                "tz": tz,
                "locale": "en",
                "window": None,
                "arms": arms,
                "engine": engine,
                "reranker": reranker,
                "diversity": diversity,
                "max_tokens": max_tokens,
                "count_tokens": count_tokens,
                "explain": explain,
                **filters,
            }
        )
        self._tell_once()
        return self._asker.context(options.text(text, "text"), settings)

    @property
    def ids(self) -> list[str]:
        """The ids of all memories, in the order that a boolean `mask` has."""
        return self._asker.ids()

    # Parts -----------------------------------------------------------------------------------------------------

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
    listed = list(ids)
    for id in listed:
        if not isinstance(id, str):
            raise InvalidTypeError(f"an id is a string, not {type(id).__name__}")
    return listed


def _path(path: object) -> str | os.PathLike[str]:
    if isinstance(path, (str, os.PathLike)) and isinstance(os.fspath(path), str):
        return path
    raise InvalidTypeError(f"a store's path is a string or a path, not {type(path).__name__}")


def _named() -> Sequence[str]:
    from timewalk.embedders import named

    return list(named.LOADERS)


def _extractor(extractor: EntityExtractor | str | None) -> EntityExtractor | None:
    if not isinstance(extractor, str):
        if extractor is not None and (isinstance(extractor, type) or not callable(extractor)):
            raise InvalidTypeError(f"an extractor is a name, an EntityExtractor or None, not {extractor!r}")
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
