"""The memory graph of the compiled core: `timewalk._core.MemoryGraph` and its masks, typed in a file of their own."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

import pyarrow as pa

from timewalk.times import TimeLike

_Names: TypeAlias = str | Sequence[str]
_Moment: TypeAlias = TimeLike | int
_Window: TypeAlias = tuple[_Moment | None, _Moment | None] | Sequence[_Moment | None] | Any

@final
class GraphMask:
    """A set of memories of one graph, made ready for the `mask` of many queries by `MemoryGraph.mask`."""

    def __len__(self) -> int: ...

@final
class MemoryGraph:
    """A graph of memories and entities with typed, weighted, directed edges, over Arrow columns.

    Memories and entities share one space of string ids; integer ids stand for their decimal strings. Every node lives
    in a namespace ("default" unless named), and no edge crosses one. Tables are any Arrow object with the PyCapsule
    interface (pyarrow, polars, pandas, arro3, ...). Weights are kept as float32, vectors as float32 of length 1.

    Many threads may read while others write: a query sees the state at its begin, readers never wait for writers, and a
    write that fails has changed nothing. All queries free the GIL and stop on Ctrl-C. The same data and call give the
    same bits, whatever the order in which nodes and edges came.

    Filters, which all queries take and which hold on seeds, on every hop and on results:

    - `namespace`: one or several; None for all.
    - `fact_type`: memories of one or several fact types; entities pass.
    - `tags`: memories with one of these tags, or with all of them under `tags_match="all"`; entities pass.
    - `mask`: memories by id, booleans in the order of `memories()`, or what `mask()` made of them; entities pass.
    - `as_of`: the state at a time: memories created by then and not yet invalid. None: what is valid now.
    """

    def __new__(cls) -> MemoryGraph: ...
    def __len__(self) -> int:
        """Number of memories and entities."""

    def __contains__(self, id: object, /) -> bool:
        """Whether a memory or entity has this id."""

    @property
    def num_edges(self) -> int:
        """Number of directed edges."""

    def add_memories(self, table: Any, *, tz: str = "UTC") -> None:
        """Adds memories, or changes known ones in the columns that the table has.

        Columns: id (string or integer, needed), and any of namespace, fact_type, thread, author (strings), tags (list
        of strings), occurred_start, occurred_end, mentioned_at, created_at (timestamps of any unit and zone, dates, ISO
        strings; naive ones are read in `tz`), embedding (list of float, all of one length; zeros count as none). A null
        clears the value of a known memory, an absent column leaves it. Other columns are ignored.

        Errors name row and column: an id missing, twice in one table or of an entity; an end before its start; NaN,
        infinity or a wrong length in a vector; a change of namespace for a memory that has edges.
        """

    def add_entities(self, table: Any) -> None:
        """Adds entities, or changes known ones. Columns: id (needed), namespace, type."""

    def add_edges(self, table: Any, *, merge: Literal["max", "replace"] = "max") -> None:
        """Adds directed edges between known nodes. Columns: source, target, relation, and weight (null or absent: 1.0).

        An edge that is there already, by source, target and relation, keeps the larger weight; with merge="replace" it
        takes the new one. Errors name row and column: an unknown id or relation, a weight that is negative or not
        finite, an edge from a node to itself, an edge from one namespace to another.
        """

    def remove_edges(self, table: Any) -> int:
        """Takes edges away; returns how many went. Columns: source, target, relation (absent: of every relation).

        Edges that are not there are passed over. Raises `UnknownIdError` for an unknown id or relation, and then
        nothing has changed.
        """

    def register_relation(
        self,
        name: str,
        *,
        inverse: str | None = None,
        kind: Literal["causal", "enabling", "temporal", "other"] = "causal",
        boost: float | None = None,
    ) -> None:
        """Adds a relation, or gives a known one another kind and boost.

        `boost` defaults to the kind's: 2.0 causal, 1.5 enabling, 1.0 else. The inverse is registered along with it and
        keeps the same boost until it is registered itself. Without `inverse`, a causal or enabling relation gets
        "inverse:NAME", any other is symmetric.
        """

    def delete(self, ids: Iterable[str | int]) -> list[str]:
        """Deletes memories and entities with all their edges; returns the ids that went.

        An entity goes as well when the last memory that was linked to it goes. A deleted id may come back as something
        new. Raises `UnknownIdError` for an id that is not there, and then nothing has changed.
        """

    def invalidate(self, ids: Iterable[str | int], *, at: _Moment | None) -> None:
        """Marks memories as no longer true from `at` on; None takes that back.

        Queries no longer see them, except with an `as_of` before `at`.
        """

    def merge_entities(self, keep: str | int, others: Iterable[str | int]) -> None:
        """Makes several entities of one namespace one: the ids of the others become aliases of `keep`, their edges its
        edges, the larger weight where both had one. Adding an alias again, or an edge to it, means `keep`.
        """

    def compact(self) -> None:
        """Folds all changes since the last compaction into the compressed rows. Happens by itself when they grow."""

    def check(self) -> list[str]:
        """What does not hold of what must hold (order of rows, both directions, counts, times, ...); empty if sound."""

    def stats(self) -> dict[str, int]:
        """Figures: nodes, memories, entities, edges, vectors, dim, invalidated, patched (edges in rows changed since
        the last compaction, both directions), bytes_edges, bytes_vectors, bytes (without what the allocator adds)."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the graph to one file: another name first, synced, then renamed, so that no reader sees half of it.

        Raises `FileAccessError` where that cannot be done; an older file of the name is then untouched.
        """

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MemoryGraph:
        """A graph from a file of `save`. Edges and vectors are read in place from a memory map; all checksums are
        compared first. Raises `FileAccessError`, or `FileFormatError` for a damaged, cut, newer or foreign file.
        """

    def to_bytes(self) -> bytes:
        """The bytes that `save` would write; also what pickle keeps."""

    @classmethod
    def from_bytes(cls, data: bytes) -> MemoryGraph:
        """A graph from `to_bytes`. Raises `FileFormatError`."""

    def __copy__(self) -> MemoryGraph: ...
    def __deepcopy__(self, _memo: Any) -> MemoryGraph: ...
    def memories(self) -> pa.Table:
        """All memories in order of insertion; embeddings come back at length 1."""

    def entities(self) -> pa.Table:
        """All entities in order of insertion: id, namespace, type, aliases."""

    def edges(self) -> pa.Table:
        """All edges: source, target, relation, weight."""

    def relations(self) -> pa.Table:
        """All relations: name, inverse, kind, boost."""

    def mask(self, memories: Iterable[str | int] | Any) -> GraphMask:
        """A mask made ready once, for the `mask` of many queries: memories by id, or booleans in the order of
        `memories()`. It stays a set of these memories whatever is written later; one that was deleted does not pass.
        """

    def spread(
        self,
        seeds: Iterable[str | int] | Mapping[str, float] | Any,
        *,
        depth: int = 3,
        decay: float = 0.5,
        threshold: float = 0.01,
        fire: Literal["every", "once", "wave"] = "every",
        own: bool = True,
        combine: Literal["sum", "max", "noisy_or"] = "sum",
        fan: Literal["sqrt", "degree", "actr"] | None = None,
        fan_strength: float = 2.0,
        clamp: float | None = None,
        max_active: int | None = None,
        direction: Literal["out", "in", "both"] = "out",
        relations: _Names | None = None,
        paths: bool = False,
        limit: int | None = None,
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """Classic spreading activation: id, activation, strongest first, ties by id.

        Seeds (ids, which start at 1.0; a dict or table of id and activation) fire for `depth` rounds: every active node
        sends activation * weight * decay along each edge, what exceeds the threshold adds up at the target and joins
        the activations at the end of the round. Once a round changes nothing, no more are made. The plain rule is
        unbounded: in cycles and behind hubs activations grow past any number; a `depth` that goes on for more than
        10,000 rounds (or nodes, if there are more) that change something is an `InvalidValueError`.

        Options: fire="once" lets a node send only in the round after it became active; fire="wave" sends just what the
        round before brought, so that what comes from two steps away does not hang on whether the node between was a
        seed; with it, own=False leaves the seeds' own start out of the activations. combine="max" or "noisy_or"
        in place of sums; `fan` divides by the root of the out-degree, by the out-degree, or takes ACT-R's
        max(0, 1 - ln(degree)/fan_strength); `clamp` bounds every activation; `max_active` keeps the strongest after
        each round. `direction` and `relations` say which edges are used, as seen from the sending node; with "both" an
        edge stored from both ends counts once. `paths` adds the columns depth, parent, relation and weight: the round
        of a node's first activation and its largest contribution in it (`timewalk.graph.path_to` follows them to a
        seed); it takes about twice as long. The schema metadata holds visited, expanded and truncated as JSON under
        b"timewalk". Source: Collins and Loftus 1975; Anderson 1983 (fan).
        """

    def pagerank(
        self,
        seeds: Iterable[str | int] | Mapping[str, float] | Any,
        *,
        restart: float = 0.5,
        epsilon: float = 1e-4,
        direction: Literal["out", "in", "both"] = "out",
        relations: _Names | None = None,
        paths: bool = False,
        limit: int | None = None,
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """Personalised PageRank by forward push: id, activation in [0, 1], most first, ties by id.

        A walker starts at a seed (chosen by weight), follows edges by weight, and goes back to a seed with chance
        `restart`, and always from a node without usable edges. Residuals up to epsilon * out-degree are not pushed: the
        work is bounded by 1/(restart * epsilon) edges, whatever the size of the graph. `paths` adds the columns depth,
        parent, relation and weight: the largest push to a node before its own first. The schema metadata holds visited,
        expanded and residual (the mass left) as JSON under b"timewalk".
        Source: Andersen, Chung and Lang 2006.
        """

    def walk(
        self,
        window: _Window,
        *,
        query: Any = None,
        relevance: Mapping[str, float] | Any = None,
        order: Literal["best", "breadth"] = "best",
        budget: int = 100,
        threshold: float = 0.3,
        seeds: int = 10,
        no_date: float | None = 0.0,
        decay: float = 0.7,
        min_weight: float = 0.1,
        fan_out: int = 64,
        limit: int | None = None,
        candidates: Iterable[str | int] | None = None,
        tz: str = "UTC",
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """Temporal spreading activation from the memories in a window along temporal and causal edges.

        `window` is half-open, (start, end) as datetimes, ISO strings or integer microseconds, or an object with
        `start_micros` and `end_micros`; None is an open end, which stands for the graph's first or last time; two equal
        ends are that instant. `query` is a vector, `relevance` keyword scores in [0, 1] by id (dict, or table of id and
        relevance). A memory's relevance is the larger of its cosine (at least 0) and its score, and it passes the
        semantic gate if either reaches `threshold`. Without both, everything is relevant.

        Columns: id, similarity (cosine; null without vectors), proximity, activation, depth, parent, relation and
        weight of the step that brought it in (null for seeds). The relation is read from the parent, so an edge that
        was walked against its direction shows its inverse. Highest activation first, ties by id. The schema metadata
        holds visited, expanded, truncated, budget and entries (memories of the window that passed) as JSON under
        b"timewalk".

        order="best": seeds are the best by relevance * proximity, spread over the window (it is cut into `seeds` equal
        slices; the best of each are taken in turn, then the second best), and start at that product. An edge's factor
        is weight * boost * decay, at most 0.95. A node's activation is the largest product over all paths, in [0, 1].
        Causal and enabling edges are walked both ways and need no gate, temporal ones as stored and behind the gate.
        `budget` bounds the nodes settled, `fan_out` the edges followed from one node (the largest factors, after
        filtering), `limit` the rows returned. Proximity: 1 at the middle of the window, 0.5 at its edge, halving with
        every half width beyond; `no_date` for memories without date, None leaves them out.

        order="breadth" is the published rule: the latest seeds at 1.0, batches of 20, the gate at every hop, 200
        neighbours a batch by weight, the larger of parent * factor and linear proximity, the first visit wins, nothing
        at 0.2 or below, edges as stored.
        """

    def best_first(
        self,
        seeds: Iterable[str | int] | Mapping[str, float] | Any,
        *,
        budget: int = 1000,
        decay: float = 0.5,
        threshold: float = 0.0,
        direction: Literal["out", "in", "both"] = "out",
        relations: _Names | None = None,
        targets: Iterable[str | int] | None = None,
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """The largest product of factors over all paths from the seeds: id, activation, depth, parent, relation,
        weight.

        The strongest node is settled first, until `budget` nodes are settled, all `targets` are, or nothing of at least
        `threshold` is left. A factor is weight * decay, at most 1. It also answers why a node is active: with the node
        as target, the rows lead back to a seed (`timewalk.graph.path_to`). Ties by id.
        """

    def spread_many(
        self,
        seeds: Iterable[Iterable[str | int] | Mapping[str, float] | Any],
        *,
        depth: int = 3,
        decay: float = 0.5,
        threshold: float = 0.01,
        fire: Literal["every", "once", "wave"] = "every",
        own: bool = True,
        combine: Literal["sum", "max", "noisy_or"] = "sum",
        fan: Literal["sqrt", "degree", "actr"] | None = None,
        fan_strength: float = 2.0,
        clamp: float | None = None,
        max_active: int | None = None,
        direction: Literal["out", "in", "both"] = "out",
        relations: _Names | None = None,
        paths: bool = False,
        limit: int | None = None,
        threads: int | None = None,
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """`spread` for each item of `seeds`, on all cores or on `threads`: query (position of the item), id,
        activation.

        The same bits as single calls, at any number of threads. `paths` adds depth, parent, relation and weight.
        """

    def pagerank_many(
        self,
        seeds: Iterable[Iterable[str | int] | Mapping[str, float] | Any],
        *,
        restart: float = 0.5,
        epsilon: float = 1e-4,
        direction: Literal["out", "in", "both"] = "out",
        relations: _Names | None = None,
        paths: bool = False,
        limit: int | None = None,
        threads: int | None = None,
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """`pagerank` for each item of `seeds`, on all cores or on `threads`: query, id, activation, and
        what `paths` adds."""

    def walk_many(
        self,
        windows: Iterable[_Window],
        *,
        queries: Iterable[Any] | None = None,
        order: Literal["best", "breadth"] = "best",
        budget: int = 100,
        threshold: float = 0.3,
        seeds: int = 10,
        no_date: float | None = 0.0,
        decay: float = 0.7,
        min_weight: float = 0.1,
        fan_out: int = 64,
        limit: int | None = None,
        threads: int | None = None,
        tz: str = "UTC",
        namespace: _Names | None = None,
        fact_type: _Names | None = None,
        tags: _Names | None = None,
        tags_match: Literal["any", "all"] = "any",
        mask: Any = None,
        as_of: _Moment | None = None,
    ) -> pa.Table:
        """`walk` for each window and the query of its place, on all cores or on `threads`; the position of the window
        is in the column query, in front of those of `walk`."""
