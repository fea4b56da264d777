"""The indexes over a store, kept in step with it: columns, keywords, vectors and the memory graph."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk._core import MemoryGraph
from timewalk.errors import TimewalkError
from timewalk.indexes import cache
from timewalk.indexes.keyword import KeywordIndex
from timewalk.indexes.vectors import VectorIndex
from timewalk.ingest.causal import extracted_links
from timewalk.ingest.identity import entity_key
from timewalk.ingest.inference import InferredLinks, LinkRules
from timewalk.recall import loading
from timewalk.recall.columns import Chunks, Growing
from timewalk.recall.filters import Filters, Masks
from timewalk.recall.loading import ENTITY
from timewalk.recall.masked import MaskedGraph
from timewalk.recall.overlap import Overlap
from timewalk.stores.sqlite import Store

log = logging.getLogger("timewalk")

__all__ = ["ENTITY", "Index"]

Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_LAST = np.iinfo(np.int64).max
_FIRST = np.iinfo(np.int64).min
_SLICES, _OF_A_SLICE = 10, 20
_SAMPLED = 2_000  # memories that say where the middle of all vectors lies
_WORTH_SAVING = 1_000  # memories; fewer are indexed faster than files are opened


class Index:
    """What recall reads. `refresh` brings it up to the store; until then it answers from what it last saw.

    A memory goes by its position in `columns`, which is its place in all masks too. A memory that was deleted leaves
    its position to a later one of the same id. A refresh costs what has changed since the last one, not what there is;
    only keywords are indexed anew, at a second or two for 100,000 memories, once texts have changed or gone.
    """

    def __init__(self, store: Store, rules: LinkRules) -> None:
        self._store = store
        self._rules = rules
        self._clear()

    def _clear(self) -> None:
        self._change = -1
        self._last_row = 0
        self._relations = 0
        self._columns = Chunks(loading.COLUMNS.empty_table())
        self.ids: list[str] = []
        self._positions: dict[str, int] = {}
        self._by_row: dict[int, int] = {}
        self._rows = Growing(np.int64)
        self._starts = Growing(np.int64)
        self._ends = Growing(np.int64)
        self._threads = Growing(np.int64)
        self._thread_numbers: dict[tuple[str, str], int] = {}
        self._alive = Growing(np.bool_)
        self._dead = 0
        self._in_order = True
        self._masks = Masks()
        self._living: tuple[Positions, pa.Table] | None = None
        self.authors: dict[str, str] = {}
        self.keywords = KeywordIndex()
        self._unsaid: dict[int, str] = {}
        self.vectors: VectorIndex | None = None
        self.entities: dict[tuple[str, str], str] = {}
        self.entity_keys: set[str] = set()
        self.namespaces: tuple[str, ...] = ()
        self._graph = MemoryGraph()
        self.causal = _causal(self._graph)
        self._masked: MaskedGraph | None = None
        self._by_start: Positions | None = None
        self._links: InferredLinks | None = None
        self._overlap: Overlap | None = None
        self._inside: tuple[tuple[int, int], Mask] | None = None
        self._happened: Mask | None = None
        self.notes: list[str] = []
        self._centres: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}

    @property
    def columns(self) -> pa.Table:
        """One row a position: the columns of `timewalk.recall.loading.COLUMNS`."""
        return self._columns.table

    @property
    def graph(self) -> MemoryGraph:
        """The memory graph; masks go by position."""
        return cast(MemoryGraph, self._asked())

    def _asked(self) -> MaskedGraph:
        if self._masked is None:
            self._masked = MaskedGraph(self._graph, self._alive.values if self._dead else None)
        return self._masked

    @property
    def starts(self) -> Positions:
        """Earliest date of each memory in microseconds; the largest int64 where there is none."""
        return self._starts.values

    @property
    def ends(self) -> Positions:
        """Latest date of each memory in microseconds; the smallest int64 where there is none."""
        return self._ends.values

    def mask(self, filters: Filters) -> Mask | None:
        """Which positions pass the filters; None where all do."""
        order, table = (None, self.columns) if self._in_order else self._survivors()
        mask = filters.mask(table, self._masks)
        if mask is None:
            return None
        if order is not None:
            passing, mask = mask, np.zeros(len(self.ids), np.bool_)
            mask[order] = passing
        valid = table["invalid_at"].null_count == len(table)
        self._asked().learn(mask, filters, plain=valid)
        return mask

    def living_ids(self) -> list[str]:
        """The ids of all memories in the order of arrival."""
        return self.ids.copy() if self._in_order else list(self._survivors()[1]["id"].to_pylist())

    def _survivors(self) -> tuple[Positions, pa.Table]:
        """Positions and columns of what has not gone, in the order of arrival."""
        if self._living is None:
            order = np.flatnonzero(self._alive.values)
            order = order[np.argsort(self._rows.values[order], kind="stable")]
            names = [name for name in self.columns.column_names if name not in ("text", "entities", "confidences")]
            self._living = order, self.columns.select(names).take(pa.array(order))
        return self._living

    def inside(self, window: tuple[int, int]) -> Mask:
        """Which memories overlap a window [start, end) in microseconds; not to be written to."""
        if self._inside is None or self._inside[0] != window or len(self._inside[1]) != len(self.ids):
            if self._overlap is None:
                self._overlap = Overlap(self.starts, self.ends)
            self._inside = (window, self._overlap.mask(window))
        return self._inside[1]

    @property
    def happened(self) -> Mask:
        """Which memories have a date of their own, rather than only one at which they were told."""
        if self._happened is None:
            dates = [pc.is_valid(self.columns[name]) for name in ("occurred_start", "occurred_end")]
            self._happened = np.asarray(pc.or_(*dates).to_numpy(), np.bool_)
        return self._happened

    def centre(self, namespaces: tuple[str, ...]) -> npt.NDArray[np.float32]:
        """What all memories of these namespaces have in common (of all where none is named): the mean of their vectors
        at length 1, of an even sample where they are many; there must be vectors.
        """
        if namespaces not in self._centres:
            assert self.vectors is not None
            order = np.arange(len(self.ids)) if self._in_order else self._survivors()[0]
            if namespaces:
                spaces = self.columns["namespace"].take(pa.array(order))
                order = order[pc.is_in(spaces, pa.array(namespaces, pa.string())).to_numpy()]
            count = min(len(order), _SAMPLED)
            self._centres[namespaces] = self.vectors.mean(order[np.arange(count) * len(order) // max(count, 1)])
        return self._centres[namespaces]

    def spread_over(self, window: tuple[int, int], inside: Mask) -> list[str]:
        """Ids of memories from all over a window that holds many: of each of its slices those nearest to its middle.

        `inside` says which there are to choose from. Reads a few of them, however many there are.
        """
        if self._by_start is None:
            self._by_start = np.argsort(self.starts, kind="stable")
        order = self._by_start
        starts = self.starts[order]
        first, last = max(window[0], int(starts[0])), min(window[1], int(self.ends.max()) + 1)
        reach = _OF_A_SLICE * len(inside) // max(int(np.count_nonzero(inside)), 1) + 1
        cuts = np.searchsorted(starts, [first + (last - first) * at // _SLICES for at in range(_SLICES + 1)])
        found = []
        for number, (begin, end) in enumerate(pairwise(cuts.tolist())):
            # The middle of the window is the end of the earlier slices and the begin of the later ones.
            earlier = number < _SLICES // 2
            near = order[max(begin, end - reach) : end] if earlier else order[begin : min(end, begin + reach)]
            found.append(near[inside[near]])
        return [self.ids[position] for position in np.unique(np.concatenate(found)).tolist()]

    def node(self, namespace: str, key: str) -> str:
        """The graph's node id of an entity."""
        return loading.node(namespace, key)

    def position(self, id: str) -> int:
        """A memory's place in `columns` and the masks."""
        return self._positions[id]

    def threads(self, ids: Sequence[str]) -> list[int]:
        """A number for the thread of each memory, the same in one thread of one namespace; -1 where there is none."""
        numbers: list[int] = self._threads.values[[self._positions[id] for id in ids]].tolist()
        return numbers

    def author_key(self, id: str) -> str | None:
        """The identity key of a memory's author."""
        return self.authors.get(id)

    def best(self, positions: Positions, scores: npt.NDArray[np.float64], limit: int) -> Positions:
        """Places of the `limit` best in an answer of one of the indexes, by score and id."""
        order = np.lexsort((np.asarray([self.ids[at] for at in positions.tolist()], np.str_), -scores))
        return order[:limit]

    def refresh(self) -> None:
        """Reads what the store has gained, changed and lost since the last call."""
        if self._store.change() == self._change:
            return
        try:
            # Other processes may write between two queries: all of them must see one state.
            with self._store.reading():
                self._read()
        except BaseException:
            self._clear()
            raise

    def save(self) -> None:
        """Writes the indexes beside the store, as of its present state, for the next one to open it.

        A store in RAM, one of few memories and one with rules of a caller's own have no cache. A cache that cannot be
        written is not missed: nothing is raised.
        """
        if self._store.path is None or self._rules.extractors:
            return
        try:
            if self._store.count() < _WORTH_SAVING:
                return
            self.refresh()
            self._write()
        except (TimewalkError, OSError) as error:
            log.info("the indexes of %s were not saved (%s)", self._store.path, error)

    def _write(self) -> None:
        parts: dict[str, Callable[[Path], bool]] = {
            "columns": lambda path: _write_table(
                self.columns.append_column("alive", pa.array(self._alive.values)), path
            ),
            "keywords": self._write_keywords,
            "graph": self._write_graph,
        }
        facts: dict[str, Any] = {"change": self._change, "relations": self._relations}
        if self.vectors is not None:
            slots, rows = self.vectors.parts()
            facts["dimension"] = self.vectors.dimension
            parts["slots"] = lambda path: _write_table(pa.table({"slots": slots}), path)
            parts["vectors"] = lambda path: _write_table(pa.table({"vectors": rows}), path)
            parts["neighbours"] = self.vectors.save_graph
        cache.save(self._store, repr(self._rules), facts, parts)

    def _write_keywords(self, path: Path) -> bool:
        self.keywords.save(path, *self._texts())
        return True

    def _write_graph(self, path: Path) -> bool:
        self._graph.save(path)
        return True

    def _load(self) -> None:
        """Takes over what another one has saved, if there is such."""
        found = None if self._rules.extractors else cache.load(self._store, repr(self._rules))
        if found is None:
            return
        facts, files = found
        try:
            graph = MemoryGraph.load(files["graph"])
            keywords = KeywordIndex.load(files["keywords"])
            vectors = None
            if "dimension" in facts:
                slots = _read_table(files["slots"])["slots"].combine_chunks()
                rows = _read_table(files["vectors"])["vectors"].combine_chunks()
                vectors = VectorIndex.from_parts(facts["dimension"], slots, rows, files.get("neighbours"))
            table = _read_table(files["columns"])
            alive = table["alive"].to_numpy()
            columns = table.drop_columns("alive").cast(loading.COLUMNS)
        except (OSError, ValueError, KeyError, RuntimeError, pa.ArrowException) as error:
            log.info("the index cache of %s is made anew (%s)", self._store.path, error)
            return
        self._columns = Chunks(columns)
        self.ids = columns["id"].to_pylist()
        self._positions = {id: position for position, id in enumerate(self.ids)}
        rows = columns["row"].to_numpy()
        starts, ends = loading.spans(columns)
        starts[~alive], ends[~alive] = _LAST, _FIRST
        self._rows, self._alive = Growing(np.int64, rows), Growing(np.bool_, alive)
        self._starts, self._ends = Growing(np.int64, starts), Growing(np.int64, ends)
        self._threads = Growing(np.int64, self._number_threads(columns))
        living = np.flatnonzero(alive)
        self._by_row = dict(zip(rows[living].tolist(), living.tolist(), strict=True))
        self._last_row = max(self._by_row, default=0)
        self._dead = len(rows) - len(living)
        self._in_order = self._dead == 0 and bool((np.diff(rows) > 0).all())
        self._name_authors(columns if self._in_order else columns.take(pa.array(living)))
        self.keywords, self.vectors, self._graph = keywords, vectors, graph
        entities = graph.entities()
        for id, namespace in zip(entities["id"].to_pylist(), entities["namespace"].to_pylist(), strict=True):
            key = id.rpartition("\x1f")[2]
            self.entities[namespace, key] = id
            self.entity_keys.add(key)
        self.namespaces = tuple(sorted(pc.unique(columns["namespace"]).to_pylist()))
        self.causal = _causal(graph)
        self._change, self._relations = facts["change"], facts["relations"]

    def _read(self) -> None:
        change = self._store.change()
        if self._change < 0:
            self._load()
        if self._change >= 0 and (self._rules.extractors or self._dead > max(1_000, len(self.ids) // 2)):
            # A caller's own rules can only be asked about everything; and what has mostly gone is better made anew.
            self._clear()
        self._register_relations()
        if self._change < 0:
            self._fill()
        else:
            self._catch_up()
            self._refill_keywords()
        self.notes.clear()
        for extractor in self._rules.extractors:
            try:
                self._graph.add_edges(extracted_links(self.columns, (extractor,)).drop_columns("origin"))
            except Exception as error:
                log.warning("an extractor of links failed; its links are left out", exc_info=error)
                self.notes.append(f"an extractor of links failed ({type(error).__name__}: {error})")
        self._change = change
        self._inside = self._living = self._masked = self._by_start = self._happened = None
        self._overlap = None
        self._centres.clear()

    def _fill(self) -> None:
        """Takes in a whole store: memories in portions, and all links at once."""
        for fresh in loading.portions(self._store):
            start = len(self.ids)
            self._put_in(np.arange(start, start + len(fresh.memories)), fresh)
            self._put_in_graph(fresh)
        self._last_row = int(self._rows.values[-1]) if self.ids else 0
        if self.ids:
            self._links = InferredLinks(self._rules)
            nothing, everything = np.zeros(0, np.int64), np.arange(len(self.ids))
            changes = self._links.update(nothing, everything, self.columns, self.columns["id"])
            self._graph.add_edges(changes.set)
            self._add_explicit(loading.links(self._store, self._by_row))

    def _catch_up(self) -> None:
        """Takes in what has changed since the last time."""
        edits = loading.edits(self._store, self._change)
        fresh = loading.memories(self._store, self._last_row, edits.memories)
        rows = fresh.memories["row"].to_pylist()
        ids = dict(zip(rows, fresh.memories["id"].to_pylist(), strict=True))
        known = {row: self._by_row[row] for row in edits.memories if row in self._by_row}
        kept = {row for row, position in known.items() if ids.get(row) == self.ids[position]}
        sources = edits.sources.union(rows)
        gone = np.asarray(sorted(known[row] for row in known.keys() - kept), np.int64)
        if len(gone):
            sources |= self._apply(gone, np.zeros(0, np.int64), loading.Fresh.none(), leaving=True)
        if len(rows):
            positions = self._places(fresh.memories["id"].to_pylist())
            order = np.argsort(positions, kind="stable")
            replaced = np.asarray(sorted(known[row] for row in kept), np.int64)
            sources |= self._apply(replaced, positions[order], fresh.take(order), leaving=False)
        # An inferred link may have taken the place of an explicit one, or given it up: the heavier of both stays.
        self._add_explicit(loading.links(self._store, sources & self._by_row.keys()))
        if self._last_row not in self._by_row:
            self._last_row = max(self._by_row, default=0)
        self._last_row = max([self._last_row, *rows])

    def _places(self, ids: list[str]) -> Positions:
        """Positions for memories: their own, the one that a memory of their id has left, or a new one."""
        size = len(self.ids)
        positions = []
        for id in ids:
            position = self._positions.get(id)
            if position is None:
                position = size
                size += 1
            positions.append(position)
        return np.asarray(positions, np.int64)

    def _apply(self, removed: Positions, positions: Positions, fresh: loading.Fresh, *, leaving: bool) -> set[int]:
        """Takes memories out, by position, and puts others in; `leaving` if the former do not come back.

        Returns the rows of known memories from which inferred links have changed.
        """
        links = self._current_links()
        if len(removed):
            self._take_out(removed)
        if len(positions):
            self._put_in(positions, fresh)
        changes = links.update(removed, positions, fresh.memories, self.columns["id"])
        graph = self._graph
        if len(changes.removed):
            graph.remove_edges(changes.removed)
        if len(positions):
            self._put_in_graph(fresh)
        new = pa.array([self.ids[at] for at in np.setdiff1d(positions, removed).tolist()], pa.string())
        touched = changes.removed["source"]
        if len(changes.set):
            # The graph keeps the larger of two weights: a link that is there already makes room for its new weight.
            old = pc.invert(pc.or_(*(pc.is_in(changes.set[end], value_set=new) for end in ("source", "target"))))
            changed = changes.set.filter(old)
            if len(changed):
                graph.remove_edges(changed)
            graph.add_edges(changes.set)
            touched = pa.chunked_array([*touched.chunks, *changed["source"].chunks], pa.string())
        if leaving:
            graph.delete([self.ids[at] for at in removed.tolist()])
        self._forget(changes.gone)
        known = (self._positions.get(id) for id in pc.unique(touched).to_pylist())
        return {int(self._rows.values[position]) for position in known if position is not None}

    def _current_links(self) -> InferredLinks:
        """The inferred links as the graph has them; worked out again where the graph came from a file."""
        if self._links is None:
            self._links = InferredLinks(self._rules)
            if self.ids:
                alive = np.flatnonzero(self._alive.values)
                table = self.columns if not self._dead else self.columns.take(pa.array(alive))
                self._links.update(np.zeros(0, np.int64), alive, table, self.columns["id"])
        return self._links

    def _take_out(self, positions: Positions) -> None:
        old = self.columns.select(["row", "id", "text"]).take(pa.array(positions))
        self._unsaid.update(zip(positions.tolist(), old["text"].to_pylist(), strict=True))
        if self.vectors is not None:
            self.vectors.remove(positions)
        for row, id in zip(old["row"].to_pylist(), old["id"].to_pylist(), strict=True):
            del self._by_row[row]
            self.authors.pop(id, None)
        self._alive.values[positions] = False
        self._starts.values[positions], self._ends.values[positions] = _LAST, _FIRST
        self._dead += len(positions)
        self._in_order = False

    def _put_in(self, positions: Positions, fresh: loading.Fresh) -> None:
        memories = fresh.memories
        old = positions < len(self.ids)
        self._columns.replace(positions[old], memories.filter(pa.array(old)))
        self._columns.extend(memories.filter(pa.array(~old)))
        ids, rows = memories["id"].to_pylist(), memories["row"].to_numpy()
        starts, ends = loading.spans(memories)
        alive = np.ones(len(memories), np.bool_)
        growing: list[tuple[Growing[Any], npt.NDArray[Any]]] = [
            (self._rows, rows),
            (self._starts, starts),
            (self._ends, ends),
            (self._alive, alive),
            (self._threads, self._number_threads(memories)),
        ]
        for column, values in growing:
            column.values[positions[old]] = values[old]
            column.extend(values[~old])
        self._dead -= int(old.sum())
        self.ids += [id for id, known in zip(ids, old.tolist(), strict=True) if not known]
        self._positions.update(zip(ids, positions.tolist(), strict=True))
        self._by_row.update(zip(rows.tolist(), positions.tolist(), strict=True))
        self._name_authors(memories)
        self._index_texts(positions, memories["text"].combine_chunks())
        given = fresh.vectors.is_valid().to_numpy(zero_copy_only=False)
        if given.any():
            dense = fresh.vectors.drop_null().flatten().to_numpy().reshape(int(given.sum()), -1)
            if self.vectors is None:
                self.vectors = VectorIndex(dense.shape[1])
            self.vectors.put(positions[given], dense)
        self.namespaces = tuple(sorted({*self.namespaces, *pc.unique(memories["namespace"]).to_pylist()}))

    def _number_threads(self, memories: pa.Table) -> Positions:
        if not self._rules.threads:
            return np.full(len(memories), -1)
        spaces, threads = (memories[name].combine_chunks().dictionary_encode() for name in ("namespace", "thread"))
        count = len(threads.dictionary)
        pairs = pc.add(pc.multiply(spaces.indices.cast(pa.int64()), count), threads.indices.cast(pa.int64()))
        found = pairs.dictionary_encode()
        names = threads.dictionary.to_pylist()
        numbers = [
            self._thread_numbers.setdefault(
                (spaces.dictionary[pair // count].as_py(), names[pair % count]), len(self._thread_numbers)
            )
            for pair in found.dictionary.to_pylist()
        ]
        numbered = pa.array(numbers, pa.int64()).take(found.indices)
        return np.asarray(pc.fill_null(numbered, -1).to_numpy(), np.int64)

    def _index_texts(self, positions: Positions, texts: pa.Array) -> None:
        if self._unsaid:
            places, said = positions.tolist(), texts.to_pylist()
            new = np.asarray([position not in self._unsaid for position in places], np.bool_)
            for position, text in zip(places, said, strict=True):
                if self._unsaid.get(position) == text:
                    del self._unsaid[position]
            positions, texts = positions[new], texts.filter(pa.array(new))
        self.keywords.add(positions, texts)

    def _texts(self) -> tuple[Positions, pa.Array]:
        """Positions and texts of what has not gone."""
        living = np.flatnonzero(self._alive.values)
        return living, self.columns["text"].combine_chunks().take(pa.array(living))

    def _refill_keywords(self) -> None:
        """Makes the keyword index anew where texts have changed or gone: it can only grow."""
        if self._unsaid:
            self.keywords = KeywordIndex()
            self.keywords.add(*self._texts())
            self._unsaid.clear()

    def _name_authors(self, memories: pa.Table) -> None:
        authors = memories["author"].combine_chunks().dictionary_encode()
        keys = pa.array([entity_key(name) for name in authors.dictionary.to_pylist()], pa.string())
        named = memories["id"].combine_chunks().filter(authors.is_valid())
        self.authors.update(zip(named.to_pylist(), keys.take(authors.indices.drop_null()).to_pylist(), strict=True))

    def _put_in_graph(self, fresh: loading.Fresh) -> None:
        table = fresh.memories.select(loading.GRAPH_COLUMNS)
        if fresh.vectors.null_count < len(fresh.vectors) or self.vectors is not None:
            table = table.append_column("embedding", fresh.vectors)
        self._graph.add_memories(table)
        entities = fresh.entities
        self._graph.add_entities(entities.select(["id", "namespace", "type"]))
        spaces, keys = entities["namespace"].to_pylist(), entities["key"].to_pylist()
        self.entities.update(zip(zip(spaces, keys, strict=True), entities["id"].to_pylist(), strict=True))
        self.entity_keys.update(keys)

    def _forget(self, entities: list[str]) -> None:
        """Takes entities out that no memory mentions any more."""
        there = [entity for entity in entities if entity in self._graph]
        if there:
            self._graph.delete(there)
        for entity in entities:
            namespace, _, key = entity.removeprefix(ENTITY).rpartition("\x1f")
            self.entities.pop((namespace, key), None)
            if not any((other, key) in self.entities for other in self.namespaces):
                self.entity_keys.discard(key)

    def _register_relations(self) -> None:
        found = self._store.query("SELECT name, inverse, kind, boost FROM relation ORDER BY name")
        if len(found) != self._relations:
            for name, inverse, kind, boost in found:
                self._graph.register_relation(name, inverse=inverse, kind=kind, boost=boost)
            self._relations = len(found)
            self.causal = _causal(self._graph)

    def _add_explicit(self, links: pa.Table) -> None:
        if not len(links):
            return
        ids = self.columns["id"]
        ends = []
        for end in ("source", "target"):
            places = [self._by_row[row] for row in links[end].to_pylist()]
            ends.append(ids.take(pa.array(places, pa.int64())))
        table = pa.table([*ends, links["relation"], links["weight"]], links.schema.names)
        self._graph.add_edges(table)


def _causal(graph: MemoryGraph) -> list[str]:
    """Relations that say what came of what."""
    relations = graph.relations()
    return relations["name"].filter(pc.is_in(relations["kind"], pa.array(["causal", "enabling"]))).to_pylist()  # type: ignore[no-any-return]


def _write_table(table: pa.Table, path: Path) -> bool:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return True


def _read_table(path: Path) -> pa.Table:
    """A table whose buffers lie in the file."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()
