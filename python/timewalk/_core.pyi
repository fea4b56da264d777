"""The compiled core; use it through the names of the package `timewalk`."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self, TypeAlias, final

import pyarrow as pa

from timewalk.arrow import ArrowArray
from timewalk.reranking.fusion import Fusion
from timewalk.times import TimeLike

_Names: TypeAlias = str | Sequence[str]
_Moment: TypeAlias = TimeLike | int
_Window: TypeAlias = tuple[_Moment | None, _Moment | None] | Sequence[_Moment | None] | Any
_Named: TypeAlias = tuple[str, ArrowArray | Column]
_Parameter: TypeAlias = float | _Named
_Options: TypeAlias = tuple[int, str, str | None, bool, int | None]
_Weights: TypeAlias = tuple[ArrowArray | Column, bool, str]

__version__: str

def micros(array: ArrowArray, *, column: str = "time", tz: str = "UTC") -> pa.Int64Array:
    """Microseconds since the epoch in UTC from a time column; see `timewalk.times.column_micros`."""

def fuse(
    rankings: Sequence[tuple[Sequence[str], Sequence[float]]],
    method: str,
    k: float,
    weights: Sequence[float],
) -> list[tuple[str, float, list[int | None], list[float | None]]]:
    """Fused rows (id, score, rank in each ranking, score in each ranking); see `timewalk.fuse`."""

@final
class Column:
    """A column that has not left Rust: results of the engines and columns of dicts, on their way to the next step."""

    def __len__(self) -> int: ...
    def to_pyarrow(self) -> pa.Array:
        """The same as a `pyarrow.Array`, without a copy."""

def decay_half_life(times: _Named, half_life: _Parameter, options: _Options) -> Column:
    """(1/2)^(age / half-life); see `timewalk.half_life`."""

def decay_ebbinghaus(times: _Named, strength: _Parameter, floor: _Parameter, options: _Options) -> Column:
    """floor + (1 - floor)·e^(-age / strength); see `timewalk.ebbinghaus`."""

def decay_power_law(
    times: _Named, stability: _Parameter, decay: _Parameter, factor: _Parameter | None, options: _Options
) -> Column:
    """(1 + factor·age / stability)^(-decay); see `timewalk.power_law`."""

def decay_curve(
    shape: str,
    values: _Named,
    origin: tuple[str, float, int],
    scale: _Parameter,
    offset: _Parameter,
    decay: _Parameter,
    options: _Options,
) -> Column:
    """gauss, exp or linear; see `timewalk.gauss`."""

def decay_actr(
    recent: _Named,
    historical_count: _Named | None,
    created_at: _Named | None,
    decay: _Parameter,
    min_age: float,
    options: _Options,
) -> Column:
    """ACT-R base-level activation; see `timewalk.actr`."""

def decay_simd() -> str:
    """The instruction set that the engines run on; see `timewalk.decay.simd`."""

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

        Raises `StoreError` where that cannot be done; an older file of the name is then untouched.
        """

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MemoryGraph:
        """A graph from a file of `save`. Edges and vectors are read in place from a memory map; all checksums are
        compared first. Raises `StoreError`, or `FileFormatError` for a damaged, cut, newer or foreign file.
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
        the activations at the end of the round. The plain rule is unbounded: in cycles and behind hubs activations grow
        past any number.

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

def find_window(
    text: str, now: int, tz: str, prefer: str, locale: str
) -> tuple[int | None, int | None, str, int, int, int, int] | None:
    """The window that governs a text; see `timewalk.find_window`."""

def find_windows(
    text: str, now: int, tz: str, prefer: str, locale: str
) -> list[tuple[int | None, int | None, str, int, int, int, int]]:
    """Every window in a text; see `timewalk.find_windows`."""

def window_languages() -> list[str]:
    """Names of the languages that are built in."""

@final
class Ranked:
    """Rows in their new order, with what the order was made of."""

    def __len__(self) -> int: ...
    def columns(self) -> list[Any]:
        """Row numbers, best first, and score, temporal weight and similarity in that order."""

    def dicts(self, hits: list[dict[str, Any]], names: tuple[str, str, str]) -> list[dict[str, Any]]:
        """Copies of the hits in the new order, with three more keys."""

def rank_hits(
    similarity: _Named,
    temporal: Sequence[_Weights],
    groups: Sequence[_Named],
    ids: _Named | None,
    fusion: Fusion,
    k: int | None,
    threads: int | None,
) -> Ranked:
    """Scores hits and puts them in order; see `timewalk.rerank`."""

@final
class BestHits:
    """The best `k` of each group over batches that come one after another."""

    def __new__(cls, k: int) -> Self: ...
    def add(
        self,
        similarity: _Named,
        temporal: Sequence[_Weights],
        groups: Sequence[_Named],
        ids: _Named | None,
        fusion: Fusion,
    ) -> pa.UInt64Array:
        """Takes a batch; gives the numbers of its rows that must be kept, in their order."""

    def counts(self) -> tuple[int, int, int]:
        """Rows seen, rows that were to be kept, and how many of these still matter."""

    def compact(self) -> pa.UInt64Array:
        """Numbers of the kept rows that still matter; the others are to be dropped, and all are numbered anew."""

    def winners(self) -> list[Any]:
        """The kept rows in their final order, with score, temporal weight and similarity."""

def pick(hits: list[dict[str, Any]], key: str) -> tuple[list[Any], str, int]:
    """The values under a key of every hit, what they are, and how many hits have the key."""

@final
class NameMatcher:
    """Finds many names in many texts in one pass; see `timewalk.ingest.known`."""

    def __new__(cls, names: ArrowArray) -> NameMatcher: ...
    def __len__(self) -> int: ...
    def find(self, texts: ArrowArray) -> tuple[pa.Int64Array, pa.Int64Array]:
        """Rows of texts and numbers of names, one of each a mention, by row and place."""

def causal_links(
    memories: tuple[ArrowArray, ArrowArray, ArrowArray, ArrowArray, ArrowArray],
    options: tuple[int, float, float, float, float],
) -> tuple[pa.Int64Array, pa.Int64Array, pa.StringArray, pa.DoubleArray, pa.StringArray]:
    """Causal links that texts state; see `timewalk.ingest.causal.causal_links`."""

def floats(values: list[Any]) -> Column:
    """A list of floats and integers (None is null) as a column of float64."""

def strings(values: list[Any]) -> Column:
    """A list of strings (None is null) as a column."""

def datetimes(values: list[Any]) -> Column:
    """A list of datetimes (None is null; a naive one is in UTC) as a column of microseconds."""

def datetime_lists(values: list[Any]) -> Column:
    """A list of lists or tuples of datetimes (None is null, at either depth) as a list column of microseconds."""

def find_anchor(
    text: str, now: int, tz: str, locale: str
) -> tuple[str, list[tuple[str, int]], bool, tuple[int, int], tuple[int, int], bool] | None:
    """The expression that hangs on an event; see `timewalk.windows.find_anchor`."""

def anchor_window(
    relation: str,
    length: list[tuple[str, int]],
    stretch: bool,
    span: tuple[int, int],
    start: int,
    end: int,
    now: int,
    tz: str,
) -> tuple[int | None, int | None, str, int, int, int, int]:
    """The window of such an expression, given its event's time; see `timewalk.windows.AnchoredExpression.window`."""

@final
class Nearest:
    """Vectors of one dimension by position (uint32), and the nearest by cosine, exactly. Zeros have cosine 0."""

    def __new__(cls, dimension: int) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    def put(self, positions: Any, vectors: Any) -> None:
        """Stores or replaces vectors: float32, one after the other."""

    def remove(self, positions: Any) -> None:
        """Takes vectors away; positions without one are passed over."""

    def units(self, positions: Any) -> pa.FloatArray:
        """Vectors at length 1, one after the other; zeros where there is none."""

    def cosines(self, query: Any, positions: Any) -> pa.DoubleArray:
        """Exact cosines in [-1, 1]."""

    def search(self, query: Any, limit: int, among: Any = None) -> tuple[pa.Int64Array, pa.DoubleArray]:
        """Positions and cosines of the `limit` nearest and of all that tie with the last, best first, ties by
        position. `among`: positions (uint32) that may be found, each once; all if None."""

    def parts(self) -> tuple[pa.UInt32Array, pa.FloatArray]:
        """Rows by position, and the vectors one after the other: what `from_parts` reads."""

    @staticmethod
    def from_parts(dimension: int, slots: Any, rows: Any) -> Nearest:
        """Reads the vectors in place. Raises `FileFormatError` for parts that do not belong together."""

_Changed: TypeAlias = tuple[Any, Any, Any, Any, Any]
# Sources and targets of links that are no more; sources, targets and weights of those that are new or changed.

@final
class ThreadLinks:
    """`follows` links, kept in step with memories that go by position (uint32): each update tells what it changes."""

    def __new__(cls) -> Self: ...
    def update(self, removed: Any, positions: Any, orders: Any, namespaces: Any, threads: Any) -> _Changed:
        """Takes memories out, then others in. `orders`: int64, the order of arrival."""

@final
class TimeLinks:
    """`temporal` links in the same manner, by the rule of `timewalk.ingest.links.temporal_links`."""

    def __new__(cls, half_life: float, floor: float, limit: int) -> Self: ...
    def update(self, removed: Any, positions: Any, namespaces: Any, ids: Any, times: Any) -> _Changed:
        """Takes memories out, then others in. `times`: int64, microseconds or null; `half_life` likewise."""

@final
class MentionLinks:
    """`mentions` and `co_occurs` links in the same manner, by the rule of `timewalk.ingest.links`."""

    def __new__(cls, floor: float, limit: int, most_entities: int) -> Self: ...
    def update(self, positions: Any, entities: Any, confidences: Any) -> tuple[_Changed, _Changed, Any]:
        """Gives memories other mentions, none for those that go: lists of ids and of float64. Returns changes of
        mentions (positions to ids) and of pairs (ids to ids), and the ids that no memory mentions any more."""

@final
class CausalLinks:
    """`causes`, `caused_by` and `enabled_by` links in the same manner, by the rule of
    `timewalk.ingest.causal.causal_links`."""

    def __new__(
        cls, repairs: int, repair_floor: float, clause_floor: float, span: float, entity_weight: float
    ) -> Self: ...
    def update(
        self, removed: Any, positions: Any, orders: Any, memories: tuple[Any, Any, Any, Any, Any]
    ) -> tuple[tuple[Any, Any, Any], _Changed]:
        """Takes memories out, then others in: texts, namespaces, starts, ends (int64 microseconds) and entities (lists
        of strings). Returns source, target and relation of what is no more; and source, target, relation, weight
        and cue of what is new or changed."""
