//! `timewalk._core.MemoryGraph`.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use timewalk_core::activation::{
    self, Direction, Order, PageRankOptions, ProductOptions, Relevance, SpreadOptions, WalkOptions,
};
use timewalk_core::graph::{self, Merge, RelationKind, file};
use timewalk_core::{Error, time};

use crate::arrow;
use crate::errors::to_py;
use crate::graph_args::{self as args, FilterArgs};
use crate::graph_out as out;
use crate::graph_run::{detached, spread_options};

/// A graph of memories and entities; see the stub for what its methods do.
#[pyclass(frozen, module = "timewalk._core")]
pub struct MemoryGraph {
    graph: Arc<graph::MemoryGraph>,
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

    #[getter]
    fn num_edges(&self) -> usize {
        self.graph.snapshot().edges.len()
    }

    #[pyo3(signature = (table, *, tz = "UTC"))]
    fn add_memories(&self, py: Python<'_>, table: &Bound<'_, PyAny>, tz: &str) -> PyResult<()> {
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_memories(&table, &time::parse_zone(tz)?)).map_err(to_py)
    }

    fn add_entities(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_entities(&table)).map_err(to_py)
    }

    #[pyo3(signature = (table, *, merge = "max"))]
    fn add_edges(&self, py: Python<'_>, table: &Bound<'_, PyAny>, merge: &str) -> PyResult<()> {
        let merge = match merge {
            "max" => Merge::Max,
            "replace" => Merge::Replace,
            other => return Err(to_py(Error::value(format!("unknown merge '{other}'; use 'max' or 'replace'")))),
        };
        let table = arrow::table(table)?;
        py.detach(|| self.graph.add_edges(&table, merge)).map_err(to_py)?;
        self.graph.tidy();
        Ok(())
    }

    fn remove_edges(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<usize> {
        let table = arrow::table(table)?;
        let gone = py.detach(|| self.graph.remove_edges(&table)).map_err(to_py)?;
        self.graph.tidy();
        Ok(gone)
    }

    #[pyo3(signature = (name, *, inverse = None, kind = "causal", boost = None))]
    fn register_relation(
        &self,
        py: Python<'_>,
        name: &str,
        inverse: Option<&str>,
        kind: &str,
        boost: Option<f64>,
    ) -> PyResult<()> {
        let kind = RelationKind::parse(kind).map_err(to_py)?;
        py.detach(|| self.graph.register_relation(name, inverse, kind, boost)).map_err(to_py)
    }

    fn delete(&self, py: Python<'_>, ids: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let ids = args::ids(ids, "ids")?;
        let gone = py.detach(|| self.graph.delete(&ids)).map_err(to_py)?;
        self.graph.tidy();
        Ok(gone)
    }

    #[pyo3(signature = (ids, *, at))]
    fn invalidate(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (ids, at) = (args::ids(ids, "ids")?, at.map(|at| args::moment(at, "UTC")).transpose()?);
        py.detach(|| self.graph.invalidate(&ids, at)).map_err(to_py)
    }

    fn merge_entities(&self, py: Python<'_>, keep: &Bound<'_, PyAny>, others: &Bound<'_, PyAny>) -> PyResult<()> {
        let (keep, others) = (args::id(keep)?, args::ids(others, "others")?);
        py.detach(|| self.graph.merge_entities(&keep, &others)).map_err(to_py)
    }

    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.graph.compact()).map_err(to_py)
    }

    fn check(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.graph.snapshot().check())
    }

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

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| file::save(&self.graph.snapshot(), &path)).map_err(to_py)
    }

    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let snapshot = py.detach(|| file::open(&path)).map_err(to_py)?;
        Ok(Self { graph: Arc::new(graph::MemoryGraph::from_snapshot(Arc::new(snapshot))) })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| file::to_bytes(&self.graph.snapshot())).map_err(to_py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let snapshot = py.detach(|| file::from_bytes(data, true)).map_err(to_py)?;
        Ok(Self { graph: Arc::new(graph::MemoryGraph::from_snapshot(Arc::new(snapshot))) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rebuild = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((rebuild, PyTuple::new(py, [self.to_bytes(py)?])?))
    }

    fn __copy__(&self) -> Self {
        Self { graph: Arc::new(graph::MemoryGraph::from_snapshot(self.graph.snapshot())) }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__()
    }

    fn memories(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().memories()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn entities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().entities()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().edge_table()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    fn relations(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let batch = py.detach(|| self.graph.snapshot().relation_table()).map_err(to_py)?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, depth = 3, decay = 0.5, threshold = 0.01, fire = "every", combine = "sum", fan = None,
        fan_strength = 2.0, clamp = None, max_active = None, direction = "out", relations = None, limit = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn spread(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        depth: u32,
        decay: f64,
        threshold: f64,
        fire: &str,
        combine: &str,
        fan: Option<&str>,
        fan_strength: f64,
        clamp: Option<f64>,
        max_active: Option<usize>,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let named = spread_options(fire, combine, fan, fan_strength, direction)?;
        let relations = args::names(relations, "relations")?;
        let options = SpreadOptions { depth, decay, threshold, clamp, max_active, relations, ..named };
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let mut spread = activation::spread(&snapshot, &seeds, &options, &filter, scratch, interrupt)?;
                let statistics = out::json(&[
                    ("visited", spread.found.len() as f64),
                    ("expanded", spread.expanded as f64),
                    ("truncated", spread.truncated as f64),
                ]);
                spread.found.truncate(limit.unwrap_or(usize::MAX));
                out::active(&snapshot, &spread.found, statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, restart = 0.5, epsilon = 1e-4, direction = "out", relations = None, limit = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn pagerank(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        restart: f64,
        epsilon: f64,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let direction = Direction::parse(direction).map_err(to_py)?;
        let options = PageRankOptions { restart, epsilon, direction, relations: args::names(relations, "relations")? };
        let batch = detached(py, |interrupt| {
            self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                let mut ranks = activation::pagerank(&snapshot, &seeds, &options, &filter, scratch, interrupt)?;
                let statistics = out::json(&[
                    ("visited", ranks.found.len() as f64),
                    ("expanded", ranks.pushes as f64),
                    ("residual", ranks.residual),
                ]);
                ranks.found.truncate(limit.unwrap_or(usize::MAX));
                out::active(&snapshot, &ranks.found, statistics)
            })
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        window, *, query = None, relevance = None, order = "best", budget = 100, threshold = 0.3, seeds = 10,
        no_date = Some(0.0), decay = 0.7, min_weight = 0.1, fan_out = 64, limit = None, candidates = None, tz = "UTC",
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ), text_signature = "($self, window, *, query=None, relevance=None, order='best', budget=100, threshold=0.3, \
        seeds=10, no_date=0.0, decay=0.7, min_weight=0.1, fan_out=64, limit=None, candidates=None, tz='UTC', \
        namespace=None, fact_type=None, tags=None, tags_match='any', mask=None, as_of=None)")]
    fn walk(
        &self,
        py: Python<'_>,
        window: &Bound<'_, PyAny>,
        query: Option<&Bound<'_, PyAny>>,
        relevance: Option<&Bound<'_, PyAny>>,
        order: &str,
        budget: usize,
        threshold: f64,
        seeds: usize,
        no_date: Option<f64>,
        decay: f64,
        min_weight: f64,
        fan_out: usize,
        limit: Option<usize>,
        candidates: Option<&Bound<'_, PyAny>>,
        tz: &str,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let window = args::window(window, tz)?;
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let query = query.map(args::vector).transpose()?;
        let keywords = relevance.map(|object| args::relevance(&snapshot, object)).transpose()?;
        let candidates =
            candidates.map(|object| args::nodes(&snapshot, &args::ids(object, "candidates")?)).transpose()?;
        let order = Order::parse(order).map_err(to_py)?;
        let options =
            WalkOptions { order, budget, threshold, seeds, no_date, decay, min_weight, fan_out, limit, candidates };
        let batch = detached(py, |interrupt| {
            let relevance = Relevance::new(&snapshot, query.as_deref(), keywords)?;
            let walk = activation::walk(&snapshot, window, &relevance, &options, &filter, interrupt)?;
            out::walk(&snapshot, &walk, budget)
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, depth = 3, decay = 0.5, threshold = 0.01, fire = "every", combine = "sum", fan = None,
        fan_strength = 2.0, clamp = None, max_active = None, direction = "out", relations = None, limit = None,
        threads = None, namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn spread_many(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        depth: u32,
        decay: f64,
        threshold: f64,
        fire: &str,
        combine: &str,
        fan: Option<&str>,
        fan_strength: f64,
        clamp: Option<f64>,
        max_active: Option<usize>,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        threads: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let queries = args::each(seeds, "seeds", |one| args::seeds(&snapshot, one))?;
        let named = spread_options(fire, combine, fan, fan_strength, direction)?;
        let relations = args::names(relations, "relations")?;
        let options = SpreadOptions { depth, decay, threshold, clamp, max_active, relations, ..named };
        let batch = detached(py, |interrupt| {
            let found = activation::run_many(&queries, threads, interrupt, |seeds, interrupt| {
                self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                    let spread = activation::spread(&snapshot, seeds, &options, &filter, scratch, interrupt)?;
                    let mut found = spread.found;
                    found.truncate(limit.unwrap_or(usize::MAX));
                    Ok(found)
                })
            })?;
            out::active_many(&snapshot, &found)
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, restart = 0.5, epsilon = 1e-4, direction = "out", relations = None, limit = None, threads = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn pagerank_many(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        restart: f64,
        epsilon: f64,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        limit: Option<usize>,
        threads: Option<usize>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let queries = args::each(seeds, "seeds", |one| args::seeds(&snapshot, one))?;
        let direction = Direction::parse(direction).map_err(to_py)?;
        let options = PageRankOptions { restart, epsilon, direction, relations: args::names(relations, "relations")? };
        let batch = detached(py, |interrupt| {
            let found = activation::run_many(&queries, threads, interrupt, |seeds, interrupt| {
                self.graph.with_scratch(snapshot.nodes.len(), |scratch| {
                    let ranks = activation::pagerank(&snapshot, seeds, &options, &filter, scratch, interrupt)?;
                    let mut found = ranks.found;
                    found.truncate(limit.unwrap_or(usize::MAX));
                    Ok(found)
                })
            })?;
            out::active_many(&snapshot, &found)
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        seeds, *, budget = 1000, decay = 0.5, threshold = 0.0, direction = "out", relations = None, targets = None,
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ))]
    fn best_first(
        &self,
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        budget: usize,
        decay: f64,
        threshold: f64,
        direction: &str,
        relations: Option<&Bound<'_, PyAny>>,
        targets: Option<&Bound<'_, PyAny>>,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let seeds = args::seeds(&snapshot, seeds)?;
        let options = ProductOptions {
            budget,
            decay,
            threshold,
            direction: Direction::parse(direction).map_err(to_py)?,
            relations: args::names(relations, "relations")?,
            targets: targets.map(|object| args::nodes(&snapshot, &args::ids(object, "targets")?)).transpose()?,
        };
        let batch = detached(py, |interrupt| {
            let product = activation::best_first(&snapshot, &seeds, &options, &filter, interrupt)?;
            out::product(&snapshot, &product, budget)
        })?;
        out::to_pyarrow(py, batch)
    }

    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (
        windows, *, queries = None, order = "best", budget = 100, threshold = 0.3, seeds = 10, no_date = Some(0.0),
        decay = 0.7, min_weight = 0.1, fan_out = 64, limit = None, threads = None, tz = "UTC",
        namespace = None, fact_type = None, tags = None, tags_match = "any", mask = None, as_of = None
    ), text_signature = "($self, windows, *, queries=None, order='best', budget=100, threshold=0.3, seeds=10, \
        no_date=0.0, decay=0.7, min_weight=0.1, fan_out=64, limit=None, threads=None, tz='UTC', namespace=None, \
        fact_type=None, tags=None, tags_match='any', mask=None, as_of=None)")]
    fn walk_many(
        &self,
        py: Python<'_>,
        windows: &Bound<'_, PyAny>,
        queries: Option<&Bound<'_, PyAny>>,
        order: &str,
        budget: usize,
        threshold: f64,
        seeds: usize,
        no_date: Option<f64>,
        decay: f64,
        min_weight: f64,
        fan_out: usize,
        limit: Option<usize>,
        threads: Option<usize>,
        tz: &str,
        namespace: Option<&Bound<'_, PyAny>>,
        fact_type: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        tags_match: &str,
        mask: Option<&Bound<'_, PyAny>>,
        as_of: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let snapshot = self.graph.snapshot();
        let filter = FilterArgs { namespace, fact_type, tags, tags_match, mask, as_of }.read(&snapshot)?;
        let windows = args::each(windows, "windows", |one| args::window(one, tz))?;
        let vectors = queries.map(|object| args::each(object, "queries", args::vector)).transpose()?;
        if vectors.as_ref().is_some_and(|vectors| vectors.len() != windows.len()) {
            return Err(to_py(Error::value(format!(
                "one query for each of the {} windows is expected",
                windows.len()
            ))));
        }
        let order = Order::parse(order).map_err(to_py)?;
        let options = WalkOptions {
            order,
            budget,
            threshold,
            seeds,
            no_date,
            decay,
            min_weight,
            fan_out,
            limit,
            candidates: None,
        };
        let pairs: Vec<_> = windows
            .into_iter()
            .enumerate()
            .map(|(at, window)| (window, vectors.as_ref().and_then(|vectors| vectors.get(at))))
            .collect();
        let batch = detached(py, |interrupt| {
            let walks = activation::run_many(&pairs, threads, interrupt, |(window, vector), interrupt| {
                let relevance = Relevance::new(&snapshot, vector.map(Vec::as_slice), None)?;
                activation::walk(&snapshot, *window, &relevance, &options, &filter, interrupt)
            })?;
            out::walks(&snapshot, &walks)
        })?;
        out::to_pyarrow(py, batch)
    }
}
