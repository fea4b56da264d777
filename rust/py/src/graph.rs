//! `timewalk._core.MemoryGraph`. What it says of itself is said in the stub as well, and a test holds them together.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use timewalk_core::activation::{self, Relevance};
use timewalk_core::graph::{self, Merge, RelationKind, file};
use timewalk_core::{Error, time};

use crate::errors::to_py;
use crate::graph_args as args;
use crate::graph_mask::GraphMask;
use crate::graph_options::{self as options, Options};
use crate::graph_out as out;
use crate::graph_run::detached;

/// A graph of memories and entities with typed, weighted, directed edges, over Arrow columns.
///
/// Memories and entities share one space of string ids; integer ids stand for their decimal strings. Every node lives
/// in a namespace ("default" unless named), and no edge crosses one. Tables are any Arrow object with the PyCapsule
/// interface (pyarrow, polars, pandas, arro3, ...). Weights are kept as float32, vectors as float32 of length 1.
///
/// Many threads may read while others write: a query sees the state at its begin, readers never wait for writers, and a
/// write that fails has changed nothing. All queries free the GIL and stop on Ctrl-C. The same data and call give the
/// same bits, whatever the order in which nodes and edges came.
///
/// Filters, which all queries take and which hold on seeds, on every hop and on results:
///
/// - `namespace`: one or several; None for all.
/// - `fact_type`: memories of one or several fact types; entities pass.
/// - `tags`: memories with one of these tags, or with all of them under `tags_match="all"`; entities pass.
/// - `mask`: memories by id, booleans in the order of `memories()`, or what `mask()` made of them; entities pass.
/// - `as_of`: the state at a time: memories created by then and not yet invalid. None: what is valid now.
#[pyclass(frozen, module = "timewalk._core")]
pub struct MemoryGraph {
    graph: Arc<graph::MemoryGraph>,
}

impl MemoryGraph {
    fn of(snapshot: Arc<graph::Snapshot>) -> Self {
        Self { graph: Arc::new(graph::MemoryGraph::from_snapshot(snapshot)) }
    }
}

#[pymethods]
impl MemoryGraph {
    #[new]
    fn new() -> Self {
        Self { graph: Arc::default() }
    }

    fn __len__(&self) -> usize {
        self.graph.snapshot().alive
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(args::id(id).is_ok_and(|id| self.graph.snapshot().find(&id).is_some()))
    }

    fn __repr__(&self) -> String {
        let snapshot = self.graph.snapshot();
        format!("MemoryGraph({} nodes, {} edges)", snapshot.alive, snapshot.edges.len())
    }

    /// Number of directed edges.
    #[getter]
    fn num_edges(&self) -> usize {
        self.graph.snapshot().edges.len()
    }

    /// Adds memories, or changes known ones in the columns that the table has.
    ///
    /// Columns: id (string or integer, needed), and any of namespace, fact_type, thread, author (strings), tags (list
    /// of strings), occurred_start, occurred_end, mentioned_at, created_at (timestamps of any unit and zone, dates, ISO
    /// strings; naive ones are read in `tz`), embedding (list of float, all of one length; zeros count as none). A null
    /// clears the value of a known memory, an absent column leaves it. Other columns are ignored.
    ///
    /// Errors name row and column: an id missing, twice in one table or of an entity; an end before its start; NaN,
    /// infinity or a wrong length in a vector; a change of namespace for a memory that has edges.
    #[pyo3(signature = (table, **options), text_signature = "($self, table, *, tz='UTC')")]
    fn add_memories(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut options = Options::new(options);
        let tz = options.text("tz", "UTC")?;
        options.finish()?;
        let table = args::table(table)?;
        py.detach(|| self.graph.add_memories(&table, &time::parse_zone(&tz)?)).map_err(to_py)
    }

    /// Adds entities, or changes known ones. Columns: id (needed), namespace, type.
    fn add_entities(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let table = args::table(table)?;
        py.detach(|| self.graph.add_entities(&table)).map_err(to_py)
    }

    /// Adds directed edges between known nodes. Columns: source, target, relation, and weight (null or absent: 1.0).
    ///
    /// An edge that is there already, by source, target and relation, keeps the larger weight; with merge="replace" it
    /// takes the new one. Errors name row and column: an unknown id or relation, a weight that is negative or not
    /// finite, an edge from a node to itself, an edge from one namespace to another.
    #[pyo3(signature = (table, **options), text_signature = "($self, table, *, merge='max')")]
    fn add_edges(&self, py: Python<'_>, table: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let mut options = Options::new(options);
        let merge = options.choice("merge", &[("max", Merge::Max), ("replace", Merge::Replace)])?;
        options.finish()?;
        let table = args::table(table)?;
        py.detach(|| self.graph.add_edges(&table, merge)).map_err(to_py)?;
        self.graph.tidy();
        Ok(())
    }

    /// Takes edges away; returns how many went. Columns: source, target, relation (absent: of every relation).
    ///
    /// Edges that are not there are passed over. Raises `UnknownIdError` for an unknown id or relation, and then
    /// nothing has changed.
    fn remove_edges(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<usize> {
        let table = args::table(table)?;
        let gone = py.detach(|| self.graph.remove_edges(&table)).map_err(to_py)?;
        self.graph.tidy();
        Ok(gone)
    }

    /// Adds a relation, or gives a known one another kind and boost.
    ///
    /// `boost` defaults to the kind's: 2.0 causal, 1.5 enabling, 1.0 else. The inverse is registered along with it and
    /// keeps the same boost until it is registered itself. Without `inverse`, a causal or enabling relation gets
    /// "inverse:NAME", any other is symmetric.
    #[pyo3(signature = (name, **options), text_signature = "($self, name, *, inverse=None, kind='causal', boost=None)")]
    fn register_relation(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let (name, mut options) = (options::text(name, "name")?, Options::new(options));
        let inverse = options.any("inverse")?.map(|value| options::text(&value, "inverse")).transpose()?;
        let kind = RelationKind::parse(&options.text("kind", "causal")?).map_err(to_py)?;
        let boost = options.some_number("boost", None)?;
        options.finish()?;
        py.detach(|| self.graph.register_relation(&name, inverse.as_deref(), kind, boost)).map_err(to_py)
    }

    /// Deletes memories and entities with all their edges; returns the ids that went.
    ///
    /// An entity goes as well when the last memory that was linked to it goes. A deleted id may come back as something
    /// new. Raises `UnknownIdError` for an id that is not there, and then nothing has changed.
    fn delete(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let ids = args::ids(ids, "ids")?;
        let gone = py.detach(|| self.graph.delete(&ids)).map_err(to_py)?;
        self.graph.tidy();
        Ok(gone)
    }

    /// Marks memories as no longer true from `at` on; None takes that back.
    ///
    /// Queries no longer see them, except with an `as_of` before `at`.
    #[pyo3(signature = (ids, *, at))]
    fn invalidate(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (ids, at) = (args::ids(ids, "ids")?, at.map(|at| args::moment(at, "UTC")).transpose()?);
        py.detach(|| self.graph.invalidate(&ids, at)).map_err(to_py)
    }

    /// Makes several entities of one namespace one: the ids of the others become aliases of `keep`, their edges its
    /// edges, the larger weight where both had one. Adding an alias again, or an edge to it, means `keep`.
    fn merge_entities(&self, py: Python<'_>, keep: &Bound<'_, PyAny>, others: &Bound<'_, PyAny>) -> PyResult<()> {
        let (keep, others) = (args::id(keep)?, args::ids(others, "others")?);
        py.detach(|| self.graph.merge_entities(&keep, &others)).map_err(to_py)
    }

    /// Folds all changes since the last compaction into the compressed rows. Happens by itself when they grow.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.graph.compact()).map_err(to_py)
    }

    /// What does not hold of what must hold (order of rows, both directions, counts, times, ...); empty if sound.
    fn check(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.graph.snapshot().check())
    }

    /// Figures: nodes, memories, entities, edges, vectors, dim, invalidated, patched (edges in rows changed since
    /// the last compaction, both directions), bytes_edges, bytes_vectors, bytes (without what the allocator adds).
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = py.detach(|| self.graph.snapshot().stats());
        let out = PyDict::new(py);
        for (name, value) in [
            ("nodes", stats.memories + stats.entities),
            ("memories", stats.memories),
            ("entities", stats.entities),
            ("edges", stats.edges),
            ("vectors", stats.vectors),
            ("dim", stats.dim),
            ("invalidated", stats.invalidated),
            ("patched", stats.patched),
            ("bytes_edges", stats.bytes_edges),
            ("bytes_vectors", stats.bytes_vectors),
            ("bytes", stats.bytes),
        ] {
            out.set_item(name, value)?;
        }
        Ok(out)
    }

    /// Writes the graph to one file: another name first, synced, then renamed, so that no reader sees half of it.
    ///
    /// Raises `FileAccessError` where that cannot be done; an older file of the name is then untouched.
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = args::path(path)?;
        py.detach(|| file::save(&self.graph.snapshot(), &path)).map_err(to_py)
    }

    /// A graph from a file of `save`. Edges and vectors are read in place from a memory map; all checksums are
    /// compared first. Raises `FileAccessError`, or `FileFormatError` for a damaged, cut, newer or foreign file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = args::path(path)?;
        py.detach(|| file::open(&path)).map(|snapshot| Self::of(Arc::new(snapshot))).map_err(to_py)
    }

    /// The bytes that `save` would write; also what pickle keeps.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| file::to_bytes(&self.graph.snapshot())).map_err(to_py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A graph from `to_bytes`. Raises `FileFormatError`.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong = |_| args::wrong_type(format!("data is bytes, not {}", args::type_name(data)));
        let read = |bytes: &[u8]| py.detach(|| file::from_bytes(bytes, true)).map_err(to_py);
        let snapshot = match data.cast::<PyBytes>() {
            Ok(bytes) => read(bytes.as_bytes()),
            Err(_) => read(&PyBuffer::<u8>::get(data).and_then(|buffer| buffer.to_vec(py)).map_err(wrong)?),
        };
        snapshot.map(|snapshot| Self::of(Arc::new(snapshot)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rebuild = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((rebuild, PyTuple::new(py, [self.to_bytes(py)?])?))
    }

    fn __copy__(&self) -> Self {
        Self::of(self.graph.snapshot())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    /// All memories in order of insertion; embeddings come back at length 1.
    fn memories(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        out::to_pyarrow(py, py.detach(|| self.graph.snapshot().memories()).map_err(to_py)?)
    }

    /// All entities in order of insertion: id, namespace, type, aliases.
    fn entities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        out::to_pyarrow(py, py.detach(|| self.graph.snapshot().entities()).map_err(to_py)?)
    }

    /// All edges: source, target, relation, weight.
    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        out::to_pyarrow(py, py.detach(|| self.graph.snapshot().edge_table()).map_err(to_py)?)
    }

    /// All relations: name, inverse, kind, boost.
    fn relations(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        out::to_pyarrow(py, py.detach(|| self.graph.snapshot().relation_table()).map_err(to_py)?)
    }

    /// A mask made ready once, for the `mask` of many queries: memories by id, or booleans in the order of
    /// `memories()`. It stays a set of these memories whatever is written later; one that was deleted does not pass.
    fn mask(&self, memories: &Bound<'_, PyAny>) -> PyResult<GraphMask> {
        GraphMask::new(&self.graph, memories)
    }

    /// Classic spreading activation: id, activation, strongest first, ties by id.
    ///
    /// Seeds (ids, which start at 1.0; a dict or table of id and activation) fire for `depth` rounds: every active node
    /// sends activation * weight * decay along each edge, what exceeds the threshold adds up at the target and joins
    /// the activations at the end of the round. Once a round changes nothing, no more are made. The plain rule is
    /// unbounded: in cycles and behind hubs activations grow past any number; a `depth` that goes on for more than
    /// 10,000 rounds (or nodes, if there are more) that change something is an `InvalidValueError`.
    ///
    /// Options: fire="once" lets a node send only in the round after it became active; fire="wave" sends just what the
    /// round before brought, so that what comes from two steps away does not hang on whether the node between was a
    /// seed; with it, own=False leaves the seeds' own start out of the activations. combine="max" or "noisy_or"
    /// in place of sums; `fan` divides by the root of the out-degree, by the out-degree, or takes ACT-R's
    /// max(0, 1 - ln(degree)/fan_strength); `clamp` bounds every activation; `max_active` keeps the strongest after
    /// each round. `direction` and `relations` say which edges are used, as seen from the sending node; with "both" an
    /// edge stored from both ends counts once. `paths` adds the columns depth, parent, relation and weight: the round
    /// of a node's first activation and its largest contribution in it (`timewalk.graph.path_to` follows them to a
    /// seed); it takes about twice as long. The schema metadata holds visited, expanded and truncated as JSON under
    /// b"timewalk". Source: Collins and Loftus 1975; Anderson 1983 (fan).
    #[pyo3(signature = (seeds, **options), text_signature = "($self, seeds, *, depth=3, decay=0.5, threshold=0.01, fire='every', own=True, \
        combine='sum', fan=None, fan_strength=2.0, clamp=None, max_active=None, direction='out', relations=None, \
        paths=False, limit=None, namespace=None, fact_type=None, tags=None, tags_match='any', \
        mask=None, as_of=None)")]
    fn spread(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let (chosen, limit) = (options.spread()?, options.limit()?);
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let spread = activation::spread(&snapshot, &seeds, &chosen, &filter, scratch, interrupt)?;
                let statistics = vec![
                    ("visited", spread.found.len() as f64),
                    ("expanded", spread.expanded as f64),
                    ("truncated", spread.truncated as f64),
                ];
                let (found, ways) = out::first(limit, spread.found, spread.ways);
                out::active(&snapshot, &found, ways.as_deref(), statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    /// Personalised PageRank by forward push: id, activation in [0, 1], most first, ties by id.
    ///
    /// A walker starts at a seed (chosen by weight), follows edges by weight, and goes back to a seed with chance
    /// `restart`, and always from a node without usable edges. Residuals up to epsilon * out-degree are not pushed: the
    /// work is bounded by 1/(restart * epsilon) edges, whatever the size of the graph. `paths` adds the columns depth,
    /// parent, relation and weight: the largest push to a node before its own first. The schema metadata holds visited,
    /// expanded and residual (the mass left) as JSON under b"timewalk".
    /// Source: Andersen, Chung and Lang 2006.
    #[pyo3(signature = (seeds, **options), text_signature = "($self, seeds, *, restart=0.5, epsilon=0.0001, direction='out', relations=None, \
        paths=False, limit=None, namespace=None, fact_type=None, tags=None, tags_match='any', \
        mask=None, as_of=None)")]
    fn pagerank(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let (chosen, limit) = (options.pagerank()?, options.limit()?);
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let ranks = activation::pagerank(&snapshot, &seeds, &chosen, &filter, scratch, interrupt)?;
                let statistics = vec![
                    ("visited", ranks.found.len() as f64),
                    ("expanded", ranks.pushes as f64),
                    ("residual", ranks.residual),
                ];
                let (found, ways) = out::first(limit, ranks.found, ranks.ways);
                out::active(&snapshot, &found, ways.as_deref(), statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    /// Temporal spreading activation from the memories in a window along temporal and causal edges.
    ///
    /// `window` is half-open, (start, end) as datetimes, ISO strings or integer microseconds, or an object with
    /// `start_micros` and `end_micros`; None is an open end, which stands for the graph's first or last time; two equal
    /// ends are that instant. `query` is a vector, `relevance` keyword scores in [0, 1] by id (dict, or table of id and
    /// relevance). A memory's relevance is the larger of its cosine (at least 0) and its score, and it passes the
    /// semantic gate if either reaches `threshold`. Without both, everything is relevant.
    ///
    /// Columns: id, similarity (cosine; null without vectors), proximity, activation, depth, parent, relation and
    /// weight of the step that brought it in (null for seeds). The relation is read from the parent, so an edge that
    /// was walked against its direction shows its inverse. Highest activation first, ties by id. The schema metadata
    /// holds visited, expanded, truncated, budget and entries (memories of the window that passed) as JSON under
    /// b"timewalk".
    ///
    /// order="best": seeds are the best by relevance * proximity, spread over the window (it is cut into `seeds` equal
    /// slices; the best of each are taken in turn, then the second best), and start at that product. An edge's factor
    /// is weight * boost * decay, at most 0.95. A node's activation is the largest product over all paths, in [0, 1].
    /// Causal and enabling edges are walked both ways and need no gate, temporal ones as stored and behind the gate.
    /// `budget` bounds the nodes settled, `fan_out` the edges followed from one node (the largest factors, after
    /// filtering), `limit` the rows returned. Proximity: 1 at the middle of the window, 0.5 at its edge, halving with
    /// every half width beyond; `no_date` for memories without date, None leaves them out.
    ///
    /// order="breadth" is the published rule: the latest seeds at 1.0, batches of 20, the gate at every hop, 200
    /// neighbours a batch by weight, the larger of parent * factor and linear proximity, the first visit wins, nothing
    /// at 0.2 or below, edges as stored.
    #[pyo3(signature = (window, **options), text_signature = "($self, window, *, query=None, relevance=None, order='best', budget=100, threshold=0.3, \
        seeds=10, no_date=0.0, decay=0.7, min_weight=0.1, fan_out=64, limit=None, candidates=None, \
        tz='UTC', namespace=None, fact_type=None, tags=None, tags_match='any', mask=None, \
        as_of=None)")]
    fn walk(
        &self,
        py: Python<'_>,
        window: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let query = options.any("query")?.map(|query| args::vector(&query)).transpose()?;
        let keywords = options.any("relevance")?.map(|scores| args::relevance(&snapshot, &scores)).transpose()?;
        let mut chosen = options.walk()?;
        chosen.candidates = options.nodes("candidates", &snapshot)?;
        let window = args::window(window, &options.text("tz", "UTC")?)?;
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let batch = detached(py, |interrupt| {
            let relevance = Relevance::new(&snapshot, query.as_deref(), keywords)?;
            let walk = activation::walk(&snapshot, window, &relevance, &chosen, &filter, interrupt)?;
            out::walk(&snapshot, &walk, chosen.budget)
        })?;
        out::to_pyarrow(py, batch)
    }

    /// The largest product of factors over all paths from the seeds: id, activation, depth, parent, relation,
    /// weight.
    ///
    /// The strongest node is settled first, until `budget` nodes are settled, all `targets` are, or nothing of at least
    /// `threshold` is left. A factor is weight * decay, at most 1. It also answers why a node is active: with the node
    /// as target, the rows lead back to a seed (`timewalk.graph.path_to`). Ties by id.
    #[pyo3(signature = (seeds, **options), text_signature = "($self, seeds, *, budget=1000, decay=0.5, threshold=0.0, direction='out', relations=None, \
        targets=None, namespace=None, fact_type=None, tags=None, tags_match='any', mask=None, \
        as_of=None)")]
    fn best_first(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let chosen = options.best_first(&snapshot)?;
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let batch = detached(py, |interrupt| {
            let product = activation::best_first(&snapshot, &seeds, &chosen, &filter, interrupt)?;
            out::product(&snapshot, &product, chosen.budget)
        })?;
        out::to_pyarrow(py, batch)
    }

    /// `spread` for each item of `seeds`, on all cores or on `threads`: query (position of the item), id,
    /// activation.
    ///
    /// The same bits as single calls, at any number of threads. `paths` adds depth, parent, relation and weight.
    #[pyo3(signature = (seeds, **options), text_signature = "($self, seeds, *, depth=3, decay=0.5, threshold=0.01, fire='every', own=True, \
        combine='sum', fan=None, fan_strength=2.0, clamp=None, max_active=None, direction='out', relations=None, \
        paths=False, limit=None, threads=None, namespace=None, fact_type=None, tags=None, \
        tags_match='any', mask=None, as_of=None)")]
    fn spread_many(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let (chosen, limit, threads) = (options.spread()?, options.limit()?, options.some_count("threads")?);
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let queries = args::each(seeds, "seeds", |one| args::seeds(&snapshot, one))?;
        let batch = detached(py, |interrupt| {
            let found = activation::run_many(&queries, threads, interrupt, |seeds, interrupt| {
                self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                    let spread = activation::spread(&snapshot, seeds, &chosen, &filter, scratch, interrupt)?;
                    Ok(out::first(limit, spread.found, spread.ways))
                })
            })?;
            out::active_many(&snapshot, &found, chosen.paths)
        })?;
        out::to_pyarrow(py, batch)
    }

    /// `pagerank` for each item of `seeds`, on all cores or on `threads`: query, id, activation, and
    /// what `paths` adds.
    #[pyo3(signature = (seeds, **options), text_signature = "($self, seeds, *, restart=0.5, epsilon=0.0001, direction='out', relations=None, \
        paths=False, limit=None, threads=None, namespace=None, fact_type=None, tags=None, \
        tags_match='any', mask=None, as_of=None)")]
    fn pagerank_many(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let (chosen, limit, threads) = (options.pagerank()?, options.limit()?, options.some_count("threads")?);
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let queries = args::each(seeds, "seeds", |one| args::seeds(&snapshot, one))?;
        let batch = detached(py, |interrupt| {
            let found = activation::run_many(&queries, threads, interrupt, |seeds, interrupt| {
                self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                    let ranks = activation::pagerank(&snapshot, seeds, &chosen, &filter, scratch, interrupt)?;
                    Ok(out::first(limit, ranks.found, ranks.ways))
                })
            })?;
            out::active_many(&snapshot, &found, chosen.paths)
        })?;
        out::to_pyarrow(py, batch)
    }

    /// `walk` for each window and the query of its place, on all cores or on `threads`; the position of the window
    /// is in the column query, in front of those of `walk`.
    #[pyo3(signature = (windows, **options), text_signature = "($self, windows, *, queries=None, order='best', budget=100, threshold=0.3, seeds=10, \
        no_date=0.0, decay=0.7, min_weight=0.1, fan_out=64, limit=None, threads=None, tz='UTC', \
        namespace=None, fact_type=None, tags=None, tags_match='any', mask=None, as_of=None)")]
    fn walk_many(
        &self,
        py: Python<'_>,
        windows: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let (snapshot, mut options) = (self.graph.snapshot(), Options::new(options));
        let vectors = options.any("queries")?.map(|all| args::each(&all, "queries", args::vector)).transpose()?;
        let (chosen, threads) = (options.walk()?, options.some_count("threads")?);
        let tz = options.text("tz", "UTC")?;
        let filter = options.filter(&self.graph, &snapshot)?;
        options.finish()?;
        let windows = args::each(windows, "windows", |one| args::window(one, &tz))?;
        if vectors.as_ref().is_some_and(|vectors| vectors.len() != windows.len()) {
            let message = format!("one query for each of the {} windows is expected", windows.len());
            return Err(to_py(Error::value(message)));
        }
        let query = |at: usize| vectors.as_ref().and_then(|vectors| vectors.get(at));
        let pairs: Vec<_> = windows.into_iter().enumerate().map(|(at, window)| (window, query(at))).collect();
        let batch = detached(py, |interrupt| {
            let walks = activation::run_many(&pairs, threads, interrupt, |(window, vector), interrupt| {
                let relevance = Relevance::new(&snapshot, vector.map(Vec::as_slice), None)?;
                activation::walk(&snapshot, *window, &relevance, &chosen, &filter, interrupt)
            })?;
            out::walks(&snapshot, &walks)
        })?;
        out::to_pyarrow(py, batch)
    }
}
